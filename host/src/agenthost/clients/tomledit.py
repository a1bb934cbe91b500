"""One member of a TOML text, put in or taken out with every other byte left as it is.

A text is never parsed and written again. It is cut into statements (a header of a table, or a key with its
value); only those of the wanted member are touched, and each of them alone is given to tomlkit, which keeps its
layout and comment. What comes out is read and compared before it is returned.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import tomlkit

from agenthost.clients.formats import NotEditable
from agenthost.toml_text import inline, key

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'  # up to two quotes may stand directly before the three that end it
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[\]{}\n]",
    re.DOTALL,
)
_WORD = r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)"""
_KEY = re.compile(rf"\s*({_WORD}(?:\s*\.\s*{_WORD})*)")


class NotPlainToml(NotEditable):
    """The text cannot be edited exactly; says why and where."""


def read(text: str) -> dict[str, Any]:
    """The table that `text` is.

    Raises:
        NotPlainToml: it is not TOML 1.0.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).removesuffix(")").rpartition(" (at ")
        line = re.match(r"line \d+", place)
        raise NotPlainToml(f"{line[0] if line else 'its end'} is not TOML ({reason})") from error
    except RecursionError:
        raise NotPlainToml("it is nested too deeply") from None
    except ValueError:
        raise NotPlainToml("it has a number with more digits than Python reads") from None


def read_leniently(text: str) -> dict[str, Any] | None:  # noqa: ARG001 - as in jsonedit
    """None: comments and the like are plain TOML, so there is nothing to be lenient about."""
    return None


def put(text: str, path: Sequence[str], value: Any) -> str:
    """`text` with the member at `path` set to `value`.

    What is there is changed in the form that it has: under a header of its own, with dotted keys, or as an
    inline table. A new table comes at the end, a new member behind the last one of its table.

    Raises:
        NotPlainToml: the text cannot be edited exactly, or something on the way is not a table.
    """
    expected = copy.deepcopy(read(text))
    _table(expected, path[:-1])[path[-1]] = value
    return _checked(_put(text, tuple(path), value), expected)


def remove(text: str, path: Sequence[str]) -> str:
    """`text` without the member at `path`; unchanged if there is none. Comments behind its last line stay.

    Raises:
        NotPlainToml: the text cannot be edited exactly, or something on the way is not a table.
    """
    document = read(text)
    if not _has(document, path):
        return text
    expected = copy.deepcopy(document)
    del _table(expected, path[:-1])[path[-1]]
    new = _remove(text, tuple(path))
    found = read(new)
    if not _table(expected, path[:-1]) and not _has(found, path[:-1]):
        _table(found, path[:-1])  # a table that was there only because of its member is gone with it
    return _checked(new, expected, found)


def undo(text: str, path: Sequence[str], earlier: Iterable[str]) -> str | None:
    """The text among `earlier` out of which `put` made `text`, whatever the value was; None if it is none of them.

    Raises:
        NotPlainToml: `text` cannot be edited exactly.
    """
    around = remove(text, path)
    for candidate in earlier:
        try:
            if not _has(read(candidate), path) and remove(put(candidate, path, {}), path) == around:
                return candidate
        except NotPlainToml:
            continue
    return None


def render(path: Sequence[str], value: Any) -> str:
    """The member as a table with a header of its own."""
    lines = [f"[{'.'.join(map(key, path))}]"]
    lines += [f"{key(name)} = {inline(item)}" for name, item in value.items()]
    return "\n".join(lines)


# Reading


@dataclass(frozen=True)
class _Statement:
    """A statement: its kind, the table in which it stands, what it defines, and where in the text its lines are."""

    kind: Literal["header", "value", "nothing"]
    table: tuple[str, ...]
    path: tuple[str, ...]
    start: int
    end: int


def _statements(text: str) -> Iterator[_Statement]:
    """The statements of a text that `read` accepts; a comment or a blank line is one that defines nothing."""
    table: tuple[str, ...] = ()
    for start, end in _lines(text):
        line = text[start:end].lstrip(" \t")
        if line.startswith("["):
            found = _KEY.match(line.lstrip("["))
            assert found is not None
            table = _words(found[1])
            yield _Statement("header", table, table, start, end)
        elif found := _KEY.match(line):
            yield _Statement("value", table, (*table, *_words(found[1])), start, end)
        else:
            yield _Statement("nothing", table, (), start, end)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Where each statement begins and ends, its line end included: a value may go over several lines."""
    start = depth = 0
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
            case "\n" if not depth:
                yield start, token.end()
                start = token.end()
    if start < len(text):
        yield start, len(text)


def _words(dotted: str) -> tuple[str, ...]:
    """The words of a dotted key."""
    words: list[str] = []
    value: Any = tomllib.loads(f"{dotted} = 0")
    while isinstance(value, dict):
        [(word, value)] = value.items()
        words.append(word)
    return tuple(words)


def _has(document: Any, path: Sequence[str]) -> bool:
    for word in path:
        if not isinstance(document, dict) or word not in document:
            return False
        document = document[word]
    return True


def _table(document: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """The table at `path`, made if it is missing."""
    for word in path:
        document = document.setdefault(word, {})
        if not isinstance(document, dict):
            raise NotPlainToml(f'"{word}" is not a table')
    return document


# Writing


def _put(text: str, path: tuple[str, ...], value: Any) -> str:
    statements = list(_statements(text))
    holder = next((found for found in statements if found.kind == "value" and _leads(found.path, path)), None)
    if holder is not None:
        return _edited(text, holder, path, value)
    anchor = _anchor(statements, path[:-1])
    newline = "\r\n" if "\r\n" in text else "\n"
    if anchor is None or isinstance(value, dict):
        members = (path, value) if isinstance(value, dict) else (path[:-1], {path[-1]: value})
        before = text if not text or text.endswith("\n") else text + newline
        gap = newline if before.strip() and not before.endswith(newline * 2) else ""
        return before + gap + render(*members).replace("\n", newline) + newline
    line = text[anchor.start : anchor.end]
    margin = line[: len(line) - len(line.lstrip(" \t"))]
    start = "" if line.endswith("\n") else newline
    member = ".".join(map(key, path[len(anchor.table) :]))
    added = f"{start}{margin}{member} = {inline(value)}{'' if start else newline}"
    return text[: anchor.end] + added + text[anchor.end :]


def _leads(shorter: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return path[: len(shorter)] == shorter


def _anchor(statements: Sequence[_Statement], table: tuple[str, ...]) -> _Statement | None:
    """The statement behind which a new member of `table` comes: the last of its members, else its header."""
    anchor = None
    for found in statements:
        if (found.kind == "header" and found.path == table) or (
            found.kind == "value" and len(found.table) <= len(table) < len(found.path) and _leads(table, found.path)
        ):
            anchor = found
    return anchor


def _edited(text: str, holder: _Statement, path: tuple[str, ...], value: Any) -> str:
    """`text` with the one statement in which the member is, or into which it belongs, changed; None takes it out."""
    statement = text[holder.start : holder.end]
    ending = statement[len(statement.rstrip("\r\n")) :]
    document = tomlkit.parse(statement.removesuffix(ending))
    table: Any = document
    *way, last = path[len(holder.table) :]
    for word in way:
        table = table[word]
    if value is None:
        del table[last]
    else:
        table[last] = value
    return f"{text[: holder.start]}{tomlkit.dumps(document)}{ending}{text[holder.end :]}"


def _remove(text: str, path: tuple[str, ...]) -> str:
    statements = list(_statements(text))
    holder = next(
        (found for found in statements if found.kind == "value" and _leads(found.path, path) and found.path != path),
        None,
    )
    if holder is not None:
        return _edited(text, holder, path, None)
    kept: list[str] = []
    position = 0
    while position < len(statements):
        found = statements[position]
        if found.kind == "nothing" or not _leads(path, found.path):
            kept.append(text[found.start : found.end])
            position += 1
            continue
        position = _behind(statements, position, path)
        following = statements[position:]
        if kept and not kept[-1].strip() and (not following or not _line(text, following[0]).strip()):
            kept.pop()  # of the blank lines before and behind it one stays, at the end none
    return "".join(kept)


def _behind(statements: Sequence[_Statement], position: int, path: tuple[str, ...]) -> int:
    """The position behind the last statement of the member that begins at `position`."""
    last = position
    for number in range(position, len(statements)):
        found = statements[number]
        if found.kind != "nothing":
            if not _leads(path, found.path):
                break
            last = number
    return last + 1


def _line(text: str, statement: _Statement) -> str:
    return text[statement.start : statement.end]


def _checked(new: str, expected: dict[str, Any], found: dict[str, Any] | None = None) -> str:
    """`new`, if it means what it should."""
    if (read(new) if found is None else found) != expected:
        raise NotPlainToml("it is written in a way that cannot be edited exactly")
    return new
