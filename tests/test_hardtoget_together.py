"""hardtoget among other plugins: merged with them, switched off, shared by several servers and a person's command."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]

ERAS: list[Era] = ["legacy", "modern"]


def done(server: ServerProcess, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structure of a call that has to succeed."""
    result = server.call(tool, arguments)["result"]
    assert not result.get("isError"), result
    structure: dict[str, Any] = result["structuredContent"]
    return structure


def seated(witness: ServerProcess, detective: ServerProcess) -> tuple[dict[str, str], dict[str, str]]:
    """A game of two new players; the keys with which each calls."""
    keys = []
    for server, role in ((witness, "Witness"), (detective, "Detective")):
        client_id = done(server, "hardtoget_register", model_name=role)["client_id"]
        joined = done(server, "hardtoget_join_game", client_id=client_id, preferred_role=role)
        assert joined["role"] == role
        keys.append({"client_id": client_id, "game_id": joined["game_id"]})
    assert keys[0]["game_id"] == keys[1]["game_id"]
    return keys[0], keys[1]


@pytest.mark.parametrize("era", ERAS)
def test_hardtoget_is_played_beside_the_other_plugins(start: StartServer, era: Era) -> None:
    tools = [{"name": "hardtoget_wait", "inputSchema": {"type": "object"}, "result": "I am void's"}]
    server = start("--plugins", "void,campfire,hardtoget", f"--set=void.definitions={json.dumps([json.dumps(tools)])}")
    opened = server.open(era)
    names = [tool["name"] for tool in server.tools()]
    assert names[0] == "void_hardtoget_wait"
    assert names.count("hardtoget_wait") == 1
    assert len(names) == len(set(names))
    assert server.text("void_hardtoget_wait", {}) == "I am void's"
    assert "hardtoget_register" in opened["instructions"]
    witness, detective = seated(server, server)
    done(server, "campfire_get_or_create_fire", fireId="f")
    view = done(server, "hardtoget_wait", **witness)["view"]
    done(server, "hardtoget_witness_choice", **witness, dilemma_choice=view["dilemma"][0])
    others = [word for word in view["board"] if word != view["key_word"]]
    assert done(server, "hardtoget_detective_choice", **detective, eliminated_words=others)["win"] is True
    read = server.request("resources/read", {"uri": f"hardtoget://games/{witness['game_id']}"})["result"]["contents"][0]
    assert json.loads(read["text"])["outcome"] == "win"


@pytest.mark.parametrize("era", ERAS)
def test_what_is_switched_off_is_off_everywhere_and_never_imported(start: StartServer, era: Era) -> None:
    server = start("--plugins", "void", env={"PYTHONPROFILEIMPORTTIME": "1"})
    server.open(era)
    prompt = {"type": "ref/prompt", "name": "hardtoget_witness"}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("tools/call", {"name": "hardtoget_register", "arguments": {}}),
        ("prompts/get", {"name": "hardtoget_witness", "arguments": {}}),
        ("resources/read", {"uri": "hardtoget://games"}),
        ("completion/complete", {"ref": prompt, "argument": {"name": "mirror_of", "value": ""}}),
    ]
    for method, params in asked:
        assert server.request(method, params)["error"]["code"] == -32602
    assert [name for name in (tool["name"] for tool in server.tools()) if name.startswith("hardtoget")] == []
    assert server.close() == 0
    assert "agenthost_void" in server.stderr
    assert "agenthost_hardtoget" not in server.stderr


def test_parts_of_hardtoget_can_be_switched_off(start: StartServer) -> None:
    deny = '{deny = ["hardtoget_leave_game"]}'
    server = start("--plugins", "hardtoget", f"--set=hardtoget.tools={deny}", "--set=hardtoget.resources={allow = []}")
    server.open("modern")
    assert "hardtoget_leave_game" not in [tool["name"] for tool in server.tools()]
    assert server.call("hardtoget_leave_game", {"game_id": "g", "client_id": "c"})["error"]["code"] == -32602
    assert server.request("resources/list")["result"]["resources"] == []


def test_serving_hardtoget_needs_no_web_framework_of_its_own(start: StartServer) -> None:
    server = start("--plugins", "hardtoget", env={"PYTHONPROFILEIMPORTTIME": "1"})
    server.open("modern")
    done(server, "hardtoget_register")
    assert server.close() == 0
    assert "agenthost_hardtoget" in server.stderr
    assert "socketio" not in server.stderr


def test_two_models_in_two_clients_play_and_a_person_sees_the_result(
    start: StartServer, run_agenthost: Callable[..., Any]
) -> None:
    servers = [start("--plugins", "void,hardtoget"), start("--plugins", "hardtoget,campfire")]
    for server, era in zip(servers, ERAS, strict=True):
        server.open(era)
    witness, detective = seated(*servers)
    for _ in range(4):
        view = done(servers[0], "hardtoget_wait", **witness)["view"]
        done(servers[0], "hardtoget_witness_choice", **witness, dilemma_choice=view["dilemma"][1])
        seen = done(servers[1], "hardtoget_wait", **detective)["view"]
        assert seen["witness_choice"] == view["dilemma"][1]
        word = next(word for word in seen["board"] if word != view["key_word"])
        done(servers[1], "hardtoget_detective_choice", **detective, eliminated_words=[word])
    view = done(servers[0], "hardtoget_wait", **witness)["view"]
    done(servers[0], "hardtoget_witness_choice", **witness, dilemma_choice=view["dilemma"][0])
    rest = [word for word in view["board"] if word != view["key_word"]]
    assert done(servers[1], "hardtoget_detective_choice", **detective, eliminated_words=rest)["win"] is True
    assert done(servers[0], "hardtoget_wait", **witness)["view"]["outcome"] == "win"
    shown = run_agenthost("hardtoget", "results")
    assert shown.returncode == 0, shown.stderr
    assert witness["game_id"] in shown.stdout


def test_a_wait_is_cut_to_what_the_host_allows(start: StartServer) -> None:
    server = start("--plugins", "hardtoget", "--set=host.max_wait=0.2")
    server.open("modern")
    witness, _ = seated(server, server)
    # Far less than the 300 s asked for: the limit of the answer is the test's.
    arguments = {**witness, "after": 2, "timeout_seconds": 300}
    waited = server.call("hardtoget_wait", arguments, timeout=20)["result"]["structuredContent"]
    assert waited["changed"] is False


def test_without_its_words_hardtoget_is_left_out_and_the_others_are_served(start: StartServer) -> None:
    server = start("--set=hardtoget.words=nowhere.txt", "--set=host.plugins=['void', 'hardtoget']")
    server.open("modern")
    names = [tool["name"] for tool in server.tools()]
    assert names
    assert not any(name.startswith("hardtoget") for name in names)
    assert "nowhere.txt: cannot be read" in server.wait_for_stderr("nowhere.txt")
