"""The resources: the whole registry, and one skill each, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any
from urllib.parse import quote

from agenthost import CallContext, NotFound, Resource, ResourceTemplate
from pydantic import Field

from agenthost_skillcentral.model import Skill, Snapshot
from agenthost_skillcentral.prompts import explain_absence
from agenthost_skillcentral.views import Places, registry_view, skill_view

JSON = "application/json"
REGISTRY = "skill://registry"
SKILL = "skill://skill/{id}"

LISTED = 200
"""Skills that have an entry of their own in the list; more would drown everything else there, and has the template."""

Look = Callable[[], tuple[Snapshot, Places]]
"""Gives what the library holds at this moment, and how its files are shown."""

WEIGHTS = {"prompt": 0.9, "tool": 0.8}
"""How important clients should take a skill of a type; others 0.6."""


def skill_uri(skill_id: str) -> str:
    """The address of a skill, as `ResourceTemplate.expand` makes it, without an import of mcp."""
    return SKILL.replace("{id}", quote(skill_id, safe=""))


def common_resources(look: Look) -> list[Resource | ResourceTemplate]:
    """The registry, and the template behind which every skill is."""

    def registry() -> str:
        return _json(registry_view(*look()))

    def one(skill_id: Annotated[str, Field(alias="id")]) -> str:
        return read_skill(*look(), skill_id)

    def complete(value: str, _arguments: Mapping[str, str], _ctx: CallContext[Any]) -> list[str]:
        return complete_ids(look()[0], value)

    return [
        Resource(
            REGISTRY,
            registry,
            "skill_registry",
            "All skills of all layers, the shadowed and conflicted ones too, and what is wrong with their files.",
            mime_type=JSON,
        ),
        ResourceTemplate(
            SKILL,
            one,
            "skill",
            "One skill: its texts, its origin, its layer.",
            mime_type=JSON,
            complete={"id": complete},
        ),
    ]


def skill_resource(skill: Skill, look: Look) -> Resource:
    """A skill's own entry in the list."""
    skill_id = skill.id

    def read() -> str:
        return read_skill(*look(), skill_id)

    return Resource(
        skill_uri(skill_id),
        read,
        skill_id,
        skill.described,
        title=skill.name,
        mime_type=JSON,
        annotations={"audience": ["assistant"], "priority": WEIGHTS.get(skill.type, 0.6)},
    )


def listed_skills(snapshot: Snapshot) -> list[Skill]:
    """The skills with an entry of their own: those that weigh most, in the order in which all lists have them."""
    skills = [record.effective for record in snapshot.records.values() if record.effective is not None]
    skills.sort(key=lambda skill: skill.layer.priority)  # ids are in order already
    return skills[-LISTED:]


def read_skill(snapshot: Snapshot, places: Places, skill_id: str) -> str:
    """The effective skill of an id, as JSON.

    Raises:
        NotFound: there is none.
    """
    record = snapshot.records.get(skill_id)
    if record is None or record.effective is None:
        raise NotFound(f"Unknown skill: {skill_id}{explain_absence(snapshot, skill_id, 'skill')}")
    return _json(skill_view(record.candidates[0], places))


def complete_ids(snapshot: Snapshot, value: str) -> list[str]:
    """Ids of effective skills that hold what was typed, those that begin with it first."""
    typed = value.strip().casefold()
    found = [record.id for record in snapshot.records.values() if record.effective and typed in record.id.casefold()]
    return sorted(found, key=lambda skill_id: not skill_id.casefold().startswith(typed))


def _json(view: Mapping[str, Any]) -> str:
    return json.dumps(view, ensure_ascii=False, indent=2)
