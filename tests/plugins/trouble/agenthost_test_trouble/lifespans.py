"""Plugins that fail in their lifespan, and one that starts when it is told to; they offer a tool each."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from agenthost import PluginContext
from pydantic import BaseModel

from agenthost_test_trouble.hooks import offer

Enter = Callable[[PluginContext[Any]], AsyncIterator[None]]


class Settings(BaseModel):
    """Files of the test that say when to go on."""

    gate: Path = Path("gate")


async def file(path: Path) -> None:
    """Wait until a file is there."""
    while not path.exists():  # noqa: ASYNC240  (another process makes it, and looking is quick)
        await asyncio.sleep(0.02)


def live(enter: Enter) -> SimpleNamespace:
    """A plugin with this lifespan."""
    return offer(agenthost_settings=lambda: Settings, agenthost_lifespan=asynccontextmanager(enter))


async def _enter_fails(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    raise RuntimeError("fails on purpose")
    yield


async def _enter_exits(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    sys.exit("leaves on purpose")
    yield


async def _enter_cancels(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    raise asyncio.CancelledError
    yield


async def _enter_hangs(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    plugin.log.info("entering")
    await asyncio.Event().wait()
    yield


async def _gated(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    plugin.log.info("entering")
    await file(plugin.settings.gate)
    plugin.log.info("entered")
    yield
    plugin.log.info("left")


async def _dies_later(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    async def die() -> None:
        await file(plugin.settings.gate)
        raise RuntimeError("dies on purpose")

    async with asyncio.TaskGroup() as group:
        group.create_task(die())
        yield


async def _leave_fails(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    yield
    raise RuntimeError("fails on purpose")


async def _leave_exits(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    yield
    sys.exit("leaves on purpose")


enter_fails = live(_enter_fails)
enter_exits = live(_enter_exits)
enter_cancels = live(_enter_cancels)
enter_hangs = live(_enter_hangs)
gated = live(_gated)
dies_later = live(_dies_later)
leave_fails = live(_leave_fails)
leave_exits = live(_leave_exits)
