"""Skills that plugins bring along: served by skillcentral when both are wanted, found without an import."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]
RunAgenthost = Callable[..., Any]

GREET = "skill://ships/greet/SKILL.md"


def skills(server: ServerProcess) -> dict[str, list[str]]:
    """The addresses of each skill's files, by that of the skill."""
    listed = server.request("skills/list")["result"]["skills"]
    return {skill["uri"]: [one["uri"] for one in skill["resources"]] for skill in listed}


def text(server: ServerProcess, uri: str) -> str:
    [part] = server.request("resources/read", {"uri": uri})["result"]["contents"]
    return part["text"]  # type: ignore[no-any-return]


def prompt(server: ServerProcess, name: str) -> str:
    [message] = server.request("prompts/get", {"name": name})["result"]["messages"]
    return message["content"]["text"]  # type: ignore[no-any-return]


def write(folder: Path, path: str, content: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(content, encoding="utf-8")


@pytest.mark.parametrize("order", ["skillcentral,ships", "ships,skillcentral"])
def test_the_skills_of_a_plugin_are_served_below_its_name_when_both_are_wanted(start: StartServer, order: str) -> None:
    server = start("--plugins", order, plugins=["ships"])
    server.open("modern")
    assert skills(server) == {
        "skill://ships/echo/SKILL.md": ["skill://ships/echo/SKILL.md"],
        GREET: [GREET, "skill://ships/greet/words/list.md"],
    }
    assert "`ships_greet`" in text(server, GREET)
    assert "`ships_greet`" in prompt(server, "greet")
    assert text(server, "skill://ships/greet/words/list.md") == "Ahoy\n"
    assert server.text("ships_greet", {"name": "Ann"}) == "Ahoy, Ann!"


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_plugin_that_is_off_has_no_skills(start: StartServer, era: Era) -> None:
    server = start("--plugins", "skillcentral", plugins=["ships"], env={"PYTHONPROFILEIMPORTTIME": "1"})
    server.open(era)
    assert "ships" not in json.dumps([server.request(f"{kind}/list") for kind in ("prompts", "resources")])
    for uri in (GREET, "skill://ships/greet/words/list.md", "skill://skill/greet"):
        assert server.request("resources/read", {"uri": uri})["error"]["code"] == -32602
    if era == "modern":
        assert skills(server) == {}
    assert server.close() == 0
    assert "agenthost_test_ships" not in server.stderr


def test_without_skillcentral_nobody_serves_them(start: StartServer) -> None:
    server = start("--plugins", "ships", plugins=["ships"])
    server.open("modern")
    assert server.request("resources/read", {"uri": GREET})["error"]["code"] == -32602
    assert server.request("prompts/get", {"name": "greet"})["error"]["code"] == -32602


def test_the_command_lists_what_a_server_would_serve_and_imports_no_plugin(run_agenthost: RunAgenthost) -> None:
    def listed(wanted: list[str]) -> Any:
        chosen = f"--set=host.plugins={json.dumps(wanted)}"
        env = {"PYTHONPROFILEIMPORTTIME": "1"}
        return run_agenthost(chosen, "skillcentral", "list", "--json", plugins=["ships"], env=env)

    done = listed(["ships", "skillcentral"])
    assert [(one["id"], one["candidates"][0]["layer"]["id"]) for one in json.loads(done.stdout)["skills"]] == [
        ("echo", "plugin:ships"),
        ("greet", "plugin:ships"),
    ]
    assert "agenthost_skillcentral" in done.stderr
    assert "agenthost_test_ships" not in done.stderr
    assert json.loads(listed(["skillcentral"]).stdout)["skills"] == []


def test_a_skill_of_the_project_goes_before_that_of_a_plugin_and_hides_no_file(
    start: StartServer, tmp_path: Path
) -> None:
    write(tmp_path, ".skills/01-global/greet/SKILL.md", "---\nname: greet\ndescription: Ours.\n---\nWave.\n")
    write(tmp_path, "skill-central.yaml", "layers: [{id: ships, path: .skills/01-global, priority: 0.01}]\n")
    server = start("--plugins", "skillcentral,ships", plugins=["ships"], cwd=tmp_path)
    server.open("modern")
    assert list(skills(server)) == [
        "skill://ships-2/greet/SKILL.md",
        "skill://ships/echo/SKILL.md",
        GREET,
    ]
    assert "`ships_greet`" in prompt(server, "greet")  # a layer with a lower priority was asked for
    write(tmp_path, "skill-central.yaml", "layers: [{id: ships, path: .skills/01-global, priority: 1}]\n")
    server = start("--plugins", "skillcentral,ships", plugins=["ships"], cwd=tmp_path)
    server.open("modern")
    assert prompt(server, "greet").strip() == "Wave."
    assert "`ships_greet`" in text(server, GREET)


def test_wrong_announcements_are_told_and_cost_nothing_else(start: StartServer, run_agenthost: RunAgenthost) -> None:
    wanted = "skillcentral,odd_value,odd_package,odd_folder,ships"
    server = start("--plugins", wanted, plugins=["ships", "ships_odd"])
    server.open("modern")
    assert list(skills(server)) == ["skill://ships/echo/SKILL.md", GREET]
    faults = [
        'skills of the plugin odd_value: "agenthost_test_ships_odd/skills" is not a package, a colon and a folder',
        "skills of the plugin odd_package: there is no package agenthost_test_nowhere",
        "is no folder; the layer",
        "skills of the plugin ships: what agenthost-test-ships-odd announces for it is left out",
    ]
    for fault in faults:
        server.wait_for_stderr(fault)
    chosen = f"--set=host.plugins={json.dumps(wanted.split(','))}"
    done = run_agenthost(chosen, "skillcentral", "doctor", plugins=["ships", "ships_odd"])
    assert done.returncode == 1
    assert all(fault in done.stdout for fault in faults)


@pytest.mark.parametrize(("plugin", "skill"), [("campfire", "run-a-duel"), ("hardtoget", "play-hardtoget")])
def test_our_plugins_bring_a_skill_whose_links_lead_to_its_files_and_whose_tools_exist(
    start: StartServer, plugin: str, skill: str
) -> None:
    server = start("--plugins", f"skillcentral,{plugin}")
    server.open("modern")
    uri = f"skill://{plugin}/{skill}/SKILL.md"
    entry = server.request("skills/get", {"uri": uri})["result"]["skill"]
    manifest = {one["uri"]: one for one in entry["resources"]}
    assert len(manifest) == 2
    for file, one in manifest.items():
        data = text(server, file).encode()
        assert (one["digest"], one["size"]) == (f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))
    body = text(server, uri)
    links = re.findall(r"\]\(([^)]+)\)", body)
    assert {urljoin(uri.replace("skill:", "http:"), link).replace("http:", "skill:") for link in links} | {uri} == {
        *manifest
    }
    tools = {one["name"] for one in server.request("tools/list")["result"]["tools"]}
    named = set(re.findall(rf"`({plugin}_\w+)`", body)) - {f"{plugin}_"}
    assert len(named) >= 5
    assert named <= tools
