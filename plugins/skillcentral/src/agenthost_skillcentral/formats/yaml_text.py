"""YAML as version 1.2 has it in its core schema, with errors that know their line, and with bounds.

PyYAML's wrapper of libyaml makes the nodes; what they mean is decided here, since PyYAML itself reads YAML 1.1
(`yes` is true, `010` is eight) and takes a key that is there twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from agenthost_skillcentral.formats.problems import FormatError, Path, shown

if not yaml.__with_libyaml__:
    raise ImportError(
        "PyYAML has been built without libyaml here; install its wheel: "
        "pip install --force-reinstall --only-binary pyyaml pyyaml"
    )

from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave out what the module imports

MAX_DEPTH = 60
"""Levels of nesting; a third of what the host lets pass, for what is built around a skill."""

MAX_NODES = 50_000
"""Values in one file, those behind aliases counted as often as they are used."""

_TOO_DEEP = f"is nested more than {MAX_DEPTH} levels deep"
_PLAIN = "plain"
_STR = "tag:yaml.org,2002:str"
_COLLECTIONS: dict[type[yaml.Node], str] = {
    MappingNode: "tag:yaml.org,2002:map",
    SequenceNode: "tag:yaml.org,2002:seq",
}
_TYPED: dict[str, tuple[type, ...]] = {
    "tag:yaml.org,2002:null": (type(None),),
    "tag:yaml.org,2002:bool": (bool,),
    "tag:yaml.org,2002:int": (int,),
    "tag:yaml.org,2002:float": (float, int),
}
_CONSTANTS: dict[str, bool | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_SPECIAL_STARTS = frozenset("0123456789+-.~nNtTfF")
"""What a text without quotes begins with if it may be more than a text."""

_INTEGER = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_OLD_BREAKS = ("\x85", "\u2028", "\u2029")
_PRIVATE_USE = range(0xE000, 0xF900)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")


class _Nodes(CParser):
    """libyaml's composer, which asks for the tags of nodes that have none.

    It calls itself for each level of nesting, and libyaml has a limit from 0.2.6 on only: without one of our own, a
    file of brackets would end the process.
    """

    _depth = 0

    def resolve(self, kind: type[yaml.Node], _value: str | None, implicit: Any) -> str:
        if kind is ScalarNode:
            return _PLAIN if implicit[0] else _STR
        return _COLLECTIONS[kind]

    def descend_resolver(self, parent: yaml.Node | None, _index: Any) -> None:
        """One level deeper; a scalar counts as one, too."""
        self._depth += 1
        if self._depth > MAX_DEPTH + 1 and parent is not None:
            raise _too_deep(parent)

    def ascend_resolver(self) -> None:
        """One level back."""
        self._depth -= 1


def parse(text: str) -> Any:
    """What a YAML document says, as JSON values.

    Raises:
        FormatError: it is no such document; with the line.
    """
    hidden = _hidden_breaks(text)
    node = _compose(text, hidden)
    back = {ord(stand_in): chr(letter) for letter, stand_in in hidden.items()}
    return None if node is None else _Builder(back).value(node, 0)


def locate(text: str, path: Path) -> tuple[int, int] | None:
    """Line and column of a member, or of the nearest one around it that is there; None if the text cannot be read."""
    try:
        node = compose(text)
    except FormatError:
        return None
    if node is None:
        return None
    mark = node.start_mark
    for step in path:
        found = None
        if isinstance(node, MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == step), None)
        elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
            found = node.value[step], node.value[step]
        if found is None:
            break
        mark, node = found[0].start_mark, found[1]
    return mark.line + 1, mark.column + 1


def compose(text: str) -> yaml.Node | None:
    """The nodes of a YAML document, which know where in the text they stand; None for an empty one.

    Raises:
        FormatError: it is no such document; with the line.
    """
    return _compose(text, _hidden_breaks(text))


def _hidden_breaks(text: str) -> dict[int, str]:
    """Stand-ins for the letters that end a line for libyaml, as in YAML 1.1, and do not in 1.2."""
    if text.isascii():
        return {}
    present = [letter for letter in _OLD_BREAKS if letter in text]
    unused = (chr(code) for code in _PRIVATE_USE if chr(code) not in text)
    return {ord(letter): stand_in for letter, stand_in in zip(present, unused, strict=False)}


def _compose(text: str, hidden: dict[int, str]) -> yaml.Node | None:
    if hidden:
        text = text.translate(hidden)
    try:
        node: yaml.Node | None = _Nodes(text).get_single_node()
    except yaml.reader.ReaderError:
        found = _CONTROL.search(text)
        where = text.count("\n", 0, found.start()) + 1 if found else None
        raise FormatError("holds a control character", where) from None
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text) from None
    except UnicodeEncodeError:
        raise FormatError("holds half of a surrogate pair") from None
    return node


def _explained(error: yaml.MarkedYAMLError, text: str) -> FormatError:
    """The parser's complaint, with what to do about the usual ones."""
    mark = error.problem_mark or error.context_mark
    problem = error.problem or "cannot be read as YAML"
    if problem == "but found another document":
        problem = "holds a second document; a file is one skill"
    elif problem == "exceeded maximum nesting depth":
        problem = _TOO_DEEP
    elif problem.startswith("mapping values are not allowed"):
        problem = "a colon makes a new member, which cannot begin here; put a text that has a colon in quotes"
    elif error.context and not error.context.startswith("found"):
        problem = f"{problem}, {error.context}"
    if mark is None:
        return FormatError(problem)
    lines = text.split("\n")
    line = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in line[: mark.column + 1] and ("tab" in problem or "cannot start any token" in problem):
        problem = "a tab is not allowed here; YAML is indented with blanks"
    return FormatError(problem, mark.line + 1, mark.column + 1)


class _Builder:
    """Builds the values of one document's nodes; `back` says which letters stand for others in their texts."""

    def __init__(self, back: dict[int, str]) -> None:
        self._back = back
        self._count = 0

    def value(self, node: yaml.Node, depth: int) -> Any:
        """What a node stands for; an alias that stands inside of itself is nested without end."""
        kind = node.__class__
        if kind is ScalarNode:
            scalar = _scalar(node)
            return scalar.translate(self._back) if self._back and isinstance(scalar, str) else scalar
        if depth >= MAX_DEPTH:
            raise _too_deep(node)
        if node.tag != _COLLECTIONS[kind]:
            raise _at(node, f"the tag {shown(node.tag)} is not known here")
        items = node.value
        self._count += len(items)
        if self._count > MAX_NODES:
            raise _at(node, f"holds more than {MAX_NODES} values, each alias counted as what it stands for")
        if kind is SequenceNode:
            return [self.value(item, depth + 1) for item in items]
        built: dict[str, Any] = {}
        for key, value in items:
            name = key.value if key.tag is _PLAIN and key.value != "<<" else _key(key)
            if self._back:
                name = name.translate(self._back)
            if name in built:
                raise _at(key, f"the member {shown(name)} is there twice")
            built[name] = self.value(value, depth + 1)
        return built


def _at(node: yaml.Node, reason: str) -> FormatError:
    return FormatError(reason, node.start_mark.line + 1, node.start_mark.column + 1)


def _too_deep(node: yaml.Node) -> FormatError:
    return _at(node, _TOO_DEEP)


def _key(node: yaml.Node) -> str:
    """The name of a member: whatever its text would be as a value, it is a text here, as in JSON."""
    if not isinstance(node, ScalarNode):
        raise _at(node, "the name of a member has to be a text")
    if node.tag == _PLAIN:
        raise _at(node, "<< merges in YAML 1.1 only; write the members out")
    if node.tag != _STR:
        raise _at(node, f"the tag {shown(node.tag)} is not known here")
    value: str = node.value
    return value


def _scalar(node: yaml.Node) -> Any:
    tag, text = node.tag, node.value
    if tag is _PLAIN:
        if text and text[0] not in _SPECIAL_STARTS:
            return text
        return _plain(text, node)
    if tag == _STR:
        return text
    if tag not in _TYPED:
        raise _at(node, f"the tag {shown(tag)} is not known here")
    value = _plain(text, node)
    if not isinstance(value, _TYPED[tag]) or (isinstance(value, bool) and bool not in _TYPED[tag]):
        raise _at(node, f"{shown(text)} is not of the type that its tag names")
    return value


def _plain(text: str, node: yaml.Node) -> Any:
    """A text without quotes, as the core schema of YAML 1.2 takes it."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    for pattern, read in _NUMBERS:
        if pattern.fullmatch(text):
            try:
                number = read(text)
            except ValueError:  # Python reads at most 4,300 digits
                raise _at(node, "the number is too long") from None
            if number in {float("inf"), float("-inf")}:
                raise _at(node, "the number is too large")
            return number
    if _NOT_FINITE.fullmatch(text):
        raise _at(node, f"{text} is not a number that JSON has; put it in quotes if it is a text")
    return text


_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], int | float]], ...] = (
    (_INTEGER, int),
    (_OTHER_BASE, lambda text: int(text, 0)),
    (_FLOAT, float),
)
