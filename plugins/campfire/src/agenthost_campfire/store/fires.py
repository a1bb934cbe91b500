"""Fires: where everything happens, and the one sequence in which it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agenthost import ToolError

from agenthost_campfire.addresses import tell_of_fire
from agenthost_campfire.clock import now_ms

if TYPE_CHECKING:
    from agenthost import Transaction

MAX_SEQ = 1 << 62
"""A number above every one that is given out, and still one that databases can compare with."""


class UnknownFire(ToolError):
    """There is no such fire."""

    def __init__(self, fire_id: str) -> None:
        super().__init__(
            f"There is no fire {fire_id!r}. campfire_list_fires shows the fires there are; "
            "campfire_get_or_create_fire makes a new one."
        )


def require(tx: Transaction, fire_id: str) -> int:
    """The fire's newest number.

    Raises:
        UnknownFire: there is no such fire.
    """
    row = tx.one("SELECT last_seq FROM fires WHERE id = :id", {"id": fire_id})
    if row is None:
        raise UnknownFire(fire_id)
    return int(row["last_seq"])


def create(tx: Transaction, fire_id: str) -> bool:
    """Make the fire if it is not there; returns whether it was made."""
    if tx.one("SELECT id FROM fires WHERE id = :id", {"id": fire_id}) is not None:
        return False
    tx.execute(
        "INSERT INTO fires (id, number, last_seq, created_at) "
        "VALUES (:id, (SELECT COALESCE(MAX(number), 0) + 1 FROM fires), 0, :now)",
        {"id": fire_id, "now": now_ms()},
    )
    tell_of_fire(tx, fire_id)
    return True


def next_seq(tx: Transaction, fire_id: str) -> int:
    """Take the next number of a fire that is there: every message, plan revision and step of a duel has one."""
    row = tx.one("UPDATE fires SET last_seq = last_seq + 1 WHERE id = :id RETURNING last_seq", {"id": fire_id})
    assert row is not None
    return int(row["last_seq"])
