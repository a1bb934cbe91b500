"""Seeds and mirrors: the same deal again, also with roles swapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

SitDown = Callable[..., Any]


def transcript(table: Any) -> dict[str, Any]:
    """A game of five rounds: board, key word and dilemmas."""
    board, key_word = table.witness.state()["board"], table.key_word
    dilemmas = []
    for _ in range(5):
        dilemmas.append(table.witness.state()["dilemma"])
        table.witness.choose()
        table.detective.eliminate(next(word for word in table.detective.state()["board"] if word != key_word))
    return {"board": board, "key_word": key_word, "dilemmas": dilemmas}


def test_the_same_seed_deals_the_same_game_also_in_another_process(pair: Sequence[Any], sit_down: SitDown) -> None:
    games = [transcript(sit_down(*agents, seed=77)) for agents in (pair, pair[::-1])]
    assert games[0] == games[1]
    assert transcript(sit_down(*pair, seed=78)) != games[0]


def test_a_seed_is_shown_once_the_game_is_over(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent, seed=79)
    assert "seed" not in table.witness.state()
    assert "seed" not in table.detective.state()
    table.win()
    assert table.detective.state()["seed"] == 79


def test_without_a_seed_every_game_is_dealt_anew(start_agent: Callable[..., Any], register: Callable[..., Any]) -> None:
    agent = start_agent()
    boards = set()
    for _ in range(5):
        player = register(agent)
        boards.add(tuple(player.join(preferred_role="Witness")["board"]))
        agent("leave_game", **player.key)
    assert len(boards) == 5


def test_a_player_without_a_seed_sits_down_at_a_game_with_one_but_not_the_other_way_round(
    start_agent: Callable[..., Any], register: Callable[..., Any]
) -> None:
    agent = start_agent()
    seeded, plain, other = register(agent), register(agent), register(agent)
    plain.join(preferred_role="Witness")
    assert seeded.join(preferred_role="Detective", seed=1)["game_ready"] is False
    assert other.join(preferred_role="Witness")["game_id"] == seeded.game_id


@pytest.mark.parametrize("value", [-1, 2**53, 1.5, "x", [1]])
def test_a_seed_is_a_whole_number_that_json_can_carry(agent: Any, register: Callable[..., Any], value: Any) -> None:
    assert "seed" in agent.refused("join_game", client_id=register(agent).client_id, seed=value)


@pytest.mark.parametrize("first", ["witness", "detective"])
def test_a_mirror_is_the_same_deal_with_roles_swapped(pair: Sequence[Any], sit_down: SitDown, first: str) -> None:
    table = sit_down(*pair)
    earlier = table.witness.game_id
    played = transcript(table)
    old_witness, old_detective = table.witness, table.detective
    order = [old_witness, old_detective] if first == "witness" else [old_detective, old_witness]
    assert order[0].join(mirror_of=earlier)["game_ready"] is False
    assert order[1].join(mirror_of=earlier)["game_ready"] is True
    assert (old_witness.joined["role"], old_detective.joined["role"]) == ("Detective", "Witness")
    assert old_witness.game_id == old_detective.game_id != earlier
    table.witness, table.detective = old_detective, old_witness
    assert transcript(table) == played
    for player in (old_witness, old_detective):
        assert player.state()["mirror_of"] == earlier
    newest = pair[0]("results", limit=1)["results"][0]
    assert (newest["game_id"], newest["mirror_of"]) == (old_witness.game_id, earlier)
    # A mirror of the mirror has the roles of the first game again.
    assert old_witness.join(mirror_of=old_witness.game_id)["role"] == "Witness"
    pair[0]("leave_game", **old_witness.key)


def test_only_the_two_players_of_a_game_that_is_over_can_mirror_it(
    agent: Any, sit_down: SitDown, register: Callable[..., Any]
) -> None:
    table, third = sit_down(agent), register(agent)
    game_id = table.witness.game_id
    assert game_id in agent.refused("join_game", client_id=table.witness.client_id, mirror_of=game_id)
    table.win()
    assert "no part" in agent.refused("join_game", client_id=third.client_id, mirror_of=game_id)
    assert "not both" in agent.refused("join_game", client_id=table.witness.client_id, mirror_of=game_id, seed=1)
    text = agent.refused("join_game", client_id=table.witness.client_id, mirror_of=game_id, preferred_role="Witness")
    assert "in its mirror you are the Detective" in text
    alone = register(agent)
    alone.join(preferred_role="Witness", seed=40_000_000)
    agent("leave_game", **alone.key)
    assert "needs two players" in agent.refused("join_game", client_id=alone.client_id, mirror_of=alone.game_id)


def test_nobody_else_is_seated_in_a_mirror(
    agent: Any, sit_down: SitDown, register: Callable[..., Any], seed: int
) -> None:
    table, third = sit_down(agent, seed=seed), register(agent)
    table.win()
    table.witness.join(mirror_of=table.witness.game_id)
    assert third.join(preferred_role="Witness", seed=seed)["game_ready"] is False
    assert table.detective.join(mirror_of=table.detective.game_id)["game_ready"] is True


def test_a_game_keeps_its_key_word_to_itself_while_its_mirror_is_played(agent: Any, sit_down: SitDown) -> None:
    table = sit_down(agent)
    earlier, key = table.witness.game_id, dict(table.witness.key)
    uri = f"hardtoget://games/{earlier}"
    table.win()
    assert "key_word" in agent("get_state", **key)
    assert "key_word" in agent.read(uri)
    table.detective.join(mirror_of=earlier)
    for shown in (agent("get_state", **key), agent.read(uri)):
        assert "key_word" not in shown
        assert "seed" not in shown
    table.witness.join(mirror_of=earlier)
    assert "key_word" not in agent("get_state", **key)
    assert "key_word" not in table.witness.state()
    agent("leave_game", **table.witness.key)
    assert "key_word" in agent("get_state", **key)
