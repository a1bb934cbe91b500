"""Reads a file below a folder without following a link, whatever has become of the names on the way."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from agenthost_skillcentral.model import Signature

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_file(top: Path, path: str, limit: int) -> tuple[bytes, Signature]:
    """The bytes of a file, and its signature when they were read.

    Args:
        top: a folder, which may itself be a link.
        path: the file below it, with `/` between names.
        limit: bytes; of a larger file one byte more is read.

    Raises:
        OSError: there is no such file, or it cannot be read.
    """
    *folders, name = path.split("/")
    if not {"", ".", ".."}.isdisjoint((*folders, name)):
        raise _no_file(path)
    with contextlib.ExitStack() as opened:
        folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, folder)
        for below in folders:
            folder = os.open(below, _FOLDER, dir_fd=folder)
            opened.callback(os.close, folder)
        file = os.open(name, _FILE, dir_fd=folder)
        opened.callback(os.close, file)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise _no_file(path)
        with os.fdopen(file, "rb", closefd=False) as stream:
            return stream.read(limit + 1), signature_of(status)


def signature_of(status: os.stat_result) -> Signature:
    """What differs when the file has changed."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _no_file(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
