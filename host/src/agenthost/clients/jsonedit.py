"""One member of a JSON text, put in or taken out with every other byte left as it is.

A text is never parsed and written again. The members on the way to the wanted one are found with
their places, and only there the text is changed, in the style of what stands around it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from agenthost.clients.formats import NotEditable

BOM = "\ufeff"

_BLANK = re.compile(r"[ \t\n\r]*")
_NEWLINE = re.compile(r"\r\n|\n|\r")
_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=[ \t\n\r]*[}\]])')


class NotPlainJson(NotEditable):
    """The text cannot be edited exactly; says why and where."""


def read(text: str) -> dict[str, Any]:
    """The object that `text` is; a blank text is an empty one.

    Raises:
        NotPlainJson: it is not one JSON object without comments, trailing commas and repeated keys.
    """
    start = _start(text)
    if not text[start:].strip(" \t\n\r"):
        return {}
    try:
        document = _DECODER.decode(text[start:])
    except json.JSONDecodeError as error:
        raise NotPlainJson(_explain(text, start + error.pos, error.msg)) from error
    except RecursionError:
        raise NotPlainJson("it is nested too deeply") from None
    except NotPlainJson:
        raise
    except ValueError:
        raise NotPlainJson("it has a number with more digits than Python reads") from None
    if not isinstance(document, dict):
        raise NotPlainJson("its top level is not an object")
    return document


def read_leniently(text: str) -> dict[str, Any] | None:
    """Like `read`, but comments and trailing commas are passed over; None if that is not enough."""
    bare = _STRING_OR_COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    bare = _STRING_OR_LAST_COMMA.sub(lambda found: found[0] if found[0][0] == '"' else " ", bare)
    try:
        return read(bare)
    except NotPlainJson:
        return None


def put(text: str, path: Sequence[str], value: Any) -> str:
    """`text` with the member at `path` set to `value`; objects on the way to it are made where they are missing.

    A new member comes behind the last one of its object, laid out like that one.

    Raises:
        NotPlainJson: the text cannot be edited exactly, or something on the way is not an object.
    """
    if not read(text):
        return _put_first(text, path, value)
    found = _object_at(text, _start(text))
    for depth, key in enumerate(path, start=1):
        member = found.member(key)
        if member is None:
            return _insert(text, found, key, _nested(path[depth:], value))
        if depth == len(path):
            return _replace(text, found, member, value)
        found = _descend(text, member)
    raise AssertionError("a path has at least one key")


def remove(text: str, path: Sequence[str]) -> str:
    """`text` without the member at `path`; unchanged if there is none. The object around it stays, even if empty.

    Raises:
        NotPlainJson: the text cannot be edited exactly, or something on the way is not an object.
    """
    if not read(text):
        return text
    found = _object_at(text, _start(text))
    for key in path[:-1]:
        member = found.member(key)
        if member is None:
            return text
        found = _descend(text, member)
    member = found.member(path[-1])
    if member is None:
        return text
    position = found.members.index(member)
    if position:
        begin, end = found.members[position - 1].end, member.end
    elif len(found.members) > 1:
        begin, end = member.start, found.members[1].start
    else:
        begin, end = found.start + 1, found.end - 1
    return text[:begin] + text[end:]


def undo(text: str, path: Sequence[str], earlier: Iterable[str]) -> str | None:
    """The text among `earlier` out of which `put` made `text`, whatever the value was; None if it is none of them.

    `remove` cannot know whether the object around the last member was there before, nor which
    blanks were in it. Who has kept the earlier text can have it back exactly.

    Raises:
        NotPlainJson: `text` cannot be edited exactly.
    """
    around = put(text, path, None)
    for candidate in earlier:
        try:
            if not has(candidate, path) and put(candidate, path, None) == around:
                return candidate
        except NotPlainJson:
            continue
    return None


def render(path: Sequence[str], value: Any) -> str:
    """The member as it stands in the object around it, in lines."""
    lines = json.dumps({path[-1]: value}, ensure_ascii=False, indent=2).splitlines()
    return "\n".join(line[2:] for line in lines[1:-1])


def has(text: str, path: Sequence[str]) -> bool:
    """Whether there is a member at `path`.

    Raises:
        NotPlainJson: the text cannot be read exactly.
    """
    value: Any = read(text)
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


# Reading


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in members if keys.count(key) > 1)
        raise NotPlainJson(f"the key {json.dumps(repeated)} stands twice in one object")
    return members


def _no_constant(word: str) -> NoReturn:
    raise NotPlainJson(f"{word} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def _start(text: str) -> int:
    return 1 if text.startswith(BOM) else 0


def _explain(text: str, position: int, message: str) -> str:
    """Why the text is no JSON at that position, in the words of people who edit such files."""
    here = _skip(text, position)
    if text.startswith(("//", "/*"), here):
        return f"{_line(text, here)} has a comment"
    before = len(text[:position].rstrip(" \t\n\r")) - 1
    comma = before if text[before] == "," else here
    if text[comma : comma + 1] == "," and text[_skip(text, comma + 1) :][:1] in {"}", "]"}:
        return f"{_line(text, comma)} has a trailing comma"
    return f"{_line(text, position)} is not JSON ({message})"


def _line(text: str, position: int) -> str:
    return f"line {len(_NEWLINE.findall(text, 0, position)) + 1}"


@dataclass(frozen=True)
class _Member:
    """A member of an object: its key, and where in the text key and value are."""

    key: str
    start: int
    key_end: int
    value_start: int
    end: int


@dataclass(frozen=True)
class _Object:
    """An object: where its braces are, and its members."""

    start: int
    end: int
    members: tuple[_Member, ...]

    def member(self, key: str) -> _Member | None:
        return next((member for member in self.members if member.key == key), None)


def _skip(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    assert found is not None
    return found.end()


def _object_at(text: str, position: int) -> _Object:
    """The object that begins at or behind `position`, in a text that `read` accepts."""
    start = _skip(text, position)
    members: list[_Member] = []
    position = _skip(text, start + 1)
    while text[position] != "}":
        key, key_end = _DECODER.raw_decode(text, position)
        value_start = _skip(text, _skip(text, key_end) + 1)
        _, end = _DECODER.raw_decode(text, value_start)
        members.append(_Member(key, position, key_end, value_start, end))
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return _Object(start, position + 1, tuple(members))


def _descend(text: str, member: _Member) -> _Object:
    if text[member.value_start] != "{":
        raise NotPlainJson(f"{json.dumps(member.key)} is not an object")
    return _object_at(text, member.value_start)


# Writing


@dataclass(frozen=True)
class _Style:
    """How to lay out a value: `step` is one more level of indentation, None means all on one line."""

    step: str | None
    margin: str
    newline: str
    comma: str
    colon: str

    def render(self, value: Any) -> str:
        if self.step is None:
            return json.dumps(value, ensure_ascii=False, separators=(self.comma, self.colon))
        text = json.dumps(value, ensure_ascii=False, indent=self.step, separators=(",", self.colon))
        return text.replace("\n", self.newline + self.margin)

    def member(self, key: str, value: Any) -> str:
        return json.dumps(key, ensure_ascii=False) + self.colon + self.render(value)


def _put_first(text: str, path: Sequence[str], value: Any) -> str:
    """Fill a blank text, or one that is `{}`, with the one member, one level a line."""
    newline = _newline(text)
    style = _Style("  ", "", newline, ", ", ": ")
    body = style.render(_nested(path, value))
    start = _start(text)
    opening = text.find("{", start)
    if opening < 0:
        return text[:start] + body + newline
    return text[:opening] + body + text[text.rindex("}") + 1 :]


def _insert(text: str, found: _Object, key: str, value: Any) -> str:
    if not found.members:
        style = _style_inside(text, found)
        if style.step is None:
            inner = style.member(key, value)
        else:
            closing = style.newline + _line_margin(text, found.start)
            inner = f"{style.newline}{style.margin}{style.member(key, value)}{closing}"
        return text[: found.start + 1] + inner + text[found.end - 1 :]
    last = found.members[-1]
    style = _style_of(text, found, last)
    gap = style.newline + style.margin if style.step is not None else style.comma[1:]
    return f"{text[: last.end]},{gap}{style.member(key, value)}{text[last.end :]}"


def _replace(text: str, found: _Object, member: _Member, value: Any) -> str:
    style = _style_of(text, found, member)
    old = text[member.value_start : member.end]
    if old[0] in "{[" and not _NEWLINE.search(old) and len(old) > 2:
        style = _Style(None, "", "", style.comma, style.colon)
    return text[: member.value_start] + style.render(value) + text[member.end :]


def _style_of(text: str, found: _Object, member: _Member) -> _Style:
    """The style in which `member` of `found` is laid out."""
    gap = _gap(text, found, member)
    colon = _colon(text, member)
    newline = _NEWLINE.search(gap)
    if newline is None:
        spaced = gap if found.members.index(member) else (" " if colon.endswith(" ") else "")
        return _Style(None, "", "", f",{spaced}", colon)
    margin = _margin(text, member.start)
    return _Style(_step(text, found, margin), margin, newline[0], ", ", colon)


def _style_inside(text: str, empty: _Object) -> _Style:
    """The style for the first member of an empty object, taken from what stands around the object."""
    around = _object_at(text, _start(text))
    while around.start < empty.start:
        holder = next(member for member in around.members if member.value_start <= empty.start < member.end)
        style = _style_of(text, around, holder)
        around = _object_at(text, holder.value_start)
    if style.step is None:
        return style
    margin = _line_margin(text, empty.start) + style.step
    return _Style(style.step, margin, style.newline, ", ", style.colon)


def _step(text: str, found: _Object, margin: str) -> str:
    """One level of indentation for members of `found`, which begin at `margin`."""
    for member in found.members:
        if text[member.value_start] == "{":
            inner = _object_at(text, member.value_start)
            if inner.members and _NEWLINE.search(_gap(text, inner, inner.members[0])):
                deeper = _margin(text, inner.members[0].start)
                if deeper.startswith(margin) and deeper != margin:
                    return deeper.removeprefix(margin)
    outer = _line_margin(text, found.start)
    return margin.removeprefix(outer) if margin.startswith(outer) else "  "


def _gap(text: str, found: _Object, member: _Member) -> str:
    """The blanks before a member, behind the brace or comma."""
    position = found.members.index(member)
    begin = found.start if not position else text.index(",", found.members[position - 1].end)
    return text[begin + 1 : member.start]


def _colon(text: str, member: _Member) -> str:
    colon = text[member.key_end : member.value_start]
    return ": " if _NEWLINE.search(colon) else colon


def _margin(text: str, position: int) -> str:
    """The blanks directly before `position`, up to the beginning of its line."""
    begin = position
    while begin and text[begin - 1] in " \t":
        begin -= 1
    return text[begin:position]


def _line_margin(text: str, position: int) -> str:
    """The indentation of the line in which `position` is."""
    begin = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
    end = begin
    while text[end] in " \t":
        end += 1
    return text[begin:end]


def _newline(text: str) -> str:
    found = _NEWLINE.search(text)
    return found[0] if found else "\n"


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value
