"""The MCP server over the catalog: the SDK's lowlevel server, in both protocol eras."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions

import agenthost
from agenthost.audience import Audience
from agenthost.calls import MAX_COMPLETIONS, Calls, Request
from agenthost.catalog import Catalog
from agenthost.errors import ProtocolError
from agenthost.incoming import Context, is_modern, request_of, set_log_level
from agenthost.sealing import Sealing
from agenthost.tracing import CAN_TRACE
from agenthost.vetting import LEGACY, MODERN
from agenthost.watches import Watches

log = logging.getLogger("agenthost")


class HostServer(Server[Any]):
    """One server for all clients of this process.

    Attributes:
        audience: everyone who is told about changes.
        meter: what was called so far.
    """

    def __init__(
        self,
        catalog: Catalog,
        calls: Calls,
        instructions: str | None,
        ready: Callable[[], Any],
        key_file: Path,
    ) -> None:
        """Create it on the event loop.

        Args:
            catalog: what is served.
            calls: what answers.
            instructions: the merged instructions, the same in both eras.
            ready: `await ready()` holds lists and calls back until the plugins have started.
            key_file: where the key is that seals the state of calls which wait for input; made when needed.
        """
        self.audience = Audience(Watches(catalog))
        super().__init__(
            "agenthost",
            title="agenthost",
            version=agenthost.__version__,
            instructions=instructions,
            on_list_tools=self._list,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list,
            on_get_prompt=self._get_prompt,
            on_list_resources=self._list,
            on_list_resource_templates=self._list,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_completion=self._complete,
            on_subscriptions_listen=self._listen,
            # Without it every modern HTTP call lists all tools first.
            get_tool_input_schema=self._header_schema,
        )
        # As a keyword argument of Server this handler would emit a deprecation warning.
        self.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        if not CAN_TRACE:
            # Nothing can record what the SDK's first middleware traces, at a tenth of the cost of a call.
            self.middleware.clear()
        for method in catalog.methods.names():
            self.add_request_handler(method, types.RequestParams, self._call_method)
        self.middleware += [Sealing(key_file), self.audience.remember, self._answer_checked]
        self._lists: dict[str, tuple[str, Callable[[str], list[dict[str, Any]]]]] = {
            "tools/list": ("tools", catalog.tools.listed),
            "prompts/list": ("prompts", catalog.prompts.listed),
            "resources/list": ("resources", catalog.listed_resources),
            "resources/templates/list": ("resourceTemplates", catalog.listed_templates),
        }
        self._catalog = catalog
        self.meter = calls.meter
        self._calls = calls
        self._ready = ready
        catalog.on_change = self.audience.list_changed
        catalog.on_update = self.audience.resource_updated

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """As the SDK's, but list changes are advertised: any plugin may change."""
        changes = notification_options or NotificationOptions(True, True, True)
        return super().create_initialization_options(changes, experimental_capabilities, extensions)

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        """As the SDK's, with the extensions of the plugins that live."""
        declared = {**self._catalog.methods.declared(), **(extensions or {})}
        return super().get_capabilities(
            notification_options, experimental_capabilities, declared or None, protocol_version=protocol_version
        )

    async def _list(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        """Any of the lists, by the request's method; the SDK checks and copies what this returns."""
        await self._ready()
        if params is not None and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown cursor: {params.cursor} (everything is on one page)")
        member, listed = self._lists[ctx.method]
        return _complete_result(ctx, {member: listed(_shape(ctx))}, cached=True)

    async def _answer_checked(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Server middleware: answer plain requests for lists and tools with what is checked already.

        The SDK would validate and copy every entry of a list again, ten times the work at 1,000 tools, and read the
        arguments and the result of every call twice. Only for the two revisions whose shapes were checked, and only
        once the handshake is over; whatever else is in a request goes the SDK's way.
        """
        spoken = ctx.protocol_version in (LEGACY, MODERN) and ctx.session._connection.initialize_accepted  # noqa: SLF001  (as in audience.py)
        params = ctx.params or {}
        understood = ("_meta" in params) == (ctx.meta is not None)  # the SDK drops one that is malformed
        if not spoken or not understood or ctx.request_id is None:
            return await call_next(ctx)
        if ctx.method in self._lists and not params.keys() - {"_meta"}:
            result: dict[str, Any] = await self._list(ctx, None)
        elif ctx.method == "tools/call" and _is_plain_call(params):
            call = partial(self._calls.call_tool, params["name"], params.get("arguments"))
            result = await self._answer(ctx, None, call)
        else:
            return await call_next(ctx)
        if is_modern(ctx):
            stamp = {types.SERVER_INFO_META_KEY: self.server_info_stamp}
            return {**result, "_meta": {**result.get("_meta", {}), **stamp}}
        return result

    def _header_schema(self, name: str) -> Mapping[str, Any] | None:
        """The schema of a tool whose arguments come as HTTP headers too, which the SDK then compares."""
        route = self._catalog.tools.find(name)
        return route.vetted.headers if route is not None else None

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        return await self._answer(ctx, params, partial(self._calls.call_tool, params.name, params.arguments))

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> Any:
        return await self._answer(ctx, params, partial(self._calls.get_prompt, params.name, params.arguments))

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        return await self._answer(ctx, params, partial(self._calls.read_resource, params.uri), cached=True)

    async def _call_method(self, ctx: Context, params: types.RequestParams) -> Any:
        if not is_modern(ctx):
            raise MCPError(types.METHOD_NOT_FOUND, f"Method not found: {ctx.method}", ctx.method)
        given = {name: value for name, value in (ctx.params or {}).items() if name != "_meta"}
        return await self._answer(ctx, params, partial(self._calls.call_method, ctx.method, given), cached=True)

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> Any:
        if isinstance(params.ref, types.PromptReference):
            reference = ("prompt", params.ref.name)
        else:
            reference = ("template", params.ref.uri)
        known = (params.context.arguments if params.context else None) or {}
        typed = params.argument
        return await self._answer(ctx, params, partial(self._completion, *reference, typed.name, typed.value, known))

    async def _completion(self, *arguments: Any) -> dict[str, Any]:
        values = await self._calls.complete(*arguments)
        shown = values[:MAX_COMPLETIONS]
        return {"completion": {"values": shown, "total": len(values), "hasMore": len(shown) < len(values)}}

    async def _answer(
        self,
        ctx: Context,
        params: types.RequestParams | None,
        call: Callable[[Request], Awaitable[dict[str, Any]]],
        *,
        cached: bool = False,
    ) -> dict[str, Any]:
        """Wait until the plugins are ready, then for the call; its errors become JSON-RPC errors."""
        try:
            await self._ready()
            return _complete_result(ctx, await call(request_of(ctx, params)), cached=cached)
        except ProtocolError as error:
            raise MCPError(error.code, str(error), error.data) from None
        except Exception as error:
            # A fault of the host itself; the SDK would tell the client its text under code 0.
            log.exception("%s failed", ctx.method)
            raise MCPError(types.INTERNAL_ERROR, "Internal error") from error

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        await self._ready()
        if self._catalog.find_resource(params.uri) is None:
            text = self._catalog.resources.explain_unknown(params.uri)
            raise MCPError(types.INVALID_PARAMS, text, {"uri": params.uri})
        await self.audience.subscribe(ctx, params.uri)
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self.audience.unsubscribe(ctx, params.uri)
        return types.EmptyResult()

    async def _listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        await self._ready()
        return await self.audience.listen(ctx, params)

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        set_log_level(ctx, params.level)
        return types.EmptyResult()


def _is_plain_call(params: Mapping[str, Any]) -> bool:
    """Whether these params of a `tools/call` are a name and arguments, as they should be, and nothing else."""
    if params.keys() - {"name", "arguments", "_meta"}:
        return False
    return isinstance(params.get("name"), str) and isinstance(params.get("arguments"), dict | None)


def _shape(ctx: Context) -> str:
    """The revision whose list shapes this client gets."""
    return MODERN if is_modern(ctx) else LEGACY


def _complete_result(ctx: Context, members: dict[str, Any], *, cached: bool = False) -> dict[str, Any]:
    """A result with what the modern era wants in it; `cached`: a list or a read, which say how long they hold."""
    if not is_modern(ctx) or "resultType" in members:
        return members
    hints = {"ttlMs": 0, "cacheScope": "private"} if cached else {}
    return {**hints, **members, "resultType": "complete"}
