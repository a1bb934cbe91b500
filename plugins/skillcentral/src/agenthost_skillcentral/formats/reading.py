"""From the bytes of one file to the skill in it, or to what is wrong and in which line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agenthost_skillcentral.formats import folders, json_text, legacy, universal, yaml_text
from agenthost_skillcentral.formats.encoding import decode
from agenthost_skillcentral.formats.problems import FormatError, Problems, field_name, shown
from agenthost_skillcentral.model import Fault, Layer, Skill

SKILL_FILE = "SKILL.md"
"""The file that makes a folder an Agent Skill."""

SUFFIXES = (".yaml", ".yml", ".json")
"""Endings of the files that hold one skill each, in lower case."""

MAX_BYTES = 1024 * 1024
"""The longest file; twice of what the host lets one description or schema be."""


def read_skill(data: bytes, source: Path, layer: Layer) -> tuple[Skill | None, tuple[Fault, ...]]:
    """The skill in a file, or what is wrong with it; never both.

    Args:
        data: the file's content, at most one byte more than `MAX_BYTES`.
        source: the file, absolute.
        layer: where it was found.
    """
    if len(data) > MAX_BYTES:
        return None, (Fault(source, f"has more than {MAX_BYTES} bytes"),)
    name = source.name
    try:
        text, body = decode(data), ""
        if name == SKILL_FILE:
            text, body = folders.split(text)
        members = _parse(text, name)
    except FormatError as error:
        return None, (Fault(source, str(error), error.line, error.column),)
    problems = Problems()
    if name == SKILL_FILE:
        skill = folders.skill(members, body, data, layer, source, problems)
    elif "schemaVersion" in members:
        skill = universal.skill(members, layer, source, problems)
    else:
        skill = legacy.skill(members, layer, source, problems)
    if problems.found:
        return None, _faults(problems, text, source)
    return skill, ()


def _parse(text: str, name: str) -> dict[str, Any]:
    members = json_text.parse(text) if name.lower().endswith(".json") else yaml_text.parse(text)
    if not isinstance(members, dict):
        raise FormatError(f"has to hold an object with members like id and type, not {shown(members)}", 1)
    return members


def _faults(problems: Problems, text: str, source: Path) -> tuple[Fault, ...]:
    """The problems with their lines, which the text is read for once more: JSON is YAML for that."""
    faults = []
    for path, reason in problems.found:
        line, column = yaml_text.locate(text, path) or (None, None)
        faults.append(Fault(source, reason, line, column, field_name(path)))
    return tuple(faults)
