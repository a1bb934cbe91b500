"""Everyone who hears about changes: handshake-era sessions and modern listeners."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)

from agenthost.catalog import Changed
from agenthost.watches import Watches

_LIST_EVENTS: dict[Changed, ServerEvent] = {
    "tools": ToolsListChanged(),
    "prompts": PromptsListChanged(),
    "resources": ResourcesListChanged(),
}

MAX_SUBSCRIPTIONS = 1024
"""Resources that one session, or one stream of a modern client, may watch."""


class Audience:
    """Tells all clients about changes, each once, however often it happens in one turn of the loop."""

    def __init__(self, watches: Watches) -> None:
        """Create it on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._bus = InMemorySubscriptionBus()
        self._listening = ListenHandler(self._bus)
        self._watches = watches
        self._listeners: dict[int, _Listener] = {}
        self._due: dict[ServerEvent, None] = {}
        self._telling: set[asyncio.Task[None]] = set()

    def list_changed(self, kind: Changed) -> None:
        """Tell everyone that a list is another one; callable from any thread."""
        self._call_soon(_LIST_EVENTS[kind])

    def resource_updated(self, uri: str) -> None:
        """Tell the subscribers of a resource that its contents have changed; callable from any thread."""
        self._call_soon(ResourceUpdated(uri=uri))

    async def listen(
        self, ctx: ServerRequestContext[Any, Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve `subscriptions/listen` for modern clients.

        Notices that a client has not read wait for it, up to 1,024; then its stream ends, and it has to
        listen again and to read afresh what it watches.
        """
        uris = params.notifications.resource_subscriptions or ()
        if len(uris) > MAX_SUBSCRIPTIONS:
            raise _too_many()
        async with self._watches.watching(uris):
            return await self._listening(ctx, params)

    def close(self) -> None:
        """End all modern subscriptions in an orderly way."""
        self._listening.close()

    async def remember(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Server middleware: keep the sessions of handshake-era clients.

        The SDK delivers notices of that era per session and offers no way to reach all of them, nor
        to learn of a connection's end; hence the private `_connection` (pinned by a test).
        """
        result = await call_next(ctx)
        if ctx.method == "notifications/initialized":
            self._listener(ctx).initialized = True
        return result

    async def subscribe(self, ctx: ServerRequestContext[Any, Any], uri: str) -> None:
        """Handshake era: tell this session about updates of a resource."""
        subscribed = self._listener(ctx).subscribed
        if uri in subscribed:
            return
        if len(subscribed) >= MAX_SUBSCRIPTIONS:
            raise _too_many()
        subscribed.add(uri)
        await self._watches.watch(uri)

    def unsubscribe(self, ctx: ServerRequestContext[Any, Any], uri: str) -> None:
        """Handshake era: tell this session no longer."""
        subscribed = self._listener(ctx).subscribed
        if uri in subscribed:
            subscribed.remove(uri)
            self._watches.unwatch(uri)

    def _listener(self, ctx: ServerRequestContext[Any, Any]) -> _Listener:
        connection = ctx.session._connection  # noqa: SLF001  (see `remember`)
        listener = self._listeners.get(id(connection))
        if listener is None:
            listener = self._listeners[id(connection)] = _Listener(ctx.session)
            connection.exit_stack.callback(self._forget, id(connection))
        return listener

    def _call_soon(self, event: ServerEvent) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._note, event)

    def _forget(self, connection: int) -> None:
        for uri in self._listeners.pop(connection).subscribed:
            self._watches.unwatch(uri)

    def _note(self, event: ServerEvent) -> None:
        if not self._due:
            self._loop.call_soon(self._tell)
        self._due[event] = None

    def _tell(self) -> None:
        events, self._due = list(self._due), {}
        if _LIST_EVENTS["resources"] in events:
            self._watches.refresh()
        self._start(self._publish(events))
        for listener in self._listeners.values():
            if listener.note(events):
                self._start(listener.tell())

    async def _publish(self, events: list[ServerEvent]) -> None:
        for event in events:
            await self._bus.publish(event)

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(coroutine)
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)


def _too_many() -> MCPError:
    return MCPError(
        types.INVALID_PARAMS,
        f"A client can watch {MAX_SUBSCRIPTIONS} resources at once, and no more. Unsubscribe from some.",
    )


class _Listener:
    """One handshake-era session. While it does not read, equal notices wait as one."""

    def __init__(self, session: ServerSession) -> None:
        self.initialized = False
        self.subscribed: set[str] = set()
        self._session = session
        self._due: dict[ServerEvent, None] = {}
        self._busy = False

    def note(self, events: list[ServerEvent]) -> bool:
        """Remember what concerns this session; True if somebody has to begin to tell it."""
        self._due.update(dict.fromkeys(event for event in events if self._concerns(event)))
        start = bool(self._due) and not self._busy
        self._busy = self._busy or start
        return start

    async def tell(self) -> None:
        try:
            while self._due:
                event = next(iter(self._due))
                del self._due[event]
                await self._send(event)
        finally:
            self._busy = False

    def _concerns(self, event: ServerEvent) -> bool:
        if isinstance(event, ResourceUpdated):
            return event.uri in self.subscribed
        return self.initialized

    async def _send(self, event: ServerEvent) -> None:
        match event:
            case ToolsListChanged():
                await self._session.send_tool_list_changed()
            case PromptsListChanged():
                await self._session.send_prompt_list_changed()
            case ResourcesListChanged():
                await self._session.send_resource_list_changed()
            case ResourceUpdated(uri=uri):
                await self._session.send_resource_updated(uri)
