"""Arguments of typed tools: strictly JSON, forgiving where models and clients are known to slip, clear when wrong."""

from __future__ import annotations

import datetime
import enum
import json
import math
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from agenthost import CallContext, ToolError
from agenthost.calls.arguments import check_arguments
from agenthost.signatures import Signature, read_signature
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter
from typing_extensions import TypedDict


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Item(BaseModel):
    name: str
    count: int = 1
    tags: list[int] = []


@dataclass
class Point:
    x: float
    y: float


class Options(TypedDict, total=False):
    width: int


class Node(BaseModel):
    value: int
    children: list[Node] = []


def taking(annotation: Any, default: Any = ...) -> Signature:
    """The signature of `def tool(x: annotation)`."""

    def function(x: Any) -> str:
        return ""

    function.__annotations__["x"] = annotation
    if default is not ...:
        function.__defaults__ = (default,)
    return read_signature(function)


def check(annotation: Any, value: Any) -> Any:
    return check_arguments("t", taking(annotation), {"x": value})["x"]


def refusal(signature: Signature, arguments: dict[str, Any]) -> str:
    with pytest.raises(ToolError) as caught:
        check_arguments("t", signature, arguments)
    return str(caught.value)


# What is accepted


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (str, "text", "text"),
        (str, "", ""),
        (str, "ünï\u2028\U0001f600\x00", "ünï\u2028\U0001f600\x00"),
        (int, 5, 5),
        (int, 0, 0),
        (int, -(2**70), -(2**70)),
        (int, 10**400, 10**400),
        (float, 1.5, 1.5),
        (float, 2, 2.0),
        (bool, True, True),
        (list[int], [1, 2], [1, 2]),
        (list, [], []),
        (set[int], [1, 1], {1}),
        (tuple[int, str], [1, "a"], (1, "a")),
        (tuple[int, ...], [1, 2], (1, 2)),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (dict, {}, {}),
        (Any, {"a": [None, 1.5, "x"]}, {"a": [None, 1.5, "x"]}),
        (int | None, None, None),
        (int | None, 5, 5),
        (Item | None, None, None),
        (Literal["a", "b"], "b", "b"),
        (Literal[1, 2], 2, 2),
        (Colour, "red", Colour.RED),
        (Item, {"name": "n"}, Item(name="n")),
        (Item, {"name": "n", "tags": [1]}, Item(name="n", tags=[1])),
        (Point, {"x": 1, "y": 2.5}, Point(1.0, 2.5)),
        (Options, {}, {}),
        (Options, {"width": 3}, {"width": 3}),
        (Node, {"value": 1, "children": [{"value": 2}]}, Node(value=1, children=[Node(value=2)])),
        (datetime.datetime, "2024-02-29T12:00:00Z", datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC)),
        (datetime.date, "2024-02-29", datetime.date(2024, 2, 29)),
        (uuid.UUID, "00000000-0000-0000-0000-000000000005", uuid.UUID(int=5)),
        (Path, "a/b", Path("a/b")),
        (bytes, "ab", b"ab"),
    ],
)
def test_json_of_the_annotated_type_arrives_as_that_type(annotation: Any, value: Any, expected: Any) -> None:
    got = check(annotation, value)
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (int, "2", 2),
        (int, "-7", -7),
        (int, "2.0", 2),
        (int, 2.0, 2),
        (int, -0.0, 0),
        (int, 1e20, 10**20),
        (float, "2", 2.0),
        (float, "2.5", 2.5),
        (float, "1e3", 1000.0),
        (bool, "true", True),
        (bool, "false", False),
        (list[int], "[1]", [1]),
        (list[int], "[1.0, 2]", [1, 2]),
        (list[int], ["1", 2.0, 3], [1, 2, 3]),
        (list[list[int]], ["[1]", ["2"]], [[1], [2]]),
        (dict[str, int], '{"a": "1"}', {"a": 1}),
        (dict[str, list[int]], {"a": "[1]"}, {"a": [1]}),
        (Item, '{"name": "5", "count": "3", "tags": "[1]"}', Item(name="5", count=3, tags=[1])),
        (Node, {"value": "1", "children": '[{"value": 2.0}]'}, Node(value=1, children=[Node(value=2)])),
        (Point, '{"x": "1", "y": 2}', Point(1.0, 2.0)),
        (Options, {"width": 3.0}, {"width": 3}),
        (int | None, "2", 2),
        (int | None, 2.0, 2),
        (list[int] | None, "[1]", [1]),
        (Literal[1, 2], "2", 2),
        (Literal[1, 2], 2.0, 2),
        (bool | int, "true", True),
        (int | list[int], "[1]", [1]),
        (tuple[int, ...], "[1]", (1,)),
        (set[int], "[1, 1]", {1}),
        (list[int], " [1] ", [1]),
    ],
)
def test_text_that_is_json_of_exactly_the_wanted_type_and_whole_numbers_are_taken_as_meant(
    annotation: Any, value: Any, expected: Any
) -> None:
    got = check(annotation, value)
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (str, "[1]"),
        (str, "true"),
        (str, "2"),
        (str, "null"),
        (str, '{"a": 1}'),
        (str | None, "null"),
        (str | None, "2"),
        (str | int, "2"),
        (str | list[str], '["a"]'),
        (str | bool, "true"),
        (Any, "[1]"),
        (Any, "2"),
        (Literal["1", "2"], "2"),
        (Path, "2"),
    ],
)
def test_text_is_never_read_as_json_where_text_is_allowed(annotation: Any, text: str) -> None:
    assert str(check(annotation, text)) == text


def test_text_inside_values_is_not_read_as_json_either() -> None:
    assert check(dict[str, str], {"a": "[1]"}) == {"a": "[1]"}
    assert check(list[str], ["1", "true"]) == ["1", "true"]
    assert check(dict[str, Any], {"a": "2", "b": 2.0}) == {"a": "2", "b": 2.0}
    assert check(Item, {"name": "[1]"}) == Item(name="[1]")


def test_a_number_that_is_wanted_as_a_number_stays_one() -> None:
    got = check(Any, 2.0)
    assert (got, type(got)) == (2.0, float)
    got = check(int | float, 2.0)
    assert (got, type(got)) == (2.0, float)


def test_defaults_fill_what_is_left_out_and_are_not_checked() -> None:
    def function(a: int, b: list[int] = [1], c: str | None = None, d: int = None, *, e: Colour = Colour.RED) -> str:  # type: ignore[assignment]  # noqa: B006, RUF013
        return ""

    assert check_arguments("t", read_signature(function), {"a": 1}) == {
        "a": 1,
        "b": [1],
        "c": None,
        "d": None,
        "e": Colour.RED,
    }


def test_names_on_the_wire_become_the_functions_names() -> None:
    def function(fire_id: Annotated[str, Field(alias="fireId")], schema: int, ctx: CallContext, _x: int = 5) -> str:
        return ""

    signature = read_signature(function)
    assert check_arguments("t", signature, {"fireId": "f", "schema": "3"}) == {"fire_id": "f", "schema": 3, "_x": 5}
    assert "- fire_id: there is no such argument (did you mean 'fireId'?)" in refusal(
        signature, {"fire_id": "f", "schema": 3}
    )


def test_the_context_cannot_be_given_by_a_client() -> None:
    def function(ctx: CallContext) -> str:
        return ""

    assert "- ctx: there is no such argument" in refusal(read_signature(function), {"ctx": {}})


def test_the_given_arguments_are_not_changed() -> None:
    arguments: dict[str, Any] = {"x": {"name": "n", "count": "2", "tags": ["1"]}}
    before = json.dumps(arguments)
    check_arguments("t", taking(Item), arguments)
    assert json.dumps(arguments) == before


# What is refused


@pytest.mark.parametrize(
    ("annotation", "value", "said"),
    [
        (int, "two", '- x: Input should be a valid integer, not "two"'),
        (int, 2.5, "- x: "),
        (int, "2.5", "- x: "),
        (int, True, "- x: Input should be a valid integer, not true"),
        (int, "true", "- x: "),
        (int, None, "- x: Input should be a valid integer, not null"),
        (int, "null", "- x: "),
        (int, [], "- x: "),
        (int, "", "- x: "),
        (int, "1" * 5000, "- x: "),
        (float, "NaN", "- x: "),
        (float, "Infinity", "- x: "),
        (float, True, "- x: "),
        (bool, "True", "- x: "),
        (bool, "yes", "- x: "),
        (bool, 1, "- x: "),
        (bool, "1", "- x: "),
        (str, 5, "- x: Input should be a valid string, not 5"),
        (str, None, "- x: Input should be a valid string, not null"),
        (str, ["a"], "- x: "),
        (list[int], "1", "- x: "),
        (list[int], "{}", "- x: "),
        (list[int], {"a": 1}, "- x: "),
        (list[int], [1, "b"], '- x.1: Input should be a valid integer, not "b"'),
        (list[int], "[1", "- x: "),
        (dict[str, int], "[]", "- x: "),
        (dict[str, int], {"a": "b"}, "- x.a: "),
        (Item, {}, "- x.name: missing"),
        (Item, {"name": 5}, "- x.name: Input should be a valid string, not 5"),
        (Item, {"name": "n", "tags": [1, {}]}, "- x.tags.1: "),
        (Point, {"x": 1, "y": 2, "z": 3}, "- x.z: "),
        (Node, {"value": 1, "children": [{"value": 2, "children": [{}]}]}, "- x.children.0.children.0.value: missing"),
        (Literal["a", "b"], "c", "- x: Input should be 'a' or 'b', not \"c\""),
        (Colour, "green", "- x: Input should be 'red' or 'blue', not \"green\""),
        (datetime.date, "yesterday", "- x: "),
        (Annotated[int, Field(ge=1)], 0, "- x: Input should be greater than or equal to 1, not 0"),
        (Annotated[str, Field(pattern="^a")], "b", "- x: String should match pattern '^a', not \"b\""),
    ],
)
def test_anything_else_is_refused_with_its_path_and_what_is_wanted(annotation: Any, value: Any, said: str) -> None:
    text = refusal(taking(annotation), {"x": value})
    head, *faults, known = text.splitlines()
    assert head == "t was not called, because its arguments are wrong:"
    assert any(fault.startswith(said) for fault in faults), text
    assert known.startswith("Arguments: x (")
    assert len(text) < 1000


def test_a_missing_argument_is_named() -> None:
    assert refusal(taking(int), {}) == (
        "t was not called, because its arguments are wrong:\n- x: missing\nArguments: x (integer)."
    )


def test_an_unknown_argument_is_named_with_the_nearest() -> None:
    def function(colour: str, width: int = 1) -> str:
        return ""

    signature = read_signature(function)
    text = refusal(signature, {"color": "red", "zzz": 1})
    assert "- colour: missing" in text
    assert "- color: there is no such argument (did you mean 'colour'?)" in text
    assert "- zzz: there is no such argument\n" in text
    assert text.endswith("Arguments: colour (string), width (integer, optional).")


def test_a_tool_without_arguments_says_so() -> None:
    def function() -> str:
        return ""

    signature = read_signature(function)
    assert check_arguments("t", signature, {}) == {}
    assert refusal(signature, {"x": 1}).endswith("\n- x: there is no such argument\nArguments: none.")


def test_what_is_wanted_is_said_in_words() -> None:
    def function(
        a: Literal["x", "y"], b: int | str | None, c: Any, d: list[int], e: Node, f: Colour = Colour.RED
    ) -> str:
        return ""

    assert refusal(read_signature(function), {}).splitlines()[-1] == (
        'Arguments: a (one of "x", "y"), b (integer or string), c (any), d (array), e (object), '
        'f (one of "red", "blue", optional).'
    )


def test_every_fault_is_told_at_once() -> None:
    def function(a: int, b: str, c: bool) -> str:
        return ""

    text = refusal(read_signature(function), {"a": "x", "b": 5, "d": 1})
    assert [line.partition(":")[0] for line in text.splitlines()[1:-1]] == ["- a", "- b", "- c", "- d"]


def test_a_long_value_is_shortened_in_the_text() -> None:
    text = refusal(taking(int), {"x": "y" * 10_000})
    assert "yyy..." in text
    assert len(text) < 300


@pytest.mark.parametrize(
    "number", [math.nan, math.inf, -math.inf, 10**400, -(10**400)], ids=lambda number: str(number)[:9]
)
def test_a_float_has_to_be_finite(number: float) -> None:
    assert refusal(taking(float), {"x": number}).splitlines()[1].startswith("- x: ")


@pytest.mark.parametrize("depth", [300, 600, 3000, 100_000])
@pytest.mark.parametrize("annotation", [Any, list[int], dict[str, Any], int], ids=str)
def test_arguments_that_are_nested_too_deeply_are_refused(annotation: Any, depth: int) -> None:
    value: Any = []
    for _ in range(depth):
        value = [value]
    signature = taking(annotation)
    for nested in (value, {"a": value}):
        text = refusal(signature, {"x": nested})
        assert "x" in text
        assert len(text) < 1000
    del value, nested


@pytest.mark.parametrize("annotation", [list[int], int, dict[str, int], Node], ids=str)
def test_text_of_deeply_nested_json_is_refused(annotation: Any) -> None:
    text = refusal(taking(annotation), {"x": "[" * 100_000 + "]" * 100_000})
    assert text.splitlines()[1].startswith("- x: ")


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", '"\ud800"'])
@pytest.mark.parametrize("annotation", [str, Any, int, list[str], dict[str, str]], ids=str)
def test_half_of_a_surrogate_pair_never_reaches_a_function(annotation: Any, text: str) -> None:
    for value in (text, [text], {text: text}):
        try:
            got = check(annotation, value)
        except ToolError as error:
            assert "nested too deeply" not in str(error)
            str(error).encode()
        else:
            json.dumps(got, ensure_ascii=False).encode()


def test_half_of_a_surrogate_pair_in_a_name_is_refused() -> None:
    text = refusal(taking(int), {"x": 1, "\ud800": 1})
    assert "nested too deeply" not in text
    text.encode()


def test_union_branches_that_do_not_fit_are_told_under_the_argument() -> None:
    text = refusal(taking(int | list[int]), {"x": "abc"})
    assert all(line.startswith("- x") for line in text.splitlines()[1:-1])


# Whatever comes


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["[1]", "true", "2", "2.0", "null", '{"a": 1}', "NaN", "red", "a", 2.0]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "name", "count", "tags", "x", "y", "value", "children"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)

TYPES: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "optional": int | None,
    "list": list[int],
    "strings": list[str],
    "nested": dict[str, list[int]],
    "union": str | list[int],
    "numbers": int | float,
    "model": Item,
    "dataclass": Point,
    "typed dict": Options,
    "recursive": Node,
    "choice": Literal["a", "b"],
    "enum": Colour,
    "tuple": tuple[int, str],
}

SIGNATURES = {name: taking(annotation) for name, annotation in TYPES.items()}
ADAPTERS = {name: TypeAdapter(annotation) for name, annotation in TYPES.items()}


@given(name=st.sampled_from(sorted(TYPES)), value=JSON)
def test_whatever_comes_the_function_gets_the_annotated_type_or_the_text_names_the_argument(
    name: str, value: Any
) -> None:
    try:
        got = check_arguments("t", SIGNATURES[name], {"x": value})["x"]
    except ToolError as error:
        assert "\n- x" in str(error) or "nested too deeply" in str(error)
    else:
        ADAPTERS[name].validate_python(got, strict=True)
        assert not (isinstance(got, float) and not math.isfinite(got))


@given(arguments=st.dictionaries(st.text(max_size=4), JSON, max_size=3))
def test_whatever_comes_as_arguments_is_checked_or_refused(arguments: dict[str, Any]) -> None:
    for name in ("int", "model", "union"):
        try:
            got = check_arguments("t", SIGNATURES[name], arguments)
        except ToolError as error:
            assert str(error).startswith("t was not called")
        else:
            assert got.keys() == {"x"}


@pytest.mark.parametrize("name", sorted(TYPES))
def test_values_of_the_annotated_type_arrive_as_they_were_sent(name: str) -> None:
    annotation, adapter = TYPES[name], ADAPTERS[name]
    texts = st.text(st.characters(codec="utf-8"), max_size=5)
    st.register_type_strategy(str, texts)
    values: st.SearchStrategy[Any] = st.from_type(annotation)
    if name in ("float", "numbers"):
        values = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    elif name == "dataclass":
        finite = st.floats(allow_nan=False, allow_infinity=False)
        values = st.builds(Point, finite, finite)
    elif name == "model":
        values = st.builds(Item, name=texts, count=st.integers(), tags=st.lists(st.integers()))
    elif name == "recursive":
        values = st.recursive(
            st.builds(Node, value=st.integers()),
            lambda inner: st.builds(Node, value=st.integers(), children=st.lists(inner, max_size=2)),
            max_leaves=4,
        )
    elif name == "tuple":
        values = st.tuples(st.integers(), texts)

    @given(value=values)
    @settings(max_examples=25)
    def round_trip(value: Any) -> None:
        sent = json.loads(adapter.dump_json(value))
        got = check_arguments("t", SIGNATURES[name], {"x": sent})["x"]
        assert got == value

    round_trip()


def test_a_function_is_really_called_with_what_was_checked() -> None:
    calls: list[Any] = []

    def function(a: list[int], *, b: Item) -> None:
        calls.append((a, b))

    run: Callable[..., Any] = function
    run(**check_arguments("t", read_signature(function), {"a": "[1]", "b": '{"name": "n"}'}))
    assert calls == [([1], Item(name="n"))]
