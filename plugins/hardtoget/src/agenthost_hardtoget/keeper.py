"""Ends games whose time is over while nobody asks, so that those who wait are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agenthost import PluginContext, StorageError

from agenthost_hardtoget.clock import now_ms
from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.store.ending import end_overdue, next_due

LOOK = 5.0
"""Seconds between two looks; games may begin in other processes, which may end before they do."""


@asynccontextmanager
async def keeping(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    """Watch over all games while the block runs."""
    task = asyncio.create_task(_keep(plugin), name="deadlines of hardtoget")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _keep(plugin: PluginContext[Settings]) -> None:
    limits = [limit for limit in (plugin.settings.join_deadline, plugin.settings.move_deadline) if limit]
    look = min([LOOK, *(max(limit / 4, 0.05) for limit in limits)])
    while True:
        pause = look
        try:
            due = await plugin.store.read(next_due)
            if due is not None:
                left = (due - now_ms()) / 1000
                if left <= 0:
                    await plugin.store.write(end_overdue)
                    continue
                pause = min(look, left)
        except StorageError as error:
            plugin.log.warning("the deadlines of games were not looked at: %s", error)
        except Exception:
            # Whoever asks next ends an overdue game; this only has to go on.
            plugin.log.exception("the deadlines of games were not looked at")
        await asyncio.sleep(pause)
