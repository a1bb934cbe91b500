"""In front of the SDK at the endpoint: what it would misread, or answer with nothing, is answered here."""

from __future__ import annotations

from functools import lru_cache

from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, check_accept_headers
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError, JSONRPCMessage, JSONRPCRequest, RequestId
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic_core import from_json, to_json
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from agenthost.http.bodies import replay
from agenthost.http.sessions import mend
from agenthost.messages import Refusal, as_message, parse_leniently

FORM = "one JSON object, alone in the body of a POST"

NO_SESSION = (
    f"there is no session yet: begin with the method initialize and send the {MCP_SESSION_ID_HEADER} of its answer; "
    f"a client of {MODERN_PROTOCOL_VERSIONS[-1]}, which needs none, sends {MCP_PROTOCOL_VERSION_HEADER}"
)


class Endpoint:
    """ASGI middleware around the SDK's application.

    The SDK answers wrong headers of one era with an empty body, tells the validator's own text about a wrong body,
    takes a request without a usable id for a notification, which nobody answers, and makes a session for everything
    that has none.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is no message, and hand on the others."""
        headers = Headers(scope=scope)
        version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
        modern = version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS
        refused = _refuse_headers(scope["method"], headers, modern=modern)
        if refused is None and scope["method"] == "POST":
            try:
                # The doors have waited for all of it.
                message, body = _read((await receive())["body"])
            except Refusal as refusal:
                refused = _error(400, refusal.error)
            else:
                receive = replay({"type": "http.request", "body": body, "more_body": False}, receive)
                if not modern and MCP_SESSION_ID_HEADER not in headers:
                    refused = _refuse_stranger(message)
        await (self._app if refused is None else refused)(scope, receive, mend(send) if modern else send)


def _refuse_headers(method: str, headers: Headers, *, modern: bool) -> Response | None:
    methods = ("POST",) if modern else ("GET", "POST", "DELETE")
    if method not in methods:
        allowed = ", ".join(methods)
        return _refusal(405, f"there is no {method} here; send {allowed}", {"Allow": allowed})
    has_json, has_sse = _accepted(headers.get("accept", ""))
    if method == "GET" and not has_sse:
        return _refusal(406, "a GET opens a stream of events; send Accept: text/event-stream")
    if method != "POST":
        return None if MCP_SESSION_ID_HEADER in headers else _refusal(400, NO_SESSION)
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return _refusal(415, "a message is sent as JSON; send Content-Type: application/json")
    if not (has_json and has_sse):
        return _refusal(406, "the answer may be either; send Accept: application/json, text/event-stream")
    return None


@lru_cache(maxsize=64)
def _accepted(header: str) -> tuple[bool, bool]:
    """Whether an Accept header takes JSON, and a stream of events; as the SDK reads it, once for all its requests."""
    return check_accept_headers(Request({"type": "http", "headers": [(b"accept", header.encode("latin-1"))]}))


def _refuse_stranger(message: JSONRPCMessage) -> Response | None:
    """Handshake era: who has no session can only ask for one."""
    if not isinstance(message, JSONRPCRequest):
        return _refusal(400, NO_SESSION)
    return None if message.method == "initialize" else _refusal(400, NO_SESSION, request_id=message.id)


def _read(body: bytes) -> tuple[JSONRPCMessage, bytes]:
    """The message in the body of a POST, and the body in a form that the SDK reads as it is meant.

    Raises:
        Refusal: it is no message.
    """
    try:
        value = from_json(body, allow_inf_nan=False)
    except ValueError:
        value = parse_leniently(body, FORM)
        body = to_json(value)
    return as_message(value, FORM), body


def _refusal(
    status: int, text: str, headers: dict[str, str] | None = None, request_id: RequestId | None = None
) -> Response:
    error = JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=INVALID_REQUEST, message=text))
    return _error(status, error, headers)


def _error(status: int, error: JSONRPCError, headers: dict[str, str] | None = None) -> Response:
    content = error.model_dump_json(by_alias=True, exclude_unset=True)
    return Response(content, status, headers, "application/json")
