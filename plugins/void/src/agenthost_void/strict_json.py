"""JSON read strictly: what cannot be passed on to every client unchanged is a fault with its place.

Python's reader keeps the last of two equal keys and takes `NaN`, numbers beyond a double and halves of
surrogate pairs. Other readers differ on each of these, so none may stand in a definition.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 100
"""Levels of nesting; far below what any JSON reader or writer on the way gives up at."""

Place = tuple[str | int, ...]
"""Keys and indexes that lead from the root of a document to a value in it."""

_TOO_DEEP = f"is nested deeper than {MAX_DEPTH} levels"
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        place: where in the document.
        text: what is wrong and what would be right.
    """

    place: Place
    text: str

    def __str__(self) -> str:
        return f"{show_place(self.place)}: {self.text}" if self.place else self.text


@dataclass(frozen=True, slots=True)
class _Object:
    """A JSON object as it was written, keys that repeat included."""

    members: list[tuple[str, Any]]


def decode(text: str) -> tuple[Any, list[Fault]]:
    """Read any text as JSON, losing nothing that is written; the value is for `check` alone."""
    try:
        return json.loads(text, object_pairs_hook=_Object), []
    except json.JSONDecodeError as error:
        fault = f"is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
    except RecursionError:
        fault = _TOO_DEEP
    except ValueError:  # Python reads no integer of more than 4,300 digits
        fault = "holds a number with thousands of digits"
    return None, [Fault((), fault)]


def check(value: Any, place: Place = ()) -> tuple[Any, list[Fault]]:
    """A copy of a decoded value, made of plain dicts and lists, and its faults, each below `place`.

    What has a fault is replaced by something harmless, so that the other rules can be applied to the rest.
    """
    faults: list[Fault] = []
    copy = _copy(value, place, faults)
    return copy, list(dict.fromkeys(faults))


def show_place(place: Place) -> str:
    """A place as people write it: `[0].inputSchema.properties["two words"]`."""
    parts = [
        f".{step}" if isinstance(step, str) and _PLAIN_KEY.fullmatch(step) else f"[{json.dumps(step)}]"
        for step in place
    ]
    return "".join(parts).removeprefix(".")


def type_name(value: Any) -> str:
    """The JSON type of a decoded value, in words; never the value, which may be long or private."""
    if value is None:
        return "null"
    names = {bool: "a boolean", str: "a text", list: "an array", dict: "an object", _Object: "an object"}
    return names.get(type(value), "a number")


def _copy(value: Any, place: Place, faults: list[Fault]) -> Any:
    if len(place) > MAX_DEPTH:
        faults.append(Fault(place[:1], _TOO_DEEP))
        return {}
    if isinstance(value, _Object):
        return _copy_members(value.members, place, faults)
    if isinstance(value, dict):
        return _copy_members(value.items(), place, faults)
    if isinstance(value, list):
        return [_copy(item, (*place, index), faults) for index, item in enumerate(value)]
    if isinstance(value, str):
        return _copy_text(value, place, faults)
    if isinstance(value, (int, float)) and not _is_double(value):
        faults.append(Fault(place, "is not a number that every client can read (NaN, Infinity or too large)"))
        value = 0
    return value


def _copy_members(members: Iterable[tuple[str, Any]], place: Place, faults: list[Fault]) -> dict[str, Any]:
    copy: dict[str, Any] = {}
    for written, value in members:
        inner = (*place, written)
        key = _copy_text(written, inner, faults)
        if key in copy:
            faults.append(Fault(inner, "stands twice in one object"))
        copy[key] = _copy(value, inner, faults)
    return copy


def _copy_text(text: str, place: Place, faults: list[Fault]) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        faults.append(Fault(place, "holds half of a surrogate pair, which is no character"))
        return text.encode(errors="replace").decode()
    return text


def _is_double(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer beyond the range of a double
        return False
