"""What a browser needs to hear before it lets a page of another origin read an answer."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import Message, Scope, Send

EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate"
"""Headers of an answer that such a page may read."""

REMEMBER_SECONDS = 3600
"""How long a browser need not ask again before a request."""


def share(origin: str, send: Send) -> Send:
    """A `send` whose answers the pages of `origin` may read."""

    async def send_shared(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = EXPOSED
            headers.add_vary_header("Origin")
        await send(message)

    return send_shared


def preflight(scope: Scope) -> Response | None:
    """The answer to a browser that asks whether a page may send a request; None if it does not ask."""
    headers = Headers(scope=scope)
    if scope["method"] != "OPTIONS" or "access-control-request-method" not in headers:
        return None
    allowed = {
        "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
        "Access-Control-Allow-Headers": headers.get("access-control-request-headers", ""),
        "Access-Control-Max-Age": str(REMEMBER_SECONDS),
    }
    return Response(status_code=204, headers=allowed)
