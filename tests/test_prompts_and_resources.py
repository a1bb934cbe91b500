"""Prompts and resources of several plugins in one server: the rules for tools hold for them too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def options(plugins: str, settings: Mapping[str, Any]) -> list[str]:
    return ["--plugins", plugins, *(f"--set={key}={json.dumps(value)}" for key, value in settings.items())]


def prompts(server: ServerProcess) -> list[str]:
    return [prompt["name"] for prompt in server.request("prompts/list")["result"]["prompts"]]


def ask(server: ServerProcess, name: str) -> str:
    [message] = server.request("prompts/get", {"name": name})["result"]["messages"]
    text: str = message["content"]["text"]
    return text


def resources(server: ServerProcess) -> list[str]:
    return [item["uri"] for item in server.request("resources/list")["result"]["resources"]]


def templates(server: ServerProcess) -> list[str]:
    return [item["uriTemplate"] for item in server.request("resources/templates/list")["result"]["resourceTemplates"]]


def read(server: ServerProcess, uri: str) -> str:
    [contents] = server.request("resources/read", {"uri": uri})["result"]["contents"]
    assert contents["uri"] == uri
    text: str = contents["text"]
    return text


@ERAS
def test_x02_of_equal_prompt_names_the_earlier_keeps_it_and_the_later_is_renamed(start: StartServer, era: Era) -> None:
    settings = {
        "beta.asks": ["documentation", "alpha_help", "two words"],
        "alpha.asks": ["documentation", "alpha_help"],
        "gamma.asks": ["documentation", "own"],
        "gamma.prefix": "g_",
        "gamma.prompts.deny": ["own"],
    }
    server = start(*options("beta,alpha,gamma", settings), plugins=["puppets"])
    server.open(era)
    served = {
        "documentation": "beta: documentation",
        "beta_alpha_help": "beta: alpha_help",
        "two words": "beta: two words",
        "alpha_documentation": "alpha: documentation",
        "alpha_help": "alpha: alpha_help",
        "g_documentation": "gamma: documentation",
    }
    names = prompts(server)
    assert names == list(served)
    assert {name: ask(server, name) for name in names} == served
    assert server.close() == 0
    warnings = [line for line in server.stderr.splitlines() if ": warning: " in line and ": prompt " in line]
    assert len(warnings) == 2
    assert "alpha: prompt 'documentation'" in str(warnings)
    assert "'alpha_documentation'" in str(warnings)


@ERAS
def test_of_equal_addresses_the_scheme_then_the_order_decides_and_contents_are_never_swapped(
    start: StartServer, era: Era
) -> None:
    settings = {
        "beta.addresses": ["note://today", "alpha://x", "note://{day}"],
        "alpha.addresses": ["note://today", "alpha://x", "note://archive/{day}"],
        "neighbour.addresses": ["note://{day}", "note://archive/today"],
    }
    server = start(*options("beta,alpha,neighbour", settings), plugins=["puppets"])
    server.open(era)
    assert resources(server) == ["note://today", "alpha://x", "note://archive/today"]
    assert templates(server) == ["note://{day}", "note://archive/{day}"]
    answers = {
        "note://today": "beta: note://today",
        "alpha://x": "alpha: alpha://x",
        "note://monday": "beta: note://{day} day=monday",
        "note://archive/monday": "alpha: note://archive/{day} day=monday",
        # An exact address goes before any template.
        "note://archive/today": "neighbour: note://archive/today",
    }
    assert {uri: read(server, uri) for uri in answers} == answers
    assert server.close() == 0
    warnings = [line for line in server.stderr.splitlines() if ": warning: " in line and ": resource " in line]
    assert len(warnings) == 3
    assert "alpha: resource 'note://today'" in str(warnings)
    assert "beta: resource 'alpha://x'" in str(warnings)
    assert "neighbour: resource 'note://{day}'" in str(warnings)


@ERAS
def test_what_is_off_is_unknown_to_prompts_and_resources_too(start: StartServer, era: Era) -> None:
    settings = {
        "alpha.asks": ["secret", "open"],
        "alpha.prompts.deny": ["secret"],
        "alpha.addresses": ["note://secret/a", "note://open/a", "note://secret/{day}"],
        "alpha.resources.deny": ["note://secret/*"],
        "beta.asks": ["elsewhere"],
    }
    server = start(*options("alpha,probe", settings), plugins=["puppets", "calls"])
    server.open(era)
    assert prompts(server) == ["open"]
    assert resources(server) == ["note://open/a"]
    assert templates(server) == []
    for name in ("secret", "elsewhere", "nosuch"):
        error = server.request("prompts/get", {"name": name})["error"]
        assert (error["code"], name in error["message"]) == (-32602, True)
        reference = {"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "a", "value": ""}}
        assert server.request("completion/complete", reference)["error"]["code"] == -32602
    for uri in ("note://secret/a", "note://secret/b", "note://nosuch"):
        error = server.request("resources/read", {"uri": uri})["error"]
        assert (error["code"], uri in error["message"]) == (-32602, True)


@pytest.fixture(scope="module", params=["legacy", "modern"])
def crashing(request: pytest.FixtureRequest, start_shared: StartServer) -> ServerProcess:
    server = start_shared("--plugins", "crashing", plugins=["calls"])
    server.open(request.param)
    return server


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("prompts/get", {"name": "ask_raising"}),
        ("prompts/get", {"name": "ask_exiting"}),
        ("prompts/get", {"name": "ask_rubbish"}),
        ("resources/read", {"uri": "crashing://raises"}),
        ("resources/read", {"uri": "crashing://exits"}),
        ("resources/read", {"uri": "crashing://rubbish"}),
    ],
)
def test_x04_a_crash_in_a_prompt_or_resource_is_an_error_with_a_reference_and_no_internals(
    crashing: ServerProcess, method: str, params: dict[str, Any]
) -> None:
    error = crashing.request(method, params)["error"]
    assert error["code"] == -32603
    reference = re.search(r"\(reference ([0-9a-f]{8})\)", error["message"])
    assert reference
    assert "internal detail" not in json.dumps(error)
    crashing.wait_for_stderr(f"[reference {reference[1]}]")
    assert ask_kindly(crashing) == "tea, kind"


def ask_kindly(server: ServerProcess) -> str:
    got = server.request("prompts/get", {"name": "ask", "arguments": {"topic": "tea"}})
    text: str = got["result"]["messages"][0]["content"]["text"]
    return text


def test_x09_announced_errors_and_wrong_arguments_are_32602_and_name_what_is_wrong(crashing: ServerProcess) -> None:
    asked: list[tuple[str, dict[str, Any], str]] = [
        ("prompts/get", {"name": "ask_refused"}, "Not today."),
        ("prompts/get", {"name": "ask"}, "topic"),
        ("prompts/get", {"name": "ask", "arguments": {"topic": "tea", "tune": "loud"}}, "tune"),
        ("prompts/get", {"name": "aks"}, "aks"),
        ("resources/read", {"uri": "crashing://missing/a%2Fb"}, "There is no a/b."),
        ("resources/read", {"uri": "crashing://nowhere"}, "crashing://nowhere"),
    ]
    for method, params, text in asked:
        error = crashing.request(method, params)["error"]
        assert error["code"] == -32602
        assert text in error["message"]


@ERAS
def test_x08_a_change_of_prompts_or_resources_is_told_once_and_for_its_kind_alone(start: StartServer, era: Era) -> None:
    server = start("--plugins", "changing,neighbour", "--set=neighbour.asks=['taken']", plugins=["changes", "puppets"])
    capabilities = server.open(era)["capabilities"]
    assert capabilities["prompts"]["listChanged"] is True
    assert capabilities["resources"]["listChanged"] is True
    if era == "modern":
        wanted = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
        server.start_request("subscriptions/listen", {"notifications": wanted})
        server.wait_for_notification("notifications/subscriptions/acknowledged")
    assert prompts(server) == ["taken"]
    assert resources(server) == []
    server.tools()

    def told() -> list[str]:
        for _ in range(3):
            server.tools()
        methods = [note["method"] for note in server.notifications]
        server.notifications.clear()
        return methods

    told()
    server.text("add_prompts", {"names": ["p1", "p2"]})
    assert told() == ["notifications/prompts/list_changed"]
    assert prompts(server) == ["p1", "p2", "taken"]
    server.text("add_resources", {"uris": ["note://a", "note://b"]})
    assert told() == ["notifications/resources/list_changed"]
    assert read(server, "note://b") == "read"
    assert server.call("add_prompts", {"names": ["taken"]})["result"]["isError"]
    assert server.call("add_resources", {"uris": ["no address"]})["result"]["isError"]
    assert told() == []
    server.text("clear")
    assert sorted(told()) == ["notifications/prompts/list_changed", "notifications/resources/list_changed"]
    assert (prompts(server), resources(server)) == (["taken"], [])
    assert server.request("resources/read", {"uri": "note://b"})["error"]["code"] == -32602
