"""The `SKILL.md` that a skill in YAML or JSON would have: the same bytes as long as the skill is the same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agenthost_skillcentral.model import Argument, Language, Skill
from agenthost_skillcentral.rendering import bodies, render

MAX_DESCRIPTION = 1024
"""Characters, as Agent Skills may have."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_NAME = 64


def can_be_written(skill: Skill) -> bool:
    """Is it a prompt with a text, and its id a name that an Agent Skill may have?"""
    if skill.type != "prompt" or len(skill.id) > _MAX_NAME or not _NAME.fullmatch(skill.id):
        return False
    return any(bodies(skill, "both"))


def frontmatter(skill: Skill) -> Mapping[str, Any]:
    """Its front matter."""
    description = _line(skill.described)[:MAX_DESCRIPTION] or f"The skill {skill.id}."
    members: dict[str, Any] = {"name": skill.id, "description": description}
    if tags := ", ".join(filter(None, map(_line, skill.tags))):
        members["metadata"] = {"tags": tags}
    return members


def skill_md(skill: Skill, language: Language) -> bytes:
    """The whole file."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in frontmatter(skill).items()]
    parts = ["\n".join(["---", *lines, "---"]), render(skill, {}, language).strip("\n")]
    if skill.arguments:
        parts.append(
            "## Placeholders\n\nPut what you know in the place of each. Ask for what is required and not known.\n\n"
            + "\n".join(map(_placeholder, skill.arguments))
        )
    return ("\n\n".join(parts) + "\n").encode()


def _placeholder(argument: Argument) -> str:
    told = _line(argument.description or argument.title or "")
    return f"- `{{{{{argument.name}}}}}`{' (required)' if argument.required else ''}{': ' if told else ''}{told}"


def _line(text: str) -> str:
    """A text in one line, of what YAML takes between quotes as JSON does."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
