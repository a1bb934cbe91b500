"""Typed tools: every kind of argument and of result, and a count of the calls that reached this code."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,  # pydantic refuses those of typing before Python 3.12
)

from agenthost import Audio, CallContext, EmbeddedResource, Image, ResourceLink, Result, Text, Tool, hookimpl, tool
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

reached = 0


def note() -> None:
    """A call has reached this plugin's code."""
    global reached  # noqa: PLW0603  (the count is the point)
    reached += 1


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    x: int
    y: int = 0
    label: Annotated[str | None, Field(alias="placeLabel")] = None


class Score(TypedDict):
    points: int
    note: NotRequired[str]


@dataclass
class Person:
    name: str
    age: int


class Node(BaseModel):
    value: int
    below: list[Node] = []


@tool
async def kinds(
    text: str = "",
    whole: int = 0,
    number: float = 0.0,
    flag: bool = False,
    items: list[int] | None = None,
    options: dict[str, int] | None = None,
    colour: Colour = Colour.RED,
    size: Literal["small", "large"] = "small",
    place: Place | None = None,
    either: int | str = 0,
    maybe: int | None = None,
    anything: Any = None,
) -> dict[str, Any]:
    """Every kind of argument; tells what it got."""
    note()
    given = dict(locals())
    return {
        **given,
        "colour": colour.value,
        "place": place and place.model_dump(),
        "types": {name: type(value).__name__ for name, value in given.items()},
    }


@tool(aliases=("find", "query"))
def search(query: str, max_results: Annotated[int, Field(alias="maxResults", ge=1, le=50)] = 10) -> str:
    """Search for a text."""
    note()
    return f"{query} ({max_results})"


@tool
async def nothing_needed(ctx: CallContext[Any]) -> str:
    """No argument at all."""
    note()
    return "fine"


@tool
async def odd_names(
    schema: str, model_config: str, self: str, _hidden: str, ctx: CallContext[Any], kwargs: str = "", cls: str = ""
) -> str:
    """Arguments whose names mean something to pydantic or to Python."""
    return f"{schema} {model_config} {self} {_hidden} {kwargs} {cls}".strip()


@tool
async def count() -> dict[str, int]:
    """How many calls reached this plugin, without this one."""
    return {"reached": reached}


# Results


@tool
async def give_model() -> Place:
    return Place.model_validate({"x": 1, "placeLabel": "here"})


@tool
async def give_dataclass() -> Person:
    return Person("Zoë", 36)


@tool
async def give_typed_dict(remark: bool = False) -> Score:
    return {"points": 3, "note": "well"} if remark else {"points": 3}


@tool
async def give_list() -> list[int]:
    return [1, 2, 3]


@tool
async def give_optional(there: bool) -> Person | None:
    return Person("Zoë", 36) if there else None


@tool
async def give_number() -> float:
    return 2.5


@tool
async def give_tree() -> Node:
    return Node(value=1, below=[Node(value=2)])


@tool
async def give_nothing() -> None:
    return None


@tool
async def give_plain():  # noqa: ANN201  (a function without a promise)
    return {"a": [1, "ü"]}


@tool
async def give_result() -> Result[Score]:
    return Result("Three points.", structured={"points": 3}, meta={"k": 1})


@tool
async def give_error() -> Result[Score]:
    return Result("No points: ask later.", is_error=True)


@tool
async def give_blocks() -> list[Text | Image | Audio | EmbeddedResource | ResourceLink]:
    return [
        Text("see"),
        Image(b"\x00\xff", "image/png"),
        Audio(b"\x01", "audio/wav"),
        EmbeddedResource("note://a", "text", "text/plain"),
        EmbeddedResource("note://b", b"\x02"),
        ResourceLink("note://c", "c", size=3),
    ]


@tool
async def give_empty_list_of_blocks() -> list[Text]:
    return []


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [value for value in globals().values() if isinstance(value, Tool)]
