"""What the host knows of a request: out of the SDK's context, for the calls."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from agenthost.bridge import ask
from agenthost.calls import Request, answers
from agenthost.context import LOG_LEVELS, Caller, LogLevel
from agenthost.inputs import Inputs

Context = ServerRequestContext[Any, Any]

_LEVEL = "agenthost/logLevel"
_CAPABILITIES = "agenthost/clientCapabilities"


def is_modern(ctx: Context) -> bool:
    """Whether the client speaks a revision without handshake."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def _capabilities(ctx: Context) -> Mapping[str, Any]:
    """What the client declared, as in the protocol: with this request, or at the handshake."""
    if is_modern(ctx):
        declared = (ctx.params or {}).get("_meta", {}).get(types.CLIENT_CAPABILITIES_META_KEY)
        return declared if ctx.session.client_capabilities is not None else {}
    state = ctx.session._connection.state  # noqa: SLF001  (as in audience.py)
    if _CAPABILITIES not in state:
        known = ctx.session.client_capabilities
        state[_CAPABILITIES] = known.model_dump(by_alias=True, exclude_none=True) if known else {}
    return state[_CAPABILITIES]  # type: ignore[no-any-return]


def set_log_level(ctx: Context, level: LogLevel) -> None:
    """Handshake era: from now on this session wants log messages of that level and above."""
    ctx.session._connection.state[_LEVEL] = level  # noqa: SLF001  (as in audience.py)


def request_of(ctx: Context, params: types.RequestParams | None) -> Request:
    """What plugin code and the host's calls need to know of a request; `params` are for the answers in them.

    Raises:
        InvalidParams: the answers that came with it cannot be read.
    """
    session = ctx.session
    token = get_access_token()
    client = session.client_params.client_info.name if session.client_params else None

    async def send_log(level: LogLevel, text: str) -> None:
        lowest = session._connection.state.get(_LEVEL, "info")  # noqa: SLF001  (as in audience.py)
        if not is_modern(ctx) and LOG_LEVELS.index(level) < LOG_LEVELS.index(lowest):
            return
        with warnings.catch_warnings():
            # Logging is deprecated in the protocol, and served as long as clients ask for it.
            warnings.simplefilter("ignore")
            await session.send_log_message(level, text, related_request_id=ctx.request_id)

    inputs, state = Inputs(), None
    if isinstance(params, types.InputResponseRequestParams) and is_modern(ctx):
        given = params.input_responses or {}
        inputs = answers(
            {key: value.model_dump(by_alias=True, mode="json", exclude_none=True) for key, value in given.items()}
        )
        state = params.request_state
    return Request(
        caller=Caller(token.subject if token else None, client),
        client_capabilities=_capabilities(ctx),
        protocol_version=ctx.protocol_version,
        send_progress=session.report_progress if ctx.meta and ctx.meta.get("progress_token") is not None else None,
        send_log=send_log,
        inputs=inputs,
        input_state=state,
        ask=None if is_modern(ctx) else partial(ask, ctx),
    )
