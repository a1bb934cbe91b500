"""Bundles: which skills an intent chooses, how a tool's files look, and what each tool cannot do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agenthost_skillcentral.compiling.bundles import Bundle, compile_bundle, known_intents, reason_for
from agenthost_skillcentral.compiling.exporting import plan, write
from agenthost_skillcentral.compiling.targets import TARGETS, file_name
from agenthost_skillcentral.formats import yaml_text
from agenthost_skillcentral.model import Layer, Skill, Snapshot
from agenthost_skillcentral.resolving import resolve
from agenthost_skillcentral.writing.places import NotWritten

LOW, HIGH = Layer("low", "low", Path("/one/low"), 10), Layer("high", "high", Path("/one/high"), 30)


def snapshot(*skills: Skill) -> Snapshot:
    return Snapshot(Path("/one"), records=resolve(skills))


def compiled(*skills: Skill, target: str = "cursor", intent: str | None = None, language: Any = "both") -> Bundle:
    return compile_bundle(snapshot(*skills), TARGETS[target], intent, language)


def ids(bundle: Bundle) -> list[str]:
    return [one["id"] for one in bundle.view["selectedSkills"]]


def test_s55_an_intent_chooses_by_its_name_by_id_and_by_tag(make: Any) -> None:
    chosen = {
        "by-intent": make("by-intent", extra={"activation": {"intents": ["kmp"]}}, tags=("KMP",)),
        "kmp": make("kmp", tags=("kmp",)),
        "by-tag": make("by-tag", tags=("Kmp",)),
        "other": make("other", tags=("kmpx",), extra={"activation": {"intents": ["KMP"]}}),
    }
    reasons = {name: reason_for(skill, "kmp") for name, skill in chosen.items()}
    assert reasons == {"by-intent": "activation.intent", "kmp": "id", "by-tag": "tag", "other": None}
    assert ids(compiled(*chosen.values(), intent="kmp")) == ["by-intent", "by-tag", "kmp"]
    assert len(ids(compiled(*chosen.values()))) == 4
    assert known_intents(snapshot(*chosen.values()))[:2] == ["KMP", "kmp"]


@pytest.mark.parametrize(
    ("target", "address", "file", "head"),
    [
        ("cursor", ".cursor/rules/a%2Fb.mdc", ".cursor/rules/a%2Fb.mdc", {"description": "D: d", "alwaysApply": False}),
        (
            "windsurf",
            ".windsurf/rules/a%2Fb.md",
            ".windsurf/rules/a%2Fb.md",
            {"trigger": "model_decision", "description": "D: d"},
        ),
        ("generic-mcp", "skill://prompt/a%2Fb", "mcp-resources/prompt/a%2Fb.md", None),
    ],
)
def test_s55_each_target_has_its_paths_and_its_front_matter(
    make: Any, target: str, address: str, file: str, head: Any
) -> None:
    [artifact] = compiled(make("a/b", description="D: d", prompt="Text {{x}}\n"), target=target).artifacts
    assert (artifact.address, artifact.file) == (address, file)
    body = artifact.content
    if head is not None:
        _, front, body = body.split("---\n", 2)
        assert yaml_text.parse(front) == head
    assert body.strip() == f"> {target}: the prompt a/b of the layer l, compiled by skillcentral.\n\nText {{{{x}}}}"


def test_sc_28_file_patterns_and_priority_count(make: Any) -> None:
    kotlin = make("kotlin", prompt="K", extra={"activation": {"filePatterns": ["**/*.kt", "*.kts"], "priority": 5}})
    plain = make("a-plain", prompt="P")
    bundle = compiled(plain, kotlin)
    assert ids(bundle) == ["kotlin", "a-plain"], "the higher priority comes first"
    assert '"**/*.kt,*.kts"' in bundle.artifacts[0].content or "'**/*.kt,*.kts'" in bundle.artifacts[0].content
    assert "trigger: glob" in compiled(kotlin, target="windsurf").artifacts[0].content


def test_sc_28_both_languages_are_compiled_or_the_one_of_the_setting(make: Any) -> None:
    skill = make("s", prompt="english", prompt_zh="中文")
    assert compiled(skill).artifacts[0].content.endswith("english\n\n---\n\n中文\n")
    assert compiled(skill, language="zh").artifacts[0].content.endswith("skillcentral.\n\n中文\n")
    assert compiled(make("w", "workflow", description="What it does.")).artifacts[0].content.endswith("What it does.\n")


def test_sc_28_a_denied_capability_and_omit_leave_a_skill_out(make: Any) -> None:
    denied = make("denied", prompt="x", extra={"capabilities": {"denied": ["mcp.tools.call"]}})
    harmless = make("harmless", prompt="x", extra={"capabilities": {"denied": ["shell.run"]}})
    needs = {"required": ["shell.run"]}
    omit = make(
        "omit",
        prompt="x",
        extra={"capabilities": needs, "degradation": {"whenMissing": {"shell.run": {"mode": "omit"}}}},
    )
    bundle = compiled(denied, harmless, omit)
    assert ids(bundle) == ["harmless"]
    assert {one["id"]: one["reason"] for one in bundle.view["omittedSkills"]} == {
        "denied": "it must not be used where there is mcp.tools.call",
        "omit": "it is left out where shell.run is missing",
    }


def test_what_a_tool_cannot_do_is_told_in_a_file_of_its_own(make: Any) -> None:
    rule = {"mode": "manual", "message": "Run it by hand.", "fallbackTarget": "generic-mcp"}
    skill = make(
        "s",
        prompt="x",
        extra={
            "capabilities": {"required": ["shell.run", "mcp.tools.call"], "optional": ["mcp.prompts.get"]},
            "degradation": {"whenMissing": {"shell.run": rule}},
        },
    )
    bundle = compiled(skill)
    assert [(one["capability"], one["kind"], one["status"]) for one in bundle.view["capabilityChecks"]] == [
        ("shell.run", "required", "unknown"),
        ("mcp.tools.call", "required", "requires-user-approval"),
        ("mcp.prompts.get", "optional", "available"),
    ]
    assert bundle.view["degradations"] == [{"skill": "s", "capability": "shell.run", "status": "unknown", **rule}]
    assert [artifact.kind for artifact in bundle.artifacts] == ["skill", "degradation"]
    assert bundle.artifacts[1].file == ".cursor/skill-central/s.degradation.md"
    assert "Run it by hand." in bundle.artifacts[1].content


def test_shadowed_and_conflicted_skills_are_named_and_not_compiled(make: Any) -> None:
    skills = [make("a", layer=LOW, prompt="low"), make("a", layer=HIGH, prompt="high")]
    skills += [make("torn", layer=LOW, prompt="x"), make("torn", layer=LOW, prompt="y")]
    bundle = compiled(*skills)
    assert [artifact.content.splitlines()[-1] for artifact in bundle.artifacts] == ["high"]
    assert bundle.view["shadowedSkills"] == [{"id": "a", "layer": "low", "shadowedBy": "high"}]
    assert bundle.view["conflictedSkills"] == [{"id": "torn", "layers": ["low"]}]


def test_s55_sc_28_the_hash_depends_on_what_skills_say_and_not_on_where_they_lie(make: Any) -> None:
    def placed(root: str, text: str = "x") -> str:
        layer = Layer("l", "l", Path(root), 10)
        return str(compiled(make("a", layer=layer, prompt=text)).view["hash"])

    assert placed("/one/skills") == placed("/srv/another/place")
    assert placed("/one/skills") != placed("/one/skills", "y")


@pytest.mark.parametrize(
    ("skill_id", "name"),
    [("a", "a"), ("..", "%2E."), (".x", "%2Ex"), ("a/../b", "a%2F..%2Fb"), ("a:b%", "a%3Ab%25"), ("é中", "é中")],
)
def test_an_id_becomes_the_name_of_one_file(skill_id: str, name: str) -> None:
    assert file_name(skill_id) == name


def test_files_are_written_together_or_not_at_all(make: Any, tmp_path: Path) -> None:
    artifacts = compiled(make("a", prompt="1"), make("b", prompt="2")).artifacts
    first = write(plan(artifacts, tmp_path, force=False))
    assert [one.state for one in first] == ["create", "create"]
    assert [one.state for one in plan(artifacts, tmp_path, force=False)] == ["identical", "identical"]
    file = tmp_path / ".cursor/rules/b.mdc"
    file.write_text("mine", encoding="utf-8")
    assert [one.state for one in plan(artifacts, tmp_path, force=False)] == ["identical", "conflict"]
    [same, forced] = write(plan(artifacts, tmp_path, force=True))
    assert (same.state, forced.state) == ("identical", "overwrite")
    assert forced.backup is not None
    assert (file.parent / forced.backup).read_text(encoding="utf-8") == "mine"


def test_no_file_is_written_through_a_link_or_for_two_ids_that_differ_in_case(make: Any, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / ".cursor").symlink_to(tmp_path / "outside", target_is_directory=True)
    with pytest.raises(NotWritten, match="is a link"):
        plan(compiled(make("a", prompt="1")).artifacts, tmp_path, force=True)
    with pytest.raises(NotWritten, match="would both be"):
        plan(compiled(make("a", prompt="1"), make("A", prompt="2")).artifacts, tmp_path / "outside", force=True)
