"""The text of a file says what it was made of when it is read again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agenthost_skillcentral.formats import yaml_text
from agenthost_skillcentral.writing.serialising import to_json, to_yaml
from hypothesis import given, settings
from hypothesis import strategies as st

TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t :#-'\"{}[]&*!|>%@`"), max_size=30
)
TRAPS = st.sampled_from(
    [
        "yes",
        "no",
        "on",
        "010",
        "0o10",
        "0x1f",
        "1:30",
        "1e3",
        ".5",
        "null",
        "~",
        "",
        " ",
        "a\n",
        "\na",
        "a\n\n",
        "<<",
        "-",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(-1e9, 1e9) | TEXTS | TRAPS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | TRAPS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(TEXTS | TRAPS, VALUES, max_size=4))
def test_whatever_is_written_as_yaml_reads_the_same(members: dict[str, Any]) -> None:
    assert yaml_text.parse(to_yaml(members).decode()) == members
    assert json.loads(to_json(members)) == members


def test_a_text_of_several_lines_is_a_block_and_words_are_not_quoted_without_need() -> None:
    members = {"id": "a-b", "on": "yes", "octal": "0o10", "prompt": "one\ntwo: {{x}}\n", "tags": ["a", "b c"]}
    assert to_yaml(members).decode() == (
        "id: a-b\n'on': 'yes'\noctal: '0o10'\nprompt: |\n  one\n  two: {{x}}\ntags:\n  - a\n  - b c\n"
    )


@pytest.mark.parametrize("text", ["\x85a\nb", "a\u2028b\nc", "tab\there\nand", "trailing  \nblank", "\x00", "é中😀"])
def test_odd_letters_come_back(text: str) -> None:
    assert json.loads(json.dumps(yaml_text.parse(to_yaml({"prompt": text}).decode()))) == {"prompt": text}
