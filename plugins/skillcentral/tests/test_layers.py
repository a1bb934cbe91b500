"""Which layers there are: configuration files, defaults, presets, settings; and which project is at work."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from agenthost_skillcentral.layers import projects
from agenthost_skillcentral.layers.configs import read
from agenthost_skillcentral.layers.layout import Layout, find_layout
from agenthost_skillcentral.layers.presets import PRESETS, preset_layers
from agenthost_skillcentral.model import Sources
from hypothesis import given, settings
from hypothesis import strategies as st

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def layout(project: Path, home: Path, user: str | None = None, config: str | None = None, **more: Any) -> Layout:
    """The layout of a project and a user with these configuration files."""
    user_file = home / "config.yaml"
    if user is not None:
        user_file.write_text(user, encoding="utf-8")
    if config is not None:
        (project / "skill-central.yaml").write_text(config, encoding="utf-8")
    return find_layout(Sources(project, user_file, home=home, **more))


def shown(found: Layout) -> list[tuple[str, str, float]]:
    return [(layer.id, layer.name, layer.priority) for layer in found.layers]


# Configuration files


def test_s47_a_layer_takes_the_place_of_one_with_its_id_or_its_name(project: Path, home: Path) -> None:
    found = layout(
        project,
        home,
        user="""\
layers:
- {name: first, path: a, priority: 1}
- {name: shared, path: b, priority: 2}
- {name: last, path: c, priority: 3}
""",
        config="""\
layers:
- {id: my-shared, name: shared, path: ~/mine, priority: 9}
- {name: more, path: /d, priority: -0.5}
""",
    )
    assert shown(found) == [
        ("first", "first", 1),
        ("my-shared", "shared", 9),
        ("last", "last", 3),
        ("more", "more", -0.5),
    ]
    assert [layer.path for layer in found.layers] == [project / "a", home / "mine", project / "c", Path("/d")]
    assert found.layers[1].origin == project / "skill-central.yaml"
    assert found.faults == ()


def test_a_layer_with_the_id_of_one_and_the_name_of_another_replaces_both(project: Path, home: Path) -> None:
    found = layout(
        project,
        home,
        user="layers: [{id: a, name: one, path: a, priority: 1}, {id: b, name: two, path: b, priority: 2}]",
        config="layers: [{id: b, name: one, path: c, priority: 3}]",
    )
    assert shown(found) == [("b", "one", 3)]


def test_two_layers_of_one_name_in_one_file_are_told(project: Path, home: Path) -> None:
    found = layout(
        project, home, config="layers:\n- {name: a, path: a, priority: 1}\n- {name: a, path: b, priority: 2}\n"
    )
    assert shown(found) == [("a", "a", 2)]
    [fault] = found.faults
    assert (fault.line, fault.field, fault.grave) == (3, "layers[1]", False)


def test_s48_a_wrong_entry_is_skipped_and_its_field_is_named(project: Path, home: Path) -> None:
    found = layout(
        project,
        home,
        config="""\
layers:
- {name: good, path: a, priority: "10"}
- {name: no-path, priority: 1}
- {name: p, path: a, priority: abc}
- {name: s, path: a, priority: 1, scope: galaxy}
- text
- {name: zero, path: b, priority: ~}
- {name: w, path: a, priority: 1, writable: 5, trust: all, sync: yes, visibility: []}
- {path: a}
- {name: n, path: a, priority: .inf}
""".replace(".inf", "inf"),
    )
    assert shown(found) == [("good", "good", 10), ("zero", "zero", 0)]
    assert [(fault.line, fault.field) for fault in found.faults] == [
        (3, "layers[1].path"),
        (4, "layers[2].priority"),
        (5, "layers[3].scope"),
        (6, "layers[4]"),
        (8, "layers[6].writable"),
        (8, "layers[6].trust"),
        (8, "layers[6].sync"),
        (8, "layers[6].visibility"),
        (9, "layers[7].priority"),
        (10, "layers[8].priority"),
    ]


def test_what_an_entry_leaves_out_has_defaults(project: Path, home: Path) -> None:
    found = layout(
        project,
        home,
        config="""\
layers:
- {name: 01-global, path: a, priority: 1}
- {name: My Package!, path: b, priority: 2}
- {name: x, path: c, priority: 3}
""",
    )
    plain = {
        layer.id: (layer.scope, layer.writable, layer.trust, layer.sync, layer.visibility) for layer in found.layers
    }
    assert plain == {
        "01-global": ("user", True, "local", True, "private"),
        "my-package": ("workspace", False, "remote", True, "private"),
        "x": ("workspace", True, "local", False, "private"),
    }


DEFAULTS = ["user", "01-global", "02-workflows", "03-domains", "04-tech-stack"]


def test_s49_without_a_file_there_are_default_layers(project: Path, home: Path) -> None:
    found = layout(project, home)
    assert [layer.id for layer in found.layers] == DEFAULTS
    assert [layer.priority for layer in found.layers] == [5, 10, 20, 30, 40]
    assert found.layers[0].path == home / ".skill-central" / "skills"
    assert found.layers[1].path == project / ".skills" / "01-global"
    assert (found.faults, found.wanted) == ((), frozenset())


@pytest.mark.parametrize(
    ("config", "line"),
    [("layers: [", 2), ("- a\n", 1), ("layers: 5\n", 1), ("layers:\n- {name: a}\n", 2), ("a: 1\na: 2\n", 2)],
)
def test_s49_a_broken_file_is_told_and_there_are_default_layers(
    project: Path, home: Path, config: str, line: int
) -> None:
    found = layout(project, home, config=config)
    assert [layer.id for layer in found.layers] == DEFAULTS
    assert {(fault.file, fault.line) for fault in found.faults} == {(project / "skill-central.yaml", line)}


@pytest.mark.parametrize("broken", ["layers: [", "", "\n"])
def test_a_file_that_breaks_later_counts_as_it_was(project: Path, home: Path, broken: str) -> None:
    before = layout(project, home, config="layers: [{name: a, path: a, priority: 1}]")
    (project / "skill-central.yaml").write_text(broken, encoding="utf-8")
    sources = Sources(project, home / "config.yaml", home=home)
    after = find_layout(sources, before)
    assert after.layers == before.layers
    assert [fault.kept for fault in after.faults] == [True]
    assert find_layout(sources, after).layers == before.layers


def test_a_file_of_comments_and_one_that_is_not_there_are_no_fault(project: Path, home: Path) -> None:
    assert layout(project, home, user="# nothing\n", config="# nothing\n").faults == ()
    assert read(project / "nothing.yaml", project, home) is None
    assert read(project / "skill-central.yaml" / "below", project, home) is None


def test_a_file_that_cannot_be_read_is_told(project: Path, home: Path) -> None:
    (home / "config.yaml").mkdir()
    [fault] = layout(project, home).faults
    assert (fault.file, "cannot be read" in fault.reason) == (home / "config.yaml", True)


def test_settings_add_layers_and_win(project: Path, home: Path) -> None:
    extra = ({"name": "a", "path": "/x", "priority": 7}, {"name": "b", "path": "y", "priority": 8}, {"name": "c"})
    found = layout(project, home, config="layers: [{name: a, path: a, priority: 1}]", extra_layers=extra)
    assert shown(found) == [("a", "a", 7), ("b", "b", 8)]
    assert [fault.field for fault in found.faults] == ["extra_layers[2].path", "extra_layers[2].priority"]
    assert found.wanted == {"a", "b"}


# The project


def test_the_projects_file_is_found_from_below_up_to_the_repository(project: Path, home: Path) -> None:
    (project / ".git").mkdir()
    start = project / "src" / "deep"
    start.mkdir(parents=True)
    (project / "skill-central.yml").write_text("layers: [{name: a, path: a, priority: 1}]", encoding="utf-8")
    found = layout(start, home)
    assert (found.project_root, found.layers[0].path) == (project, project / "a")
    (project / "skill-central.yaml").write_text("layers: [{name: b, path: a, priority: 1}]", encoding="utf-8")
    assert layout(start, home).layers[0].id == "b"


def test_a_file_above_the_repository_is_somebody_elses(project: Path, home: Path) -> None:
    (project.parent / "skill-central.yaml").write_text("layers: [{name: a, path: a, priority: 1}]", encoding="utf-8")
    assert layout(project, home).project_root == project
    (project / ".git").mkdir()
    assert layout(project, home).project_root == project
    assert layout(project / "below", home).project_root == project / "below"


def test_without_a_file_the_folder_with_skills_is_the_project(project: Path, home: Path) -> None:
    (project / ".git").mkdir()
    (project / ".skills").mkdir()
    assert layout(project / "src", home).layers[1].path == project / ".skills" / "01-global"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
    )


@needs_git
def test_s42_a_clone_is_called_by_its_remote_and_its_place(project: Path) -> None:
    git(project, "init")
    place = f"path:{project.resolve()}"
    assert projects.project_ids(project) == (place,)
    git(project, "remote", "add", "upstream", "https://example.com/other.git")
    git(project, "remote", "add", "origin", "git@github.com:acme/one.git")
    below = project / "src"
    below.mkdir()
    assert projects.project_ids(below) == ("git:github.com/acme/one", place)
    assert projects.normalise("git:GitHub.com/Acme/One") == "git:github.com/acme/one"


@needs_git
def test_linked_working_trees_and_submodules_are_called_by_their_own_remote(project: Path, tmp_path: Path) -> None:
    git(project, "init")
    git(project, "commit", "--allow-empty", "-m", "one")
    git(project, "remote", "add", "origin", "ssh://git@Example.com:2222/Team/One.git")
    git(project, "worktree", "add", "../linked")
    linked = tmp_path / "linked"
    assert projects.project_ids(linked) == ("git:example.com/Team/One", f"path:{linked.resolve()}")

    library = tmp_path / "library"
    library.mkdir()
    git(library, "init")
    git(library, "commit", "--allow-empty", "-m", "one")
    git(project, "submodule", "add", str(library), "libs/library")
    module = project / "libs" / "library"
    git(module, "remote", "set-url", "origin", "https://example.com/team/library")
    assert projects.project_ids(module) == ("git:example.com/team/library", f"path:{module.resolve()}")


@needs_git
def test_what_git_writes_is_read_as_git_reads_it(project: Path) -> None:
    git(project, "init")
    for url in ("https://example.com/a#b;c", 'https://example.com/quote"d', "https://example.com/a\\b"):
        git(project, "config", "remote.origin.url", url)
        told = subprocess.run(["git", "config", "remote.origin.url"], cwd=project, capture_output=True, check=True)
        assert projects._origin(project) == told.stdout.decode().removesuffix("\n")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ('[remote "origin"]\n\turl = a\n', "a"),
        ('[remote "origin"] url = a ; comment\n', "a"),
        ('[remote "other"]\nurl = b\n[Remote "origin"]\n# url = c\nURL = "a # b"\n', "a # b"),
        ('[remote "origin"]\nurl = a\\\nb\n', "ab"),
        ('[remote "origin"]\n', None),
        ('[remote "Origin"]\nurl = a\n', None),
        ("[remote.origin]\nurl = a\n", None),
        ("url = a\n", None),
    ],
)
def test_git_files_that_people_have_edited_are_read_too(project: Path, text: str, url: str | None) -> None:
    (project / ".git").mkdir()
    (project / ".git" / "config").write_text(text, encoding="utf-8")
    assert projects._origin(project) == url


@pytest.mark.parametrize(
    ("url", "project_id"),
    [
        ("https://github.com/Acme/One.git", "git:github.com/acme/one"),
        ("https://user:secret@GitHub.com/Acme/One/", "git:github.com/acme/one"),
        ("http://example.com:8080/a/B.git", "git:example.com/a/B"),
        ("ssh://git@example.com:22/a/b", "git:example.com/a/b"),
        ("git://example.com/a/b.git/", "git:example.com/a/b"),
        ("git@example.com:a/b.git", "git:example.com/a/b"),
        ("example.com:a/b", "git:example.com/a/b"),
        ("/srv/git/one.git", None),
        ("../one", None),
        ("file:///srv/one.git", None),
        ("https://example.com/", None),
        ("https://[broken/a", None),
        ("", None),
    ],
)
def test_remotes_in_every_form(url: str, project_id: str | None) -> None:
    assert projects.remote_id(url) == project_id


@settings(deadline=None)
@given(st.text(max_size=20) | st.from_regex(r"(git|path):[A-Za-z./:\\ ~-]{0,20}", fullmatch=True))
def test_an_id_in_its_one_form_stays_as_it_is(text: str) -> None:
    try:
        project_id = projects.normalise(text)
    except ValueError:
        return
    assert projects.normalise(project_id) == project_id


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_in_a_git_file_is_read_without_an_error(text: str) -> None:
    list(projects._settings(text.splitlines()))
    projects.remote_id(text)


# Presets


def test_no_preset_is_on_unless_asked_for(project: Path, home: Path) -> None:
    (project / ".claude" / "skills").mkdir(parents=True)
    assert ".claude/skills" not in [layer.id for layer in layout(project, home).layers]
    found = layout(project, home, presets=("claude-code",))
    assert [layer.id for layer in found.layers] == [*DEFAULTS, ".claude/skills", "~/.claude/skills"]
    assert found.layers[-1].path == home / ".claude" / "skills"
    assert not found.layers[-1].writable
    assert found.wanted == frozenset()


def test_a_file_can_ask_for_presets(project: Path, home: Path) -> None:
    found = layout(project, home, config="layerPresets:\n  active:\n  - trae\n  - nothing\n")
    assert found.layers[-1].path == project / ".trae" / "skills"
    [fault] = found.faults
    assert (fault.line, fault.field, "claude-code" in fault.reason) == (4, "layerPresets.active[1]", True)
    assert layout(project, home, config="layerPresets: {active: codex}").layers[-1].id.endswith(".codex/skills")


def test_presets_never_conflict_and_no_folder_is_there_twice() -> None:
    layers = preset_layers(PRESETS, Path("/project"), Path("/home"))
    assert len({layer.priority for layer in layers}) == len({layer.path for layer in layers}) == len(layers)
    assert max(layer.priority for layer in layers) < 5
    users = [layer.priority for layer in layers if layer.scope == "user"]
    assert max(users) < min(layer.priority for layer in layers if layer.scope != "user")
