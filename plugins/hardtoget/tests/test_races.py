"""Moves and seats taken at once, on one connection and from two processes: of those that exclude each other, one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

TIMES = 20

Calls = Sequence[tuple[str, dict[str, Any]]]


def race(agents: Sequence[Any], calls: Calls) -> tuple[list[dict[str, Any]], list[str]]:
    """Send the calls at once, spread over the agents in turn; what succeeded, and why the others were refused."""
    sent = [
        (agent, *one)
        for position, agent in enumerate(agents)
        for one in agent.send_at_once(*calls[position :: len(agents)])
    ]
    results = [agent.collect(name, number) for agent, name, number in sent]
    return (
        [result["structuredContent"] for result in results if not result.get("isError")],
        [result["content"][0]["text"] for result in results if result.get("isError")],
    )


@pytest.fixture(params=["one connection", "two processes"])
def racers(request: pytest.FixtureRequest, pair: Sequence[Any]) -> Sequence[Any]:
    return pair if request.param == "two processes" else pair[:1]


def test_h31_of_four_eliminations_at_once_one_counts(racers: Sequence[Any], sit_down: Callable[..., Any]) -> None:
    for _ in range(TIMES):
        table = sit_down(racers[0], racers[-1])
        table.witness.choose()
        words = table.others()[:4]
        [done], refused = race(
            racers, [("detective_choice", {**table.detective.key, "eliminated_words": [word]}) for word in words]
        )
        assert len(refused) == 3
        assert all("not your turn" in text for text in refused)
        view = table.detective.state()
        assert (view["round"], view["phase"], view["seq"]) == (2, "witness_turn", done["seq"])
        assert view["board"] == done["remaining_words"]
        assert len(view["board"]) == 15
        assert [view["rounds"][0]["eliminated_words"]] == [[word] for word in words if word not in view["board"]]


def test_of_both_options_chosen_at_once_one_counts(racers: Sequence[Any], sit_down: Callable[..., Any]) -> None:
    for _ in range(TIMES):
        table = sit_down(racers[0], racers[-1])
        options = table.witness.state()["dilemma"]
        [_], [text] = race(
            racers, [("witness_choice", {**table.witness.key, "dilemma_choice": option}) for option in options]
        )
        assert "not your turn" in text
        view = table.detective.state()
        assert view["witness_choice"] == view["rounds"][0]["witness_choice"]
        assert len(view["rounds"]) == 1


def test_h32_of_two_who_join_at_once_one_gets_the_free_seat(
    racers: Sequence[Any], register: Callable[..., Any], seed: int
) -> None:
    for time in range(TIMES):
        place = {"preferred_role": "Detective", "seed": 20_000_000 + 100 * seed + time}
        witness = register(racers[0])
        witness.join(preferred_role="Witness", seed=place["seed"])
        late = [register(agent) for agent in (racers[0], racers[-1])]
        joined, refused = race(racers, [("join_game", {"client_id": player.client_id, **place}) for player in late])
        assert refused == []
        assert sorted(seat["game_ready"] for seat in joined) == [False, True]
        assert {seat["game_id"] for seat in joined if seat["game_ready"]} == {witness.game_id}
        assert all(seat["role"] == "Detective" for seat in joined)


def test_a_player_who_joins_twice_at_once_gets_one_seat(
    racers: Sequence[Any], register: Callable[..., Any], seed: int
) -> None:
    for time in range(TIMES):
        player = register(racers[0])
        place = {"client_id": player.client_id, "seed": 30_000_000 + 100 * seed + time}
        [seat], [text] = race(racers, [("join_game", place), ("join_game", place)])
        assert seat["game_id"] in text
        racers[0]("leave_game", game_id=seat["game_id"], client_id=player.client_id)


def test_of_a_last_move_and_a_leaving_at_once_one_ends_the_game(
    racers: Sequence[Any], sit_down: Callable[..., Any], seed: int
) -> None:
    model = f"racer {seed}"
    outcomes = set()
    for time in range(TIMES):
        table = sit_down(racers[0], racers[-1], models=(model, "d"))
        table.witness.choose()
        calls = [
            ("detective_choice", {**table.detective.key, "eliminated_words": table.others()}),
            ("leave_game", table.witness.key),
        ]
        race(racers, calls[:: 1 if time % 2 else -1])
        view = table.witness.state()
        outcomes.add(view["outcome"])
        counted = [line["game_id"] for line in racers[-1]("results", model_name=model, limit=100)["results"]]
        assert (table.witness.game_id in counted) == (view["outcome"] == "win")
    assert outcomes == {"win", "abandoned"}
