"""The routes of one plugin, and what stands between them and everybody else."""

from __future__ import annotations

import asyncio

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agenthost.calls.watch import LoopWatch
from agenthost.http.answers import refusal
from agenthost.http.requests import Reply
from agenthost.lifespans import Lifespans
from agenthost.plugins import Plugin


class PluginRoutes:
    """An ASGI application out of the routes of a plugin, served as long as the plugin is."""

    def __init__(self, plugin: Plugin, lifespans: Lifespans, watch: LoopWatch) -> None:
        self._plugin = plugin
        self._lifespans = lifespans
        self._watch = watch
        self._app = _Application(routes=plugin.routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; what plugin code raises ends no other."""
        plugin = self._plugin
        await self._lifespans.ready()
        if plugin.reason is not None:
            await refusal(503, f"plugin {plugin.name} is not served")(scope, receive, send)
            return
        if plugin.name in self._lifespans.starting:
            await refusal(503, f"plugin {plugin.name} is starting", {"Retry-After": "1"})(scope, receive, send)
            return

        async def send_and_let_others_in(message: Message) -> None:
            await send(message)
            await asyncio.sleep(0)  # once the client has left, `send` returns at once, for ever

        reply = Reply(scope, send_and_let_others_in)
        what = f"{scope.get('method', 'websocket')} {scope['path']}"
        try:
            await self._watch.run(f"{plugin.name}: {what}", self._app(scope, receive, reply.send))
        except BaseException as error:  # a SystemExit, or a cancellation that leaked, is its failure too
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            await reply.fail(plugin.loaded.log, what, error)


class _Application(Starlette):
    """Starlette's own would answer crashes in plain text, and raise them again."""

    def build_middleware_stack(self) -> ASGIApp:
        return ExceptionMiddleware(self.router, handlers={HTTPException: _explain})


def _explain(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, error.detail, error.headers)
