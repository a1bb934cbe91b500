"""The process's stdin and stdout as descriptors: claimed, read, written and watched on an event loop.

This module knows bytes only; what they say is JSON-RPC (`stdio`). Nothing here makes a descriptor
non-blocking: the open file behind it is shared with other processes, often with the user's terminal.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import io
import os
import queue
import select
import socket
import stat
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import anyio

from agenthost.errors import OperatorError

STDERR = 2
"""The descriptor of the process's error output."""

CHUNK_BYTES = 65536
"""Bytes asked for in one read: what a Linux pipe holds."""


@dataclass(frozen=True)
class Wire:
    """Private duplicates of the process's stdin and stdout."""

    input: int
    output: int


def claim() -> Wire:
    """Take descriptors 0 and 1 for the conversation with the client, for the rest of the process's life.

    From here on stray output (`print`, child processes) lands on stderr and stray input is empty. It is
    never undone: a server ends with its conversation, so text printed while exiting stays off the wire too.

    Raises:
        OperatorError: stdin or stdout is closed.
    """
    wire = Wire(_private_duplicate(0, "stdin"), _private_duplicate(1, "stdout"))
    silence()
    os.register_at_fork(after_in_child=lambda: _let_go(wire))
    return wire


def silence() -> None:
    """From here on stray output (`print`, child processes) lands on stderr and stray input is empty."""
    # A standard descriptor that was closed keeps the null device, or a database opened later would get its number.
    while (null := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        os.set_inheritable(null, True)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(STDERR, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Text that is still buffered is flushed here, after the move: it must not open a conversation.
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.reconfigure(line_buffering=True)


def _let_go(wire: Wire) -> None:
    """In a forked child, which is no server: neither hold the conversation open nor take part in it.

    The numbers stay taken: objects that the child has inherited would write to whatever is opened there next.
    """
    os.dup2(0, wire.input, inheritable=False)
    os.dup2(1, wire.output, inheritable=False)


def _private_duplicate(descriptor: int, name: str) -> int:
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    except OSError as error:
        raise OperatorError(
            f"{name} is closed, but `serve` speaks MCP on stdin and stdout; start it with both open, "
            "as an MCP client or a pipe does"
        ) from error


class Input:
    """Hands over what arrives on a descriptor, chunk by chunk, on the event loop.

    Args:
        descriptor: a pipe, socket, terminal, regular file or null device; stays open.
        arrived: is called with each chunk (at most `CHUNK_BYTES` bytes), and once with `b""` at the end.
            It may call `pause`.
        loop: the running loop.
    """

    def __init__(self, descriptor: int, arrived: Callable[[bytes], None], loop: asyncio.AbstractEventLoop) -> None:
        self._descriptor = descriptor
        self._arrived = arrived
        self._loop = loop
        self._wanted = False
        self._next: asyncio.Handle | None = None
        # kqueue reports a regular file only while there is something left to read, so its end never.
        self._selectable = not stat.S_ISREG(os.fstat(descriptor).st_mode)

    def resume(self) -> None:
        """Go on reading; no effect while reading."""
        if self._wanted:
            return
        self._wanted = True
        if self._selectable:
            try:
                self._loop.add_reader(self._descriptor, self._read)
            except OSError:
                self._selectable = False  # epoll refuses the null device, which is always ready
        if not self._selectable:
            self._next = self._loop.call_soon(self._read)

    def pause(self) -> None:
        """Stop reading; what arrives meanwhile stays in the pipe and holds up its writer."""
        if not self._wanted:
            return
        self._wanted = False
        if self._selectable:
            self._loop.remove_reader(self._descriptor)
        elif self._next is not None:
            self._next.cancel()
            self._next = None

    def _read(self) -> None:
        self._next = None
        try:
            chunk = os.read(self._descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return  # somebody else made the shared open file non-blocking and took what was there
        except OSError:
            chunk = b""  # reset by the client, or its terminal hung up: nothing more will come
        if not chunk:
            self.pause()
        self._arrived(chunk)
        if self._wanted and not self._selectable and self._next is None:
            self._next = self._loop.call_soon(self._read)


class Output:
    """Writes whole messages to a descriptor, in order, without ever blocking the event loop.

    A message that fits at once is written at once; all others go through one daemon thread, which may
    stay blocked for ever on a client that does not read.

    Args:
        descriptor: where to write; stays open.
        progressed: is called on the loop after each message that the thread has written.
        lost: is called once, on the loop, when nobody reads any more.
        loop: the running loop.
    """

    def __init__(
        self,
        descriptor: int,
        progressed: Callable[[], None],
        lost: Callable[[OSError], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.unsent = 0
        """Bytes accepted and not yet written."""
        self._descriptor = descriptor
        self._progressed = progressed
        self._lost = lost
        self._loop = loop
        self._broken = False
        self._waiting: deque[tuple[int, asyncio.Future[bool]]] = deque()
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._pipe: select.poll | None = None
        self._socket: socket.socket | None = None
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode):
            self._pipe = select.poll()
            self._pipe.register(descriptor, select.POLLOUT)
        elif stat.S_ISSOCK(mode):
            self._socket = socket.socket(fileno=descriptor)
            if self._socket.gettimeout() is not None:  # a plugin has called socket.setdefaulttimeout()
                self._socket.settimeout(None)
        threading.Thread(target=self._write_queued, name="agenthost-stdout", daemon=True).start()

    def write(self, data: bytes) -> asyncio.Future[bool] | None:
        """Write `data`: now (None), or later: a future that says whether it was written.

        Cancelling the future does not take the message back.

        Raises:
            anyio.BrokenResourceError: nobody reads any more.
        """
        if self._broken:
            raise anyio.BrokenResourceError
        if not self._waiting:
            data = data[self._write_now(data) :]
            if not data:
                return None
        future: asyncio.Future[bool] = self._loop.create_future()
        self._waiting.append((len(data), future))
        self.unsent += len(data)
        self._queue.put(data)
        return future

    def fail(self, error: OSError) -> None:
        """Take the reader for gone because of `error`: nothing more is written."""
        if not self._broken:
            self.abandon()
            self._lost(error)

    def abandon(self) -> None:
        """Stop writing and forget what is queued; every pending write ends with False."""
        self._broken = True
        self._queue.put(None)
        if self._socket is not None:
            self._socket.detach()  # the thread may still be in a write: the descriptor stays open
            self._socket = None
        self.unsent = 0
        while self._waiting:
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_result(False)

    def _write_now(self, data: bytes) -> int:
        """Write what is certain not to block, which saves the way through the thread (a quarter of a small call).

        Returns:
            The number of bytes written.
        """
        try:
            if self._socket is not None:
                return self._socket.send(data, socket.MSG_DONTWAIT)
            if self._pipe is not None and len(data) <= select.PIPE_BUF and self._pipe.poll(0):
                return os.write(self._descriptor, data)  # POSIX: a pipe that is ready takes so much whole
        except BlockingIOError:
            pass
        except OSError as error:
            self.fail(error)
            raise anyio.BrokenResourceError from error
        return 0

    def _write_queued(self) -> None:
        while (data := self._queue.get()) is not None and not self._broken:
            try:
                self._write_all(data)
            except OSError as error:
                self._report(self.fail, error)
                return
            self._report(self._written)

    def _write_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:  # somebody else made the shared open file non-blocking
                ready = select.poll()
                ready.register(self._descriptor, select.POLLOUT)
                ready.poll()

    def _report(self, callback: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is interested any more
            self._loop.call_soon_threadsafe(callback, *arguments)

    def _written(self) -> None:
        if self._broken:
            return
        size, future = self._waiting.popleft()
        self.unsent -= size
        if not future.done():
            future.set_result(True)
        self._progressed()


class Hangups:
    """Tells when the far end of a descriptor is closed, even while nothing is read or written.

    A second selector, itself watched by the loop's, waits for nothing but hang-ups, which a selector
    reports unasked; it costs no thread and no wake-ups.

    Args:
        input_ended: is called once when nobody can write to `wire.input` any more; there may be something
            left to read.
        output_closed: is called once when nobody reads from `wire.output` any more. A socket of which the
            client has closed only its own sending direction is not reported (Node does that).
    """

    def __init__(
        self,
        wire: Wire,
        input_ended: Callable[[], None],
        output_closed: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._callbacks = {wire.input: input_ended, wire.output: output_closed}
        self._loop = loop
        if sys.platform == "linux":
            self._selector = select.epoll()
            # Files are refused: they have no far end.
            with contextlib.suppress(PermissionError):
                self._selector.register(wire.input, select.EPOLLRDHUP)
            with contextlib.suppress(PermissionError):
                self._selector.register(wire.output, 0)
        else:
            self._selector = select.kqueue()
            # Edge-triggered, since kqueue has no event without data or room; the high mark keeps it quiet.
            for descriptor, direction in ((wire.input, select.KQ_FILTER_READ), (wire.output, select.KQ_FILTER_WRITE)):
                event = select.kevent(
                    descriptor, direction, select.KQ_EV_ADD | select.KQ_EV_CLEAR, select.KQ_NOTE_LOWAT, 2**30
                )
                with contextlib.suppress(OSError):
                    self._selector.control([event], 0)
        loop.add_reader(self._selector.fileno(), self._look)

    def close(self) -> None:
        """Stop watching."""
        if not self._selector.closed:
            self._loop.remove_reader(self._selector.fileno())
            self._selector.close()

    def _look(self) -> None:
        if sys.platform == "linux":
            ended = [descriptor for descriptor, _ in self._selector.poll(0)]
            for descriptor in ended:
                self._selector.unregister(descriptor)
        else:
            ended = [event.ident for event in self._selector.control(None, 2, 0) if event.flags & select.KQ_EV_EOF]
        for descriptor in ended:
            callback = self._callbacks.pop(descriptor, None)
            if callback is not None:
                callback()
