"""The plan of a workflow: its steps, what each waits for, and the topics through which they hand on their results."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agenthost_skillcentral.model import Skill

SEQUENTIAL = "sequential"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a workflow.

    Attributes:
        id: unique in its workflow.
        uses: the id of the skill that says how it is done.
        agent_role: who should do it, for people and models.
        depends_on: ids of the steps that have to be completed before.
        output_topic: where its result is published; None is the topic that is called like the step.
    """

    id: str
    uses: str
    agent_role: str | None = None
    depends_on: tuple[str, ...] = ()
    output_topic: str | None = None

    @property
    def topic(self) -> str:
        """The topic whose first entry completes the step."""
        return self.output_topic if self.output_topic is not None else self.id


@dataclass(frozen=True, slots=True)
class Plan:
    """What a workflow's file says about how it is done.

    Attributes:
        workflow_id: the skill's id.
        name: for people.
        description: for people.
        steps: in the order of the file.
        strategy: `sequential` is one step after the other; anything else is all that are ready at once.
        subscribed: topics that the workflow reads.
        published: topics that it says it writes, beside those of its steps.
    """

    workflow_id: str
    name: str
    description: str
    steps: tuple[Step, ...]
    strategy: str = SEQUENTIAL
    subscribed: tuple[str, ...] = ()
    published: tuple[str, ...] = ()

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics that the workflow knows, each once: nothing can be published to another one."""
        of_steps = (step.topic for step in self.steps)
        return tuple(dict.fromkeys((*self.subscribed, *of_steps, *self.published)))

    @property
    def awaited(self) -> tuple[str, ...]:
        """The topics that no step publishes: somebody has to, before the first step can begin."""
        of_steps = {step.topic for step in self.steps}
        return tuple(topic for topic in self.subscribed if topic not in of_steps)

    def step(self, step_id: str) -> Step:
        """The step of an id, which has to be there."""
        return next(step for step in self.steps if step.id == step_id)

    def topics_for(self, step: Step) -> tuple[str, ...]:
        """The topics that a step needs: those awaited from outside, and the results of the steps it depends on."""
        results = (self.step(dependency).topic for dependency in step.depends_on)
        return tuple(dict.fromkeys((*self.awaited, *results)))

    def in_order(self) -> tuple[Step, ...]:
        """The steps so that each comes after those it depends on, as far as possible as in the file.

        Steps that wait for each other in a circle, and those that wait for them, are left out.
        """
        done: dict[str, Step] = {}
        while True:
            first = next((one for one in self.steps if one.id not in done and done.keys() >= set(one.depends_on)), None)
            if first is None:
                return tuple(done.values())
            done[first.id] = first

    def predecessors(self) -> Mapping[str, tuple[str, ...]]:
        """What has to be completed before each step counts: what it depends on, and in a sequence the step before."""
        order = self.in_order()
        before = {step.id: step.depends_on for step in order}
        if self.strategy == SEQUENTIAL:
            for previous, step in itertools.pairwise(order):
                before[step.id] = tuple(dict.fromkeys((*step.depends_on, previous.id)))
        return before


def plan_of(skill: Skill) -> Plan:
    """The plan of a workflow skill; its shape was checked when its file was read."""
    members = {name: skill.extra.get(name) for name in ("workflow", "context")}
    return read_plan({"id": skill.id, "name": skill.name, "description": skill.described, **members})


def read_plan(members: Mapping[str, Any]) -> Plan:
    """A plan from the members of its file, or from what `members_of` has kept of it."""
    workflow, context = members.get("workflow") or {}, members.get("context") or {}
    return Plan(
        workflow_id=members["id"],
        name=members["name"],
        description=members["description"],
        steps=tuple(_step(item) for item in workflow.get("steps") or ()),
        strategy=workflow.get("strategy") or SEQUENTIAL,
        subscribed=_topics(context.get("subscribe")),
        published=_topics(context.get("publish")),
    )


def members_of(plan: Plan) -> dict[str, Any]:
    """A plan as JSON, in the form of its file."""
    steps = [
        {
            "id": step.id,
            "uses": step.uses,
            "agentRole": step.agent_role,
            "dependsOn": list(step.depends_on),
            "outputTopic": step.output_topic,
        }
        for step in plan.steps
    ]
    return {
        "id": plan.workflow_id,
        "name": plan.name,
        "description": plan.description,
        "workflow": {"strategy": plan.strategy, "steps": steps},
        "context": {
            "subscribe": [{"topic": topic} for topic in plan.subscribed],
            "publish": [{"topic": topic} for topic in plan.published],
        },
    }


def _step(item: Mapping[str, Any]) -> Step:
    dependencies = tuple(dict.fromkeys(item.get("dependsOn") or ()))
    return Step(item["id"], item["uses"], item.get("agentRole"), dependencies, item.get("outputTopic"))


def _topics(items: Iterable[Mapping[str, Any]] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item["topic"] for item in items or ()))
