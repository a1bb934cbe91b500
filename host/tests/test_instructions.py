"""The merged instructions: short enough for every client, complete at the beginning, fair to every plugin."""

from __future__ import annotations

import time

import pytest
from agenthost.instructions import FIRST, LIMIT, merge_instructions, units
from hypothesis import given
from hypothesis import strategies as st

Parts = list[tuple[str, str | None]]

NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,39}", fullmatch=True)
TEXTS = st.one_of(
    st.none(),
    st.text(st.characters(codec="utf-8")),
    st.text(st.sampled_from("ab. \U0001f600一\n"), max_size=4000),
    st.lists(st.sampled_from(["Use x first.", "word", "\U0001f600", "一二三"]), max_size=800).map(" ".join),
)
PARTS = st.lists(st.tuples(NAMES, TEXTS), min_size=1, max_size=40, unique_by=lambda part: part[0])


def first(text: str) -> str:
    """The beginning that every client shows."""
    return text.encode("utf-16-le")[: FIRST * 2].decode("utf-16-le", "ignore")


def test_without_plugins_there_are_none() -> None:
    assert merge_instructions([]) is None


def test_short_texts_are_said_whole_one_line_a_plugin() -> None:
    parts: Parts = [("a", "Does a.\n\n  With b."), ("b", None), ("c", "  "), ("d", "Does d.")]
    text = merge_instructions(parts)
    assert text is not None
    head, *lines = text.splitlines()
    assert "a, b, c, d" in head
    assert lines == ["a: Does a. With b.", "d: Does d."]


@pytest.mark.parametrize("count", [1, 2])
def test_the_first_line_says_what_the_server_is(count: int) -> None:
    text = merge_instructions([(f"p{number}", None) for number in range(count)])
    assert text is not None
    assert "p0" in text
    assert text.count("\n") == 0


def test_a_longer_text_is_said_whole_after_the_first_sentences_of_all() -> None:
    long = "First of a. " + "More of a. " * 60
    text = merge_instructions([("a", long), ("b", "First of b. More of b.")])
    assert text is not None
    assert "a: First of a.\n" in first(text)
    assert "b: First of b." in first(text)
    assert f"a: {long.strip()}" in text
    assert "b: First of b. More of b." in text


def test_units_are_counted_as_clients_count_them() -> None:
    assert [units(text) for text in ("", "a", "ü", "一", "\U0001f600", "\ud800")] == [0, 1, 1, 1, 2, 1]


@given(parts=PARTS)
def test_the_text_is_never_longer_than_clients_read(parts: Parts) -> None:
    text = merge_instructions(parts)
    assert text is not None
    assert units(text) <= LIMIT
    text.encode()


@given(
    parts=st.lists(
        st.tuples(st.from_regex(r"[a-z]{1,10}", fullmatch=True), TEXTS),
        min_size=1,
        max_size=8,
        unique_by=lambda part: part[0],
    )
)
def test_the_first_part_has_a_line_for_every_plugin(parts: Parts) -> None:
    text = merge_instructions(parts)
    assert text is not None
    beginning = first(text)
    for name, own in parts:
        assert name in beginning.splitlines()[0]
        if own and own.strip():
            assert f"\n{name}: " in beginning


@given(
    count=st.integers(2, 8), word=st.sampled_from(["word", "a", "\U0001f600", "一二三四五六七"]), blank=st.booleans()
)
def test_long_texts_have_equal_shares(count: int, word: str, blank: bool) -> None:
    own = (word + (" " if blank else "")) * 3000
    text = merge_instructions([(f"p{number}", own) for number in range(count)])
    assert text is not None
    lines = text.splitlines()[-count:]
    assert [line.partition(":")[0] for line in lines] == [f"p{number}" for number in range(count)]
    lengths = [units(line) for line in lines]
    assert max(lengths) - min(lengths) <= 2 * units(word) + 4
    assert sum(lengths) > (LIMIT - FIRST) * 0.8
    assert all(line.endswith("…") for line in lines)


def test_what_a_short_text_does_not_need_goes_to_the_long_ones() -> None:
    long = "word " * 3000
    text = merge_instructions([("long", long), ("short", "One sentence only. And another one.")])
    assert text is not None
    assert "short: One sentence only. And another one." in text
    assert units(text) > LIMIT - 20


def test_a_cut_falls_between_words_and_says_so() -> None:
    text = merge_instructions([("a", "sentence " * 1000)])
    assert text is not None
    assert text.endswith("sentence …")


@pytest.mark.parametrize("letter", ["x", "一", "\U0001f600"])
def test_a_text_without_blanks_is_cut_all_the_same(letter: str) -> None:
    text = merge_instructions([("a", letter * 5000)])
    assert text is not None
    assert units(text) > LIMIT - 20
    text.encode()


def test_names_alone_may_be_more_than_fits() -> None:
    text = merge_instructions([(f"{number:03}" + "x" * 37, "Does it.") for number in range(300)])
    assert text is not None
    assert units(text) <= LIMIT


@pytest.mark.parametrize(
    "text", ["word " * 200_000, "x" * 1_000_000, ". " * 500_000, "\n" * 1_000_000, "\U0001f600 " * 300_000]
)
def test_a_very_long_text_is_cut_in_no_time(text: str) -> None:
    began = time.monotonic()
    merge_instructions([(f"p{number}", text) for number in range(3)])
    assert time.monotonic() - began < 5
