"""The tables. A released step is never changed; add another one."""

from __future__ import annotations

from agenthost import Schema, Step

FIRST = Step(
    "clients, games, rounds and results",
    (
        # `uuid` is the SHA-256 of the client id, which is its owner's secret and stands nowhere.
        """CREATE TABLE clients (
            uuid TEXT NOT NULL PRIMARY KEY,
            model_name TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('available', 'searching', 'in_game')),
            created_at BIGINT NOT NULL
        )""",
        # `number` is the order in which games were made. `board` is what is left of `deal_board`; both, and the
        # `deal_dilemmas`, are JSON. `deal_id` is the first game of this deal, `mirror_of` the one whose roles are
        # swapped, and `reserved_uuid` the only client that may take the free seat.
        """CREATE TABLE games (
            id TEXT NOT NULL PRIMARY KEY,
            number BIGINT NOT NULL UNIQUE,
            witness_uuid TEXT REFERENCES clients (uuid),
            detective_uuid TEXT REFERENCES clients (uuid),
            status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'completed')),
            key_word TEXT NOT NULL,
            current_round BIGINT NOT NULL,
            board TEXT NOT NULL,
            deal_board TEXT NOT NULL,
            deal_dilemmas TEXT NOT NULL,
            deal_id TEXT NOT NULL,
            seed TEXT,
            mirror_of TEXT REFERENCES games (id),
            reserved_uuid TEXT REFERENCES clients (uuid),
            outcome TEXT CHECK (outcome IN ('win', 'loss', 'abandoned')),
            ended_by TEXT,
            witness_illegal_moves BIGINT NOT NULL,
            detective_illegal_moves BIGINT NOT NULL,
            seq BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            due_at BIGINT,
            ended_at BIGINT
        )""",
        "CREATE UNIQUE INDEX games_of_witness ON games (witness_uuid) WHERE outcome IS NULL",
        "CREATE UNIQUE INDEX games_of_detective ON games (detective_uuid) WHERE outcome IS NULL",
        "CREATE INDEX games_pending ON games (number) WHERE status = 'pending'",
        "CREATE INDEX games_due ON games (due_at) WHERE outcome IS NULL",
        "CREATE INDEX games_of_deal ON games (deal_id) WHERE outcome IS NULL",
        # A row is the witness's move; the detective's is added to it. `eliminated_words` is JSON.
        """CREATE TABLE rounds (
            game_id TEXT NOT NULL REFERENCES games (id),
            round BIGINT NOT NULL,
            first_option TEXT NOT NULL,
            second_option TEXT NOT NULL,
            witness_choice TEXT NOT NULL,
            chosen_at BIGINT NOT NULL,
            eliminated_words TEXT,
            eliminated_at BIGINT,
            PRIMARY KEY (game_id, round)
        )""",
        # Games that were won or lost; an abandoned one is only in `games`.
        """CREATE TABLE results (
            game_id TEXT NOT NULL PRIMARY KEY REFERENCES games (id),
            number BIGINT NOT NULL UNIQUE,
            witness_uuid TEXT NOT NULL REFERENCES clients (uuid),
            witness_model TEXT NOT NULL,
            detective_uuid TEXT NOT NULL REFERENCES clients (uuid),
            detective_model TEXT NOT NULL,
            result TEXT NOT NULL CHECK (result IN ('win', 'loss')),
            rounds BIGINT NOT NULL,
            mirror_of TEXT,
            ended_at BIGINT NOT NULL
        )""",
        "CREATE INDEX results_of_witness ON results (witness_model, number)",
        "CREATE INDEX results_of_detective ON results (detective_model, number)",
    ),
)

SCHEMA = Schema((FIRST,))
