"""What a server run warned about: kept on disk while it serves, so that the doctor can tell it afterwards."""

from __future__ import annotations

import json
import logging
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOGGER = "agenthost"
"""The host's own logger. Those of plugins are below it and not kept, since they may tell what calls were about."""

LINES = 200
"""The most lines that are kept of one run."""

ALIKE = 10
"""The most that are kept of one kind about one thing, so that a tool that always crashes hides nothing else."""

CHARACTERS = 1_000
"""The most that is kept of one line."""

LARGEST = 1_000_000
"""Bytes from which a run that begins to write forgets the runs before it."""


def last_run_file(folder: Path) -> Path:
    """Where it is kept in this state folder."""
    return folder / "host" / "last-run.jsonl"


@contextmanager
def recording(folder: Path) -> Iterator[None]:
    """Keep what the host warns about in the block; a run without a warning makes no file."""
    recorder = Recorder(last_run_file(folder))
    logger = logging.getLogger(LOGGER)
    logger.addHandler(recorder)
    try:
        yield
    finally:
        logger.removeHandler(recorder)
        recorder.close()


class Recorder(logging.Handler):
    """Appends each distinct warning to a file, without arguments of calls and without tracebacks.

    Several servers may write to one file: each line names its run, and is appended by one write. A
    file that cannot be written costs its lines, and nothing else.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(logging.WARNING)
        self._path = file
        self._run = {"begun": _moment(time.time()), "pid": os.getpid()}
        self._file: int | None = None
        self._kept: set[str] = set()
        self._alike: Counter[tuple[str, str]] = Counter()
        self._more = self._more_written = 0
        self._over = False

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line, or count it."""
        if record.name != LOGGER or self._over:
            return
        try:
            self._keep(record)
        except Exception:  # noqa: BLE001  (what is wrong with a note must not disturb the server; stderr has the line)
            self._over = True

    def close(self) -> None:
        """Write how many lines were not kept, and close the file."""
        self.acquire()
        try:
            over, self._over = self._over, True
            if self._file is not None:
                with suppress(OSError):
                    if not over and self._more > self._more_written:
                        self._write({"more": self._more})
                os.close(self._file)
                self._file = None
        finally:
            self.release()
        super().close()

    def _keep(self, record: logging.LogRecord) -> None:
        text = record.getMessage()[:CHARACTERS]
        if text in self._kept:
            return
        about = str(record.args[0]) if isinstance(record.args, tuple) and record.args else ""
        kind = (str(record.msg), about)
        if len(self._kept) < LINES and self._alike[kind] < ALIKE:
            self._kept.add(text)
            self._alike[kind] += 1
            self._write({"at": _moment(record.created), "level": record.levelname.lower(), "text": text})
            return
        self._more += 1
        if self._more & (self._more - 1) == 0:  # now and then, since a process that is killed cannot do it at its end
            self._more_written = self._more
            self._write({"more": self._more})

    def _write(self, members: dict[str, Any]) -> None:
        if self._file is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            if os.fstat(self._file).st_size > LARGEST:
                os.ftruncate(self._file, 0)
        line = json.dumps({**self._run, **members}).encode() + b"\n"
        if os.write(self._file, line) < len(line):
            raise OSError("there is no room")


@dataclass(frozen=True)
class Warned:
    """One line of a run.

    Attributes:
        at: when, in UTC.
        level: `warning` or `error`.
        text: what was logged.
    """

    at: str
    level: str
    text: str


@dataclass(frozen=True)
class Run:
    """A server run that had something to report.

    Attributes:
        begun: when it began, in UTC.
        pid: its process.
        warned: its lines, in order.
        more: how many further lines there were, at least.
    """

    begun: str
    pid: int
    warned: tuple[Warned, ...]
    more: int


def read_last_run(folder: Path) -> Run | None:
    """The newest run that is kept in this state folder; None if none has warned about anything.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        lines = last_run_file(folder).read_bytes().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    warned: dict[tuple[str, int], list[Warned]] = {}
    more: Counter[tuple[str, int]] = Counter()
    for line in lines:
        match _parse(line):
            case {"begun": str(begun), "pid": int(pid), "at": str(at), "level": str(level), "text": str(text)}:
                warned.setdefault((begun, pid), []).append(Warned(at, level, text))
            case {"begun": str(begun), "pid": int(pid), "more": int(count)}:
                more[begun, pid] = count
            case _:
                pass  # cut off, when the disk was full
    if not warned:
        return None
    newest = max(warned)
    return Run(*newest, tuple(warned[newest]), more[newest])


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _moment(seconds: float) -> str:
    """`2026-11-30 19:02:05.123`: in UTC, and in the order of time as text."""
    return f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(seconds))}.{int(seconds % 1 * 1000):03d}"
