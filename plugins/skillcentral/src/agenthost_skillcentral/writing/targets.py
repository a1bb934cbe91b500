"""Which file a proposal is about."""

from __future__ import annotations

from dataclasses import dataclass

from agenthost_skillcentral.model import Layer, Skill, Snapshot
from agenthost_skillcentral.writing.places import RULES_FOLDER, NotWritten, Place, in_layer, in_rules
from agenthost_skillcentral.writing.requests import Request


@dataclass(frozen=True)
class Target:
    """Where a proposal leads.

    Attributes:
        place: the file; None if there can be none.
        layer: of a skill; None for a rule, or if there is no such layer.
        fault: why nothing can be written there; None if it can.
        holders: the skills in that layer that have the id.
        others: those in other layers.
    """

    place: Place | None
    layer: Layer | None = None
    fault: str | None = None
    holders: tuple[Skill, ...] = ()
    others: tuple[Skill, ...] = ()


def find_target(request: Request, snapshot: Snapshot) -> Target:
    """The file that a proposal is about."""
    if request.asset_type == "rule":
        return _rule(request, snapshot)
    found = [layer for layer in snapshot.layers if request.target in {layer.id, layer.name}]
    if not found:
        writable = ", ".join(layer.id for layer in snapshot.layers if layer.writable) or "none"
        return Target(None, fault=f'there is no layer "{request.target}"; writable are: {writable}')
    layer = found[0]
    same = skills_with(snapshot, request.asset_id)
    holders = tuple(skill for skill in same if skill.layer.id == layer.id)
    others = tuple(skill for skill in same if skill.layer.id != layer.id)
    if not layer.writable:
        return Target(None, layer, f'the layer "{layer.id}" is not writable', holders, others)
    folder, name = "", f"{request.asset_id}.yaml"
    if request.operation == "update" and len(holders) == 1:
        skill = holders[0]
        if skill.source_format == "agent-skill":
            fault = "is an Agent Skill, a folder of files; edit its SKILL.md by hand"
            return Target(None, layer, f"{request.asset_id} {fault}", holders, others)
        folder, _, name = skill.source.relative_to(layer.path).as_posix().rpartition("/")
    try:
        return Target(in_layer(layer, snapshot.project_root, folder, name), layer, None, holders, others)
    except NotWritten as error:
        return Target(None, layer, str(error), holders, others)


def _rule(request: Request, snapshot: Snapshot) -> Target:
    folder = request.target.removeprefix(f"{RULES_FOLDER}/")
    inside = "" if folder in {".", RULES_FOLDER} else f"{folder.rstrip('/')}/"
    try:
        return Target(in_rules(snapshot.project_root, f"{inside}{request.asset_id}.yaml"))
    except NotWritten as error:
        return Target(None, fault=str(error))


def skills_with(snapshot: Snapshot, skill_id: str) -> list[Skill]:
    """All skills of an id, those of other projects too."""
    record = snapshot.records.get(skill_id)
    here = [candidate.skill for candidate in record.candidates] if record else []
    return [*here, *(skill for skill in snapshot.elsewhere if skill.id == skill_id)]
