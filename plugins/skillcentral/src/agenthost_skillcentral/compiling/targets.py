"""The tools that skills are compiled for: where their files lie, how they look, what they can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from agenthost_skillcentral.model import Skill
from agenthost_skillcentral.writing.serialising import to_yaml

Availability = Literal["available", "partial", "requires-user-approval", "unavailable", "unknown"]

USABLE = frozenset({"available", "partial", "requires-user-approval"})

_PROTOCOL: Mapping[str, Availability] = {
    "mcp.prompts.get": "available",
    "mcp.prompts.list": "available",
    "mcp.tools.call": "available",
    "mcp.tools.list": "available",
    "mcp.resources.list": "available",
    "mcp.resources.read": "available",
}
_IN_AN_EDITOR: Mapping[str, Availability] = {**_PROTOCOL, "mcp.tools.call": "requires-user-approval"}


@dataclass(frozen=True)
class Target:
    """One tool.

    Attributes:
        name: as in `--target`.
        capabilities: what it can do; what is not there is unknown.
        address: of a skill, as a bundle names it.
        file: of a skill, below the folder that is exported to.
        note: the same of the file that says what a skill does without.
        head: what its file begins with.
    """

    name: str
    capabilities: Mapping[str, Availability]
    address: Callable[[Skill], str]
    file: Callable[[Skill], str]
    note: Callable[[Skill], str]
    head: Callable[[Skill], Mapping[str, Any]]

    def availability(self, capability: str) -> Availability:
        """Can the tool do that?"""
        return self.capabilities.get(capability, "unknown")


def file_name(skill_id: str) -> str:
    """An id as the name of a file: what means something in a path, or hides a file, is percent-encoded."""
    name = "".join(quote(letter, safe="") if letter in '/\\:*?"<>|%' else letter for letter in skill_id)
    return f"%2E{name[1:]}" if name.startswith(".") else name


def patterns(skill: Skill) -> list[str]:
    """The files for which a skill is meant: its `activation.filePatterns`."""
    found: list[str] = skill.extra.get("activation", {}).get("filePatterns") or []
    return found


def _cursor_head(skill: Skill) -> Mapping[str, Any]:
    globs = {"globs": ",".join(patterns(skill))} if patterns(skill) else {}
    return {"description": skill.described, **globs, "alwaysApply": False}


def _windsurf_head(skill: Skill) -> Mapping[str, Any]:
    if patterns(skill):
        return {"trigger": "glob", "globs": ",".join(patterns(skill)), "description": skill.described}
    return {"trigger": "model_decision", "description": skill.described}


TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        Target(
            "generic-mcp",
            {**_PROTOCOL, "mcp.resources.subscribe": "available"},
            lambda skill: f"skill://{skill.type}/{quote(skill.id, safe='')}",
            lambda skill: f"mcp-resources/{skill.type}/{file_name(skill.id)}.md",
            lambda skill: f"mcp-resources/degradation/{file_name(skill.id)}.md",
            lambda _: {},
        ),
        Target(
            "cursor",
            {**_IN_AN_EDITOR, "mcp.elicitation.create": "available", "mcp.roots.list": "available"},
            lambda skill: f".cursor/rules/{file_name(skill.id)}.mdc",
            lambda skill: f".cursor/rules/{file_name(skill.id)}.mdc",
            lambda skill: f".cursor/skill-central/{file_name(skill.id)}.degradation.md",
            _cursor_head,
        ),
        Target(
            "windsurf",
            _IN_AN_EDITOR,
            lambda skill: f".windsurf/rules/{file_name(skill.id)}.md",
            lambda skill: f".windsurf/rules/{file_name(skill.id)}.md",
            lambda skill: f".windsurf/skill-central/{file_name(skill.id)}.degradation.md",
            _windsurf_head,
        ),
    )
}
"""By name, in the order in which they are told."""


def front_matter(target: Target, skill: Skill) -> str:
    """What a file begins with, for the tool that reads it; empty if it reads nothing there."""
    head = target.head(skill)
    return f"---\n{to_yaml(head).decode()}---\n\n" if head else ""
