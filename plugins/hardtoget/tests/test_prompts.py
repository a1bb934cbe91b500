"""Prompts: what they teach each role."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

ROLES = {
    "witness": ["preferred_role=Witness", "hardtoget_witness_choice", "key_word", "witness_turn"],
    "detective": ["preferred_role=Detective", "hardtoget_detective_choice", "eliminated_words", "detective_turn"],
}


def get(agent: Any, prompt: str, /, **arguments: str) -> str:
    result = agent.server.request("prompts/get", {"name": f"hardtoget_{prompt}", "arguments": arguments})["result"]
    [message] = result["messages"]
    text: str = message["content"]["text"]
    return text


def test_the_prompts_are_listed(agent: Any) -> None:
    listed = agent.server.request("prompts/list")["result"]["prompts"]
    assert {
        prompt["name"]: [(argument["name"], argument["required"]) for argument in prompt["arguments"]]
        for prompt in listed
    } == {
        "hardtoget_witness": [("model_name", False), ("mirror_of", False)],
        "hardtoget_detective": [("model_name", False), ("mirror_of", False)],
    }


@pytest.mark.parametrize("role", ROLES)
def test_each_role_learns_its_steps(agent: Any, role: str) -> None:
    text = get(agent, role, model_name=" my model ")
    for fact in (*ROLES[role], "'my model'", "hardtoget_register", "client_id", "five rounds", "hardtoget_wait"):
        assert fact in text
    known = {tool["name"] for tool in agent.server.tools()}
    assert set(re.findall(r"hardtoget_\w+", text)) <= known
    assert "model_name" not in get(agent, role)


@pytest.mark.parametrize("role", ROLES)
def test_a_mirror_is_joined_with_the_old_client_id(agent: Any, sit_down: Callable[..., Any], role: str) -> None:
    table = sit_down(agent)
    table.win()
    text = get(agent, role, mirror_of=table.witness.game_id)
    assert f"mirror_of={table.witness.game_id}" in text
    assert "do not register again" in text


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        ({"mirror_of": "game-nowhere"}, "game-nowhere"),
        ({"mirror_of": " "}, "mirror_of is blank"),
        ({"model_name": " "}, "model_name is blank"),
        ({"name": "x"}, "name"),
    ],
)
def test_wrong_arguments_are_errors_that_say_what_is_wrong(agent: Any, arguments: dict[str, str], fact: str) -> None:
    response = agent.server.request("prompts/get", {"name": "hardtoget_witness", "arguments": arguments})
    assert response["error"]["code"] == -32602
    assert fact in response["error"]["message"]
