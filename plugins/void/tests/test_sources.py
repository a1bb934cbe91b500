"""Where definitions come from, and what is said when they cannot be used."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from agenthost_void.definitions import read_array
from agenthost_void.sources import example_names, load_definitions, with_absolute_path


def item(name: str, **members: object) -> dict[str, object]:
    return {"name": name, "inputSchema": {"type": "object"}, "result": "", **members}


def array(*names: str) -> str:
    return json.dumps([item(name) for name in names])


def names_of(entries: list[str], folder: Path) -> list[str]:
    definitions, lines = load_definitions(entries, folder)
    assert lines == []
    return [definition.name for definition in definitions]


def lines_of(entries: list[str], folder: Path) -> list[str]:
    return load_definitions(entries, folder)[1]


def test_v10_sources_are_listed_in_the_order_given_and_relative_paths_start_at_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(array("a1", "a2"), encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.json").write_text(array("c"), encoding="utf-8")
    entries = ["a.json", f" \n{array('b')}", str(tmp_path / "sub" / "c.json"), "example:universal"]
    assert names_of(entries, tmp_path) == ["a1", "a2", "b", "c", "Universal"]


def test_v11_the_same_name_in_two_sources_is_refused_and_both_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(array("other", "t"), encoding="utf-8")
    assert lines_of(["a.json", array("t")], tmp_path) == [
        f"definition 2 (inline) [0].name: t is already defined in {tmp_path / 'a.json'} [1]; rename one"
    ]


def test_v12_the_same_name_twice_in_one_array_is_refused(tmp_path: Path) -> None:
    assert lines_of([array("t", "u", "t")], tmp_path) == [
        "definition 1 (inline) [2].name: t is already defined in definition 1 (inline) [0]; rename one"
    ]


def test_v12_names_that_differ_in_case_are_two_names(tmp_path: Path) -> None:
    assert names_of([array("A", "a")], tmp_path) == ["A", "a"]


def test_v15_every_source_that_cannot_be_used_is_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "number.json").write_text("5", encoding="utf-8")
    (tmp_path / "bad.json").write_text("[\n{,}]", encoding="utf-8")
    (tmp_path / "utf16.json").write_bytes(array("t").encode("utf-16"))
    (tmp_path / "empty.json").write_bytes(b"")
    (tmp_path / "loop.json").symlink_to("loop.json")
    entries = ["{}", '{"a": 1', "number.json", "bad.json", "missing.json", "folder", "utf16.json", "empty.json", " "]
    entries += ["example:foo", "example:../pyproject", "nul\0.json", "5", "loop.json"]
    told = lines_of(entries, tmp_path)
    assert [line.replace(f"{tmp_path}/", "") for line in told] == [
        "definition 1 (inline): must be an array of definitions, not an object",
        "definition 2 (inline): is not JSON: Expecting ',' delimiter (line 1, column 8)",
        "number.json: must be an array of definitions, not a number",
        "bad.json: is not JSON: Expecting property name enclosed in double quotes (line 2, column 2)",
        "missing.json: cannot be read: No such file or directory",
        "folder: cannot be read: Is a directory",
        "utf16.json: is not UTF-8 (at byte 0); save it as UTF-8",
        "empty.json: is not JSON: Expecting value (line 1, column 1)",
        "definition 9: is blank; give an array, a file or an example",
        "example:foo: there is no such example. There is: example:anything, example:universal",
        "example:../pyproject: there is no such example. There is: example:anything, example:universal",
        "nul\0.json: is no path: embedded null byte",
        "5: cannot be read: No such file or directory",
        "loop.json: cannot be read: Too many levels of symbolic links",
    ]


def test_a_byte_order_mark_and_other_line_ends_do_no_harm(tmp_path: Path) -> None:
    text = json.dumps([item("t")], indent=1).replace("\n", "\r\n")
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert names_of(["a.json"], tmp_path) == ["t"]


def test_an_empty_array_is_accepted_and_defines_nothing(tmp_path: Path) -> None:
    assert names_of(["[]"], tmp_path) == []


def test_the_home_folder_may_be_written_as_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_text(array("t"), encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert names_of(["~/a.json"], Path("/nowhere")) == ["t"]


def test_only_the_path_of_a_file_is_made_absolute(tmp_path: Path) -> None:
    kept = [array("t"), "example:universal", "/abs.json", "", " {}"]
    assert [with_absolute_path(entry, tmp_path) for entry in kept] == kept
    assert with_absolute_path("a.json", tmp_path) == str(tmp_path / "a.json")


@pytest.mark.parametrize("name", ["universal", "anything"])
def test_a_shipped_example_is_in_the_package_and_passes_every_check(name: str) -> None:
    text = files("agenthost_void").joinpath("examples", f"{name}.json").read_text(encoding="utf-8")
    [only], faults = read_array(text)
    assert faults == []
    assert only.faults == ()
    assert only.name == name.capitalize()
    assert only.definition is not None
    assert only.definition.result
    assert 0 < len(only.definition.description or "") <= 400
    assert name in example_names()


def test_the_definition_in_the_readme_works(tmp_path: Path) -> None:
    readme = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    [array_in_readme] = re.findall(r"^```json\n(\[.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    assert names_of([array_in_readme], tmp_path) == ["doubt"]


def test_importing_the_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys, agenthost_void.plugin as p, types, logging, pathlib\n"
        "from agenthost import PluginContext\n"
        "context = PluginContext('void', p.Settings(), pathlib.Path(), logging.getLogger(), pathlib.Path())\n"
        "assert p.agenthost_tools(context)\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}\n"
        "    & {'mcp', 'mcp_types', 'jsonschema', 'jsonschema_rs', 'click', 'difflib', 'anyio', 'asyncio'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "\n"
