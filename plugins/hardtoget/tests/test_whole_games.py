"""Whole games through a real server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def test_a_game_is_played_from_the_first_call_to_the_leaderboard(agent: Any, sit_down: Callable[..., Any]) -> None:
    table = sit_down(agent, models=("whole w", "whole d"))
    for number in range(1, 5):
        assert table.witness.wait()["view"]["phase"] == "witness_turn"
        table.witness.choose(number % 2)
        view = table.detective.wait()["view"]
        assert (view["phase"], view["round"]) == ("detective_turn", number)
        assert table.detective.eliminate(*table.others()[:2])["game_over"] is False
    table.win()
    assert table.witness.wait()["view"]["outcome"] == "win"
    assert [line["result"] for line in agent("results", model_name="whole w")["results"]][:1] == ["win"]
