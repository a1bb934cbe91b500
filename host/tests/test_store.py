"""The store in one process; tests of several processes are in the repository's own tests."""

from __future__ import annotations

import asyncio
import gc
import threading
from pathlib import Path

import pytest
from agenthost import Schema, Step
from agenthost.storage import SqliteEngine, Store

SCHEMA = Schema((Step("one", ("CREATE TABLE a (id TEXT PRIMARY KEY)",)),))


def test_a_call_that_is_cancelled_before_it_begins_leaves_no_trace(tmp_path: Path) -> None:
    told: list[str] = []

    async def use() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["message"]))
        store = Store("keeper", SqliteEngine(tmp_path / "keeper.db"))
        await store.open(SCHEMA)
        begun, go_on = threading.Event(), threading.Event()
        first = asyncio.create_task(store.write(lambda _: (begun.set(), go_on.wait(20))))
        assert await asyncio.to_thread(begun.wait, 20)
        second = asyncio.create_task(store.read(lambda _: pytest.fail("it was dropped")))
        await asyncio.sleep(0)  # it has asked, and waits for its turn
        second.cancel()
        await asyncio.wait([second])
        assert second.cancelled()
        go_on.set()
        await first
        await store.close()
        gc.collect()

    asyncio.run(use())
    assert told == []
