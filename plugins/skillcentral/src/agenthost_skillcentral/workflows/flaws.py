"""What keeps a workflow from being done: steps that wait for each other, names that lead nowhere, topics used twice."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from agenthost_skillcentral.model import Fault, Record, Skill
from agenthost_skillcentral.workflows.plan import Plan, plan_of

TOPIC = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._:-]{0,127}")
TOPIC_RULE = "a topic is 1 to 128 of A-Z a-z 0-9 . _ : -, and begins with a letter or a digit"

Unusable = Callable[[str], str | None]
"""Why no step can use the skill of an id; None if one can."""

Flaw = tuple[str, str]
"""The member of the file, and what is wrong with it."""


def faults_of(skill: Skill, unusable: Unusable) -> tuple[Fault, ...]:
    """Everything that is wrong with a workflow skill; with none it can be started."""
    plan = plan_of(skill)
    found = [*flaws_of(plan), *_uses(plan, unusable)]
    return tuple(Fault(skill.source, reason, field=field) for field, reason in found)


def flaws_of(plan: Plan) -> list[Flaw]:
    """What is wrong with a plan by itself, whatever skills there are."""
    if not plan.steps:
        return [("workflow.steps", "holds no step, so there is nothing to do; write at least one with id and uses")]
    return [*_ids(plan), *_dependencies(plan), *_circle(plan), *_step_topics(plan), *_context_topics(plan)]


def usable_in(records: Mapping[str, Record], elsewhere: Iterable[Skill]) -> Unusable:
    """What a library's skills are usable for steps."""
    others = {skill.id for skill in elsewhere}

    def unusable(skill_id: str) -> str | None:
        record = records.get(skill_id)
        if record is not None:
            return None if record.effective is not None else f'the skill "{skill_id}" is conflicted, and so not served'
        if skill_id in others:
            return f'the skill "{skill_id}" is for other projects only'
        return f'there is no skill "{skill_id}"{_nearest(skill_id, records)}'

    return unusable


def _uses(plan: Plan, unusable: Unusable) -> Iterator[Flaw]:
    for index, step in enumerate(plan.steps):
        if reason := unusable(step.uses):
            yield f"workflow.steps[{index}].uses", reason


def _ids(plan: Plan) -> Iterator[Flaw]:
    seen: set[str] = set()
    for index, step in enumerate(plan.steps):
        if step.id in seen:
            yield f"workflow.steps[{index}].id", f'there are two steps "{step.id}"; give each an id of its own'
        seen.add(step.id)


def _dependencies(plan: Plan) -> Iterator[Flaw]:
    known = {step.id for step in plan.steps}
    for index, step in enumerate(plan.steps):
        for dependency in step.depends_on:
            if dependency not in known:
                reason = f'there is no step "{dependency}"{_nearest(dependency, known)}'
                yield f"workflow.steps[{index}].dependsOn", reason


def _circle(plan: Plan) -> Iterator[Flaw]:
    """One circle of steps, if there is any; known ids only, each once."""
    waits = {
        step.id: [one for one in step.depends_on if any(one == other.id for other in plan.steps)] for step in plan.steps
    }
    ends = set(waits)
    while free := {step for step in ends if not ends.intersection(waits[step])}:
        ends -= free
    if not ends:
        return
    # Whatever is left waits for something that is left: going on from any of it ends in a circle.
    way = [next(step.id for step in plan.steps if step.id in ends)]
    while (following := next(one for one in waits[way[-1]] if one in ends)) not in way:
        way.append(following)
    circle = [*way[way.index(following) :], following]
    index = next(index for index, step in enumerate(plan.steps) if step.id == following)
    yield f"workflow.steps[{index}].dependsOn", f"steps wait for each other: {' -> '.join(circle)}"


def _step_topics(plan: Plan) -> Iterator[Flaw]:
    owners: dict[str, str] = {}
    for index, step in enumerate(plan.steps):
        place = f"workflow.steps[{index}].{'id' if step.output_topic is None else 'outputTopic'}"
        if not TOPIC.fullmatch(step.topic):
            yield (
                place,
                f'"{step.topic}" is no topic: {TOPIC_RULE}'
                + ("; give the step an outputTopic" if step.output_topic is None else ""),
            )
        elif (owner := owners.setdefault(step.topic, step.id)) != step.id:
            yield place, f'the topic "{step.topic}" is that of step "{owner}" already; each step needs its own'


def _context_topics(plan: Plan) -> Iterator[Flaw]:
    for member, topics in (("subscribe", plan.subscribed), ("publish", plan.published)):
        for topic in topics:
            if not TOPIC.fullmatch(topic):
                yield f"context.{member}", f'"{topic}" is no topic: {TOPIC_RULE}'


def _nearest(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f'; did you mean "{near[0]}"?' if near else ""
