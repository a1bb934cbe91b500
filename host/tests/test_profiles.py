"""The rules about clients: each with what breaks it and with what comes close and does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from agenthost.instructions import merge_instructions
from agenthost.profiles import RULES, Remark, lint, load_profiles
from agenthost.profiles.profile import SERVER_KEY
from agenthost.profiles.schemas import is_recursive, subschemas
from agenthost.surface import Entry, Surface, estimate_tokens
from agenthost.vetting import LEGACY, MODERN
from hypothesis import given
from hypothesis import strategies as st

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def tool(
    name: str = "notes_read_one",
    properties: dict[str, Any] | None = None,
    *,
    description: str = "Read one note, with a count of up to 50.",
    output: dict[str, Any] | None = None,
    time_limit: float | None = None,
    **root: Any,
) -> Entry:
    """A tool as it would be listed; `root` are further members of the schema of its arguments."""
    listed: dict[str, Any] = {
        "name": name,
        "inputSchema": {"type": "object", "properties": properties or {}, **root},
        **({"description": description} if description else {}),
        **({"outputSchema": output} if output else {}),
    }
    return Entry(name, name, "notes", {LEGACY: listed, MODERN: listed}, time_limit)


def prompt(name: str) -> Entry:
    return Entry(name, name, "notes", {LEGACY: {"name": name}, MODERN: {"name": name}})


def with_tools(*tools: Entry) -> Surface:
    return Surface(tools=tools)


def with_properties(**properties: Any) -> Surface:
    return with_tools(tool(properties=properties))


def many(count: int, description: str = "Do it.") -> Surface:
    return with_tools(*(tool(f"notes_do_{number}", description=description) for number in range(count)))


def with_instructions(**texts: str) -> Surface:
    return Surface(tools=[tool()], instructions=texts, merged=merge_instructions(list(texts.items())))


def named(length: int) -> Surface:
    return with_tools(tool("n" * length))


NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}

CASES: dict[str, tuple[set[str], Surface, Surface]] = {
    "N01": ({"claude-desktop", "copilot-cli"}, with_tools(tool("notes.read")), with_tools(tool("Notes-read_1"))),
    "N02": (
        {"vscode", "codex", "cline", "opencode", "gemini-cli"},
        with_tools(tool("notes/read")),
        with_tools(tool("Notes-read_1")),
    ),
    "N03": ({"all"}, with_tools(tool("a.b"), tool("A_b")), with_tools(tool("a_b"), tool("ab"))),
    "N04": ({"claude-desktop"}, named(65), named(64)),
    "N05": ({"cursor"}, named(52), named(51)),
    "N06": ({"claude-code"}, named(49), named(48)),
    "N07": ({"claude-code"}, named(113), named(112)),
    "N08": ({"vscode"}, named(47), named(46)),
    "N09": ({"codex", "cline"}, named(54), named(48)),
    "N10": ({"gemini-cli"}, named(50), named(49)),
    "N11": ({"copilot-cli"}, named(55), named(54)),
    "N12": ({"all"}, named(41), named(40)),
    "N13": ({"all"}, with_tools(tool("notes__read")), with_tools(tool("notes_read_"))),
    "N17": ({"all"}, Surface(prompts=[prompt("sum up")]), Surface(prompts=[prompt("sum-up_1")])),
    "L01": ({"trae"}, many(41), many(40)),
    "L02": ({"trae"}, many(9, "x" * 1000), many(8, "x" * 1000)),
    "L03": ({"cursor"}, many(41), many(40)),
    "L04": ({"windsurf"}, many(101), many(100)),
    "L05": ({"vscode"}, many(129), many(128)),
    "L07": ({"gemini-cli"}, Surface(), Surface(prompts=[prompt("sum")])),
    "D01": (
        {"claude-code"},
        with_tools(tool(description="\N{GRINNING FACE}" * 1025)),
        with_tools(tool(description="\N{GRINNING FACE}" * 1024)),
    ),
    "D02": ({"vscode"}, with_tools(tool(description="x" * 1025)), with_tools(tool(description="x" * 1024))),
    "D03": ({"vscode", "cline"}, with_tools(tool(description="")), with_tools(tool(description="Read."))),
    "D04": (
        {"claude-code"},
        with_instructions(a="Read first. " * 120, b="Then write. " * 120),
        with_instructions(a="Read first. " * 80, b="Then write. " * 80),
    ),
    "D05": (
        {"codex"},
        with_instructions(a="Read this and that " * 40 + "."),
        with_instructions(a="Read first. " + "Then write this and that. " * 40),
    ),
    "D06": (
        {"claude-desktop", "cursor", "windsurf", "cline", "others"},
        with_instructions(a="Read first."),
        with_instructions(),
    ),
    "S02": (
        {"claude-code"},
        with_tools(tool(anyOf=[{"required": ["a"]}])),
        with_properties(a={"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    ),
    "S03": ({"codex"}, with_tools(tool(enum=[{}])), with_properties(a={"enum": ["x"]})),
    "S04": ({"vscode"}, with_tools(tool(then={})), with_properties(a={"not": {"type": "null"}})),
    "S05": (
        {"cursor"},
        with_properties(a={"type": "array", "items": {"oneOf": [{"type": "string"}]}}),
        with_properties(anyOf={"type": "string"}),
    ),
    "S09": (
        {"vscode"},
        with_properties(a={"type": "object", "properties": {"b": {"type": "array"}}}),
        with_properties(a={"type": "array", "items": {}}),
    ),
    "S10": (
        {"copilot-cli", "cursor", "gemini-cli"},
        with_properties(a={"type": "array", "items": {"type": ["object", "null"]}}),
        with_properties(type={"type": "string"}),
    ),
    "S11": (
        {"gemini-cli", "codex"},
        with_tools(tool(properties={"a": {"$ref": "#/$defs/Node"}}, **{"$defs": {"Node": NODE}})),
        with_tools(tool(properties={"a": {"$ref": "#/$defs/B"}, "b": {"$ref": "#/$defs/B"}}, **{"$defs": {"B": {}}})),
    ),
    "S12": (
        {"all"},
        with_tools(tool(properties={"a": {"$ref": "#/$defs/B"}}, **{"$defs": {"B": {}}})),
        with_properties(**{"$ref": {"type": "string"}}),
    ),
    "S13": (
        {"vscode"},
        with_properties(a={"type": "strin"}),
        with_properties(a={"type": "array", "items": [{"type": "string"}]}),  # draft-07 knows lists of schemas
    ),
    "S14": (
        {"claude-code"},
        with_properties(a={"type": "array", "items": [{"type": "string"}]}),
        with_properties(a={"type": "string", "pattern": "^\\p{L}+$"}),  # a pattern of JavaScript
    ),
    "S15": (
        {"vscode", "codex"},
        with_properties(a={"type": "integer", "maximum": 99}),
        with_properties(
            a={"type": "integer", "maximum": 50, "minimum": 1},  # 50 is in the tool's description
            b={"type": "string", "pattern": "^a+$", "description": "One a or more."},
            c={"type": "array", "description": "-5 to 5.", "items": {"type": "number", "minimum": -5, "maximum": 5.0}},
        ),
    ),
    "S16": (
        {"codex"},
        with_properties(a={"oneOf": [{"type": "string"}]}),
        with_properties(a={"anyOf": [{"type": "string"}]}),
    ),
    "S17": (
        {"vscode"},
        with_tools(tool(properties={"a": {}}, required=["a", "b"])),
        with_tools(tool(properties={"a": {"anyOf": [{"required": ["b"]}]}}, required=["a"])),
    ),
    "S18": ({"providers"}, with_properties(a={"enum": ["1", 2]}), with_properties(a={"enum": ["1", "2"]})),
    "S20": (
        {"claude-code", "claude-desktop"},
        with_tools(tool(output={"type": "object", "$schema": DRAFT_7})),
        with_tools(tool(output={"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema"})),
    ),
    "T01": (
        {"claude-desktop", "cursor", "cline", "opencode", "codex"},
        with_tools(tool(time_limit=51)),
        with_tools(tool(time_limit=50), tool("notes_write_one")),
    ),
}
"""For each rule: the clients that it concerns, a surface that breaks it, and one that just does not."""


def found(surface: Surface, rule: str) -> list[Remark]:
    return [remark for remark in lint(surface, load_profiles()) if remark.rule == rule]


def test_every_rule_has_its_cases_and_its_clients() -> None:
    concerned = {number for profile in load_profiles() for number in profile.rules}
    assert CASES.keys() == RULES.keys() == concerned


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_is_told_of_what_breaks_it_to_each_client_that_minds(rule: str) -> None:
    clients, broken, _ = CASES[rule]
    remarks = found(broken, rule)
    assert {remark.client for remark in remarks} == clients
    for remark in remarks:
        assert remark.what
        assert remark.effect
        assert remark.cure
        assert remark.source


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_is_silent_about_what_only_comes_close(rule: str) -> None:
    _, _, close = CASES[rule]
    assert found(close, rule) == []


def test_a_plain_tool_of_the_house_style_is_fine_everywhere() -> None:
    surface = with_tools(
        tool(
            properties={
                "noteId": {"type": "string", "description": "The note."},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            required=["noteId"],
            additionalProperties=False,
            output={"type": "object", "properties": {"text": {"type": "string"}}},
        )
    )
    assert lint(surface, load_profiles()) == []


@given(st.from_regex(r"[a-z][a-z0-9]{0,9}(_[a-z0-9]{1,9}){0,3}", fullmatch=True).filter(lambda name: len(name) <= 40))
def test_no_client_minds_a_name_of_the_house_style(name: str) -> None:
    assert lint(with_tools(tool(name)), load_profiles()) == []


KEYWORDS = "type properties items anyOf allOf enum required $ref $defs definitions maximum pattern description".split()

SCHEMAS = st.recursive(
    st.booleans() | st.none() | st.integers() | st.text(max_size=8) | st.sampled_from(["#", "#/$defs/a", "array"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYWORDS) | st.text(max_size=4),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from("properties items anyOf $defs required enum a".split()), SCHEMAS))
def test_the_rules_look_at_any_json_without_failing(root: dict[str, Any]) -> None:
    listed = {"name": "a", "inputSchema": {**root, "type": "object"}, "outputSchema": root}
    lint(with_tools(Entry("a", "a", "notes", {LEGACY: listed, MODERN: listed})), load_profiles())


@pytest.mark.parametrize(
    ("schema", "recursive"),
    [
        ({"properties": {"a": {"$ref": "#"}}}, True),
        ({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {}}}, False),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"items": {"$ref": "#/$defs/a"}}}}, True),
        ({"properties": {"a/b": {"$ref": "#/properties/a~1b"}}}, True),
        ({"properties": {"a": {"$ref": "https://example.org/schema"}}}, False),
        ({"properties": {"a": {"$ref": "#/nowhere/at/all"}}}, False),
        ({"allOf": [{"$ref": "#/allOf/0"}]}, True),
        (True, False),
    ],
)
def test_a_schema_is_recursive_if_its_references_lead_back(schema: Any, recursive: bool) -> None:
    assert is_recursive(schema) is recursive


def test_a_thousand_definitions_in_a_row_are_no_circle() -> None:
    row = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(1000)}
    assert not is_recursive({"$defs": row, "$ref": "#/$defs/d0"})


def test_every_schema_inside_a_schema_is_looked_at() -> None:
    schema = {"properties": {"a": {"items": {"anyOf": [{"not": {"type": "x"}}]}}, "b": True}}
    assert {"type": "x"} in subschemas(schema)
    assert True in subschemas(schema)


def test_each_client_is_shown_the_lists_of_its_own_era() -> None:
    old = {"name": "a", "description": "A.", "inputSchema": {"type": "object", "properties": {}}}
    new = {**old, "outputSchema": {"type": "object", "$schema": DRAFT_7}}
    remarks = found(with_tools(Entry("a", "a", "notes", {LEGACY: old, MODERN: new})), "S20")
    assert {remark.client for remark in remarks} == {"claude-code"}


@pytest.mark.parametrize("profile", load_profiles(), ids=lambda profile: profile.name)
def test_a_profile_says_what_its_rules_need(profile: Any) -> None:
    assert profile.title
    needs: dict[str, Callable[[Any], object]] = {
        "N01 N02 N17": lambda fact: re.compile(fact.pattern),
        "N04 N05 N06 N07 N08 N09 N10 N11 N12": lambda fact: (
            fact.limit and len(fact.form.format(server=SERVER_KEY, tool="x"))
        ),
        "L01 L02 L03 L04 L05 D01 D02 D04 D05 T01": lambda fact: fact.limit,
        "S02 S03 S04 S05 S15 S16": lambda fact: fact.keywords,
        "S13 S14": lambda fact: fact.dialect,
    }
    for number, fact in profile.rules.items():
        for numbers, need in needs.items():
            if number in numbers.split():
                assert need(fact)


def test_the_size_in_tokens_is_a_quarter_of_the_bytes_rounded_up() -> None:
    assert estimate_tokens({}) == 1
    assert estimate_tokens({"a": "ä"}) == 3  # {"a":"ä"} has 10 bytes in UTF-8
