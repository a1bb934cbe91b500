"""The tables. A released step is never changed; add another one."""

from __future__ import annotations

from agenthost import Schema, Step

FIRST = Step(
    "fires, messages, plans and duels",
    (
        # `number` is the order in which fires were made, `last_seq` the newest number given out at this fire.
        """CREATE TABLE fires (
            id TEXT NOT NULL PRIMARY KEY,
            number BIGINT NOT NULL UNIQUE,
            last_seq BIGINT NOT NULL,
            created_at BIGINT NOT NULL
        )""",
        # `author_key` is what names are compared by; '' is nobody.
        """CREATE TABLE messages (
            fire_id TEXT NOT NULL REFERENCES fires (id),
            seq BIGINT NOT NULL,
            id TEXT NOT NULL UNIQUE,
            author TEXT,
            author_key TEXT NOT NULL,
            text TEXT NOT NULL,
            reply_to TEXT,
            client_id TEXT,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (fire_id, seq)
        )""",
        "CREATE INDEX messages_by_author ON messages (fire_id, author_key, seq)",
        """CREATE UNIQUE INDEX messages_by_client_id ON messages (fire_id, author_key, client_id)
            WHERE client_id IS NOT NULL""",
        """CREATE TABLE plan_revisions (
            fire_id TEXT NOT NULL REFERENCES fires (id),
            revision BIGINT NOT NULL,
            seq BIGINT NOT NULL,
            content TEXT NOT NULL,
            author TEXT,
            reason TEXT NOT NULL,
            duel_id TEXT,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (fire_id, revision)
        )""",
        "CREATE UNIQUE INDEX plan_revisions_by_seq ON plan_revisions (fire_id, seq)",
        """CREATE TABLE duels (
            id TEXT NOT NULL PRIMARY KEY,
            fire_id TEXT NOT NULL REFERENCES fires (id),
            seq BIGINT NOT NULL,
            challenger TEXT NOT NULL,
            defender TEXT NOT NULL,
            judge TEXT,
            thesis TEXT NOT NULL,
            turn TEXT NOT NULL,
            surrendered BOOLEAN NOT NULL,
            outcome TEXT,
            winner TEXT,
            created_at BIGINT NOT NULL,
            due_at BIGINT,
            closed_at BIGINT
        )""",
        "CREATE UNIQUE INDEX duels_by_seq ON duels (fire_id, seq)",
        "CREATE UNIQUE INDEX duels_going_on ON duels (fire_id) WHERE outcome IS NULL",
        "CREATE INDEX duels_due ON duels (due_at) WHERE outcome IS NULL",
        # `role` and `name` are who acted, or, where a duel expired, who was awaited.
        """CREATE TABLE duel_steps (
            fire_id TEXT NOT NULL REFERENCES fires (id),
            seq BIGINT NOT NULL,
            duel_id TEXT NOT NULL REFERENCES duels (id),
            kind TEXT NOT NULL,
            role TEXT,
            name TEXT,
            text TEXT,
            surrender BOOLEAN,
            winner TEXT,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (fire_id, seq)
        )""",
        "CREATE INDEX duel_steps_by_duel ON duel_steps (duel_id, seq)",
    ),
)

SCHEMA = Schema((FIRST,))
