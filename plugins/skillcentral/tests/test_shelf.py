"""Where skills are served as files: addresses, the shelf, and skills that are written as files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agenthost_skillcentral.extension.addresses import address, places
from agenthost_skillcentral.extension.contained import read_file
from agenthost_skillcentral.extension.manifests import Files
from agenthost_skillcentral.extension.shelf import Shelf
from agenthost_skillcentral.extension.skill_md import can_be_written, skill_md
from agenthost_skillcentral.formats import read_skill
from agenthost_skillcentral.layers.presets import PRESETS, preset_layers
from agenthost_skillcentral.layers.shipped import shipped_layers
from agenthost_skillcentral.library import Library
from agenthost_skillcentral.model import Argument, Layer, Shipped, Skill, Snapshot, Sources
from hypothesis import example, given
from hypothesis import strategies as st

MakeSkill = Callable[..., Skill]

AGENT_SKILL = "---\nname: {name}\ndescription: D.\n---\nB\n"


def named(*layers: tuple[str, str | None]) -> list[str]:
    return list(places([Layer(name, name, Path("/l"), plugin=plugin) for name, plugin in layers]).values())


def test_a_layer_is_called_by_its_id_in_letters_that_an_address_may_hold() -> None:
    assert named(("01-global", None), ("~/.claude/skills", None), ("Mein Team!", None)) == [
        "01-global",
        "home-claude-skills",
        "mein-team",
    ]


def test_all_presets_have_places_of_their_own() -> None:
    layers = preset_layers(PRESETS, Path("/p"), Path("/h"))
    assert not any(any(place.endswith(f"-{number}") for number in range(2, 9)) for place in places(layers).values())


def test_a_plugin_has_its_name_and_what_is_reserved_gets_a_number() -> None:
    assert places(
        [
            Layer("campfire", "campfire", Path("/l")),
            Layer("session", "session", Path("/l")),
            Layer("plugin:campfire", "c", Path("/p"), plugin="campfire"),
            Layer("plugin:session", "s", Path("/p"), plugin="session"),
        ]
    ) == {
        "plugin:campfire": "campfire",
        "plugin:session": "session-2",
        "campfire": "campfire-2",
        "session": "session-3",
    }


def test_the_earlier_plugin_goes_before_the_later_and_every_other_layer_before_both() -> None:
    first, second = shipped_layers([Shipped("a", Path("/a")), Shipped("odd", problem="p"), Shipped("b", Path("/b"))])
    assert [layer.plugin for layer in (first, second)] == ["a", "b"]
    assert first.priority > second.priority
    assert all(layer.priority > first.priority for layer in preset_layers(PRESETS, Path("/p"), Path("/h")))
    assert not first.writable


def test_an_address_encodes_what_may_mean_something() -> None:
    assert address("l", "a b/c?#%/ü.md") == "skill://l/a%20b/c%3F%23%25/%C3%BC.md"


@example(description="\x1b \U00018cd6", tags=[], body="0", argument="0")  # nothing of it can be printed
@given(
    description=st.text(),
    tags=st.lists(st.text(min_size=1)),
    body=st.text(min_size=1).filter(lambda text: bool(text.strip())),
    argument=st.text(min_size=1),
)
def test_a_skill_that_is_written_as_a_file_is_one_that_can_be_read(
    description: str, tags: list[str], body: str, argument: str
) -> None:
    layer = Layer("l", "l", Path("/l"))
    body = body.encode(errors="replace").decode()
    clean = [text.encode(errors="replace").decode() for text in (description, argument, *tags)]
    skill = Skill(
        "tidy-up",
        "tidy-up",
        clean[0],
        "prompt",
        "legacy",
        layer,
        Path("/l/x.yaml"),
        prompt=body,
        arguments=(Argument(clean[1], clean[0], True),),
        tags=tuple(clean[2:]),
    )
    data = skill_md(skill, "both")
    assert data == skill_md(replace(skill), "both")
    read, faults = read_skill(data.replace(b"\0", b""), Path("/l/tidy-up/SKILL.md"), layer)
    assert faults == ()
    assert read is not None
    assert read.id == "tidy-up"


@pytest.mark.parametrize(
    ("skill_id", "kind", "members", "possible"),
    [
        ("tidy", "prompt", {"prompt": "T"}, True),
        ("tidy", "prompt", {"prompt_zh": "T"}, True),
        ("tidy", "prompt", {"prompt": " "}, False),
        ("tidy", "tool", {"prompt": "T"}, False),
        ("tidy", "policy", {"prompt": "T"}, False),
        ("Tidy", "prompt", {"prompt": "T"}, False),
        ("tidy--up", "prompt", {"prompt": "T"}, False),
        ("tidy_up", "prompt", {"prompt": "T"}, False),
        ("a" * 65, "prompt", {"prompt": "T"}, False),
    ],
)
def test_prompts_with_a_text_and_a_name_that_agent_skills_may_have_are_written(
    make: MakeSkill, skill_id: str, kind: str, members: dict[str, str], possible: bool
) -> None:
    assert can_be_written(make(skill_id, kind, **members)) is possible


def snapshot_of(folder: Path) -> Snapshot:
    layers = ({"id": "l", "path": str(folder), "priority": 1},)
    return Library(Sources(folder, extra_layers=layers, home=folder / "home", project_ids=())).load()


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")


def test_one_address_that_two_files_claim_belongs_to_the_folder_or_to_nobody(tmp_path: Path) -> None:
    write(tmp_path, "a/SKILL.md", AGENT_SKILL.format(name="a"))
    write(tmp_path, "a.yaml", "id: a\ntype: prompt\nprompt: Y\n")
    write(tmp_path, "b-1.yaml", "id: b\ntype: prompt\nprompt: '1'\n")
    write(tmp_path, "b-2.yaml", "id: b\ntype: prompt\nprompt: '2'\n")
    snapshot = snapshot_of(tmp_path)
    assert [(one.uri, one.folder is not None) for one in Shelf(snapshot)] == [("skill://l/a/SKILL.md", True)]
    assert {record.id for record in snapshot.conflicts} == {"a", "b"}  # which is told


def test_a_shelf_made_of_the_one_before_is_the_same_as_a_new_one(tmp_path: Path) -> None:
    def prompt(name: str, skill_id: str, text: str = "x") -> None:
        write(tmp_path, name, f"id: {skill_id}\ntype: prompt\nprompt: {text}\n")

    prompt("l/kept.yaml", "kept")
    write(tmp_path, "l/folder/SKILL.md", AGENT_SKILL.format(name="folder"))
    library = Library(
        Sources(tmp_path, home=tmp_path / "home", extra_layers=[{"name": "l", "path": "l", "priority": 1}])
    )
    snapshot = library.load()
    shelf = Shelf(snapshot)
    assert [one.uri for one in shelf] == ["skill://l/folder/SKILL.md", "skill://l/kept/SKILL.md"]
    edits: list[Callable[[], object]] = [
        lambda: prompt("l/a.yaml", "a"),
        lambda: prompt("l/a.yaml", "a", "edited"),
        lambda: prompt("l/again.yaml", "a"),  # a conflict
        lambda: (tmp_path / "l/a.yaml").unlink(),
        lambda: prompt("l/again.yaml", "no name of a folder"),
        lambda: write(tmp_path, "l/folder/more.md", "more"),
        lambda: write(tmp_path, "l/folder/more.md", "other"),
        lambda: (tmp_path / "l/folder/more.md").unlink(),
    ]
    moves: list[Callable[[], object]] = [
        lambda: write(tmp_path, "l/SKILL.md", AGENT_SKILL.format(name="l")),  # all lies below it now
        lambda: (tmp_path / "l/SKILL.md").unlink(),
        lambda: (tmp_path / "l/folder/SKILL.md").unlink(),
        lambda: write(tmp_path, "skill-central.yaml", "layers:\n- {name: m, path: l, priority: 2}\n"),
    ]
    for edit in (*edits, *moves):
        edit()
        snapshot = library.refresh()
        before, shelf = shelf, Shelf(snapshot, shelf)
        assert list(shelf) == list(Shelf(snapshot))
        for one in shelf:
            old = before.get(one.uri)
            if edit in edits and old is not None and old.skill is one.skill and old.folder == one.folder:
                assert one is old
        assert set(before.changes(shelf)) == set(before.changes(Shelf(snapshot)))
    assert [one.uri for one in shelf] == ["skill://l/kept/SKILL.md", "skill://m/kept/SKILL.md"]


def test_links_and_odd_names_in_a_skill_are_told_and_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a/SKILL.md", AGENT_SKILL.format(name="a"))
    (tmp_path / "a/link.md").symlink_to("SKILL.md")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/a/\xff.md")).write_text("x", encoding="utf-8")
    snapshot = snapshot_of(tmp_path)
    [skill] = Shelf(snapshot)
    assert list(skill.files) == ["SKILL.md"]
    told = [str(fault) for fault in snapshot.faults if not fault.grave]
    assert len(told) == 2
    assert "link.md: is a link" in told[0]
    assert "a/�.md: has a name that is not UTF-8" in told[1]


def test_what_lies_in_a_folder_with_an_underscore_is_a_file_and_never_a_skill(tmp_path: Path) -> None:
    write(tmp_path, "a/SKILL.md", AGENT_SKILL.format(name="a"))
    write(tmp_path, "a/_old/b/SKILL.md", AGENT_SKILL.format(name="b"))
    write(tmp_path, "_c/SKILL.md", AGENT_SKILL.format(name="c"))
    [skill] = Shelf(snapshot_of(tmp_path))
    assert sorted(skill.files) == ["SKILL.md", "_old/b/SKILL.md"]


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/x", "a//x", "", ".", "a/.", "folder/x", "link", "a"])
def test_nothing_but_a_file_below_the_folder_is_read(tmp_path: Path, path: str) -> None:
    top = tmp_path / "top"
    write(tmp_path, "x", "SECRET")
    (top / "a").mkdir(parents=True)
    (top / "folder").symlink_to(tmp_path)
    (top / "link").symlink_to(tmp_path / "x")
    with pytest.raises(OSError, match=r"^\[Errno "):
        read_file(top, path, 100)


def test_a_file_that_cannot_be_read_is_no_file_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest without it would be a wrong one, so there is none."""
    write(tmp_path, "a/SKILL.md", AGENT_SKILL.format(name="a"))
    write(tmp_path, "a/note.md", "n")
    shelf = Shelf(snapshot_of(tmp_path))
    [skill] = shelf
    files = Files("both")

    def refuse(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("agenthost_skillcentral.extension.manifests.read_file", refuse)
    with pytest.raises(PermissionError):
        files.entry(shelf, skill)
    monkeypatch.undo()
    (tmp_path / "a/note.md").unlink()
    assert [one["uri"] for one in files.entry(shelf, skill)["resources"]] == ["skill://l/a/SKILL.md"]


def test_a_file_is_hashed_again_only_if_it_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a/SKILL.md", AGENT_SKILL.format(name="a"))
    write(tmp_path, "a/note.md", "one")
    past = 1_000_000_000
    os.utime(tmp_path / "a/note.md", (past, past))
    shelf = Shelf(snapshot_of(tmp_path))
    [skill] = shelf
    files, reads = Files("both"), []

    def read(*arguments: Any) -> Any:
        reads.append(arguments)
        return read_file(*arguments)

    monkeypatch.setattr("agenthost_skillcentral.extension.manifests.read_file", read)
    monkeypatch.setattr("agenthost_skillcentral.extension.manifests._SETTLED_NS", -1)
    first = files.entry(shelf, skill)
    assert files.entry(shelf, skill) == first
    assert len(reads) == 1
    write(tmp_path, "a/note.md", "two")
    os.utime(tmp_path / "a/note.md", (past, past))  # of the same size, with the same time: the other time differs
    assert files.entry(shelf, skill) != first
    assert len(reads) == 2


def test_the_plugin_does_not_import_the_protocols_sdk_for_the_extension() -> None:
    code = "import sys, agenthost_skillcentral.plugin; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"
