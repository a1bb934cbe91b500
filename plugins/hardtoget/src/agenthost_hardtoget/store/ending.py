"""How games end: what is written then, and which have to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agenthost_hardtoget.addresses import LEADERBOARD
from agenthost_hardtoget.clock import now_ms
from agenthost_hardtoget.rules.play import Game, Role, abandon
from agenthost_hardtoget.shapes import EndedBy
from agenthost_hardtoget.store import clients, games
from agenthost_hardtoget.store.games import GameRow

if TYPE_CHECKING:
    from agenthost import Transaction

TOO_LATE: dict[Role | None, EndedBy] = {
    None: "nobody_joined",
    Role.WITNESS: "witness_timeout",
    Role.DETECTIVE: "detective_timeout",
}
"""Why a game is over whose time is over, by whose turn it was."""

OVERDUE = "FROM games WHERE outcome IS NULL AND due_at <= :now"


class Overdue(Exception):
    """The time of a game is over, and that has not been written yet; see `access`."""


def require_none_overdue(tx: Transaction) -> None:
    """Let nothing be done while a game waits for its end.

    Raises:
        Overdue: the time of one is over.
    """
    if tx.one(f"SELECT 1 {OVERDUE} LIMIT 1", {"now": now_ms()}) is not None:
        raise Overdue


def end_overdue(tx: Transaction) -> None:
    """End every game whose time is over."""
    for overdue in tx.all(f"SELECT id {OVERDUE}", {"now": now_ms()}):
        row = games.get(tx, overdue["id"])
        end(tx, row, abandon(row.rules), TOO_LATE[row.rules.turn])


def next_due(tx: Transaction) -> int | None:
    """When the next game ends by itself, in milliseconds."""
    row = tx.one("SELECT MIN(due_at) AS at FROM games WHERE outcome IS NULL")
    assert row is not None
    at: int | None = row["at"]
    return at


def end(tx: Transaction, row: GameRow, over: Game, ended_by: EndedBy) -> GameRow:
    """Write that a game is over: its players are free, and who won or lost is a result."""
    ended = games.save(tx, replace(row, ended_by=ended_by), over)
    clients.set_status(tx, (row.witness, row.detective), "available")
    if over.outcome != "abandoned":
        tx.execute(
            "INSERT INTO results (game_id, number, witness_uuid, witness_model, detective_uuid, detective_model, "
            "result, rounds, mirror_of, ended_at) "
            "SELECT :game, (SELECT COALESCE(MAX(number), 0) + 1 FROM results), witness.uuid, witness.model_name, "
            "detective.uuid, detective.model_name, :result, :rounds, :mirror_of, :now "
            "FROM clients AS witness, clients AS detective "
            "WHERE witness.uuid = :witness AND detective.uuid = :detective",
            {
                "game": row.id,
                "witness": row.witness,
                "detective": row.detective,
                "result": over.outcome,
                "rounds": over.round,
                "mirror_of": row.mirror_of,
                "now": now_ms(),
            },
        )
        tx.changed(LEADERBOARD)
    return ended
