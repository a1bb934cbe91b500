"""What is at which path."""

from __future__ import annotations

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from agenthost.http.answers import refusal

ENDPOINT = "/mcp"
"""The path of the protocol."""


def make_app(manager: StreamableHTTPSessionManager) -> Router:
    """The application behind the doors."""
    return Router([Route(ENDPOINT, StreamableHTTPASGIApp(manager))], redirect_slashes=False, default=_nothing_here)


async def _nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    answer: Response
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1000})
        return
    path = Request(scope).url.path
    answer = refusal(404, f"there is nothing at {path[:200]}; the MCP endpoint is {ENDPOINT}")
    await answer(scope, receive, send)
