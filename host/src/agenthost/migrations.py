"""What a plugin's tables look like: an ordered ladder of steps, each run once per database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One migration.

    Attributes:
        note: what it does, for people.
        statements: SQL, one statement each, in the subset that SQLite and PostgreSQL share: keys
            TEXT or BIGINT NOT NULL, times BIGINT in milliseconds, no rowid, no AUTOINCREMENT.
    """

    note: str
    statements: tuple[str, ...]


@dataclass(frozen=True)
class Schema:
    """All migrations of a plugin, oldest first. A released step is never changed; add another one."""

    steps: tuple[Step, ...]
