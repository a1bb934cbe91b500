"""One server process: the assembled plugins, one transport, and an orderly end."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

from agenthost.assembly import Assembly, require_start
from agenthost.calls import Calls
from agenthost.catalog import Catalog
from agenthost.ending import LAST_SECONDS, Ending, end_children
from agenthost.errors import OperatorError
from agenthost.findings import Finding
from agenthost.instructions import merge_instructions
from agenthost.lifespans import Lifespans
from agenthost.server import HostServer
from agenthost.stdio import StdioTransport
from agenthost.wire import Wire

log = logging.getLogger("agenthost")

DRAIN = 2.0
"""Seconds that calls in flight get to finish after the client has closed its end."""

CLEAN_UP = 1.5
"""Seconds for leaving all lifespans at the end, within `LAST_SECONDS`."""


def serve_stdio(assembly: Assembly, wire: Wire, ending: Ending) -> int:
    """Serve on stdio until the client leaves or a signal comes; returns the exit code.

    Raises:
        OperatorError: what would be served is not what the operator wants.
    """
    catalog = Catalog(assembly.plugins)
    findings = [*assembly.findings, *catalog.findings]
    require_start(assembly, findings)
    report(assembly, findings)
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        serving = loop.create_task(_Serving(assembly, catalog, ending).run(wire))
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


def report(assembly: Assembly, findings: Sequence[Finding]) -> None:
    """Tell the operator what is served and what is wrong."""
    for finding in findings:
        log.warning("%s", finding)
    served = [plugin.name for plugin in assembly.plugins if plugin.state == "loaded"]
    log.info("serving %s on stdio", ", ".join(served) or "no plugin")
    if not served and not assembly.selection.names:
        log.warning("no plugin is wanted; name some with --plugins, or install one: pip install agenthost-void")


class _Serving:
    def __init__(self, assembly: Assembly, catalog: Catalog, ending: Ending) -> None:
        self._assembly = assembly
        self._catalog = catalog
        self._ending = ending

    async def run(self, wire: Wire) -> None:
        settings, plugins = self._assembly.settings, self._assembly.plugins
        self._stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._ending.on_signal(partial(loop.call_soon_threadsafe, self._stop.set))
        lifespans = Lifespans(self._catalog, plugins, settings.start_limit, self._on_failure)
        server = HostServer(
            self._catalog,
            Calls(self._catalog, settings.time_limit),
            merge_instructions([(plugin.name, plugin.instructions) for plugin in plugins if plugin.context]),
            lifespans.ready,
        )
        transport = StdioTransport(
            wire,
            max_line_bytes=settings.max_line_bytes,
            drain_seconds=DRAIN,
            on_input_end=lambda: self._client_left(server),
            on_client_gone=lambda: self._client_left(server),
        )
        self._ending.end_with_client(wire.input, loop, DRAIN + LAST_SECONDS)
        lifespans.start()
        gc.freeze()
        gc.enable()
        await self._converse(server, transport.open())
        self._ending.within(LAST_SECONDS, self._ending.code)
        await lifespans.stop(CLEAN_UP)
        end_children()

    async def _converse(self, server: HostServer, opened: AbstractAsyncContextManager[tuple[Any, Any]]) -> None:
        """Until the conversation is over or the stop event is set, whatever comes first."""

        async def converse() -> None:
            async with opened as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())

        conversation = asyncio.create_task(converse())
        stopped = asyncio.create_task(self._stop.wait())
        await asyncio.wait([conversation, stopped], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        conversation.cancel()
        await asyncio.wait([conversation])
        if not conversation.cancelled() and (error := conversation.exception()) is not None:
            raise error

    def _client_left(self, server: HostServer) -> None:
        if not self._stop.is_set():
            self._ending.within(DRAIN + LAST_SECONDS, self._ending.code)
        server.audience.close()

    def _on_failure(self, finding: Finding) -> None:
        log.error("%s", finding)
        if self._assembly.settings.strict and not self._stop.is_set():
            log.error("ending, because of --strict")
            self._ending.within(LAST_SECONDS, OperatorError.exit_code)
            self._stop.set()
