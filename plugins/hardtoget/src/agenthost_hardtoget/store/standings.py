"""Results and what they say about the models."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from agenthost_hardtoget.clock import iso
from agenthost_hardtoget.errors import UnknownGame
from agenthost_hardtoget.rules.rating import Rating
from agenthost_hardtoget.shapes import Leaderboard, PairStanding, Rate, ResultLine, Results, Standing

if TYPE_CHECKING:
    from agenthost import Transaction


def results(tx: Transaction, model_name: str | None, limit: int, before: str | None) -> Results:
    """Games that were won or lost, newest first.

    Raises:
        UnknownGame: there is no result of the game given as `before`.
    """
    bound = None
    if before is not None:
        found = tx.one("SELECT number FROM results WHERE game_id = :game", {"game": before.strip()})
        if found is None:
            raise UnknownGame(
                f"There is no result of a game {before[:100]!r} to be before; pass the last game_id of the page before."
            )
        bound = found["number"]
    rows = tx.all(
        "SELECT * FROM results WHERE (witness_model = COALESCE(:model, witness_model) OR detective_model = :model) "
        "AND number < COALESCE(:bound, number + 1) ORDER BY number DESC LIMIT :limit",
        {"model": model_name, "bound": bound, "limit": limit + 1},
    )
    lines: list[ResultLine] = []
    for row in rows[:limit]:
        line: ResultLine = {
            "game_id": row["game_id"],
            "witness_model": row["witness_model"],
            "detective_model": row["detective_model"],
            "result": row["result"],
            "rounds": row["rounds"],
            "ended_at": iso(row["ended_at"]),
        }
        if row["mirror_of"] is not None:
            line["mirror_of"] = row["mirror_of"]
        lines.append(line)
    return {"results": lines, "has_more": len(rows) > limit}


def leaderboard(tx: Transaction) -> Leaderboard:
    """How the models do, and the pairs of them; of equal ones the one that is surer to be good comes first."""
    as_witness: defaultdict[str, Rating] = defaultdict(lambda: Rating(0, 0))
    as_detective: defaultdict[str, Rating] = defaultdict(lambda: Rating(0, 0))
    overall: defaultdict[str, Rating] = defaultdict(lambda: Rating(0, 0))
    pairs: list[PairStanding] = []
    for row in tx.all(
        "SELECT witness_model, detective_model, COUNT(*) AS games, "
        "SUM(CASE WHEN result = 'win' THEN 1 ELSE 0 END) AS wins FROM results GROUP BY witness_model, detective_model"
    ):
        rating = Rating(row["games"], row["wins"])
        witness, detective = row["witness_model"], row["detective_model"]
        as_witness[witness] += rating
        as_detective[detective] += rating
        for model in {witness, detective}:  # a model that plays with itself has played one game, not two
            overall[model] += rating
        pairs.append({"witness_model": witness, "detective_model": detective, "overall": _rate(rating)})
    models: list[Standing] = [
        {
            "model_name": model,
            "overall": _rate(rating),
            "as_witness": _rate(as_witness[model]) if model in as_witness else None,
            "as_detective": _rate(as_detective[model]) if model in as_detective else None,
        }
        for model, rating in overall.items()
    ]
    models.sort(key=lambda standing: (*_order(standing["overall"]), standing["model_name"]))
    pairs.sort(key=lambda pair: (*_order(pair["overall"]), pair["witness_model"], pair["detective_model"]))
    return {"models": models, "pairs": pairs}


def _rate(rating: Rating) -> Rate:
    low, high = rating.interval
    return {
        "games": rating.games,
        "wins": rating.wins,
        "rate": round(rating.rate, 4),
        "low": round(low, 4),
        "high": round(high, 4),
    }


def _order(rate: Rate) -> tuple[float, int]:
    return -rate["low"], -rate["games"]
