"""The arguments of a tool, against its schema, and what a model is told."""

from __future__ import annotations

from typing import Any

import pytest
from agenthost_skillcentral.checking import check
from jsonschema import Draft202012Validator

COMMIT = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "enum": ["feat", "fix"]},
        "scope": {"type": "string"},
        "summary": {"type": "string", "minLength": 1, "maxLength": 10},
        "issues": {"type": "array", "items": {"type": "integer"}},
        "author": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        "note": {"type": ["string", "null"]},
    },
    "required": ["type", "summary"],
    "additionalProperties": False,
}


def faults(arguments: dict[str, Any], schema: dict[str, Any] = COMMIT) -> tuple[str, ...]:
    return check(schema, arguments).faults


def test_s22_right_arguments_have_no_faults() -> None:
    assert faults({"type": "feat", "scope": "cli", "summary": "s", "issues": [1], "author": {"name": "n"}}) == ()


def test_s23_a_missing_argument_is_named() -> None:
    assert faults({"type": "feat"}) == ('Missing required argument: "summary"',)
    assert faults({"type": "feat", "summary": None}) == ('Missing required argument: "summary"',)


def test_s24_missing_arguments_come_in_the_order_of_the_schema() -> None:
    assert faults({}) == ('Missing required argument: "type"', 'Missing required argument: "summary"')


def test_s25_a_wrong_type_names_both_types() -> None:
    assert faults({"type": 5, "summary": "s"}) == ('Argument "type" expected string, got number',)


def test_missing_ones_come_before_wrong_types_in_the_order_given_and_other_faults_last() -> None:
    assert faults({"note": 1, "scope": {}, "type": "x", "issues": "1"}) == (
        'Missing required argument: "summary"',
        'Argument "note" expected string or null, got number',
        'Argument "scope" expected string, got object',
        'Argument "issues" expected array, got string',
        'Argument "type" expected one of "feat", "fix", got "x"',
    )


@pytest.mark.parametrize(
    ("value", "fault"),
    [(2.0, None), (2, None), (1.5, "number"), (True, "boolean"), ("2", "string"), ([2], "array"), ({}, "object")],
)
def test_s26_two_point_zero_is_an_integer_and_true_is_none(value: Any, fault: str | None) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert faults({"n": value}, schema) == ((f'Argument "n" expected integer, got {fault}',) if fault else ())


def test_numbers_and_booleans_are_different() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "number"}, "b": {"type": "boolean"}}}
    assert faults({"n": 1.5, "b": False}, schema) == ()
    assert faults({"n": False, "b": 0}, schema) == (
        'Argument "n" expected number, got boolean',
        'Argument "b" expected boolean, got number',
    )


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"type": "x"}, 'Argument "type" expected one of "feat", "fix", got "x"'),
        ({"summary": "far too long"}, 'Argument "summary" has to have at most 10 characters'),
        ({"summary": ""}, 'Argument "summary" has to have at least 1 characters'),
        ({"scopes": 1}, 'Unknown argument: "scopes"'),
        ({"issues": [1, "2"]}, 'Argument "issues[1]" expected integer, got string'),
        ({"author": {}}, 'Missing required argument: "author.name"'),
        ({"author": {"name": 1}}, 'Argument "author.name" expected string, got number'),
    ],
)
def test_s27_every_keyword_counts_and_the_argument_is_named(arguments: dict[str, Any], fault: str) -> None:
    assert faults({"type": "feat", "summary": "s", **arguments}) == (fault,)


def test_s28_a_union_of_types_takes_each_of_them() -> None:
    right = {"type": "feat", "summary": "s"}
    assert faults({**right, "note": None}) == faults({**right, "note": "n"}) == ()
    assert faults({**right, "note": 5}) == ('Argument "note" expected string or null, got number',)


def test_s29_an_optional_argument_that_is_null_is_left_out_unless_null_is_a_value_of_it() -> None:
    checked = check(COMMIT, {"type": "feat", "summary": "s", "scope": None, "note": None})
    assert checked.faults == ()
    assert checked.arguments == {"type": "feat", "summary": "s", "note": None}
    by_reference = {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "null"}}}
    assert check(by_reference, {"a": None}).arguments == {"a": None}


def test_alternatives_are_explained() -> None:
    schema = {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"minimum": 5, "type": "number"}]}}}
    assert faults({"a": 1}, schema) == (
        'Argument "a" fits no alternative: Argument "a" expected string, got number; Argument "a" has to be at least 5',
    )
    schema = {"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}, {"minLength": 1}]}}}
    assert faults({"a": "x"}, schema) == ('Argument "a" fits several alternatives, one is allowed',)


def test_what_another_argument_makes_necessary_is_missing() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
    }
    assert faults({"a": "x"}, schema) == ('Missing required argument: "b"',)
    assert faults({}, schema) == ()


@pytest.mark.parametrize("reference", ["#", "https://example.com/schema", "#/$defs/none"])
def test_a_schema_that_cannot_be_used_is_an_error_and_nothing_is_fetched(reference: str) -> None:
    told = faults({"a": 1}, {"type": "object", "$ref": reference})
    assert len(told) == 1
    assert told[0].startswith("The schema of this tool cannot be used")


def test_every_keyword_of_the_draft_has_words_that_name_the_argument() -> None:
    schemas = {
        "const": ({"const": 1}, 2),
        "contains": ({"contains": {"type": "string"}}, [1]),
        "dependentRequired": ({"dependentRequired": {"x": ["y"]}}, {"x": 1}),
        "exclusiveMaximum": ({"exclusiveMaximum": 1}, 1),
        "maxProperties": ({"maxProperties": 0}, {"x": 1}),
        "multipleOf": ({"multipleOf": 2}, 3),
        "not": ({"not": {"type": "string"}}, "x"),
        "pattern": ({"pattern": "^a$"}, "b"),
        "propertyNames": ({"propertyNames": {"maxLength": 1}}, {"long": 1}),
        "uniqueItems": ({"uniqueItems": True}, [1, 1]),
        "unevaluatedItems": ({"prefixItems": [True], "unevaluatedItems": False}, [1, 2]),
        "false": (False, 1),
    }
    for keyword, (schema, value) in schemas.items():
        told = faults({"a": value}, {"type": "object", "properties": {"a": schema}})
        assert told, keyword
        assert all("argument" in line.lower() for line in told), told


def test_the_examples_here_are_schemas() -> None:
    Draft202012Validator.check_schema(COMMIT)
