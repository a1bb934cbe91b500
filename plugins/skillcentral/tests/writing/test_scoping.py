"""`appliesTo` in the text of a file: it alone changes, whatever else is in there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agenthost_skillcentral.formats import yaml_text
from agenthost_skillcentral.formats.encoding import decode
from agenthost_skillcentral.writing.places import NotWritten
from agenthost_skillcentral.writing.scoping import set_scope
from agenthost_skillcentral.writing.serialising import to_yaml
from hypothesis import given, settings
from hypothesis import strategies as st

ONE = ["git:github.com/a/b"]
YAML, JSON = Path("a.yaml"), Path("a.json")


def edited(text: str, projects: list[str] | None = ONE, file: Path = YAML) -> str:
    return set_scope(text.encode(), projects, file).decode()


BEFORE = """\
# What this is for.
id: 'a'   # the quotes stay

# The type matters.
type:   prompt
prompt: |+
  text # no comment

tags: [ x,  "y" ]
"""


def test_sc_27_comments_quotes_and_blanks_stay_when_the_member_is_new() -> None:
    assert edited(BEFORE) == BEFORE.replace("stay\n", 'stay\nappliesTo: {projects: ["git:github.com/a/b"]}\n')
    assert edited(BEFORE, None) == BEFORE.replace("stay\n", "stay\nappliesTo: global\n")


@pytest.mark.parametrize(
    "old",
    [
        "appliesTo: global",
        'appliesTo: "global"',
        "appliesTo: {projects: [ 'git:x/y' ]}",
        "appliesTo:\n  projects:\n    - git:x/y\n    - 'path:/a b'",
        "appliesTo:\n  projects: [git:x/y,\n    git:x/z]",
    ],
)
def test_sc_27_what_is_around_the_member_stays_when_it_changes(old: str) -> None:
    text = f"id: a\n{old}   # why\n\n# next\ntype: prompt\nprompt: p\n"
    assert edited(text) == text.replace(old, 'appliesTo: {projects: ["git:github.com/a/b"]}')
    assert edited(text, None) == text.replace(old, "appliesTo: global")
    assert edited(edited(text, None), None) == edited(text, None)


def test_comments_between_the_old_projects_are_kept_above() -> None:
    text = "id: a\nappliesTo: # who\n  projects:\n    # first\n    - git:x/y # one\n    - git:x/z\ntype: prompt\n"
    assert edited(text) == (
        'id: a\n# who\n# first\n# one\nappliesTo: {projects: ["git:github.com/a/b"]}\ntype: prompt\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"id": "a", "type": "prompt"}', '{"id": "a", "appliesTo": "global", "type": "prompt"}'),
        ('{\n  "id": "a",\n  "x": 1\n}\n', '{\n  "id": "a",\n  "appliesTo": "global",\n  "x": 1\n}\n'),
        ('{"x": 1, "id": "a"}', '{"x": 1, "id": "a", "appliesTo": "global"}'),
        ('{"appliesTo": {"projects": ["git:x/y"]}, "id": "a"}', '{"appliesTo": "global", "id": "a"}'),
    ],
)
def test_json_stays_json_and_as_it_was_laid_out(before: str, after: str) -> None:
    assert edited(before, None, JSON) == after


def test_line_ends_and_the_byte_order_mark_stay() -> None:
    data = b"\xef\xbb\xbfid: a\r\ntype: prompt\r\nprompt: p\r\n"
    assert set_scope(data, None, YAML) == b"\xef\xbb\xbfid: a\r\nappliesTo: global\r\ntype: prompt\r\nprompt: p\r\n"
    assert edited("{id: a, type: prompt}", None) == "{id: a, appliesTo: global, type: prompt}"
    assert edited("type: prompt\nid: a", None) == "type: prompt\nid: a\nappliesTo: global\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("--- {id: a}\n...\n# end", "SKILL.md"),
        ("id: [\n", "a.yaml"),
        ("- a\n", "a.yaml"),
        ("", "a.yaml"),
        ("x: &s global\nappliesTo: *s\nid: a\n", "a.yaml"),
        ("{id: a, appliesTo: {projects: [ # why\n git:x/y]}}", "a.yaml"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused(text: str, name: str) -> None:
    with pytest.raises(NotWritten):
        edited(text, ONE, Path(name))


MEMBERS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8),
    st.text("ab: #\n'\"-{}", max_size=12)
    | st.integers()
    | st.none()
    | st.lists(st.text("ab #", max_size=4), max_size=3),
    max_size=4,
)


@settings(max_examples=200, deadline=None)
@given(
    members=MEMBERS, scope=st.sampled_from([None, "global", {"projects": ["git:x/y", "git:x/z"]}]), last=st.booleans()
)
def test_all_other_members_say_what_they_said(members: dict[str, Any], scope: Any, last: bool) -> None:
    rest = {key: value for key, value in members.items() if key not in {"id", "appliesTo"}}
    own = {"id": "a", **({"appliesTo": scope} if scope else {})}
    whole = {**rest, **own} if last else {**own, **rest}
    data = to_yaml(whole)
    changed = set_scope(data, ONE, YAML)
    assert yaml_text.parse(decode(changed)) == {**whole, "appliesTo": {"projects": ONE}}
