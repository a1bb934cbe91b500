"""Runs the web server: from the listening socket to the last answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager

from agenthost.http.address import Listening
from agenthost.http.admission import Admission
from agenthost.http.app import make_app
from agenthost.http.bodies import MAX_BYTES
from agenthost.http.doors import Doors
from agenthost.http.health import Health
from agenthost.http.requests import Requests
from agenthost.http.tokens import Tokens
from agenthost.lifespans import Lifespans
from agenthost.plugins import Plugin
from agenthost.server import HostServer

KEEP_ALIVE = 75
"""Seconds that an unused connection stays open; longer than clients keep theirs, so that they close first."""


class _WebServer(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone: `agenthost.ending` hears them."""
        yield


@dataclass(frozen=True)
class Site:
    """Where the server is reached, and by whom.

    Attributes:
        listening: the socket.
        admission: the hosts and the web pages that are let in.
        tokens: the clients that are let in; None lets in all.
        at_root: the only plugin's routes are at `/` too.
    """

    listening: Listening
    admission: Admission
    tokens: Tokens | None
    at_root: bool = False


async def serve(
    site: Site, plugins: Sequence[Plugin], server: HostServer, lifespans: Lifespans, stop: asyncio.Event
) -> None:
    """Serve until `stop` is set; then everything in flight is ended, and answered."""
    manager = StreamableHTTPSessionManager(server, max_request_body_size=MAX_BYTES)
    health = Health(plugins, lifespans, protected=site.tokens is not None)
    app = make_app(StreamableHTTPASGIApp(manager), plugins, lifespans, health, at_root=site.at_root)
    requests = Requests(Doors(app, site.admission, site.tokens))
    config = uvicorn.Config(
        requests,
        http="h11",
        interface="asgi3",
        ws="websockets-sansio" if find_spec("websockets") else "none",
        ws_max_size=MAX_BYTES,
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=1,
    )
    web = _WebServer(config)
    async with manager.run():
        running = asyncio.create_task(web.serve([site.listening.socket]), name="web server")
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait([running, stopped], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        server.audience.close()
        await requests.end()
        web.should_exit = True
        await running
