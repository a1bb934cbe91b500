"""campfire among other plugins: merged with them, switched off, shared by several servers and a person's command."""

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
    result = server.call(f"campfire_{tool}", arguments)["result"]
    assert not result.get("isError"), result
    structure: dict[str, Any] = result["structuredContent"]
    return structure


@pytest.mark.parametrize("era", ERAS)
def test_campfire_and_void_are_one_server(start: StartServer, era: Era) -> None:
    tools = [{"name": "campfire_ping", "inputSchema": {"type": "object"}, "result": "I am void's"}]
    server = start("--plugins", "void,campfire", f"--set=void.definitions={json.dumps([json.dumps(tools)])}")
    opened = server.open(era)
    names = [tool["name"] for tool in server.tools()]
    assert names[0] == "void_campfire_ping"
    assert names.count("campfire_ping") == 1
    assert server.text("void_campfire_ping", {}) == "I am void's"
    assert "pong" in server.text("campfire_ping")
    assert "campfire_get_or_create_fire" in opened["instructions"]
    done(server, "get_or_create_fire", fireId="f")
    read = server.request("resources/read", {"uri": "campfire://fires/f"})["result"]["contents"][0]
    assert json.loads(read["text"])["id"] == "f"


@pytest.mark.parametrize("era", ERAS)
def test_what_is_switched_off_is_off_everywhere_and_never_imported(start: StartServer, era: Era) -> None:
    server = start("--plugins", "void", env={"PYTHONPROFILEIMPORTTIME": "1"})
    server.open(era)
    prompt = {"type": "ref/prompt", "name": "campfire_judge"}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("tools/call", {"name": "campfire_ping", "arguments": {}}),
        ("prompts/get", {"name": "campfire_judge", "arguments": {"fireId": "f", "name": "Judge"}}),
        ("resources/read", {"uri": "campfire://fires"}),
        ("completion/complete", {"ref": prompt, "argument": {"name": "fireId", "value": ""}}),
    ]
    for method, params in asked:
        assert server.request(method, params)["error"]["code"] == -32602
    assert [name for name in (tool["name"] for tool in server.tools()) if name.startswith("campfire")] == []
    assert server.close() == 0
    assert "agenthost_void" in server.stderr
    assert "agenthost_campfire" not in server.stderr


def test_parts_of_campfire_can_be_switched_off(start: StartServer) -> None:
    deny = '{deny = ["campfire_abandon_duel"]}'
    server = start("--plugins", "campfire", f"--set=campfire.tools={deny}", "--set=campfire.resources={allow = []}")
    server.open("modern")
    assert "campfire_abandon_duel" not in [tool["name"] for tool in server.tools()]
    assert server.call("campfire_abandon_duel", {"fireId": "f"})["error"]["code"] == -32602
    assert server.request("resources/list")["result"]["resources"] == []


def test_four_servers_share_a_fire_and_lose_nothing_when_one_is_killed(start: StartServer) -> None:
    servers = [start("--plugins", "campfire") for _ in range(4)]
    for number, server in enumerate(servers):
        server.open(ERAS[number % 2])
    done(servers[0], "get_or_create_fire", fireId="f")
    posts = [
        (server, f"{number}.{n}", server.start_request("tools/call", call(f"{number}.{n}")))
        for n in range(30)
        for number, server in enumerate(servers)
    ]
    killed = servers.pop()
    acknowledged = []
    for server, text, request in posts:
        if server is killed and text == "3.20":
            killed.stop()
        if server is not killed or killed.process.returncode is None:
            assert server.answer(request)["result"]["structuredContent"]["text"] == text
            acknowledged.append(text)
    for server in servers:
        answer = done(server, "list_messages", fireId="f")
        texts = [message["text"] for message in answer["messages"]]
        assert [message["seq"] for message in answer["messages"]] == list(range(1, len(texts) + 1))
        assert len(set(texts)) == len(texts)
        assert set(acknowledged) <= set(texts)
        for number in range(4):
            mine = [text for text in texts if text.startswith(f"{number}.")]
            assert mine == sorted(mine, key=lambda text: int(text[2:]))


def call(text: str) -> dict[str, Any]:
    return {"name": "campfire_post_message", "arguments": {"fireId": "f", "text": text}}


def test_a_person_sees_what_agents_do(start: StartServer, run_agenthost: Callable[..., Any]) -> None:
    server = start("--plugins", "void,campfire")
    server.open("modern")
    done(server, "update_battle_plan", fireId="the fire", content="PLAN")
    shown = run_agenthost("campfire", "show", "the fire")
    assert shown.returncode == 0, shown.stderr
    assert "PLAN" in shown.stdout


def test_a_wait_is_cut_to_what_the_host_allows(start: StartServer) -> None:
    server = start("--plugins", "campfire", "--set=host.max_wait=0.2")
    server.open("modern")
    done(server, "get_or_create_fire", fireId="f")
    # Far less than the 300 s asked for: the limit of the answer is the test's.
    arguments = {"fireId": "f", "after": 0, "timeout_seconds": 300}
    waited = server.call("campfire_wait", arguments, timeout=20)["result"]["structuredContent"]
    assert waited["changed"] is False
