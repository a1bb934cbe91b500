"""Search in small steps: it stops where it has to and says where, and nobody waits behind it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agenthost.storage import SqliteEngine, Store
from agenthost_campfire.store import searching
from agenthost_campfire.store.fires import create
from agenthost_campfire.store.messages import Draft, Query, post
from agenthost_campfire.store.schema import SCHEMA


def test_a_search_looks_at_so_many_messages_and_says_where_it_stopped(tmp_path: Path) -> None:
    async def run() -> None:
        store = Store("campfire", SqliteEngine(tmp_path / "campfire.db"))
        await store.open(SCHEMA)
        await store.write(create, "f")
        for number in range(1, 31):
            await store.write(post, "f", Draft("needle" if number in (2, 29) else "hay"))
        wanted = Query(search="NEEDLE")
        part = await searching.search(store, "f", wanted, scan=12)
        assert [message["seq"] for message in part["messages"]] == [29]
        assert (part["hasMore"], part["searchedBackTo"]) == (True, 19)
        rest = await searching.search(store, "f", Query(search="needle", before=19))
        assert [message["seq"] for message in rest["messages"]] == [2]
        assert "searchedBackTo" not in rest
        whole = await searching.search(store, "f", wanted, scan=30)
        assert [message["seq"] for message in whole["messages"]] == [2, 29]
        await store.close()

    asyncio.run(run())
