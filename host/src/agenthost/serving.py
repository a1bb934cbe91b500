"""One server process: the assembled plugins, one transport, and an orderly end."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from agenthost.assembly import Assembly, require_start
from agenthost.calls import Calls
from agenthost.catalog import Catalog
from agenthost.ending import LAST_SECONDS, Ending, end_children
from agenthost.errors import OperatorError
from agenthost.findings import Finding
from agenthost.instructions import merge_instructions
from agenthost.last_run import recording
from agenthost.lifespans import Lifespans
from agenthost.server import HostServer
from agenthost.settings import state_root
from agenthost.stdio import StdioTransport
from agenthost.wire import Wire

if TYPE_CHECKING:
    from agenthost.http.transport import Site

log = logging.getLogger("agenthost")

DRAIN = 2.0
"""Seconds that calls in flight get to finish after the client has closed its end."""

CLEAN_UP = 1.5
"""Seconds for leaving all lifespans at the end, within `LAST_SECONDS`."""


Converse = Callable[[HostServer, Lifespans, asyncio.Event], Awaitable[None]]
"""One transport: serves until its clients have left for good or the event is set, and has ended then."""


def serve_stdio(assembly: Assembly, wire: Wire, ending: Ending) -> int:
    """Serve on stdio until the client leaves or a signal comes; returns the exit code.

    Raises:
        OperatorError: what would be served is not what the operator wants.
    """

    async def converse(server: HostServer, _: Lifespans, stop: asyncio.Event) -> None:
        def client_left() -> None:
            ending.within(DRAIN + LAST_SECONDS, ending.code)
            server.audience.close()

        transport = StdioTransport(
            wire,
            max_line_bytes=assembly.settings.max_line_bytes,
            drain_seconds=DRAIN,
            on_input_end=client_left,
            on_client_gone=client_left,
        )
        ending.end_with_client(wire.input, asyncio.get_running_loop(), DRAIN + LAST_SECONDS)

        async def one_client() -> None:
            async with transport.open() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())

        await _until(stop, one_client())

    return _serve(assembly, ending, "stdio", converse)


def serve_http(assembly: Assembly, site: Site, ending: Ending) -> int:
    """Serve over HTTP until a signal comes; returns the exit code.

    Raises:
        OperatorError: what would be served is not what the operator wants.
    """
    from agenthost.http.transport import serve

    return _serve(assembly, ending, site.listening.url, partial(serve, site, assembly.plugins))


def _serve(assembly: Assembly, ending: Ending, where: str, converse: Converse) -> int:
    catalog = Catalog(assembly.plugins)
    findings = [*assembly.findings, *catalog.findings]
    require_start(assembly, findings)
    folder = state_root(assembly.settings, assembly.config.base_dir)
    with recording(folder), asyncio.Runner() as runner:
        _report(assembly, findings, where)
        loop = runner.get_loop()
        serving = loop.create_task(_Serving(assembly, catalog, ending).run(converse))
        while True:
            try:
                loop.run_until_complete(serving)
            except (SystemExit, KeyboardInterrupt, RuntimeError) as error:
                # asyncio lets the first two out of any task that plugin code has started, and raises the third when
                # that code has stopped the loop; the loop can go on.
                if serving.done():
                    raise
                log.error("a plugin tried to end the server with %s, which is ignored", repr(error), exc_info=error)
            else:
                break
    return ending.code


def _report(assembly: Assembly, findings: Sequence[Finding], where: str) -> None:
    """Tell the operator what is served and what is wrong."""
    for finding in findings:
        log.warning("%s", finding)
    served = [plugin.name for plugin in assembly.plugins if plugin.state == "loaded"]
    log.info("serving %s on %s", ", ".join(served) or "no plugin", where)
    if not served and not assembly.selection.names:
        log.warning("no plugin is wanted; name some with --plugins, or install one: pip install agenthost-void")


async def _until(stop: asyncio.Event, conversation: Coroutine[Any, Any, None]) -> None:
    """Until the conversation is over or the event is set, whatever comes first; then it is over."""
    talking = asyncio.create_task(conversation)
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait([talking, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    talking.cancel()
    await asyncio.wait([talking])
    if not talking.cancelled() and (error := talking.exception()) is not None:
        raise error


def make_server(
    assembly: Assembly, catalog: Catalog, on_failure: Callable[[Finding], None]
) -> tuple[HostServer, Lifespans]:
    """The server over a catalog and the lifespans of its plugins, not yet started; `on_failure` hears of failures."""
    settings, plugins = assembly.settings, assembly.plugins
    lifespans = Lifespans(catalog, plugins, settings.start_limit, on_failure)
    server = HostServer(
        catalog,
        Calls(catalog, settings.time_limit),
        merge_instructions([(plugin.name, plugin.instructions) for plugin in plugins if plugin.context]),
        lifespans.ready,
        state_root(settings, assembly.config.base_dir) / "host" / "request-state.key",
    )
    return server, lifespans


class _Serving:
    def __init__(self, assembly: Assembly, catalog: Catalog, ending: Ending) -> None:
        self._assembly = assembly
        self._catalog = catalog
        self._ending = ending

    async def run(self, converse: Converse) -> None:
        self._stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._ending.on_signal(partial(loop.call_soon_threadsafe, self._stop.set))
        server, lifespans = make_server(self._assembly, self._catalog, self._on_failure)
        lifespans.start()
        gc.freeze()
        gc.enable()
        await converse(server, lifespans, self._stop)
        self._ending.within(LAST_SECONDS, self._ending.code)
        await lifespans.stop(CLEAN_UP)
        end_children()

    def _on_failure(self, finding: Finding) -> None:
        log.error("%s", finding)
        if self._assembly.settings.strict and not self._stop.is_set():
            log.error("ending, because of --strict")
            self._ending.within(LAST_SECONDS, OperatorError.exit_code)
            self._stop.set()
