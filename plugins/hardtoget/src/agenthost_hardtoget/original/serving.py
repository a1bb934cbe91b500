"""The routes of the original's API for the host, and their end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from agenthost import PluginContext

from agenthost_hardtoget.games import Games
from agenthost_hardtoget.settings import Settings

if TYPE_CHECKING:
    from starlette.routing import BaseRoute
    from starlette.types import Receive, Scope, Send

    from agenthost_hardtoget.original.sockets import Sockets

INSTALL = "pip install 'agenthost-hardtoget[socketio]'"

_open: WeakKeyDictionary[PluginContext[Settings], Sockets] = WeakKeyDictionary()
"""The Socket.IO server of each plugin context that has one: made with the routes, closed with the plugin's lifespan."""


def make_routes(plugin: PluginContext[Settings]) -> list[BaseRoute]:
    """The four endpoints, and `/socket.io/`."""
    from starlette.routing import Mount

    from agenthost_hardtoget.original.endpoints import make_endpoints

    games = Games(plugin)
    try:
        from agenthost_hardtoget.original.sockets import Sockets
    except ImportError:
        return [*make_endpoints(games), Mount("/socket.io", _not_installed)]
    sockets = Sockets(games, plugin.log)
    _open[plugin] = sockets
    return [*make_endpoints(games), Mount("/socket.io", sockets)]


@asynccontextmanager
async def closing(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    """While the block runs, clients can be told of events; afterwards they are not any more."""
    try:
        yield
    finally:
        sockets = _open.pop(plugin, None)
        if sockets is not None:
            await sockets.close()


async def _not_installed(scope: Scope, receive: Receive, send: Send) -> None:
    from starlette.responses import JSONResponse

    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1011, "reason": f"the server lacks a package: {INSTALL}"})
        return
    text = f"Socket.IO is not installed here; the server's operator can add it: {INSTALL}"
    await JSONResponse({"error": text}, 501)(scope, receive, send)
