"""One process that uses a store and is told line by line what to do; the tests of storage start several.

Usage: python store.py DATABASE [STEPS]. Every line on stdin is a JSON list, a command and its arguments;
every answer is one JSON line. `STEPS` is how many steps of the ladder this version of the plugin knows.
"""

from __future__ import annotations

# ruff: noqa: T201  (its stdout is how it answers)
import asyncio
import gc
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from agenthost import Schema, Step, StorageError
from agenthost.storage import SqliteEngine, Store, Transaction, store

LADDER = (
    Step("entries", ("CREATE TABLE entries (id TEXT PRIMARY KEY, writer TEXT NOT NULL, seq BIGINT NOT NULL)",)),
    Step("runs of this step", ("CREATE TABLE runs (pid BIGINT NOT NULL)", "INSERT INTO runs VALUES (1)")),
    Step("broken", ("CREATE TABLE half (id TEXT PRIMARY KEY)", "CREATE TABLE entries (id TEXT PRIMARY KEY)")),
)


def insert(tx: Transaction, entry: str, writer: str, size: int = 0) -> int:
    row = tx.one("SELECT coalesce(max(seq), 0) + 1 AS seq FROM entries")
    assert row is not None
    values = {"id": entry + "x" * size, "writer": writer, "seq": row["seq"]}
    tx.execute("INSERT INTO entries (id, writer, seq) VALUES (:id, :writer, :seq)", values)
    tx.changed("entries")
    seq: int = row["seq"]
    return seq


def held(
    tx: Transaction, begun: asyncio.Event, loop: asyncio.AbstractEventLoop, release: threading.Event, fails: bool
) -> None:
    """A write that stands in the middle of its transaction until it is let go on."""
    insert(tx, "held", "held")
    loop.call_soon_threadsafe(begun.set)
    release.wait(20)
    if fails:
        raise ValueError("held for nothing")


class Worker:
    def __init__(self, store: Store, steps: int) -> None:
        self.store = store
        self.steps = steps

    async def open(self) -> str:
        await self.store.open(Schema(LADDER[: self.steps]))
        return "open"

    async def use(self, database: str) -> str:
        self.store = Store("worker", SqliteEngine(Path(database)))
        return "using"

    async def limit_pages(self, pages: int) -> int:
        """Let SQLite believe that the disk has no room for more."""
        await self.store.read(lambda tx: tx.one(f"PRAGMA max_page_count = {pages}"))
        return pages

    async def be_impatient(self, seconds: float) -> float:
        store.BUSY_LIMIT = seconds
        return seconds

    async def hold(self) -> None:
        """Stand in the middle of a write until this process is killed."""

        def stand(tx: Transaction) -> None:
            print(json.dumps("holding"), flush=True)
            threading.Event().wait()

        await self.store.write(stand)

    async def close(self) -> str:
        await self.store.close()
        return "closed"

    async def insert(self, entry: str, size: int = 0) -> int:
        return await self.store.write(insert, entry, str(os.getpid()), size)

    async def insert_many(self, prefix: str, count: int) -> list[float]:
        """Write one after the other; how long each took, in seconds."""
        loop, took = asyncio.get_running_loop(), []
        for number in range(count):
            began = loop.time()
            await self.insert(f"{prefix}-{number}")
            took.append(loop.time() - began)
        return took

    async def insert_for_ever(self, prefix: str) -> None:
        """Acknowledge each write on stdout until this process is killed."""
        number = 0
        while True:
            await self.insert(f"{prefix}-{number}")
            print(json.dumps(f"{prefix}-{number}"), flush=True)
            number += 1

    async def entries(self) -> list[str]:
        return await self.store.read(lambda tx: [row["id"] for row in tx.all("SELECT id FROM entries ORDER BY seq")])

    async def runs(self) -> int:
        return await self.store.read(lambda tx: len(tx.all("SELECT pid FROM runs")))

    async def check(self) -> str:
        return await self.store.read(lambda tx: str(tx.one("PRAGMA quick_check")))

    async def wait(self, after: int) -> int:
        return await self.store.wait("entries", after)

    async def number(self) -> int:
        return await self.store.number("entries")

    async def cancel_in_the_middle(self, fails: bool) -> list[Any]:
        """Cancel one write that has begun and one that waits behind it; what each left behind."""
        loop, begun, release = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
        complaints: list[str] = []
        loop.set_exception_handler(lambda _, context: complaints.append(context["message"]))
        first = asyncio.create_task(self.store.write(held, begun, loop, release, fails))
        await begun.wait()
        second = asyncio.create_task(self.insert("behind"))
        await asyncio.sleep(0)
        first.cancel()
        second.cancel()
        await asyncio.wait([second])
        was_pending = not first.done()
        release.set()
        await asyncio.wait([first])
        entries = await self.entries()
        gc.collect()  # when asyncio tells of errors that nobody has looked at
        return [was_pending, first.cancelled(), second.cancelled(), entries, complaints]

    async def fork_and_die(self) -> int:
        """Leave a forked child behind that lives on, and die while holding the lock."""
        reading, writing = os.pipe()

        def in_transaction(tx: Transaction) -> None:
            if (child := os.fork()) == 0:
                os.close(writing)
                os.read(sys.stdin.fileno(), 1)  # until the test closes stdin
                os._exit(0)
            print(json.dumps(child), flush=True)
            os.kill(os.getpid(), 9)

        await self.store.write(in_transaction)
        return reading

    async def checkpoint(self, rounds: int) -> int:
        """Use the database behind the lock's back, as another program would."""
        import sqlite3

        done = 0
        for _ in range(rounds):
            connection = sqlite3.connect(sys.argv[1], timeout=5)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            connection.close()
            done += 1
            await asyncio.sleep(0)
        return done


async def main() -> None:
    worker = Worker(Store("worker", SqliteEngine(Path(sys.argv[1]))), int((sys.argv[2:] or ["1"])[0]))
    loop = asyncio.get_running_loop()
    print(json.dumps("ready"), flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command, *arguments = json.loads(line)
        try:
            answer = await getattr(worker, command)(*arguments)
        except StorageError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


asyncio.run(main())
