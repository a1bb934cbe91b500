"""Work that a plugin does again and again while it is served."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from agenthost.errors import StorageError

if TYPE_CHECKING:
    from agenthost.context import PluginContext

RETRY = 5.0
"""Seconds until work that has failed is done again."""


@asynccontextmanager
async def repeating(plugin: PluginContext[Any], work: Callable[[], Awaitable[float]]) -> AsyncIterator[None]:
    """Do some work again and again while the block runs; for lifespans.

    What the work raises is logged, and it is done again 5 seconds later: one failure does not end
    it. When the block ends, the work is cancelled.

    Args:
        plugin: its log hears of failures.
        work: returns the seconds until it is done again, fractions allowed; 0 is at once.
    """
    import asyncio  # 40 ms, and `import agenthost` has to stay light

    name = getattr(work, "__name__", repr(work))

    async def repeat() -> None:
        while True:
            try:
                await asyncio.sleep(await work())
            except StorageError as error:
                plugin.log.warning("%s is done again in %g s: %s", name, RETRY, error)
                await asyncio.sleep(RETRY)
            except (Exception, SystemExit):
                plugin.log.exception("%s failed, and is done again in %g s", name, RETRY)
                await asyncio.sleep(RETRY)

    task = asyncio.create_task(repeat(), name=f"{plugin.name} {name}")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
