"""The library: what it loads, what it reads again, and what it never reads."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agenthost_skillcentral import files
from agenthost_skillcentral.library import Library
from agenthost_skillcentral.model import Skill, Snapshot, Sources
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

CONFIG = """\
layers:
- {name: low, path: low, priority: 10}
- {name: high, path: high, priority: 30}
"""


class Tree:
    """A project with two layers, and its library."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("skill-central.yaml", CONFIG)
        for name in ("low", "high"):
            (root / name).mkdir()
        self.library = Library(Sources(root, home=root / "home"))

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def prompt(self, path: str, skill_id: str, text: str = "x", **members: Any) -> Path:
        more = "".join(f"{name}: {value}\n" for name, value in members.items())
        return self.write(path, f"id: {skill_id}\ntype: prompt\nprompt: {text}\n{more}")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "project"
    root.mkdir()
    return Tree(root)


def texts(snapshot: Snapshot) -> dict[str, str | None]:
    return {skill.id: skill.prompt for skill in snapshot.prompts}


def told(snapshot: Snapshot) -> list[tuple[str, bool]]:
    """Names of the files with faults, and whether an older version is served."""
    return [(fault.file.name, fault.kept) for fault in snapshot.faults]


# Loading


def test_s20_s37_layers_are_merged_in_ascending_priority_then_by_id(tree: Tree) -> None:
    for path, skill_id in (("low/b", "b"), ("low/c", "c"), ("high/d/e/a", "A"), ("high/a2", "a"), ("low/x", "b2")):
        tree.prompt(f"{path}.yaml", skill_id, path)
    tree.prompt("high/b.json", "b", "high/b").write_text(
        '{"id": "b", "type": "prompt", "prompt": "j"}', encoding="utf-8"
    )
    snapshot = tree.library.load()
    assert list(texts(snapshot)) == ["b2", "c", "a", "A", "b"]
    assert texts(snapshot)["b"] == "j"
    assert [candidate.status for candidate in snapshot.records["b"].candidates] == ["effective", "shadowed"]
    assert snapshot.faults == ()


def test_all_three_formats_are_served_from_one_layer(tree: Tree) -> None:
    tree.prompt("low/one.yml", "one")
    tree.write("low/two/SKILL.md", "---\nname: two\ndescription: d\n---\nbody\n")
    tree.write("low/three.JSON", '{"id": "three", "type": "tool", "schemaVersion": "skillcentral.dev/v1", "name": "n",'
                                 ' "description": "d"}')  # fmt: skip
    snapshot = tree.library.load()
    assert (sorted(texts(snapshot)), [skill.id for skill in snapshot.tools]) == (["one", "two"], ["three"])
    assert snapshot.faults == ()


def test_what_lies_in_an_agent_skill_belongs_to_it(tree: Tree) -> None:
    skill = "---\nname: {}\ndescription: d\n---\nbody\n"
    tree.write("low/outer/SKILL.md", skill.format("outer"))
    tree.prompt("low/outer/assets/example.yaml", "example")
    tree.write("low/outer/package.json", "{}")
    tree.write("low/outer/parts/inner/SKILL.md", skill.format("inner"))
    snapshot = tree.library.load()
    assert (sorted(texts(snapshot)), snapshot.faults) == (["inner", "outer"], ())


def test_s44_bad_files_never_hide_a_good_one(tree: Tree) -> None:
    tree.write("low/a-unparsable.yaml", "id: [\n")
    tree.write("low/b-invalid.yaml", "id: b\ntype: prompt\n")
    tree.prompt("low/c-good.yaml", "good")
    snapshot = tree.library.load()
    assert texts(snapshot) == {"good": "x"}
    assert [(fault.file.name, fault.line, fault.field) for fault in snapshot.faults] == [
        ("a-unparsable.yaml", 2, None),
        ("b-invalid.yaml", 1, "prompt"),
    ]


def test_s45_hidden_files_and_other_endings_are_passed_over_in_silence(tree: Tree) -> None:
    for path in ("_x.yaml", ".x.yaml", "_d/x.yaml", ".d/x.yaml", "node_modules/x.yaml"):
        tree.write(f"low/{path}", "id: [")
    for path in ("readme.md", "x.json5", "x.txt", "yaml"):
        tree.write(f"low/{path}", "nothing")
    snapshot = tree.library.load()
    assert (texts(snapshot), snapshot.faults) == ({}, ())


def test_s39_a_conflict_is_a_record_and_no_prompt(tree: Tree) -> None:
    tree.prompt("low/one.yaml", "same")
    tree.prompt("low/two.yaml", "same")
    snapshot = tree.library.load()
    assert texts(snapshot) == {}
    assert [record.id for record in snapshot.conflicts] == ["same"]


def test_s41_a_skill_for_another_project_neither_shadows_nor_is_served(tree: Tree) -> None:
    tree.prompt("low/a.yaml", "a", "low")
    tree.prompt("high/a.yaml", "a", "high", appliesTo="{projects: ['git:example.com/other']}")
    here = tree.library.load()
    assert (texts(here), [skill.prompt for skill in here.elsewhere]) == ({"a": "low"}, ["high"])
    there = Library(Sources(tree.root, home=tree.root, project_ids=("git:example.com/other",))).load()
    assert texts(there) == {"a": "high"}


def test_a_layer_that_somebody_named_has_to_be_a_folder(tree: Tree) -> None:
    (tree.root / "low").rmdir()
    tree.prompt("high/a.yaml", "a")
    snapshot = tree.library.load()
    assert texts(snapshot) == {"a": "x"}
    [fault] = snapshot.faults
    assert (fault.file, fault.grave, "low" in fault.reason) == (tree.root / "low", True, True)
    (tree.root / "skill-central.yaml").unlink()
    assert tree.library.refresh().faults == ()  # of the default layers none has to be there


def test_one_folder_may_be_two_layers(tree: Tree) -> None:
    tree.write("skill-central.yaml", "layers: [{name: a, path: low, priority: 1}, {name: b, path: low/., priority: 2}]")
    tree.prompt("low/a.yaml", "a")
    record = tree.library.load().records["a"]
    assert [(candidate.skill.layer.id, candidate.status) for candidate in record.candidates] == [
        ("b", "effective"),
        ("a", "shadowed"),
    ]


# Reading again


def test_s50_a_file_that_is_added_edited_and_removed(tree: Tree) -> None:
    tree.prompt("low/other.yaml", "other")
    tree.library.load()
    file = tree.prompt("low/deep/a.yaml", "a", "one")
    assert texts(tree.library.refresh([file])) == {"a": "one", "other": "x"}
    tree.prompt("low/deep/a.yaml", "a", "two")
    assert texts(tree.library.refresh([file])) == {"a": "two", "other": "x"}
    file.unlink()
    assert texts(tree.library.refresh([file.parent])) == {"other": "x"}


def test_without_paths_everything_that_changed_is_found(tree: Tree) -> None:
    tree.prompt("low/a.yaml", "a", "one")
    tree.library.load()
    tree.prompt("low/a.yaml", "a", "two")  # of the same length, within one tick of the clock
    tree.prompt("high/b.yaml", "b")
    assert texts(tree.library.refresh()) == {"a": "two", "b": "x"}


def test_a_file_that_is_new_is_read_again_even_if_it_looks_the_same(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two edits of one length within a tick of the file system's clock cannot be told apart from outside."""
    monkeypatch.setattr(files, "_signature", lambda status: (0, 0, 0, 0))
    tree.prompt("low/a.yaml", "a", "one")
    tree.library.load()
    tree.prompt("low/a.yaml", "a", "two")
    assert texts(tree.library.refresh()) == {"a": "two"}


def test_only_what_changed_is_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    long_ago = time.time() - 60
    for name in "abc":
        file = tree.prompt(f"low/{name}.yaml", name)
        os.utime(file, (long_ago, long_ago))
    read: list[str] = []
    original = files.read_skill

    def read_skill(data: bytes, source: Path, layer: Any) -> Any:
        read.append(source.name)
        return original(data, source, layer)

    monkeypatch.setattr(files, "read_skill", read_skill)
    monkeypatch.setattr(files, "_SETTLED_NS", -(10**18))  # the files are new, whatever their times say
    tree.library.load()
    assert read == ["a.yaml", "b.yaml", "c.yaml"]
    tree.library.refresh()
    assert len(read) == 3
    changed = tree.prompt("low/b.yaml", "b", "other")
    tree.library.refresh([changed])
    tree.library.refresh()
    assert read[3:] == ["b.yaml"]
    tree.library.refresh([changed])  # somebody says that it has changed: it is read, whatever its times say
    assert read[3:] == ["b.yaml", "b.yaml"]


def test_nothing_new_is_the_same_snapshot(tree: Tree) -> None:
    file = tree.prompt("low/a.yaml", "a")
    tree.write("low/b.yaml", "id: [")
    snapshot = tree.library.load()
    assert tree.library.refresh() is snapshot
    file.write_bytes(file.read_bytes() + b"# a comment\n")
    assert tree.library.refresh([file]) is snapshot
    assert tree.library.refresh([tree.root / "elsewhere.yaml"]) is snapshot
    assert tree.library.refresh([]) is snapshot


def test_what_has_not_changed_stays_the_very_same_object(tree: Tree) -> None:
    for path, skill_id in (("low/a", "a"), ("high/a", "a"), ("low/b", "b"), ("low/c1", "c"), ("low/c2", "c")):
        tree.prompt(f"{path}.yaml", skill_id)
    before = tree.library.load()
    changed = tree.prompt("low/b.yaml", "b", "new")
    after = tree.library.refresh([changed])
    assert [after.records[name] is before.records[name] for name in "abc"] == [True, False, True]
    (tree.root / "high" / "a.yaml").unlink()
    last = tree.library.refresh()
    assert [last.records[name] is after.records[name] for name in "abc"] == [False, True, True]
    assert last.effective("a") is before.records["a"].candidates[1].skill


@pytest.mark.parametrize(
    "text", ["", "id: a\ntype: prompt\nprompt: |\n\tx", "id: a\ntype: pro", "id: workflow_start\n"]
)
def test_a_half_written_file_keeps_its_last_good_version_and_says_so(tree: Tree, text: str) -> None:
    file = tree.prompt("low/a.yaml", "a", "good")
    tree.library.load()
    for _ in range(2):  # broken, and then broken again
        file.write_text(text, encoding="utf-8")
        snapshot = tree.library.refresh([file])
        assert texts(snapshot) == {"a": "good"}
        assert set(told(snapshot)) == {("a.yaml", True)}
        assert all("still served" in str(fault) for fault in snapshot.faults)
    tree.prompt("low/a.yaml", "a", "better")
    snapshot = tree.library.refresh([file])
    assert (texts(snapshot), snapshot.faults) == ({"a": "better"}, ())


def test_a_broken_file_that_is_removed_is_gone_and_one_that_was_never_good_holds_nothing(tree: Tree) -> None:
    file = tree.prompt("low/a.yaml", "a", "good")
    tree.library.load()
    file.write_text("id: [", encoding="utf-8")
    tree.library.refresh([file])
    file.unlink()
    assert tree.library.refresh([file]).records == {}
    file.write_text("id: [", encoding="utf-8")
    snapshot = tree.library.refresh([file])
    assert (snapshot.records, told(snapshot)) == ({}, [("a.yaml", False)])


def test_loading_anew_forgets_older_versions(tree: Tree) -> None:
    file = tree.prompt("low/a.yaml", "a", "good")
    tree.library.load()
    file.write_text("id: [", encoding="utf-8")
    snapshot = tree.library.load()
    assert (texts(snapshot), told(snapshot)) == ({}, [("a.yaml", False)])


def test_a_changed_configuration_is_followed_and_what_was_good_stays(tree: Tree) -> None:
    file = tree.prompt("low/a.yaml", "a", "low")
    tree.prompt("high/a.yaml", "a", "high")
    tree.prompt("new/b.yaml", "b")
    tree.library.load()
    file.write_text("id: [", encoding="utf-8")
    config = tree.write("skill-central.yaml", CONFIG.replace("10", "50") + "- {name: new, path: new, priority: 1}\n")
    snapshot = tree.library.refresh([config])
    assert texts(snapshot) == {"a": "low", "b": "x"}
    assert snapshot.effective("a").layer.priority == 50  # type: ignore[union-attr]
    assert told(snapshot) == [("a.yaml", True)]

    config.write_text("layers: [", encoding="utf-8")
    snapshot = tree.library.refresh([config])
    assert texts(snapshot) == {"a": "low", "b": "x"}
    assert told(snapshot) == [("skill-central.yaml", True), ("a.yaml", True)]

    config.write_text(CONFIG.replace("path: low", "path: new"), encoding="utf-8")
    snapshot = tree.library.refresh([config])
    assert (texts(snapshot), snapshot.faults) == ({"a": "high", "b": "x"}, ())
    assert config in snapshot.watched
    assert tree.root / "new" in snapshot.watched


def test_a_layer_that_comes_later_and_goes_again(tree: Tree) -> None:
    (tree.root / "low").rmdir()
    tree.library.load()
    file = tree.prompt("low/a.yaml", "a")
    assert texts(tree.library.refresh([file.parent])) == {"a": "x"}
    (tree.root / "low").rename(tree.root / "away")
    assert texts(tree.library.refresh([file.parent])) == {}
    assert texts(tree.library.refresh([tree.root])) == {}


def test_a_snapshot_stays_as_it_was(tree: Tree) -> None:
    file = tree.prompt("low/a.yaml", "a", "one")
    before = tree.library.load()
    tree.prompt("low/a.yaml", "a", "two")
    tree.library.refresh([file])
    assert texts(before) == {"a": "one"}


class Editing(RuleBasedStateMachine):
    """Whatever is written, broken, moved and removed, each file counts with its last good content while it is there."""

    make_root: Callable[[], Path]

    def __init__(self) -> None:
        super().__init__()
        self.tree = Tree(self.make_root())
        self.tree.library.load()
        self.there: dict[str, bool] = {}
        self.good: dict[str, str] = {}
        self.number = 0

    PATHS = st.sampled_from(["low/a.yaml", "low/d/b.yaml", "high/a.yaml", "high/d/c.yaml"])

    @rule(path=PATHS, fully=st.booleans())
    def write(self, path: str, fully: bool) -> None:
        self.number += 1
        self.tree.prompt(path, path, str(self.number) + "n")
        self.there[path], self.good[path] = True, f"{self.number}n"
        self.refresh(path, fully)

    @rule(path=PATHS, fully=st.booleans(), text=st.sampled_from(["", "id: [", "id: x\ntype: nothing\n"]))
    def break_it(self, path: str, fully: bool, text: str) -> None:
        self.tree.write(path, text)
        self.there[path] = True
        self.refresh(path, fully)

    @rule(path=PATHS, fully=st.booleans())
    def remove(self, path: str, fully: bool) -> None:
        (self.tree.root / path).unlink(missing_ok=True)
        self.there.pop(path, None)
        self.good.pop(path, None)
        self.refresh(path, fully)

    def refresh(self, path: str, fully: bool) -> None:
        self.tree.library.refresh(None if fully else [self.tree.root / path])

    @invariant()
    def what_is_served_is_what_was_good(self) -> None:
        snapshot = self.tree.library.refresh([])
        assert texts(snapshot) == {path: text for path, text in self.good.items() if path in self.there}
        fresh = Library(self.tree.library._sources).load()
        assert {fault.file for fault in fresh.faults} == {fault.file for fault in snapshot.faults}


def test_any_sequence_of_edits(tmp_path: Path) -> None:
    numbers = iter(range(10_000))

    def make_root() -> Path:
        root = tmp_path / str(next(numbers))
        root.mkdir()
        return root

    class Machine(Editing):
        pass

    Machine.make_root = staticmethod(make_root)  # type: ignore[assignment]
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(Machine, settings=settings(max_examples=25, stateful_step_count=15, deadline=None))


# What is never read


HIDDEN = "id: secret\ntype: prompt\nprompt: SECRET\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.yaml").write_text(HIDDEN, encoding="utf-8")
    return folder


def test_s45_a_link_is_not_followed_and_says_so(tree: Tree, outside: Path) -> None:
    (tree.root / "low" / "file.yaml").symlink_to(outside / "secret.yaml")
    (tree.root / "low" / "folder").symlink_to(outside)
    (tree.root / "low" / "readme.md").symlink_to(outside / "secret.yaml")
    (tree.root / "low" / "nowhere.yaml").symlink_to(outside / "nothing")
    snapshot = tree.library.load()
    assert snapshot.records == {}
    assert [(fault.file.name, fault.grave) for fault in snapshot.faults] == [
        ("file.yaml", False),
        ("folder", False),
        ("nowhere.yaml", False),
    ]
    assert str(outside) in snapshot.faults[1].reason


def test_a_link_into_a_layer_needs_no_word(tree: Tree) -> None:
    tree.prompt("high/a/a.yaml", "a")
    (tree.root / "low" / "a").symlink_to(tree.root / "high" / "a")
    (tree.root / "high" / "b.yaml").symlink_to(tree.root / "high" / "a" / "a.yaml")
    snapshot = tree.library.load()
    assert (texts(snapshot), snapshot.faults) == ({"a": "x"}, ())


def test_a_layer_may_itself_be_a_link(tree: Tree, outside: Path) -> None:
    (tree.root / "low").rmdir()
    (tree.root / "low").symlink_to(outside)
    assert texts(tree.library.load()) == {"secret": "SECRET"}
    tree.prompt("low/a.yaml", "a")
    assert texts(tree.library.refresh([outside / "a.yaml"])) == {"a": "x", "secret": "SECRET"}


@pytest.mark.parametrize("name", ["sub", "sub.yaml"])
def test_what_becomes_a_link_while_it_is_looked_at_is_not_followed(
    tree: Tree, outside: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A race, forced: the folder or file is exchanged between the listing and the opening."""
    victim = tree.root / "low" / name
    if name == "sub":
        tree.prompt("low/sub/secret.yaml", "fine")
    else:
        tree.prompt("low/sub.yaml", "fine")
    original, exchanged = os.open, []

    def exchanging(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        if path == name and options.get("dir_fd") is not None:
            victim.rename(tree.root / "away")
            victim.symlink_to(outside if name == "sub" else outside / "secret.yaml")
            exchanged.append(path)
        return original(path, flags, *arguments, **options)

    monkeypatch.setattr(files.os, "open", exchanging)
    snapshot = tree.library.load()
    assert exchanged == [name]
    assert "secret" not in snapshot.records


def test_a_pipe_with_the_name_of_a_skill_blocks_nothing(tree: Tree) -> None:
    os.mkfifo(tree.root / "low" / "a.yaml")
    tree.prompt("low/b.yaml", "b")
    assert texts(tree.library.load()) == {"b": "x"}


def test_a_layer_that_holds_too_much_is_looked_at_in_part(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ITEMS", 5)
    for number in range(4):
        tree.prompt(f"low/{number}/a.yaml", str(number) + "n")
    tree.prompt("high/b.yaml", "b")
    snapshot = tree.library.load()
    assert texts(snapshot) == {"0n": "x", "1n": "x", "b": "x"}
    [fault] = snapshot.faults
    assert (fault.file, "more than 5" in fault.reason) == (tree.root / "low", True)


def test_folders_that_never_end_are_not_followed(tree: Tree) -> None:
    tree.prompt("/".join(["low", *["d"] * 40, "a.yaml"]), "a")
    tree.prompt("low/b.yaml", "b")
    snapshot = tree.library.load()
    assert texts(snapshot) == {"b": "x"}
    assert "deep" in snapshot.faults[0].reason


def test_what_must_not_be_read_is_told_and_what_was_read_before_stays(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.prompt("low/a.yaml", "a")
    tree.prompt("low/d/b.yaml", "b")
    tree.prompt("low/c.yaml", "c")
    tree.library.load()
    original = os.open

    def refusing(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        if path in {"a.yaml", "d"}:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return original(path, flags, *arguments, **options)

    monkeypatch.setattr(files.os, "open", refusing)
    snapshot = tree.library.refresh()
    assert texts(snapshot) == {"a": "x", "c": "x"}
    assert told(snapshot) == [("d", False), ("a.yaml", True)]
    fresh = tree.library.load()
    assert (texts(fresh), told(fresh)) == ({"c": "x"}, [("d", False), ("a.yaml", False)])


NAMES = st.sampled_from(["a", "b.yaml", "c.json", "SKILL.md", "%2e%2e", "..%2fsecret.yaml", "...", "x\\..\\y.yaml"])
IDS = st.sampled_from(["../../secret", "/etc/passwd", "..", "%2e%2e%2fsecret", "a/../../b", "~/x", "file:///x", "a"])


KINDS = st.sampled_from(["skill", "link to a file", "link up", "link to a folder"])


@settings(max_examples=60, deadline=None)
@given(items=st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=3), KINDS, IDS)))
def test_no_name_no_id_and_no_link_reads_outside_of_a_layer(
    tmp_path_factory: pytest.TempPathFactory, items: list[tuple[list[str], str, str]]
) -> None:
    base = tmp_path_factory.mktemp("base")
    (base / "project").mkdir()
    (base / "outside").mkdir()
    tree = Tree(base / "project")
    low = tree.root / "low"
    for folder in (base, base / "outside"):
        (folder / "secret.yaml").write_text(HIDDEN, encoding="utf-8")
    targets = {
        "link to a file": base / "secret.yaml",
        "link up": Path("../.."),
        "link to a folder": base / "outside",
    }
    for parts, kind, skill_id in items:
        path = low / Path(*parts)
        if any(place.is_symlink() for place in (path, *path.parents)) or path.exists():
            continue  # this test writes into the layer only, never through a link that it has made
        if any(place.is_file() for place in path.parents):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "skill":
            path.write_text(f"id: '{skill_id}'\ntype: prompt\nprompt: fine\n", encoding="utf-8")
        else:
            path.symlink_to(targets[kind])
    asked = [base / "secret.yaml", low / ".." / "..", low / "a" / "secret.yaml"]
    for snapshot in (tree.library.load(), tree.library.refresh(asked)):
        for record in snapshot.records.values():
            for candidate in record.candidates:
                assert candidate.skill.prompt == "fine"
                assert os.path.realpath(candidate.skill.source).startswith(f"{low}/")


def test_skills_compare_by_what_they_hold(tree: Tree) -> None:
    tree.prompt("low/a.yaml", "a")
    [skill] = tree.library.load().prompts
    assert isinstance(skill, Skill)
    assert replace(skill) == skill
