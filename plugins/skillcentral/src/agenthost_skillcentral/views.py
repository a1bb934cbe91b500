"""What the library holds, as JSON for clients and for `--json`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agenthost_skillcentral.model import Candidate, Fault, Layer, Record, Skill, Snapshot

UNIVERSAL_V1 = "skillcentral.dev/v1"

IN_DETAIL = ("prompt", "prompt_zh", "inputSchema", "arguments", "capabilities", "context", "workflow", "frontmatter")
"""Members of a skill that a list of all skills leaves out."""


@dataclass(frozen=True)
class Places:
    """How files are shown: from the project, else from the user's home, else whole.

    Clients may be on other machines, and where a home lies is nobody's business there.
    """

    project_root: Path
    home: Path

    def show(self, path: Path) -> str:
        """A path as others should see it."""
        if path.is_relative_to(self.project_root):
            return path.relative_to(self.project_root).as_posix()
        if path.is_relative_to(self.home):
            return f"~/{path.relative_to(self.home).as_posix()}"
        return path.as_posix()

    def clean(self, text: str) -> str:
        """A text that may name files, likewise."""
        return text.replace(f"{self.project_root}/", "").replace(str(self.home), "~")


def registry_view(snapshot: Snapshot, places: Places) -> dict[str, Any]:
    """Everything: what became of each id, the layers in which it was looked for, what is wrong."""
    return {
        "projectIds": [_project_id(project_id, places) for project_id in snapshot.project_ids],
        "layers": [layer_view(layer, places) for layer in snapshot.layers],
        "records": [record_view(record, places) for record in snapshot.records.values()],
        "elsewhere": [
            {"id": skill.id, "appliesTo": _applies_to(skill), "source": places.show(skill.source)}
            for skill in snapshot.elsewhere
        ],
        "faults": [fault_view(fault, places) for fault in snapshot.faults],
    }


def record_view(record: Record, places: Places) -> dict[str, Any]:
    """What became of one id; its candidates without their texts."""
    candidates = [
        {key: value for key, value in skill_view(candidate, places).items() if key not in IN_DETAIL}
        for candidate in record.candidates
    ]
    return {"id": record.id, "status": record.status, "reason": record.reason, "candidates": candidates}


def skill_view(candidate: Candidate, places: Places) -> dict[str, Any]:
    """All that is known about one skill."""
    return dict(_members(candidate, places))


def layer_view(layer: Layer, places: Places) -> dict[str, Any]:
    """One layer."""
    return {
        "id": layer.id,
        "name": layer.name,
        "path": places.show(layer.path),
        "scope": layer.scope,
        "priority": _number(layer.priority),
        "writable": layer.writable,
        "trust": layer.trust,
        "sync": {"enabled": layer.sync},
        "visibility": layer.visibility,
    }


def fault_view(fault: Fault, places: Places) -> dict[str, Any]:
    """One fault; what is not known about it is left out."""
    members = {
        "file": places.show(fault.file),
        "line": fault.line,
        "column": fault.column,
        "field": fault.field,
        "reason": places.clean(fault.reason),
        "severity": "error" if fault.grave else "warning",
        "lastGoodVersionServed": fault.kept or None,
    }
    return {key: value for key, value in members.items() if value is not None}


def _members(candidate: Candidate, places: Places) -> Iterator[tuple[str, Any]]:
    skill = candidate.skill
    yield "id", skill.id
    yield "name", skill.name
    yield "description", skill.described
    yield "type", skill.type
    if skill.source_format == "universal":
        yield "schemaVersion", UNIVERSAL_V1
    yield "sourceFormat", skill.source_format
    for name, text in (("prompt", skill.prompt), ("prompt_zh", skill.prompt_zh)):
        if text is not None:
            yield name, text
    if skill.input_schema is not None:
        yield "inputSchema", skill.input_schema
    if skill.arguments:
        yield (
            "arguments",
            [
                {"name": argument.name, "description": argument.description or "", "required": argument.required}
                for argument in skill.arguments
            ],
        )
    yield "tags", list(skill.tags)
    yield "appliesTo", _applies_to(skill)
    yield from skill.extra.items()
    yield "priority", _number(skill.layer.priority)
    yield "source", places.show(skill.source)
    yield "layer", layer_view(skill.layer, places)
    yield "status", candidate.status
    if candidate.shadowed_by is not None:
        yield "shadowedBy", layer_view(candidate.shadowed_by, places)
    if candidate.conflict_with:
        yield (
            "conflictWith",
            [{"source": places.show(other.source), "layer": other.layer.id} for other in candidate.conflict_with],
        )


def _applies_to(skill: Skill) -> Any:
    return "global" if skill.applies_to is None else {"projects": list(skill.applies_to)}


def _project_id(project_id: str, places: Places) -> str:
    kind, _, path = project_id.partition(":")
    return f"path:{places.show(Path(path))}" if kind == "path" else project_id


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else value
