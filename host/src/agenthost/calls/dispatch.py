"""The one way from a request to plugin code and back."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from agenthost.calls.arguments import check_arguments
from agenthost.calls.channel import Channel, SendLog, SendProgress
from agenthost.calls.guard import Guard, crash
from agenthost.calls.results import error_to_wire, result_to_wire
from agenthost.catalog import Catalog, Route
from agenthost.context import CallContext, Caller
from agenthost.errors import NotFound, ToolError


@dataclass(frozen=True)
class Request:
    """What a call knows of the request it answers.

    Attributes:
        caller: who asks.
        client_capabilities: what the client declared.
        protocol_version: the revision spoken.
        send_progress: sends a progress notice; None if the client did not ask for progress.
        send_log: sends a log message, if the client wants that level.
    """

    caller: Caller
    client_capabilities: Mapping[str, Any]
    protocol_version: str
    send_progress: SendProgress | None
    send_log: SendLog


class Calls:
    """Answers calls from the catalog."""

    def __init__(self, catalog: Catalog, time_limit: float) -> None:
        """`time_limit` is `[host] time_limit`, in seconds."""
        self._catalog = catalog
        self._time_limit = time_limit
        self._guard = Guard()

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None, request: Request) -> dict[str, Any]:
        """The members of a `tools/call` result; whatever the plugin does becomes one.

        Raises:
            NotFound: no such tool is served.
            ProtocolError: the plugin raised one.
        """
        route = self._catalog.find_tool(name)
        if route is None:
            raise NotFound(self._catalog.explain_unknown_tool(name))
        channel = Channel(request.send_progress, request.send_log)
        try:
            try:
                wire = await self._run_tool(route, dict(arguments or {}), request, channel)
            except ToolError as error:
                wire = error_to_wire(error)
            await channel.close()
        finally:
            channel.abandon()
        return wire

    async def _run_tool(
        self, route: Route, arguments: dict[str, Any], request: Request, channel: Channel
    ) -> dict[str, Any]:
        tool, signature, label = route.tool, route.vetted.signature, f"Tool {route.exposed} (plugin {route.plugin.name})"
        plugin = route.plugin.context
        assert plugin is not None
        context: CallContext[Any] = CallContext(
            plugin, request.caller, request.client_capabilities, request.protocol_version, channel
        )
        if signature is None:
            call = partial(tool.handler, arguments, context)
        else:
            keywords = check_arguments(route.exposed, signature, arguments)
            if signature.context is not None:
                keywords[signature.context] = context
            call = partial(tool.handler, **keywords)
        # The operator's word wins over the author's, and the author's over the host's default.
        limit = route.plugin.part.time_limit or tool.time_limit or self._time_limit
        if _is_async(tool.handler):
            value = await self._guard.run_coroutine(label, call, limit, channel.beat)
        else:
            value = await self._guard.run_function(plugin.name, label, call, limit, channel.beat)
            if inspect.iscoroutine(value):  # an async function behind a plain decorator
                value = await self._guard.run_coroutine(label, partial(_identity, value), limit, channel.beat)
        try:
            return result_to_wire(value, signature.returns if signature else None)
        except Exception as error:  # noqa: BLE001  (a value that cannot be sent is a fault of the plugin)
            raise crash(label, error) from None


def _identity(value: Any) -> Any:
    return value


def _is_async(handler: Any) -> bool:
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(getattr(handler, "__call__", None))  # noqa: B004  (the method is inspected, not the ability to call)
