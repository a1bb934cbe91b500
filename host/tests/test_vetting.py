"""The gate: what cannot be listed in both eras is kept out alone, with field and reason; the rest is listed."""

from __future__ import annotations

import copy
import functools
import json
import math
import re
from collections.abc import Callable
from typing import Annotated, Any

import jsonschema
import pytest
from agenthost import Argument, CallContext, Prompt, Resource, ResourceTemplate, Tool, tool
from agenthost.catalog import Catalog
from agenthost.plugins import Plugin
from agenthost.vetting import LEGACY, MODERN, VettingError, vet_prompt, vet_resource, vet_tool
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.methods import serialize_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS, SUPPORTED_PROTOCOL_VERSIONS
from pydantic import Field

OBJECT = {"type": "object"}


def handler(arguments: dict[str, Any], ctx: Any) -> str:
    return "done"


def typed(a: int) -> str:
    """Do it."""
    return "done"


def nothing() -> str:
    return "done"


def raw(**members: Any) -> Tool:
    return Tool(**{"name": "t", "handler": handler, "input_schema": OBJECT, **members})


def refusal(tool: Tool, exposed: Any = "t") -> str:
    with pytest.raises(VettingError) as caught:
        vet_tool(tool, exposed)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 500
    text.encode()
    return text


def field(tool: Tool, exposed: Any = "t") -> str:
    """The field that vetting names."""
    return refusal(tool, exposed).partition(":")[0].partition(".")[0]


def listed(method: str, member: str, entries: list[dict[str, Any]], version: str) -> list[dict[str, Any]]:
    """The entries as the SDK puts them on the wire."""
    result: dict[str, Any] = {member: entries}
    if version in MODERN_PROTOCOL_VERSIONS:
        result.update(resultType="complete", ttlMs=0, cacheScope="private")
    sent: list[dict[str, Any]] = serialize_server_result(method, version, result)[member]
    return sent


def assert_listed_as_given(tool: Tool) -> None:
    """The tool is on the wire of every version exactly as it is for its era."""
    vetted = vet_tool(tool, "t")
    for version in SUPPORTED_PROTOCOL_VERSIONS:
        form = {"name": "t", **vetted.wire[MODERN if version in MODERN_PROTOCOL_VERSIONS else LEGACY]}
        [sent] = listed("tools/list", "tools", [form], version)
        assert sent == form
        json.dumps(sent, allow_nan=False, ensure_ascii=False).encode()


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"not": schema}
    return {**OBJECT, "properties": {"a": schema}}


def circular() -> dict[str, Any]:
    schema: dict[str, Any] = {**OBJECT}
    schema["properties"] = {"self": schema}
    return schema


# Names


@pytest.mark.parametrize("name", ["a", "A", "_", "9", "a.b-c_D", "x" * 128])
def test_a_name_of_the_pattern_is_fine(name: str) -> None:
    assert vet_tool(raw(name=name), name).wire[MODERN]["inputSchema"] == OBJECT


@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "a:b", "a/b", "x" * 129, "工具", "ä", "a\n", "\n", "a\x00", "\ud800", "a,b", 5, None, b"a", ["a"]],
)
def test_a_name_outside_the_pattern_is_told(name: Any) -> None:
    assert field(raw(), name) == "name"


# Every fault alone


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("handler", {"handler": None}),
    ("handler", {"handler": "text"}),
    ("handler", {"handler": lambda: None}),
    ("handler", {"handler": lambda a: None}),
    ("handler", {"handler": lambda *, a, b: None}),
    ("handler", {"handler": lambda a, b, c: None}),
    ("handler", {"handler": lambda a, b: None, "input_schema": None}),
    ("handler", {"handler": len, "input_schema": None}),
    ("description", {"description": 5}),
    ("description", {"description": ["text"]}),
    ("description", {"description": b"text"}),
    ("description", {"description": "x" * 65_537}),
    ("description", {"description": "a \ud800"}),
    ("title", {"title": 5}),
    ("title", {"title": "\udfff"}),
    ("title", {"title": "x" * 65_537}),
    ("input_schema", {"input_schema": True}),
    ("input_schema", {"input_schema": "object"}),
    ("input_schema", {"input_schema": [OBJECT]}),
    ("inputSchema", {"input_schema": {}}),
    ("inputSchema", {"input_schema": {"type": "array"}}),
    ("inputSchema", {"input_schema": {"type": ["object"]}}),
    ("inputSchema", {"input_schema": {"type": ["object", "null"]}}),
    ("inputSchema", {"input_schema": {"type": None}}),
    ("inputSchema", {"input_schema": {"anyOf": [OBJECT]}}),
    ("inputSchema", {"input_schema": {"$ref": "#/$defs/a", "$defs": {"a": OBJECT}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "properties": []}}),
    ("inputSchema", {"input_schema": {**OBJECT, "properties": "a"}}),
    ("inputSchema", {"input_schema": {**OBJECT, "properties": {"a": None}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "properties": {"a": 5}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "properties": {"a": "string"}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "properties": {"a": []}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "properties": {"a": 0}}}),  # what pydantic takes for a boolean
    ("inputSchema", {"input_schema": {**OBJECT, "properties": {"a": 1.0}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "properties": {"a": "no"}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "required": "a"}}),
    ("inputSchema", {"input_schema": {**OBJECT, "required": [5]}}),
    ("inputSchema", {"input_schema": {**OBJECT, "required": {"a": True}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "$schema": 5}}),
    ("inputSchema", {"input_schema": {**OBJECT, "default": math.nan}}),
    ("inputSchema", {"input_schema": {**OBJECT, "x": {"y": [math.inf]}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "x": "\ud800"}}),
    ("inputSchema", {"input_schema": {**OBJECT, "properties": {"\ud800": {}}}}),
    ("inputSchema", {"input_schema": {**OBJECT, "x": b"bytes"}}),
    ("inputSchema", {"input_schema": {**OBJECT, "x": object()}}),
    ("inputSchema", {"input_schema": {**OBJECT, "x": {1, 2}}}),
    ("inputSchema", {"input_schema": {**OBJECT, 5: "x"}}),
    ("inputSchema", {"input_schema": {**OBJECT, ("a", "b"): "x"}}),
    ("inputSchema", {"input_schema": {**OBJECT, "description": "x" * 600_000}}),
    ("inputSchema", {"input_schema": nested(200_000)}),
    ("inputSchema", {"input_schema": circular()}),
    ("output_schema", {"output_schema": True}),
    ("output_schema", {"output_schema": []}),
    ("outputSchema", {"output_schema": {**OBJECT, "properties": {"a": 5}}}),
    ("outputSchema", {"output_schema": {**OBJECT, "properties": {"a": "true"}}}),
    ("outputSchema", {"output_schema": {**OBJECT, "required": "a"}}),
    ("outputSchema", {"output_schema": {**OBJECT, "x": math.nan}}),
    ("outputSchema", {"output_schema": {**OBJECT, "$schema": 5}}),
    ("annotations", {"annotations": True}),
    ("annotations", {"annotations": {"title": 5}}),
    ("annotations", {"annotations": {"readOnlyHint": "perhaps"}}),
    ("annotations", {"annotations": {"readOnlyHint": []}}),
    ("meta", {"meta": "x"}),
    ("_meta", {"meta": {"a": object()}}),
    ("_meta", {"meta": {"a": "\ud800"}}),
    ("_meta", {"meta": {5: "x"}}),
    ("time_limit", {"time_limit": 0}),
    ("time_limit", {"time_limit": -1}),
    ("time_limit", {"time_limit": math.nan}),
    ("time_limit", {"time_limit": math.inf}),
    ("time_limit", {"time_limit": "5"}),
    ("time_limit", {"time_limit": True}),
    ("aliases", {"aliases": "abc"}),
    ("aliases", {"aliases": ["abc"]}),
    ("aliases", {"aliases": ("a b",)}),
    ("aliases", {"aliases": ("ok", 5)}),
    ("aliases", {"aliases": None}),
]


@pytest.mark.parametrize(("named", "members"), FAULTS, ids=lambda value: value if isinstance(value, str) else "")
def test_every_fault_alone_is_refused_with_the_field_that_has_it(named: str, members: dict[str, Any]) -> None:
    assert field(raw(**members)) == named


@pytest.mark.parametrize(("named", "members"), FAULTS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_bad_tool_never_takes_a_good_one_with_it(
    named: str, members: dict[str, Any], make_plugin: Callable[..., Plugin], serve: Callable[..., Catalog]
) -> None:
    good = [Tool(f"good{number}", handler, input_schema=OBJECT) for number in range(9)]
    catalog = serve(make_plugin("p", *good[:4], raw(name="bad", **members), *good[4:]))
    assert [finding.kind for finding in catalog.findings] == ["quarantined"]
    assert catalog.findings[0].text.startswith(f"tool 'bad': {named}")
    for version in (LEGACY, MODERN):
        assert [entry["name"] for entry in catalog.tools.listed(version)] == [tool.name for tool in good]


@pytest.mark.parametrize("depth", [50, 150, 200, 240, 245, 250, 255, 260, 300, 500, 900, 3000])
def test_a_schema_of_any_depth_is_listed_or_told(depth: int) -> None:
    try:
        assert_listed_as_given(raw(input_schema=nested(depth)))
    except VettingError as error:
        # Beyond 200 levels in all, pydantic's parser in the official client refuses the whole list.
        assert depth > 150
        assert len(str(error)) < 500


@pytest.mark.parametrize("depth", [300, 500, 900, 3000])
def test_a_schema_that_is_too_deep_is_kept_out_alone(
    depth: int, raw: Callable[..., Tool], make_plugin: Callable[..., Plugin], serve: Callable[..., Catalog]
) -> None:
    catalog = serve(make_plugin("p", raw("good"), raw("deep", input_schema=nested(depth))))
    assert [finding.kind for finding in catalog.findings] == ["quarantined"]
    assert [entry["name"] for entry in catalog.tools.listed(MODERN)] == ["good"]


def test_a_property_that_is_no_schema_is_told_by_name() -> None:
    text = refusal(raw(input_schema={**OBJECT, "properties": {"good": {}, "bad": None}}))
    assert text.startswith("inputSchema.properties.bad: ")
    assert "object" in text


def test_a_reason_that_quotes_a_huge_value_stays_short() -> None:
    refusal(raw(time_limit="x" * 100_000))
    refusal(raw(description=["x" * 100_000]))
    refusal(raw(aliases=("x" * 100_000,)))
    refusal(raw(), "x" * 100_000)


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no representation")


@pytest.mark.parametrize(
    "member", ["handler", "description", "title", "input_schema", "annotations", "meta", "time_limit", "aliases"]
)
def test_a_value_that_cannot_be_shown_is_refused_all_the_same(member: str) -> None:
    assert field(raw(**{member: Unprintable()})) == member


# What is listed


def test_a_tool_with_everything_is_listed_as_given_in_every_version() -> None:
    tool = raw(
        description="Does it — ü \U0001f600.",
        title="It",
        input_schema={**OBJECT, "properties": {"a": {"type": "string"}}, "required": ["a"]},
        output_schema={**OBJECT, "properties": {"b": {"type": "integer"}}},
        annotations={
            "title": "T",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
        meta={"own.example/x": {"a": [1, {"b": None}]}},
        time_limit=5,
        aliases=("other",),
    )
    vetted = vet_tool(tool, "t")
    assert (
        vetted.wire[MODERN]
        == vetted.wire[LEGACY]
        == {
            "title": "It",
            "description": "Does it — ü \U0001f600.",
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "annotations": tool.annotations,
            "_meta": tool.meta,
        }
    )
    assert (vetted.item, vetted.signature, vetted.aliases) == (tool, None, ("other",))
    assert_listed_as_given(tool)


def test_absent_members_stay_absent() -> None:
    assert vet_tool(raw(), "t").wire == {LEGACY: {"inputSchema": OBJECT}, MODERN: {"inputSchema": OBJECT}}


def test_an_empty_description_is_kept() -> None:
    assert vet_tool(raw(description="", title=""), "t").wire[MODERN] == {
        "inputSchema": OBJECT,
        "description": "",
        "title": "",
    }


VERBATIM: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "https://example.com/ü",
    "type": "object",
    "title": "Kept",
    "$defs": {
        "node": {
            "type": ["object", "null"],
            "properties": {"next": {"$ref": "#/$defs/node"}, "any": True, "none": False},
        }
    },
    "definitions": {"old": {"const": None}},
    "properties": {
        "recursive": {"$ref": "#/$defs/node", "description": "beside"},
        "either": {"oneOf": [{"type": "integer"}, {"type": "null"}, True]},
        "all": {"allOf": [{"minimum": 0}, {"not": {"const": 13}}]},
        "big": {"const": 10**30, "default": -(10**40), "examples": [1e300, 0.1, -0.0, 5e-324]},
        "ключ \U0001f600": {"enum": ["ü", None, 1, True, [], {}], "pattern": "^[а-я]+$", "x-ü": "☃"},
        "nulls": {"default": None, "examples": [None, {"a": None}], "x-null": {"deep": [None]}},
        "": {},
        "tuple": {"type": "array", "prefixItems": [{"type": "string"}], "items": False, "additionalItems": True},
        "if": {"if": {"const": 1}, "then": {"minimum": 1}, "else": True},
        "$ref": {"type": "string"},
        "title": {"type": "string"},
    },
    "patternProperties": {"^x-": True},
    "required": ["recursive", "nowhere"],
    "additionalProperties": {"type": "string"},
    "dependentSchemas": {"big": {"required": ["either"]}},
    "anyOf": [{"required": ["either"]}, {}],
    "x-a": {"b": [1, 2.5, "c", False, {"d": []}]},
    "examples": [{"recursive": None}],
    "minProperties": 0,
    "deprecated": True,
}


def test_a_raw_schema_is_listed_verbatim_in_both_eras() -> None:
    jsonschema.Draft202012Validator.check_schema(VERBATIM)
    tool = raw(input_schema=VERBATIM, output_schema=VERBATIM)
    vetted = vet_tool(tool, "t")
    for version in (LEGACY, MODERN):
        for member in ("inputSchema", "outputSchema"):
            assert vetted.wire[version][member] == VERBATIM
            assert json.dumps(vetted.wire[version][member], sort_keys=True) == json.dumps(VERBATIM, sort_keys=True)
    assert_listed_as_given(tool)


def test_boolean_property_schemas_are_said_otherwise_to_the_handshake_era_only() -> None:
    schema = {**OBJECT, "properties": {"any": True, "none": False, "deep": {"properties": {"any": True}}}}
    vetted = vet_tool(raw(input_schema=schema, output_schema=schema), "t")
    for member in ("inputSchema", "outputSchema"):
        assert vetted.wire[MODERN][member] == schema
        assert vetted.wire[LEGACY][member] == {
            **OBJECT,
            "properties": {"any": {}, "none": {"not": {}}, "deep": {"properties": {"any": True}}},
        }
    assert_listed_as_given(raw(input_schema=schema, output_schema=schema))


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array", "items": {}},
        {"anyOf": [OBJECT]},
        {"type": ["object", "null"]},
        {"type": "string"},
        {"type": None},
    ],
    ids=repr,
)
def test_an_output_schema_without_an_object_root_is_left_out_in_the_handshake_era_only(schema: dict[str, Any]) -> None:
    vetted = vet_tool(raw(output_schema=schema), "t")
    assert "outputSchema" not in vetted.wire[LEGACY]
    assert vetted.wire[MODERN]["outputSchema"] == {key: value for key, value in schema.items() if value is not None}
    assert_listed_as_given(raw(output_schema=schema))


def test_null_members_are_dropped() -> None:
    tool = raw(
        input_schema={**OBJECT, "properties": None, "required": None, "description": None, "x": {"kept": None}},
        output_schema={**OBJECT, "required": None},
        annotations={"title": None, "readOnlyHint": None, "idempotentHint": True},
        meta={"a": None, "b": 1},
    )
    for form in vet_tool(tool, "t").wire.values():
        assert form == {
            "inputSchema": {**OBJECT, "x": {"kept": None}},
            "outputSchema": OBJECT,
            "annotations": {"idempotentHint": True},
            "_meta": {"b": 1},
        }
    assert_listed_as_given(tool)


def test_what_the_protocol_does_not_know_of_annotations_is_told_or_kept() -> None:
    for hints in (
        {"unknown": 1},
        {"readOnlyHint": True, "later": {"a": 1}},
        {"readOnlyHint": 1},
        {"readOnlyHint": "yes"},
    ):
        try:
            vetted = vet_tool(raw(annotations=hints), "t")
        except VettingError as error:
            assert str(error).startswith("annotations")
            continue
        for version in (LEGACY, MODERN):
            [sent] = listed("tools/list", "tools", [{"name": "t", **vetted.wire[version]}], version)
            assert all(
                isinstance(value, bool) for name, value in sent.get("annotations", {}).items() if name.endswith("Hint")
            )


def test_a_typed_tool_is_listed_with_its_derived_schemas() -> None:
    vetted = vet_tool(Tool("t", typed, "Do it."), "t")
    assert vetted.signature is not None
    for form in vetted.wire.values():
        assert form == {"description": "Do it.", "inputSchema": vetted.signature.schema}
    assert_listed_as_given(Tool("t", typed))


def test_an_output_schema_that_is_given_wins_over_the_derived_one() -> None:
    def function() -> dict[str, Any]:
        return {}

    given_schema = {**OBJECT, "properties": {"a": {"type": "integer"}}}
    assert vet_tool(Tool("t", function, output_schema=given_schema), "t").wire[MODERN]["outputSchema"] == given_schema


def test_what_a_plugin_does_to_its_schema_afterwards_is_not_served() -> None:
    schema: dict[str, Any] = {**OBJECT, "properties": {"a": {"enum": ["x"]}}}
    meta: dict[str, Any] = {"a": {"b": 1}}
    vetted = vet_tool(raw(input_schema=schema, output_schema=schema, meta=meta), "t")
    before = copy.deepcopy(dict(vetted.wire))
    schema["properties"]["a"]["enum"].append("\ud800")
    schema["properties"]["b"] = None
    meta["a"]["b"] = math.nan
    assert vetted.wire == before


def test_vetting_does_not_change_what_the_plugin_gave() -> None:
    schema = {**OBJECT, "properties": {"a": True, "b": False}, "x": None}
    before = copy.deepcopy(schema)
    vet_tool(raw(input_schema=schema, output_schema=schema), "t")
    assert schema == before


@pytest.mark.parametrize(
    "callee",
    [
        handler,
        lambda arguments, ctx: "",
        lambda *args: "",
        lambda a, b, c=1: "",
        functools.partial(lambda x, a, b: "", 1),
        print,
        dict.get,
        type("Callable", (), {"__call__": lambda self, a, b: ""})(),
    ],
    ids=["function", "lambda", "star", "default", "partial", "builtin", "method", "object"],
)
def test_whatever_takes_arguments_and_context_may_be_a_raw_handler(callee: Any) -> None:
    vet_tool(raw(handler=callee), "t")


def test_a_callable_without_a_readable_signature_gets_the_benefit_of_the_doubt() -> None:
    class Odd:
        __signature__ = "unreadable"

        def __call__(self, *args: Any) -> str:
            return ""

    try:
        vet_tool(raw(handler=Odd()), "t")
    except VettingError as error:
        assert str(error).startswith("handler")
    vet_tool(raw(handler=max), "t")


def test_sizes_just_at_the_limits_are_listed() -> None:
    assert_listed_as_given(raw(description="x" * 65_536, title="ü" * 65_536))
    assert_listed_as_given(raw(input_schema={**OBJECT, "description": "x" * 500_000}))


# Whatever comes


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["object", "array", "string"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "required",
                    "title",
                    "$ref",
                    "$defs",
                    "items",
                    "anyOf",
                    "$schema",
                    "default",
                    "a",
                ]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)

LIKELY = st.fixed_dictionaries(
    {"type": st.just("object")},
    optional={
        "properties": st.dictionaries(st.text(max_size=3), JSON, max_size=3) | JSON,
        "required": st.lists(st.text(max_size=3), max_size=2) | JSON,
        "$schema": st.text(max_size=3) | JSON,
        "title": JSON,
        "a": JSON,
    },
)

GOOD = [{"name": f"good{number}", **vet_tool(raw(), "t").wire[MODERN]} for number in range(9)]


@given(
    schema=LIKELY | JSON,
    output=st.none() | LIKELY | JSON,
    meta=st.none() | st.dictionaries(st.text(max_size=3), JSON, max_size=2),
)
def test_whatever_comes_as_a_schema_is_refused_or_can_be_listed_with_nine_good_tools(
    schema: Any, output: Any, meta: Any
) -> None:
    tool = raw(input_schema=schema if schema is not None else 5, output_schema=output, meta=meta)
    try:
        vetted = vet_tool(tool, "t")
    except VettingError as error:
        assert str(error).partition(":")[0]
        return
    for version in SUPPORTED_PROTOCOL_VERSIONS:
        modern = version in MODERN_PROTOCOL_VERSIONS
        form = {"name": "t", **vetted.wire[MODERN if modern else LEGACY]}
        sent = listed("tools/list", "tools", [*GOOD[:4], form, *GOOD[4:]], version)
        assert sent == [*GOOD[:4], form, *GOOD[4:]]
        json.dumps(sent, allow_nan=False, ensure_ascii=False).encode()
        if not modern:
            for member in ("inputSchema", "outputSchema"):
                properties = form.get(member, {}).get("properties", {})
                assert all(isinstance(value, dict) for value in properties.values())
                assert form.get(member, OBJECT)["type"] == "object"
    given_members = {key: value for key, value in schema.items() if value is not None}
    assert vetted.wire[MODERN]["inputSchema"] == given_members


@given(name=st.text(max_size=6), description=st.none() | st.text(max_size=6), title=st.none() | st.text(max_size=6))
def test_whatever_comes_as_texts_is_refused_or_can_be_listed(
    name: str, description: str | None, title: str | None
) -> None:
    try:
        vetted = vet_tool(raw(description=description, title=title), name)
    except VettingError:
        return
    for version in SUPPORTED_PROTOCOL_VERSIONS:
        [sent] = listed("tools/list", "tools", [{"name": name, **vetted.wire[LEGACY]}], version)
        json.dumps(sent, ensure_ascii=False).encode()


# Prompts


def answer(arguments: dict[str, str], ctx: Any) -> str:
    return "text"


def raw_prompt(**members: Any) -> Prompt:
    return Prompt(**{"name": "p", "handler": answer, "arguments": (), **members})


def prompt_refusal(prompt: Prompt, exposed: Any = "p") -> str:
    with pytest.raises(VettingError) as caught:
        vet_prompt(prompt, exposed)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 500
    return text


@pytest.mark.parametrize("name", ["a", "a b", "skills:compose", "ü/工具", "x" * 128, "a.b", "\U0001f600"])
def test_a_prompt_name_may_hold_what_people_write(name: str) -> None:
    vetted = vet_prompt(raw_prompt(name=name), name)
    for version in (LEGACY, MODERN):
        assert listed("prompts/list", "prompts", [{"name": name, **vetted.wire[version]}], version)[0]["name"] == name


@pytest.mark.parametrize(
    "name", ["", " ", " a", "a ", "a\n", "\ta", "a\x00b", "a\x7fb", "a\x85b", "\ud800", "x" * 129, "\u2003a", 5, None]
)
def test_a_prompt_name_with_control_characters_or_outer_blanks_is_told(name: Any) -> None:
    assert prompt_refusal(raw_prompt(), name).startswith("name: ")


@pytest.mark.parametrize(
    ("named", "members"),
    [
        ("handler", {"handler": None}),
        ("handler", {"handler": lambda: ""}),
        ("handler", {"handler": lambda x: "", "arguments": None}),
        ("description", {"description": 5}),
        ("description", {"description": "\ud800"}),
        ("title", {"title": []}),
        ("meta", {"meta": "x"}),
        ("_meta", {"meta": {"a": math.nan}}),
        ("complete", {"complete": "x"}),
        ("complete", {"complete": {"nowhere": len}}),
        ("complete", {"arguments": (Argument("a"),), "complete": {"a": "no function"}}),
        ("time_limit", {"time_limit": 0}),
        ("aliases", {"aliases": (" a",)}),
        ("aliases", {"aliases": "abc"}),
        ("open", {"handler": nothing, "arguments": None, "open": True}),
        ("arguments", {"arguments": ("a",)}),
        ("arguments", {"arguments": (Argument(5),)}),  # type: ignore[arg-type]
        ("arguments", {"arguments": (Argument("a"), Argument("a"))}),
        ("arguments", {"arguments": (Argument("a", description=5),)}),  # type: ignore[arg-type]
        ("arguments", {"arguments": (Argument("a", title=5),)}),  # type: ignore[arg-type]
        ("arguments", {"arguments": (Argument("\ud800"),)}),
        ("arguments", {"arguments": 5}),
        ("arguments", {"arguments": "ab"}),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_every_fault_of_a_prompt_alone_is_refused_with_its_field(named: str, members: dict[str, Any]) -> None:
    assert prompt_refusal(raw_prompt(**members)).partition(":")[0].partition(".")[0] == named


def test_a_raw_prompt_is_listed_with_its_arguments() -> None:
    prompt = raw_prompt(
        description="Asks.",
        title="Ask",
        arguments=(Argument("who", "Whom.", True, "Who"), Argument("why")),
        meta={"a": {"b": None}},
        complete={"who": lambda value, arguments, ctx: []},
    )
    vetted = vet_prompt(prompt, "p")
    assert (
        vetted.wire[LEGACY]
        == vetted.wire[MODERN]
        == {
            "title": "Ask",
            "description": "Asks.",
            "arguments": [
                {"name": "who", "title": "Who", "description": "Whom.", "required": True},
                {"name": "why", "required": False},
            ],
            "_meta": {"a": {"b": None}},
        }
    )
    assert vetted.signature is None


def test_a_typed_prompt_is_listed_with_its_parameters() -> None:
    def ask(who: str, times: int = 1) -> str:
        return ""

    for form in vet_prompt(Prompt("p", ask), "p").wire.values():
        assert form == {"arguments": [{"name": "who", "required": True}, {"name": "times", "required": False}]}


def test_a_prompt_without_arguments_lists_none() -> None:
    for prompt in (raw_prompt(), Prompt("p", nothing)):
        assert vet_prompt(prompt, "p").wire == {LEGACY: {}, MODERN: {}}


@pytest.mark.parametrize("annotation", [list[int], dict[str, str], Argument], ids=str)
def test_a_parameter_that_no_text_can_be_read_into_is_refused(annotation: Any) -> None:
    def ask(a: Any) -> str:
        return ""

    ask.__annotations__["a"] = annotation
    assert "a" in prompt_refusal(Prompt("p", ask))


# Resources


def fixed(**members: Any) -> Resource:
    return Resource(**{"uri": "note://today", "handler": nothing, "name": "today", **members})


def with_day(day: str) -> str:
    return day


def template(**members: Any) -> ResourceTemplate:
    return ResourceTemplate(**{"uri_template": "note://{day}", "handler": with_day, "name": "note", **members})


def resource_refusal(item: Resource | ResourceTemplate) -> str:
    with pytest.raises(VettingError) as caught:
        vet_resource(item, item.key)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 500
    return text


@pytest.mark.parametrize(
    "uri", ["note://today", "a:b", "x-y.z+1:ü", "urn:isbn:123", "file:///a/%20b", "note://工具", "ui://x?y=z#w"]
)
def test_an_address_with_a_scheme_is_listed(uri: str) -> None:
    vetted = vet_resource(fixed(uri=uri), uri)
    for version in (LEGACY, MODERN):
        assert listed("resources/list", "resources", [{"uri": uri, **vetted.wire[version]}], version)[0]["uri"] == uri


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "today",
        "/a",
        "note:",
        ":x",
        "1a:b",
        "a b:c",
        "note:// x",
        "note://\n",
        "note://\x00",
        "note://\ud800",
        "note://" + "x" * 9000,
    ],
)
def test_what_is_no_address_is_told(uri: str) -> None:
    assert resource_refusal(fixed(uri=uri)).startswith("uri: ")


RESOURCE_FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("name", {"name": ""}),
    ("name", {"name": None}),
    ("name", {"name": 5}),
    ("name", {"name": "\ud800"}),
    ("description", {"description": 5}),
    ("title", {"title": 5}),
    ("mime_type", {"mime_type": 5}),
    ("mimeType", {"mime_type": "\ud800"}),
    ("annotations", {"annotations": "x"}),
    ("annotations", {"annotations": {"priority": "high"}}),
    ("annotations", {"annotations": {"audience": "everyone"}}),
    ("meta", {"meta": []}),
    ("time_limit", {"time_limit": 0}),
    ("handler", {"handler": None}),
    ("handler", {"handler": lambda x: ""}),
]


@pytest.mark.parametrize(("named", "members"), RESOURCE_FAULTS, ids=lambda value: repr(value)[:60])
@pytest.mark.parametrize("make", [fixed, template])
def test_every_fault_of_a_resource_alone_is_refused_with_its_field(
    make: Callable[..., Any], named: str, members: dict[str, Any]
) -> None:
    assert resource_refusal(make(**members)).partition(":")[0].partition(".")[0] == named


@pytest.mark.parametrize(
    ("named", "item"),
    [
        ("size", fixed(size="big")),
        ("size", fixed(size=1.5)),
        ("handler", fixed(handler=with_day)),
        ("uri_template", template(uri_template="note://today")),
        ("uri_template", template(uri_template="note://{day")),
        ("uri_template", template(uri_template="note://{}")),
        ("uri_template", template(uri_template="{day}")),
        ("handler", template(uri_template="note://{other}")),
        ("handler", template(uri_template="note://{day}/{more}")),
        ("handler", template(handler=nothing)),
        ("complete", template(complete={"other": len})),
        ("complete", template(complete={"day": 5})),
        ("complete", template(complete=5)),
    ],
    ids=repr,
)
def test_faults_that_only_one_kind_of_resource_can_have_are_told(named: str, item: Any) -> None:
    assert resource_refusal(item).partition(":")[0] == named


def test_a_resource_and_a_template_are_listed_as_given() -> None:
    members: dict[str, Any] = {
        "description": "D.",
        "title": "T",
        "mime_type": "text/plain",
        "annotations": {"audience": ["assistant"], "priority": 0.5},
        "meta": {"a": 1},
    }
    wire = {
        "description": "D.",
        "title": "T",
        "mimeType": "text/plain",
        "annotations": members["annotations"],
        "_meta": {"a": 1},
    }
    for form in vet_resource(fixed(size=0, **members), "note://today").wire.values():
        assert form == {"name": "today", "size": 0, **wire}
    vetted = vet_resource(template(**members), "note://{day}")
    for form in vetted.wire.values():
        assert form == {"name": "note", **wire}
    assert vetted.template.match("note://monday") == {"day": "monday"}


def test_a_resource_may_have_parameters_with_defaults_and_a_context() -> None:
    def function(ctx: CallContext, more: int = 1) -> str:
        return ""

    vet_resource(fixed(handler=function), "note://today")
    vet_resource(template(handler=with_day_and_more), "note://{day}")


def with_day_and_more(day: str, ctx: CallContext, more: int = 1) -> str:
    return day


@given(uri=st.text(max_size=8) | st.text(max_size=6).map(lambda text: f"note:{text}"))
def test_whatever_comes_as_an_address_is_refused_or_can_be_listed(uri: str) -> None:
    for item, method, member, key in (
        (fixed(uri=uri), "resources/list", "resources", "uri"),
        (template(uri_template=f"{uri}{{day}}"), "resources/templates/list", "resourceTemplates", "uriTemplate"),
    ):
        try:
            vetted = vet_resource(item, item.key)
        except VettingError:
            continue
        for version in (LEGACY, MODERN):
            sent = listed(method, member, [{key: item.key, **vetted.wire[version]}], version)
            json.dumps(sent, ensure_ascii=False).encode()


# What a tool requires, and arguments that come as headers


@pytest.mark.parametrize(
    "requires", ["sampling", ["sampling"], ("Sampling",), ("sampling", "telepathy"), (1,), ("elicitation.",)]
)
def test_a_tool_that_requires_what_no_client_can_declare_is_quarantined(requires: Any) -> None:
    assert refusal(raw(requires=requires)).startswith("requires: ")


def with_header(annotation: Any, **member: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": annotation, **member}}}


def test_a_tool_whose_arguments_come_as_headers_keeps_its_schema() -> None:
    schema = with_header("Region")
    vetted = vet_tool(raw(input_schema=schema), "t")
    assert vetted.headers == schema
    assert vetted.wire[MODERN]["inputSchema"] == vetted.wire[LEGACY]["inputSchema"] == schema


def test_a_typed_tool_can_have_arguments_that_come_as_headers() -> None:
    @tool
    def route(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
        return region

    assert vet_tool(route, "route").headers == vet_tool(route, "route").wire[MODERN]["inputSchema"]


def test_tools_without_such_arguments_cost_no_comparison() -> None:
    named = {"type": "object", "properties": {"x-mcp-header": {"type": "string"}}}
    assert vet_tool(raw(), "t").headers is None
    assert vet_tool(raw(input_schema=named), "t").headers is None


@pytest.mark.parametrize(
    "schema",
    [
        with_header(""),
        with_header("Re gion"),
        with_header(7),
        with_header("Region", type="number"),
        with_header("Region", type="array"),
        {**with_header("Region"), "x-mcp-header": "Root"},
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}},
        {
            "type": "object",
            "properties": {
                "a": {"type": "string", "x-mcp-header": "A"},
                "b": {"type": "string", "x-mcp-header": "a"},
            },
        },
    ],
)
def test_a_header_that_clients_refuse_quarantines_its_tool(schema: dict[str, Any]) -> None:
    assert re.match("input_schema: .*x-mcp-header", refusal(raw(input_schema=schema)))
