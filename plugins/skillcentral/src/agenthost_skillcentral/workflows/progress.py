"""How far a plan is, from nothing but the topics that have entries."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Literal

from agenthost_skillcentral.workflows.plan import SEQUENTIAL, Plan, Step

ProgressStatus = Literal["ready", "blocked", "completed"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a plan is.

    Attributes:
        completed: ids of the completed steps, each after those it depends on.
        ready: what can be done now; in a sequence at most one.
        reasons: why the other steps have to wait, one sentence each.
    """

    completed: tuple[str, ...]
    ready: tuple[Step, ...]
    reasons: tuple[str, ...]

    @property
    def status(self) -> ProgressStatus:
        """Can something be done, has something to come from outside, or is all done?"""
        if self.ready:
            return "ready"
        return "blocked" if self.reasons else "completed"


def progress(plan: Plan, filled: Set[str]) -> Progress:
    """How far a plan without flaws is.

    A step is completed if its topic has an entry and all steps before it are completed: what is published early
    counts as soon as it is its turn. It is ready if it is not completed, all steps before it are, and every topic
    that it needs has an entry.

    Args:
        plan: the plan.
        filled: the topics with at least one entry.
    """
    before = plan.predecessors()
    completed: dict[str, None] = {}
    ready: list[Step] = []
    reasons: list[str] = []
    for step in plan.in_order():
        missing = [one for one in before[step.id] if one not in completed]
        if step.topic in filled and not missing:
            completed[step.id] = None
        elif awaited := list(_awaited(plan, step, missing, filled)):
            early = " (its result is there already, and counts then)" if step.topic in filled else ""
            reasons.append(f'Step "{step.id}" waits for {", ".join(awaited)}{early}.')
        else:
            ready.append(step)
    return Progress(tuple(completed), tuple(ready), tuple(reasons))


def _awaited(plan: Plan, step: Step, missing: list[str], filled: Set[str]) -> Iterator[str]:
    for one in missing:
        order = " (the workflow is sequential)" if plan.strategy == SEQUENTIAL and one not in step.depends_on else ""
        yield f'step "{one}"{order}'
    for topic in plan.awaited:
        if topic not in filled:
            yield f'an entry in the topic "{topic}", which no step publishes'
