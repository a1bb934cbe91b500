"""The SQLite engine: one file per plugin, WAL, and a lock file that makes many processes safe and fair.

SQLite before 3.51.3 can corrupt a WAL database that several processes checkpoint, and the first
switch to WAL ignores the busy time-out; the lock covers opening, writing, checkpoints and closing.
Waiting for the lock is first come, first served, where SQLite's own waiting is a lottery.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from agenthost.errors import StorageError
from agenthost.migrations import Schema, Step
from agenthost.storage.store import Transaction

R = TypeVar("R")

TYPES = {"BIGINT": "INTEGER", "DOUBLE PRECISION": "REAL", "BYTEA": "BLOB", "BOOLEAN": "INTEGER"}
"""Type names of the shared subset, and what they are in SQLite's strict tables."""

FOREIGN_WAIT = 5.0
"""Seconds to wait for a program that writes to the file without our lock."""

TOPICS = "CREATE TABLE IF NOT EXISTS agenthost_topics (topic TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT"


class SqliteEngine:
    """The database of one plugin in one file; see `Engine`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock_path = path.with_name(f"{path.name}.lock")
        self._lock_file: int | None = None
        self._connection: sqlite3.Connection | None = None
        # A child made by fork shares the open file, and would keep the lock when this process has died.
        os.register_at_fork(after_in_child=self._forget_lock)

    def lock(self) -> None:
        """See `Engine`."""
        if self._lock_file is None:
            with explained(self.path):
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._lock_file = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock_file, fcntl.LOCK_EX)
        os.pwrite(self._lock_file, f"{os.getpid():<20}".encode(), 0)

    def unlock(self) -> None:
        """See `Engine`."""
        if self._lock_file is not None:
            fcntl.flock(self._lock_file, fcntl.LOCK_UN)

    def holder(self) -> str:
        """See `Engine`."""
        try:
            pid = self._lock_path.read_text(encoding="ascii").strip()
        except OSError:
            pid = ""
        return f"process {pid} holds {self._lock_path}" if pid and pid != str(os.getpid()) else "it is busy"

    def open(self, schema: Schema) -> None:
        """See `Engine`."""
        with explained(self.path):
            is_new = not self.path.exists()
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            connection = sqlite3.connect(self.path, isolation_level=None, timeout=FOREIGN_WAIT)
            try:
                connection.row_factory = _row
                self._use_wal(connection)
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
                self._migrate(connection, schema, is_new=is_new)
            except BaseException:
                connection.close()
                raise
            self._connection = connection

    def write(self, function: Callable[[Transaction], R]) -> tuple[R, set[str]]:
        """See `Engine`."""
        with explained(self.path):
            transaction = _SqliteTransaction(self._open_connection)
            with self._transaction("BEGIN IMMEDIATE"):
                result = function(transaction)
            return result, transaction.topics

    def read(self, function: Callable[[Transaction], R]) -> R:
        """See `Engine`."""
        connection = self._open_connection
        with explained(self.path), self._transaction("BEGIN"):
            connection.execute("PRAGMA query_only = ON")
            try:
                return function(_SqliteTransaction(connection))
            finally:
                connection.execute("PRAGMA query_only = OFF")

    def topic(self, topic: str) -> int:
        """See `Engine`."""
        with explained(self.path):
            row = _SqliteTransaction(self._open_connection).one(
                "SELECT number FROM agenthost_topics WHERE topic = :topic", {"topic": topic}
            )
        return 0 if row is None else int(row["number"])

    def version(self) -> int:
        """See `Engine`."""
        return int(self._open_connection.execute("PRAGMA data_version").fetchone()["data_version"])

    def close(self) -> None:
        """See `Engine`."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StorageError(f"{self.path} is not open")
        return self._connection

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Any:
        connection = self._open_connection
        connection.execute(begin)
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            # A full disk may have rolled back already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        # Read back, since some file systems refuse it without an error.
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()["journal_mode"]
        if mode != "wal":
            raise StorageError(
                f"{self.path}: the file system does not support SQLite's WAL mode (it stays {mode!r}). "
                "Give a folder on a local disk with --state-dir."
            )

    def _migrate(self, connection: sqlite3.Connection, schema: Schema, *, is_new: bool) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()["user_version"]
        if version > len(schema.steps):
            raise StorageError(
                f"{self.path} was written by a newer version of the plugin (schema {version}; this one knows "
                f"{len(schema.steps)}). Install the newer version again, or give another folder with --state-dir."
            )
        if version == len(schema.steps) and not is_new:
            return
        if 0 < version < len(schema.steps):
            self._copy_before_upgrade(connection, version)
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(TOPICS)
            for number, step in enumerate(schema.steps[version:], start=version + 1):
                self._apply(connection, number, step)
            connection.execute(f"PRAGMA user_version = {len(schema.steps)}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _apply(self, connection: sqlite3.Connection, number: int, step: Step) -> None:
        for statement in step.statements:
            try:
                connection.execute(to_sqlite(statement))
            except sqlite3.Error as error:
                raise StorageError(
                    f"{self.path}: step {number} ({step.note}) failed with {error}; the data is as it was. "
                    "This is a fault of the plugin: report it, and go back to the version before."
                ) from error

    def _copy_before_upgrade(self, connection: sqlite3.Connection, version: int) -> None:
        copy = self.path.with_name(f"{self.path.stem}.before-schema-{version + 1}.db")
        if copy.exists():
            return
        partial = copy.with_suffix(".partial")
        partial.unlink(missing_ok=True)
        connection.execute("VACUUM INTO :path", {"path": str(partial)})
        partial.chmod(0o600)
        partial.rename(copy)

    def _forget_lock(self) -> None:
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None


class _SqliteTransaction:
    """A `Transaction` on an open connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.topics: set[str] = set()

    def execute(self, sql: str, parameters: Mapping[str, Any] | None = None, /) -> int:
        return max(self._connection.execute(sql, parameters or {}).rowcount, 0)

    def one(self, sql: str, parameters: Mapping[str, Any] | None = None, /) -> Mapping[str, Any] | None:
        row: Mapping[str, Any] | None = self._connection.execute(sql, parameters or {}).fetchone()
        return row

    def all(self, sql: str, parameters: Mapping[str, Any] | None = None, /) -> list[Mapping[str, Any]]:
        return self._connection.execute(sql, parameters or {}).fetchall()

    def changed(self, topic: str, /) -> int:
        row = self.one(
            "INSERT INTO agenthost_topics (topic, number) VALUES (:topic, 1) "
            "ON CONFLICT (topic) DO UPDATE SET number = agenthost_topics.number + 1 RETURNING number",
            {"topic": topic},
        )
        assert row is not None
        self.topics.add(topic)
        return int(row["number"])


def to_sqlite(statement: str) -> str:
    """A statement of the shared subset as SQLite wants it: its type names, and strict tables."""
    for name, ours in TYPES.items():
        statement = re.sub(rf"\b{name}\b", ours, statement, flags=re.IGNORECASE)
    if re.match(r"\s*CREATE\s+TABLE\b", statement, re.IGNORECASE):
        statement = f"{statement.rstrip().rstrip(';')} STRICT"
    return statement


def _row(cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> dict[str, Any]:
    return {description[0]: value for description, value in zip(cursor.description, values, strict=True)}


@contextlib.contextmanager
def explained(path: Path) -> Any:
    """SQLite's and the system's errors as texts that say what happened to the data."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL:
            text = "the disk is full; this call saved nothing, and what was saved before is intact. Free some space."
        elif code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            text = f"the file is damaged or no database ({error}). Restore a backup, or move it away to begin anew."
        elif code is not None and code & 0xFF == sqlite3.SQLITE_BUSY:
            text = "another program is writing to the file without agenthost's lock; this call saved nothing. End it."
        elif code is not None and code & 0xFF in (
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_IOERR,
        ):
            text = f"the file cannot be used ({error}). Check the folder's owner, mode and disk."
        else:
            raise
        raise StorageError(f"{path}: {text}") from error
    except OSError as error:
        raise StorageError(
            f"{path}: {error.strerror}. Check the folder's owner and mode, or give --state-dir."
        ) from error
