"""Runs plugin code so that nothing it does can end or block more than its own call."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import anyio

from agenthost.calls.watch import LoopWatch
from agenthost.errors import CallFailed, ProtocolError, StorageError, ToolError
from agenthost.threads import NoThreadFree, Threads

log = logging.getLogger("agenthost")

HEARTBEAT = 10.0
"""Seconds between two signs of life for a client that asked for progress."""

GRACE = 1.0
"""Seconds that a cancelled coroutine gets for its clean-up before it is left behind."""

THREADS_PER_PLUGIN = 32
"""How many `def` calls of one plugin may run at once."""


@dataclass(frozen=True)
class _Outcome:
    """What plugin code gave or raised; exceptions travel as values, so none can end a loop or a thread."""

    value: Any = None
    error: BaseException | None = None


class Guard:
    """Runs functions and coroutines of plugins, within time limits."""

    def __init__(self) -> None:
        self._watch = LoopWatch()
        self._threads: dict[str, Threads] = {}
        self._left_behind: set[asyncio.Future[Any]] = set()

    async def run_coroutine(
        self, label: str, start: Callable[[], Coroutine[Any, Any, Any]], limit: float, beat: Callable[[], None]
    ) -> Any:
        """Run `await start()` in a task of its own.

        A task of its own, because plugin code can cancel its task or raise `SystemExit` in it, and
        both would otherwise end the connection or the process.

        Args:
            label: names the tool in the log.
            start: makes the coroutine.
            limit: seconds until it is cancelled.
            beat: called every now and then while it runs.

        Raises:
            ToolError: it raised one, crashed, or took too long.
            ProtocolError: it raised one.
        """

        async def contained() -> _Outcome:
            try:
                return _Outcome(await self._watch.run(label, start()))
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # noqa: BLE001  (SystemExit and KeyboardInterrupt would leave the loop)
                return _Outcome(error=error)

        task = asyncio.create_task(contained(), name=label)
        return await self._finish(label, task, limit, beat, "It was ended")

    async def run_function(
        self, plugin: str, label: str, function: Callable[[], Any], limit: float, beat: Callable[[], None]
    ) -> Any:
        """Run `function()` in one of the plugin's threads; arguments and errors as for a coroutine.

        A thread cannot be ended from outside: past the limit it goes on, and keeps its place.
        """
        threads = self._threads.setdefault(plugin, Threads(plugin, THREADS_PER_PLUGIN))
        try:
            future = threads.submit(lambda: _contain(function))
        except NoThreadFree:
            raise CallFailed(
                f"Plugin {plugin} is busy: {THREADS_PER_PLUGIN} of its calls are still running. Try again later."
            ) from None
        return await self._finish(label, asyncio.wrap_future(future), limit, beat, "It is still running, unattended")

    async def _finish(
        self, label: str, work: asyncio.Future[_Outcome], limit: float, beat: Callable[[], None], fate: str
    ) -> Any:
        if not await self.attend(label, work, limit, beat):
            log.warning("%s did not finish within %g s. %s", label, limit, fate)
            raise CallFailed(
                f"{label} did not finish within {limit:g} s. {fate}. Ask for less at once, or have the operator "
                "raise time_limit."
            )
        outcome = _Outcome(error=asyncio.CancelledError()) if work.cancelled() else work.result()
        if outcome.error is None:
            return outcome.value
        if isinstance(outcome.error, (ToolError, ProtocolError)):
            raise outcome.error
        if isinstance(outcome.error, StorageError):
            log.error("%s: %s", label, outcome.error)
            raise CallFailed(str(outcome.error))
        raise crash(label, outcome.error)

    async def attend(self, label: str, work: asyncio.Future[Any], limit: float, beat: Callable[[], None]) -> bool:
        """Wait for work, with signs of life; whether it was done within the limit. It has ended in any case."""
        deadline = asyncio.get_running_loop().time() + limit
        try:
            # A coroutine that never waits is done after this turn of the loop; to be told of it would take two more.
            await asyncio.sleep(0)
            while not work.done() and (left := deadline - asyncio.get_running_loop().time()) > 0:
                await asyncio.wait([work], timeout=min(left, HEARTBEAT))
                if not work.done():
                    beat()
            return work.done()
        finally:
            # Also when this call itself is cancelled: the plugin's code gets the cancellation, and time to act on it.
            await self._end(label, work)

    async def _end(self, label: str, work: asyncio.Future[Any]) -> None:
        if work.done():
            return
        work.cancel()
        with anyio.move_on_after(GRACE, shield=True):
            await asyncio.wait([work])
        if not work.done():
            log.warning("%s does not react to being cancelled and has been left behind", label)
            self._left_behind.add(work)
            work.add_done_callback(self._left_behind.discard)


def crash(label: str, error: BaseException) -> CallFailed:
    """Log a failure of plugin code under a reference; returns what the model is told."""
    reference = secrets.token_hex(4)
    what = "let a cancellation of its own escape" if isinstance(error, asyncio.CancelledError) else "crashed"
    log.error("%s %s [reference %s]", label, what, reference, exc_info=error)
    return CallFailed(
        f"{label} failed (reference {reference}). This is a fault of the plugin, not of your "
        "arguments; the operator finds the details under that reference in the server's log."
    )


def _contain(function: Callable[[], Any]) -> _Outcome:
    try:
        return _Outcome(function())
    except BaseException as error:  # noqa: BLE001  (a thread's SystemExit or StopIteration is a crash of its call)
        return _Outcome(error=error)
