"""The SDK's sessions, of which each message reaches its client, whatever text is in it."""

from __future__ import annotations

import re
from typing import Any

from mcp import MCPError
from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
from mcp.server.streamable_http import EventMessage, StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import JSONRPCError, JSONRPCResponse
from starlette.types import Message, Send

from agenthost.messages import encode
from agenthost.server import HostServer

# Escapes in JSON text, longest first: an escaped backslash, a pair of surrogates, a surrogate that stands alone.
_ESCAPES = re.compile(rb"\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(?P<alone>\\ud[89a-f][0-9a-f]{2})")


class Sessions(StreamableHTTPSessionManager):
    """Handshake era: the SDK gives up on a message with half a character in it, and its stream ends empty.

    Host, origin and size are checked at the doors, before the SDK would do it again.
    """

    def __init__(self, server: HostServer) -> None:
        super().__init__(server, security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False))
        # Without its own wait for the whole body.
        self.asgi_app = self._handle_request  # type: ignore[assignment]

    def _admit_session(self, requestor: AuthorizationContext | None) -> StreamableHTTPServerTransport | None:
        # Private, and pinned by the tests about half a character: a transport has no other place where it writes.
        transport = super()._admit_session(requestor)
        if transport is not None:
            transport._create_event_data = _event  # type: ignore[assignment]  # noqa: SLF001
        return transport


def _event(event: EventMessage) -> dict[str, Any]:
    try:
        data = encode(event.message)
    except MCPError as error:
        if not isinstance(event.message, JSONRPCResponse | JSONRPCError):
            raise
        data = encode(JSONRPCError(jsonrpc="2.0", id=event.message.id, error=error.error))
    known = {} if event.event_id is None else {"id": event.event_id}
    return {"event": "message", "data": data.decode(), **known}


def mend(send: Send) -> Send:
    """Modern era: a `send` that replaces surrogates that stand alone, which many parsers of JSON refuse."""

    async def send_mended(message: Message) -> None:
        body = message.get("body", b"")
        if b"\\ud" in body:
            message = {**message, "body": _ESCAPES.sub(lambda found: rb"\ufffd" if found["alone"] else found[0], body)}
        await send(message)

    return send_mended
