"""The process's end: signals are heard in any state, and the end comes in time, whatever hangs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

log = logging.getLogger("agenthost")

LAST_SECONDS = 2.0
"""Clients kill a server that is still there 2 s after its end was asked for."""

CHILDREN_SECONDS = 0.3
"""What a child gets to end after SIGTERM."""


class Ending:
    """Listens for SIGTERM and SIGINT, and is the last resort against code that does not return.

    Python runs signal handlers in the main thread between two instructions, and asyncio's on the
    loop; both come too late when a tool blocks. The interpreter's wake-up descriptor is written at
    once, and a thread of ours reads it.
    """

    def __init__(self) -> None:
        self.code = 0
        self._on_signal: Callable[[], object] | None = None
        self._armed: threading.Timer | None = None
        self._ends = 0.0
        self._heard = False

    def install(self) -> None:
        """Take over SIGTERM and SIGINT; to be called from the main thread, once."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        # A forked child would write its signals into our pipe, and not end on them. They are held over the fork,
        # since one can reach the child before its first instruction.
        os.register_at_fork(before=_hold, after_in_parent=_release, after_in_child=_hear_nothing)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        threading.Thread(target=self._hear, args=(reading,), name="signals", daemon=True).start()

    def on_signal(self, callback: Callable[[], object]) -> None:
        """From now on end in an orderly way: `callback()`, from another thread, has to bring it about.

        Before that a signal ends the process at once: nothing is open yet.
        """
        self._on_signal = callback

    def within(self, seconds: float, code: int) -> None:
        """End the process with `code` in `seconds` if it has not ended by then; a sooner end stays."""
        self.code = code
        if self._armed is not None:
            if self._ends <= time.monotonic() + seconds:
                return
            self._armed.cancel()
        self._ends = time.monotonic() + seconds
        self._armed = threading.Timer(seconds, self._give_up)
        self._armed.daemon = True
        self._armed.start()

    def end_with_client(self, descriptor: int, loop: asyncio.AbstractEventLoop, patience: float) -> None:
        """End the process, with code 0, when the client has left and the loop does not notice.

        While the loop runs, the transport decides when the conversation is over: there may be much left to answer.

        Args:
            descriptor: the input; nothing is read from it.
            loop: the loop that the transport runs on.
            patience: seconds without a sign of life from the loop, once the client has closed its end.
        """

        def watch() -> None:
            hang_up = select.poll()
            hang_up.register(descriptor, 0)
            hang_up.poll()
            with contextlib.suppress(RuntimeError):  # the loop is closed: it has noticed
                while True:
                    alive = threading.Event()
                    loop.call_soon_threadsafe(alive.set)
                    if not alive.wait(patience):
                        self._give_up()
                    time.sleep(patience / 4)

        threading.Thread(target=watch, name="hang-up", daemon=True).start()

    def _hear(self, reading: int) -> None:
        while True:
            for number in os.read(reading, 64):
                if number not in (signal.SIGTERM, signal.SIGINT):
                    continue
                if self._on_signal is None:
                    self.code = 128 + number
                    self._give_up()
                elif not self._heard:
                    self._heard = True
                    self.within(LAST_SECONDS, 128 + number)
                    self._on_signal()
                    # Last of all: nobody may be reading stderr, and then this waits for ever.
                    with contextlib.suppress(Exception):
                        log.info("ending on %s", signal.Signals(number).name)

    def _give_up(self) -> None:
        # Without a flush of stderr: it may be closed, full or unread, and is written line by line anyway.
        with contextlib.suppress(Exception):
            end_children()
        os._exit(self.code)


_held = threading.local()


def _hold() -> None:
    _held.mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))


def _release() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _held.mask)


def _hear_nothing() -> None:
    # In a child, the thread that forked is the main one, whatever it was before.
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _release()


def end_children() -> None:
    """End every process that this one started and that still runs: SIGTERM, a moment, SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        until = time.monotonic() + CHILDREN_SECONDS
        while _children() and time.monotonic() < until:
            time.sleep(0.01)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    pass


def _children() -> list[int]:
    tasks = Path(f"/proc/{os.getpid()}/task")
    if tasks.exists():
        listed = " ".join(_read(task / "children") for task in tasks.iterdir())
    else:  # macOS
        try:
            command = ["/usr/bin/pgrep", "-P", str(os.getpid())]
            listed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1).stdout
        except (OSError, subprocess.TimeoutExpired):
            return []
    return [int(pid) for pid in listed.split()]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:  # the thread has ended meanwhile
        return ""
