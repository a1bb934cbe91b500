"""What plugin functions return: text and structure tell the same, and no version of the protocol loses any of it."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import enum
import json
import math
import pathlib
import uuid
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import pytest
from agenthost import (
    Audio,
    Contents,
    EmbeddedResource,
    Image,
    Message,
    PromptResult,
    ResourceLink,
    Result,
    Text,
    ToolError,
)
from agenthost.calls.results import contents_to_wire, error_to_wire, prompt_to_wire, result_to_wire
from agenthost.signatures import Returns, read_signature
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.methods import serialize_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS, SUPPORTED_PROTOCOL_VERSIONS
from pydantic import BaseModel, Field
from typing_extensions import TypedDict


class Item(BaseModel):
    name: str
    note: str | None = None
    fire_id: int = Field(0, alias="fireId")


@dataclasses.dataclass
class Point:
    x: float
    name: str = "ü"


class Options(TypedDict, total=False):
    width: int


class Colour(enum.Enum):
    RED = "red"


def returns_of(annotation: Any = ...) -> Returns:
    """What `def function() -> annotation` promises; without one, what no annotation promises."""

    def function(): ...  # type: ignore[no-untyped-def]  # noqa: ANN202

    if annotation is not ...:
        function.__annotations__["return"] = annotation
    return read_signature(function).returns


def assert_nothing_is_lost(wire: Mapping[str, Any], method: str = "tools/call") -> None:
    """Every version of the protocol carries exactly this result."""
    for version in SUPPORTED_PROTOCOL_VERSIONS:
        extra: dict[str, Any] = {}
        if version in MODERN_PROTOCOL_VERSIONS:
            extra = {"resultType": "complete"}
            if method == "resources/read":
                extra.update(ttlMs=0, cacheScope="private")
        sent = serialize_server_result(method, version, {**wire, **extra})
        without_defaults = {key: value for key, value in sent.items() if key in wire or value is not False}
        assert without_defaults == {**wire, **extra}, version


def text_of(wire: Mapping[str, Any]) -> str:
    [block] = wire["content"]
    assert block["type"] == "text"
    text: str = block["text"]
    return text


def assert_same_facts(wire: Mapping[str, Any]) -> None:
    """The text is the structure as JSON: 2 spaces, nothing escaped."""
    told = json.loads(text_of(wire))
    structured = wire["structuredContent"]
    assert isinstance(structured, dict)
    assert structured in (told, {"result": told})
    assert text_of(wire) == json.dumps(told, indent=2, ensure_ascii=False)


# Text and content


@pytest.mark.parametrize("text", ["", "plain", "ünï \U0001f600\n\x00", "[]", "3", "true", '{"a": 1}'])
@pytest.mark.parametrize("returns", [None, returns_of(), returns_of(str), returns_of(Any)], ids=str)
def test_a_text_is_sent_as_it_is(text: str, returns: Returns | None) -> None:
    wire = result_to_wire(text, returns)
    assert wire == {"content": [{"type": "text", "text": text}]}
    assert_nothing_is_lost(wire)


DATA = bytes(range(256))
ENCODED = base64.b64encode(DATA).decode()

BLOCKS = [
    (Text("ü"), {"type": "text", "text": "ü"}),
    (Image(DATA, "image/png"), {"type": "image", "data": ENCODED, "mimeType": "image/png"}),
    (Image(b"", "image/png"), {"type": "image", "data": "", "mimeType": "image/png"}),
    (
        EmbeddedResource("note://a", "ü", "text/plain"),
        {"type": "resource", "resource": {"uri": "note://a", "text": "ü", "mimeType": "text/plain"}},
    ),
    (EmbeddedResource("note://a", ""), {"type": "resource", "resource": {"uri": "note://a", "text": ""}}),
    (EmbeddedResource("note://a", DATA), {"type": "resource", "resource": {"uri": "note://a", "blob": ENCODED}}),
]

LATER_BLOCKS = [
    (Audio(DATA, "audio/wav"), {"type": "audio", "data": ENCODED, "mimeType": "audio/wav"}),
    (ResourceLink("note://a", "a"), {"type": "resource_link", "uri": "note://a", "name": "a"}),
    (
        ResourceLink("note://a", "a", "A", "An a.", "text/plain", 0),
        {
            "type": "resource_link",
            "uri": "note://a",
            "name": "a",
            "title": "A",
            "description": "An a.",
            "mimeType": "text/plain",
            "size": 0,
        },
    ),
]
"""Blocks that the first revisions of the protocol did not have."""


@pytest.mark.parametrize(("block", "expected"), BLOCKS + LATER_BLOCKS, ids=lambda value: type(value).__name__)
def test_a_content_block_is_sent_alone_and_in_lists(block: Any, expected: dict[str, Any]) -> None:
    for value, blocks in (
        (block, [expected]),
        ([block], [expected]),
        ((block, Text("x")), [expected, {"type": "text", "text": "x"}]),
    ):
        for returns in (None, returns_of(), returns_of(Any), returns_of(Text | Image)):
            wire = result_to_wire(value, returns)
            assert wire == {"content": blocks}
            assert_nothing_is_lost(wire)


BAD_BLOCKS: list[Any] = [
    Text(5),  # type: ignore[arg-type]
    Text(None),  # type: ignore[arg-type]
    Image("text", "image/png"),  # type: ignore[arg-type]
    Image(b"", None),  # type: ignore[arg-type]
    Image(bytearray(b""), "image/png"),  # type: ignore[arg-type]
    Audio("text", "audio/wav"),  # type: ignore[arg-type]
    EmbeddedResource(5, "x"),  # type: ignore[arg-type]
    EmbeddedResource("a:b", None),  # type: ignore[arg-type]
    EmbeddedResource("a:b", "x", 5),  # type: ignore[arg-type]
    ResourceLink("a:b", None),  # type: ignore[arg-type]
    ResourceLink(None, "n"),  # type: ignore[arg-type]
    ResourceLink("a:b", "n", title=5),  # type: ignore[arg-type]
    ResourceLink("a:b", "n", description=b"x"),  # type: ignore[arg-type]
    ResourceLink("a:b", "n", mime_type=5),  # type: ignore[arg-type]
    ResourceLink("a:b", "n", size="big"),  # type: ignore[arg-type]
    ResourceLink("a:b", "n", size=1.5),  # type: ignore[arg-type]
    ResourceLink("a:b", "n", size=True),
]


@pytest.mark.parametrize("block", BAD_BLOCKS, ids=repr)
def test_a_content_block_with_values_of_wrong_types_is_refused(block: Any) -> None:
    for value in (block, [block], Result(block)):
        try:
            wire = result_to_wire(value, None)
        except TypeError as error:
            assert "no content block" in str(error)
        else:
            assert_nothing_is_lost(wire)


@pytest.mark.parametrize("annotation", [list[Text], list[Text | Image], tuple[Text, ...]])
def test_a_promised_list_of_blocks_may_be_empty(annotation: Any) -> None:
    wire = result_to_wire([], returns_of(annotation))
    assert wire == {"content": []}
    assert_nothing_is_lost(wire)


def test_content_that_may_be_missing_and_is_says_so() -> None:
    returns = returns_of(Image | None)
    assert result_to_wire(Image(DATA, "image/png"), returns)["content"][0]["data"] == ENCODED
    assert text_of(result_to_wire(None, returns))


# Structure


STRUCTURED = [
    {},
    {"a": 1},
    {"result": [1]},
    {"ü": "ü\U0001f600", "n": None, "f": 1.5, "b": False, "l": [None, {"x": None}]},
    Item(name="ü", fireId=3),
    Point(1.5),
    [],
    (),
    [1, 2],
    ["a", "ü"],
    [[], {}],
    [Item(name="x")],
    [None],
    0,
    1.5,
    True,
    10**30,
    Colour.RED,
    datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC),
    uuid.UUID(int=1),
    pathlib.Path("a/b"),
    {"at": datetime.date(2024, 2, 29), 5: "five"},
    {1, 2},
]


@pytest.mark.parametrize("value", STRUCTURED, ids=repr)
@pytest.mark.parametrize("returns", [None, returns_of(), returns_of(Any)], ids=["raw", "unannotated", "any"])
def test_any_other_value_is_sent_as_structure_and_as_the_same_text(value: Any, returns: Returns | None) -> None:
    wire = result_to_wire(value, returns)
    assert_same_facts(wire)
    assert_nothing_is_lost(wire)


def test_an_object_is_the_structure_and_anything_else_its_result() -> None:
    assert result_to_wire({"a": "ü"}, None) == {
        "content": [{"type": "text", "text": '{\n  "a": "ü"\n}'}],
        "structuredContent": {"a": "ü"},
    }
    assert result_to_wire([1], None) == {
        "content": [{"type": "text", "text": "[\n  1\n]"}],
        "structuredContent": {"result": [1]},
    }
    assert result_to_wire(Item(name="x", fireId=1), None)["structuredContent"] == {
        "name": "x",
        "note": None,
        "fireId": 1,
    }


@pytest.mark.parametrize(
    "returns",
    [None, returns_of(), returns_of(list), returns_of(list[int])],
    ids=["raw", "unannotated", "list", "list[int]"],
)
def test_an_empty_list_is_told_as_one(returns: Returns | None) -> None:
    wire = result_to_wire([], returns)
    assert wire == {"content": [{"type": "text", "text": "[]"}], "structuredContent": {"result": []}}


ANNOTATED: list[tuple[Any, Any, Any]] = [
    (int, 5, {"result": 5}),
    (int, "5", {"result": 5}),
    (float, 2, {"result": 2.0}),
    (str | None, None, {"result": None}),
    (str | None, "x", {"result": "x"}),
    (str | int, "x", {"result": "x"}),
    (Item, {"name": "x"}, {"name": "x", "note": None, "fireId": 0}),
    (Item, {"name": "x", "fire_id": 3}, {"name": "x", "note": None, "fireId": 3}),
    (Item, {"name": "x", "fireId": 3}, {"name": "x", "note": None, "fireId": 3}),
    (Item | None, None, {"result": None}),
    (Options, {}, {}),
    (Options, {"width": 1}, {"width": 1}),
    (Point, Point(1), {"x": 1.0, "name": "ü"}),
    (list[Item], [{"name": "x"}], {"result": [{"name": "x", "note": None, "fireId": 0}]}),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (tuple[int, str], (1, "a"), {"result": [1, "a"]}),
    (Annotated[dict[str, Any], "mark"], {"a": {"b": None}}, {"a": {"b": None}}),
]


@pytest.mark.parametrize(("annotation", "value", "structured"), ANNOTATED, ids=str)
def test_a_value_is_sent_as_its_annotation_says(annotation: Any, value: Any, structured: Any) -> None:
    wire = result_to_wire(value, returns_of(annotation))
    assert wire["structuredContent"] == structured
    assert_same_facts(wire)
    assert_nothing_is_lost(wire)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, "five"),
        (int, None),
        (int, [1]),
        (bool, "maybe"),
        (Item, {}),
        (Item, None),
        (Item, "text"),
        (Item, Point(1)),
        (Options, {"width": "wide"}),
        (list[int], ["a"]),
        (list[int], "text"),
        (list[Item], [Text("x")]),
        (dict[str, int], {"a": "b"}),
        (Result[Item], Item),
        (None, "text"),
        (None, 0),
        (None, []),
    ],
    ids=str,
)
def test_a_value_of_another_type_than_promised_is_refused(annotation: Any, value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        result_to_wire(value, returns_of(annotation))


@pytest.mark.parametrize("annotation", [str, Text, list[Text], str | Image], ids=str)
def test_a_forgotten_return_is_not_told_as_done(annotation: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        result_to_wire(None, returns_of(annotation))


@pytest.mark.parametrize("value", [5, [], {}], ids=repr)
def test_what_is_promised_as_text_may_still_be_something_else_that_can_be_told(value: Any) -> None:
    wire = result_to_wire(value, returns_of(str))
    assert wire["content"] == [] or text_of(wire)
    assert_nothing_is_lost(wire)


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        [math.inf],
        {"a": -math.inf},
        b"\xff",
        {"a": b"\xff"},
        object(),
        {"a": object()},
        [Text("x"), object()],
        None,
        lambda: None,
        Item,
        (lambda deep: [deep := [deep] for _ in range(600)][-1])([]),
        "deep".split() and (lambda loop: loop.append(loop) or loop)([]),
    ],
    ids=lambda value: repr(value)[:20],
)
@pytest.mark.parametrize("returns", [None, returns_of()], ids=["raw", "unannotated"])
def test_what_json_cannot_carry_is_refused(value: Any, returns: Returns | None) -> None:
    with pytest.raises((TypeError, ValueError, RecursionError)):
        result_to_wire(value, returns)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [(float, math.nan), (list[float], [math.inf]), (dict[str, float], {"a": math.nan})],
    ids=str,
)
def test_numbers_that_json_does_not_have_are_refused_also_where_they_are_promised(annotation: Any, value: Any) -> None:
    with pytest.raises(ValueError, match=r"JSON|finite"):
        result_to_wire(value, returns_of(annotation))


@pytest.mark.parametrize("depth", [100, 200, 240, 250, 254, 260])
def test_what_is_nested_deeply_is_refused_here_or_can_be_sent(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    try:
        wire = result_to_wire(value, None)
    except ValueError:
        return
    assert_nothing_is_lost(wire)


def test_nothing_is_told_as_done() -> None:
    wire = result_to_wire(None, returns_of(None))
    assert wire == {"content": [{"type": "text", "text": "Done."}]}
    assert_nothing_is_lost(wire)


# Result


RESULTS: list[tuple[Callable[[], Result[Any]], Any, dict[str, Any]]] = [
    (lambda: Result("a", Text("b")), ..., {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
    (
        lambda: Result(Image(b"x", "image/png")),
        ...,
        {"content": [{"type": "image", "data": "eA==", "mimeType": "image/png"}]},
    ),
    (
        lambda: Result(structured={"a": "ü"}),
        ...,
        {"content": [{"type": "text", "text": '{\n  "a": "ü"\n}'}], "structuredContent": {"a": "ü"}},
    ),
    (
        lambda: Result("short", structured={"a": 1}),
        ...,
        {"content": [{"type": "text", "text": "short"}], "structuredContent": {"a": 1}},
    ),
    (
        lambda: Result("none", structured=[]),
        ...,
        {"content": [{"type": "text", "text": "none"}], "structuredContent": {"result": []}},
    ),
    (
        lambda: Result("zero", structured=0),
        ...,
        {"content": [{"type": "text", "text": "zero"}], "structuredContent": {"result": 0}},
    ),
    (
        lambda: Result("empty", structured={}),
        ...,
        {"content": [{"type": "text", "text": "empty"}], "structuredContent": {}},
    ),
    (lambda: Result("no", is_error=True), ..., {"content": [{"type": "text", "text": "no"}], "isError": True}),
    (lambda: Result("no", is_error=True), Result[Item], {"content": [{"type": "text", "text": "no"}], "isError": True}),
    (
        lambda: Result("no", structured={"why": 1}, is_error=True),
        Result[Item],
        {"content": [{"type": "text", "text": "no"}], "structuredContent": {"why": 1}, "isError": True},
    ),
    (
        lambda: Result(structured=Item(name="x")),
        Result[Item],
        {
            "content": [{"type": "text", "text": '{\n  "name": "x",\n  "note": null,\n  "fireId": 0\n}'}],
            "structuredContent": {"name": "x", "note": None, "fireId": 0},
        },
    ),
    (
        lambda: Result("m", meta={"a": {"b": [1]}}),
        ...,
        {"content": [{"type": "text", "text": "m"}], "_meta": {"a": {"b": [1]}}},
    ),
    (lambda: Result("m", meta={}), ..., {"content": [{"type": "text", "text": "m"}], "_meta": {}}),
]


@pytest.mark.parametrize(("make", "annotation", "expected"), RESULTS)
def test_a_result_says_exactly_what_is_put_into_it(
    make: Callable[[], Any], annotation: Any, expected: dict[str, Any]
) -> None:
    for returns in (returns_of(annotation), None):
        wire = result_to_wire(make(), returns)
        if returns is not None:
            assert wire == expected
        assert_nothing_is_lost(wire)


@pytest.mark.parametrize(
    ("result", "annotation"),
    [
        (Result("text"), Result[Item]),
        (Result(), Result[Item]),
        (Result("text", structured={"wrong": 1}), Result[Item]),
        (Result(structured=["a"]), Result[list[int]]),
        (Result(structured=object()), ...),
        (Result(structured={"a": math.nan}), ...),
        (Result("text", meta={"a": object()}), ...),
        (Result("text", meta={"a": math.nan}), ...),
        (Result("text", meta=[1]), ...),  # type: ignore[arg-type]
        (Result(5), ...),  # type: ignore[arg-type]
        (Result(None), ...),  # type: ignore[arg-type]
    ],
    ids=[
        "no structure",
        "nothing",
        "other structure",
        "other items",
        "object",
        "nan",
        "meta object",
        "meta nan",
        "meta list",
        "5",
        "None",
    ],
)
def test_a_result_that_breaks_its_promise_or_json_is_refused(result: Any, annotation: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        result_to_wire(result, returns_of(annotation))


# Errors


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ToolError("no"), {"content": [{"type": "text", "text": "no"}], "isError": True}),
        (
            ToolError("nö", {"why": ["ü", None]}),
            {"content": [{"type": "text", "text": "nö"}], "isError": True, "structuredContent": {"why": ["ü", None]}},
        ),
        (ToolError("no", {}), {"content": [{"type": "text", "text": "no"}], "isError": True, "structuredContent": {}}),
    ],
    ids=["text", "structure", "empty structure"],
)
def test_an_error_is_a_result_that_the_model_reads(error: ToolError, expected: dict[str, Any]) -> None:
    wire = error_to_wire(error)
    assert wire == expected
    assert_nothing_is_lost(wire)


# Prompts


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("ü", [("user", {"type": "text", "text": "ü"})]),
        (Message("a"), [("user", {"type": "text", "text": "a"})]),
        (Message("a", "assistant"), [("assistant", {"type": "text", "text": "a"})]),
        (
            ["a", Message(Text("b"), "assistant"), Message(Image(b"x", "image/png"))],
            [
                ("user", {"type": "text", "text": "a"}),
                ("assistant", {"type": "text", "text": "b"}),
                ("user", {"type": "image", "data": "eA==", "mimeType": "image/png"}),
            ],
        ),
        ((Message("a"),), [("user", {"type": "text", "text": "a"})]),
        (
            Message(EmbeddedResource("note://a", "x")),
            [("user", {"type": "resource", "resource": {"uri": "note://a", "text": "x"}})],
        ),
        ([], []),
    ],
    ids=repr,
)
def test_a_prompt_is_a_list_of_messages(value: Any, messages: list[Any]) -> None:
    expected = {"messages": [{"role": role, "content": content} for role, content in messages]}
    for description in ("What it asks.", None):
        wire = prompt_to_wire(value, description)
        assert wire == ({"description": description, **expected} if description else expected)
        assert_nothing_is_lost(wire, "prompts/get")


def test_a_prompts_answer_may_have_a_description_of_its_own() -> None:
    for messages in ("a", ["a"], Message("a")):
        wire = prompt_to_wire(PromptResult(messages, "Two of them."), "Some of them.")
        expected = [{"role": "user", "content": {"type": "text", "text": "a"}}]
        assert wire == {"description": "Two of them.", "messages": expected}
        assert_nothing_is_lost(wire, "prompts/get")


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        {"role": "user"},
        b"x",
        [None],
        ["a", 5],
        Text("x"),
        Message("a", "system"),
        Message(5),
        Message(None),
        [["a"]],
        PromptResult(5, "d"),
        PromptResult("a", 5),
    ],  # type: ignore[arg-type]
    ids=repr,
)
def test_a_prompt_that_gives_no_messages_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        prompt_to_wire(value, None)


# Resources


@pytest.mark.parametrize(
    ("value", "mime_type", "expected"),
    [
        ("ü", None, {"text": "ü", "mimeType": "text/plain"}),
        ("", "text/markdown", {"text": "", "mimeType": "text/markdown"}),
        (DATA, None, {"blob": ENCODED, "mimeType": "application/octet-stream"}),
        (DATA, "image/png", {"blob": ENCODED, "mimeType": "image/png"}),
        ({"a": "ü"}, None, {"text": '{\n  "a": "ü"\n}', "mimeType": "application/json"}),
        ({"a": 1}, "text/plain", {"text": '{\n  "a": 1\n}', "mimeType": "text/plain"}),
        ([], None, {"text": "[]", "mimeType": "application/json"}),
        ([1, None], None, {"text": "[\n  1,\n  null\n]", "mimeType": "application/json"}),
        (5, None, {"text": "5", "mimeType": "application/json"}),
        (
            Item(name="x", fireId=1),
            None,
            {"text": '{\n  "name": "x",\n  "note": null,\n  "fireId": 1\n}', "mimeType": "application/json"},
        ),
        (Contents("x"), None, {"text": "x", "mimeType": "text/plain"}),
        (Contents(b"x", mime_type="image/png"), "text/plain", {"blob": "eA==", "mimeType": "image/png"}),
        ([Contents("x")], "text/markdown", {"text": "x", "mimeType": "text/markdown"}),
    ],
    ids=repr,
)
def test_a_resource_is_sent_under_the_address_that_was_read(
    value: Any, mime_type: str | None, expected: dict[str, Any]
) -> None:
    wire = contents_to_wire(value, "note://today", mime_type)
    assert wire == {"contents": [{"uri": "note://today", **expected}]}
    assert_nothing_is_lost(wire, "resources/read")


def test_the_parts_of_a_resource_may_have_addresses_of_their_own() -> None:
    wire = contents_to_wire((Contents("a"), Contents(b"b", "note://b", "x/y")), "note://all", None)
    assert wire == {
        "contents": [
            {"uri": "note://all", "text": "a", "mimeType": "text/plain"},
            {"uri": "note://b", "blob": "Yg==", "mimeType": "x/y"},
        ]
    }
    assert_nothing_is_lost(wire, "resources/read")


@pytest.mark.parametrize(
    "value",
    [
        None,
        object(),
        math.nan,
        Contents(5),
        Contents("x", uri=5),
        Contents("x", mime_type=5),
        [Contents(None)],
        [Contents("a"), b"\xff"],
    ],  # type: ignore[arg-type]
    ids=repr,
)
def test_a_resource_that_gives_nothing_sendable_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        contents_to_wire(value, "note://today", None)


# Whatever comes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(value=JSON)
def test_whatever_a_tool_returns_is_told_completely_or_refused(value: Any) -> None:
    for returns in (None, returns_of(), returns_of(Any), returns_of(dict[str, Any])):
        try:
            wire = result_to_wire(value, returns)
        except (TypeError, ValueError):
            continue
        if isinstance(value, str) and returns in (None, returns_of(), returns_of(Any)):
            assert text_of(wire) == value
        else:
            assert_same_facts(wire)
        try:
            json.dumps(wire, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            continue  # half a surrogate pair: the transport replaces it
        assert_nothing_is_lost(wire)
