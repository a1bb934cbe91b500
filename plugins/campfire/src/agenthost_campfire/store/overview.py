"""Fires as answers show them: with the phase they are in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agenthost_campfire.clock import iso
from agenthost_campfire.rules.duel import phase
from agenthost_campfire.shapes import Fire, Fires, OpenedFire
from agenthost_campfire.store import duels
from agenthost_campfire.store.fires import UnknownFire, create

if TYPE_CHECKING:
    from agenthost import Transaction

MAX_LISTED = 200
"""Fires in one answer."""


def get_or_create(tx: Transaction, fire_id: str) -> OpenedFire:
    """The fire, and whether it was made just now."""
    created = create(tx, fire_id)
    return {**get(tx, fire_id), "fireCreated": created}


def get(tx: Transaction, fire_id: str) -> Fire:
    """The fire.

    Raises:
        UnknownFire: there is no such fire.
    """
    row = tx.one("SELECT id, last_seq, created_at FROM fires WHERE id = :id", {"id": fire_id})
    if row is None:
        raise UnknownFire(fire_id)
    return _shape(tx, row)


def listed(tx: Transaction, before: str | None = None, limit: int = MAX_LISTED) -> Fires:
    """The newest fires, or those made before a certain one, in the order in which they were made.

    Raises:
        UnknownFire: there is no such fire to be before.
    """
    bound = tx.one("SELECT number FROM fires WHERE id = :id", {"id": before}) if before is not None else None
    if before is not None and bound is None:
        raise UnknownFire(before)
    rows = tx.all(
        "SELECT id, last_seq, created_at FROM fires WHERE :bound = 0 OR number < :bound "
        "ORDER BY number DESC LIMIT :limit",
        {"bound": bound["number"] if bound is not None else 0, "limit": limit + 1},
    )
    shown = [_shape(tx, row) for row in reversed(rows[:limit])]
    return {"fires": shown, "hasMore": len(rows) > limit}


def ids(tx: Transaction, limit: int) -> list[str]:
    """The ids of the newest fires, newest first."""
    return [row["id"] for row in tx.all("SELECT id FROM fires ORDER BY number DESC LIMIT :limit", {"limit": limit})]


def _shape(tx: Transaction, row: Mapping[str, Any]) -> Fire:
    current = duels.current(tx, row["id"])
    return {
        "id": row["id"],
        "createdAt": iso(row["created_at"]),
        "state": phase(current.rules if current else None).value,
        "lastSeq": row["last_seq"],
    }
