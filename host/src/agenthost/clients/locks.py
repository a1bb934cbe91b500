"""One at a time: no other run of this program changes a file now, and no client that has a lock of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from agenthost.clients.files import LeftAlone

PATIENCE = 90.0
"""Seconds to wait for another run of this program that changes the same folder; a client's command may take 60."""

CLIENTS_PATIENCE = 12.0
"""Seconds to wait for a client; it holds its lock for milliseconds, and calls it abandoned itself after ten seconds."""


@contextlib.contextmanager
def locked(path: Path, *, make: bool, suffix: str | None = None) -> Iterator[None]:
    """Let nobody else change the file at `path`: no other run of this program, and no client that asks for its lock.

    Args:
        path: the file.
        make: whether its folder is made if it is missing.
        suffix: what the client puts behind the file's name for its own lock, a folder; None if it has no lock.

    Raises:
        LeftAlone: the folder cannot be made, or the other one does not end.
    """
    real = path.resolve()
    try:
        if make:
            real.parent.mkdir(parents=True, exist_ok=True)
        # The folder itself is locked, so that no lock file is left in somebody else's folder.
        descriptor = os.open(real.parent, os.O_RDONLY)
    except FileNotFoundError:
        yield  # nothing is there, and nothing will be made
        return
    except OSError as error:
        raise LeftAlone(f"the folder {real.parent} cannot be used ({error.strerror})") from error
    try:
        _wait_for_lock(descriptor, real.parent)
        with contextlib.nullcontext() if suffix is None else _clients_lock(real.with_name(real.name + suffix)):
            yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise LeftAlone(
                    f"another run of agenthost install has been busy in {folder} for {PATIENCE:g} s"
                ) from None
            time.sleep(0.02)
        except OSError:  # a file system without locks; `replace` still sees a change that was made meanwhile
            return
        else:
            return


@contextlib.contextmanager
def _clients_lock(lock: Path) -> Iterator[None]:
    """Hold a client's own lock: a folder with one file in it, the owner, that comes into being by a rename."""
    token = f"{os.getpid()}.{time.time_ns() // 1_000_000}.{uuid.uuid4().hex}"
    owner = f"owner.{token}"
    staged = lock.with_name(f"{lock.name}.tmp.{token}")
    try:
        try:
            staged.mkdir()
            (staged / owner).write_text(token, encoding="utf-8")
        except OSError as error:
            raise LeftAlone(f"the client's lock {lock} cannot be made ({error.strerror})") from error
        end = time.monotonic() + CLIENTS_PATIENCE
        while True:
            try:
                staged.rename(lock)  # fails while there is one, since that is not empty
                break
            except OSError as error:
                if time.monotonic() > end:
                    raise LeftAlone(
                        f"the client keeps it locked: {lock}. If the client does not run, delete that folder"
                    ) from error
                time.sleep(0.02)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
    try:
        yield
    finally:
        # The client may have taken a lock for abandoned that was held for long; then the folder is another's.
        with contextlib.suppress(OSError):
            (lock / owner).unlink()
            lock.rmdir()
