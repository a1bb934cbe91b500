"""Where files may be written: whatever a path says, nothing outside of a layer is ever touched."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from agenthost_skillcentral.model import Layer
from agenthost_skillcentral.writing.files import locked, read, replace
from agenthost_skillcentral.writing.places import NotWritten, find_place, in_layer, in_rules, name_fault, open_folder
from hypothesis import given, settings
from hypothesis import strategies as st

PIECES = st.sampled_from(
    ["..", ".", "", "a", "b.yaml", "link", "deep", "/", "//", "\\", "~", "\0", "\n", "é", "_x", ".x", "etc", "%2e%2e"]
)
PATHS = st.lists(PIECES | st.text(max_size=5), max_size=6).map("/".join)


@pytest.mark.parametrize(
    "relative",
    [
        *("../a.yaml", "a/../../b.yaml", "/etc/passwd", "", ".", "a//b.yaml", "a/", ".a.yaml", "_a.yaml", "a\\b.yaml"),
        *("a\0.yaml", "a\n.yaml", "node_modules/a.yaml", f"{'x' * 181}.yaml", "\ud800.yaml"),
    ],
)
def test_s64_a_path_that_leaves_its_folder_or_is_passed_over_there_is_refused(tmp_path: Path, relative: str) -> None:
    layer = Layer("l", "l", tmp_path / "layer")
    with pytest.raises(NotWritten):
        in_layer(layer, tmp_path, "", relative)
    folder, _, name = relative.rpartition("/")
    with pytest.raises(NotWritten):
        in_layer(layer, tmp_path, folder, name)
    with pytest.raises(NotWritten):
        in_rules(tmp_path, relative)


def test_a_plain_path_is_a_place_in_its_layer(tmp_path: Path) -> None:
    layer = Layer("l", "l", tmp_path / "layer")
    assert in_layer(layer, tmp_path, "a", "é b.yaml").path == tmp_path / "layer/a/é b.yaml"
    assert in_layer(layer, tmp_path / "elsewhere", "", "a.yaml").root == tmp_path / "layer"
    assert in_rules(tmp_path, "a.yaml").path == tmp_path / ".rules/a.yaml"
    assert name_fault("a.yaml") is None


def test_of_layers_in_each_other_the_inner_one_has_the_file(tmp_path: Path) -> None:
    outer, inner = Layer("o", "o", tmp_path / "s"), Layer("i", "i", tmp_path / "s/in")
    for layers in ((outer, inner), (inner, outer)):
        found = find_place(tmp_path / "s/in/a.yaml", layers, tmp_path)
        assert found is not None
        assert found[1] is inner
    assert find_place(tmp_path / "other/a.yaml", (outer, inner), tmp_path) is None
    assert find_place(tmp_path / "s", (outer,), tmp_path) is None
    assert find_place(tmp_path / "s/../other/a.yaml", (outer,), tmp_path) is None


@settings(max_examples=300, deadline=None)
@given(relative=PATHS, inside=st.booleans())
def test_s64_s84_no_path_at_all_writes_outside_of_the_layer(relative: str, inside: bool) -> None:
    with TemporaryDirectory() as name:
        home = Path(name)
        outside = home / "outside"
        (outside / "deep").mkdir(parents=True)
        (outside / "a").write_text("kept", encoding="utf-8")
        root = home / "project"
        layer = Layer("l", "l", root / "layer")
        layer.path.mkdir(parents=True)
        (layer.path / "link").symlink_to(outside, target_is_directory=True)
        (layer.path / "b.yaml").symlink_to(outside / "a")
        before = {path: path.read_bytes() if path.is_file() else None for path in outside.rglob("*")}
        made = set(home.iterdir()), set(root.iterdir())
        project = root if inside else home / "another"
        try:
            folder_, _, name_ = relative.rpartition("/")
            place = in_layer(layer, project, folder_, name_)
            with open_folder(place, create=True) as folder, locked(folder):
                replace(folder, place.name, read(folder, place.name), b"written")
        except NotWritten:
            pass
        else:
            assert place.path.read_bytes() == b"written"
            assert Path(os.path.realpath(place.path)).is_relative_to(os.path.realpath(layer.path))
        assert {path: path.read_bytes() if path.is_file() else None for path in outside.rglob("*")} == before
        assert (set(home.iterdir()), set(root.iterdir())) == made


@settings(max_examples=300, deadline=None)
@given(path=PATHS)
def test_s84_what_is_found_below_a_layer_is_below_it(path: str) -> None:
    root = Path("/project")
    layer = Layer("l", "l", root / "layer")
    try:
        found = find_place(root / path, (layer,), root)
    except NotWritten:
        return
    if found is not None:
        place, _ = found
        assert ".." not in place.parts
        assert place.path.is_relative_to(layer.path) or place.path.is_relative_to(root / ".rules")
