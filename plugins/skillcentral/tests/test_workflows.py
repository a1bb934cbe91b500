"""The rules of workflows: what is wrong with a plan, and how far it is; without a server, files or a database."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import hypothesis
import pytest
from agenthost_skillcentral.model import Candidate, Record
from agenthost_skillcentral.workflows.flaws import faults_of, flaws_of, usable_in
from agenthost_skillcentral.workflows.plan import Plan, Step, members_of, plan_of, read_plan
from agenthost_skillcentral.workflows.progress import Progress, progress
from agenthost_skillcentral.workflows.publishing import MAX_CONTENT, BadEntry, draft
from agenthost_skillcentral.workflows.status import FOLLOWING, OF_PROGRESS, is_over
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule


def step(step_id: str, *depends_on: str, topic: str | None = None) -> Step:
    return Step(step_id, "skill", None, depends_on, topic)


def plan(
    *steps: Step, strategy: str = "parallel", subscribed: Sequence[str] = (), published: Sequence[str] = ()
) -> Plan:
    return Plan("w", "W", "", steps, strategy, tuple(subscribed), tuple(published))


def ready(found: Progress) -> list[str]:
    return [one.id for one in found.ready]


A_B_AND_C = (step("a", topic="ta"), step("b", "a", topic="tb"), step("c", topic="tc"))


def test_s66_in_a_sequence_one_step_is_ready_at_a_time_also_where_none_depends_on_another() -> None:
    found = progress(plan(*A_B_AND_C, strategy="sequential"), set())
    assert (found.status, ready(found), found.completed) == ("ready", ["a"], ())
    assert found.reasons == (
        'Step "b" waits for step "a".',
        'Step "c" waits for step "b" (the workflow is sequential).',
    )


def test_s66_without_a_strategy_a_workflow_is_sequential() -> None:
    steps = [{"id": "a", "uses": "s"}, {"id": "b", "uses": "s"}]
    silent = read_plan({"id": "w", "name": "W", "description": "", "workflow": {"steps": steps}, "context": None})
    assert silent.strategy == "sequential"
    assert ready(progress(silent, set())) == ["a"]


@pytest.mark.parametrize("strategy", ["parallel", "graph"])
def test_in_any_other_strategy_all_steps_are_ready_that_wait_for_nothing(strategy: str) -> None:
    assert ready(progress(plan(*A_B_AND_C, strategy=strategy), set())) == ["a", "c"]


def test_s67_the_entry_of_a_topic_completes_its_step_and_makes_the_next_one_ready() -> None:
    found = progress(plan(*A_B_AND_C), {"ta"})
    assert (found.completed, ready(found)) == (("a",), ["b", "c"])


def test_s68_when_every_topic_has_an_entry_all_is_completed() -> None:
    found = progress(plan(*A_B_AND_C, strategy="sequential"), {"ta", "tb", "tc"})
    assert (found.status, found.completed, found.reasons) == ("completed", ("a", "b", "c"), ())


def test_s69_a_step_without_a_topic_is_completed_through_its_id() -> None:
    silent = plan(step("a"), step("b", "a"))
    assert silent.topics == ("a", "b")
    assert progress(silent, {"a"}).completed == ("a",)
    assert silent.topics_for(silent.steps[1]) == ("a",)


@pytest.mark.parametrize("strategy", ["parallel", "sequential"])
def test_s70_what_is_published_early_counts_when_it_is_its_turn(strategy: str) -> None:
    chain = plan(step("a"), step("b", "a"), step("c", "b"), strategy=strategy)
    found = progress(chain, {"b"})
    assert (found.completed, ready(found)) == ((), ["a"])
    assert found.reasons[0] == 'Step "b" waits for step "a" (its result is there already, and counts then).'
    assert progress(chain, {"a", "b"}).completed == ("a", "b")


def test_a_sequence_goes_by_what_steps_depend_on_where_the_file_has_another_order() -> None:
    turned = plan(step("b", "a"), step("a"), step("c"), strategy="sequential")
    assert [one.id for one in turned.in_order()] == ["a", "b", "c"]
    assert ready(progress(turned, set())) == ["a"]


def test_a_topic_that_no_step_publishes_has_to_come_from_outside() -> None:
    waiting = plan(step("a"), step("b"), subscribed=["brief", "b"])
    found = progress(waiting, set())
    assert (found.status, ready(found)) == ("blocked", [])
    assert 'an entry in the topic "brief", which no step publishes' in found.reasons[0]
    assert ready(progress(waiting, {"brief"})) == ["a", "b"]
    assert waiting.topics_for(waiting.steps[0]) == ("brief",)


def flaws(*steps: Step, **options: Any) -> dict[str, str]:
    return dict(flaws_of(plan(*steps, **options)))


def test_s71_a_workflow_without_flaws_has_none() -> None:
    assert flaws(*A_B_AND_C, subscribed=["brief"], published=["notes"]) == {}


def test_s71_a_workflow_without_steps_is_flawed() -> None:
    assert "holds no step" in flaws()["workflow.steps"]


def test_s71_steps_that_wait_for_each_other_are_named_in_their_circle() -> None:
    found = flaws(step("before", "b"), step("a", "c"), step("b", "a"), step("c", "b"), step("free"))
    assert found == {"workflow.steps[2].dependsOn": "steps wait for each other: b -> a -> c -> b"}
    assert flaws(step("a", "a")) == {"workflow.steps[0].dependsOn": "steps wait for each other: a -> a"}


def test_s71_a_dependency_that_leads_nowhere_is_named_with_the_nearest_step() -> None:
    found = flaws(step("analyse"), step("b", "analyze"))
    assert found == {"workflow.steps[1].dependsOn": 'there is no step "analyze"; did you mean "analyse"?'}


def test_s71_two_steps_cannot_have_one_topic_nor_one_id() -> None:
    assert (
        'is that of step "a" already'
        in flaws(step("a", topic="t"), step("b", topic="t"))["workflow.steps[1].outputTopic"]
    )
    assert 'is that of step "a" already' in flaws(step("a", topic="b"), step("b"))["workflow.steps[1].id"]
    assert 'two steps "a"' in flaws(step("a", topic="s"), step("a", topic="t"))["workflow.steps[1].id"]


def test_s71_names_that_can_be_no_topics_are_flaws() -> None:
    assert "give the step an outputTopic" in flaws(step("step one"))["workflow.steps[0].id"]
    assert "is no topic" in flaws(step("a", topic="-a"))["workflow.steps[0].outputTopic"]
    assert "is no topic" in flaws(step("a"), subscribed=["a b"])["context.subscribe"]
    assert "is no topic" in flaws(step("a"), published=["a/b"])["context.publish"]


def test_s71_a_step_needs_a_skill_that_is_served(make: Callable[..., Any]) -> None:
    steps = [{"id": str(n), "uses": uses} for n, uses in enumerate(["fine", "torn", "away", "fin"])]
    workflow = make("w", "workflow", extra={"workflow": {"steps": steps}})
    fine, torn = make("fine"), make("torn")
    records = {
        "fine": Record("fine", "effective", "single", (Candidate(fine, "effective"),)),
        "torn": Record("torn", "conflicted", "", (Candidate(torn, "conflicted"),)),
    }
    faults = {fault.field: fault.reason for fault in faults_of(workflow, usable_in(records, [make("away")]))}
    assert faults == {
        "workflow.steps[1].uses": 'the skill "torn" is conflicted, and so not served',
        "workflow.steps[2].uses": 'the skill "away" is for other projects only',
        "workflow.steps[3].uses": 'there is no skill "fin"; did you mean "fine"?',
    }


def test_a_plan_is_the_same_after_it_was_kept_as_json(make: Callable[..., Any]) -> None:
    workflow = {
        "strategy": "parallel",
        "steps": [{"id": "a", "uses": "s", "dependsOn": ["b"]}, {"id": "b", "uses": "s"}],
    }
    context = {"subscribe": [{"topic": "in"}], "publish": [{"topic": "out"}, {"topic": "out"}]}
    made = plan_of(make("w", "workflow", extra={"workflow": workflow, "context": context}))
    assert made.published == ("out",)
    assert read_plan(json.loads(json.dumps(members_of(made)))) == made


@pytest.mark.parametrize("content", ["123", "null", "", "  ", {"k": 1}, None, [1, 2.0, "x"], 2.0, True, "ü\u2028"])
def test_s75_content_is_kept_as_it_is_given(content: Any) -> None:
    kept = json.loads(draft("t", content).content)
    assert (kept, type(kept)) == (content, type(content))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"topic": ""}, "topic: "),
        ({"topic": "a" * 129}, "topic: "),
        ({"topic": "a/b"}, "topic: "),
        ({"topic": "a\n"}, "topic: "),
        ({"producer": " "}, "producer: is blank"),
        ({"producer": "p" * 201}, "producer: has 201 characters"),
        ({"kind": ""}, "kind: is blank"),
        ({"summary": "s" * 4097}, "summary: has 4097 characters"),
        ({"refs": "u," * 101}, "refs: holds 101 addresses"),
        ({"content": "x" * MAX_CONTENT}, "content: has 262146 bytes"),
        ({"content": "\ud800"}, "content: cannot be kept"),
        ({"content": float("nan")}, "content: cannot be kept"),
    ],
)
def test_s72_what_cannot_be_published_is_refused_with_the_argument(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(BadEntry) as refused:
        draft(**{"topic": "t", "content": "c", **arguments})
    assert str(refused.value).startswith(text)


def test_addresses_are_separated_by_commas() -> None:
    assert draft("t", 1, refs=" a://b , ,c://d,").refs == ("a://b", "c://d")


def test_a_session_that_is_over_stays_as_it_is() -> None:
    assert {status for status in FOLLOWING if is_over(status)} == {"completed", "failed"}
    for status, following in FOLLOWING.items():
        assert status not in following
        assert "created" not in following
    assert set(OF_PROGRESS.values()) <= set(FOLLOWING)


class Working(RuleBasedStateMachine):
    """Any plan without flaws, published to in any order."""

    @initialize(data=st.data(), strategy=st.sampled_from(["sequential", "parallel"]))
    def begin(self, data: st.DataObject, strategy: str) -> None:
        count = data.draw(st.integers(1, 6))
        order = data.draw(st.permutations(range(count)))
        steps: dict[int, Step] = {}
        for place, number in enumerate(order):
            earlier = data.draw(st.sets(st.sampled_from(order[:place]))) if place else set()
            topic = data.draw(st.sampled_from([None, f"t{number}"]))
            steps[number] = step(str(number), *sorted(str(one) for one in earlier), topic=topic)
        subscribed = data.draw(st.sets(st.sampled_from(["brief", "0", "t1"])))
        self.plan = plan(*(steps[number] for number in range(count)), strategy=strategy, subscribed=sorted(subscribed))
        self.filled: set[str] = set()
        self.before: tuple[str, ...] = ()

    @property
    def found(self) -> Progress:
        return progress(self.plan, self.filled)

    @rule(data=st.data())
    def publish_anything(self, data: st.DataObject) -> None:
        self.filled.add(data.draw(st.sampled_from(self.plan.topics)))

    @precondition(lambda self: self.found.ready)
    @rule(data=st.data())
    def do_what_is_ready(self, data: st.DataObject) -> None:
        chosen = data.draw(st.sampled_from(self.found.ready))
        self.filled.add(chosen.topic)
        assert chosen.id in self.found.completed

    @invariant()
    def it_has_no_flaw(self) -> None:
        assert flaws_of(self.plan) == []

    @invariant()
    def every_step_is_completed_or_ready_or_told_why_not(self) -> None:
        found = self.found
        assert len(found.completed) + len(found.ready) + len(found.reasons) == len(self.plan.steps)
        assert set(found.completed).isdisjoint(ready(found))

    @invariant()
    def what_a_completed_or_ready_step_depends_on_is_completed(self) -> None:
        found = self.found
        for one in (*found.completed, *ready(found)):
            assert set(self.plan.step(one).depends_on) <= set(found.completed)
        for one in found.completed:
            assert self.plan.step(one).topic in self.filled
        for one in found.ready:
            assert set(self.plan.topics_for(one)) <= self.filled
            assert one.topic not in self.filled

    @invariant()
    def nothing_that_is_completed_becomes_undone(self) -> None:
        found = self.found
        assert set(self.before) <= set(found.completed)
        self.before = found.completed

    @invariant()
    def a_sequence_has_one_ready_step_and_completes_in_order(self) -> None:
        found = self.found
        if self.plan.strategy == "sequential":
            assert len(found.ready) <= 1
            assert found.completed == tuple(one.id for one in self.plan.in_order())[: len(found.completed)]

    @invariant()
    def it_is_blocked_only_while_something_has_to_come_from_outside(self) -> None:
        if self.found.status == "blocked":
            assert set(self.plan.awaited) - self.filled

    def teardown(self) -> None:
        if not hasattr(self, "plan"):
            return
        self.filled.update(self.plan.awaited)
        for _ in self.plan.steps:
            self.filled.update(one.topic for one in self.found.ready)
        assert self.found.status == "completed"


TestWorking = Working.TestCase
TestWorking.settings = hypothesis.settings(max_examples=100, stateful_step_count=12, deadline=None)
