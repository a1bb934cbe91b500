"""The doors in front of everything on HTTP: host, origin, size; nothing behind them sees what they refuse."""

from __future__ import annotations

import logging

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from agenthost.http.admission import Admission
from agenthost.http.answers import refusal

log = logging.getLogger("agenthost")


class Doors:
    """ASGI middleware around all of the application."""

    def __init__(self, app: ASGIApp, admission: Admission) -> None:
        self._app = app
        self._admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        refused = self._refuse(Headers(scope=scope))
        await (self._app if refused is None else refused)(scope, receive, send)

    def _refuse(self, headers: Headers) -> Response | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._admission.allows_host(hosts[0]):
            shown = ", ".join(hosts)[:200]
            log.warning("refused a request for the host %r; if it is this server: --allow-host", shown)
            return refusal(421, f"this server is not known as {shown!r}; its operator can add --allow-host HOST")
        origins = headers.getlist("origin")
        if not all(self._admission.allows_origin(origin) for origin in origins):
            shown = ", ".join(origins)[:200]
            log.warning("refused a request from the web page of %r; if it may ask: --allow-origin", shown)
            return refusal(403, f"pages of {shown!r} may not use this server; its operator can add --allow-origin")
        return None
