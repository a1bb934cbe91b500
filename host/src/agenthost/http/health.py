"""`/healthz`: how the server is, for whoever watches it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from agenthost.http.answers import answer
from agenthost.lifespans import Lifespans
from agenthost.plugins import Plugin


class Health:
    """Answers with 200 when every wanted plugin is served, else with 503 and what is wrong."""

    def __init__(self, plugins: Sequence[Plugin], lifespans: Lifespans, *, protected: bool) -> None:
        """`protected`: clients have tokens, and without one nothing is told about plugins."""
        self._plugins = plugins
        self._lifespans = lifespans
        self._protected = protected

    async def answer(self, request: Request) -> Response:
        """The endpoint."""
        trouble = [
            {"plugin": plugin.name, "state": plugin.state, "reason": plugin.reason}
            for plugin in self._plugins
            if plugin.reason is not None
        ]
        starting = sorted(self._lifespans.starting)
        status = "trouble" if trouble else "starting" if starting else "ok"
        served = [plugin.name for plugin in self._plugins if plugin.reason is None and plugin.name not in starting]
        told = {"served": served, "starting": starting, "trouble": trouble}
        hidden = self._protected and "user" not in request.scope
        return answer(200 if status == "ok" else 503, {"status": status} | ({} if hidden else told))
