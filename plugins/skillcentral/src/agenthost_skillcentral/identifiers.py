"""Which ids a skill can have: those that a client can ask for, and that skillcentral does not answer to itself."""

from __future__ import annotations

import re

from agenthost_skillcentral.model import RESERVED, SkillType

MAX_LENGTH = 128
"""Characters of an id, as of the name of a tool or prompt on the wire."""

_TOOL = re.compile(r"[A-Za-z0-9_.-]+")
_ANY = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


def refusal(skill_id: str, kind: SkillType) -> str | None:
    """Why no skill of this type can have this id; None if it can."""
    if skill_id in RESERVED:
        return f'"{skill_id}" is a name that skillcentral answers to itself; choose another id'
    if len(skill_id) > MAX_LENGTH:
        return f"has {len(skill_id)} characters, at most {MAX_LENGTH} are possible"
    if not _ANY.fullmatch(skill_id):
        return "holds blanks or control characters; use hyphens"
    if kind == "tool" and not _TOOL.fullmatch(skill_id):
        return "is the name of a tool, which can hold A-Z a-z 0-9 _ - . only"
    return None
