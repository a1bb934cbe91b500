from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from agenthost import PluginContext, Tool, hookimpl, repeating, tool


class Pulse:
    """What the lifespan keeps up to date and the tool reads: one object for the whole process."""

    def __init__(self) -> None:
        self.beats = 0

    async def beat(self) -> float:
        self.beats += 1
        return 1


pulse = Pulse()


@tool
def pulse_count() -> int:
    """Count the seconds since this plugin was started."""
    return pulse.beats


@asynccontextmanager
async def beating(plugin: PluginContext[Any]) -> AsyncIterator[None]:
    plugin.log.info("beating")
    async with repeating(plugin, pulse.beat):
        yield


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [pulse_count]


@hookimpl
def agenthost_lifespan(plugin: PluginContext[Any]) -> AbstractAsyncContextManager[None]:
    return beating(plugin)
