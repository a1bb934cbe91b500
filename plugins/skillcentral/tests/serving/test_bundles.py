"""`agenthost skillcentral compile | export`, and bundles as resources."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

SKILL = """\
id: {id}
type: prompt
tags: [{tags}]
prompt: Text of {id}
"""


@pytest.fixture
def compilable(project: Any) -> Any:
    project.write(".skills/01-global/first.yaml", SKILL.format(id="first", tags="kmp"))
    project.write(".skills/03-domains/kmp.yaml", SKILL.format(id="kmp", tags="x"))
    project.write(".skills/03-domains/other.yaml", SKILL.format(id="other", tags="y"))
    return project


def test_s55_two_checkouts_at_different_paths_give_the_same_bundle(compilable: Any) -> None:
    other = compilable.root.parent / "deeper" / "checkout"
    shutil.copytree(compilable.root, other)
    arguments = ("compile", "--target", "cursor", "--intent", "kmp", "--dry-run", "--json")
    one, two = compilable.run(*arguments), compilable.run(*arguments, cwd=other)
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
    bundle = json.loads(one.stdout)
    assert [(skill["id"], skill["reason"]) for skill in bundle["selectedSkills"]] == [("first", "tag"), ("kmp", "id")]
    assert [file["path"] for file in bundle["artifacts"]] == [".cursor/rules/first.mdc", ".cursor/rules/kmp.mdc"]
    assert len(bundle["hash"]) == 64
    assert str(compilable.root) not in one.stdout
    shown = compilable.run(*arguments[:-1]).stdout
    assert bundle["hash"] in shown
    assert ".cursor/rules/kmp.mdc" in shown
    assert not (compilable.root / ".cursor").exists()


def test_s56_an_unknown_target_or_intent_is_answered_with_those_there_are(compilable: Any) -> None:
    done = compilable.run("compile", "--target", "emacs", "--intent", "kmp")
    assert done.returncode == 1
    assert "generic-mcp, cursor, windsurf" in done.stderr
    done = compilable.run("compile", "--target", "cursor", "--intent", "nothing")
    assert done.returncode == 1
    assert "kmp" in done.stderr
    assert compilable.run("export", "--target", "emacs").returncode == 1


def test_export_writes_everything_or_nothing(compilable: Any) -> None:
    done = compilable.run("export", "--target", "windsurf", "--intent", "kmp", "--dry-run", "--json")
    assert json.loads(done.stdout)["written"] is False
    assert not (compilable.root / ".windsurf").exists()
    mine = compilable.write(".windsurf/rules/kmp.md", "mine")
    done = compilable.run("export", "--target", "windsurf", "--intent", "kmp")
    assert done.returncode == 1
    assert "conflict   .windsurf/rules/kmp.md" in done.stdout
    assert not (compilable.root / ".windsurf/rules/first.md").exists()
    done = compilable.run("export", "--target", "windsurf", "--intent", "kmp", "--force", "--json")
    states = {file["file"]: file["state"] for file in json.loads(done.stdout)["files"]}
    assert states == {".windsurf/rules/first.md": "create", ".windsurf/rules/kmp.md": "overwrite"}
    assert "Text of kmp" in mine.read_text(encoding="utf-8")
    done = compilable.run("export", "--target", "generic-mcp", "--out", "else")
    assert done.returncode == 0
    assert (compilable.root / "else/mcp-resources/prompt/other.md").is_file()


def test_s78_a_bundle_is_a_resource_and_its_template_completes(compilable: Any) -> None:
    server = compilable.serve()
    bundle = server.read("skill://bundle/cursor/kmp")
    assert [skill["id"] for skill in bundle["selectedSkills"]] == ["first", "kmp"]
    compiled = compilable.run("compile", "--target", "cursor", "--intent", "kmp", "--json")
    assert bundle == json.loads(compiled.stdout)
    assert "generic-mcp, cursor, windsurf" in server.refused("resources/read", uri="skill://bundle/emacs/kmp")
    templates = server.process.request("resources/templates/list")["result"]["resourceTemplates"]
    assert "skill://bundle/{target}/{intent}" in [template["uriTemplate"] for template in templates]
    reference = {"type": "ref/resource", "uri": "skill://bundle/{target}/{intent}"}
    for name, value, values in (("target", "c", ["cursor"]), ("intent", "k", ["kmp"])):
        params = {"ref": reference, "argument": {"name": name, "value": value}}
        assert server.process.request("completion/complete", params)["result"]["completion"]["values"] == values
