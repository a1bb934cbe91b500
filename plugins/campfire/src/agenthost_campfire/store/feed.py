"""Everything that happens at a fire, in its one sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agenthost_campfire.clock import iso
from agenthost_campfire.rules.duel import Duel, Expected
from agenthost_campfire.rules.texts import excerpt
from agenthost_campfire.shapes import News, NewsKind
from agenthost_campfire.store.duels import UnknownDuel, current, get, steps
from agenthost_campfire.store.fires import MAX_SEQ, require

if TYPE_CHECKING:
    from agenthost import Transaction

MAX_TEXT = 500
"""Characters of one text in an answer that is meant to be short."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Some of what happened at a fire.

    Attributes:
        items: in order.
        last_seq: the fire's newest number.
        duel: what the rules say about the duel that is going on.
    """

    items: list[News]
    last_seq: int
    duel: Duel | None


def after(tx: Transaction, fire_id: str, seq: int, limit: int, max_text: int = MAX_TEXT) -> Feed:
    """The first things that happened after `seq`.

    Raises:
        UnknownFire: there is no such fire.
    """
    return _between(tx, fire_id, seq, limit, max_text, newest=False)


def newest(tx: Transaction, fire_id: str, limit: int, max_text: int = MAX_TEXT) -> Feed:
    """The last things that happened, in order.

    Raises:
        UnknownFire: there is no such fire.
    """
    return _between(tx, fire_id, 0, limit, max_text, newest=True)


def of_duel(tx: Transaction, fire_id: str, duel_id: str) -> list[News]:
    """All steps of one duel, with all that was said.

    Raises:
        UnknownFire: there is no such fire.
        UnknownDuel: it has no such duel.
    """
    require(tx, fire_id)
    current(tx, fire_id)
    if get(tx, fire_id, duel_id) is None:
        raise UnknownDuel(fire_id, duel_id)
    return [_news(row, row["kind"], _actor(row), step_in_words(row, row["text"] or "")) for row in steps(tx, duel_id)]


def _between(tx: Transaction, fire_id: str, low: int, limit: int, max_text: int, *, newest: bool) -> Feed:
    last_seq = require(tx, fire_id)
    duel = current(tx, fire_id)
    bounds = {"fire": fire_id, "low": min(low, MAX_SEQ), "limit": limit, "length": max_text + 1}
    part = f"WHERE fire_id = :fire AND seq > :low ORDER BY seq {'DESC' if newest else 'ASC'} LIMIT :limit"
    items = [
        *(
            _news(row, "message", row["author"], excerpt(row["text"], max_text))
            for row in tx.all(
                f"SELECT seq, author, SUBSTR(text, 1, :length) AS text, created_at FROM messages {part}",  # noqa: S608  (fixed texts)
                bounds,
            )
        ),
        *(
            _news(row, "plan", row["author"], _plan_in_words(row, excerpt(row["content"], max_text)))
            for row in tx.all(
                "SELECT seq, author, revision, reason, SUBSTR(content, 1, :length) AS content, created_at "  # noqa: S608  (fixed texts)
                f"FROM plan_revisions {part}",
                bounds,
            )
        ),
        *(
            _news(row, row["kind"], _actor(row), step_in_words(row, excerpt(row["text"] or "", max_text)))
            for row in tx.all(
                "SELECT seq, kind, role, name, SUBSTR(text, 1, :length) AS text, surrender, winner, created_at "  # noqa: S608  (fixed texts)
                f"FROM duel_steps {part}",
                bounds,
            )
        ),
    ]
    items.sort(key=lambda item: item["seq"])
    chosen = items[-limit:] if newest else items[:limit]
    return Feed(chosen, last_seq, duel.rules if duel is not None else None)


def step_in_words(row: Mapping[str, Any], text: str) -> str:
    """One step of a duel, given by its row and what was said in it."""
    name = row["name"]
    words = {
        "gauntlet": f"{name} threw the gauntlet: {text}",
        "oath": f"{name} is the judge.",
        "strike": f"{name} struck: {text}",
        "hold": f"{name} {'surrendered' if row['surrender'] else 'held the line'}: {text}",
        "verdict": f"{name} ruled for the {row['winner']}: {text}",
        "abandoned": f"{name or 'Somebody'} abandoned the duel{f': {text}' if text else '.'}",
        "expired": f"The duel ended without a verdict: its time was over, and {_awaited(row)} was awaited.",
    }
    return words[row["kind"]]


def _plan_in_words(row: Mapping[str, Any], text: str) -> str:
    by = "a verdict" if row["reason"] == "verdict" else "an update"
    return f"Revision {row['revision']} of the plan, by {by}: {text}"


def _awaited(row: Mapping[str, Any]) -> Expected:
    return Expected(row["role"], row["name"])


def _actor(row: Mapping[str, Any]) -> str | None:
    name: str | None = row["name"] if row["kind"] != "expired" else None
    return name


def _news(row: Mapping[str, Any], kind: NewsKind, by: str | None, text: str) -> News:
    news: News = {"seq": row["seq"], "kind": kind, "text": text, "createdAt": iso(row["created_at"])}
    if by is not None:
        news["by"] = by
    return news
