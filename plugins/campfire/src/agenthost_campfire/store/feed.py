"""Everything that happens at a fire, in its one sequence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agenthost_campfire.clock import iso
from agenthost_campfire.rules import duel as rules
from agenthost_campfire.rules.texts import excerpt
from agenthost_campfire.shapes import News
from agenthost_campfire.store.duels import current
from agenthost_campfire.store.fires import require
from agenthost_campfire.store.messages import NEWEST

if TYPE_CHECKING:
    from agenthost.storage import Transaction

MAX_TEXT = 500
"""Characters of one text in an answer that is meant to be short."""


class Feed:
    """What happened at a fire after a certain number.

    Attributes:
        items: in order.
        last_seq: the fire's newest number.
        duel: what the rules say about the duel that is going on.
    """

    def __init__(self, items: list[News], last_seq: int, duel: rules.Duel | None) -> None:
        self.items = items
        self.last_seq = last_seq
        self.duel = duel


def after(tx: Transaction, fire_id: str, seq: int, limit: int, max_text: int = MAX_TEXT) -> Feed:
    """The first things that happened after `seq`.

    Raises:
        UnknownFire: there is no such fire.
    """
    return _between(tx, fire_id, seq, NEWEST, limit, max_text, newest=False)


def newest(tx: Transaction, fire_id: str, limit: int, max_text: int = MAX_TEXT) -> Feed:
    """The last things that happened, in order.

    Raises:
        UnknownFire: there is no such fire.
    """
    return _between(tx, fire_id, 0, NEWEST, limit, max_text, newest=True)


def _between(tx: Transaction, fire_id: str, low: int, high: int, limit: int, max_text: int, *, newest: bool) -> Feed:
    last_seq = require(tx, fire_id)
    duel = current(tx, fire_id)
    order = "DESC" if newest else "ASC"
    bounds = {"fire": fire_id, "low": low, "high": high, "limit": limit, "length": max_text + 1}
    where = f"WHERE fire_id = :fire AND seq > :low AND seq < :high ORDER BY seq {order} LIMIT :limit"
    rows = [
        *tx.all(
            "SELECT seq, 'message' AS kind, NULL AS role, author AS name, SUBSTR(text, 1, :length) AS text, "  # noqa: S608  (fixed texts)
            f"NULL AS surrender, NULL AS winner, created_at FROM messages {where}",
            bounds,
        ),
        *tx.all(
            "SELECT seq, 'plan' AS kind, reason AS role, author AS name, SUBSTR(content, 1, :length) AS text, "  # noqa: S608  (fixed texts)
            f"revision AS surrender, NULL AS winner, created_at FROM plan_revisions {where}",
            bounds,
        ),
        *tx.all(
            "SELECT seq, kind, role, name, SUBSTR(text, 1, :length) AS text, surrender, winner, created_at "  # noqa: S608  (fixed texts)
            f"FROM duel_steps {where}",
            bounds,
        ),
    ]
    rows.sort(key=lambda row: row["seq"])
    chosen = rows[-limit:] if newest else rows[:limit]
    return Feed([_news(row, max_text) for row in chosen], last_seq, duel.rules if duel is not None else None)


def _news(row: Mapping[str, Any], max_text: int) -> News:
    news: News = {
        "seq": row["seq"],
        "kind": row["kind"],
        "text": _in_words(row, excerpt(row["text"] or "", max_text)),
        "createdAt": iso(row["created_at"]),
    }
    if row["name"] is not None and row["kind"] != "expired":
        news["by"] = row["name"]
    return news


def _in_words(row: Mapping[str, Any], text: str) -> str:
    name = row["name"]
    match row["kind"]:
        case "plan":
            return f"The plan is at revision {row['surrender']} (by {row['role']}): {text}"
        case "gauntlet":
            return f"{name} threw the gauntlet: {text}"
        case "oath":
            return f"{name} is the judge."
        case "strike":
            return f"{name} struck: {text}"
        case "hold":
            return f"{name} {'surrendered' if row['surrender'] else 'held the line'}: {text}"
        case "verdict":
            return f"{name} ruled for the {row['winner']}: {text}"
        case "abandoned":
            return f"The duel was abandoned{f': {text}' if text else '.'}"
        case "expired":
            return f"The duel ended because its time was over, waiting for {rules.Expected(row['role'], name)}."
        case _:
            return text
