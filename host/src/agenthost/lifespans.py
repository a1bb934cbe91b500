"""Starting and ending plugins: every lifespan in a task of its own, all at once, within a limit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, nullcontext

from agenthost.catalog import Catalog
from agenthost.findings import Finding
from agenthost.plugins import Plugin, explain_failure

log = logging.getLogger("agenthost")

PATIENCE = 4.0
"""Seconds after opening for which lists and calls wait for slow plugins; some clients give up on a list after 5 s."""


@asynccontextmanager
async def open_storage(plugin: Plugin) -> AsyncIterator[None]:
    """The plugin's store, open while the block runs; nothing if it has none."""
    if plugin.schema is None:
        yield
        return
    store = plugin.loaded.store
    await store.open(plugin.schema)
    try:
        yield
    finally:
        await store.close()


class Lifespans:
    """Brings the plugins of a catalog up and down; what is up is shown in the catalog."""

    def __init__(
        self, catalog: Catalog, plugins: Sequence[Plugin], limit: float, on_failure: Callable[[Finding], None]
    ) -> None:
        """`limit`: seconds for entering one lifespan. `on_failure` is told about each that fails."""
        self._catalog = catalog
        self._plugins = [plugin for plugin in plugins if plugin.context is not None]
        self._limit = limit
        self._on_failure = on_failure
        self._stop = asyncio.Event()
        self._settled = asyncio.Event()
        self._starting: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._patience_ends = 0.0

    @property
    def starting(self) -> Collection[str]:
        """The names of the plugins that have neither started nor failed."""
        return self._starting

    def start(self) -> None:
        """Show the plugins that have no lifespan, and begin to enter the others."""
        self._patience_ends = asyncio.get_running_loop().time() + PATIENCE
        slow = [plugin for plugin in self._plugins if plugin.lifespan is not None or plugin.schema is not None]
        self._starting = {plugin.name for plugin in slow}
        for plugin in self._plugins:
            if plugin not in slow:
                self._catalog.show(plugin, tell=False)
        self._tasks = [asyncio.create_task(self._live(plugin), name=f"lifespan {plugin.name}") for plugin in slow]
        self._settle()

    async def ready(self) -> None:
        """Wait until every plugin has started or failed, or the patience has run out."""
        if self._settled.is_set():
            return
        left = self._patience_ends - asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(max(left, 0)):
                await self._settled.wait()
        except TimeoutError:
            log.debug("answering before %s started", ", ".join(sorted(self._starting)))

    async def stop(self, limit: float) -> None:
        """Leave all lifespans; those that take longer than `limit` seconds are cancelled."""
        self._stop.set()
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=limit)
        for task in late:
            log.warning("%s did not end within %g s and was cancelled", task.get_name(), limit)
            task.cancel()

    def _settle(self, plugin: Plugin | None = None) -> None:
        if plugin is not None:
            self._starting.discard(plugin.name)
        if not self._starting:
            self._settled.set()

    async def _live(self, plugin: Plugin) -> None:
        stage = "opening its storage or entering its lifespan"
        clock = asyncio.timeout(self._limit)
        try:
            async with clock, open_storage(plugin), plugin.lifespan or nullcontext():
                clock.reschedule(None)
                stage = "its lifespan"
                # Nobody has a list yet while lists wait for this, and a notice without a change costs clients.
                self._catalog.show(plugin, tell=asyncio.get_running_loop().time() >= self._patience_ends)
                self._settle(plugin)
                await self._stop.wait()
                stage = "leaving its lifespan"
        except BaseException as error:  # noqa: BLE001  (SystemExit and leaked cancellations stay this plugin's failure)
            self._fail(plugin, stage, error, timed_out=clock.expired())
        else:
            if not self._stop.is_set():
                self._fail(plugin, stage, RuntimeError("it ended by itself"), timed_out=False)
        finally:
            self._settle(plugin)

    def _fail(self, plugin: Plugin, stage: str, error: BaseException, *, timed_out: bool) -> None:
        if timed_out:
            reason = f"{stage} took longer than {self._limit:g} s (setting host.start_limit)"
        else:
            reason = explain_failure(stage, error)
        self._catalog.drop(plugin)
        self._on_failure(plugin.fail(reason))
