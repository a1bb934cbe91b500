"""The rules of a duel by themselves: every illegal step, and every sequence of steps."""

from __future__ import annotations

import pytest
from agenthost import ToolError
from agenthost_campfire.rules import duel as rules
from agenthost_campfire.rules.deadlines import Deadlines
from agenthost_campfire.rules.duel import Duel, DuelRefused, Expected, Phase, phase
from agenthost_campfire.rules.texts import (
    BadText,
    clean_fire_id,
    clean_mark,
    clean_name,
    clean_optional_name,
    clean_optional_text,
    clean_text,
    excerpt,
    name_key,
    same_name,
)
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

PENDING = Duel("A", "B")
STRIKES = Duel("A", "B", "J")
HOLDS = Duel("A", "B", "J", "defender")
RULES = Duel("A", "B", "J", "judge")


def test_a_duel_goes_from_gauntlet_to_verdict() -> None:
    assert rules.throw_gauntlet(None, "A", "B") == PENDING
    assert rules.take_oath(PENDING, "J") == STRIKES
    assert rules.strike(STRIKES, " a ") == HOLDS
    assert rules.hold(HOLDS, "b", surrender=False) == RULES
    ended = rules.deliver_verdict(RULES, "J", "defender")
    assert (ended.outcome, ended.winner, ended.expected) == ("verdict", "defender", None)


@pytest.mark.parametrize(
    ("duel", "in_phase", "expected"),
    [
        (None, Phase.DEBATING, None),
        (PENDING, Phase.PENDING, Expected("judge", None)),
        (STRIKES, Phase.ACTIVE, Expected("challenger", "A")),
        (HOLDS, Phase.ACTIVE, Expected("defender", "B")),
        (RULES, Phase.ACTIVE, Expected("judge", "J")),
        (rules.abandon(STRIKES), Phase.DEBATING, None),
        (rules.expire(PENDING), Phase.DEBATING, None),
    ],
)
def test_a_state_has_a_phase_and_awaits_somebody(duel: Duel | None, in_phase: Phase, expected: Expected | None) -> None:
    assert phase(duel) == in_phase
    assert (duel.expected if duel else None) == expected


@pytest.mark.parametrize("duel", [None, PENDING, HOLDS, RULES])
def test_nobody_strikes_out_of_turn(duel: Duel | None) -> None:
    with pytest.raises(DuelRefused) as refused:
        rules.strike(duel, "A")
    assert phase(duel) in str(refused.value)
    assert rules.next_step(duel) in str(refused.value)


@pytest.mark.parametrize("duel", [None, PENDING, STRIKES, RULES])
def test_nobody_holds_out_of_turn(duel: Duel | None) -> None:
    with pytest.raises(DuelRefused) as refused:
        rules.hold(duel, "B", surrender=True)
    assert phase(duel) in str(refused.value)


@pytest.mark.parametrize("duel", [None, PENDING, STRIKES, HOLDS])
def test_nobody_rules_out_of_turn(duel: Duel | None) -> None:
    with pytest.raises(DuelRefused) as refused:
        rules.deliver_verdict(duel, "J", "challenger")
    assert phase(duel) in str(refused.value)


@pytest.mark.parametrize("duel", [PENDING, STRIKES, HOLDS, RULES])
def test_a_duel_closes_the_fire_and_no_second_one_begins(duel: Duel) -> None:
    with pytest.raises(DuelRefused, match="The plan was not changed"):
        rules.require_open(duel, "The plan was not changed")
    with pytest.raises(DuelRefused, match="No duel was begun"):
        rules.throw_gauntlet(duel, "C", "D")
    assert rules.abandon(duel).outcome == "abandoned"
    rules.require_open(None, "")


def test_a_surrender_cannot_be_ruled_against() -> None:
    surrendered = rules.hold(HOLDS, "B", surrender=True)
    with pytest.raises(DuelRefused, match="surrendered"):
        rules.deliver_verdict(surrendered, "J", "defender")
    assert rules.deliver_verdict(surrendered, "J", "challenger").winner == "challenger"


def test_each_phase_has_its_own_time() -> None:
    limits = Deadlines(oath=2, turn=0.5)
    assert limits.due(PENDING, 1000) == 3000
    assert limits.due(HOLDS, 1000) == 1500
    assert limits.due(rules.abandon(HOLDS), 1000) is None
    assert Deadlines(0, 0).due(PENDING, 1000) is None
    assert Deadlines(1, 0).due(STRIKES, 1000) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("A", " a "), ("É", "E\u0301"), ("ß", "SS"), ("ﬁ", "FI"), ("Ⅳ", "iv"), ("a\u200db", "AB"), ("\u2003x", "X")],
)
def test_names_that_look_the_same_are_the_same(one: str, other: str) -> None:
    assert same_name(one, other)


@given(st.text(), st.text())
def test_equal_names_are_an_equivalence_that_case_does_not_change(one: str, other: str) -> None:
    assert same_name(one, one)
    assert same_name(one, other) == same_name(other, one)
    assert name_key(one) == name_key(f" {one} ")
    assert name_key(name_key(one)) == name_key(one)


@pytest.mark.parametrize("given_text", ["", " \t", "x" * 101, "a\nb", "a\0b", "\u200b", "a\u2028b"])
def test_a_name_is_one_visible_line_of_up_to_100_characters(given_text: str) -> None:
    with pytest.raises(BadText, match="author"):
        clean_name(given_text, "author")


def test_what_may_be_left_out_may_be_blank() -> None:
    assert clean_optional_name(None, "author") is clean_optional_name("  ", "author") is None
    assert clean_mark("", "reply_to") is clean_mark(None, "reply_to") is None
    assert clean_optional_text(" \n", "reason", 9) is clean_optional_text(None, "reason", 9) is None
    assert clean_optional_name(" x ", "author") == clean_mark(" x ", "reply_to") == "x"


def test_a_fire_id_is_one_line_of_up_to_200_characters() -> None:
    assert clean_fire_id(f" {'x' * 200} ") == "x" * 200
    for wrong in ("", "x" * 201, "a\nb"):
        with pytest.raises(BadText, match="fireId"):
            clean_fire_id(wrong)


def test_a_text_is_kept_as_it_is_up_to_its_limit_in_bytes() -> None:
    assert clean_text("  ü\n", "text", 5) == "  ü\n"
    for wrong in ("", " ", "üüü", "a\0b"):
        with pytest.raises(BadText, match="text"):
            clean_text(wrong, "text", 5)


def test_only_a_message_is_told_to_be_split_when_it_is_too_long() -> None:
    with pytest.raises(BadText, match="split it over several messages"):
        clean_text("x" * 6, "text", 5)
    with pytest.raises(BadText, match=r"Shorten it\.$"):
        clean_text("x" * 6, "technical_evidence", 5)


def test_an_excerpt_is_no_longer_than_it_may_be() -> None:
    assert excerpt("abcdef", 6) == "abcdef"
    assert excerpt("abcdefg", 6) == "abcde…"


NAMES = st.sampled_from(["A", "b", "J", " a", "B ", "j", "K"])


class Duels(RuleBasedStateMachine):
    """Any steps by anybody: only the legal ones change anything, and a duel always leads somewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.duel: Duel | None = None
        self.turns: list[str] = []

    def attempt(self, legal: bool, step: str, apply: object) -> None:
        before = self.duel
        try:
            after = apply()  # type: ignore[operator]
        except ToolError as refused:
            assert not legal, refused
            assert phase(before) in str(refused)
            assert "campfire_" in str(refused)
            return
        assert legal
        assert after != before
        self.turns.append(step)
        self.duel = after if after.outcome is None else None
        if after.outcome is not None:
            kinds = ["gauntlet", "oath", "strike", "hold"]
            assert self.turns[:-1] == kinds[: len(self.turns) - 1]
            assert self.turns[-1] != "verdict" or len(self.turns) == 5
            self.turns = []

    @rule(one=NAMES, other=NAMES)
    def throw(self, one: str, other: str) -> None:
        legal = self.duel is None and not same_name(one, other)
        self.attempt(legal, "gauntlet", lambda: rules.throw_gauntlet(self.duel, one, other))

    @rule(name=NAMES)
    def swear(self, name: str) -> None:
        duel = self.duel
        legal = duel is not None and duel.judge is None
        legal = legal and not any(same_name(name, side) for side in (duel.challenger, duel.defender))  # type: ignore[union-attr]
        self.attempt(legal, "oath", lambda: rules.take_oath(duel, name))

    @rule(name=NAMES)
    def strike(self, name: str) -> None:
        self.attempt(self.is_turn("challenger", name), "strike", lambda: rules.strike(self.duel, name))

    @rule(name=NAMES, surrender=st.booleans())
    def hold(self, name: str, surrender: bool) -> None:
        self.attempt(self.is_turn("defender", name), "hold", lambda: rules.hold(self.duel, name, surrender))

    @rule(name=NAMES, winner=st.sampled_from(["challenger", "defender"]))
    def rule_for(self, name: str, winner: rules.Side) -> None:
        legal = self.is_turn("judge", name)
        legal = legal and not (self.duel is not None and self.duel.surrendered and winner == "defender")
        self.attempt(legal, "verdict", lambda: rules.deliver_verdict(self.duel, name, winner))

    @rule()
    def abandon(self) -> None:
        self.attempt(self.duel is not None, "abandoned", lambda: rules.abandon(self.duel))

    @precondition(lambda self: self.duel is not None)
    @rule()
    def run_out_of_time(self) -> None:
        self.attempt(True, "expired", lambda: rules.expire(self.duel))  # type: ignore[arg-type]

    def is_turn(self, role: rules.Role, name: str) -> bool:
        duel = self.duel
        if duel is None or duel.judge is None or duel.turn != role:
            return False
        return same_name(name, duel.name_of(role) or "")

    @invariant()
    def three_different_characters(self) -> None:
        if self.duel is not None:
            names = [name for name in (self.duel.challenger, self.duel.defender, self.duel.judge) if name is not None]
            assert len({name_key(name) for name in names}) == len(names)

    @invariant()
    def closed_exactly_while_somebody_is_awaited(self) -> None:
        awaited = self.duel.expected if self.duel is not None else None
        assert (awaited is None) == (phase(self.duel) is Phase.DEBATING)


TestDuels = Duels.TestCase
