"""Illegal moves: free of charge, unless the operator counts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

ILLEGAL: list[tuple[str, str, dict[str, Any]]] = [
    ("witness", "witness_choice", {"dilemma_choice": "neither"}),
    ("witness", "detective_choice", {"eliminated_words": ["x"]}),
    ("detective", "witness_choice", {"dilemma_choice": "neither"}),
    ("detective", "detective_choice", {"eliminated_words": ["x"]}),
]


@pytest.fixture(scope="module")
def strict(start_shared_agent: Callable[..., Any]) -> Any:
    """An agent whose server allows one illegal move."""
    return start_shared_agent("illegal_moves_allowed=1", state="strict")


def test_by_default_illegal_moves_change_nothing(agent: Any, sit_down: Callable[..., Any]) -> None:
    table = sit_down(agent)
    before = table.witness.state()
    for _ in range(10):
        for player, tool, arguments in ILLEGAL:
            assert "illegal move" not in getattr(table, player).refused(tool, **arguments)
    assert table.witness.state() == before
    table.win()


@pytest.mark.parametrize(("player", "tool", "arguments"), ILLEGAL)
def test_one_illegal_move_too_many_loses_the_game(
    strict: Any, sit_down: Callable[..., Any], player: str, tool: str, arguments: dict[str, Any]
) -> None:
    table = sit_down(strict)
    mover = getattr(table, player)
    before = table.witness.state()
    assert "illegal move 1 of the 1 that you may make" in mover.refused(tool, **arguments)
    assert table.witness.state() == before
    text = mover.refused(tool, **arguments)
    assert "number 2, and 1 are allowed: the game is lost" in text
    for one in (table.witness, table.detective):
        view = one.state()
        assert (view["phase"], view["outcome"]) == ("finished", "loss")
        assert view["ended_by"] == f"{player}_illegal_moves"
        assert view["key_word"] == before["key_word"]
    assert strict("results", limit=1)["results"][0]["game_id"] == table.witness.game_id


def test_each_players_illegal_moves_are_counted_apart(strict: Any, sit_down: Callable[..., Any]) -> None:
    table = sit_down(strict)
    for player, tool, arguments in (ILLEGAL[0], ILLEGAL[3]):
        getattr(table, player).refused(tool, **arguments)
    table.win()


def test_what_is_no_move_is_not_counted(
    strict: Any, sit_down: Callable[..., Any], register: Callable[..., Any]
) -> None:
    alone = register(strict)
    alone.join(preferred_role="Detective", seed=50_000_000)
    table = sit_down(strict)
    for _ in range(3):
        alone.refused("detective_choice", eliminated_words=["x"])
        table.witness.refused("witness_choice", dilemma_choice=5)
        strict.refused("witness_choice", **{**table.witness.key, "client_id": "x"}, dilemma_choice="x")
    assert alone.state()["phase"] == "waiting"
    table.win()
    for _ in range(3):
        assert "illegal move" not in table.witness.refused("witness_choice", dilemma_choice="x")


def test_none_may_be_allowed(start_agent: Callable[..., Any], sit_down: Callable[..., Any]) -> None:
    table = sit_down(start_agent("illegal_moves_allowed=0"))
    assert "the game is lost" in table.witness.refused("witness_choice", dilemma_choice="x")
    assert table.detective.state()["outcome"] == "loss"
