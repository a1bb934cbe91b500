"""Names the tool that keeps the event loop from running anything else."""

from __future__ import annotations

import logging
import threading
import time
import types
import weakref
from collections.abc import Callable, Coroutine, Generator
from typing import Any

log = logging.getLogger("agenthost")

LIMIT = 1.0
"""Seconds without giving the loop back that are worth a warning."""


class LoopWatch:
    """Runs coroutines step by step and measures each step.

    A step that lasts longer than `LIMIT` is logged twice: by a thread while it still lasts, so that
    the cause of a hanging server can be read, and with its duration when it is over.
    """

    def __init__(self) -> None:
        self._step: tuple[str, float] | None = None
        self._running = 0
        self._busy = threading.Event()
        self._thread: threading.Thread | None = None

    async def run(self, label: str, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """`await coroutine`, measured; `label` names it in the log."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=_look, args=(weakref.ref(self), self._busy), name="loop-watch", daemon=True
            )
            self._thread.start()
            weakref.finalize(self, self._busy.set)
        self._running += 1
        if not self._busy.is_set():
            self._busy.set()
        try:
            return await self._steps(label, coroutine)
        finally:
            self._running -= 1

    @types.coroutine
    def _steps(self, label: str, coroutine: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        resume: Callable[[Any], Any] = coroutine.send
        argument: Any = None
        while True:
            began = time.monotonic()
            self._step = (label, began)
            try:
                yielded = resume(argument)
            except StopIteration as stop:
                return stop.value
            finally:
                self._step = None
                if (lasted := time.monotonic() - began) > LIMIT:
                    log.warning("%s blocked the event loop for %.1f s; make it def, or await", label, lasted)
            try:
                argument = yield yielded
                resume = coroutine.send
            except BaseException as error:  # noqa: BLE001  (handed on into the coroutine, as `await` does)
                resume, argument = coroutine.throw, error

    def look(self, reported: tuple[str, float] | None) -> tuple[str, float] | None:
        """For its thread: report a step that lasts too long, unless it is `reported`; returns what is reported now."""
        if not self._running:
            self._busy.clear()  # here, since after each call it would cost every call a lock
            if self._running:  # one has begun meanwhile, and may have found the flag still set
                self._busy.set()
        step = self._step
        if step is None or step is reported or time.monotonic() - step[1] <= LIMIT:
            return reported
        log.warning("%s is blocking the event loop; nobody else is answered until it returns", step[0])
        return step


def _look(watch: weakref.ref[LoopWatch], busy: threading.Event) -> None:
    """Look while something runs, until the watch is not in use any more."""
    reported = None
    while True:
        busy.wait()
        time.sleep(LIMIT / 2)
        if (used := watch()) is None:
            return
        reported = used.look(reported)
        del used
