"""What a prompt or tool says: placeholders, values, languages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from agenthost_skillcentral.model import Skill
from agenthost_skillcentral.rendering import render, substitute
from hypothesis import given, settings
from hypothesis import strategies as st

MakeSkill = Callable[..., Skill]

NAMES = st.text("ab_c", min_size=1, max_size=3)
VALUES = st.text("ab{} $&\\1c\n", max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def test_s03_a_placeholder_without_a_value_stays() -> None:
    assert substitute("R {{context}} {{missing}}", {"context": "CTX"}) == "R CTX {{missing}}"


def test_s05_a_value_is_taken_as_it_is() -> None:
    assert substitute("R {{context}}", {"context": "$& $1 $$ \\1 \\g<0>"}) == "R $& $1 $$ \\1 \\g<0>"


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_s06_a_value_is_never_expanded_again_whatever_the_order(names: str) -> None:
    values = {"a": "{{b}}", "b": "X"}
    assert substitute("{{a}} {{b}}", {name: values[name] for name in names}) == "{{b}} X"


def test_s07_blanks_inside_the_braces_do_not_matter() -> None:
    assert substitute("{{ context }} {{\tcontext}} {{context  }}", {"context": "C"}) == "C C C"
    assert substitute("{{ }} {{}} {{ a\nb }}", {"": "C", "a\nb": "C"}) == "{{ }} {{}} {{ a\nb }}"


def test_braces_around_a_placeholder_stay() -> None:
    assert substitute("{{{a}}} {{{{a}}}}", {"a": "V"}) == "{V} {{V}}"


def test_names_with_blanks_and_other_letters_and_case() -> None:
    assert substitute("{{the file}} {{ Größe }} {{A}}", {"the file": "f", "Größe": "g", "a": "no"}) == "f g {{A}}"


def test_s09_both_languages_stand_under_headings(make: MakeSkill) -> None:
    skill = make(prompt="EN {{a}}", prompt_zh="中 {{a}}")
    assert render(skill, {"a": "1"}) == "[English]\nEN 1\n\n[中文]\n中 1"


def test_s10_chinese_alone_has_no_heading(make: MakeSkill) -> None:
    assert render(make(prompt_zh="中 {{a}}"), {"a": "1"}) == "中 1"


def test_s11_a_blank_text_is_none(make: MakeSkill) -> None:
    assert render(make(prompt=" \n", prompt_zh="中"), {}) == "中"
    assert render(make(prompt="EN", prompt_zh=" "), {}) == "EN"


@pytest.mark.parametrize(
    ("language", "both", "english", "chinese"),
    [("both", "[English]\nEN\n\n[中文]\n中", "EN", "中"), ("en", "EN", "EN", "中"), ("zh", "中", "EN", "中")],
)
def test_a_language_can_be_chosen_and_the_only_one_is_served(
    make: MakeSkill, language: Any, both: str, english: str, chinese: str
) -> None:
    assert render(make(prompt="EN", prompt_zh="中"), {}, language) == both
    assert render(make(prompt="EN"), {}, language) == english
    assert render(make(prompt_zh="中"), {}, language) == chinese


def test_a_text_is_not_trimmed(make: MakeSkill) -> None:
    assert render(make(prompt="  EN\n"), {}) == "  EN\n"


def test_s29_null_is_nothing_and_an_absent_argument_leaves_its_placeholder(make: MakeSkill) -> None:
    skill = make(kind="tool", prompt="<{{a}}> <{{b}}>")
    assert render(skill, {"a": None}) == "<> <{{b}}>"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (2.0, "2"),
        (2.5, "2.5"),
        (7, "7"),
        ([1, "é"], '[1, "é"]'),
        ({"a": None}, '{"a": null}'),
    ],
)
def test_s30_other_values_are_json(value: Any, text: str) -> None:
    assert substitute("{{a}}", {"a": value}) == text


def test_s31_a_tool_without_a_text_answers_with_its_arguments(make: MakeSkill) -> None:
    skill = make(kind="tool", prompt=" ")
    assert render(skill, {"a": ["é"]}) == '{\n  "a": [\n    "é"\n  ]\n}'
    assert render(skill, {}) == "{}"


@settings(deadline=None)
@given(
    st.lists(st.one_of(NAMES.map(lambda name: ("name", name)), VALUES.map(lambda text: ("text", text)))),
    st.dictionaries(NAMES, VALUES),
)
def test_a_text_is_rendered_in_one_pass(parts: list[tuple[str, str]], values: dict[str, str]) -> None:
    """Whatever values hold, each placeholder becomes exactly its value and everything else stays."""
    parts = [(kind, text.replace("{", "").replace("}", "")) if kind == "text" else (kind, text) for kind, text in parts]
    template = "".join(f"{{{{{text}}}}}" if kind == "name" else text for kind, text in parts)
    expected = "".join(values.get(text, f"{{{{{text}}}}}") if kind == "name" else text for kind, text in parts)
    assert substitute(template, values) == expected


@settings(deadline=None)
@given(st.text("ab{} \n", max_size=40), st.dictionaries(NAMES, VALUES))
def test_the_order_of_arguments_never_matters(template: str, values: dict[str, str]) -> None:
    assert substitute(template, values) == substitute(template, dict(reversed(values.items())))


@settings(deadline=None)
@given(JSON)
def test_any_value_can_be_read_back(value: Any) -> None:
    text = substitute("{{a}}", {"a": value})
    if isinstance(value, str):
        assert text == value
    elif value is None:
        assert text == ""
    else:
        assert json.loads(text) == value
