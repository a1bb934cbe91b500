"""skillcentral among other plugins: one server, names that meet, what is switched off, its page in docs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess
from agenthost_skillcentral.layers.presets import PRESETS
from agenthost_skillcentral.settings import Settings

StartServer = Callable[..., ServerProcess]

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])

PAGE = Path(__file__).parent.parent / "docs" / "skillcentral.md"


def prompt(skill_id: str, body: str = "B", tags: str = "") -> str:
    return f"id: {skill_id}\ntype: prompt\ntags: [{tags}]\nprompt: {body}\n"


def tool(skill_id: str, body: str = "T") -> str:
    return f"id: {skill_id}\ntype: tool\nprompt: {body}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with three skills, two of which have names of other plugins."""
    folder = tmp_path / "project"
    write(folder, "01-global/house-rules.yaml", prompt("house-rules", "Be {{how}}.", "rules"))
    write(folder, "02-workflows/campfire_judge.yaml", prompt("campfire_judge", "Judge the code."))
    write(folder, "02-workflows/campfire_ping.yaml", tool("campfire_ping", "A skill's own ping."))
    return folder


def write(project: Path, name: str, text: str) -> None:
    path = project / ".skills" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def names(server: ServerProcess, kind: str) -> list[str]:
    return [item["name"] for item in server.request(f"{kind}/list")["result"][kind]]


def text(server: ServerProcess, name: str, **arguments: str) -> str:
    result = server.request("prompts/get", {"name": name, "arguments": arguments})["result"]
    return result["messages"][0]["content"]["text"]  # type: ignore[no-any-return]


def serve(start: StartServer, project: Path, era: Era, *options: str) -> ServerProcess:
    settings = ("--set=void.mutable=true", f"--set=skillcentral.project_root={project}")
    server = start("--plugins", "campfire,void,skillcentral", *settings, *options)
    server.open(era)
    return server


def listen(server: ServerProcess) -> None:
    """Be told of changes from now on: a list waits until the plugins have started."""
    names(server, "tools")
    if server.era == "modern":
        wanted = {"toolsListChanged": True, "promptsListChanged": True}
        server.start_request("subscriptions/listen", {"notifications": wanted})
        server.wait_for_notification("notifications/subscriptions/acknowledged")


@ERAS
def test_campfire_void_and_skillcentral_are_one_server(start: StartServer, project: Path, era: Era) -> None:
    server = serve(start, project, era)
    tools, prompts = names(server, "tools"), names(server, "prompts")
    assert {"campfire_ping", "Universal", "skillcentral_campfire_ping"} <= set(tools)
    assert {"campfire_judge", "house-rules", "skills_compose", "skillcentral_campfire_judge"} <= set(prompts)
    for listed in (tools, prompts):
        assert len(listed) == len(set(listed))
    assert server.text("skillcentral_campfire_ping") == "A skill's own ping."
    assert "pong" in server.text("campfire_ping")
    assert text(server, "house-rules", how="kind") == "Be kind."
    assert text(server, "skillcentral_campfire_judge") == "Judge the code."
    unknown = server.request("prompts/get", {"name": "nosuch"})["error"]
    assert (unknown["code"], unknown["message"]) == (-32602, "Unknown prompt skill: nosuch")
    unknown = server.call("nosuch")["error"]
    assert unknown["code"] == -32602
    assert unknown["message"].startswith("Unknown tool: nosuch")


@ERAS
def test_a_skill_that_would_take_anothers_name_at_run_time_is_refused_alone(
    start: StartServer, project: Path, era: Era
) -> None:
    server = serve(start, project, era)
    listen(server)
    write(project, "03-domains/1.yaml", tool("campfire_echo"))
    write(project, "03-domains/2.yaml", tool("fine"))
    server.wait_for_notification("notifications/tools/list_changed")
    server.wait_for_stderr("'campfire_echo' is taken by plugin campfire")
    assert "fine" in names(server, "tools")
    assert names(server, "tools").count("campfire_echo") == 1
    assert server.text("campfire_echo", {"message": "m"}).startswith("m")
    write(project, "03-domains/2.yaml", tool("fine", "edited"))
    write(project, "02-workflows/campfire_ping.yaml", "description: d\n" + tool("campfire_ping", "edited too"))
    server.wait_for_notification("notifications/tools/list_changed")
    assert server.text("skillcentral_campfire_ping") == "edited too"
    assert server.text("fine") == "edited"


@ERAS
def test_x08_changes_of_void_and_of_skillcentral_are_told_to_everyone(
    start: StartServer, project: Path, era: Era
) -> None:
    server = serve(start, project, era)
    listen(server)
    arguments: dict[str, Any] = {"name": "made", "inputSchema": {"type": "object"}, "result": "r"}
    server.text("void_create_tool", arguments)
    server.wait_for_notification("notifications/tools/list_changed")
    write(project, "03-domains/made.yaml", prompt("made"))
    server.wait_for_notification("notifications/prompts/list_changed")
    assert "made" in names(server, "prompts")


def test_what_is_switched_off_is_off_everywhere_and_never_imported(start: StartServer, project: Path) -> None:
    server = start("--plugins", "void", env={"PYTHONPROFILEIMPORTTIME": "1"}, cwd=project)
    server.open("modern")
    assert server.request("prompts/get", {"name": "house-rules"})["error"]["code"] == -32602
    assert server.request("resources/read", {"uri": "skill://registry"})["error"]["code"] == -32602
    assert names(server, "prompts") == []
    assert server.close() == 0
    assert "agenthost_void" in server.stderr
    assert "agenthost_skillcentral" not in server.stderr


def test_globs_and_a_prefix_hold_for_skills_also_for_new_ones(start: StartServer, project: Path) -> None:
    options = ('--set=skillcentral.prompts={deny = ["campfire_*", "off-*"]}', "--set=skillcentral.prefix=s_")
    server = serve(start, project, "legacy", *options)
    assert {"s_house-rules", "s_skills_compose"} <= set(names(server, "prompts"))
    assert "s_campfire_judge" not in names(server, "prompts")
    assert text(server, "s_skills:compose", tags="rules", how="kind") == "## house-rules\nBe kind."
    write(project, "03-domains/off.yaml", prompt("off-1"))
    write(project, "03-domains/on.yaml", prompt("on-1"))
    server.wait_for_notification("notifications/prompts/list_changed")
    assert "s_on-1" in names(server, "prompts")
    assert "s_off-1" not in names(server, "prompts")


def test_the_hosts_own_commands_see_the_skills(run_agenthost: Callable[..., Any], project: Path) -> None:
    listed = json.loads(run_agenthost("prompts", "--plugins", "skillcentral", "--json", cwd=project).stdout)
    assert [row["name"] for row in listed] == ["skills_compose", "house-rules", "campfire_judge"]
    done = run_agenthost("plugins", "--plugins", "skillcentral", cwd=project)
    assert done.returncode == 0


def test_every_setting_and_preset_is_on_the_page(run_agenthost: Callable[..., Any]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    settings = page.partition("\n## Settings\n")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", settings, re.MULTILINE))
    defaults = {
        name: "not set" if field.default is None else f"`{json.dumps(field.default, default=str)}`"
        for name, field in Settings.model_fields.items()
    }
    assert rows == defaults
    for preset in PRESETS:
        assert f"`{preset}`" in settings


def test_the_workflow_on_the_page_is_what_the_page_says(start: StartServer, project: Path) -> None:
    page = PAGE.read_text(encoding="utf-8").partition("\n## Workflows\n")[2].partition("\n## ")[0]
    write(project, "02-workflows/release.yaml", page.partition("```yaml\n")[2].partition("```")[0])
    for skill_id in ("review-change", "commit-message"):
        write(project, f"02-workflows/{skill_id}.yaml", prompt(skill_id))
    server = serve(start, project, "modern")
    listed = {tool["name"]: tool for tool in server.tools() if tool["name"].startswith("workflow_")}
    rows = dict(re.findall(r"^\| `(workflow_\w+)` \| (.+?) \|", page, re.MULTILINE))
    assert {name: re.findall(r"`(\w+)`", row) for name, row in rows.items()} == {
        name: list(tool["inputSchema"]["properties"]) for name, tool in listed.items()
    }
    started = json.loads(server.text("workflow_start", {"workflowId": "careful-release"}))
    assert [task["publishTo"] for task in started["report"]["readyTasks"]] == ["findings"]
