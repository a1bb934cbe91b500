"""Runs the web server: from the listening socket to the last answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from agenthost.http.address import Listening
from agenthost.http.admission import Admission
from agenthost.http.app import make_app
from agenthost.http.doors import Doors
from agenthost.http.requests import Requests
from agenthost.server import HostServer

KEEP_ALIVE = 75
"""Seconds that an unused connection stays open; longer than clients keep theirs, so that they close first."""


class _WebServer(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone: `agenthost.ending` hears them."""
        yield


async def serve(listening: Listening, admission: Admission, server: HostServer, stop: asyncio.Event) -> None:
    """Serve until `stop` is set; then everything in flight is ended, and answered."""
    manager = StreamableHTTPSessionManager(server)
    requests = Requests(Doors(make_app(manager), admission))
    config = uvicorn.Config(
        requests,
        http="h11",
        interface="asgi3",
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
        running = asyncio.create_task(web.serve([listening.socket]), name="web server")
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait([running, stopped], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        server.audience.close()
        await requests.end()
        web.should_exit = True
        await running
