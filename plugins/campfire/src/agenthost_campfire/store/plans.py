"""Battle plans: a ladder of revisions, of which none is ever overwritten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agenthost import ToolError

from agenthost_campfire.addresses import tell_of_plan
from agenthost_campfire.clock import iso, now_ms
from agenthost_campfire.shapes import Plan, Revision
from agenthost_campfire.store.fires import MAX_SEQ, next_seq, require

if TYPE_CHECKING:
    from agenthost import Transaction

MAX_HISTORY = 100
"""Entries of the history in one answer."""


class StalePlan(ToolError):
    """The plan has changed since the caller read it; nothing was written."""

    def __init__(self, expected: int, revision: int, content: str | None) -> None:
        shown = f"The plan now:\n{content}" if content is not None else "There is no plan yet, which is revision 0."
        super().__init__(
            f"The plan was not changed: expected_revision is {expected}, and the plan is at revision {revision}. Work "
            f"your change into the plan below and call again with expected_revision={revision}.\n{shown}",
            {"revision": revision, "content": content},
        )


class UnknownRevision(ToolError):
    """The plan has no such revision."""

    def __init__(self, revision: int, last: int) -> None:
        there = f"revisions 1 to {last}" if last else "no revision yet; campfire_update_battle_plan writes the first"
        super().__init__(f"The plan has no revision {revision}: it has {there}.")


def last_revision(tx: Transaction, fire_id: str) -> Mapping[str, Any] | None:
    """The row of the newest revision."""
    return tx.one(
        "SELECT * FROM plan_revisions WHERE fire_id = :fire ORDER BY revision DESC LIMIT 1", {"fire": fire_id}
    )


def require_revision(tx: Transaction, fire_id: str, expected: int) -> None:
    """Let a change through only if it was made from the plan that is there.

    Raises:
        StalePlan: another revision is the newest.
    """
    last = last_revision(tx, fire_id)
    revision = last["revision"] if last is not None else 0
    if revision != expected:
        raise StalePlan(expected, revision, last["content"] if last is not None else None)


def add_revision(tx: Transaction, fire_id: str, content: str, *, author: str | None, duel_id: str | None = None) -> int:
    """Write the plan anew, by an update or by the verdict of a duel; returns the revision."""
    last = last_revision(tx, fire_id)
    revision: int = last["revision"] + 1 if last is not None else 1
    tx.execute(
        "INSERT INTO plan_revisions (fire_id, revision, seq, content, author, reason, duel_id, created_at) "
        "VALUES (:fire, :revision, :seq, :content, :author, :reason, :duel, :now)",
        {
            "fire": fire_id,
            "revision": revision,
            "seq": next_seq(tx, fire_id),
            "content": content,
            "author": author,
            "reason": "update" if duel_id is None else "verdict",
            "duel": duel_id,
            "now": now_ms(),
        },
    )
    tell_of_plan(tx, fire_id)
    return revision


def get(tx: Transaction, fire_id: str, revision: int | None = None) -> Plan:
    """The plan, or one of its revisions, with its history.

    Raises:
        UnknownFire: there is no such fire.
        UnknownRevision: there is no such revision.
    """
    last_seq = require(tx, fire_id)
    history = tx.all(
        "SELECT revision, seq, author, reason, duel_id, created_at FROM plan_revisions "
        "WHERE fire_id = :fire ORDER BY revision DESC LIMIT :limit",
        {"fire": fire_id, "limit": MAX_HISTORY},
    )
    last = history[0]["revision"] if history else 0
    wanted = last if revision is None else min(revision, MAX_SEQ)
    row = tx.one(
        "SELECT content, created_at FROM plan_revisions WHERE fire_id = :fire AND revision = :revision",
        {"fire": fire_id, "revision": wanted},
    )
    if row is None and revision is not None:
        raise UnknownRevision(revision, last)
    return {
        "fireId": fire_id,
        "content": row["content"] if row is not None else None,
        "revision": wanted,
        "lastRevision": last,
        "updatedAt": iso(row["created_at"]) if row is not None else None,
        "history": [_revision(entry) for entry in reversed(history)],
        "lastSeq": last_seq,
    }


def _revision(row: Mapping[str, Any]) -> Revision:
    shape: Revision = {
        "revision": row["revision"],
        "seq": row["seq"],
        "reason": row["reason"],
        "createdAt": iso(row["created_at"]),
    }
    if row["author"] is not None:
        shape["author"] = row["author"]
    if row["duel_id"] is not None:
        shape["duelId"] = row["duel_id"]
    return shape
