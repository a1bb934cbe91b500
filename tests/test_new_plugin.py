"""A plugin made by `agenthost new`, built and installed: it is served and called, and its own tests pass."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BUILD = "import sys, hatchling.build; print(hatchling.build.build_wheel(sys.argv[1]))"


@pytest.fixture
def made(tmp_path: Path, run_agenthost: Callable[..., Any]) -> tuple[Path, dict[str, str]]:
    """The folder of a new plugin `my-notes`, and the variables with which it is installed."""
    done = run_agenthost("new", "my-notes", "--dir", str(tmp_path))
    assert done.returncode == 0, done.stderr
    folder, site = tmp_path / "agenthost-my-notes", tmp_path / "installed"
    site.mkdir()
    built = subprocess.run(
        [sys.executable, "-c", BUILD, str(tmp_path)], cwd=folder, capture_output=True, text=True, timeout=60, check=True
    )
    with zipfile.ZipFile(tmp_path / built.stdout.split()[-1]) as archive:
        archive.extractall(site)
    return folder, {"PYTHONPATH": str(site)}


def test_a_new_plugin_is_called_through_the_real_command(
    made: tuple[Path, dict[str, str]], run_agenthost: Callable[..., Any]
) -> None:
    _, env = made
    done = run_agenthost("call", "my_notes_add_note", "--arg", "text=hello", "--plugins", "my-notes", env=env)
    assert (done.returncode, done.stdout) == (0, "Kept, as note 1 of at most 100.\n"), done.stderr
    listed = run_agenthost("tools", "--strict", "--plugins", "my-notes", env=env)
    assert listed.returncode == 0, listed.stderr


@pytest.mark.timeout(300)  # they start ten servers
def test_the_tests_of_a_new_plugin_pass(made: tuple[Path, dict[str, str]]) -> None:
    folder, env = made
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout
