"""The store as plugins see it: small synchronous functions, run one at a time against the database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

import anyio

from agenthost.errors import StorageError
from agenthost.migrations import Schema
from agenthost.threads import Threads

P = ParamSpec("P")
R = TypeVar("R")

POLL = 0.02
"""Seconds between two looks for commits of other processes, while somebody waits."""

BUSY_LIMIT = 10.0
"""Seconds that a call waits for its turn before it fails."""


class Transaction(Protocol):
    """One transaction, as the function given to `read` or `write` receives it.

    Parameters are named: `tx.one("SELECT ... WHERE id = :id", {"id": fire_id})`.
    """

    def execute(self, sql: str, parameters: Mapping[str, Any] | None = None, /) -> int:
        """Run a statement; returns how many rows it touched."""

    def one(self, sql: str, parameters: Mapping[str, Any] | None = None, /) -> Mapping[str, Any] | None:
        """The first row, or None."""

    def all(self, sql: str, parameters: Mapping[str, Any] | None = None, /) -> list[Mapping[str, Any]]:
        """All rows."""

    def changed(self, topic: str, /) -> int:
        """Wake everybody who waits for `topic`, in any process, once this is committed; returns its new number."""


class Engine(Protocol):
    """One database of one plugin, used from one thread; the seam behind which databases differ."""

    def open(self, schema: Schema) -> None:
        """Open the database and bring it up to the schema, with the lock held."""

    def lock(self) -> None:
        """Wait until no other process writes; cannot be interrupted."""

    def unlock(self) -> None:
        """Let others write."""

    def holder(self) -> str:
        """Who writes now, in words; may be called from any thread."""

    def write(self, function: Callable[[Transaction], R]) -> tuple[R, set[str]]:
        """Run a function in a writing transaction, with the lock held; returns the topics it changed, too."""

    def read(self, function: Callable[[Transaction], R]) -> R:
        """Run a function in a reading transaction."""

    def topic(self, topic: str) -> int:
        """The number of a topic; 0 if nothing has changed it yet."""

    def version(self) -> int:
        """A number that is another one after another process has committed."""

    def close(self) -> None:
        """Close the database, with the lock held."""


class Store:
    """A plugin's database.

    Every call is answered after the database has done it: what a write has acknowledged survives the
    death of this process and of the machine. Calls reach the database in the order they were made.
    Use it on the event loop, in `async def`.
    """

    def __init__(self, name: str, engine: Engine) -> None:
        self._name = name
        self._engine = engine
        # One thread, since a connection belongs to the thread that made it, and a daemon, since a lock may never come.
        self._thread = Threads(f"store-{name}", 1, queueing=True)
        self._waiters: dict[str, set[asyncio.Event]] = {}
        self._poller: asyncio.Task[None] | None = None

    async def open(self, schema: Schema) -> None:
        """For the host: open the database and migrate it.

        Raises:
            StorageError: it is newer than the plugin, cannot be migrated or read, or is locked for too long.
        """
        await self._run(lambda: self._engine.open(schema), locked=True)

    async def close(self) -> None:
        """For the host: close the database; what was asked before is done before."""
        if self._poller is not None:
            self._poller.cancel()
        await self._run(self._engine.close, locked=True)

    async def read(self, function: Callable[Concatenate[Transaction, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run `function(tx, ...)` in a reading transaction and return what it returns.

        Raises:
            StorageError: the database cannot be read.
            Exception: whatever the function raises.
        """
        return await self._run(lambda: self._engine.read(lambda tx: function(tx, *args, **kwargs)))

    async def write(self, function: Callable[Concatenate[Transaction, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run `function(tx, ...)` in a writing transaction; when this returns, it is on the disk.

        If the function raises, nothing it did is kept. A write that has not begun when the caller is
        cancelled is dropped; one that has begun ends first.

        Raises:
            StorageError: another process held the lock for too long, the disk is full, or the like.
            Exception: whatever the function raises.
        """
        result, topics = await self._run(
            lambda: self._engine.write(lambda tx: function(tx, *args, **kwargs)), locked=True
        )
        self._wake(topics)
        return result

    async def number(self, topic: str) -> int:
        """How often `topic` has changed so far: what to pass to `wait` to hear of the next change."""
        return await self._run(lambda: self._engine.topic(topic))

    async def wait(self, topic: str, after: int) -> int:
        """The topic's number as soon as it is greater than `after`, whoever changes it, in any process.

        Nothing is missed: the number is compared, so a change between two waits ends the second at once.
        Holds no thread while it waits.
        """
        changed = asyncio.Event()
        waiting = self._waiters.setdefault(topic, set())
        waiting.add(changed)
        try:
            if self._poller is None or self._poller.done():
                self._poller = asyncio.create_task(self._poll(), name=f"storage of {self._name}")
            while (number := await self.number(topic)) <= after:
                await changed.wait()
                changed.clear()
            return number
        finally:
            waiting.discard(changed)
            if not waiting and self._waiters.get(topic) is waiting:
                del self._waiters[topic]

    async def _poll(self) -> None:
        """Look for other processes' commits as long as somebody waits."""
        seen: int | None = None
        while self._waiters:
            version = await self._run(self._engine.version)
            if version != seen:
                seen = version
                self._wake(list(self._waiters))
            await asyncio.sleep(POLL)

    def _wake(self, topics: Any) -> None:
        for topic in topics:
            for changed in self._waiters.get(topic, ()):
                changed.set()

    async def _run(self, work: Callable[[], R], *, locked: bool = False) -> R:
        """Do something in the database's thread, in turn."""
        job = _Job(self._engine, work, locked=locked)
        future = asyncio.wrap_future(self._thread.submit(job.run))
        try:
            await asyncio.wait([future], timeout=BUSY_LIMIT)
            if not future.done() and job.drop():
                future.cancel()
                raise StorageError(
                    f"the storage of {self._name} did not answer within {BUSY_LIMIT:g} s ({self._engine.holder()}); "
                    "nothing was saved by this call. Try again; if it stays so, end that process."
                )
            # It has begun: it will end, and its outcome is the truth about the data.
            with anyio.CancelScope(shield=True):
                await asyncio.wait([future])
            return future.result()
        except asyncio.CancelledError:
            if not job.drop():
                with anyio.CancelScope(shield=True):
                    await asyncio.wait([future])
            if not future.cancel():
                future.exception()  # looked at, or asyncio would report an error that nobody is there to get
            raise


class _Job(Generic[R]):
    """One piece of work in the database's thread: it can be dropped until it has begun."""

    def __init__(self, engine: Engine, work: Callable[[], R], *, locked: bool) -> None:
        self._engine = engine
        self._work = work
        self._locked = locked
        self._decision = threading.Lock()
        self._dropped = False
        self._begun = False

    def drop(self) -> bool:
        """Never begin it; False if it has begun."""
        with self._decision:
            self._dropped = not self._begun
            return self._dropped

    def run(self) -> R:
        if self._dropped:
            raise StorageError("dropped")
        if not self._locked:
            return self._begin()
        self._engine.lock()
        try:
            return self._begin()
        finally:
            self._engine.unlock()

    def _begin(self) -> R:
        with self._decision:
            if self._dropped:
                raise StorageError("dropped")
            self._begun = True
        return self._work()
