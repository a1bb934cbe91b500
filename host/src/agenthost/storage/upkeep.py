"""What an operator does with databases: look whether they are sound, and copy them while servers run."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agenthost.errors import StorageError
from agenthost.storage.sqlite import SqliteEngine, explained

LOCK_IS_NEEDED_BEFORE = (3, 51, 3)
"""SQLite before this version can corrupt a WAL database that several processes checkpoint; our lock prevents it."""


@dataclass(frozen=True)
class Inspection:
    """The state of one database.

    Attributes:
        path: its file.
        size: bytes of the file and of its write-ahead log.
        schema: how many steps of the plugin's ladder it has.
        journal: the journal mode; `wal` is right.
        faults: what `PRAGMA quick_check` says; empty if it is sound.
    """

    path: Path
    size: int
    schema: int
    journal: str
    faults: list[str]


def databases(folder: Path) -> list[Path]:
    """The plugins' databases in a state folder, by name; not the copies that were made before upgrades."""
    return sorted(path for path in folder.glob("*.db") if ".before-schema-" not in path.name)


def inspect_database(path: Path) -> Inspection:
    """Look at a database; it may be in use.

    Raises:
        StorageError: it cannot be read, or is no database.
    """
    with _opened(path) as connection:
        faults = [str(row[0]) for row in connection.execute("PRAGMA quick_check(5)")]
        [schema] = connection.execute("PRAGMA user_version").fetchone()
        [journal] = connection.execute("PRAGMA journal_mode").fetchone()
    log = path.with_name(f"{path.name}-wal")
    size = path.stat().st_size + (log.stat().st_size if log.exists() else 0)
    return Inspection(path, size, schema, journal, [] if faults == ["ok"] else faults)


def copy_database(path: Path, target: Path) -> None:
    """Copy a database as it is at one moment, while servers read and write it; the copy has mode 0600.

    Raises:
        StorageError: `target` is there already, or the database cannot be read or the copy written.
    """
    if target.exists():
        raise StorageError(f"{target} is there already; nothing was copied over it. Give a new folder.")
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with _opened(path) as connection:
            connection.execute("VACUUM INTO :target", {"target": str(partial)})
        with explained(target):
            partial.chmod(0o600)
            with partial.open("rb") as file:
                os.fsync(file.fileno())
            partial.rename(target)
    finally:
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading, opened and closed with the lock held: closing may write the log back."""
    engine = SqliteEngine(path)
    with explained(path), contextlib.ExitStack() as stack:
        if not path.is_file():
            raise StorageError(f"{path} is no file")
        engine.lock()
        try:
            connection = sqlite3.connect(path, isolation_level=None, timeout=5)
        finally:
            engine.unlock()

        def close() -> None:
            engine.lock()
            try:
                connection.close()
            finally:
                engine.unlock()

        stack.callback(close)
        yield connection
