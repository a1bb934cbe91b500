"""A bounded pool of daemon threads: code that may hang runs here and cannot keep the process alive.

The standard executor joins its threads when the interpreter ends, and anyio's limiter frees a place
when the waiter gives up; here a place is taken until its function has really returned.
"""

from __future__ import annotations

import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

R = TypeVar("R")

Job = tuple[Future[Any], Callable[[], Any]]


class NoThreadFree(Exception):
    """All threads of the pool are still running something."""


class Threads:
    """At most `limit` daemon threads, started when needed and kept for the next function.

    They end when the pool is not in use any more, each after its function.

    Args:
        name: begins the threads' names.
        limit: how many functions may run at once.
        queueing: whether further functions wait for their turn instead of being refused.
    """

    def __init__(self, name: str, limit: int, *, queueing: bool = False) -> None:
        self.limit = limit
        self._queueing = queueing
        self._name = name
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._started = 0
        self._running = 0
        weakref.finalize(self, self._jobs.put, None)

    def submit(self, function: Callable[[], R]) -> Future[R]:
        """Run `function()` in a thread; functions begin in the order of the calls.

        Cancelling the future before its function began drops it.

        Raises:
            NoThreadFree: `limit` functions are running, and none may wait.
        """
        with self._lock:
            if self._running >= self.limit and not self._queueing:
                raise NoThreadFree
            if self._started <= min(self._running, self.limit - 1):
                work = (weakref.ref(self), self._jobs, self._turn)
                threading.Thread(target=_work, args=work, name=f"{self._name}-{self._started + 1}", daemon=True).start()
                self._started += 1
            self._running += 1
            future: Future[R] = Future()
            self._jobs.put((future, function))
        return future

    def returned(self) -> None:
        """For its threads: a function has returned, and its place is free."""
        with self._lock:
            self._running -= 1


def _work(pool: weakref.ref[Threads], jobs: queue.SimpleQueue[Job | None], turn: threading.Lock) -> None:
    """Run functions until None comes, which stays for the other threads."""
    while True:
        # One thread at a time takes a job and keeps the others from taking the next until it is about to begin:
        # two that held a job each could be scheduled in the other order.
        with turn:
            if (job := jobs.get()) is None:
                jobs.put(None)
                return
            future, function = job
            wanted = future.set_running_or_notify_cancel()
        result, error = None, None
        try:
            if wanted:
                result = function()
        except BaseException as raised:  # noqa: BLE001  (handed to whoever waits for the future)
            error = raised
        if (used := pool()) is not None:
            used.returned()
        if error is not None:
            future.set_exception(error)
        elif wanted:
            future.set_result(result)
        del job, future, function, result, error, used
