"""Keeps what is served in step with the files: watched where that works, looked at now and then in any case."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agenthost import PluginContext

from agenthost_skillcentral.file_watch import FileWatch
from agenthost_skillcentral.publishing import catch_up, report
from agenthost_skillcentral.service import Service, service_of
from agenthost_skillcentral.settings import Settings
from agenthost_skillcentral.writing.recovery import describe, find_leftovers

POLL = 0.25
"""Seconds between two looks at the files where they cannot be watched."""

SAFETY_NET = 5.0
"""Seconds between two looks where they can: on some file systems the changes of others make no sound."""

POLL_SHARE, NET_SHARE = 20, 100
"""A look that takes long is repeated only after so many times its duration: looking takes 5 % of the time, or 1 %."""


@asynccontextmanager
async def watching(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    """Serve every change of the files while the block runs."""
    service = service_of(plugin)
    report(plugin.log, None, service.snapshot)
    await asyncio.to_thread(_tell_leftovers, plugin, service)
    keeper = Keeper(plugin, service)
    await keeper.start()
    task = asyncio.create_task(keeper.run(), name="skillcentral keeps in step")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await asyncio.to_thread(keeper.stop)


def _tell_leftovers(plugin: PluginContext[Settings], service: Service) -> None:
    """Say what became of files whose writers were ended, and take away what those left, if this server may write."""
    for leftover in find_leftovers(service.snapshot, clean=plugin.settings.writable):
        plugin.log.warning("%s", describe(leftover))


class Keeper:
    """Reads again what has changed, and publishes it."""

    def __init__(self, plugin: PluginContext[Settings], service: Service) -> None:
        """Create it on the event loop."""
        self._plugin = plugin
        self._service = service
        self._watch = FileWatch(plugin.log, asyncio.get_running_loop())
        self._look_took = 0.0
        self._trouble: str | None = None

    async def start(self) -> None:
        """Begin to watch, and serve what has changed since the files were read."""
        await asyncio.to_thread(self._cover)
        await self._look(None)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._look(await self._watch.wait(self._pause()))

    def stop(self) -> None:
        """Watch nothing any more."""
        self._watch.close()

    async def _look(self, changed: set[Path] | None) -> None:
        """Serve what has changed, None being anything; again if it may have changed before it was watched."""
        await asyncio.to_thread(self._refresh, changed)
        while await asyncio.to_thread(self._cover):
            await asyncio.to_thread(self._refresh, None)

    def _pause(self) -> float:
        if self._watch.works:
            return max(SAFETY_NET, NET_SHARE * self._look_took)
        return max(POLL, POLL_SHARE * self._look_took)

    def _cover(self) -> bool:
        snapshot = self._service.snapshot
        return self._watch.cover(snapshot.watched, (snapshot.project_root, Path.home()))

    def _refresh(self, changed: set[Path] | None) -> None:
        """Read what has changed, None being anything; in a thread."""
        began = time.perf_counter()
        try:
            catch_up(self._plugin, self._service, changed)
            if changed is None:
                self._look_took = time.perf_counter() - began
        except Exception as error:
            # What is served stays as it is, and the next change or look tries again.
            if (trouble := repr(error)) != self._trouble:
                self._plugin.log.exception("the skill files could not be read again; what was read before is served")
            self._trouble = trouble
        else:
            self._trouble = None
