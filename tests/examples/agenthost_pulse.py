import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from agenthost import PluginContext, Tool, hookimpl, tool


class Pulse:
    """What the lifespan keeps up to date and the tool reads: one object for the whole process."""

    def __init__(self) -> None:
        self.beats = 0

    async def beat(self) -> None:
        while True:
            self.beats += 1
            await asyncio.sleep(1)


pulse = Pulse()


@tool
def pulse_count() -> int:
    """Count the seconds since this plugin was started."""
    return pulse.beats


@asynccontextmanager
async def beating(plugin: PluginContext[Any]) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(pulse.beat())
        plugin.log.info("beating")
        yield
        task.cancel()


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [pulse_count]


@hookimpl
def agenthost_lifespan(plugin: PluginContext[Any]) -> AbstractAsyncContextManager[None]:
    return beating(plugin)
