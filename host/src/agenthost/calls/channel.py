"""Carries a running call's progress and log messages to its client, in order, without waiting."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from agenthost.context import LogLevel

log = logging.getLogger("agenthost")

SendProgress = Callable[[float, float | None, str | None], Awaitable[None]]
SendLog = Callable[[LogLevel, str], Awaitable[None]]

BACKLOG = 256
"""Messages kept for a client that does not read; the oldest are dropped."""


class Channel:
    """The `CallChannel` of one call. Plugin code may use it from any thread."""

    def __init__(self, send_progress: SendProgress | None, send_log: SendLog) -> None:
        """Create it on the event loop; `send_progress` is None if the client did not ask for progress."""
        self._loop = asyncio.get_running_loop()
        self._send_progress = send_progress
        self._send_log = send_log
        self._queue: deque[Callable[[], Awaitable[None]]] = deque(maxlen=BACKLOG)
        self._sender: asyncio.Task[None] | None = None
        self._closed = False
        self._reached = -math.inf
        self._growing = threading.Lock()

    def progress(self, done: float, total: float | None, text: str | None) -> None:
        """Queue a progress notice, if the client asked for them."""
        if self._send_progress is None:
            return
        total = total if total is not None and math.isfinite(total) else None
        with self._growing:
            # The protocol wants every value to be greater than the one before, and JSON wants it finite.
            grows = self._reached < done < math.inf
            self._reached = done if grows else math.nextafter(max(self._reached, 0.0), math.inf)
            self._put(partial(self._send_progress, self._reached, total, text))

    def log(self, level: LogLevel, text: str) -> None:
        """Queue a log message."""
        self._put(partial(self._send_log, level, text))

    def beat(self) -> None:
        """Tell a client that asked for progress that the call still runs."""
        self.progress(max(self._reached, 0.0) + 0.001, None, "still working")

    async def flush(self) -> None:
        """Send what is queued so far."""
        self._wake()  # the loop may not yet have had a turn for what woke it
        if self._sender is not None:
            await self._sender

    async def close(self) -> None:
        """Send what is queued; later messages of code that was left behind are dropped."""
        self._closed = True
        await self.flush()

    def abandon(self) -> None:
        """Drop what is queued: the call was cancelled and must not be answered."""
        self._closed = True
        self._queue.clear()
        if self._sender is not None:
            self._sender.cancel()

    def _put(self, send: Callable[[], Awaitable[None]]) -> None:
        if self._closed:
            return
        self._queue.append(send)
        self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if self._queue and (self._sender is None or self._sender.done()):
            self._sender = asyncio.create_task(self._drain())

    async def _drain(self) -> None:
        while self._queue:
            try:
                await self._queue.popleft()()
            except Exception:
                log.exception("a message of a call could not be sent")
