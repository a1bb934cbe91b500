"""Resources and completions: what a spectator sees, and notices to subscribers also when another process moved."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from agenthost import ResourceTemplate
from agenthost_hardtoget import addresses
from agenthost_hardtoget.resources import RESOURCES

UPDATED = "notifications/resources/updated"


def subscribe(agent: Any, *uris: str) -> None:
    if agent.server.era == "legacy":
        for one in uris:
            assert "result" in agent.server.request("resources/subscribe", {"uri": one})
    else:
        agent.server.start_request("subscriptions/listen", {"notifications": {"resourceSubscriptions": list(uris)}})
        agent.server.wait_for_notification("notifications/subscriptions/acknowledged")


def told(agent: Any, count: int) -> set[str]:
    """The addresses in so many notices."""
    return {agent.server.wait_for_notification(UPDATED)["params"]["uri"] for _ in range(count)}


def test_resources_and_templates_are_listed(agent: Any) -> None:
    listed = agent.server.request("resources/list")["result"]["resources"]
    assert [one["uri"] for one in listed] == ["hardtoget://games", "hardtoget://leaderboard"]
    [template] = agent.server.request("resources/templates/list")["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "hardtoget://games/{game_id}"


def test_a_spectator_sees_all_but_the_key_word_and_the_client_ids(agent: Any, sit_down: Callable[..., Any]) -> None:
    table = sit_down(agent, models=("spectated w", "spectated d"))
    uri = addresses.address(table.witness.game_id)
    key_word = table.key_word
    table.witness.choose(1)
    table.detective.eliminate(*table.others()[:2])
    table.witness.choose()
    seen, view = agent.read(uri), table.detective.state()
    assert seen == {
        **{key: value for key, value in view.items() if key not in ("role", "next")},
        "witness_model": "spectated w",
        "detective_model": "spectated d",
    }
    assert (seen["phase"], len(seen["rounds"])) == ("detective_turn", 2)
    line = next(one for one in agent.read("hardtoget://games")["games"] if one["game_id"] == view["game_id"])
    for key in ("phase", "round", "seq", "witness_model", "detective_model", "outcome"):
        assert line[key] == seen[key]
    table.detective.eliminate(*table.others())
    over = agent.read(uri)
    assert (over["outcome"], over["key_word"], over["board"]) == ("win", key_word, [key_word])
    everything = json.dumps([seen, over, agent.read("hardtoget://games"), agent.read("hardtoget://leaderboard")])
    for player in (table.witness, table.detective):
        assert player.client_id not in everything


def test_a_game_that_waits_has_one_model(agent: Any, register: Callable[..., Any], seed: int) -> None:
    player = register(agent, "alone")
    player.join(preferred_role="Detective", seed=seed)
    seen = agent.read(addresses.address(player.game_id))
    assert (seen["witness_model"], seen["detective_model"], seen["phase"]) == (None, "alone", "waiting")


@pytest.mark.parametrize("game_id", ["game-nowhere", "a/b", "x y", "%2e%2e"])
def test_a_game_that_there_is_not_is_an_error_that_names_it(agent: Any, game_id: str) -> None:
    error = agent.server.request("resources/read", {"uri": addresses.address(game_id)})["error"]
    assert error["code"] == -32602
    assert game_id in error["message"]


@pytest.mark.parametrize("order", [1, -1], ids=["modern listens", "legacy listens"])
def test_subscribers_are_told_when_another_process_moved(
    pair: Sequence[Any], sit_down: Callable[..., Any], order: int
) -> None:
    listener, actor = pair[::order]
    table = sit_down(actor)
    game, games, board = addresses.address(table.witness.game_id), "hardtoget://games", "hardtoget://leaderboard"
    subscribe(listener, game, games, board)
    table.witness.choose()
    assert told(listener, 2) == {game, games}
    table.detective.eliminate(*table.others())
    assert told(listener, 3) == {game, games, board}


def test_the_id_of_a_game_is_completed(agent: Any, sit_down: Callable[..., Any]) -> None:
    def complete(ref: dict[str, str], name: str, value: str) -> list[str]:
        params = {"ref": ref, "argument": {"name": name, "value": value}}
        values: list[str] = agent.server.request("completion/complete", params)["result"]["completion"]["values"]
        return values

    game_id = sit_down(agent).witness.game_id
    template = {"type": "ref/resource", "uri": addresses.GAME}
    assert complete(template, "game_id", "game-")[0] == game_id
    assert complete(template, "game_id", game_id[-6:].upper()) == [game_id]
    assert complete(template, "game_id", "x") == []
    for prompt in ("hardtoget_witness", "hardtoget_detective"):
        assert complete({"type": "ref/prompt", "name": prompt}, "mirror_of", game_id) == [game_id]


def test_addresses_are_those_of_the_template() -> None:
    [template] = [one for one in RESOURCES if isinstance(one, ResourceTemplate)]
    for game_id in ("game-0123", "a/b c%é"):
        assert addresses.address(game_id) == template.expand(game_id=game_id)
