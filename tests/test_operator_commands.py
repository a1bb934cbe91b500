"""The operator's commands on whole installations: broken plugins, all of ours, and what servers really list."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agenthost.profiles import RULES
from agenthost.testing import Era, ServerProcess

RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]
StartServer = Callable[..., ServerProcess]

TROUBLE = ("trouble", "twin_one", "twin_two", "too_new", "unnameable", "hello")
IN_A_SECOND = "--set=host.start_limit=1"

BROKEN = [
    "raises-import",
    "exits-import",
    "cancels-import",
    "blocks-import",
    "lacks-module",
    "misspelt-hook",
    "raises-settings",
    "greedy-settings",
    "exits-tools",
    "coroutine-tools",
    "blocks-tools",
    "rubbish-lifespan",
    "twin",
]
"""Plugins that cannot be loaded, each for another reason."""


def doctor(run_agenthost: RunAgenthost, *arguments: str, code: int, **options: Any) -> list[dict[str, str]]:
    done = run_agenthost("doctor", "--json", *arguments, **options)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    told: list[dict[str, str]] = json.loads(done.stdout)
    return told


def levels(told: list[dict[str, str]], group: str) -> dict[str, str]:
    return {diagnosis["subject"]: diagnosis["level"] for diagnosis in told if diagnosis["group"] == group}


def test_doctor_tells_of_every_broken_plugin_and_looks_at_the_others(run_agenthost: RunAgenthost) -> None:
    wanted = ["hello", *BROKEN, "void", "bad-tools"]
    option = f"--set=host.plugins={json.dumps(wanted)}"
    told = doctor(run_agenthost, option, IN_A_SECOND, code=1, plugins=TROUBLE)
    assert levels(told, "plugins") == {
        "plugin hello": "ok",
        **{f"plugin {name}": "error" for name in BROKEN},
        "plugin void": "ok",
        "plugin bad-tools": "ok",
        "not wanted": "info",
        **{f"plugin {name}": "warning" for name in ("9lives", "Upper", "a.b", "host", "serve")},
    }
    [lists] = [diagnosis for diagnosis in told if diagnosis["subject"] == "lists"]
    assert lists["text"].startswith("3 tools; ")
    quarantined = [diagnosis for diagnosis in told if diagnosis["text"].startswith("quarantined: ")]
    assert len(quarantined) > 10
    assert {diagnosis["plugin"] for diagnosis in quarantined} == {"bad-tools"}


@pytest.mark.parametrize("verb", ["tools", "prompts", "resources", "config"])
def test_the_other_commands_work_with_every_plugin_broken(verb: str, run_agenthost: RunAgenthost) -> None:
    option = f"--set=host.plugins={json.dumps(BROKEN)}"
    done = run_agenthost(verb, option, IN_A_SECOND, plugins=TROUBLE)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    for name in BROKEN:
        assert name in done.stdout


def test_a_first_file_is_made_whatever_is_installed(run_agenthost: RunAgenthost, tmp_path: Path) -> None:
    file = tmp_path / "agenthost.toml"
    sound = ("hello", "puppets", "scenes")
    assert run_agenthost("init", str(file), plugins=sound).returncode == 0
    assert run_agenthost("plugins", "--strict", "--config", str(file), plugins=sound).returncode == 0
    done = run_agenthost("init", str(tmp_path / "b.toml"), plugins=("twin_one", "twin_two", "unnameable"))
    assert done.returncode == 0, done.stderr
    assert "was imported" not in done.stdout + done.stderr


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_what_is_listed_offline_is_what_a_server_lists(
    era: Era, run_agenthost: RunAgenthost, start: StartServer
) -> None:
    names = ["b_c", "x", "void_y"]
    options = (
        *("--plugins", "void,alpha,my_a,hello"),
        *("--set", f"alpha.names={json.dumps(names)}", "--set", f"my_a.names={json.dumps(names)}"),
        *("--set", "hello.prefix=a_", "--set", "alpha.tools.deny=['x']", "--set", "void.mutable=true"),
    )
    plugins = ("puppets", "hello")
    server = start(*options, plugins=plugins)
    server.open(era)
    entries = json.loads(run_agenthost("tools", "--json", *options, plugins=plugins).stdout)
    assert [entry["name"] for entry in entries] == [tool["name"] for tool in server.tools()]
    assert [entry["own_name"] for entry in entries if entry["own_name"] != entry["name"]] == ["b_c", "void_y", "hello"]
    if era == "modern":
        assert [entry["listed"] for entry in entries] == server.tools()
    for verb, method in (("prompts", "prompts/list"), ("resources", "resources/list")):
        entries = json.loads(run_agenthost(verb, "--json", *options, plugins=plugins).stdout)
        assert [entry["listed"] for entry in entries] == server.request(method)["result"][verb]


def test_a_call_answers_as_the_server_does(run_agenthost: RunAgenthost) -> None:
    plugins = ("hello",)
    done = run_agenthost("call", "hello", "--arg", "name=Ada", plugins=plugins)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hello, Ada!\n", "")
    assert run_agenthost("call", "hello", "--arg", "nam=Ada", plugins=plugins).returncode == 1
    assert run_agenthost("call", "hallo", "--plugins", "void", plugins=plugins).returncode == 2


def test_a_call_of_a_tool_whose_plugin_is_not_served_says_why(run_agenthost: RunAgenthost, tmp_path: Path) -> None:
    (tmp_path / "campfire.db").mkdir()
    options = ("--state-dir", str(tmp_path), '--set=host.plugins=["campfire"]')
    done = run_agenthost("call", "campfire_list_fires", *options)
    assert done.returncode == 2
    assert "Unknown tool: campfire_list_fires" in done.stderr
    assert "campfire.db" in done.stderr
    assert "serving" not in done.stderr


def minded(run_agenthost: RunAgenthost, plugins: str) -> list[dict[str, Any]]:
    """What clients would not take of these plugins."""
    told = doctor(run_agenthost, "--set=void.mutable=true", "--plugins", plugins, code=0)
    return [diagnosis for diagnosis in told if diagnosis["group"] == "clients" and diagnosis["level"] == "warning"]


@pytest.mark.parametrize("plugins", ["campfire,void", "hardtoget,void", "skillcentral,void"])
def test_no_client_minds_anything_of_our_own_plugins(plugins: str, run_agenthost: RunAgenthost) -> None:
    assert minded(run_agenthost, plugins) == []


def test_of_all_four_together_one_client_minds_that_it_is_much_to_read(run_agenthost: RunAgenthost) -> None:
    found = minded(run_agenthost, "campfire,hardtoget,skillcentral,void")
    assert [(diagnosis["client"], diagnosis["subject"]) for diagnosis in found] == [("trae", "list of tools")]


def test_the_documents_name_every_rule_about_clients() -> None:
    page = (Path(__file__).parent.parent / "docs" / "commands.md").read_text(encoding="utf-8")
    heading, _, table = page.partition("\n### What clients will not take\n")
    assert heading
    cells = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    named: set[str] = set()
    for cell in cells:
        numbers = re.findall(r"`([A-Z])(\d\d)`", cell)
        if " to " in cell:
            [(letter, first), (_, last)] = numbers
            named |= {f"{letter}{number:02}" for number in range(int(first), int(last) + 1)}
        else:
            named |= {letter + number for letter, number in numbers}
    assert named == {*RULES, "P04"}
