"""Everyone who hears that a list has changed: handshake-era sessions and modern listeners."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

log = logging.getLogger("agenthost")


class Audience:
    """Tells all clients about changes, each change once, however many happen in one turn of the loop.

    Attributes:
        listen: serves `subscriptions/listen` for modern clients.
    """

    def __init__(self) -> None:
        """Create it on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus)
        self._sessions: dict[int, _Listener] = {}
        self._due = False
        self._telling: set[asyncio.Task[None]] = set()

    def tools_changed(self) -> None:
        """Tell everyone that the list of tools is another one; callable from any thread."""
        self._loop.call_soon_threadsafe(self._note)

    async def remember(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Server middleware: keep the sessions of handshake-era clients.

        The SDK delivers notices of that era per session and offers no way to reach all of them, nor
        to learn of a connection's end; hence the private `_connection` (pinned by a test).
        """
        result = await call_next(ctx)
        if ctx.method == "notifications/initialized":
            connection = ctx.session._connection  # noqa: SLF001
            if connection.has_standalone_channel:
                self._sessions[id(connection)] = _Listener(ctx.session)
                connection.exit_stack.callback(self._sessions.pop, id(connection), None)
        return result

    def _note(self) -> None:
        if not self._due:
            self._due = True
            self._loop.call_soon(self._tell)

    def _tell(self) -> None:
        self._due = False
        self._start(self._bus.publish(ToolsListChanged()))
        for listener in self._sessions.values():
            if listener.note():
                self._start(listener.tell())

    def _start(self, coroutine: Any) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)


class _Listener:
    """One handshake-era session. While it does not read, its notices wait as one."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session
        self._due = False
        self._busy = False

    def note(self) -> bool:
        """Remember a change; True if nobody is telling this session yet."""
        self._due = True
        start, self._busy = not self._busy, True
        return start

    async def tell(self) -> None:
        try:
            while self._due:
                self._due = False
                await self._session.send_tool_list_changed()
        finally:
            self._busy = False
