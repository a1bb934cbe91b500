"""The rules of a definition, without a server: what is accepted stays equal, what is wrong has a place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agenthost_void.definitions import KEYS, RESERVED, Definition, read_array, read_item
from agenthost_void.strict_json import MAX_DEPTH
from hypothesis import example, given, settings
from hypothesis import strategies as st

SCHEMA: dict[str, Any] = {"type": "object"}
GOOD: dict[str, Any] = {"name": "t", "inputSchema": SCHEMA, "result": "r"}


def faults_of(item: Any) -> list[str]:
    parsed = read_item(item)
    assert (parsed.definition is None) == bool(parsed.faults)
    return [str(fault) for fault in parsed.faults]


def only_fault(item: Any) -> str:
    [fault] = faults_of(item)
    return fault


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name != key}


def with_schema(schema: Any) -> dict[str, Any]:
    return {**GOOD, "inputSchema": schema}


def test_a_definition_is_read_as_it_is_written() -> None:
    [item], faults = read_array(json.dumps([{**GOOD, "description": "d"}]))
    assert faults == []
    assert item.definition == Definition("t", SCHEMA, "r", "d")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "must be an array of definitions, not an object"),
        ('"text"', "must be an array of definitions, not a text"),
        ("5", "must be an array of definitions, not a number"),
        ("null", "must be an array of definitions, not null"),
        ("true", "must be an array of definitions, not a boolean"),
        ("", "is not JSON: Expecting value (line 1, column 1)"),
        ('[{"name": "t",}]', "is not JSON: "),
        ("[] []", "is not JSON: Extra data"),
        ("[" * 100_000, "is nested deeper than"),
        (f"[{'9' * 5000}]", "holds a number with thousands of digits"),
    ],
)
def test_v15_a_document_that_is_no_array_of_definitions_is_refused_as_a_whole(text: str, told: str) -> None:
    items, [fault] = read_array(text)
    assert items == []
    assert told in str(fault)


@pytest.mark.parametrize("item", [5, "t", None, True, [GOOD]])
def test_v15_an_item_that_is_no_object_is_refused(item: Any) -> None:
    assert "must be an object with name, inputSchema and result" in only_fault(item)


@pytest.mark.parametrize("name", ["", "x" * 129, "a b", "é", "a/b", "a\n", "a:b", "\uff41", "\u0663"])
def test_v16_a_name_of_other_characters_or_length_is_refused(name: str) -> None:
    assert only_fault({**GOOD, "name": name}) == "name: must be 1 to 128 characters of A-Z a-z 0-9 _ - ."


@pytest.mark.parametrize("name", [None, 5, ["t"], {"t": 1}, True])
def test_v16_a_name_that_is_no_text_is_refused(name: Any) -> None:
    assert only_fault({**GOOD, "name": name}).startswith("name: must be a text, not ")


@pytest.mark.parametrize("name", ["x" * 128, ".", "-", "_", "A.b-c_1", "A", "a"])
def test_v17_a_name_of_these_characters_and_length_is_accepted(name: str) -> None:
    assert faults_of({**GOOD, "name": name}) == []


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({}, "inputSchema.type: must be exactly"),
        ({"type": "array"}, "inputSchema.type: must be exactly"),
        ({"type": ["object"]}, "inputSchema.type: must be exactly"),
        ({"type": "Object"}, "inputSchema.type: must be exactly"),
        (True, "inputSchema: must be an object, a JSON Schema, not a boolean"),
        (None, "inputSchema: must be an object, a JSON Schema, not null"),
        ('{"type": "object"}', "inputSchema: must be an object, a JSON Schema, not a text"),
    ],
)
def test_v18_a_schema_without_an_object_root_is_refused(schema: Any, fault: str) -> None:
    assert only_fault(with_schema(schema)).startswith(fault)


def test_v18_a_missing_schema_is_refused() -> None:
    assert only_fault(without("inputSchema")) == "inputSchema: is missing"


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"properties": {"a": 5}}, "inputSchema.properties.a"),
        ({"properties": ["a"]}, "inputSchema.properties"),
        ({"required": "a"}, "inputSchema.required"),
        ({"required": ["a", 1]}, "inputSchema.required[1]"),
        ({"properties": {"a": {"type": "strnig"}}}, "inputSchema.properties.a.type"),
        ({"$defs": {"two words": {"minLength": -1}}}, 'inputSchema.$defs["two words"].minLength'),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "required": []}, "inputSchema.required"),
        ({"$schema": 5}, "inputSchema.$schema"),
        ({"$schema": "https://example.com/mine"}, "inputSchema.$schema"),
        ({"x-a": None}, "inputSchema.x-a"),
        ({"required": None}, "inputSchema.required"),
    ],
)
def test_v19_a_schema_that_is_not_valid_or_would_break_a_list_is_refused(members: dict[str, Any], place: str) -> None:
    assert only_fault(with_schema({**SCHEMA, **members})).startswith(f"{place}: ")


def test_v19_everything_wrong_with_a_schema_is_told_at_once() -> None:
    schema = {"type": "array", "properties": {"a": 5}, "required": "a", "x": None}
    assert [fault.partition(": ")[0] for fault in faults_of(with_schema(schema))] == [
        "inputSchema.type",
        "inputSchema.x",
        "inputSchema.properties.a",
        "inputSchema.required",
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": True, "b": {}}, "required": ["a"], "additionalProperties": False},
        {"$defs": {"x": {"type": "string"}}, "oneOf": [{"$ref": "#/$defs/x"}, {"$ref": "nowhere"}], "x-a": {"b": None}},
        {"examples": [{"é": "日本"}, None], "properties": {"p": {"pattern": "(?<name>\\p{L}"}}},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "unevaluatedProperties": False},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"x": True}},
        {"$schema": "http://json-schema.org/draft-04/schema", "minimum": 1, "exclusiveMinimum": True},
        {"default": {"n": 10**30, "f": 1.5e-7}},
    ],
)
def test_v02_an_unusual_schema_that_is_valid_is_kept_as_it_is(schema: dict[str, Any]) -> None:
    schema = {"type": "object", **schema}
    [item], _ = read_array(json.dumps([with_schema(schema)]))
    assert item.definition is not None
    assert item.definition.input_schema == schema
    assert list(item.definition.input_schema) == list(schema)


@pytest.mark.parametrize("value", [None, 5, {"a": 1}, ["r"], False])
def test_v20_a_result_that_is_no_text_is_refused_and_not_quoted(value: Any) -> None:
    assert only_fault({**GOOD, "result": value}).startswith("result: must be a text, maybe empty, not ")


def test_v20_a_missing_result_is_refused_and_an_empty_one_is_not() -> None:
    assert only_fault(without("result")) == "result: is missing"
    assert faults_of({**GOOD, "result": ""}) == []


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("input_schema", ", did you mean inputSchema?"),
        ("outputSchema", ""),
        ("foo", ". "),
        ("Name", ", did you mean name?"),
    ],
)
def test_v21_an_unknown_key_is_refused_with_its_index_and_the_nearest_key(key: str, hint: str) -> None:
    items, _ = read_array(json.dumps([GOOD, {**GOOD, key: 1}]))
    [fault] = [str(fault) for item in items for fault in item.faults]
    assert fault.startswith(f"[1].{key}: unknown key{hint}")
    assert fault.endswith(f"A definition has {', '.join(KEYS)}")


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_v22_a_reserved_name_is_refused(name: str) -> None:
    assert only_fault({**GOOD, "name": name}) == f"name: {name} is reserved for void itself; choose another name"


@pytest.mark.parametrize("value", [None, 5, ["d"]])
def test_a_description_that_is_no_text_is_refused(value: Any) -> None:
    assert only_fault({**GOOD, "description": value}).startswith("description: must be a text")


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ('"name": "t", "name": "u"', "[0].name: stands twice"),
        ('"inputSchema": {"type": "object", "x": {"k": 1, "k": 1}}', "[0].inputSchema.x.k: stands twice"),
        ('"inputSchema": {"type": "object", "maximum": NaN}', "[0].inputSchema.maximum: is not a number that"),
        ('"inputSchema": {"type": "object", "x": [-Infinity]}', "[0].inputSchema.x[0]: is not a number that"),
        ('"inputSchema": {"type": "object", "x": 1e999}', "[0].inputSchema.x: is not a number that"),
        (f'"inputSchema": {{"type": "object", "x": 1{"0" * 400}}}', "[0].inputSchema.x: is not a number that"),
        (r'"result": "\ud800"', "[0].result: holds half of a surrogate pair"),
        (r'"description": "a\udfffb"', "[0].description: holds half of a surrogate pair"),
        (r'"inputSchema": {"type": "object", "\ud800": 1}', r'[0].inputSchema["\ud800"]: holds half'),
        (f'"inputSchema": {"""{"a":""" * 200}1{"}" * 200}', f"[0]: is nested deeper than {MAX_DEPTH} levels"),
    ],
)
def test_json_that_readers_take_differently_is_refused(written: str, place: str) -> None:
    members = {key: f'"{key}": {json.dumps(value)}' for key, value in GOOD.items()}
    members[written.partition(":")[0].strip('"')] = written
    [item], faults = read_array(f"[{{{', '.join(members.values())}}}]")
    assert faults == []
    assert any(str(fault).startswith(place) for fault in item.faults), item.faults


def test_every_fault_of_every_item_is_told() -> None:
    items, _ = read_array('[{"name": "a b", "foo": 1}, 5, {"name": "t", "inputSchema": {"type": "object"}}]')
    assert [str(fault).partition(":")[0] for item in items for fault in item.faults] == [
        "[0].foo",
        "[0].inputSchema",
        "[0].result",
        "[0].name",
        "[1]",
        "[2].result",
    ]


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
ANY_JSON = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)
ALMOST = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text() | ANY_JSON,
        "description": st.text() | ANY_JSON,
        "inputSchema": st.dictionaries(st.sampled_from(["type", "$schema", "properties", "required", "x"]), ANY_JSON),
        "result": st.text() | ANY_JSON,
        "foo": ANY_JSON,
    },
)


@settings(deadline=None, max_examples=200)
@given(st.text() | ANY_JSON.map(json.dumps) | st.lists(ALMOST | ANY_JSON).map(json.dumps))
@example("[NaN, -0, 1E400]")
@example('[{"inputSchema": {"$schema": "file:///etc/passwd", "type": "object"}}]')
def test_any_text_is_read_or_has_faults_and_never_raises(text: str) -> None:
    items, faults = read_array(text)
    for fault in (*faults, *(fault for item in items for fault in item.faults)):
        assert fault.text
        assert "\n" not in str(fault)
        str(fault).encode()
    assert all((item.definition is None) == bool(item.faults) for item in items)


FINITE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
ANYTHING = st.recursive(FINITE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
EXTENSIONS = st.dictionaries(st.text().map("x-{}".format), ANYTHING.filter(lambda value: value is not None))
PROPERTIES = st.dictionaries(st.text(), st.booleans() | EXTENSIONS)


@settings(deadline=None, max_examples=50)
@given(EXTENSIONS, PROPERTIES, st.text(), st.none() | st.text())
def test_an_accepted_definition_is_equal_to_what_was_written(
    extensions: dict[str, Any], properties: dict[str, Any], result: str, description: str | None
) -> None:
    schema = {**extensions, "type": "object", "properties": properties, "required": sorted(properties)}
    written = {**with_schema(schema), "result": result}
    if description is not None:
        written["description"] = description
    for ensure_ascii in (True, False):
        [item], faults = read_array(json.dumps([written], ensure_ascii=ensure_ascii))
        assert faults == []
        assert item.faults == ()
        assert item.definition == Definition("t", schema, result, description)
