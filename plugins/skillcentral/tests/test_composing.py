"""Prompts composed by tag."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from agenthost import InvalidParams
from agenthost_skillcentral.composing import compose, known_tags
from agenthost_skillcentral.model import Skill

MakeSkill = Callable[..., Skill]


@pytest.fixture
def prompts(make: MakeSkill) -> list[Skill]:
    return [
        make("global", prompt="\nThink.\n", tags=("kmp", "global")),
        make("kmp", prompt="Share {{what}}.", prompt_zh="共享。\n", tags=("KMP", "android")),
        make("android", prompt_zh="安卓", tags=("android", "kmp")),
    ]


def test_s12_s19_sections_in_order_each_skill_once(prompts: list[Skill]) -> None:
    composed = compose(prompts, "kmp,android")
    assert composed.text == (
        "## global\nThink.\n\n---\n\n## kmp\nShare {{what}}.\n\n### 中文\n共享。\n\n---\n\n## android\n\n### 中文\n安卓"
    )
    assert [skill.id for skill in composed.skills] == ["global", "kmp", "android"]


def test_s13_the_description_names_the_tags_and_counts_the_sections(prompts: list[Skill]) -> None:
    assert compose(prompts, "kmp,android").description == "Composed prompt from tags: kmp, android (3 skills)"


def test_s14_case_blanks_and_empty_tags_do_not_matter(prompts: list[Skill]) -> None:
    assert compose(prompts, " KMP , ,").skills == compose(prompts, "kmp").skills


@pytest.mark.parametrize(
    ("tags", "text"), [("none", "No skills found for tags: none"), (" none ,x", "No skills found for tags: none, x")]
)
def test_s15_s16_no_match_is_an_error_that_names_the_tags(prompts: list[Skill], tags: str, text: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        compose(prompts, tags)
    assert str(refused.value) == text


@pytest.mark.parametrize("tags", ["", " ", ",,"])
def test_s17_without_tags_nothing_is_composed(prompts: list[Skill], tags: str) -> None:
    with pytest.raises(InvalidParams, match="No skills found for tags"):
        compose(prompts, tags)


def test_s18_placeholders_are_rendered_with_the_other_arguments(prompts: list[Skill]) -> None:
    assert "Share {{tags}}." in compose(prompts, "android", {"what": "{{tags}}", "tags": "x"}).text


@pytest.mark.parametrize(
    ("language", "text"), [("en", "## kmp\nShare {{what}}."), ("zh", "## kmp\n\n### 中文\n共享。")]
)
def test_a_language_can_be_chosen(prompts: list[Skill], language: str, text: str) -> None:
    assert compose(prompts[1:2], "kmp", language=language).text == text  # type: ignore[arg-type]


def test_tags_are_known_once_whatever_their_case(prompts: list[Skill]) -> None:
    assert known_tags(prompts) == ("android", "global", "kmp")
