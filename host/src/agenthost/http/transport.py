"""Runs the web server: from the listening socket to the last answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp

from agenthost.http.address import Listening
from agenthost.http.admission import Admission
from agenthost.http.app import make_app
from agenthost.http.bodies import MAX_BYTES
from agenthost.http.connection import Connection
from agenthost.http.doors import Doors
from agenthost.http.endpoint import Endpoint
from agenthost.http.health import Health
from agenthost.http.metrics import Metrics
from agenthost.http.requests import Requests
from agenthost.http.sessions import Sessions
from agenthost.http.tokens import Tokens
from agenthost.lifespans import Lifespans
from agenthost.plugins import Plugin
from agenthost.server import HostServer

KEEP_ALIVE = 75
"""Seconds that an unused connection stays open; longer than clients keep theirs, so that they close first."""

SESSIONS_SECONDS = 1.2
"""What ending the sessions may take; it leaves enough of the 2 s for the plugins' clean-up."""


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
    sessions = Sessions(server)
    health = Health(plugins, lifespans, protected=site.tokens is not None)
    metrics = Metrics(server.meter, plugins)
    endpoint = Endpoint(StreamableHTTPASGIApp(sessions))
    app = make_app(endpoint, plugins, lifespans, health, metrics, at_root=site.at_root)
    requests = Requests(Doors(app, site.admission, site.tokens))
    config = uvicorn.Config(
        requests,
        http=Connection,
        interface="asgi3",
        ws="websockets-sansio" if find_spec("websockets") else "none",
        ws_max_size=MAX_BYTES,
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
    )
    web = _WebServer(config)
    opened, ended = asyncio.Event(), asyncio.Event()
    holding = asyncio.create_task(_hold(sessions, opened, ended), name="sessions")
    await opened.wait()
    running = asyncio.create_task(web.serve([site.listening.socket]), name="web server")
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait([running, holding, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    server.audience.close()
    await requests.farewell()
    # The sessions at the same time as the requests: a call that does not react keeps its session for a second.
    ended.set()
    await requests.end()
    await asyncio.wait([holding], timeout=SESSIONS_SECONDS)
    # Not uvicorn's own shutdown, which looks every 0.1 s whether it is over, and waits for what hangs.
    for accepting in web.servers:
        accepting.close()
    for connection in list(web.server_state.connections):
        connection.shutdown()
    for task in (running, holding):
        if task.done():
            task.result()
        else:
            task.cancel()


async def _hold(sessions: Sessions, opened: asyncio.Event, ended: asyncio.Event) -> None:
    async with sessions.run():
        opened.set()
        await ended.wait()
