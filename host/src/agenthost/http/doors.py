"""The doors in front of everything on HTTP: host, origin, token, body; nothing behind them sees what they refuse."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from agenthost.http.admission import Admission
from agenthost.http.answers import refusal
from agenthost.http.bodies import MAX_BYTES, BodyTooLarge, whole_body
from agenthost.http.cors import preflight, share
from agenthost.http.tokens import Tokens

log = logging.getLogger("agenthost")

HEALTH = "/healthz"
"""The path that answers without a token, and then tells no more than how it is."""


class Doors:
    """ASGI middleware around all of the application.

    What is behind finds the name of a token in `scope["user"]` and in the SDK's context, which binds
    a session to whom it belongs.
    """

    def __init__(self, app: ASGIApp, admission: Admission, tokens: Tokens | None) -> None:
        self._app = app
        self._admission = admission
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        hosts, origins, shown, lengths = _values(scope, b"host", b"origin", b"authorization", b"content-length")
        if refused := self._refuse_page(hosts, origins):
            await refused(scope, receive, send)
            return
        if origins and self._admission.names_origin(origins[0]):
            send = share(origins[0], send)
            if scope["type"] == "http" and (asked := preflight(scope)):
                await asked(scope, receive, send)
                return
        user = self._authenticate(shown)
        if user is None and self._tokens is not None and scope["path"] != HEALTH:
            await _unauthorized(shown)(scope, receive, send)
            return
        if scope["type"] == "http":
            try:
                receive = await whole_body(lengths, receive)
            except BodyTooLarge:
                await refusal(413, f"the body of a request may have {MAX_BYTES} bytes")(scope, receive, send)
                return
            except ClientDisconnect:
                return
        context = auth_context_var.set(user)
        try:
            await self._app(scope if user is None else {**scope, "user": user}, receive, send)
        finally:
            auth_context_var.reset(context)

    def _refuse_page(self, hosts: list[str], origins: list[str]) -> Response | None:
        if len(hosts) != 1 or not self._admission.allows_host(hosts[0]):
            shown = ", ".join(hosts)[:200]
            log.warning("refused a request for the host %r; if it is this server: --allow-host", shown)
            return refusal(421, f"this server is not known as {shown!r}; its operator can add --allow-host HOST")
        if not all(self._admission.allows_origin(origin) for origin in origins):
            shown = ", ".join(origins)[:200]
            log.warning("refused a request from the web page of %r; if it may ask: --allow-origin", shown)
            return refusal(403, f"pages of {shown!r} may not use this server; its operator can add --allow-origin")
        return None

    def _authenticate(self, shown: list[str]) -> AuthenticatedUser | None:
        if self._tokens is None or len(shown) != 1:
            return None
        name = self._tokens.name_of(shown[0])
        return (
            None if name is None else AuthenticatedUser(AccessToken(token="", client_id=name, subject=name, scopes=[]))
        )


def _values(scope: Scope, *names: bytes) -> Iterable[list[str]]:
    """The values of each of these headers, named in lower case; quicker than making an object of all headers."""
    found: dict[bytes, list[str]] = {name: [] for name in names}
    for name, value in scope["headers"]:
        if name in found:
            found[name].append(value.decode("latin-1"))
    return found.values()


def _unauthorized(shown: list[str]) -> Response:
    if shown:
        challenge, text = 'Bearer realm="agenthost", error="invalid_token"', "this token is not known here"
    else:
        challenge, text = 'Bearer realm="agenthost"', "send a token: Authorization: Bearer TOKEN"
    return refusal(401, text, {"WWW-Authenticate": challenge})
