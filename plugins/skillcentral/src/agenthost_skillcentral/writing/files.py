"""Files that are replaced as a whole: after a crash at any moment there is the old one or the new one.

A change leaves a note beside the file before it begins and takes it away when it is done. Who finds a note and gets the
lock of its folder knows that its writer is dead, and from the file how far it came.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agenthost_skillcentral.writing.places import NotWritten

PATIENCE = 10.0
"""Seconds to wait for another process that writes in the same folder."""

MAX_BYTES = 16 * 1024 * 1024
"""The largest file that is read here."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_STAMP = r"\d{8}T\d{6}Z-[0-9a-f]{8}"
_OURS = re.compile(rf"\.(?P<name>.+)\.(?P<stamp>{_STAMP})\.(?P<kind>writing|new|removed)")
_BACKUP = re.compile(rf"(?P<name>.+)\.bak\.{_STAMP}")


@dataclass(frozen=True)
class Leftover:
    """What a writer left that did not come to its end; `str()` is a line for people.

    Attributes:
        file: the file or folder that it was about, absolute.
        outcome: what became of it.
        names: of what was left beside it.
    """

    file: Path
    outcome: str
    names: tuple[str, ...]


def sha256(data: bytes) -> str:
    """The SHA-256 of a file's content, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def stamp() -> str:
    """A name for one change: when, and a number nobody else has."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


def backup_of(name: str) -> str | None:
    """The name of the file of which a file of this name is a backup; None if it is none."""
    match = _BACKUP.fullmatch(name)
    return match["name"] if match else None


@contextmanager
def locked(folder: int) -> Iterator[None]:
    """Be the only one that writes in a folder, of all processes.

    Raises:
        NotWritten: somebody else is writing there for too long.
    """
    until = time.monotonic() + PATIENCE
    while not _lock(folder):
        if time.monotonic() > until:
            raise NotWritten("another process is writing in the same folder; nothing was changed, try again")
        time.sleep(0.01)
    try:
        yield
    finally:
        fcntl.flock(folder, fcntl.LOCK_UN)


def read(folder: int, name: str) -> bytes | None:
    """A file's content; None if there is none.

    Raises:
        NotWritten: it is a link or no file, it is too large, or it cannot be read.
    """
    try:
        file = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotWritten(f'"{name}" is a link, and links are not followed') from error
        raise NotWritten(f'"{name}" cannot be read: {error.strerror}') from error
    with os.fdopen(file, "rb") as stream:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise NotWritten(f'"{name}" is no file')
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise NotWritten(f'"{name}" has more than {MAX_BYTES} bytes')
    return data


def replace(folder: int, name: str, before: bytes | None, after: bytes, *, keep: bool = True) -> str | None:
    """Give a file a new content, or make it. The folder has to be locked.

    Args:
        folder: the open folder.
        name: the file's name.
        before: what it holds now; None if there is no such file.
        after: what it is to hold.
        keep: make a backup of what is there.

    Returns:
        The name of the backup, which has the mode of the original; None if there is none.

    Raises:
        NotWritten: it cannot be written; everything is as it was.
    """
    own = stamp()
    note, new = f".{name}.{own}.writing", f".{name}.{own}.new"
    backup = f"{name}.bak.{own}" if keep and before is not None else None
    try:
        mode = None if before is None else stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        hashes = {"before": before and sha256(before), "after": sha256(after)}
        _create(folder, note, json.dumps(hashes).encode(), None)
        if backup is not None and before is not None:
            _create(folder, backup, before, mode)
        _create(folder, new, after, mode)
        os.fsync(folder)
        os.replace(new, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        for left in (new, backup, note):
            if left is not None:
                with suppress(OSError):
                    os.unlink(left, dir_fd=folder)
        raise NotWritten(f'"{name}" cannot be written: {error.strerror}; it is as it was') from error
    os.fsync(folder)
    os.unlink(note, dir_fd=folder)
    return backup


def remove(folder: int, name: str) -> None:
    """Remove a file, or a folder with all that is in it, at once. The folder around it has to be locked.

    Raises:
        NotWritten: it cannot be removed.
    """
    gone = f".{name}.{stamp()}.removed"
    try:
        os.rename(name, gone, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
        _delete(folder, gone)
    except OSError as error:
        raise NotWritten(f'"{name}" cannot be removed: {error.strerror}') from error


def leftovers(path: Path, *, clean: bool) -> list[Leftover]:
    """What dead writers left in a folder.

    Args:
        path: the folder.
        clean: take it away; what its file holds stays.
    """
    try:
        if not any(map(_OURS.fullmatch, os.listdir(path))):  # noqa: PTH208  (iterdir() takes five times as long)
            return []
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        if not _lock(folder):
            return []  # its writer is at work
        return _leftovers(folder, path, clean=clean)
    except NotWritten:
        return []
    finally:
        os.close(folder)


def _leftovers(folder: int, path: Path, *, clean: bool) -> list[Leftover]:
    groups: dict[tuple[str, str], dict[str, str]] = {}
    names = sorted(os.listdir(folder))
    for name in names:
        if match := _OURS.fullmatch(name):
            groups.setdefault((match["name"], match["stamp"]), {})[match["kind"]] = name
    found = []
    for (name, own), kinds in groups.items():
        written = "writing" in kinds and _was_written(folder, name, kinds["writing"])
        left = list(kinds.values())
        backup = f"{name}.bak.{own}"
        if "writing" in kinds and not written and backup in names:
            left.append(backup)
        found.append(Leftover(path / name, _outcome(kinds, written=written), tuple(left)))
        if clean:
            for item in sorted(left, key=lambda item: item.endswith(".writing")):  # the note goes last
                with suppress(OSError):
                    _delete(folder, item)
    return found


def _outcome(kinds: dict[str, str], *, written: bool) -> str:
    if "removed" in kinds:
        return "was removed by a process that was ended meanwhile"
    if written:
        return "was written whole by a process that was ended before it could say so"
    return "was about to be written by a process that was ended; it is as it was before"


def _was_written(folder: int, name: str, note: str) -> bool:
    """Does a file hold what the note of its writer says it should?"""
    try:
        hashes = json.loads(read(folder, note) or b"{}")
        data = read(folder, name)
    except (NotWritten, ValueError):
        return False
    return data is not None and isinstance(hashes, dict) and hashes.get("after") == sha256(data)


def _create(folder: int, name: str, data: bytes, mode: int | None) -> None:
    """Write a file that is not there yet, down to the disk; without a mode it gets the usual one."""
    file = os.open(name, _NEW, 0o666 if mode is None else 0o600, dir_fd=folder)
    try:
        if mode is not None:
            os.fchmod(file, mode)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)


def _delete(folder: int, name: str) -> None:
    if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def _lock(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:  # some network file systems lock no folders
        raise NotWritten(f"the folder cannot be locked: {error.strerror}; nothing was changed") from error
    return True
