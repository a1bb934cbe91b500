"""A bundle: the skills for one intent, as the files of one tool. The same skills give the same bundle anywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agenthost_skillcentral.compiling.targets import USABLE, Target, front_matter, patterns
from agenthost_skillcentral.model import Language, Skill, Snapshot
from agenthost_skillcentral.rendering import bodies


@dataclass(frozen=True)
class Artifact:
    """One file of a bundle.

    Attributes:
        skill: what it was made of.
        address: what a bundle calls it.
        file: where it is exported to, relative.
        content: its text.
        kind: `skill`, or `degradation` for what a skill has to do without.
    """

    skill: Skill
    address: str
    file: str
    content: str
    kind: str


@dataclass(frozen=True)
class Bundle:
    """What a compilation gives.

    Attributes:
        view: all of it as JSON, with its hash.
        artifacts: its files.
    """

    view: dict[str, Any]
    artifacts: tuple[Artifact, ...]


def compile_bundle(snapshot: Snapshot, target: Target, intent: str | None, language: Language) -> Bundle:
    """Choose the skills for an intent and make a tool's files of them.

    Args:
        snapshot: what the library holds.
        target: the tool.
        intent: an `activation.intents` of a skill, its id, or a tag; None is all skills.
        language: see `rendering.render`.
    """
    chosen = [(skill, reason) for skill in _effective(snapshot) if (reason := reason_for(skill, intent))]
    # What its author holds for more important first; else the general before the special, as everywhere.
    chosen.sort(key=lambda one: -_priority(one[0]))
    checks = [check for skill, _ in chosen for check in _checks(skill, target)]
    degradations = [entry for skill, _ in chosen for entry in _degradations(skill, target)]
    omitted = [{"id": skill.id, "reason": why} for skill, _ in chosen if (why := _left_out(skill, target))]
    out = {one["id"] for one in omitted}
    kept = [(skill, reason) for skill, reason in chosen if skill.id not in out]
    artifacts = tuple(artifact for skill, _ in kept for artifact in _artifacts(skill, target, language, degradations))
    view: dict[str, Any] = {
        "target": target.name,
        "intent": intent,
        "selectedSkills": [
            {
                "id": skill.id,
                "type": skill.type,
                "layer": skill.layer.id,
                "reason": reason,
                "priority": _priority(skill),
                "filePatterns": patterns(skill),
            }
            for skill, reason in kept
        ],
        "omittedSkills": omitted,
        "shadowedSkills": list(_shadowed(snapshot, intent)),
        "conflictedSkills": [
            {"id": record.id, "layers": sorted({one.skill.layer.id for one in record.candidates})}
            for record in snapshot.conflicts
            if any(reason_for(one.skill, intent) for one in record.candidates)
        ],
        "capabilityChecks": checks,
        "degradations": degradations,
        "artifacts": [
            {
                "path": artifact.address,
                "skill": artifact.skill.id,
                "kind": artifact.kind,
                "sha256": hashlib.sha256(artifact.content.encode()).hexdigest(),
                "content": artifact.content,
            }
            for artifact in artifacts
        ],
    }
    canonical = json.dumps(view, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return Bundle(
        {**view, "dryRun": True, "hash": hashlib.sha256(canonical.encode()).hexdigest()},
        artifacts,
    )


def reason_for(skill: Skill, intent: str | None) -> str | None:
    """Why a skill is chosen for an intent; None if it is not."""
    if intent is None:
        return "all"
    if intent in _intents(skill):
        return "activation.intent"
    if intent == skill.id:
        return "id"
    if intent.casefold() in (tag.casefold() for tag in skill.tags):
        return "tag"
    return None


def known_intents(snapshot: Snapshot) -> list[str]:
    """Everything that chooses a skill: intents, then tags, then ids."""
    skills = list(_effective(snapshot))
    intents = sorted({intent for skill in skills for intent in _intents(skill)})
    tags = sorted({tag for skill in skills for tag in skill.tags})
    return list(dict.fromkeys([*intents, *tags, *(skill.id for skill in skills)]))


def _effective(snapshot: Snapshot) -> Iterator[Skill]:
    skills = [record.effective for record in snapshot.records.values() if record.effective is not None]
    yield from sorted(skills, key=lambda skill: skill.layer.priority)  # ids are in order already


def _intents(skill: Skill) -> list[str]:
    found: list[str] = skill.extra.get("activation", {}).get("intents") or []
    return found


def _priority(skill: Skill) -> float:
    found: float = skill.extra.get("activation", {}).get("priority") or 0
    return found


def _capabilities(skill: Skill, kind: str) -> list[str]:
    found: list[str] = skill.extra.get("capabilities", {}).get(kind) or []
    return found


def _checks(skill: Skill, target: Target) -> Iterator[dict[str, str]]:
    for kind in ("required", "optional", "denied"):
        for capability in _capabilities(skill, kind):
            status = target.availability(capability)
            yield {"skill": skill.id, "capability": capability, "kind": kind, "status": status}


def _missing(skill: Skill, target: Target) -> Iterator[tuple[str, dict[str, Any]]]:
    """The required capabilities that a tool does not have, and what the skill says about that."""
    rules = skill.extra.get("degradation", {}).get("whenMissing")
    for capability in _capabilities(skill, "required"):
        if target.availability(capability) not in USABLE:
            rule = rules.get(capability) if isinstance(rules, dict) else None
            yield capability, rule if isinstance(rule, dict) else {}


def _degradations(skill: Skill, target: Target) -> Iterator[dict[str, Any]]:
    for capability, rule in _missing(skill, target):
        status = target.availability(capability)
        entry = {
            "skill": skill.id,
            "capability": capability,
            "status": status,
            "mode": rule.get("mode", "degrade"),
            "message": rule.get("message", f"{capability} is {status} in {target.name}"),
        }
        if "fallbackTarget" in rule:
            entry["fallbackTarget"] = rule["fallbackTarget"]
        yield entry


def _left_out(skill: Skill, target: Target) -> str | None:
    """Why a chosen skill is not compiled all the same."""
    denied = [name for name in _capabilities(skill, "denied") if target.availability(name) in USABLE]
    if denied:
        return f"it must not be used where there is {', '.join(denied)}"
    omitting = [name for name, rule in _missing(skill, target) if rule.get("mode") == "omit"]
    return f"it is left out where {', '.join(omitting)} is missing" if omitting else None


def _shadowed(snapshot: Snapshot, intent: str | None) -> Iterator[dict[str, str]]:
    for record in snapshot.records.values():
        for one in record.candidates:
            if one.shadowed_by is not None and reason_for(one.skill, intent):
                yield {"id": record.id, "layer": one.skill.layer.id, "shadowedBy": one.shadowed_by.id}


def _artifacts(
    skill: Skill, target: Target, language: Language, degradations: list[dict[str, Any]]
) -> Iterator[Artifact]:
    text = f"{front_matter(target, skill)}{_header(skill, target)}\n\n{_body(skill, language)}\n"
    yield Artifact(skill, target.address(skill), target.file(skill), text, "skill")
    own = [entry for entry in degradations if entry["skill"] == skill.id]
    if own:
        lines = [f"- {entry['capability']} ({entry['status']}): {entry['mode']}. {entry['message']}" for entry in own]
        text = f"{_header(skill, target)}\n\nWhat {target.name} cannot do for it:\n\n" + "\n".join(lines) + "\n"
        yield Artifact(skill, target.note(skill), target.note(skill), text, "degradation")


def _header(skill: Skill, target: Target) -> str:
    layer = " ".join(skill.layer.id.split())
    return f"> {target.name}: the {skill.type} {skill.id} of the layer {layer}, compiled by skillcentral."


def _body(skill: Skill, language: Language) -> str:
    english, chinese = bodies(skill, language)
    texts = [text.strip("\n") for text in (english, chinese) if text is not None]
    return "\n\n---\n\n".join(texts) if texts else skill.described
