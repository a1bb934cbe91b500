"""Ends duels whose time is over while nobody asks, so that those who wait are told."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from agenthost import PluginContext, repeating

from agenthost_campfire.clock import now_ms
from agenthost_campfire.settings import Settings
from agenthost_campfire.store import duels

LOOK = 5.0
"""Seconds between two looks; duels may begin in other processes, which may end before they do."""


def keeping(plugin: PluginContext[Settings]) -> AbstractAsyncContextManager[None]:
    """Watch over the duels of all fires while the block runs."""
    limits = [limit for limit in (plugin.settings.oath_deadline, plugin.settings.turn_deadline) if limit]
    look = min([LOOK, *(max(limit / 4, 0.05) for limit in limits)])

    async def closing_overdue_duels() -> float:
        due = await plugin.store.read(duels.next_due)
        if due is None:
            return look
        fire_id, at = due
        left = (at - now_ms()) / 1000
        if left > 0:
            return min(look, left)
        await plugin.store.write(duels.close_overdue, fire_id)
        return 0

    return repeating(plugin, closing_overdue_duels)
