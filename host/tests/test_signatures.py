"""Signatures: what the annotations of a typed function say on the wire, in the form that every client accepts."""

import dataclasses
import datetime
import decimal
import enum
import functools
import inspect
import json
import pathlib
import re
import typing
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypeVar

import annotated_types
import jsonschema
import pydantic
import pytest
from agenthost import (
    Audio,
    CallContext,
    Content,
    EmbeddedResource,
    Image,
    ResourceLink,
    Result,
    Text,
    Tool,
    tool,
)
from agenthost.calls.results import result_to_wire
from agenthost.signatures import Signature, read_signature
from agenthost.vetting import LEGACY, MODERN, VettingError, vet_tool
from pydantic import BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypedDict  # typing's own is not enough for pydantic before Python 3.12

T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Item(BaseModel):
    """An item."""

    name: str
    count: int = Field(1, ge=1, le=9, description="How many.")
    note: str | None = None


class Box(BaseModel):
    item: Item
    more: list[Item] = []


class Node(BaseModel):
    value: int
    children: list["Node"] = []
    parent: "Node | None" = None


class Aliased(BaseModel):
    fire_id: str = Field(alias="fireId")


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    x: int


class Pair(BaseModel, Generic[T]):
    left: T
    right: T


class Words(RootModel[list[str]]):
    pass


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


class Options(TypedDict):
    width: int
    height: NotRequired[int]


class Place(NamedTuple):
    row: int
    column: int


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


ITEM = {
    "description": "An item.",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1, "description": "How many."},
        "note": {"type": "string"},
    },
    "required": ["name"],
    "type": "object",
}

PLAIN: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (Any, {}),
    (object, {}),
    (bytes, {"type": "string", "format": "binary"}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal["a"], {"type": "string", "const": "a"}),
    (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
    (Colour, {"type": "string", "enum": ["red", "blue"]}),
    (Size, {"type": "integer", "enum": [1, 2]}),
    (list, {"type": "array", "items": {}}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (list[int | None], {"type": "array", "items": {"type": "integer"}}),
    (list[list[str]], {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
    (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
    (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (dict, {"type": "object"}),
    (dict[str, Any], {"type": "object"}),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (int | None, {"type": "integer"}),
    (typing.Optional[str], {"type": "string"}),  # noqa: UP045  (the old spelling is what many write)
    (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (int | str | None, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (str | list[str], {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
    (Item, ITEM),
    (Item | None, ITEM),
    (Box, {
        "properties": {"item": ITEM, "more": {"type": "array", "items": ITEM, "default": []}},
        "required": ["item"],
        "type": "object",
    }),
    (Aliased, {"type": "object", "properties": {"fireId": {"type": "string"}}, "required": ["fireId"]}),
    (Closed, {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    }),
    (Pair[int], {
        "type": "object",
        "properties": {"left": {"type": "integer"}, "right": {"type": "integer"}},
        "required": ["left", "right"],
    }),
    (Words, {"type": "array", "items": {"type": "string"}}),
    (Point, {
        "type": "object",
        "properties": {"x": {"type": "number"}, "y": {"type": "number", "default": 0.0}},
        "required": ["x"],
        "additionalProperties": False,
    }),
    (Options, {
        "type": "object",
        "properties": {"width": {"type": "integer"}, "height": {"type": "integer"}},
        "required": ["width"],
        "additionalProperties": False,
    }),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.timedelta, {"type": "string", "format": "duration"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (pathlib.Path, {"type": "string", "format": "path"}),
    (Annotated[int, Field(ge=1, lt=10, description="A digit.")], {
        "type": "integer", "minimum": 1, "exclusiveMaximum": 10, "description": "A digit.",
    }),
    (Annotated[str, Field(min_length=1, max_length=5, pattern="^a")], {
        "type": "string", "minLength": 1, "maxLength": 5, "pattern": "^a",
    }),
    (Annotated[list[str], annotated_types.Len(1, 3)], {
        "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3,
    }),
    (Annotated[int | None, Field(description="Maybe.")], {"type": "integer", "description": "Maybe."}),
    (Annotated[Cat | Dog, Field(discriminator="kind")], {"anyOf": [
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "const": "cat"}, "lives": {"type": "integer"}},
            "required": ["kind", "lives"],
        },
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "const": "dog"}, "name": {"type": "string"}},
            "required": ["kind", "name"],
        },
    ]}),
]  # fmt: skip

FURTHER = [
    tuple,
    tuple[int, str],
    decimal.Decimal,
    datetime.time,
    Node,
    Place,
    Literal["a", 1],
    list[Node],
    dict[str, Node | None],
]
"""Annotations whose exact schema does not matter here."""

ANNOTATIONS = [annotation for annotation, _ in PLAIN] + FURTHER


def function_of(annotation: Any, default: Any = ...) -> Callable[..., Any]:
    """`def function(value: annotation) -> str`."""

    def function(value: Any) -> str:
        return "done"

    function.__annotations__["value"] = annotation
    if default is not ...:
        function.__defaults__ = (default,)
    return function


def returning(annotation: Any) -> Callable[..., Any]:
    def function() -> Any: ...

    function.__annotations__["return"] = annotation
    return function


def names(annotation: Any) -> str:
    return re.sub(r"\W+", " ", str(annotation)).strip()[:60]


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas below it."""
    assert isinstance(schema, dict), schema
    yield schema
    for key in ("properties", "$defs", "patternProperties"):
        for sub in schema.get(key, {}).values():
            yield from subschemas(sub)
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for sub in schema.get(key, []):
            yield from subschemas(sub)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from subschemas(schema[key])


def assert_suits_every_client(schema: dict[str, Any]) -> None:
    """The rules for clients that hold for every schema of ours."""
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert isinstance(schema["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf", "not", "enum", "if", "$schema", "$ref"} & schema.keys()
    assert isinstance(schema.get("required", []), list)
    assert set(schema.get("required", [])) <= schema["properties"].keys()
    for node in subschemas(schema):
        assert not isinstance(node.get("title"), str)
        assert None not in node.values()
        assert not isinstance(node.get("type"), list)
        assert "discriminator" not in node
        if node.get("type") == "array":
            assert isinstance(node["items"], dict)
    for name in set(re.findall(r"#/\$defs/([^\"]+)", json.dumps(schema))):
        assert name in schema["$defs"]
    if "$defs" in schema:
        assert "Node" in str(schema)  # only recursive types keep references


# Input schemas


@pytest.mark.parametrize(("annotation", "expected"), PLAIN, ids=lambda value: names(value))
def test_an_annotation_has_its_plain_schema(annotation: Any, expected: dict[str, Any]) -> None:
    schema = read_signature(function_of(annotation)).schema
    assert schema == {
        "type": "object",
        "properties": {"value": expected},
        "required": ["value"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("annotation", ANNOTATIONS, ids=names)
def test_every_derived_schema_suits_every_client_and_passes_vetting_in_both_eras(annotation: Any) -> None:
    function = function_of(annotation)
    schema = read_signature(function).schema
    assert_suits_every_client(schema)
    assert schema["additionalProperties"] is False
    vetted = vet_tool(Tool("t", function), "t")
    for version in (LEGACY, MODERN):
        assert vetted.wire[version]["inputSchema"] == schema


def test_a_function_without_parameters_still_has_properties() -> None:
    def function() -> str: ...

    assert read_signature(function).schema == {"type": "object", "properties": {}, "additionalProperties": False}


def test_a_parameter_with_a_default_is_not_required_and_says_the_default() -> None:
    def function(
        a: str,
        b: int = 3,
        c: str | None = None,
        d: list[int] = [1],  # noqa: B006  (only its schema is of interest)
        e: Colour = Colour.RED,
        *,
        f: bool = False,
    ) -> str: ...

    schema = read_signature(function).schema
    assert schema["required"] == ["a"]
    defaults = {name: sub.get("default", "none") for name, sub in schema["properties"].items()}
    assert defaults == {"a": "none", "b": 3, "c": "none", "d": [1], "e": "red", "f": False}


def test_a_parameter_that_may_be_null_and_has_no_default_is_required() -> None:
    assert read_signature(function_of(int | None)).schema["required"] == ["value"]


def test_a_default_that_json_cannot_carry_is_left_out_or_told() -> None:
    for default in (float("inf"), object()):
        try:
            wire = vet_tool(Tool("t", function_of(Any, default)), "t").wire
        except VettingError as error:
            assert re.match("handler: .*default|inputSchema: .*JSON", str(error))
        else:
            json.dumps(wire[MODERN], allow_nan=False)


def test_an_alias_is_the_name_on_the_wire() -> None:
    def function(
        fire_id: Annotated[str, Field(alias="fireId", description="Which.")], count: Annotated[int, Field(ge=1)] = 1
    ) -> str: ...

    signature = read_signature(function)
    assert signature.schema["properties"] == {
        "fireId": {"type": "string", "description": "Which."},
        "count": {"type": "integer", "minimum": 1, "default": 1},
    }
    assert signature.schema["required"] == ["fireId"]
    assert set(signature.parameters.values()) == {"fire_id", "count"}


def test_a_field_as_default_describes_the_parameter() -> None:
    def function(a: str = Field(description="A."), b: int = Field(3, description="B.", ge=1)) -> str: ...  # type: ignore[assignment]

    schema = read_signature(function).schema
    assert schema["properties"] == {
        "a": {"type": "string", "description": "A."},
        "b": {"type": "integer", "description": "B.", "minimum": 1, "default": 3},
    }
    assert schema["required"] == ["a"]


ODD_NAMES = [
    "schema",
    "json",
    "dict",
    "copy",
    "_x",
    "__x",
    "self_",
    "model_config",
    "model_fields",
    "p0",
    "p1",
    "validate",
    "title",
    "type",
    "ünïcode",
]


def test_parameters_may_have_names_that_a_model_reserves() -> None:
    parameters = ", ".join(f"{name}: int" for name in ODD_NAMES)
    namespace: dict[str, Any] = {}
    exec(f"def function({parameters}) -> str: ...", namespace)  # noqa: S102  (a function of many odd names)
    signature = read_signature(namespace["function"])
    assert list(signature.schema["properties"]) == ODD_NAMES
    assert list(signature.parameters.values()) == ODD_NAMES
    checked = signature.arguments.model_validate(dict.fromkeys(ODD_NAMES, 5))
    assert [getattr(checked, field) for field in signature.parameters] == [5] * len(ODD_NAMES)
    assert_suits_every_client(signature.schema)


def test_the_context_is_not_advertised_wherever_it_stands() -> None:
    def first(ctx: CallContext, a: str) -> str: ...

    def last(a: str, *, ctx: CallContext[Any]) -> str: ...

    def maybe(a: str, ctx: CallContext[Item] | None = None) -> str: ...

    def without(a: str) -> str: ...

    for function in (first, last, maybe):
        signature = read_signature(function)
        assert list(signature.schema["properties"]) == ["a"]
        assert signature.context == "ctx"
    assert read_signature(without).context is None


def test_two_parameters_for_the_context_are_refused() -> None:
    def function(a: CallContext, b: CallContext) -> str: ...

    with pytest.raises(TypeError, match=r"a and b both ask for the CallContext"):
        read_signature(function)


def test_two_parameters_with_one_name_on_the_wire_are_refused() -> None:
    def function(a: str, b: Annotated[str, Field(alias="a")]) -> str: ...

    with pytest.raises(TypeError, match=r"name|alias"):
        read_signature(function)


def lacking_annotation(a, b: int) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001


def lacking_context(a: int, ctx) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001


def positional_only(a: int, /) -> None: ...


def any_number(*values: int) -> None: ...


def any_names(**values: int) -> None: ...


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lacking_annotation, r"parameter a has no annotation; write for example a: str"),
        (lacking_context, r"parameter ctx has no annotation; write for example ctx: CallContext"),
        (positional_only, r"parameter a: int cannot be described; give every argument a name of its own"),
        (any_number, r"parameter \*values: int cannot be described"),
        (any_names, r"parameter \*\*values: int cannot be described"),
        (function_of(Callable[[], int]), r"cannot be described as a JSON Schema"),
        (function_of(threading_lock := type("Lock", (), {})), r"cannot be described as a JSON Schema.*Lock"),
        (function_of("Nowhere"), r"Nowhere"),
    ],
    ids=lambda value: getattr(value, "__name__", "text"),
)
def test_what_cannot_be_described_is_told_in_one_line(function: Callable[..., Any], said: str) -> None:
    with pytest.raises((TypeError, NameError)) as caught:
        read_signature(function)
    assert re.search(said, str(caught.value))
    assert "\n" not in str(caught.value)


# What may be a handler


def plain(a: int, b: str = "x") -> bool: ...  # type: ignore[empty-body]


class Handler:
    """Callable in several ways."""

    def __call__(self, a: int, b: str = "x") -> bool: ...  # type: ignore[empty-body]

    def method(self, a: int, b: str = "x") -> bool: ...  # type: ignore[empty-body]

    @classmethod
    def of_class(cls, a: int, b: str = "x") -> bool: ...  # type: ignore[empty-body]

    @staticmethod
    def static(a: int, b: str = "x") -> bool: ...  # type: ignore[empty-body]

    async def awaited(self, a: int, b: str = "x") -> bool: ...  # type: ignore[empty-body]


def wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


@pytest.mark.parametrize(
    "handler",
    [
        plain,
        Handler(),
        Handler().method,
        Handler.of_class,
        Handler.static,
        Handler().awaited,
        wrapping(plain),
        wrapping(Handler().method),
        functools.partial(plain),
        functools.partial(Handler().method),
        functools.partial(functools.partial(plain)),
        functools.partial(wrapping(plain)),
        functools.partial(Handler()),
    ],
    ids=lambda handler: names(handler),
)
def test_any_callable_with_annotations_may_be_a_handler(handler: Callable[..., Any]) -> None:
    signature = read_signature(handler)
    assert signature.schema == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string", "default": "x"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert signature.returns.schema == {
        "type": "object",
        "properties": {"result": {"type": "boolean"}},
        "required": ["result"],
    }


def test_what_a_partial_has_filled_in_is_not_advertised_or_is_the_default() -> None:
    assert list(read_signature(functools.partial(plain, 1)).schema["properties"]) == ["b"]
    schema = read_signature(functools.partial(plain, a=1)).schema
    assert schema["properties"]["a"]["default"] == 1
    assert "required" not in schema


def test_annotations_written_as_texts_are_read() -> None:
    def function(a: "int", b: "list[Item] | None" = None) -> "Item": ...  # type: ignore[empty-body]

    signature = read_signature(function)
    assert signature.schema["properties"]["a"] == {"type": "integer"}
    assert signature.schema["properties"]["b"]["items"] == ITEM
    assert signature.returns.schema is not None
    assert set(signature.returns.schema["properties"]) == {"name", "count", "note"}


def test_a_type_of_an_enclosing_function_is_read_when_it_is_no_text() -> None:
    class Local(BaseModel):
        x: int

    def function(a: Local) -> Local: ...  # type: ignore[empty-body]

    assert read_signature(function).schema["properties"]["a"]["properties"] == {"x": {"type": "integer"}}


def test_a_type_of_an_enclosing_function_written_as_text_is_told_by_name() -> None:
    class Local(BaseModel):
        x: int

    def function(a: "Local") -> str: ...

    function.__annotations__["a"] = "Local"
    try:
        signature = read_signature(function)
    except (NameError, TypeError) as error:
        assert "Local" in str(error)
    else:
        assert signature.schema["properties"]["a"]["properties"] == {"x": {"type": "integer"}}


# Output schemas


class Optionals(BaseModel):
    a: int | None = None
    b: list[int | None] = []
    c: Item | None = None
    d: dict[str, str | None] = {}


class SerializedOtherwise(BaseModel):
    at: datetime.datetime
    kind: Colour
    raw: bytes = b""
    where: pathlib.Path = pathlib.Path("x")
    price: decimal.Decimal = decimal.Decimal("1.5")

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def year(self) -> int:
        return self.at.year


A_DAY = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC)

STRUCTURED: list[tuple[Any, list[Any]]] = [
    (int, [0, -5, 10**20]),
    (float, [0.5, 3]),
    (bool, [True]),
    (Literal["a", "b"], ["a"]),
    (Colour, [Colour.RED, "blue"]),
    (int | None, [None, 3]),
    (str | None, [None, "x"]),
    (Item, [Item(name="x"), {"name": "x"}, Item(name="x", note="n")]),
    (Item | None, [None, Item(name="x")]),
    (Item | Point, [Item(name="x"), Point(1, 2)]),
    (Item | str, [Item(name="x"), "text"]),
    (list[Item], [[], [Item(name="x")]]),
    (list[int | None], [[None, 1]]),
    (list[str], [[], ["a", "b"]]),
    (tuple[int, str], [(1, "x")]),
    (set[int], [{1}]),
    (dict, [{}, {"a": 1}]),
    (dict[str, Any], [{"a": [1, None, {"b": True}]}]),
    (dict[str, int | None], [{"a": None}]),
    (dict[int, str], [{1: "x"}]),
    (Options, [{"width": 1}, {"width": 1, "height": 2}]),
    (Point, [Point(1)]),
    (Place, [Place(1, 2)]),
    (Node, [Node(value=1, children=[Node(value=2)], parent=Node(value=3))]),
    (list[Node], [[Node(value=1)]]),
    (Aliased, [Aliased(fireId="x"), {"fireId": "x"}, {"fire_id": "x"}]),
    (Box, [Box(item=Item(name="x"), more=[Item(name="y")])]),
    (Pair[int | None], [{"left": None, "right": 1}]),
    (Words, [Words(["a"]), ["b"]]),
    (Annotated[Cat | Dog, Field(discriminator="kind")], [Cat(kind="cat", lives=9), {"kind": "dog", "name": "x"}]),
    (Optionals, [Optionals(), Optionals(a=1, b=[None], c=Item(name="x"), d={"x": None})]),
    (SerializedOtherwise, [SerializedOtherwise(at=A_DAY, kind=Colour.RED)]),
    (datetime.datetime, [A_DAY]),
    (uuid.UUID, [uuid.UUID(int=5)]),
    (Result[Item], [Result("text", structured=Item(name="x")), Result(structured={"name": "x"})]),
    (Result[list[int]], [Result(structured=[1, 2])]),
    (Result[Item | None], [Result(structured=Item(name="x"))]),
]


@pytest.mark.parametrize(("annotation", "values"), STRUCTURED, ids=lambda value: names(value))
def test_what_is_returned_always_matches_the_output_schema(annotation: Any, values: list[Any]) -> None:
    function = returning(annotation)
    returns = read_signature(function).returns
    assert returns.schema is not None
    assert_suits_every_client(returns.schema)
    wire = vet_tool(Tool("t", function), "t").wire
    for version in (LEGACY, MODERN):
        assert wire[version]["outputSchema"] == returns.schema
    for value in values:
        structured = result_to_wire(value, returns)["structuredContent"]
        assert isinstance(structured, dict)
        jsonschema.validate(structured, returns.schema, jsonschema.Draft202012Validator)


def test_an_object_is_the_structure_and_anything_else_is_wrapped() -> None:
    assert read_signature(returning(Item)).returns.wrapped is False
    for annotation in (int, list[Item], Item | str, Item | None, Words):
        returns = read_signature(returning(annotation)).returns
        assert returns.wrapped
        assert returns.schema is not None
        assert list(returns.schema["properties"]) == ["result"]
        assert returns.schema["required"] == ["result"]


def test_aliases_and_absent_keys_are_told_in_the_output_schema() -> None:
    schema = read_signature(returning(Aliased)).returns.schema
    assert schema is not None
    assert list(schema["properties"]) == ["fireId"]
    schema = read_signature(returning(Options)).returns.schema
    assert schema is not None
    assert schema["required"] == ["width"]


def test_a_recursive_result_keeps_its_definitions_at_the_root() -> None:
    for annotation in (Node, list[Node]):
        schema = read_signature(returning(annotation)).returns.schema
        assert schema is not None
        assert "$defs" in schema
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    "annotation",
    [
        str,
        Text,
        Image,
        Audio,
        EmbeddedResource,
        ResourceLink,
        Content,
        Annotated[str, "a mark"],
        Text | Image,
        str | Text,
        Image | None,
        Text | Image | None,
        list[Content],
        list[Text | Image],
        tuple[Text, Image],
        tuple[Text, ...],
        list[Content] | str,
        Result | str,
        Result[Text],
        Result[str],
        Result,
        Any,
    ],
    ids=names,
)
def test_text_and_content_have_no_output_schema(annotation: Any) -> None:
    returns = read_signature(returning(annotation)).returns
    assert returns.schema is None
    assert returns.adapter is None
    assert not returns.nothing
    assert "outputSchema" not in vet_tool(Tool("t", returning(annotation)), "t").wire[MODERN]


def test_no_annotation_and_none_have_no_output_schema() -> None:
    def unannotated(): ...  # type: ignore[no-untyped-def]  # noqa: ANN202

    def nothing() -> None: ...

    assert read_signature(unannotated).returns.schema is None
    assert not read_signature(unannotated).returns.nothing
    assert read_signature(nothing).returns.nothing
    assert read_signature(nothing).returns.schema is None


@pytest.mark.parametrize(
    "annotation", [Callable[[], int], type("Odd", (), {}), Iterator[int], list[object()]], ids=names
)  # type: ignore[misc]
def test_a_return_type_that_json_cannot_carry_is_told_in_one_line(annotation: Any) -> None:
    with pytest.raises(TypeError) as caught:
        read_signature(returning(annotation))
    assert "the return type cannot be described as a JSON Schema" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_reading_a_signature_twice_gives_the_same(recwarn: pytest.WarningsRecorder) -> None:
    signatures: list[Signature] = [read_signature(plain) for _ in range(2)]
    assert signatures[0].schema == signatures[1].schema
    assert signatures[0].arguments is not signatures[1].arguments
    assert not recwarn.list


# The decorator


def test_functions_that_one_def_makes_are_read_once() -> None:
    def made(text: str) -> Callable[..., Any]:
        def read(number: int) -> str:
            return f"{text} {number}"

        return read

    assert read_signature(made("a")) is read_signature(made("b"))


def test_functions_that_one_def_makes_with_other_types_or_defaults_are_each_read() -> None:
    def typed(kind: Any) -> Callable[..., Any]:
        def read(value: kind) -> kind:
            return value

        return read

    def with_default(default: Any) -> Callable[..., Any]:
        def read(value: int = default) -> str:
            return str(value)

        return read

    def with_option(option: Any) -> Callable[..., Any]:
        def read(*, value: int = option) -> str:
            return str(value)

        return read

    def schema(function: Callable[..., Any]) -> Any:
        return read_signature(function).schema["properties"]["value"]

    assert [schema(typed(kind)) for kind in (int, str, list[int])] == [
        {"type": "integer"},
        {"type": "string"},
        {"type": "array", "items": {"type": "integer"}},
    ]
    for make in (with_default, with_option):
        assert [schema(make(number)) for number in (1, 2)] == [
            {"type": "integer", "default": 1},
            {"type": "integer", "default": 2},
        ]
    grown = [1]
    listing = with_default(grown)
    assert schema(listing)["default"] == [1]
    grown.append(2)
    assert schema(listing)["default"] == [1, 2]


def test_what_was_changed_of_a_function_is_read_again() -> None:
    def made() -> Callable[..., Any]:
        def read(value: int) -> str:
            return str(value)

        return read

    def other(value: str, more: str) -> str:
        return value + more

    assert set(read_signature(made()).schema["properties"]) == {"value"}
    annotated, wrapping, signed = made(), made(), made()
    annotated.__annotations__["value"] = str
    functools.update_wrapper(wrapping, other)
    signed.__signature__ = inspect.Signature()  # type: ignore[attr-defined]
    assert read_signature(annotated).schema["properties"]["value"] == {"type": "string"}
    assert set(read_signature(wrapping).schema["properties"]) == {"value", "more"}
    assert read_signature(signed).schema["properties"] == {}


def test_a_function_that_cannot_be_described_is_told_each_time() -> None:
    def made() -> Callable[..., Any]:
        def read(value) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001
            return str(value)

        return read

    for _ in range(2):
        with pytest.raises(TypeError, match="parameter value has no annotation"):
            read_signature(made())


def test_the_decorator_takes_name_and_description_from_the_function() -> None:
    @tool
    def greet(name: str) -> str:
        """Greet someone.

        With two paragraphs.
        """
        return f"Hello, {name}!"

    assert (greet.name, greet.description) == ("greet", "Greet someone.\n\nWith two paragraphs.")
    assert greet("you") == "Hello, you!"
    assert greet.input_schema is None


def test_what_is_given_to_the_decorator_wins() -> None:
    @tool(
        name="n",
        description="d",
        title="t",
        annotations={"readOnlyHint": True},
        meta={"a": 1},
        time_limit=2,
        aliases=("x",),
    )
    def greet() -> str:
        """Greet."""
        return ""

    assert greet == Tool("n", greet.handler, "d", None, None, "t", {"readOnlyHint": True}, {"a": 1}, 2, ("x",))
    assert tool(name="", description="")(plain).name == ""


def test_a_partial_is_described_by_the_function_behind_it() -> None:
    def greet(name: str) -> str:
        """Greet someone."""
        return name

    made = tool(functools.partial(functools.partial(greet, name="x")))
    assert (made.name, made.description) == ("greet", "Greet someone.")
