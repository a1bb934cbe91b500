"""Duels: each step reads the duel, lets the rules decide, and writes the new state and what was said."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agenthost import ToolError

from agenthost_campfire.addresses import tell_of_duel
from agenthost_campfire.clock import now_ms
from agenthost_campfire.rules import duel as rules
from agenthost_campfire.rules.deadlines import Deadlines
from agenthost_campfire.rules.texts import same_name
from agenthost_campfire.store import plans
from agenthost_campfire.store.fires import create, next_seq, require

if TYPE_CHECKING:
    from agenthost import Transaction


class Overdue(Exception):
    """A duel's time is over, and that has not been written yet; see `access`."""

    def __init__(self, fire_id: str) -> None:
        super().__init__(fire_id)
        self.fire_id = fire_id


MAX_SHOWN = 100
"""Characters of an id that an error repeats."""


class UnknownDuel(ToolError):
    """The fire has no such duel."""

    def __init__(self, fire_id: str, duel_id: str) -> None:
        super().__init__(
            f"There is no duel {duel_id[:MAX_SHOWN]!r} at fire {fire_id!r}. campfire_list_duels shows its duels; "
            "without duelId, campfire_get_duel shows the one that is going on."
        )


@dataclass(frozen=True, slots=True)
class DuelRow:
    """A duel as it is kept.

    Attributes:
        seq: the number of its first step.
        rules: what decides about its next step.
        due_at: when it ends by itself, if it is not finished.
    """

    id: str
    fire_id: str
    seq: int
    rules: rules.Duel
    thesis: str
    created_at: int
    due_at: int | None
    closed_at: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """What a step adds to the record of its duel; see the table `duel_steps`."""

    kind: str
    role: rules.Role | None
    name: str | None
    text: str | None = None
    surrender: bool | None = None
    winner: rules.Side | None = None


def current(tx: Transaction, fire_id: str) -> DuelRow | None:
    """The duel that is going on at a fire.

    Raises:
        Overdue: its time is over.
    """
    row = tx.one("SELECT * FROM duels WHERE fire_id = :fire AND outcome IS NULL", {"fire": fire_id})
    if row is None:
        return None
    if row["due_at"] is not None and row["due_at"] <= now_ms():
        raise Overdue(fire_id)
    return _read(row)


def rules_now(tx: Transaction, fire_id: str) -> rules.Duel | None:
    """What the rules say about the duel that is going on at a fire.

    Raises:
        Overdue: its time is over.
    """
    row = current(tx, fire_id)
    return row.rules if row is not None else None


def get(tx: Transaction, fire_id: str, duel_id: str) -> DuelRow | None:
    """One duel of a fire."""
    row = tx.one("SELECT * FROM duels WHERE id = :id AND fire_id = :fire", {"id": duel_id, "fire": fire_id})
    return _read(row) if row is not None else None


def newest(tx: Transaction, fire_id: str, limit: int) -> list[DuelRow]:
    """The newest duels of a fire, oldest first."""
    rows = tx.all(
        "SELECT * FROM duels WHERE fire_id = :fire ORDER BY seq DESC LIMIT :limit", {"fire": fire_id, "limit": limit}
    )
    return [_read(row) for row in reversed(rows)]


def steps(tx: Transaction, duel_id: str) -> list[Mapping[str, Any]]:
    """The rows of all steps of a duel, in order."""
    return tx.all("SELECT * FROM duel_steps WHERE duel_id = :duel ORDER BY seq", {"duel": duel_id})


def throw_gauntlet(
    tx: Transaction, fire_id: str, challenger: str, target: str, thesis: str, deadlines: Deadlines
) -> tuple[DuelRow, bool]:
    """Begin a duel; also returns whether the fire had to be made.

    Raises:
        DuelRefused: the rules do not allow it.
    """
    begun = rules.throw_gauntlet(rules_now(tx, fire_id), challenger, target)
    created = create(tx, fire_id)
    now = now_ms()
    row = DuelRow(
        id=f"duel-{secrets.token_hex(6)}",
        fire_id=fire_id,
        seq=next_seq(tx, fire_id),
        rules=begun,
        thesis=thesis,
        created_at=now,
        due_at=deadlines.due(begun, now),
        closed_at=None,
    )
    tx.execute(
        "INSERT INTO duels (id, fire_id, seq, challenger, defender, thesis, turn, surrendered, created_at, due_at) "
        "VALUES (:id, :fire, :seq, :challenger, :defender, :thesis, :turn, :surrendered, :now, :due)",
        {
            "id": row.id,
            "fire": fire_id,
            "seq": row.seq,
            "challenger": challenger,
            "defender": target,
            "thesis": thesis,
            "turn": begun.turn,
            "surrendered": False,
            "now": now,
            "due": row.due_at,
        },
    )
    _write_step(tx, row, row.seq, Said("gauntlet", "challenger", challenger, thesis), now)
    return row, created


def advance(
    tx: Transaction,
    fire_id: str,
    apply: Callable[[rules.Duel | None], rules.Duel],
    said: Callable[[rules.Duel], Said],
    deadlines: Deadlines,
) -> DuelRow:
    """Take the next step of the duel at a fire.

    Args:
        tx: the transaction.
        fire_id: the fire.
        apply: the rule.
        said: what the step adds to the record, given the duel's new state.
        deadlines: for the step after this one.

    Raises:
        UnknownFire: there is no such fire.
        DuelRefused: the rules do not allow it.
    """
    require(tx, fire_id)
    before = current(tx, fire_id)
    after = apply(before.rules if before is not None else None)
    assert before is not None  # every rule refuses a duel that is not there
    return _write(tx, before, after, said(after), deadlines)


def deliver_verdict(
    tx: Transaction, fire_id: str, judge: str, winner: rules.Side, ruling: str, plan: str
) -> tuple[DuelRow, int]:
    """End the duel at a fire with a ruling, and make the new plan; also returns the plan's revision.

    Raises:
        UnknownFire: there is no such fire.
        DuelRefused: the rules do not allow it.
    """
    row = advance(
        tx,
        fire_id,
        lambda duel: rules.deliver_verdict(duel, judge, winner),
        lambda duel: Said("verdict", "judge", duel.judge, ruling, winner=winner),
        NEVER,
    )
    return row, plans.add_revision(tx, fire_id, plan, author=row.rules.judge, duel_id=row.id)


def abandon(tx: Transaction, fire_id: str, name: str | None, reason: str | None) -> DuelRow:
    """End the duel at a fire without a verdict.

    Raises:
        UnknownFire: there is no such fire.
        DuelRefused: there is no duel.
    """
    return advance(
        tx,
        fire_id,
        rules.abandon,
        lambda duel: Said("abandoned", _role_of(duel, name), name, reason),
        NEVER,
    )


def close_overdue(tx: Transaction, fire_id: str) -> bool:
    """End the duel at a fire if its time is over; False if it is not, or not any more."""
    found = tx.one("SELECT * FROM duels WHERE fire_id = :fire AND outcome IS NULL", {"fire": fire_id})
    if found is None or found["due_at"] is None or found["due_at"] > now_ms():
        return False
    row = _read(found)
    awaited = row.rules.expected
    assert awaited is not None
    _write(tx, row, rules.expire(row.rules), Said("expired", awaited.role, awaited.name), NEVER)
    return True


def next_due(tx: Transaction) -> tuple[str, int] | None:
    """The fire whose duel ends by itself first, and when."""
    row = tx.one(
        "SELECT fire_id, due_at FROM duels WHERE outcome IS NULL AND due_at IS NOT NULL ORDER BY due_at LIMIT 1"
    )
    return (row["fire_id"], row["due_at"]) if row is not None else None


NEVER = Deadlines(0, 0)


def _write(tx: Transaction, before: DuelRow, after: rules.Duel, said: Said, deadlines: Deadlines) -> DuelRow:
    now = now_ms()
    row = DuelRow(
        id=before.id,
        fire_id=before.fire_id,
        seq=before.seq,
        rules=after,
        thesis=before.thesis,
        created_at=before.created_at,
        due_at=deadlines.due(after, now),
        closed_at=now if after.outcome is not None else None,
    )
    tx.execute(
        "UPDATE duels SET judge = :judge, turn = :turn, surrendered = :surrendered, outcome = :outcome, "
        "winner = :winner, due_at = :due, closed_at = :closed WHERE id = :id",
        {
            "id": row.id,
            "judge": after.judge,
            "turn": after.turn,
            "surrendered": after.surrendered,
            "outcome": after.outcome,
            "winner": after.winner,
            "due": row.due_at,
            "closed": row.closed_at,
        },
    )
    _write_step(tx, row, next_seq(tx, row.fire_id), said, now)
    return row


def _write_step(tx: Transaction, row: DuelRow, seq: int, said: Said, now: int) -> None:
    tx.execute(
        "INSERT INTO duel_steps (fire_id, seq, duel_id, kind, role, name, text, surrender, winner, created_at) "
        "VALUES (:fire, :seq, :duel, :kind, :role, :name, :text, :surrender, :winner, :now)",
        {
            "fire": row.fire_id,
            "seq": seq,
            "duel": row.id,
            "kind": said.kind,
            "role": said.role,
            "name": said.name,
            "text": said.text,
            "surrender": said.surrender,
            "winner": said.winner,
            "now": now,
        },
    )
    tell_of_duel(tx, row.fire_id, row.id)


def _role_of(duel: rules.Duel, name: str | None) -> rules.Role | None:
    roles: tuple[rules.Role, ...] = ("challenger", "defender", "judge")
    return next((role for role in roles if name is not None and same_name(name, duel.name_of(role) or "")), None)


def _read(row: Mapping[str, Any]) -> DuelRow:
    state = rules.Duel(
        row["challenger"],
        row["defender"],
        row["judge"],
        row["turn"],
        bool(row["surrendered"]),
        row["outcome"],
        row["winner"],
    )
    return DuelRow(
        row["id"],
        row["fire_id"],
        row["seq"],
        state,
        row["thesis"],
        row["created_at"],
        row["due_at"],
        row["closed_at"],
    )
