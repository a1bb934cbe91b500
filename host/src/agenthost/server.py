"""The MCP server over the catalog: the SDK's lowlevel server, in both protocol eras."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, get_args

import mcp_types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

import agenthost
from agenthost.audience import Audience
from agenthost.calls import Calls, Request
from agenthost.catalog import Catalog
from agenthost.context import Caller, LogLevel
from agenthost.errors import ProtocolError

Context = ServerRequestContext[Any, Any]

LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)
"""Severities of MCP log messages, lowest first."""


class HostServer(Server[Any]):
    """One server for all clients of this process.

    Attributes:
        audience: everyone who is told about changes.
    """

    def __init__(
        self, catalog: Catalog, calls: Calls, instructions: str | None, ready: Callable[[], Any]
    ) -> None:
        """Create it on the event loop.

        Args:
            catalog: what is served.
            calls: what answers.
            instructions: the merged instructions, the same in both eras.
            ready: `await ready()` holds lists and calls back until the plugins have started.
        """
        self.audience = Audience()
        super().__init__(
            "agenthost",
            title="agenthost",
            version=agenthost.__version__,
            instructions=instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=self.audience.listen,
            # Without it every modern HTTP call lists all tools first (sdk.md decision 2).
            get_tool_input_schema=lambda _: None,
        )
        # As a keyword argument of Server this handler would emit a deprecation warning (sdk.md 1.1).
        self.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        self.middleware.append(self.audience.remember)
        self._catalog = catalog
        self._calls = calls
        self._ready = ready
        catalog.on_change = self.audience.tools_changed

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """As the SDK's, but list changes are advertised: any plugin may change (sdk.md decision 7)."""
        changes = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(changes, experimental_capabilities, extensions)

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> Any:
        await self._ready()
        if params is not None and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown cursor: {params.cursor} (all tools are on one page)")
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        listed: dict[str, Any] = {"tools": self._catalog.tools(modern=modern)}
        return {**listed, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if modern else listed

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        await self._ready()
        try:
            result = await self._calls.call_tool(params.name, params.arguments, _request(ctx))
        except ProtocolError as error:
            raise MCPError(error.code, str(error), error.data) from None
        return {**result, "resultType": "complete"} if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else result

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        ctx.session._connection.state[_LEVEL] = params.level  # noqa: SLF001  (as in audience.py)
        return types.EmptyResult()


_LEVEL = "agenthost/logLevel"


def _request(ctx: Context) -> Request:
    session = ctx.session
    client = session.client_params.client_info.name if session.client_params else None
    capabilities = session.client_capabilities

    async def send_log(level: LogLevel, text: str) -> None:
        lowest = session._connection.state.get(_LEVEL, "info")  # noqa: SLF001  (as in audience.py)
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS and LEVELS.index(level) < LEVELS.index(lowest):
            return
        with warnings.catch_warnings():
            # Logging is deprecated in the protocol, and served as long as clients ask for it.
            warnings.simplefilter("ignore")
            await session.send_log_message(level, text, related_request_id=ctx.request_id)

    return Request(
        caller=Caller(None, client),
        client_capabilities=capabilities.model_dump(by_alias=True, exclude_none=True) if capabilities else {},
        protocol_version=ctx.protocol_version,
        send_progress=session.report_progress if ctx.meta and ctx.meta.get("progress_token") is not None else None,
        send_log=send_log,
    )
