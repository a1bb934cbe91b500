"""Tool skills through a real server, in both eras of the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

COMMIT = """\
    id: commit-conventions
    type: tool
    description: How commits are written
    inputSchema:
      type: object
      properties:
        type: {type: string, enum: [feat, fix]}
        scope: {type: string, maxLength: 5}
        summary: {type: string, minLength: 1}
      required: [type, summary]
      additionalProperties: false
      x-origin: {kept: [1, null]}
    prompt: "{{type}}({{scope}}): {{summary}}"
"""

NUMBERS = """\
    id: numbers
    type: tool
    inputSchema:
      type: object
      properties:
        n: {type: integer, minimum: 1}
        maybe: {type: [string, "null"]}
        list: {type: array, items: {type: string}}
        object: {type: object}
        text: {type: string}
    prompt: "{{n}}|{{maybe}}|{{list}}|{{object}}|{{text}}"
"""


OWN = ("workflow_start", "workflow_next", "workflow_publish", "workflow_summarize")
"""The tools that skillcentral has whatever skills there are."""


@pytest.fixture(scope="module")
def filled(shared_project: Any) -> Any:
    project = shared_project
    project.write(".skills/02-workflows/commit.yaml", COMMIT)
    project.write(".skills/02-workflows/numbers.yaml", NUMBERS)
    project.write(".skills/02-workflows/bodiless.yaml", "id: bodiless\ntype: tool\n")
    project.write(
        ".skills/02-workflows/derived.yaml",
        """\
        id: derived
        type: tool
        arguments:
          - {name: who, description: Whom to greet, required: true}
          - {name: how, description: How}
        prompt: "{{who}} {{how}}"
        """,
    )
    project.write(
        ".skills/02-workflows/inputs.yaml",
        """\
        schemaVersion: skillcentral.dev/v1
        id: inputs-only
        name: Inputs
        description: Has inputs
        type: tool
        tags: [a]
        appliesTo: global
        activation: {}
        capabilities: {}
        inputs: {type: object, properties: {k: {type: string}}, required: [k]}
        prompt: "{{k}}"
        """,
    )
    project.write(".skills/01-global/a-prompt.yaml", "id: a-prompt\ntype: prompt\nprompt: P\n")
    for name, schema in {
        "bad-property": "{type: object, properties: {y: 5}}",
        "bad-required": '{type: object, required: "x"}',
        "bad-root": "{type: array}",
    }.items():
        project.write(f".skills/03-domains/{name}.yaml", f"id: {name}\ntype: tool\ninputSchema: {schema}\nprompt: P\n")
    for number, skill_id in enumerate(RESERVED):
        project.write(f".skills/03-domains/reserved-{number}.yaml", f"id: '{skill_id}'\ntype: tool\nprompt: P\n")
    for number, skill_id in enumerate(("skills_compose", "skills:compose")):
        project.write(f".skills/03-domains/prompt-{number}.yaml", f"id: '{skill_id}'\ntype: prompt\nprompt: P\n")
    return project


RESERVED = ("workflow_start", "workflow.start", "reverse_output", "a b")


@pytest.fixture(scope="module", params=["modern", "legacy"])
def server(filled: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    return filled.serve(request.param)


def test_s21_the_whole_schema_is_advertised(server: Any) -> None:
    tool = server.entry("tools", "commit-conventions")
    assert tool["description"] == "How commits are written"
    schema = tool["inputSchema"]
    assert schema["required"] == ["type", "summary"]
    assert schema["properties"]["type"]["enum"] == ["feat", "fix"]
    assert schema["properties"]["scope"]["maxLength"] == 5
    assert schema["additionalProperties"] is False
    assert schema["x-origin"] == {"kept": [1, None]}
    assert list(schema["properties"]) == ["type", "scope", "summary"]


def test_s22_a_call_answers_with_the_rendered_text(server: Any) -> None:
    assert server.call("commit-conventions", type="feat", scope="cli", summary="add it") == ("feat(cli): add it", False)


def test_s23_a_missing_argument_is_named(server: Any) -> None:
    answer = server.call("commit-conventions", type="feat")
    assert answer == ('Missing required argument: "summary"', True)


def test_s24_missing_arguments_come_in_the_order_of_the_schema(server: Any) -> None:
    text = 'Missing required argument: "type"\nMissing required argument: "summary"'
    assert server.call("commit-conventions") == (text, True)
    response = server.process.request("tools/call", {"name": "commit-conventions"})
    assert response["result"]["content"][0]["text"] == text


def test_s25_a_wrong_type_names_both_types(server: Any) -> None:
    text, is_error = server.call("numbers", text=5)
    assert is_error
    assert text == 'Argument "text" expected string, got number'


@pytest.mark.parametrize(("value", "is_error"), [(2.0, False), (2, False), (1.5, True), (True, True), ("2", True)])
def test_s26_two_point_zero_is_an_integer_and_true_is_none(server: Any, value: Any, is_error: bool) -> None:
    text, got_error = server.call("numbers", n=value)
    assert got_error is is_error
    assert ('Argument "n"' in text) is is_error
    if not is_error:
        assert text.startswith("2|")


@pytest.mark.parametrize(
    ("name", "value"),
    [("type", "chore"), ("scope", "too long"), ("summary", ""), ("unknown", 1)],
)
def test_s27_every_keyword_counts_and_the_argument_is_named(server: Any, name: str, value: Any) -> None:
    arguments = {"type": "fix", "summary": "s", name: value}
    text, is_error = server.call("commit-conventions", **arguments)
    assert is_error
    assert f'"{name}"' in text


def test_s27_items_and_limits_count_too(server: Any) -> None:
    for name, value in (("list", ["a", 5]), ("n", 0), ("object", [])):
        text, is_error = server.call("numbers", **{name: value})
        assert is_error
        assert f'"{name}' in text


def test_s28_a_union_of_types_takes_each_of_them(server: Any) -> None:
    assert server.call("numbers", maybe=5)[1]
    assert not server.call("numbers", maybe=None)[1]
    assert not server.call("numbers", maybe="x")[1]


def test_s29_what_is_null_or_absent_is_never_written_as_such(server: Any) -> None:
    for arguments in ({}, {"maybe": None}, {"text": None}, {"n": None}):
        text, is_error = server.call("numbers", **arguments)
        assert not is_error
        assert "null" not in text
        assert "None" not in text


def test_s30_lists_and_objects_are_json(server: Any) -> None:
    text, _ = server.call("numbers", list=["ü", "b"], object={"k": [1, True]})
    assert '|["ü", "b"]|{"k": [1, true]}|' in text


def test_s31_a_tool_without_a_text_answers_with_its_arguments(server: Any) -> None:
    assert server.call("bodiless", k="ü", n=1) == ('{\n  "k": "ü",\n  "n": 1\n}', False)
    assert server.call("bodiless") == ("{}", False)


def test_s32_arguments_alone_make_a_schema_that_is_enforced(server: Any) -> None:
    schema = server.entry("tools", "derived")["inputSchema"]
    assert schema["required"] == ["who"]
    assert schema["properties"]["who"]["description"] == "Whom to greet"
    assert server.call("derived", how="h") == ('Missing required argument: "who"', True)
    assert server.call("derived", who="w", how="h") == ("w h", False)


def test_s33_inputs_alone_are_the_schema(server: Any) -> None:
    assert server.entry("tools", "inputs-only")["inputSchema"]["required"] == ["k"]
    assert server.call("inputs-only", k="v") == ("v", False)


def test_s34_what_is_no_tool_skill_is_unknown(server: Any) -> None:
    for name in ("nosuch", "a-prompt"):
        text = server.refused("tools/call", name=name, arguments={})
        assert text.startswith(f"Unknown tool: {name}")
    assert "prompts/get" in server.refused("tools/call", name="a-prompt", arguments={})


def test_s35_a_bad_schema_costs_its_own_tool_and_is_reported(server: Any, filled: Any) -> None:
    names = server.names("tools")
    assert not {"bad-property", "bad-required", "bad-root"} & set(names)
    assert {"commit-conventions", "numbers", "bodiless"} <= set(names)
    assert server.call("derived", who="w")[1] is False
    for name, field in (
        ("bad-property", "inputSchema.properties.y"),
        ("bad-required", "inputSchema.required"),
        ("bad-root", "inputSchema.type"),
    ):
        stderr = server.process.wait_for_stderr(f"{name}.yaml")
        assert field in stderr
        assert str(filled.root / ".skills/03-domains" / f"{name}.yaml") in stderr


def test_s36_reserved_and_impossible_ids_are_refused_and_no_name_is_there_twice(server: Any) -> None:
    for kind in ("tools", "prompts"):
        names = server.names(kind)
        assert len(names) == len(set(names))
        assert not set(RESERVED) & (set(names) - set(OWN))
    assert not {f"skill://skill/{one}" for one in (*RESERVED, *OWN)} & {one["uri"] for one in server.list("resources")}
    for number in range(len(RESERVED)):
        server.process.wait_for_stderr(f"reserved-{number}.yaml:1: id: ")
    for number in range(2):
        server.process.wait_for_stderr(f"prompt-{number}.yaml:1: id: ")


def test_tools_are_listed_in_ascending_priority_then_by_id(server: Any) -> None:
    expected = ["bodiless", "commit-conventions", "derived", "inputs-only", "numbers"]
    assert server.names("tools") == [*OWN, *expected]
