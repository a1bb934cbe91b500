"""The bridge for clients of the handshake era: what a call asks for becomes live requests to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from pydantic import ValidationError

from agenthost.calls import Asked, answer, with_identity
from agenthost.errors import ToolError
from agenthost.inputs import Answer, Inputs

_KINDS: Mapping[str, tuple[type[types.ServerRequest], type[types.Result]]] = {
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResult),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}
"""How each request is sent, and what answers it."""


async def ask(ctx: ServerRequestContext[Any, Any], wanted: Asked) -> Inputs:
    """Ask the client of a running call, one thing after the other, since a person reads one at a time.

    Raises:
        ToolError: it cannot be asked, or answers with an error or with nonsense.
    """
    return Inputs({key: await _ask(ctx, key, request) for key, request in wanted.requests.items()})


async def _ask(ctx: ServerRequestContext[Any, Any], key: str, request: Mapping[str, Any]) -> Answer:
    kind, answered = _KINDS[request["method"]]
    sent = kind.model_validate(with_identity(request))
    try:
        result = await ctx.session.send_request(
            sent,
            answered,
            # Beside the call; on the connection's own stream it is lost if the client has not opened that.
            metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
        )
    except NoBackChannelError:
        raise ToolError(
            f"This call asks its client for more ({request['method']}), which this connection cannot carry. "
            "Connect over stdio, or over HTTP with event streams."
        ) from None
    except MCPError as error:
        raise ToolError(
            f"The client answered {request['method']} ({key}) with an error: {error.error.message} "
            f"(code {error.error.code}). Ask the user whether to try again."
        ) from None
    except ValidationError:
        raise ToolError(
            f"What the client answered to {request['method']} ({key}) is not what the protocol says. "
            "Do without this tool, or have the user take another client."
        ) from None
    return answer(key, result.model_dump(by_alias=True, mode="json", exclude_none=True))
