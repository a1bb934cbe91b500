"""Which projects a skill is for, changed in the text of its file; every other byte of the file stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from agenthost_skillcentral.formats import json_text, yaml_text
from agenthost_skillcentral.formats.encoding import decode
from agenthost_skillcentral.formats.problems import FormatError
from agenthost_skillcentral.writing.places import NotWritten

MEMBER = "appliesTo"

_MARK = b"\xef\xbb\xbf"
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\r\n]*")


def set_scope(data: bytes, projects: Sequence[str] | None, file: Path) -> bytes:
    """The content of a skill's file with another `appliesTo`.

    Args:
        data: what the file holds.
        projects: the ids of the projects; None is all.
        file: its name says the format.

    Raises:
        NotWritten: the file is of a kind that has no such member, or written in a way that cannot be edited safely.
    """
    if file.suffix.lower() not in {".yaml", ".yml", ".json"}:
        raise NotWritten(f"{file.name} is an Agent Skill, and those are for all projects")
    parse = json_text.parse if file.suffix.lower() == ".json" else yaml_text.parse
    wanted: Any = "global" if projects is None else {"projects": list(projects)}
    by_hand = f"{file.name} is written in a way that cannot be edited safely; write by hand: {MEMBER}: {_flow(wanted)}"
    try:
        members = parse(decode(data))
        text = data.removeprefix(_MARK).decode()
        root = yaml_text.compose(text)
    except (FormatError, UnicodeDecodeError) as error:
        raise NotWritten(f"{file.name} cannot be read: {error}") from None
    if not isinstance(root, MappingNode) or not root.value:
        raise NotWritten(by_hand)
    changed = _edited(text, root, wanted)
    try:
        right = changed is not None and parse(decode(changed.encode())) == {**members, MEMBER: wanted}
    except FormatError:
        right = False
    if changed is None or not right:
        raise NotWritten(by_hand)
    return (_MARK if data.startswith(_MARK) else b"") + changed.encode()


def _edited(text: str, root: MappingNode, wanted: Any) -> str | None:
    """The text with the member set; None if a comment would be lost."""
    break_ = "\r\n" if "\r\n" in text else "\n"
    found = next(((key, value) for key, value in root.value if key.value == MEMBER), None)
    if found is None:
        key, value = next(((key, value) for key, value in root.value if key.value == "id"), root.value[0])
        return _inserted(text, root, key, value, wanted, break_)
    key, value = found
    quoted = text[key.start_mark.index] == '"'
    start, end = key.end_mark.index, _end(value)
    comments = list(_comments(text, start, value))
    if comments and root.flow_style:
        return None
    line = text.rfind("\n", 0, key.start_mark.index) + 1
    indent = text[line : key.start_mark.index]
    above = "".join(f"{indent}{comment}{break_}" for comment in comments)
    put = json.dumps(wanted, ensure_ascii=False) if quoted else _flow(wanted)
    return f"{text[:line]}{above}{text[line:start]}: {put}{text[end:]}"


def _inserted(text: str, root: MappingNode, key: Node, value: Node, wanted: Any, break_: str) -> str:
    """The text with the member after the one of a key."""
    quoted = text[key.start_mark.index] == '"'
    line = text.rfind("\n", 0, key.start_mark.index) + 1
    indent = text[line : key.start_mark.index]
    if root.flow_style:
        put = f'"{MEMBER}": {json.dumps(wanted, ensure_ascii=False)}' if quoted else f"{MEMBER}: {_flow(wanted)}"
        gap = f"{break_}{indent}" if not indent.strip() else " "
        end = value.end_mark.index
        return f"{text[:end]},{gap}{put}{text[end:]}"
    end = text.find("\n", value.end_mark.index)
    before, after = (text[: end + 1], text[end + 1 :]) if end >= 0 else (text + break_, "")
    return f"{before}{indent}{MEMBER}: {_flow(wanted)}{break_}{after}"


def _flow(wanted: Any) -> str:
    """The value on one line of YAML."""
    return wanted if isinstance(wanted, str) else f"{{projects: {json.dumps(wanted['projects'], ensure_ascii=False)}}}"


def _end(node: Node) -> int:
    """Where a value ends: a block ends with its last leaf, not with the blanks and comments behind it."""
    if isinstance(node, CollectionNode) and not node.flow_style and node.value:
        return max(_end(child) for child in _children(node))
    return int(node.end_mark.index)


def _children(node: Node) -> Iterator[Node]:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            yield from (key, value)
    elif isinstance(node, SequenceNode):
        yield from node.value


def _leaves(node: Node) -> Iterator[Node]:
    if isinstance(node, ScalarNode):
        yield node
    for child in _children(node):
        yield from _leaves(child)


def _comments(text: str, start: int, value: Node) -> Iterator[str]:
    """The comments between the texts of a value."""
    for leaf in _leaves(value):
        yield from (match[0] for match in _COMMENT.finditer(text[start : leaf.start_mark.index]))
        start = max(start, leaf.end_mark.index)
