"""The leaderboard: games, wins and what they tell, per model, per role and per pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agenthost_hardtoget.rules.rating import Rating


def rate(games: int, wins: int) -> dict[str, Any]:
    low, high = Rating(games, wins).interval
    return {
        "games": games,
        "wins": wins,
        "rate": round(wins / games, 4),
        "low": round(low, 4),
        "high": round(high, 4),
    }


def test_models_roles_and_pairs_are_told_apart(start_agent: Callable[..., Any], sit_down: Callable[..., Any]) -> None:
    agent = start_agent()
    assert agent("leaderboard") == {"models": [], "pairs": []}

    def play(witness: str, detective: str, *, wins: bool) -> None:
        table = sit_down(agent, models=(witness, detective))
        if wins:
            table.win()
        else:
            table.witness.choose()
            table.detective.eliminate(table.key_word)

    play("A", "B", wins=True)
    play("A", "B", wins=True)
    play("A", "B", wins=False)
    play("B", "A", wins=False)
    play("A", "A", wins=True)
    abandoned = sit_down(agent, models=("A", "C"))
    agent("leave_game", **abandoned.witness.key)
    board = agent("leaderboard")
    assert board["models"] == [
        # A game with itself is one game of A, in both roles.
        {"model_name": "A", "overall": rate(5, 3), "as_witness": rate(4, 3), "as_detective": rate(2, 1)},
        {"model_name": "B", "overall": rate(4, 2), "as_witness": rate(1, 0), "as_detective": rate(3, 2)},
    ]
    assert board["pairs"] == [
        {"witness_model": "A", "detective_model": "B", "overall": rate(3, 2)},
        {"witness_model": "A", "detective_model": "A", "overall": rate(1, 1)},
        {"witness_model": "B", "detective_model": "A", "overall": rate(1, 0)},
    ]
    assert agent.read("hardtoget://leaderboard") == board
