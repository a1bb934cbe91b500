"""The tutorial, done by a test as a reader would: every file written, every line changed, every command run."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parent.parent / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w/]+\.py)`")
PATIENCE = 280.0


def steps() -> Iterator[tuple[str, str, str]]:
    """Each block: its language, its text, and the file that was named last before it."""
    text = TUTORIAL.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        named = FILE.findall(BLOCK.sub("", text[: found.start()]))
        yield found["language"], found["text"], named[-1] if named else ""


class Reader:
    """Somebody with an environment of their own, in which pip, pytest and agenthost are, and no network."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "venv")
        [packages] = (folder / "venv").glob("lib/python*/site-packages")
        ours = sysconfig.get_path("purelib")
        (packages / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n", encoding="utf-8")
        programs = folder / "venv" / "bin"
        for module in ("agenthost", "pip", "pytest"):
            program = programs / module
            program.write_text(f'#!/bin/sh\nexec {programs / "python"} -m {module} "$@"\n', encoding="utf-8")
            program.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGENTHOST_", "XDG_", "PY"))}
        # What is to be installed beside the plugin is there already.
        offline = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_QUIET": "1"}
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**kept, **offline, "HOME": str(folder), "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        self.folder = folder
        self.printed = ""

    def run(self, line: str) -> None:
        if line.startswith("cd "):
            self.folder /= line.removeprefix("cd ")
            return
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}"
        self.printed += done.stdout

    def change(self, file: str, difference: str) -> None:
        old, new = (
            "".join(line[1:] for line in difference.splitlines(keepends=True) if line.startswith(sign)) for sign in "-+"
        )
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has no {old}"
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.timeout(700)
def test_a_reader_of_the_tutorial_writes_tests_and_calls_a_plugin(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for language, text, file in steps():
        match language:
            case "console":
                for line in text.splitlines():
                    reader.run(line)
            case "python":
                (reader.folder / file).write_text(text, encoding="utf-8")
            case "diff":
                reader.change(file, text)
            case other:
                pytest.fail(f"nobody knows what to do with a block of {other}")
    answer, second, *_ = re.findall(r"`([^`\n]+)`", TUTORIAL.read_text(encoding="utf-8").partition("the answer: ")[2])
    assert answer in reader.printed
    assert second.endswith("pyproject.toml")
    assert re.findall(r"(\d+) passed", reader.printed) == ["6", "7"]
    assert "Buy milk." in reader.printed
    assert "tool journal_find_notes\n" in reader.printed
    assert "would change" in reader.printed or "would run" in reader.printed
    assert not (tmp_path / ".claude.json").exists()
