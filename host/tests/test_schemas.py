"""The plain form of schemas: what several clients refuse or rename is said plainly, and nothing else is changed."""

from __future__ import annotations

import copy
import re
from typing import Any

import jsonschema
import pytest
from agenthost.schemas import map_subschemas, plain_schema
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel


def test_titles_of_schemas_go_and_properties_called_title_stay() -> None:
    schema = {
        "title": "T",
        "type": "object",
        "properties": {
            "title": {"title": "Title", "type": "string", "default": {"title": "kept"}},
            "default": {"type": "string", "examples": [{"title": "kept"}], "title": "x"},
        },
        "required": ["title"],
    }
    assert plain_schema(schema) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "default": {"title": "kept"}},
            "default": {"type": "string", "examples": [{"title": "kept"}]},
        },
        "required": ["title"],
    }


def test_references_are_inlined_with_what_stands_beside_them() -> None:
    schema = {
        "$defs": {
            "Inner": {
                "title": "Inner",
                "type": "object",
                "description": "Of the type.",
                "properties": {"x": {"$ref": "#/$defs/X"}},
            },
            "X": {"type": "integer"},
        },
        "properties": {
            "a": {"$ref": "#/$defs/Inner"},
            "b": {"$ref": "#/$defs/Inner", "description": "Of the field."},
            "c": {"items": {"$ref": "#/$defs/X"}, "type": "array"},
            "d": {"additionalProperties": {"$ref": "#/$defs/X"}, "type": "object"},
        },
    }
    inner = {"type": "object", "description": "Of the type.", "properties": {"x": {"type": "integer"}}}
    assert plain_schema(schema) == {
        "properties": {
            "a": inner,
            "b": {**inner, "description": "Of the field."},
            "c": {"items": {"type": "integer"}, "type": "array"},
            "d": {"additionalProperties": {"type": "integer"}, "type": "object"},
        }
    }


def test_a_root_reference_is_inlined() -> None:
    assert plain_schema({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}) == {"type": "object"}


def test_a_recursive_type_keeps_only_the_definitions_that_it_needs() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "leaf": {"$ref": "#/$defs/Leaf"}}}
    schema = {
        "$defs": {"Node": node, "Leaf": {"title": "Leaf", "type": "string"}, "Unused": {"type": "null"}},
        "properties": {"n": {"$ref": "#/$defs/Node"}},
    }
    inlined = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "leaf": {"type": "string"}}}
    assert plain_schema(schema) == {"$defs": {"Node": inlined}, "properties": {"n": inlined}}


GRAPHS = st.fixed_dictionaries(
    {
        name: st.dictionaries(st.sampled_from("abc"), st.sampled_from(["A", "B", "C", "D", ""]), max_size=3)
        for name in "ABCD"
    }
)
"""Object types whose members are each of one of the types, or an integer."""

TREES = st.recursive(
    st.integers(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=9
)


@given(graph=GRAPHS, tree=TREES)
def test_types_that_are_recursive_through_each_other_mean_the_same_and_resolve_completely(
    graph: dict[str, dict[str, str]], tree: Any
) -> None:
    schema = {
        "$defs": {
            name: {
                "type": "object",
                "properties": {
                    key: {"$ref": f"#/$defs/{kind}"} if kind else {"type": "integer"} for key, kind in members.items()
                },
            }
            for name, members in graph.items()
        },
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}},
    }
    plain = plain_schema(schema)
    for name in set(re.findall(r"#/\$defs/(\w)", str(plain))):
        assert name in plain["$defs"]
    assert jsonschema.Draft202012Validator(plain).is_valid(tree) == jsonschema.Draft202012Validator(schema).is_valid(
        tree
    )


def test_a_value_that_may_be_null_has_its_plain_type_in_an_input_schema() -> None:
    optional = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None, "description": "D."}
    assert plain_schema(optional) == {"type": "integer", "minimum": 1, "description": "D."}
    several = {"anyOf": [{"type": "integer"}, {"type": "null"}, {"type": "string"}]}
    assert plain_schema(several) == {"anyOf": [{"type": "integer"}, {"type": "string"}]}


def test_an_output_schema_says_what_may_be_null() -> None:
    optional = {"properties": {"x": {"title": "X", "anyOf": [{"type": "integer"}, {"type": "null"}]}}}
    assert plain_schema(optional, keep_null=True) == {
        "properties": {"x": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}
    }


def test_an_optional_reference_is_inlined_into_the_property() -> None:
    schema = {
        "$defs": {"A": {"type": "object", "description": "A."}},
        "properties": {"a": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "description": "Mine."}},
    }
    assert plain_schema(schema) == {"properties": {"a": {"type": "object", "description": "Mine."}}}


def test_defaults_stay_unless_they_are_null() -> None:
    schema = {
        "properties": {name: {"default": value} for name, value in (("a", 0), ("b", False), ("c", ""), ("d", None))}
    }
    assert plain_schema(schema) == {
        "properties": {"a": {"default": 0}, "b": {"default": False}, "c": {"default": ""}, "d": {}}
    }


def test_what_allows_anything_further_says_nothing_and_what_allows_nothing_says_so() -> None:
    assert plain_schema({"type": "object", "additionalProperties": True}) == {"type": "object"}
    assert plain_schema({"type": "object", "additionalProperties": False}) == {
        "type": "object",
        "additionalProperties": False,
    }


def test_every_array_says_what_its_items_are() -> None:
    assert plain_schema({"type": "array"}) == {"type": "array", "items": {}}
    assert plain_schema({"type": "array", "items": {"type": "string"}}) == {
        "type": "array",
        "items": {"type": "string"},
    }
    fixed = plain_schema({"type": "array", "prefixItems": [{"type": "integer"}], "minItems": 1, "maxItems": 1})
    assert fixed["items"] == {}


def test_a_discriminated_union_leaves_no_dangling_reference() -> None:
    schema = {
        "$defs": {"A": {"properties": {"k": {"const": "a"}}}, "B": {"properties": {"k": {"const": "b"}}}},
        "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
        "discriminator": {"mapping": {"a": "#/$defs/A"}, "propertyName": "k"},
    }
    assert plain_schema(schema) == {
        "anyOf": [{"properties": {"k": {"const": "a"}}}, {"properties": {"k": {"const": "b"}}}]
    }


@pytest.mark.parametrize("place", ["properties", "patternProperties", "$defs", "dependentSchemas"])
def test_subschemas_in_maps_are_reached(place: str) -> None:
    assert map_subschemas({place: {"a": 1, "b": 2}}, lambda sub: sub + 1) == {place: {"a": 2, "b": 3}}


@pytest.mark.parametrize("place", ["anyOf", "allOf", "oneOf", "prefixItems"])
def test_subschemas_in_lists_are_reached(place: str) -> None:
    assert map_subschemas({place: [1, 2]}, lambda sub: sub + 1) == {place: [2, 3]}


@pytest.mark.parametrize(
    "place", ["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"]
)
def test_single_subschemas_are_reached(place: str) -> None:
    assert map_subschemas({place: {}}, lambda _: "changed") == {place: "changed"}
    assert map_subschemas({place: False}, lambda _: "changed") == {place: False}


@pytest.mark.parametrize("place", ["default", "const", "enum", "examples", "x-own", "required", "description"])
def test_values_that_are_no_schemas_are_left_alone(place: str) -> None:
    value = [{"title": "kept", "$ref": "#/$defs/Nowhere"}]
    assert plain_schema({place: value}) == {place: value}


def test_the_given_schema_is_not_changed() -> None:
    class Model(BaseModel):
        x: int | None = None
        y: list[Model] = []

    schema = Model.model_json_schema()
    before = copy.deepcopy(schema)
    plain_schema(schema)
    plain_schema(schema, keep_null=True)
    assert schema == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "title", "type"]), inner, max_size=3)
    ),
    max_leaves=8,
)

SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["integer", "string", "object", "array", "null"]),
            "title": st.text(max_size=3),
            "default": JSON,
            "minimum": st.integers(),
            "enum": st.lists(JSON, min_size=1, max_size=2),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "title": st.just("T"),
            "properties": st.dictionaries(st.sampled_from(["a", "title", "default"]), inner, max_size=2),
            "additionalProperties": inner | st.booleans(),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
        },
    ),
    max_leaves=6,
)


@given(schema=SCHEMAS, value=JSON)
def test_the_plain_form_with_null_accepts_exactly_what_the_original_accepts(schema: dict[str, Any], value: Any) -> None:
    plain = plain_schema(schema, keep_null=True)
    jsonschema.Draft202012Validator.check_schema(plain)
    assert jsonschema.Draft202012Validator(plain).is_valid(value) == jsonschema.Draft202012Validator(schema).is_valid(
        value
    )


@given(schema=SCHEMAS)
def test_making_the_plain_form_plain_again_changes_nothing(schema: dict[str, Any]) -> None:
    plain = plain_schema(schema)
    assert plain_schema(plain) == plain
