"""Which of several skills with one id is served."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agenthost_skillcentral.model import Candidate, Record, Skill


def by_id(skill_id: str) -> tuple[str, str]:
    """The order of ids: letters before case, and lower case first."""
    return skill_id.casefold(), skill_id.swapcase()


def is_for(skill: Skill, project_ids: Iterable[str]) -> bool:
    """Is the skill for the project that has one of these ids?"""
    return skill.applies_to is None or any(project in skill.applies_to for project in project_ids)


def resolve(skills: Iterable[Skill], known: Mapping[str, Record] | None = None) -> Mapping[str, Record]:
    """What becomes of each id, in the order of ids.

    The higher priority wins, then the nearer scope. If two are equal in both, nobody can say which was meant: none is
    served.

    Args:
        skills: those that are for this project, whatever their type.
        known: what was decided before; a record whose skills are the very same ones is kept as it is.
    """
    groups: dict[str, list[Skill]] = {}
    for skill in skills:
        groups.setdefault(skill.id, []).append(skill)
    known = known or {}
    records = {}
    for skill_id in known if known.keys() == groups.keys() else sorted(groups, key=by_id):
        candidates, record = groups[skill_id], known.get(skill_id)
        if record is None or not _is_about(record, candidates):
            record = _decide(skill_id, candidates)
        records[skill_id] = record
    return records


def _is_about(record: Record, skills: list[Skill]) -> bool:
    """Are the candidates of a record exactly these skills?"""
    if len(skills) == 1:
        return len(record.candidates) == 1 and record.candidates[0].skill is skills[0]
    return {id(candidate.skill) for candidate in record.candidates} == {id(skill) for skill in skills}


def _weight(skill: Skill) -> tuple[float, int]:
    """Less is better."""
    return -skill.layer.priority, skill.layer.distance


def _decide(skill_id: str, skills: list[Skill]) -> Record:
    if len(skills) == 1:
        return Record(skill_id, "effective", "the only one", (Candidate(skills[0], "effective"),))
    ordered = sorted(skills, key=lambda skill: (*_weight(skill), str(skill.source)))
    best = [skill for skill in ordered if _weight(skill) == _weight(ordered[0])]
    rest = tuple(Candidate(skill, "shadowed", shadowed_by=best[0].layer) for skill in ordered[len(best) :])
    if len(best) == 1:
        by_priority = ordered[1].layer.priority < best[0].layer.priority
        reason = "has the highest priority" if by_priority else "has the nearest scope of those with its priority"
        return Record(skill_id, "effective", reason, (Candidate(best[0], "effective"), *rest))
    rivals = tuple(best)
    conflicting = tuple(Candidate(skill, "conflicted", rivals=rivals) for skill in best)
    names = dict.fromkeys(skill.layer.name for skill in best)
    where = f"layer {next(iter(names))}" if len(names) == 1 else f"layers {' and '.join(names)}"
    return Record(skill_id, "conflicted", f"conflicted in {where}: same priority, same scope", (*conflicting, *rest))
