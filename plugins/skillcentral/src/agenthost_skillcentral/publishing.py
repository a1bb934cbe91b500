"""Brings a new state of the library to the clients, and tells the operator what has changed."""

from __future__ import annotations

import logging
import operator
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from agenthost import ContributionRefused, PluginContext, Registry

from agenthost_skillcentral.addresses import plan_uri
from agenthost_skillcentral.model import Fault, Record, Skill, Snapshot
from agenthost_skillcentral.resources import REGISTRY, skill_uri
from agenthost_skillcentral.service import Service
from agenthost_skillcentral.settings import Settings

T = TypeVar("T", bound=Any)

TOLD_AT_ONCE = 20
"""Faults that are told one by one; the rest is counted."""


def catch_up(plugin: PluginContext[Settings], service: Service, changed: Iterable[Path] | None) -> None:
    """Look at the files again, and serve what has changed; in any thread.

    Args:
        plugin: the plugin's context.
        service: what is served.
        changed: what may have changed; None is anything.
    """
    with service.catching_up:
        snapshot = service.library.refresh(changed)
        if snapshot is not service.snapshot:
            publish(plugin, service, snapshot)


def publish(plugin: PluginContext[Settings], service: Service, snapshot: Snapshot) -> None:
    """Serve what the library holds now, and tell the subscribers of what has changed; in any thread."""
    before, shelf = service.snapshot, service.shelf
    service.exchange(snapshot)
    refused = [
        *replace(plugin.tools, service.tools()),
        *replace(plugin.prompts, service.prompts()),
        *replace(plugin.resources, service.resources()),
    ]
    for reason in refused:
        plugin.log.warning("%s", reason)
    for skill_id in changed_ids(before, snapshot):
        plugin.updated(skill_uri(skill_id))
    for uri in shelf.changes(service.shelf):
        plugin.updated(uri)
    plugin.updated(REGISTRY)
    for workflow_id in changed_plans(before, snapshot):
        plugin.updated(plan_uri(workflow_id))
    report(plugin.log, before, snapshot)


def changed_ids(before: Snapshot, after: Snapshot) -> list[str]:
    """The ids of which something else has become."""
    changed = [skill_id for skill_id, record in after.records.items() if before.records.get(skill_id) is not record]
    return [*changed, *(before.records.keys() - after.records.keys())]


def changed_plans(before: Snapshot, after: Snapshot) -> set[str]:
    """The workflows whose plan is another one now, or whose flaws are."""

    def plans(snapshot: Snapshot) -> dict[str, tuple[Skill, list[Fault]]]:
        faults: dict[Path, list[Fault]] = {}
        for fault in snapshot.faults:
            faults.setdefault(fault.file, []).append(fault)
        return {skill.id: (skill, faults.get(skill.source, [])) for skill in snapshot.workflows}

    old, new = plans(before), plans(after)
    return {one for one in old.keys() | new.keys() if old.get(one) != new.get(one)}


def replace(registry: Registry[T], items: Sequence[T]) -> list[str]:
    """Exchange what a registry holds. What the host refuses stays as it was, or away, and costs nothing else.

    Returns:
        Why the host refused what it refused.
    """
    if len(items) == len(registry) and all(map(operator.is_, items, registry)):
        return []
    try:
        registry.replace(items)
    except ContributionRefused:
        return _replace_one_by_one(registry, items)
    return []


def _replace_one_by_one(registry: Registry[T], items: Sequence[T]) -> list[str]:
    served = {item.key: item for item in registry}
    wanted = {item.key: item for item in items}
    # First what is served in both cases; then the new ones, halving where the host refuses.
    accepted = {key: served[key] for key in wanted if key in served}
    registry.replace(accepted.values())
    reasons: list[str] = []
    groups = [[item for key, item in wanted.items() if served.get(key) is not item]]
    while groups:
        group = groups.pop()
        trial = accepted | {item.key: item for item in group}
        try:
            registry.replace([trial[key] for key in wanted if key in trial])
        except ContributionRefused as error:
            if len(group) == 1:
                reasons.append(str(error))
            else:
                half = len(group) // 2
                groups += [group[half:], group[:half]]
        else:
            accepted = trial
    return reasons


def report(log: logging.Logger, before: Snapshot | None, after: Snapshot) -> None:
    """Tell the operator about faults and conflicts that were not there before, and what has become of the skills."""
    old_faults = set(before.faults) if before else set()
    _tell(log, [str(fault) for fault in after.faults if fault not in old_faults])
    old_conflicts = {record.id for record in before.conflicts} if before else set()
    _tell(log, [describe_conflict(record) for record in after.conflicts if record.id not in old_conflicts])
    if before is None:
        return
    changed = changed_ids(before, after)
    old, new = _served(before, changed), _served(after, changed)
    changes = {
        "added": new.keys() - old.keys(),
        "removed": old.keys() - new.keys(),
        "changed": {skill_id for skill_id in old.keys() & new.keys() if old[skill_id] is not new[skill_id]},
    }
    if told := [f"{word} {_some(sorted(ids))}" for word, ids in changes.items() if ids]:
        log.info("skills: %s", "; ".join(told))


def describe_conflict(record: Record) -> str:
    """Which files are in each other's way."""
    rivals = [candidate.skill for candidate in record.candidates if candidate.status == "conflicted"]
    files = " and ".join(f"{skill.source} (layer {skill.layer.id})" for skill in rivals)
    return f"skill {record.id} is conflicted and not served: {files}; change one id, or the priority of a layer"


def _served(snapshot: Snapshot, skill_ids: Iterable[str]) -> dict[str, Skill]:
    """Those of the skills that are served as prompts or tools."""
    skills = map(snapshot.effective, skill_ids)
    return {skill.id: skill for skill in skills if skill is not None and skill.type in ("prompt", "tool")}


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return ", ".join(ids[:5]) + more


def _tell(log: logging.Logger, lines: Iterable[str]) -> None:
    told = list(lines)
    for line in told[:TOLD_AT_ONCE]:
        log.warning("%s", line)
    if len(told) > TOLD_AT_ONCE:
        log.warning("and %d more; agenthost skillcentral doctor lists them all", len(told) - TOLD_AT_ONCE)
