"""What is at which path."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from agenthost.calls.watch import LoopWatch
from agenthost.http.answers import refusal
from agenthost.http.doors import HEALTH
from agenthost.http.health import Health
from agenthost.http.metrics import Metrics
from agenthost.http.routes import PluginRoutes
from agenthost.lifespans import Lifespans
from agenthost.plugins import Plugin

ENDPOINT = "/mcp"
"""The path of the protocol."""


def make_app(
    endpoint: ASGIApp,
    plugins: Sequence[Plugin],
    lifespans: Lifespans,
    health: Health,
    metrics: Metrics,
    *,
    at_root: bool,
) -> ASGIApp:
    """The application behind the doors.

    Args:
        endpoint: what speaks the protocol.
        plugins: those that were asked for; the routes of each are below its name.
        lifespans: who of them is up.
        health: how the server is.
        metrics: what was called.
        at_root: every other path goes to the routes of the only plugin.
    """
    watch = LoopWatch()
    routes: list[BaseRoute] = [Route(HEALTH, health.answer), Route("/metrics", metrics.answer)]
    mounted = {plugin.name: PluginRoutes(plugin, lifespans, watch) for plugin in plugins}
    routes += [Mount(f"/{name}", app) for name, app in mounted.items()]
    if at_root:
        routes += [Mount("", app) for app in mounted.values()]
    router = Router(routes, default=_nothing_here)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        # Both, since a redirection of a POST is something that not every client follows.
        at_endpoint = scope["path"] in (ENDPOINT, f"{ENDPOINT}/") and scope["type"] == "http"
        await (endpoint if at_endpoint else router)(scope, receive, send)

    return app


async def _nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    text = f"there is nothing at {scope['path'][:200]}; the MCP endpoint is {ENDPOINT}"
    await refusal(404, text)(scope, receive, send)
