"""One good tool among bad ones whose faults JSON could not carry: wrong handlers, wrong objects."""

from __future__ import annotations

import threading
from typing import Any

from agenthost import CallContext, Tool, hookimpl, tool


def raw(arguments: dict[str, Any], ctx: CallContext[Any]) -> str:
    return "served"


@tool
def good_typed(count: int = 1) -> str:
    return "served"


@tool
def unannotated_parameter(count):  # noqa: ANN001, ANN201  (that is the fault)
    return "served"


@tool
def nameless_parameters(*counts: int) -> str:
    return "served"


@tool
def nameless_keywords(**counts: int) -> str:
    return "served"


@tool
def positional_parameter(count: int, /) -> str:
    return "served"


@tool
def undescribable_parameter(lock: threading.Lock) -> str:
    return "served"


@tool
def undescribable_result() -> threading.Lock:
    return threading.Lock()


@tool
def unresolvable_parameter(count: Nowhere) -> str:  # type: ignore[name-defined]  # noqa: F821  (that is the fault)
    return "served"


OBJECT = {"type": "object"}

BAD: list[Any] = [
    good_typed,
    unannotated_parameter,
    nameless_parameters,
    nameless_keywords,
    positional_parameter,
    undescribable_parameter,
    undescribable_result,
    unresolvable_parameter,
    Tool("no_handler", None, input_schema=OBJECT),  # type: ignore[arg-type]
    Tool("deaf_handler", lambda: "served", input_schema=OBJECT),
    Tool("unwritable_schema", raw, input_schema={"type": "object", "default": threading.Lock()}),
    Tool("endless_number", raw, input_schema={"type": "object", "default": float("nan")}),
    Tool("circular_schema", raw, input_schema=OBJECT | {"properties": {}}),
    Tool("text_aliases", raw, input_schema=OBJECT, aliases="abc"),  # type: ignore[arg-type]
    Tool("bad_alias", raw, input_schema=OBJECT, aliases=("a b",)),
    Tool("set_annotations", raw, input_schema=OBJECT, annotations={"readOnlyHint"}),  # type: ignore[arg-type]
    Tool(b"bytes", raw, input_schema=OBJECT),  # type: ignore[arg-type]
]
CIRCULAR: Any = BAD[12].input_schema
CIRCULAR["properties"]["self"] = CIRCULAR


@hookimpl
def agenthost_tools() -> list[Any]:
    return BAD
