"""Duels as answers show them: the one that goes on, and the record of those that are over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agenthost_campfire.clock import iso
from agenthost_campfire.rules import duel as rules
from agenthost_campfire.rules.texts import excerpt
from agenthost_campfire.shapes import Awaited, Duel, DuelRecord, Duels, DuelSummary, Step
from agenthost_campfire.store import duels
from agenthost_campfire.store.duels import DuelRow, UnknownDuel
from agenthost_campfire.store.fires import require

if TYPE_CHECKING:
    from agenthost import Transaction

MAX_LISTED = 100
"""Duels in one answer."""

MAX_THESIS = 300
"""Characters of a thesis in a list."""


def record(tx: Transaction, fire_id: str, duel_id: str | None = None) -> DuelRecord:
    """The duel that is going on at a fire, or a certain one, with all that was said in it.

    Raises:
        UnknownFire: there is no such fire.
        UnknownDuel: it has no such duel.
    """
    last_seq = require(tx, fire_id)
    going_on = duels.current(tx, fire_id)
    row = going_on if duel_id is None else duels.get(tx, fire_id, duel_id)
    if row is None and duel_id is not None:
        raise UnknownDuel(fire_id, duel_id)
    answer: DuelRecord = {
        "fireId": fire_id,
        "state": rules.phase(going_on.rules if going_on else None).value,
        "duel": shape(tx, row) if row is not None else None,
        "expected": awaited(row.rules) if row is not None else None,
        "transcript": [_step(step) for step in duels.steps(tx, row.id)] if row is not None else [],
        "lastSeq": last_seq,
    }
    if row is None and (past := duels.newest(tx, fire_id, 1)):
        answer["lastDuelId"] = past[0].id
    return answer


def listed(tx: Transaction, fire_id: str, limit: int = MAX_LISTED) -> Duels:
    """The newest duels of a fire, oldest first.

    Raises:
        UnknownFire: there is no such fire.
    """
    last_seq = require(tx, fire_id)
    duels.current(tx, fire_id)
    rows = duels.newest(tx, fire_id, limit + 1)
    return {
        "duels": [_summary(row) for row in rows[-limit:]],
        "hasMore": len(rows) > limit,
        "lastSeq": last_seq,
    }


def shape(tx: Transaction, row: DuelRow) -> Duel:
    """A duel as answers show it."""
    duel: Duel = {
        "duelId": row.id,
        "fireId": row.fire_id,
        "challengerName": row.rules.challenger,
        "defenderName": row.rules.defender,
        "judgeName": row.rules.judge,
        "thesisOfAttack": row.thesis,
        "currentTurn": row.rules.turn,
        "createdAt": iso(row.created_at),
        "state": rules.phase(row.rules).value,
        "expected": awaited(row.rules),
        "surrendered": row.rules.surrendered,
        "lastSeq": require(tx, row.fire_id),
    }
    if row.due_at is not None:
        duel["dueAt"] = iso(row.due_at)
    if row.rules.outcome is not None:
        duel["outcome"] = row.rules.outcome
    if row.rules.winner is not None:
        duel["winner"] = row.rules.winner
    if row.closed_at is not None:
        duel["closedAt"] = iso(row.closed_at)
    return duel


def awaited(duel: rules.Duel | None) -> Awaited | None:
    """Who has to act."""
    expected = duel.expected if duel is not None else None
    return {"role": expected.role, "name": expected.name} if expected is not None else None


def _summary(row: DuelRow) -> DuelSummary:
    summary: DuelSummary = {
        "duelId": row.id,
        "seq": row.seq,
        "challengerName": row.rules.challenger,
        "defenderName": row.rules.defender,
        "judgeName": row.rules.judge,
        "thesis": excerpt(row.thesis, MAX_THESIS),
        "state": rules.phase(row.rules).value,
        "surrendered": row.rules.surrendered,
        "createdAt": iso(row.created_at),
    }
    if row.rules.outcome is not None:
        summary["outcome"] = row.rules.outcome
    if row.rules.winner is not None:
        summary["winner"] = row.rules.winner
    if row.closed_at is not None:
        summary["closedAt"] = iso(row.closed_at)
    return summary


def _step(row: Mapping[str, Any]) -> Step:
    step: Step = {"seq": row["seq"], "kind": row["kind"], "createdAt": iso(row["created_at"])}
    if row["kind"] == "expired":
        step["awaited"] = {"role": row["role"], "name": row["name"]}
        return step
    if row["role"] is not None:
        step["role"] = row["role"]
    if row["name"] is not None:
        step["name"] = row["name"]
    if row["text"] is not None:
        step["text"] = row["text"]
    if row["surrender"] is not None:
        step["surrender"] = bool(row["surrender"])
    if row["winner"] is not None:
        step["winner"] = row["winner"]
    return step
