"""The one sequence of a fire: every message, plan revision and step of a duel takes the next number."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agenthost.storage import Transaction


def next_seq(tx: Transaction, fire_id: str) -> int:
    """Take the next number of a fire that is there."""
    row = tx.one("UPDATE fires SET last_seq = last_seq + 1 WHERE id = :id RETURNING last_seq", {"id": fire_id})
    assert row is not None
    return int(row["last_seq"])
