"""Ends duels whose time is over while nobody asks, so that those who wait are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agenthost import PluginContext, StorageError

from agenthost_campfire.clock import now_ms
from agenthost_campfire.settings import Settings
from agenthost_campfire.store import duels

LOOK = 5.0
"""Seconds between two looks; duels may begin in other processes, which may end before they do."""


@asynccontextmanager
async def keeping(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    """Watch over the duels of all fires while the block runs."""
    task = asyncio.create_task(_keep(plugin), name="deadlines of campfire")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _keep(plugin: PluginContext[Settings]) -> None:
    limits = [limit for limit in (plugin.settings.oath_deadline, plugin.settings.turn_deadline) if limit]
    look = min([LOOK, *(max(limit / 4, 0.05) for limit in limits)])
    while True:
        pause = look
        try:
            due = await plugin.store.read(duels.next_due)
            if due is not None:
                fire_id, at = due
                left = (at - now_ms()) / 1000
                if left <= 0:
                    await plugin.store.write(duels.close_overdue, fire_id)
                    continue
                pause = min(look, left)
        except StorageError as error:
            plugin.log.warning("the deadlines of duels were not looked at: %s", error)
        except Exception:
            # Whoever asks next ends an overdue duel; this only has to go on.
            plugin.log.exception("the deadlines of duels were not looked at")
        await asyncio.sleep(pause)
