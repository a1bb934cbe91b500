"""Prompt skills and composed prompts through a real server, in both eras of the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

LAYERS = """\
    layers:
      - {id: base, path: skills/base, priority: 10}
      - {id: domain, path: skills/domain, priority: 30}
      - {id: stack, path: skills/stack, priority: 40}
      - {id: rival, path: skills/rival, priority: 40}
      - {id: team, path: skills/team, priority: 30, scope: team}
"""


def legacy(skill_id: str, body: str = "B", **members: str) -> str:
    """The text of a prompt skill; the values of members are YAML."""
    lines = [f"id: {skill_id}", "type: prompt", *(f"{name}: {value}" for name, value in members.items())]
    if body:
        lines.append("prompt: |")
        lines += [f"  {line}" for line in body.splitlines()]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def filled(shared_project: Any) -> Any:
    project = shared_project
    project.write("skill-central.yaml", LAYERS)
    context = "[{name: context, description: What it is about, required: true}, {name: more, description: More}]"
    project.write(
        "skills/base/review-pr.yaml",
        legacy("review-pr", "R {{context}} {{missing}}", description="Reviews", arguments=context),
    )
    project.write("skills/base/bare.yaml", legacy("bare"))
    project.write("skills/base/swap.yaml", legacy("swap", "{{a}} {{b}}"))
    project.write("skills/base/blanks.yaml", legacy("blanks", "{{ context }}|{{context}}"))
    project.write("skills/base/both.yaml", legacy("both", "EN {{a}}", prompt_zh="中 {{a}}"))
    project.write("skills/base/chinese.yaml", legacy("chinese", "", prompt_zh="中 {{a}}"))
    project.write("skills/base/blank.yaml", legacy("blank", "", prompt="'  '", prompt_zh="只有"))
    project.write("skills/base/kmp-base.yaml", legacy("kmp-base", "\n\nbase {{a}}\n\n", tags="[kmp, android, shared]"))
    project.write("skills/domain/kmp-domain.yaml", legacy("kmp-domain", "domain", tags="[KMP]"))
    project.write("skills/stack/kmp-stack.yaml", legacy("kmp-stack", "stack", tags="android"))
    project.write("skills/stack/a-same.yaml", legacy("a-same", "first", tags="[same]"))
    project.write("skills/stack/b-same.yaml", legacy("b-same", "second", tags="[same]", prompt_zh="第二"))
    project.write("skills/base/git.yaml", "id: git-tool\ntype: tool\ntags: [git]\nprompt: T\n")
    project.write(
        "skills/base/flow.yaml",
        """\
        schemaVersion: skillcentral.dev/v1
        id: flow
        name: Flow
        description: A workflow
        type: workflow
        tags: [flow]
        appliesTo: global
        activation: {}
        capabilities: {}
        workflow: {steps: [{id: one, uses: bare}]}
        """,
    )
    for layer in ("base", "domain"):
        project.write(f"skills/{layer}/layered.yaml", legacy("layered", layer))
    for layer in ("domain", "team"):
        project.write(f"skills/{layer}/near.yaml", legacy("near", layer))
    for layer in ("stack", "rival"):
        project.write(f"skills/{layer}/torn.yaml", legacy("torn", layer, tags="[torn]"))
    for name in ("twin-1", "twin-2"):
        project.write(f"skills/base/{name}.yaml", legacy("twin"))
    project.write(".git/config", '[remote "origin"]\n\turl = git@github.com:acme/one.git\n')
    project.write(".git/HEAD", "ref: refs/heads/main\n")
    here, there = ("[git:GitHub.com/Acme/One]", "[git:github.com/acme/two]")
    project.write("skills/base/mine.yaml", legacy("mine", appliesTo=f"{{projects: {here}}}"))
    project.write("skills/base/scoped.yaml", legacy("scoped", "for all"))
    project.write("skills/stack/scoped.yaml", legacy("scoped", "for two", appliesTo=f"{{projects: {there}}}"))
    project.write("skills/stack/foreign.yaml", legacy("foreign", appliesTo=f"{{projects: {there}}}"))
    return project


@pytest.fixture(scope="module", params=["modern", "legacy"])
def server(filled: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    return filled.serve(request.param)


def test_s01_a_prompt_skill_is_listed_with_its_arguments(server: Any) -> None:
    assert server.entry("prompts", "review-pr") == {
        "name": "review-pr",
        "description": "Reviews",
        "arguments": [
            {"name": "context", "description": "What it is about", "required": True},
            {"name": "more", "description": "More", "required": False},
        ],
    }
    assert server.opened["capabilities"]["prompts"]["listChanged"] is True


def test_s02_a_skill_without_description_has_one_in_the_list_and_the_same_when_it_is_got(server: Any) -> None:
    listed = server.entry("prompts", "bare")["description"]
    assert "bare" in listed
    assert server.get("bare")["description"] == listed


def test_s03_what_is_given_is_filled_in_and_other_placeholders_stay(server: Any) -> None:
    assert server.text("review-pr", context="CTX").rstrip() == "R CTX {{missing}}"
    assert server.text("review-pr", context="CTX", unknown="u").rstrip() == "R CTX {{missing}}"


def test_s04_a_required_argument_that_is_missing_is_named(server: Any) -> None:
    assert "context" in server.refused_prompt("review-pr")
    assert "context" in server.refused_prompt("review-pr", more="m")
    assert "'more'" not in server.refused_prompt("review-pr")


def test_s05_a_value_is_taken_as_it_is(server: Any) -> None:
    for value in ("$& $1 $$", "\\g<0> \\1", "{{context}}", "%s {0} {}", ""):
        assert server.text("review-pr", context=value).rstrip() == f"R {value} {{{{missing}}}}"


def test_s06_a_value_is_never_expanded_again_whatever_the_order(server: Any) -> None:
    assert server.text("swap", a="{{b}}", b="X").rstrip() == "{{b}} X"
    assert server.text("swap", b="X", a="{{b}}").rstrip() == "{{b}} X"


def test_s07_blanks_inside_the_braces_do_not_matter(server: Any) -> None:
    assert server.text("blanks", context="C").rstrip() == "C|C"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nosuch", ""),
        ("git-tool", "tools/call"),
        ("flow", "workflow"),
        ("torn", "conflicted: torn.yaml in layer rival and torn.yaml in layer stack"),
        ("twin", "twin-1.yaml in layer base and twin-2.yaml in layer base"),
        ("foreign", "git:github.com/acme/two"),
        ("Bare", ""),
    ],
)
def test_s08_what_is_no_prompt_skill_is_unknown_and_the_reason_is_told(server: Any, name: str, why: str) -> None:
    text = server.refused_prompt(name)
    assert text.startswith(f"Unknown prompt skill: {name}")
    assert why in text
    if not why:
        assert text == f"Unknown prompt skill: {name}"


def test_s09_both_languages_stand_under_headings(server: Any) -> None:
    assert server.text("both", a="1") == "[English]\nEN 1\n\n\n[中文]\n中 1"


def test_s10_chinese_alone_has_no_heading(server: Any) -> None:
    assert server.text("chinese", a="1") == "中 1"


def test_s11_a_blank_text_is_none(server: Any) -> None:
    assert server.text("blank") == "只有"


def test_s12_s19_sections_come_in_ascending_priority_each_skill_once(server: Any) -> None:
    expected = "## kmp-base\nbase {{a}}\n\n---\n\n## kmp-domain\ndomain\n\n---\n\n## kmp-stack\nstack"
    assert server.text("skills_compose", tags="kmp,android") == expected


def test_s13_the_description_of_what_was_composed_names_the_tags_and_counts(server: Any) -> None:
    got = server.get("skills_compose", tags="kmp, android")
    assert got["description"] == "Composed prompt from tags: kmp, android (3 skills)"


def test_s14_case_and_blanks_and_empty_tags_do_not_matter(server: Any) -> None:
    assert server.text("skills_compose", tags=" KMP , ,") == server.text("skills_compose", tags="kmp")


@pytest.mark.parametrize("tags", ["git", "none", "torn", "flow"])
def test_s15_s16_where_no_prompt_skill_has_a_tag_that_is_said(server: Any, tags: str) -> None:
    assert server.refused_prompt("skills_compose", tags=tags) == f"No skills found for tags: {tags}"


def test_s17_without_tags_nothing_is_composed(server: Any) -> None:
    assert "tags" in server.refused_prompt("skills_compose")
    for tags in ("", " ", ",,"):
        assert server.refused_prompt("skills_compose", tags=tags).startswith("No skills found for tags:")


def test_s18_the_composed_prompt_is_listed_fills_placeholders_and_has_the_old_name_too(server: Any) -> None:
    entry = server.entry("prompts", "skills_compose")
    assert [(argument["name"], argument["required"]) for argument in entry["arguments"]] == [("tags", True)]
    assert "skills:compose" not in server.names("prompts")
    assert "base X\n" in server.text("skills_compose", tags="kmp", a="X")
    assert server.get("skills:compose", tags="kmp") == server.get("skills_compose", tags="kmp")


def test_s20_skills_of_one_priority_come_in_the_order_of_their_ids(server: Any) -> None:
    expected = "## a-same\nfirst\n\n---\n\n## b-same\nsecond\n\n### 中文\n第二"
    assert server.text("skills_compose", tags="same") == expected
    names = server.names("prompts")
    assert names.index("a-same") < names.index("b-same")


def test_s37_s38_the_higher_priority_is_served_and_of_equal_ones_the_nearer_scope(server: Any) -> None:
    assert server.text("layered").rstrip() == "domain"
    assert server.text("near").rstrip() == "domain"
    record = server.read("skill://skill/layered")
    assert (record["status"], record["layer"]["id"]) == ("effective", "domain")


def test_s39_s40_conflicted_ids_are_not_served_and_a_warning_names_the_files(server: Any, filled: Any) -> None:
    assert not {"torn", "twin"} & set(server.names("prompts"))
    server.process.wait_for_stderr("skill twin is conflicted and not served")
    for name in ("stack/torn.yaml", "rival/torn.yaml", "base/twin-1.yaml", "base/twin-2.yaml"):
        assert str(filled.root / "skills" / name) in server.stderr


def test_s41_s42_skills_of_other_projects_are_not_here_and_shadow_nothing(server: Any) -> None:
    assert server.text("scoped").rstrip() == "for all"
    assert server.text("mine").rstrip() == "B"
    assert "foreign" not in server.names("prompts")


def test_tags_complete_after_the_last_comma_the_frequent_ones_first(server: Any) -> None:
    def complete(value: str) -> list[str]:
        reference = {"type": "ref/prompt", "name": "skills_compose"}
        params = {"ref": reference, "argument": {"name": "tags", "value": value}}
        return server.process.request("completion/complete", params)["result"]["completion"]["values"]  # type: ignore[no-any-return]

    assert complete("s") == ["same", "shared"]
    assert complete("kmp, an") == ["kmp,android"]
    assert complete("same,sa") == []


def test_s09_one_language_can_be_chosen(filled: Any) -> None:
    server = filled.serve("modern", "language=zh")
    assert server.text("both", a="1") == "中 1"
    assert server.text("swap", a="1", b="2").rstrip() == "1 2"
