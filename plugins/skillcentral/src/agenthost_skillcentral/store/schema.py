"""The tables. A released step is never changed; add another one."""

from __future__ import annotations

from agenthost import Schema, Step

FIRST = Step(
    "sessions of workflows, and what was published in them",
    (
        # `number` is the order in which sessions were made, `last_seq` the newest number given out in this one; `plan`
        # is the workflow as it was then, as JSON.
        """CREATE TABLE sessions (
            id TEXT NOT NULL PRIMARY KEY,
            number BIGINT NOT NULL UNIQUE,
            last_seq BIGINT NOT NULL,
            workflow_id TEXT NOT NULL,
            plan TEXT NOT NULL,
            status TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL
        )""",
        """CREATE TABLE audit (
            session_id TEXT NOT NULL REFERENCES sessions (id),
            seq BIGINT NOT NULL,
            old_status TEXT,
            new_status TEXT NOT NULL,
            reason TEXT NOT NULL,
            cause TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (session_id, seq)
        )""",
        # `content` and `refs` are JSON.
        """CREATE TABLE entries (
            session_id TEXT NOT NULL REFERENCES sessions (id),
            seq BIGINT NOT NULL,
            id TEXT NOT NULL UNIQUE,
            topic TEXT NOT NULL,
            producer TEXT NOT NULL,
            kind TEXT NOT NULL,
            content TEXT NOT NULL,
            summary TEXT,
            refs TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (session_id, seq)
        )""",
        "CREATE INDEX entries_by_topic ON entries (session_id, topic, seq)",
    ),
)

SCHEMA = Schema((FIRST,))
