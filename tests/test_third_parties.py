"""Plugins of third parties: one that was written for today's contract goes on working."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from agenthost.testing import ServerProcess

SOURCE = Path(__file__).parent / "plugins" / "keepsake" / "agenthost_test_keepsake.py"
FROZEN = "521aecc177dd6c3b00fa0f8f6f16e052bde874f0f05d0b17bdffdb46cc91628f"
"""Its digest. A change of the host that needs another one breaks the plugins of others."""

OPTIONS = ["--plugins", "keepsake", "--strict"]
SERVED = ["keepsake_keep", "keepsake_now", "keepsake_show", "keepsake_throw_away", "keepsake_wait"]


def test_the_frozen_plugin_has_not_been_changed_with_the_host() -> None:
    assert hashlib.sha256(SOURCE.read_bytes()).hexdigest() == FROZEN


@pytest.fixture(params=["legacy", "modern"])
def server(request: pytest.FixtureRequest, start: Any) -> Iterator[ServerProcess]:
    """The frozen plugin, served alone, with nothing to report about it."""
    started: ServerProcess = start(*OPTIONS, plugins=["keepsake"])
    started.open(request.param)
    yield started
    assert started.close() == 0


def test_the_frozen_plugin_offers_what_it_did(server: ServerProcess) -> None:
    assert sorted(tool["name"] for tool in server.tools()) == SERVED
    [prompt] = server.request("prompts/list")["result"]["prompts"]
    assert [argument["name"] for argument in prompt["arguments"]] == ["name", "tone"]
    [listed] = server.request("resources/list")["result"]["resources"]
    [template] = server.request("resources/templates/list")["result"]["resourceTemplates"]
    assert (listed["uri"], template["uriTemplate"]) == ("keepsake://all", "keepsake://one/{name}")


def test_the_frozen_plugins_functions_answer_as_they_did(server: ServerProcess) -> None:
    kept = server.call("keepsake_keep", {"keepsakeName": "shell", "why": "the sea"})["result"]
    assert kept["structuredContent"] == {"name": "shell", "why": "the sea"}
    again = server.call("keepsake.keep", {"keepsakeName": "shell"})["result"]
    assert (again["isError"], again["content"][0]["text"]) == (True, "shell is kept already.")
    assert server.call("keepsake_keep", {"name": "x"})["result"]["isError"]
    shown = server.call("keepsake_show", {"size": "small"})["result"]["content"]
    assert [block["type"] for block in shown] == ["text", "image"]
    assert server.text("keepsake_wait", {"after": 0}) == "after=1"
    assert server.text("keepsake_now") == "served"
    given = server.request("prompts/get", {"name": "keepsake_remember", "arguments": {"name": "shell"}})["result"]
    assert [(message["role"], message["content"]["text"]) for message in given["messages"]] == [
        ("user", "In a warm tone: why is shell kept?"),
        ("assistant", "the sea"),
    ]
    [one] = server.request("resources/read", {"uri": "keepsake://one/shell"})["result"]["contents"]
    assert one["text"] == "shell: the sea"
    assert "There is no hat" in server.request("resources/read", {"uri": "keepsake://one/hat"})["error"]["message"]
    reference = {"type": "ref/prompt", "name": "keepsake_remember"}
    completed = server.request("completion/complete", {"ref": reference, "argument": {"name": "name", "value": "s"}})
    assert completed["result"]["completion"]["values"] == ["shell"]


def test_the_frozen_plugin_asks_and_acts_on_the_answer(start: Any) -> None:
    server: ServerProcess = start(*OPTIONS, plugins=["keepsake"])
    server.open("modern")
    server.text("keepsake_keep", {"keepsakeName": "hat"})
    able = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
    call = {"name": "keepsake_throw_away", "arguments": {"keepsakeName": "hat"}, "_meta": able}
    asked = server.request("tools/call", call)["result"]
    assert asked["inputRequests"]["sure"]["params"]["message"] == "Throw hat away?"
    answers = {"sure": {"action": "accept", "content": {"sure": True}}}
    done = server.request("tools/call", {**call, "inputResponses": answers, "requestState": asked["requestState"]})
    assert done["result"]["structuredContent"] == {"gone": True}


def test_the_frozen_plugin_is_told_of_and_outlives_a_restart(start: Any, run_agenthost: Any) -> None:
    first: ServerProcess = start(*OPTIONS, plugins=["keepsake"])
    opened = first.open()
    assert opened["instructions"].endswith("Keepsakes of nobody: begin with keepsake_keep.")
    first.request("resources/subscribe", {"uri": "keepsake://one/shell"})
    first.text("keepsake_keep", {"keepsakeName": "shell"})
    assert first.wait_for_notification("notifications/resources/updated")["params"]["uri"] == "keepsake://one/shell"
    assert first.close() == 0
    listed = run_agenthost("--set", "keepsake.owner=Ada", "keepsake", "list", plugins=["keepsake"])
    assert (listed.returncode, listed.stdout) == (0, "Ada: shell\n")


def test_the_frozen_plugins_extension_answers(start: Any) -> None:
    server: ServerProcess = start(*OPTIONS, plugins=["keepsake"])
    assert server.open("modern")["capabilities"]["extensions"] == {"org.example/keepsake": {"since": 2026}}
    server.text("keepsake_keep", {"keepsakeName": "hat"})
    assert server.request("keepsake/count", {"start": "h"})["result"]["count"] == 1


def test_the_frozen_plugins_page_is_served_over_http(start: Any, run_agenthost: Any) -> None:
    kept = run_agenthost("call", "keepsake_keep", "--arg", "keepsakeName=hat", *OPTIONS, plugins=["keepsake"])
    assert kept.returncode == 0, kept.stderr
    server: ServerProcess = start(*OPTIONS, "--http", "0", plugins=["keepsake"])
    page = httpx2.get(server.url.replace("/mcp", "/keepsake/"), timeout=20)
    assert (page.status_code, page.text) == (200, "hat")


def test_the_frozen_plugins_scene_is_played(run_agenthost: Any) -> None:
    done = run_agenthost("demo", "--plugins", "keepsake", plugins=["keepsake"])
    assert done.returncode == 0, done.stderr
    assert "shell: the sea" in done.stdout
