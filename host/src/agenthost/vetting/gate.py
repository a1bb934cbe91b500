"""What all kinds of contributions are checked for."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from agenthost.signatures import Signature, read_signature

LEGACY, MODERN = "2025-11-25", "2026-07-28"
"""The revisions whose shapes stand for the handshake era and for the modern one."""

MAX_TEXT = 64 * 1024
"""Characters of a description or title."""

MAX_MEMBER = 512 * 1024
"""Bytes of one member of a contribution, as JSON."""

MAX_DEPTH = 180
"""Levels of nesting in a member; pydantic's parser, which official clients use, takes 200 for the whole message."""

C = TypeVar("C")


class VettingError(Exception):
    """A contribution cannot be served; `str()` is `field: reason`."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")


@dataclass(frozen=True)
class Vetted(Generic[C]):
    """A contribution that may be listed.

    Attributes:
        item: the contribution.
        wire: how it is listed in each era, by protocol revision, without its name or address.
        signature: what its typed function says; None for a raw handler.
        aliases: further names that it answers to.
        headers: a tool's input schema if some arguments come as HTTP headers too (`x-mcp-header`), else None.
        template: for a resource template, what matches addresses: `match(uri) -> variables | None`.
    """

    item: C
    wire: Mapping[str, Mapping[str, Any]]
    signature: Signature | None = None
    aliases: tuple[str, ...] = ()
    headers: Mapping[str, Any] | None = None
    template: Any = field(default=None, compare=False)


def shown(value: Any) -> str:
    """A value as a person should see it: not whole if it is long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  (the value is the plugin's, and so is its code)
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def check_handler(handler: Any, arguments: Sequence[Any] | None, called_as: str) -> None:
    """Check that a handler can be called; with `arguments` given, that a raw call fits it."""
    if not callable(handler):
        raise VettingError("handler", f"{shown(handler)} cannot be called")
    if arguments is None or _plainly_takes(handler, len(arguments)):
        return
    try:
        inspect.signature(handler).bind(*arguments)
    except TypeError as error:
        raise VettingError("handler", f"is called as {called_as}, and does not take that") from error
    except ValueError:
        return  # a callable without a readable signature: it will show when called


def _plainly_takes(handler: Any, count: int) -> bool:
    """Whether a plain function of exactly so many parameters is what it seems: most are, and that is quick to see."""
    if type(handler) is not FunctionType or handler.__dict__:  # a decorator leaves `__wrapped__` there
        return False
    code = handler.__code__
    starred = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return code.co_argcount == count and not code.co_kwonlyargcount and not starred


def signature_of(handler: Any) -> Signature:
    """What a typed handler's annotations say.

    Raises:
        VettingError: they cannot be described.
    """
    try:
        return read_signature(handler)
    except Exception as error:
        raise VettingError("handler", str(error)) from error


def check_members(item: Any, texts: Sequence[str], objects: Sequence[str]) -> None:
    """Check the types of a contribution's plain attributes and its time limit."""
    for name in texts:
        value = getattr(item, name)
        if value is not None and not isinstance(value, str):
            raise VettingError(name, f"{shown(value)} is not a text")
        if value is not None and len(value) > MAX_TEXT:
            raise VettingError(name, f"{len(value)} characters are too many; at most {MAX_TEXT}")
    for name in objects:
        value = getattr(item, name)
        if value is not None and not isinstance(value, Mapping):
            raise VettingError(name, f"{shown(value)} is not an object")
    limit = item.time_limit
    is_number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
    if limit is not None and not (is_number and math.isfinite(limit) and limit > 0):
        raise VettingError("time_limit", f"{shown(limit)} is not a positive number of seconds")


def check_names(field: str, names: Any, pattern: Any, rule: str) -> None:
    """Check further names against the pattern of the first."""
    if not isinstance(names, tuple):
        raise VettingError(field, f"{shown(names)} is not a tuple of names")
    for name in names:
        if not isinstance(name, str) or not pattern.fullmatch(name):
            raise VettingError(field, f"{shown(name)} is not {rule}")


def present(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that are there: absent ones stay absent, and so do null members of objects.

    A null makes TypeScript clients refuse the whole list.
    """
    return {
        name: {key: member for key, member in value.items() if member is not None}
        if isinstance(value, Mapping)
        else value
        for name, value in members.items()
        if value is not None
    }


def as_json(listed: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that shares nothing with the plugin's objects, which it may go on changing.

    Raises:
        VettingError: a member cannot be written as JSON in UTF-8, or is too large.
    """
    copy: dict[str, Any] = {}
    for name, value in listed.items():
        try:
            if type(value) is str:
                text = value
            else:
                _check_shape(value)
                text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise VettingError(name, f"cannot be written as JSON: {error}") from error
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            raise VettingError(name, "holds half of a surrogate pair, which JSON in UTF-8 cannot carry") from error
        if size > MAX_MEMBER:
            raise VettingError(name, f"{size} bytes as JSON are too many; at most {MAX_MEMBER}")
        copy[name] = text if type(value) is str else json.loads(text)
    return copy


def _check_shape(value: Any, depth: int = 0) -> None:
    """Check what `json.dumps` would let pass: a key that is no text, and more levels than parsers take.

    Raises:
        TypeError: there is such a key.
        ValueError: the value is nested too deeply.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
    if value is None or isinstance(value, (str, int, float)):
        return  # first, since most values are none of the others, and those take longer to tell
    if isinstance(value, Mapping):
        for key, member in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {shown(key)} is not a text")
            _check_shape(member, depth + 1)
    elif isinstance(value, (list, tuple)):
        for member in value:
            _check_shape(member, depth + 1)


def _fault(place: tuple[int | str, ...], reason: str) -> tuple[str, str]:
    """Where a fault is and what it is, without the names of pydantic's own alternatives."""
    if "properties" in place[:-1]:
        name = place[: place.index("properties") + 2]
        return ".".join(map(str, name)), "a property's schema has to be an object"
    return ".".join(map(str, place)), reason


def try_alone(
    method: str,
    member: str,
    identity: Mapping[str, str],
    forms: Mapping[str, Mapping[str, Any]],
    verbatim: Sequence[str] = (),
) -> dict[str, dict[str, Any]]:
    """Put the contribution alone through the SDK's own serialiser, so that a whole list need not be.

    Args:
        method: the list's method, for example `tools/list`.
        member: the list's member in its result, for example `tools`.
        identity: the name or address as a member of the listed object.
        forms: the rest of it, by protocol revision.
        verbatim: members that the serialiser passes but reorders, to be listed as they were given.

    Returns:
        What to list beside the identity, by protocol revision.

    Raises:
        VettingError: the serialiser refuses or drops something.
    """
    from mcp_types.methods import serialize_server_result

    wire: dict[str, dict[str, Any]] = {}
    for version, form in forms.items():
        result: dict[str, Any] = {member: [{**identity, **form}]}
        if version == MODERN:
            result.update(resultType="complete", ttlMs=0, cacheScope="private")
        try:
            listed = serialize_server_result(method, version, result)[member][0]
        except ValidationError as error:
            name, reason = min(_fault(details["loc"][2:], details["msg"]) for details in error.errors())
            raise VettingError(name or member, reason) from error
        except ValueError as error:
            raise VettingError(member, f"cannot be put on the wire: {error}") from error
        if lost := sorted(form.keys() - listed.keys()):
            raise VettingError(lost[0], "would be dropped by the protocol's serialiser")
        kept = {name: form[name] for name in verbatim if name in form}
        wire[version] = {name: value for name, value in {**listed, **kept}.items() if name not in identity}
    return wire
