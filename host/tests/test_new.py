"""`agenthost new`: what it makes is complete and works, whatever the name; what is there is left alone."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from agenthost.errors import OperatorError
from agenthost.plugins import RESERVED
from agenthost.scaffold import FILES, _range, check_name, filled, make, module_name
from packaging.requirements import Requirement

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def new(run: Run) -> Run:
    """`new(*arguments, env=..., cwd=..., code=0)`: run `agenthost new` to its end, which has that code."""

    def new(*arguments: str, env: dict[str, str], cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = run("new", *arguments, env=env, cwd=cwd)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return new


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["a", "my-notes", "a_b-c", "exemplary", "x" * 40])
def test_a_plugin_is_complete_and_carries_its_name_everywhere(tmp_path: Path, name: str) -> None:
    made = make(name, tmp_path)
    module = module_name(name)
    assert made == tmp_path / f"agenthost-{name}"
    assert module.isidentifier()
    assert files(made) == {
        *["pyproject.toml", "noxfile.py", "README.md", "CHANGELOG.md", "LICENSE", "tests/test_plugin.py"],
        *(f"src/{module}/{file}" for file in ("__init__.py", "plugin.py", "settings.py", "store.py", "py.typed")),
    }
    project = tomllib.loads((made / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["name"] == made.name
    assert project["project"]["entry-points"]["agenthost"] == {name: f"{module}.plugin"}
    for path in made.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert "exemplar" not in text.replace(name, "").replace(module, "")
            assert "@" not in text or path.suffix in {".py", ".md"}
            if path.suffix == ".py":
                compile(text, str(path), "exec")
                assert max(map(len, text.splitlines()), default=0) <= 120
    assert list(tmp_path.iterdir()) == [made]
    assert [path.stat().st_mode & 0o111 for path in made.rglob("*") if path.is_file()] == [0] * len(files(made))


def test_the_range_of_the_host_is_that_of_its_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make("notes", tmp_path)
    project = tomllib.loads((made / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = Requirement(project["project"]["dependencies"][0])
    assert wanted.name == "agenthost-core"
    assert wanted.specifier.contains(importlib.metadata.version("agenthost-core"), prereleases=True)
    for version, text in (("0.7.3", ">=0.7,<0.8"), ("1.2.0", ">=1.2,<2"), ("0.1.0", ">=0.1,<0.2")):
        monkeypatch.setattr("agenthost.__version__", version)
        assert _range() == text


def test_a_dash_is_an_underscore_in_python_and_an_underscore_a_dash_in_an_address() -> None:
    text = "agenthost_exemplar exemplar_add_note exemplar://notes agenthost-exemplar"
    assert filled(text, "a-b") == "agenthost_a_b a_b_add_note a-b://notes agenthost-a-b"
    assert filled(text, "a_b") == "agenthost_a_b a_b_add_note a-b://notes agenthost-a_b"


@pytest.mark.parametrize("name", ["", "A", "9a", "-a", "a b", "a.b", "ä", "../x", "a/b", "x" * 41])
def test_a_name_that_no_entry_point_may_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(OperatorError, match="small letters"):
        make(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a-", "a_"])
def test_a_name_that_no_distribution_may_have_is_refused(name: str) -> None:
    with pytest.raises(OperatorError, match=f"could not be called agenthost-{name}"):
        check_name(name)


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_name_that_is_kept_is_refused_with_the_reason(name: str) -> None:
    with pytest.raises(OperatorError, match="keeps it for a command"):
        check_name(name)


@pytest.mark.parametrize("kind", ["folder", "file", "dangling link"])
def test_what_is_there_is_left_alone(
    new: Run, tmp_path: Path, agenthost_environment: dict[str, str], kind: str
) -> None:
    there = tmp_path / "work" / "agenthost-notes"
    there.parent.mkdir()
    if kind == "folder":
        there.mkdir()
    elif kind == "file":
        there.write_text("mine", encoding="utf-8")
    else:
        there.symlink_to(tmp_path / "nowhere")
    done = new("notes", env=agenthost_environment, cwd=there.parent, code=2)
    assert f"{there} is there already, and is left as it is" in done.stderr
    assert list(there.parent.iterdir()) == [there]
    assert not there.is_dir() or list(there.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told_and_nothing_is_left(
    new: Run, tmp_path: Path, agenthost_environment: dict[str, str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = new("notes", "--dir", "file/x", env=agenthost_environment, cwd=tmp_path, code=2)
    assert "cannot be made (Not a directory)" in done.stderr


def test_a_failure_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, written = Path.write_text, []

    def full(path: Path, *arguments: str, **options: str) -> int:
        written.append(path)
        if len(written) == 4:
            raise OSError(28, "No space left on device")
        return write(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OperatorError, match="No space left on device"):
        make("notes", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_it_is_told_what_comes_next(new: Run, tmp_path: Path, agenthost_environment: dict[str, str]) -> None:
    done = new("my-notes", "--dir", "deep/er", env=agenthost_environment, cwd=tmp_path)
    made = tmp_path / "deep" / "er" / "agenthost-my-notes"
    assert f"Made {made}: begin with src/agenthost_my_notes/plugin.py" in done.stdout
    assert "agenthost call my_notes_add_note --arg text=hello --plugins my-notes" in done.stdout
    assert (made / "src" / "agenthost_my_notes" / "plugin.py").exists()


def test_an_installed_plugin_of_that_name_is_warned_about(
    new: Run, tmp_path: Path, agenthost_environment: dict[str, str]
) -> None:
    metadata = tmp_path / "site" / "some_plugin-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: some-plugin\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[agenthost]\nnotes = some_plugin\n", encoding="utf-8")
    env = {**agenthost_environment, "PYTHONPATH": str(tmp_path / "site")}
    assert "is installed here already, by some-plugin" in new("notes", env=env, cwd=tmp_path).stderr


def test_it_is_as_light_as_help(tmp_path: Path, agenthost_environment: dict[str, str]) -> None:
    source = (
        "import atexit, sys\n"
        "heavy = {'mcp', 'mcp_types', 'jsonschema', 'tomlkit'}\n"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules)), file=sys.stderr))\n"
        "from agenthost.cli import main\n"
        "main(['new', 'notes'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", source],
        env=agenthost_environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr.strip() == "[]"


def test_every_file_of_the_scaffold_is_shipped() -> None:
    assert len(list(FILES.rglob("*.txt"))) == 11
    assert not list(FILES.rglob("*.py"))
