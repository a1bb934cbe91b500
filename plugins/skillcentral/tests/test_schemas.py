"""Which schemas are taken: those of the draft's metaschema that can be used."""

from __future__ import annotations

from typing import Any

import pytest
from agenthost_skillcentral.schemas import _KEYWORDS, faults_of
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.sampled_from([1.0, 0.5, "object", "string", "a", "[", "#", "#/properties", "a b", "https://example.com/x#y"]),
    st.lists(st.sampled_from(["a", "b", "string", "null", 1, True, {"type": "string"}]), max_size=2),
    st.dictionaries(st.sampled_from(["a", "["]), st.sampled_from([True, 1, {"type": "x"}, ["a"], "a"]), max_size=2),
)
SCHEMAS = st.recursive(
    st.booleans() | st.dictionaries(st.sampled_from([*_KEYWORDS, "const", "default", "mine"]), VALUES, max_size=3),
    lambda inner: st.dictionaries(
        st.sampled_from(["items", "not", "allOf", "properties", "$defs", "additionalProperties", "anyOf"]),
        st.one_of(inner, st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)),
        max_size=2,
    ),
    max_leaves=5,
)


@settings(deadline=None)
@given(SCHEMAS)
def test_what_is_taken_is_taken_by_the_metaschema_too(schema: Any) -> None:
    if not faults_of(schema):
        Draft202012Validator.check_schema(schema)


@settings(deadline=None)
@given(SCHEMAS)
def test_what_the_metaschema_takes_is_refused_only_for_its_references(schema: Any) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return
    for path, _ in faults_of(schema):
        assert path[-1] in {"$ref", "$dynamicRef", "$recursiveRef", "$id", "$vocabulary", "$schema", "["}


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"properties": {"y": 5}}, ("properties", "y")),
        ({"required": "x"}, ("required",)),
        ({"required": ["x", "x"]}, ("required",)),
        ({"properties": {"a": {"items": {"type": "text"}}}}, ("properties", "a", "items", "type")),
        ({"properties": {"a": {"pattern": "("}}}, ("properties", "a", "pattern")),
        ({"properties": {"a": {"minLength": -1}}}, ("properties", "a", "minLength")),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, ("properties", "a", "$ref")),
        ({"properties": {"a": {"$ref": "https://example.com/b"}}}, ("properties", "a", "$ref")),
        ({"anyOf": []}, ("anyOf",)),
        ({"items": [{"type": "string"}]}, ("items",)),
    ],
)
def test_s35_a_fault_is_found_where_it_is(schema: Any, path: tuple[str, ...]) -> None:
    assert [found for found, _ in faults_of(schema)] == [path]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"x": True, "y": {"$ref": "#/$defs/a%20b~1c"}}, "$defs": {"a b/c": {"type": "string"}}},
        {"properties": {"x": {"$ref": "#here"}}, "$defs": {"b": {"$anchor": "here"}}},
        {"properties": {"child": {"$ref": "#"}}},
        {"properties": {"$ref": {"type": "string"}, "enum": {"type": "integer"}, "required": {"type": "array"}}},
        {"properties": {"x": {"default": {"$ref": "nothing"}, "enum": [{"$ref": 1}], "x-mine": 5}}},
        {"oneOf": [{"$ref": "#/oneOf/1"}, {"type": "object"}]},
    ],
)
def test_what_can_be_used_is_taken(schema: Any) -> None:
    assert faults_of(schema) == []
