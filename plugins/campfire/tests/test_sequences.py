"""Any sequence of steps, taken by agents in two server processes, ends where the rules say."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from agenthost import ToolError
from agenthost_campfire.rules import duel as rules
from agenthost_campfire.rules.duel import Duel, phase
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAMES = st.sampled_from(["A", "B", "J", " a "])
STEPS = st.one_of(
    st.tuples(st.just("post"), st.none(), st.none()),
    st.tuples(st.just("update"), st.none(), st.none()),
    st.tuples(st.just("throw"), NAMES, NAMES),
    st.tuples(st.just("swear"), NAMES, st.none()),
    st.tuples(st.just("strike"), NAMES, st.none()),
    st.tuples(st.just("hold"), NAMES, st.booleans()),
    st.tuples(st.just("rule"), NAMES, st.sampled_from(["challenger", "defender"])),
    st.tuples(st.just("abandon"), st.none(), st.none()),
)
OPENING = [("throw", "A", "B"), ("swear", "J", None), ("strike", "A", None), ("hold", "B", False)]
"""Sequences begin with some of these, or the later phases would hardly be reached by chance."""

_places = itertools.count()


class Model:
    """What the rules say, kept in memory."""

    def __init__(self) -> None:
        self.duel: Duel | None = None
        self.seq = 0
        self.plan: str | None = None
        self.kinds: list[str] = []

    def take(self, step: str, one: Any, other: Any, content: str) -> bool:
        """Take a step; False if it is refused."""
        apply: dict[str, Callable[[], Duel | None]] = {
            "post": lambda: rules.require_open(self.duel, ""),  # type: ignore[func-returns-value]
            "update": lambda: rules.require_open(self.duel, ""),  # type: ignore[func-returns-value]
            "throw": lambda: rules.throw_gauntlet(self.duel, one.strip(), other.strip()),
            "swear": lambda: rules.take_oath(self.duel, one.strip()),
            "strike": lambda: rules.strike(self.duel, one),
            "hold": lambda: rules.hold(self.duel, one, other),
            "rule": lambda: rules.deliver_verdict(self.duel, one, other),
            "abandon": lambda: rules.abandon(self.duel),
        }
        try:
            after = apply[step]()
        except ToolError:
            return False
        self.duel = after if after is not None and after.outcome is None else None
        kinds = {"post": ["message"], "update": ["plan"], "rule": ["verdict", "plan"]}
        names = {"throw": "gauntlet", "swear": "oath", "abandon": "abandoned"}
        self.kinds += kinds.get(step, [names.get(step, step)])
        if step in ("update", "rule"):
            self.plan = content
        return True


def call(agent: Any, fire: str, step: str, one: Any, other: Any, content: str) -> dict[str, Any]:
    tools: dict[str, tuple[str, dict[str, Any]]] = {
        "post": ("post_message", {"text": content}),
        "update": ("update_battle_plan", {"content": content}),
        "throw": ("throw_gauntlet", {"challenger_name": one, "target_name": other, "thesis_of_attack": content}),
        "swear": ("take_oath_of_judgement", {"character_name": one}),
        "strike": ("strike_argument", {"character_name": one, "technical_evidence": content}),
        "hold": ("hold_the_line", {"character_name": one, "defense_rationale": content, "surrender": other}),
        "rule": (
            "deliver_verdict",
            {
                "character_name": one,
                "winner": other,
                "ruling_rationale": content,
                "required_plan_mutation": content,
            },
        ),
        "abandon": ("abandon_duel", {}),
    }
    name, arguments = tools[step]
    return agent.result(name, fireId=fire, **arguments)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    opening=st.integers(0, len(OPENING)),
    steps=st.lists(STEPS, max_size=8),
    who=st.lists(st.integers(0, 1), min_size=12, max_size=12),
)
def test_two_processes_do_what_the_rules_say(
    pair: Sequence[Any], opening: int, steps: list[tuple[str, Any, Any]], who: list[int]
) -> None:
    fire = f"sequence {next(_places)}"
    pair[0]("get_or_create_fire", fireId=fire)
    model = Model()
    for number, (step, one, other) in enumerate([*OPENING[:opening], *steps]):
        content = f"text {number}"
        accepted = model.take(step, one, other, content)
        result = call(pair[who[number]], fire, step, one, other, content)
        assert accepted == (not result.get("isError")), result
        record = pair[1 - who[number]]("get_duel", fireId=fire)
        assert record["state"] == phase(model.duel)
        expected = model.duel.expected if model.duel is not None else None
        assert record["expected"] == (None if expected is None else {"role": expected.role, "name": expected.name})
    for agent in pair:
        waited = agent("wait", fireId=fire, after=0, timeout_seconds=0)
        assert [item["kind"] for item in waited["items"]] == model.kinds
        assert [item["seq"] for item in waited["items"]] == list(range(1, len(model.kinds) + 1))
        assert agent("get_battle_plan", fireId=fire)["content"] == model.plan
