"""Files that change while they are served: visible at once, told to every client, in both eras of the protocol."""

from __future__ import annotations

import os
from typing import Any

import pytest

ERAS = pytest.mark.parametrize("era", ["modern", "legacy"])
WAYS = pytest.mark.parametrize("watched", [True, False], ids=["watched", "looked-at"])

AGENT_SKILL = """\
---
name: {name}
description: Served from a folder.
---
{body}
"""


def prompt(skill_id: str, body: str = "B") -> str:
    return f"id: {skill_id}\ntype: prompt\nprompt: {body}\n"


def tool(skill_id: str, body: str = "B") -> str:
    return f"id: {skill_id}\ntype: tool\nprompt: {body}\n"


@pytest.fixture
def unwatchable(tmp_path: Any) -> dict[str, str]:
    """An environment in which watchfiles cannot be imported."""
    broken = tmp_path / "broken" / "watchfiles"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('there is none for this system')\n", encoding="utf-8")
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(broken.parent), os.environ.get("PYTHONPATH"))))}


@ERAS
@WAYS
def test_s50_a_skill_that_is_added_edited_and_removed_shows_and_everybody_is_told(
    project: Any, unwatchable: dict[str, str], era: str, watched: bool
) -> None:
    project.write(".skills/01-global/old.yaml", prompt("old"))
    server = project.serve(era, env={} if watched else unwatchable)
    if not watched:
        server.process.wait_for_stderr("cannot be watched (there is none for this system)")
    assert server.names("prompts") == ["skills_compose", "old"]
    server.listen()

    project.write(".skills/01-global/new.yaml", prompt("new", "one"))
    server.wait_for_change("prompts")
    assert server.names("prompts") == ["skills_compose", "new", "old"]
    assert server.text("new") == "one"

    project.write(".skills/01-global/new.yaml", "description: now described\n" + prompt("new", "two"))
    server.wait_for_change("prompts")
    assert server.entry("prompts", "new")["description"] == "now described"
    assert server.text("new") == "two"

    project.remove(".skills/01-global/new.yaml")
    server.wait_for_change("prompts")
    assert server.names("prompts") == ["skills_compose", "old"]
    assert server.refused_prompt("new") == "Unknown prompt skill: new"


@ERAS
def test_an_edit_of_a_text_alone_shows_in_the_next_get_and_subscribers_are_told(project: Any, era: str) -> None:
    project.write(".skills/01-global/a.yaml", prompt("a", "one"))
    project.write(".skills/01-global/b.yaml", prompt("b", "one"))
    server = project.serve(era)
    uri = "skill://skill/a"
    server.listen(uri)
    assert server.told() == []
    project.write(".skills/01-global/a.yaml", prompt("a", "two"))
    server.wait_for_update(uri)
    assert server.text("a") == "two"
    assert server.read(uri)["prompt"] == "two"
    project.write(".skills/01-global/b.yaml", prompt("b", "two"))
    project.write(".skills/01-global/a.yaml", prompt("a", "three"))
    server.wait_for_update(uri)
    assert server.told() == [], "the lists are as they were, and nobody subscribed to b"


@ERAS
@pytest.mark.parametrize("turn", range(3))
def test_a_burst_of_100_edits_is_told_once_for_each_kind(project: Any, era: str, turn: int) -> None:
    for number in range(100):
        project.write(f".skills/01-global/s{number}.yaml", prompt(f"s{number}"))
        project.write(f"new/s{number}.yaml", f"description: d{turn}\n" + prompt(f"s{number}", "edited"))
    new, served = project.root / "new", project.root / ".skills/01-global"
    server = project.serve(era)
    server.listen()
    for number in range(100):
        (new / f"s{number}.yaml").rename(served / f"s{number}.yaml")
    server.wait_for_change("prompts")
    server.wait_for_change("resources")
    assert {entry["description"] for entry in server.list("prompts")[1:]} == {f"d{turn}"}
    project.write(".skills/02-workflows/last.yaml", tool("last"))
    server.wait_for_change("tools")
    server.wait_for_change("resources")
    assert server.told() == []


@ERAS
def test_a_half_written_file_keeps_the_last_good_version_and_says_so(project: Any, era: str) -> None:
    project.write(".skills/01-global/a.yaml", prompt("a", "good"))
    server = project.serve(era)
    server.listen("skill://registry")
    project.write(".skills/01-global/a.yaml", "id: a\ntype: prompt\nprompt: [half")
    server.process.wait_for_stderr("its last good version is still served")
    server.wait_for_update("skill://registry")
    assert server.text("a") == "good"
    [fault] = server.read("skill://registry")["faults"]
    assert fault["file"] == ".skills/01-global/a.yaml"
    assert fault["lastGoodVersionServed"] is True
    project.write(".skills/01-global/a.yaml", prompt("a", "better"))
    server.wait_for_update("skill://registry")
    assert server.text("a") == "better"
    assert server.read("skill://registry")["faults"] == []
    assert server.told().count("notifications/prompts/list_changed") == 0


def test_an_agent_skills_folder_and_a_skills_tree_are_both_served_live_in_one_session(project: Any) -> None:
    project.write(".skills/01-global/plain.yaml", prompt("plain"))
    project.write(".claude/skills/folder-skill/SKILL.md", AGENT_SKILL.format(name="folder-skill", body="Do this."))
    server = project.serve("modern", "presets=['claude-code']")
    server.listen()
    assert set(server.names("prompts")) == {"skills_compose", "plain", "folder-skill"}
    assert server.text("folder-skill").strip() == "Do this."

    project.write(".claude/skills/second/SKILL.md", AGENT_SKILL.format(name="second", body="And that."))
    server.wait_for_change("prompts")
    project.write(".skills/04-tech-stack/deep/er/third.json", '{"id": "third", "type": "prompt", "prompt": "3"}')
    server.wait_for_change("prompts")
    assert set(server.names("prompts")) == {"skills_compose", "plain", "folder-skill", "second", "third"}
    project.write(".claude/skills/second/SKILL.md", AGENT_SKILL.format(name="second", body="Changed.") + "More.")
    server.process.wait_for_stderr("skills: changed second")
    assert server.text("second").strip() == "Changed.\nMore."


def test_layers_that_are_not_there_yet_are_waited_for(project: Any) -> None:
    server = project.serve("modern")
    server.listen()
    assert server.names("prompts") == ["skills_compose"]
    (project.root / ".skills").mkdir()
    (project.root / ".skills/03-domains").mkdir()
    project.write(".skills/03-domains/a.yaml", prompt("a"))
    server.wait_for_change("prompts")
    (project.home / ".skill-central").mkdir()
    (project.home / ".skill-central/skills").mkdir()
    (project.home / ".skill-central/skills/mine.yaml").write_text(prompt("mine"), encoding="utf-8")
    server.wait_for_change("prompts")
    assert server.names("prompts") == ["skills_compose", "mine", "a"]


def test_a_folder_that_is_replaced_by_another_of_its_name_is_watched_again(project: Any) -> None:
    project.write(".skills/01-global/a.yaml", prompt("a"))
    server = project.serve("modern")
    server.listen()
    for turn in range(3):
        project.write(f"next-{turn}/01-global/b{turn}.yaml", prompt(f"b{turn}"))
        (project.root / ".skills").rename(project.root / f"before-{turn}")
        (project.root / f"next-{turn}").rename(project.root / ".skills")
        server.process.wait_for_stderr(f"added b{turn}")
        project.write(f".skills/01-global/c{turn}.yaml", prompt(f"c{turn}"))
        server.process.wait_for_stderr(f"added c{turn}")
        assert server.names("prompts") == ["skills_compose", f"b{turn}", f"c{turn}"]


def test_the_configuration_is_followed_too_and_a_broken_one_changes_nothing(project: Any) -> None:
    project.write("one/a.yaml", prompt("a", "from one"))
    project.write("two/a.yaml", prompt("a", "from two"))
    server = project.serve("modern")
    server.listen()
    assert server.names("prompts") == ["skills_compose"]
    config = "layers:\n  - {id: one, path: one, priority: 1}\n"
    project.write("skill-central.yaml", config)
    server.wait_for_change("prompts")
    assert server.text("a") == "from one"
    project.write("skill-central.yaml", "layers: [")
    server.process.wait_for_stderr("its last good version is still served")
    assert server.text("a") == "from one"
    project.write("skill-central.yaml", config + "  - {id: two, path: two, priority: 2}\n")
    server.process.wait_for_stderr("changed a")
    assert server.text("a") == "from two"


@ERAS
def test_a_conflict_that_comes_and_goes_is_told(project: Any, era: str) -> None:
    project.write(".skills/01-global/a.yaml", prompt("a"))
    server = project.serve(era)
    server.listen()
    project.write(".skills/01-global/again.yaml", prompt("a"))
    server.wait_for_change("prompts")
    assert "conflicted" in server.refused_prompt("a")
    server.process.wait_for_stderr("skill a is conflicted and not served")
    project.remove(".skills/01-global/again.yaml")
    server.wait_for_change("prompts")
    assert server.text("a") == "B"


def test_a_skill_that_becomes_a_tool_changes_both_lists(project: Any) -> None:
    project.write(".skills/01-global/a.yaml", prompt("a"))
    server = project.serve("modern")
    server.listen()
    project.write(".skills/01-global/a.yaml", tool("a"))
    server.wait_for_change("prompts")
    server.wait_for_change("tools")
    assert server.names("prompts") == ["skills_compose"]
    assert server.call("a") == ("B", False)


def test_s44_bad_files_are_warned_of_and_cost_nothing_else(project: Any) -> None:
    project.write(".skills/01-global/unparsable.yaml", "id: [\n")
    project.write(".skills/01-global/invalid.yaml", "id: x\ntype: prompt\n")
    project.write(".skills/01-global/good.yaml", prompt("good"))
    project.write(".skills/01-global/utf16.yaml", prompt("u").encode("utf-16"))
    project.write(".skills/01-global/bom.yaml", b"\xef\xbb\xbf" + prompt("bom").replace("\n", "\r\n").encode())
    server = project.serve("legacy")
    assert server.names("prompts") == ["skills_compose", "bom", "good"]
    for file, word in (("unparsable", ""), ("invalid", "prompt: "), ("utf16", "UTF-16")):
        stderr = server.process.wait_for_stderr(f"{project.root}/.skills/01-global/{file}.yaml")
        [line] = [line for line in stderr.splitlines() if f"{file}.yaml" in line]
        assert word in line
        assert "Traceback" not in stderr


def test_the_project_is_found_from_the_variable_the_setting_and_a_folder_below(project: Any) -> None:
    project.write(".git/HEAD", "ref: refs/heads/main\n")
    project.write("skill-central.yaml", "layers: [{id: l, path: own, priority: 1}]\n")
    project.write("own/a.yaml", prompt("a"))
    below = project.root / "src/deep"
    below.mkdir(parents=True)
    elsewhere = project.home
    for options in (
        {"cwd": below},
        {"cwd": elsewhere, "env": {"SKILL_CENTRAL_PROJECT_ROOT": str(project.root)}},
    ):
        server = project.serve("modern", **options)
        assert server.names("prompts") == ["skills_compose", "a"]
    server = project.serve(
        "modern", f"project_root={below}", cwd=elsewhere, env={"SKILL_CENTRAL_PROJECT_ROOT": str(elsewhere)}
    )
    assert server.names("prompts") == ["skills_compose", "a"]
