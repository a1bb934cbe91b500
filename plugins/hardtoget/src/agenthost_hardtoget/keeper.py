"""Ends games whose time is over while nobody asks, so that those who wait are told."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from agenthost import PluginContext, repeating

from agenthost_hardtoget.clock import now_ms
from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.store.ending import end_overdue, next_due

LOOK = 5.0
"""Seconds between two looks; games may begin in other processes, which may end before they do."""


def keeping(plugin: PluginContext[Settings]) -> AbstractAsyncContextManager[None]:
    """Watch over all games while the block runs."""
    limits = [limit for limit in (plugin.settings.join_deadline, plugin.settings.move_deadline) if limit]
    look = min([LOOK, *(max(limit / 4, 0.05) for limit in limits)])

    async def ending_overdue_games() -> float:
        due = await plugin.store.read(next_due)
        if due is None:
            return look
        left = (due - now_ms()) / 1000
        if left > 0:
            return min(look, left)
        await plugin.store.write(end_overdue)
        return 0

    return repeating(plugin, ending_overdue_games)
