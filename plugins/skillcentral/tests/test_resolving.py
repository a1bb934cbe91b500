"""Which of several skills with one id is served."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agenthost_skillcentral.model import SCOPE_DISTANCES, Layer, Record, Skill
from agenthost_skillcentral.resolving import by_id, is_for, resolve
from hypothesis import given, settings
from hypothesis import strategies as st

MakeSkill = Callable[..., Skill]


def at(name: str, priority: float, scope: Any = "workspace") -> Layer:
    return Layer(name, name, Path("/layers") / name, priority, scope)


def statuses(record: Record) -> list[tuple[str, str]]:
    return [(candidate.skill.layer.name, candidate.status) for candidate in record.candidates]


def test_s37_the_higher_priority_wins(make: MakeSkill) -> None:
    record = resolve([make(layer=at("L10", 10)), make(layer=at("L30", 30))])["s"]
    assert statuses(record) == [("L30", "effective"), ("L10", "shadowed")]
    assert record.candidates[1].shadowed_by == at("L30", 30)
    assert "priority" in record.reason


def test_s38_of_equal_priorities_the_nearer_scope_wins(make: MakeSkill) -> None:
    record = resolve([make(layer=at("T", 10, "team")), make(layer=at("W", 10, "workspace"))])["s"]
    assert statuses(record) == [("W", "effective"), ("T", "shadowed")]
    assert "scope" in record.reason


def test_s39_what_is_equal_in_both_is_served_by_neither(make: MakeSkill) -> None:
    record = resolve([make(layer=at("A", 10, "repo")), make(layer=at("B", 10)), make(layer=at("C", 5))])["s"]
    assert statuses(record) == [("A", "conflicted"), ("B", "conflicted"), ("C", "shadowed")]
    assert record.effective is None
    assert "layers A and B" in record.reason
    assert [skill.layer.name for skill in record.candidates[0].conflict_with] == ["B"]


def test_s40_two_files_with_one_id_in_one_layer_conflict(make: MakeSkill) -> None:
    layer = at("A", 10)
    skills = [replace(make(layer=layer), source=layer.path / name) for name in ("one.yaml", "two.yaml")]
    record = resolve(skills)["s"]
    assert record.status == "conflicted"
    assert {candidate.skill.source.name for candidate in record.candidates} == {"one.yaml", "two.yaml"}
    assert "layer A" in record.reason


def test_s41_s42_a_skill_is_for_the_projects_that_it_names(make: MakeSkill) -> None:
    skill = make(applies_to=("git:github.com/acme/one", "path:/a"))
    assert is_for(skill, ("git:github.com/acme/one", "path:/b"))
    assert not is_for(skill, ("git:github.com/acme/two", "path:/b"))
    assert is_for(make(), ())


def test_ids_differ_in_case_and_are_ordered_by_letter_first(make: MakeSkill) -> None:
    names = ["Caps", "b", "caps", "A", "a"]
    assert list(resolve([make(name) for name in names])) == ["a", "A", "b", "caps", "Caps"]
    assert sorted(names, key=by_id) == ["a", "A", "b", "caps", "Caps"]


LAYERS = st.builds(
    at, st.sampled_from("ABCDE"), st.sampled_from([-1, 0, 0.5, 10]), st.sampled_from(list(SCOPE_DISTANCES))
)
SKILLS = st.lists(st.tuples(st.sampled_from(["x", "X", "y"]), LAYERS), max_size=8)


def skills_of(drawn: Sequence[tuple[str, Layer]]) -> list[Skill]:
    return [
        Skill(name, name, "", "prompt", "legacy", layer, Path(f"/layers/{number}.yaml"))
        for number, (name, layer) in enumerate(drawn)
    ]


@settings(deadline=None)
@given(SKILLS, st.randoms())
def test_the_outcome_does_not_depend_on_the_order_of_loading(
    drawn: list[tuple[str, Layer]], shuffler: random.Random
) -> None:
    skills = skills_of(drawn)
    shuffled = list(skills)
    shuffler.shuffle(shuffled)
    assert resolve(skills) == resolve(shuffled)


@settings(deadline=None)
@given(SKILLS)
def test_every_skill_is_a_candidate_once_and_nothing_beats_what_is_served(drawn: list[tuple[str, Layer]]) -> None:
    skills = skills_of(drawn)
    records = resolve(skills)
    assert sum(len(record.candidates) for record in records.values()) == len(skills)
    for skill_id, record in records.items():
        weights = [(-skill.layer.priority, skill.layer.distance) for skill in skills if skill.id == skill_id]
        best = min(weights)
        if weights.count(best) == 1:
            assert record.effective is not None
            assert (-record.effective.layer.priority, record.effective.layer.distance) == best
            assert [candidate.status for candidate in record.candidates[1:]] == ["shadowed"] * (len(weights) - 1)
        else:
            assert record.effective is None
            found = [candidate.status for candidate in record.candidates]
            assert found == ["conflicted"] * weights.count(best) + ["shadowed"] * (len(weights) - weights.count(best))


@settings(deadline=None)
@given(SKILLS, st.sampled_from([20, -5]))
def test_a_layer_of_another_priority_never_makes_a_conflict(drawn: list[tuple[str, Layer]], priority: float) -> None:
    skills = skills_of(drawn)
    new = Skill("x", "x", "", "prompt", "legacy", at("new", priority), Path("/layers/new.yaml"))
    before, after = resolve(skills).get("x"), resolve([*skills, new])["x"]
    if priority == 20 or before is None:
        assert after.effective == new
    else:
        assert (after.effective, after.status) == (before.effective, before.status)
