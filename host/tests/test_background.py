"""Work that a plugin does again and again: in time, whatever one run of it raises, and not after the end."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from agenthost import PluginContext, StorageError, background, repeating
from agenthost.plugins import Plugin


@pytest.fixture
def plugin(make_plugin: Callable[..., Plugin]) -> PluginContext[Any]:
    return make_plugin("clock").loaded


class Work:
    """Does what it is given, one thing a run; `last` is set when all of it was done."""

    def __init__(self, *runs: Callable[[], Any]) -> None:
        self.runs = iter(runs)
        self.done = 0
        self.last = asyncio.Event()

    async def tick(self) -> Any:
        self.done += 1
        run = next(self.runs, None)
        if run is not None:
            return run()
        self.last.set()
        return 3600


def repeat(plugin: PluginContext[Any], *runs: Callable[[], Any]) -> int:
    """Repeat until all of this was done, and one more run has begun; returns how often it was run."""

    async def scenario() -> int:
        work = Work(*runs)
        async with repeating(plugin, work.tick), asyncio.timeout(20):
            await work.last.wait()
        return work.done

    return asyncio.run(scenario())


def test_work_is_done_again_after_the_seconds_that_it_returned(
    plugin: PluginContext[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    sleep = asyncio.sleep

    def note(seconds: float) -> Awaitable[None]:
        asked.append(seconds)
        return sleep(min(seconds, 0.001))

    monkeypatch.setattr(asyncio, "sleep", note)
    assert repeat(plugin, lambda: 0.25, lambda: 0, lambda: 60) == 4
    assert asked[:3] == [0.25, 0, 60]


def raise_storage_error() -> None:
    raise StorageError("the disk is full")


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (lambda: 1 / 0, "tick failed, and is done again in 0 s"),
        (lambda: sys.exit(3), "tick failed, and is done again in 0 s"),
        (lambda: None, "tick failed, and is done again in 0 s"),  # no seconds
        (raise_storage_error, "tick is done again in 0 s: the disk is full"),
    ],
    ids=["crash", "exit", "nothing returned", "storage"],
)
def test_a_failure_is_logged_and_the_work_goes_on(
    plugin: PluginContext[Any],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    run: Callable[[], Any],
    told: str,
) -> None:
    monkeypatch.setattr(background, "RETRY", 0)
    assert repeat(plugin, run, lambda: 0, run) == 4
    assert [(record.name, record.getMessage()) for record in caplog.records] == [("agenthost.clock", told)] * 2
    assert {record.levelno for record in caplog.records} == {logging.WARNING if "disk" in told else logging.ERROR}


def test_failed_work_is_not_done_again_at_once(plugin: PluginContext[Any], caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        work = Work(lambda: 1 / 0)
        async with repeating(plugin, work.tick), asyncio.timeout(20):
            while not caplog.records:
                await asyncio.sleep(0)
            for _ in range(100):
                await asyncio.sleep(0)
        assert work.done == 1

    asyncio.run(scenario())


def test_the_work_ends_with_the_block_also_when_the_block_fails(plugin: PluginContext[Any]) -> None:
    ended: list[str] = []

    async def work() -> float:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")
        return 0

    async def block() -> None:
        async with repeating(plugin, work):
            await asyncio.sleep(0)
            raise ZeroDivisionError

    async def scenario() -> None:
        with pytest.raises(ZeroDivisionError):
            await block()
        assert ended == ["cancelled"]
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(scenario())
