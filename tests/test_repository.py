"""What holds for the repository itself: its folders, versions and files."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
DISTRIBUTIONS = [ROOT / "host", *PLUGINS]
MACHINE_PATH = re.compile(r"/(?:root|work|(?:home|Users)/(?!you/)[a-z][\w.-]*)/")

every_distribution = pytest.mark.parametrize("folder", DISTRIBUTIONS, ids=lambda folder: folder.name)


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """Every file that is committed or would be."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    found = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    return [file for file in found if file.is_file()]


def project(folder: Path) -> dict:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_folder_under_plugins_is_a_distribution() -> None:
    folders = [path for path in (ROOT / "plugins").iterdir() if path.is_dir() and not path.name.startswith(".")]
    assert sorted(folders) == PLUGINS


@every_distribution
def test_a_distribution_folder_is_complete(folder: Path) -> None:
    wanted = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "src", "tests"}
    assert wanted - {path.name for path in folder.iterdir()} == set()
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert list((folder / "tests").glob("test_*.py"))


@every_distribution
def test_the_newest_heading_of_a_changelog_is_the_version(folder: Path) -> None:
    source = folder / project(folder)["tool"]["hatch"]["version"]["path"]
    version = re.search(r'^__version__ = "(.+)"$', source.read_text(encoding="utf-8"), re.MULTILINE)
    heading = re.search(r"^## (.*)$", (folder / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert version
    assert heading
    assert re.fullmatch(re.escape(version[1]) + r" - (unreleased|\d{4}-\d{2}-\d{2})", heading[1])


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda folder: folder.name)
def test_a_plugins_folder_distribution_and_entry_point_have_one_name(folder: Path) -> None:
    described = project(folder)["project"]
    assert described["name"] == f"agenthost-{folder.name}"
    assert list(described["entry-points"]["agenthost"]) == [folder.name]


def test_the_extra_all_names_every_plugin() -> None:
    extra = project(ROOT / "host")["project"]["optional-dependencies"]["all"]
    assert {requirement.split(">")[0] for requirement in extra} == {f"agenthost-{folder.name}" for folder in PLUGINS}


def test_the_development_requirements_hold_every_distribution() -> None:
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    editable = [line.removeprefix("-e ./").partition("[")[0] for line in lines if line.startswith("-e ")]
    assert editable == [str(folder.relative_to(ROOT)) for folder in DISTRIBUTIONS]


def test_import_linter_watches_every_plugin() -> None:
    settings = project(ROOT)["tool"]["importlinter"]
    packages = [f"agenthost_{folder.name}" for folder in PLUGINS]
    contracts = {contract["name"]: contract for contract in settings["contracts"]}
    assert settings["root_packages"] == ["agenthost", *packages]
    assert contracts["The host knows no plugin"]["forbidden_modules"] == packages
    assert contracts["Plugins know the host's contract, not the protocol's SDK"]["source_modules"] == packages
    assert contracts["Plugins know nothing of each other"]["modules"] == packages


def test_no_lock_file_is_committed(files: list[Path]) -> None:
    assert [file for file in files if file.name in {"uv.lock", "package-lock.json"}] == []


def test_no_file_names_a_path_of_somebodys_machine(files: list[Path]) -> None:
    named = []
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        named += [f"{file.relative_to(ROOT)}: {match[0]}" for match in MACHINE_PATH.finditer(text)]
    assert named == []
