"""Skill files of all formats: what is taken, what is refused, and what is said about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from agenthost.vetting.prompts import vet_prompt
from agenthost.vetting.tools import vet_tool
from agenthost_skillcentral.formats import read_skill
from agenthost_skillcentral.formats.json_text import parse as parse_json
from agenthost_skillcentral.formats.problems import FormatError
from agenthost_skillcentral.formats.yaml_text import parse as parse_yaml
from agenthost_skillcentral.model import Fault, Layer, Skill
from agenthost_skillcentral.prompts import skill_prompt
from agenthost_skillcentral.tools import skill_tool
from hypothesis import given, settings
from hypothesis import strategies as st

Read = Callable[..., tuple[Skill | None, tuple[Fault, ...]]]

PROMPT = """\
id: review-pr
name: Review
type: prompt
description: Look at a pull request.
tags: [git, review]
arguments:
  - {name: context, description: what it is about, required: true}
  - {name: tone}
prompt: R {{context}}
"""
FULL = """\
schemaVersion: skillcentral.dev/v1
id: plan
name: Plan
description: Plans.
type: workflow
tags: [planning]
version: 1.0.0
activation: {intents: [plan], filePatterns: ["*.md"], repoSignals: {}, priority: 1.5}
capabilities: {required: [mcp.prompts.get], optional: [mcp.toolsList.call], denied: []}
context: {subscribe: [{topic: a}], publish: [{topic: b}]}
workflow:
  strategy: sequential
  steps: [{id: one, uses: review-pr, agentRole: reviewer, dependsOn: [], outputTopic: b}]
targets: {cursor: {}}
degradation: {}
metadata: [kept, as it is]
"""
AGENT_SKILL = """\
---
name: pdf-forms
description: Fills forms.
license: MIT
metadata: {author: me, tags: "pdf, forms"}
allowed-tools: Read
---

# Forms

Fill {{them}} in.
"""


def good(read: Read, content: str | bytes, name: str = "a.yaml") -> Skill:
    skill, faults = read(content, name)
    assert faults == ()
    assert skill is not None
    return skill


def bad(read: Read, content: str | bytes, name: str = "a.yaml") -> list[tuple[int | None, str | None, str]]:
    """What is said of a bad file: line, field, reason."""
    skill, faults = read(content, name)
    assert skill is None
    assert faults
    return [(fault.line, fault.field, fault.reason) for fault in faults]


def test_s01_a_prompt_has_its_arguments(read: Read) -> None:
    skill = good(read, PROMPT)
    assert (skill.id, skill.name, skill.type, skill.source_format) == ("review-pr", "Review", "prompt", "legacy")
    assert skill.tags == ("git", "review")
    assert [(argument.name, argument.description, argument.required) for argument in skill.arguments] == [
        ("context", "what it is about", True),
        ("tone", None, False),
    ]
    assert skill.extra["capabilities"]["required"] == ["mcp.prompts.get"]


def test_the_first_format_is_lenient_where_that_loses_nothing(read: Read) -> None:
    skill = good(read, "id: a\ntype: prompt\nprompt: x\nname: 5\ntags: one\ndescription: [1]\nversion: 1\nunknown: 1\n")
    assert (skill.name, skill.description, skill.tags, "version" in skill.extra) == ("a", "", ("one",), False)


def test_every_member_of_the_universal_format_is_kept(read: Read) -> None:
    skill = good(read, FULL)
    assert (skill.type, skill.source_format, skill.tags) == ("workflow", "universal", ("planning",))
    assert skill.extra["workflow"]["steps"][0]["uses"] == "review-pr"
    assert set(skill.extra) == {
        "activation", "capabilities", "context", "workflow", "targets", "degradation", "metadata", "version",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "line", "field"),
    [
        ("skillcentral.dev/v1", "skillcentral.dev/v2", 1, "schemaVersion"),
        ("id: plan", "id: ' '", 2, "id"),
        ("name: Plan", "name: [Plan]", 3, "name"),
        ("description: Plans.", "", 1, "description"),
        ("type: workflow", "type: flow", 5, "type"),
        ("tags: [planning]", "tags: planning", 6, "tags"),
        ("tags: [planning]", "tags: [planning, 1]", 6, "tags[1]"),
        ("intents: [plan]", "intents: plan", 8, "activation.intents"),
        ("priority: 1.5", "priority: high", 8, "activation.priority"),
        ("required: [mcp.prompts.get]", "required: [prompts]", 9, "capabilities.required[0]"),
        ("publish: [{topic: b}]", "publish: [{topic: ''}]", 10, "context.publish[0].topic"),
        ("uses: review-pr", "uses: ''", 13, "workflow.steps[0].uses"),
        ("dependsOn: []", "dependsOn: one", 13, "workflow.steps[0].dependsOn"),
        ("targets: {cursor: {}}", "targets: cursor", 14, "targets"),
    ],
)
def test_s44_a_fault_names_line_and_field(read: Read, old: str, new: str, line: int, field: str) -> None:
    assert [found[:2] for found in bad(read, FULL.replace(old, new))] == [(line, field)]


def test_all_faults_of_a_file_are_told_at_once(read: Read) -> None:
    found = bad(
        read, "id: ' '\ntype: prompt\nprompt: 5\narguments:\n  - name: a\n  - name: a\n  - {name: b, required: 1}\n"
    )
    assert [(line, field) for line, field, _ in found] == [
        (1, "id"), (3, "prompt"), (6, "arguments[1].name"), (7, "arguments[2].required"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["id: a\ntype: prompt\n", "id: a\ntype: prompt\nprompt: ' '\nprompt_zh: ''\n"])
def test_a_prompt_has_to_say_something(read: Read, text: str) -> None:
    assert [field for _, field, _ in bad(read, text)] == ["prompt"]


def test_a_template_may_be_an_object_with_a_role(read: Read) -> None:
    head = "schemaVersion: skillcentral.dev/v1\nid: a\nname: A\ndescription: A\ntype: prompt\n"
    skill = good(read, head + "prompt: {template: T, role: reviewer}\n")
    assert (skill.prompt, skill.extra["role"]) == ("T", "reviewer")
    assert [field for _, field, _ in bad(read, head + "prompt: {template: ' ', role: boss}\n")] == [
        "prompt.template",
        "prompt.role",
    ]


# Tools


TOOL = "id: commit-conventions\ntype: tool\nprompt: '{{type}}: {{summary}}'\n"


def test_s21_the_schema_of_a_tool_is_kept_whole(read: Read) -> None:
    schema = {
        "type": "object",
        "properties": {"type": {"enum": ["feat", "fix"]}, "summary": {"type": "string", "maxLength": 72}},
        "required": ["type", "summary"],
        "additionalProperties": False,
        "$defs": {"a": {"type": "string"}},
        "x-mine": [1],
    }
    skill = good(read, TOOL + f"inputSchema: {json.dumps(schema)}\n")
    assert skill.input_schema == schema


def test_s32_a_tool_with_arguments_only_gets_a_schema(read: Read) -> None:
    skill = good(read, TOOL + "arguments: [{name: type, description: the kind, required: true}, {name: summary}]\n")
    assert skill.input_schema == {
        "type": "object",
        "properties": {"type": {"type": "string", "description": "the kind"}, "summary": {"type": "string"}},
        "required": ["type"],
    }
    assert good(read, TOOL).input_schema == {"type": "object", "properties": {}}


def test_s33_inputs_are_the_schema_of_a_tool_without_one(read: Read) -> None:
    text = "schemaVersion: skillcentral.dev/v1\nid: a\nname: A\ndescription: A\ntype: tool\n"
    inputs = "inputs: {properties: {x: {type: integer}}, required: [x]}\n"
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    assert good(read, text + inputs).input_schema == schema
    assert good(read, text + inputs + "inputSchema: {}\n").input_schema == {"type": "object", "properties": {}}
    assert bad(read, text + "inputs: {required: x}\n")[0][1] == "inputs.required"


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ("{properties: {x: true, y: 5}}", "inputSchema.properties.y"),
        ("{properties: {x: {type: string}}, required: x}", "inputSchema.required"),
        ("{type: array}", "inputSchema.type"),
        ("[]", "inputSchema"),
        ("{properties: {x: {$ref: 'https://example.com/x'}}}", "inputSchema.properties.x.$ref"),
    ],
)
def test_s35_a_schema_that_is_none_is_refused_with_its_field(read: Read, schema: str, field: str) -> None:
    assert [found[:2] for found in bad(read, f"{TOOL}inputSchema: {schema}\n")] == [(4, field)]


# Ids


@pytest.mark.parametrize(
    "name",
    ["workflow_start", "workflow.start", "reverse_output", "skills_compose", '"skills:compose"', "a b", '"a\\tb"',
     "x" * 129],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["prompt", "tool"])
def test_s36_names_that_nobody_could_call_are_refused(read: Read, name: str, kind: str) -> None:
    assert [found[:2] for found in bad(read, f"type: {kind}\nprompt: x\nid: {name}\n")] == [(3, "id")]


@pytest.mark.parametrize("name", ["größe", "a/b", "a:b", "代码"])
def test_a_prompt_may_have_an_id_that_a_tool_cannot(read: Read, name: str) -> None:
    assert good(read, f"id: {name}\ntype: prompt\nprompt: x\n").id == name
    assert [field for _, field, _ in bad(read, f"id: {name}\ntype: tool\nprompt: x\n")] == ["id"]


# Projects


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("[]", "appliesTo"),
        ("{projects: []}", "appliesTo.projects"),
        ("{projects: ['git:a.com/b', 'git:A.com/b/']}", "appliesTo.projects[1]"),
        ("{projects: ['git:a.com/b'], more: 1}", "appliesTo"),
        ("foo", "appliesTo"),
        ("{projects: [foo]}", "appliesTo.projects[0]"),
        ("{projects: ['path:relative/x']}", "appliesTo.projects[0]"),
        ("{projects: ['git:host only']}", "appliesTo.projects[0]"),
        ("{projects: [5]}", "appliesTo.projects[0]"),
    ],
)
def test_s43_a_wrong_scope_rejects_the_skill(read: Read, value: str, field: str) -> None:
    assert [found[:2] for found in bad(read, f"{PROMPT}appliesTo: {value}\n")] == [(10, field)]


def test_s42_projects_are_kept_in_the_form_in_which_they_are_compared(read: Read) -> None:
    assert good(read, f"{PROMPT}appliesTo: global\n").applies_to is None
    scope = "{projects: ['git:GitHub.com/Acme/One.git', 'git:Git.example.com/Acme/One/', 'path:/a/b/']}"
    assert good(read, f"{PROMPT}appliesTo: {scope}\n").applies_to == (
        "git:github.com/acme/one",
        "git:git.example.com/Acme/One",
        "path:/a/b",
    )


# YAML and JSON


def test_s46_yaml_is_1_2(read: Read) -> None:
    skill = good(
        read, "id: yes\ntype: prompt\nprompt: x\ntags: [on, 1]\nmetadata: [010, 0o10, 1:30, 2026-01-01, ~, NO]\n"
    )
    assert skill.id == "yes"
    assert skill.tags == ("on",)
    assert skill.extra["metadata"] == [10, 8, "1:30", "2026-01-01", None, "NO"]


def test_s46_a_member_that_is_there_twice_is_refused_with_its_line(read: Read) -> None:
    assert bad(read, "id: a\ntype: prompt\nid: b\n")[0][:2] == (3, None)
    assert '"id" is there twice' in bad(read, "id: a\ntype: prompt\nid: b\n")[0][2]
    assert "twice" in bad(read, "id: a\nmetadata: {x: 1, x: 2}\n")[0][2]
    assert "twice" in bad(read, '{"id": "a", "id": "b"}', "a.json")[0][2]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("id: a\ndescription: Use this: when\n", 2, "quotes"),
        ("id: a\nmetadata:\n\tx: 1\n", 3, "tab"),
        ("id: a\nprompt: 'x\n", 3, "end of stream"),
        ("id: a\n---\nid: b\n", 2, "second document"),
        ("- id\n- a\n", 1, "object"),
        ("", 1, "object"),
        ("# nothing\n", 1, "object"),
        ("id: a\nx: *nothing\n", 2, "alias"),
        ("id: a\nx: &x [*x]\n", 2, "deep"),
        ("id: a\nx: !thing 1\n", 2, "!thing"),
        ("id: a\nx: !!int one\n", 2, "type"),
        ("id: a\n<<: {b: 1}\n", 2, "<<"),
        ("id: a\n? [b]\n: 1\n", 2, "text"),
        ("id: a\nx: .inf\n", 2, "JSON"),
        ("id: a\nx: 1e999\n", 2, "large"),
        ("id: a\nx: " + "9" * 5000, 2, "long"),
        ("id: a\nx: \x07\n", 2, "control"),
        ("id: a\nx: " + "[" * 70 + "]" * 70, 2, "deep"),
        ("id: a\nx: " + "[" * 100_000, 2, "deep"),
        ("id: a\nx: " + "{a: " * 100_000, 2, "deep"),
        ("id: a\nx:\n " + "- " * 100_000, 3, "deep"),
        ("id: a\nx:\n " + "? " * 100_000, 3, "deep"),
        (f"id: a\nx: &x {'[' * 40}{']' * 40}\ny: {'[' * 40}*x{']' * 40}\n", 2, "deep"),
    ],
)
def test_broken_yaml_is_told_with_its_line(read: Read, text: str, line: int, words: str) -> None:
    [(found_line, _, reason)] = bad(read, text)
    assert (found_line, words in reason) == (line, True), reason


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{"id": "a",\n:}', 2, "JSON"),
        ('{"id": NaN}', None, "NaN"),
        ('{"id": 1e999}', None, "large"),
        ('{"id": "\\ud800"}', None, "surrogate"),
        ('{"\\udc00": 1}', None, "surrogate"),
        ("[" * 70 + "]" * 70, None, "deep"),
        ("[" * 100_000, None, "deep"),
        ("1" * 5000, None, "long"),
        ("[]", 1, "object"),
    ],
)
def test_broken_json_is_told(read: Read, text: str, line: int | None, words: str) -> None:
    [(found_line, _, reason)] = bad(read, text, "a.json")
    assert (found_line, words in reason) == (line, True), reason


def test_json_is_a_format_too_with_lines(read: Read) -> None:
    assert good(read, '{"id": "a", "type": "prompt", "prompt": "\\u4e2d\\n"}', "a.json").prompt == "中\n"
    assert bad(read, '{"id": "a",\n "type": "prompt",\n "prompt": 5}', "a.json")[0][:2] == (3, "prompt")


@pytest.mark.parametrize("letter", ["\x85", "\u2028", "\u2029"])
def test_what_ended_a_line_in_yaml_1_1_is_a_letter(read: Read, letter: str) -> None:
    text = f"id: a\ntype: prompt\nprompt: |\n  one{letter}two\ue000\nname: 'x{letter}y'\n"
    skill = good(read, text)
    assert (skill.prompt, skill.name) == (f"one{letter}two\ue000\n", f"x{letter}y")
    assert bad(read, text + "tags: *nothing\n")[0][0] == 6


def test_aliases_that_stand_for_too_much_are_refused(read: Read) -> None:
    levels = [
        f"{name}: &{name} [{', '.join(['*' + before] * 10)}]" for before, name in zip("abcdefg", "bcdefgh", strict=True)
    ]
    assert "values" in bad(read, "\n".join(["a: &a [x]", *levels]))[0][2]
    assert good(read, "id: a\ntype: prompt\nprompt: &p x\nmetadata: [*p, *p]\n").extra["metadata"] == ["x", "x"]


def test_a_file_that_is_too_long_is_refused(read: Read) -> None:
    assert "bytes" in bad(read, b"#" * (1024 * 1024 + 1))[0][2]


# Encodings


@pytest.mark.parametrize(("content", "name"), [(PROMPT, "a.yaml"), (AGENT_SKILL, "pdf-forms/SKILL.md")])
def test_a_mark_and_other_line_ends_make_no_difference(read: Read, content: str, name: str) -> None:
    plain = good(read, content.encode(), name)
    for data in (
        b"\xef\xbb\xbf" + content.encode(),
        content.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + content.replace("\n", "\r\n").encode(),
    ):
        read_so = good(read, data, name)
        assert read_so.content == (data if name.endswith(".md") else None)  # an Agent Skill's file is served as it is
        assert replace(read_so, content=plain.content) == plain


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "pdf-forms/SKILL.md"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_an_error_that_says_so(read: Read, name: str, encoding: str) -> None:
    [(_, _, reason)] = bad(read, PROMPT.encode(encoding), name)
    assert "UTF-16" in reason or "UTF-32" in reason
    assert "UTF-8" in reason


def test_what_is_not_utf_8_is_told_with_its_line(read: Read) -> None:
    [(line, _, reason)] = bad(read, "id: a\nname: größe\n".encode("latin-1"))
    assert (line, "UTF-8" in reason) == (2, True)


# Agent Skills


def test_an_agent_skill_is_a_prompt(read: Read) -> None:
    skill = good(read, AGENT_SKILL, "pdf-forms/SKILL.md")
    assert (skill.id, skill.type, skill.source_format, skill.description) == (
        "pdf-forms", "prompt", "agent-skill", "Fills forms.",
    )  # fmt: skip
    assert skill.prompt == "# Forms\n\nFill {{them}} in."
    assert skill.tags == ("pdf", "forms")
    assert skill.extra["frontmatter"]["allowed-tools"] == "Read"


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "words"),
    [
        ("---\nname", "name", 1, None, "front matter"),
        ("---\n\n#", "\n\n#", 1, None, "no end"),
        ("name: pdf-forms\n", "", 2, "name", "nothing"),
        ("name: pdf-forms", "name: pdf-form", 2, "name", "folder"),
        ("name: pdf-forms", "name: PDF", 2, "name", "hyphens"),
        ("name: pdf-forms", "name: pdf--forms", 2, "name", "hyphens"),
        ("description: Fills forms.", "description: Use this: fills", 3, None, "quotes"),
        ("description: Fills forms.", "description:", 3, "description", "nothing"),
        ("description: Fills forms.", "description: " + "x" * 1025, 3, "description", "1024"),
        ("license: MIT", "license:\tMIT\n\tmore: x", 5, None, "tab"),
        ("license: MIT", "compatibility: " + "x" * 501, 4, "compatibility", "500"),
        ("metadata: {author: me, tags: \"pdf, forms\"}", "metadata: me", 5, "metadata", "object"),
        ("\n# Forms\n\nFill {{them}} in.\n", "", 2, None, "no text"),
    ],
)  # fmt: skip
def test_a_broken_agent_skill_is_told_with_its_line(
    read: Read, old: str, new: str, line: int, field: str | None, words: str
) -> None:
    assert old in AGENT_SKILL
    [(found_line, found_field, reason)] = bad(read, AGENT_SKILL.replace(old, new, 1), "pdf-forms/SKILL.md")
    assert (found_line, found_field, words in reason) == (line, field, True), reason


def test_a_fault_quotes_no_more_than_a_word(read: Read) -> None:
    """A layer may be a folder whose files were never meant to be skills, and models read what is wrong with them."""
    long_word = "ghp_0123456789abcdefghijklmnopqrst"
    head = "schemaVersion: skillcentral.dev/v1\nid: a\nname: A\ndescription: A\n"
    files = [f"{member}: {long_word}\n" for member in ("type", "schemaVersion", "tags", "arguments", "inputSchema")]
    files += [f"{head}type: tool\n{member}: {long_word}\n" for member in ("appliesTo", "capabilities", "workflow")]
    files += [f"{head}type: tool\ninputSchema: {{pattern: '({long_word}', $ref: {long_word}, type: {long_word}}}\n"]
    files += [f"{head}type: tool\nappliesTo: {{projects: [{long_word}]}}\n", f"!{long_word} a\n", f"a: *{long_word}\n"]
    files += [f"{long_word}: 1\n{long_word}: 2\n", f"a: '{long_word}\n", f"a: b: {long_word}\n"]
    for text in files:
        assert long_word not in str(bad(read, text))
    assert '"promt"' in str(bad(read, "id: a\ntype: promt\n"))


# Anything at all


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = (
    "id name description type schemaVersion tags appliesTo activation capabilities prompt prompt_zh context workflow "
    "targets degradation inputs outputs inputSchema arguments metadata version license compatibility"
).split()
WORDS = st.sampled_from(["prompt", "tool", "workflow", "skillcentral.dev/v1", "a", "global"])
DOCUMENTS = st.dictionaries(
    st.sampled_from(MEMBERS),
    st.one_of(
        WORDS,
        JSON,
        st.lists(
            st.dictionaries(st.sampled_from(["name", "topic", "id", "uses", "required"]), WORDS | JSON), max_size=2
        ),
        st.dictionaries(
            st.sampled_from(["projects", "steps", "required", "properties", "template", "role"]), WORDS | JSON
        ),
    ),
)
ANYWHERE = Layer("l", "l", Path("/skills"))
FILES = st.sampled_from([Path("/skills/a.yaml"), Path("/skills/a.json"), Path("/skills/a/SKILL.md")])


@settings(deadline=None)
@given(DOCUMENTS, FILES)
def test_any_document_is_a_skill_or_has_faults(document: dict[str, Any], file: Path) -> None:
    text = json.dumps(document, allow_nan=True)
    if file.name == "SKILL.md":
        text = f"---\n{text}\n---\nbody"
    skill, faults = read_skill(text.encode(), file, ANYWHERE)
    assert (skill is None) == bool(faults)


PROPERTIES = st.dictionaries(
    st.sampled_from(["a", "b c", "größe", "$ref"]),
    st.one_of(
        st.booleans(),
        st.dictionaries(
            st.sampled_from(["type", "enum", "default", "description", "const", "$ref", "properties", "mine"]),
            JSON | st.sampled_from(["string", "#", "#/properties/a"]),
            max_size=3,
        ),
    ),
    max_size=3,
)
TOOLS = st.fixed_dictionaries(
    {"id": st.text(max_size=6), "type": st.sampled_from(["tool", "prompt"]), "prompt": st.just("x")},
    optional={
        "description": st.text(max_size=6),
        "inputSchema": st.builds(lambda properties, more: {**more, "properties": properties}, PROPERTIES, DOCUMENTS),
        "arguments": st.lists(
            st.dictionaries(st.sampled_from(["name", "title", "description"]), st.text(max_size=3)), max_size=2
        ),
    },
)


@settings(deadline=None)
@given(TOOLS)
def test_s35_s36_what_is_taken_passes_the_hosts_gate(document: dict[str, Any]) -> None:
    skill, _ = read_skill(json.dumps(document).encode(), Path("/skills/a.json"), ANYWHERE)
    if skill is None:
        return
    if skill.type == "tool":
        vet_tool(skill_tool(skill, "both"), skill.id)
    else:
        vet_prompt(skill_prompt(skill, "both"), skill.id)


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text("-:# \n\t\r[]{}'\"&*!|>%@`ab1.?<,", max_size=60).map(str.encode), FILES)
def test_any_bytes_are_a_skill_or_have_faults(data: bytes, file: Path) -> None:
    skill, faults = read_skill(data, file, ANYWHERE)
    assert (skill is None) == bool(faults)
    assert all(fault.line is None or 1 <= fault.line <= data.count(b"\n") + data.count(b"\r") + 2 for fault in faults)


@settings(deadline=None)
@given(JSON)
def test_what_one_writes_the_other_reads(value: Any) -> None:
    """Values survive both formats. Everything is in quotes, numbers with a tag: the writer knows YAML 1.1 only."""
    text = json.dumps(value)
    try:
        expected = parse_json(text)
    except FormatError:
        return
    assert parse_yaml(yaml.safe_dump(value, default_style='"')) == expected


@settings(deadline=None)
@given(
    st.sampled_from(
        ["yes", "no", "on", "off", "y", "n", "~", "null", "010", "0x1f", "1_000", "1:30", "=", "<<", ".5", "-"]
    )
)
def test_a_text_in_quotes_is_that_text(text: str) -> None:
    assert parse_yaml(f"'{text}': '{text}'") == {text: text}
