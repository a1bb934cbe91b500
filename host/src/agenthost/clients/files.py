"""Files that belong to somebody else: read with care, replaced whole or not at all, with a copy kept beside."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agenthost.errors import AgenthostError

LARGEST = 16 * 1024 * 1024
"""Bytes; a configuration file that is larger is not what it seems to be."""


class LeftAlone(AgenthostError):
    """The operator reads it: why a file was not changed. Nothing was written."""


class NotOurs(LeftAlone):
    """There is an entry of that name which is for something else."""


class Changed(AgenthostError):
    """Somebody else has changed the file in the meantime; nothing was written. Try again."""


@dataclass(frozen=True)
class Snapshot:
    """A file as it was read.

    Attributes:
        path: as it was asked for.
        real: where it really is, links followed.
        data: what is in it; None if there is no such file.
        status: owner, mode and the like; None if there is no such file.
    """

    path: Path
    real: Path
    data: bytes | None
    status: os.stat_result | None

    @property
    def text(self) -> str:
        """What is in it, a byte order mark included; an empty text if there is no such file.

        Raises:
            LeftAlone: it is not UTF-8.
        """
        try:
            return (self.data or b"").decode("utf-8")
        except UnicodeDecodeError:
            raise LeftAlone("it is not UTF-8 text") from None


def read(path: Path) -> Snapshot:
    """Read a file that may not be there.

    Raises:
        LeftAlone: it cannot be read, or it is no plain file of a reasonable size.
    """
    try:
        real = path.resolve()
        status = real.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise LeftAlone(f"it is a link to {real}, which does not exist") from None
        return Snapshot(path, real, None, None)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, before Python 3.13
        raise LeftAlone(f"it cannot be read ({_reason(error)})") from error
    if not stat.S_ISREG(status.st_mode):
        raise LeftAlone("it is not a plain file")
    if status.st_size > LARGEST:
        raise LeftAlone(f"it is larger than {LARGEST // 1024 // 1024} MiB")
    try:
        return Snapshot(path, real, real.read_bytes(), status)
    except OSError as error:
        raise LeftAlone(f"it cannot be read ({_reason(error)})") from error


def require_writable(snapshot: Snapshot) -> None:
    """Refuse what cannot be replaced, or not without loss.

    Raises:
        LeftAlone: file or folder are read-only, or the file has a second name.
    """
    folder = snapshot.real.parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise LeftAlone(f"{folder} is not a folder")
    # The bits are looked at too, because for root everything is writable.
    if not os.access(folder, os.W_OK | os.X_OK) or not folder.stat().st_mode & 0o222:
        raise LeftAlone(f"the folder {folder} is read-only")
    if snapshot.status is None:
        return
    if not os.access(snapshot.real, os.W_OK) or not snapshot.status.st_mode & 0o222:
        raise LeftAlone("it is read-only")
    if snapshot.status.st_nlink > 1:
        raise LeftAlone("it has a second name (a hard link), which would be cut off from it")


def keep_copy(snapshot: Snapshot) -> Path | None:
    """Write a copy of the file beside it, with its mode and owner; None if there is no file.

    Raises:
        LeftAlone: that cannot be done.
    """
    if snapshot.data is None:
        return None
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    for number in range(1000):
        counted = f"-{number}" if number else ""
        copy = snapshot.real.with_name(f"{snapshot.real.name}.agenthost-{stamp}{counted}.bak")
        try:
            descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        except OSError as error:
            raise LeftAlone(f"no copy of it can be made ({_reason(error)})") from error
        try:
            _fill(descriptor, snapshot.data)
            _take_over(snapshot, copy)
        except OSError as error:
            copy.unlink()
            raise LeftAlone(f"no copy of it can be made ({_reason(error)})") from error
        return copy
    raise LeftAlone("no copy of it can be made (too many are there already)")


def copies(snapshot: Snapshot) -> list[str]:
    """The texts of all copies beside the file, the latest name first."""
    found = snapshot.real.parent.glob(f"{_literal(snapshot.real.name)}.agenthost-*.bak")
    texts = []
    for copy in sorted(found, reverse=True):
        with contextlib.suppress(LeftAlone):
            texts.append(read(copy).text)
    return texts


def replace(snapshot: Snapshot, text: str, *, private: bool) -> None:
    """Put `text` in place of what was read, in one step; mode and owner stay.

    Args:
        snapshot: what was read.
        text: the new content.
        private: a new file is to be readable by its owner alone.

    Raises:
        Changed: the file is no longer as it was read.
        LeftAlone: it cannot be done.
    """
    real = snapshot.real
    temporary: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{real.name}.", suffix=".tmp", dir=real.parent)
        temporary = Path(name)
        _fill(descriptor, text.encode())
        if snapshot.status is not None:
            _take_over(snapshot, temporary)
            os.utime(temporary)
        elif not private:
            temporary.chmod(0o666 & ~_umask())
        require_same(snapshot)
        temporary.replace(real)
        temporary = None
        _sync_folder(real.parent)
    except OSError as error:
        raise LeftAlone(f"it cannot be written ({_reason(error)})") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def delete(snapshot: Snapshot) -> None:
    """Delete the file that was read.

    Raises:
        Changed: it is no longer as it was read.
        LeftAlone: it cannot be done.
    """
    require_same(snapshot)
    try:
        snapshot.real.unlink()
        _sync_folder(snapshot.real.parent)
    except OSError as error:
        raise LeftAlone(f"it cannot be deleted ({_reason(error)})") from error


def require_same(snapshot: Snapshot) -> None:
    """Check that the file is still what was read.

    Raises:
        Changed: it is not.
    """
    now = read(snapshot.path)
    if (now.real, now.data) != (snapshot.real, snapshot.data):
        raise Changed(f"{snapshot.path} was changed by another program at the same moment")


def _fill(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _take_over(snapshot: Snapshot, path: Path) -> None:
    """Give `path` the owner, mode, times and extended attributes of the file that was read."""
    assert snapshot.status is not None
    made = path.stat()
    if (made.st_uid, made.st_gid) != (snapshot.status.st_uid, snapshot.status.st_gid):
        os.chown(path, snapshot.status.st_uid, snapshot.status.st_gid)
    shutil.copystat(snapshot.real, path)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _literal(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
