"""`agenthost campfire`: what a person sees in a terminal, and the scene of `agenthost demo`."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import clean_environment

AGENTHOST = [sys.executable, "-m", "agenthost"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """That of the servers of `start_agent`."""
    return {**clean_environment(tmp_path), "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `agenthost campfire ...` to its end."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*AGENTHOST, "campfire", *arguments]
        return subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )

    return run


class Lines:
    """The lines a process prints, waited for within limits."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.seen: list[str] = []
        self._inbox: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._inbox.put(line.rstrip("\n"))
        self._inbox.put(None)

    def wait_for(self, text: str, patience: float) -> None:
        while not any(text in line for line in self.seen):
            line = self._inbox.get(timeout=patience)
            assert line is not None, self.seen
            self.seen.append(line)


@pytest.fixture
def watching(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Lines]]:
    """Start `agenthost campfire watch ...`."""
    started: list[subprocess.Popen[str]] = []

    def watch(*arguments: str) -> Lines:
        process = subprocess.Popen(
            [*AGENTHOST, "campfire", "watch", *arguments],
            env=environment,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return Lines(process)

    yield watch
    for process in started:
        process.kill()
        process.communicate(timeout=20)


def test_a_person_lists_shows_exports_and_watches_fires_that_are_served(
    start_agent: Callable[..., Any],
    run: Callable[..., subprocess.CompletedProcess[str]],
    watching: Callable[..., Lines],
    patience: float,
) -> None:
    empty = run("list")
    assert (empty.returncode, empty.stderr) == (0, "")
    assert "There are no fires yet" in empty.stdout
    agent = start_agent()
    agent("update_battle_plan", fireId="my fire", content="PLAN 1", author="Planner")
    agent("post_message", fireId="my fire", text="two\nlines\x1b[31m", author="Sceptic")
    agent("update_battle_plan", fireId="my fire", content="PLAN 2")
    agent("throw_gauntlet", fireId="my fire", challenger_name="A", target_name="B", thesis_of_attack="the thesis")

    listed = run("list").stdout
    assert listed.split()[:2] == ["HONORABLE_DUEL_PENDING", "4"]
    assert listed.endswith("my fire\n")

    shown = run("show", " my fire ", "-n", "3").stdout
    for fact in ("A judge is awaited", "revision 2", "    PLAN 2\n", "    two\n    lines\ufffd[31m\n", "the thesis"):
        assert fact in shown
    assert "PLAN 1" not in shown

    exported = json.loads(run("export", "my fire", "--format", "json").stdout)
    assert exported["fire"]["lastSeq"] == 4
    assert [message["text"] for message in exported["messages"]] == ["two\nlines\x1b[31m"]
    assert [revision["content"] for revision in exported["plan"]] == ["PLAN 1", "PLAN 2"]
    assert [duel["transcript"][0]["text"] for duel in exported["duels"]] == ["the thesis"]

    markdown = run("export", "my fire").stdout
    assert markdown.startswith("# Fire my fire\n")
    positions = [markdown.index(text) for text in ("PLAN 1", "> two\n> lines", "PLAN 2", "the thesis")]
    assert positions == sorted(positions)

    watch = watching("my fire", "-n", "1")
    watch.wait_for("the thesis", patience)
    agent("take_oath_of_judgement", fireId="my fire", character_name="Elder")
    watch.wait_for("Elder is the judge", patience)
    agent("abandon_duel", fireId="my fire", reason="enough")
    watch.wait_for("enough", patience)
    assert not any("two" in line for line in watch.seen)
    watch.process.send_signal(signal.SIGINT)
    assert watch.process.wait(patience) == 130


@pytest.mark.parametrize("verb", ["show", "watch", "export"])
def test_an_unknown_fire_is_an_error_that_says_where_to_look(
    run: Callable[..., subprocess.CompletedProcess[str]], verb: str
) -> None:
    done = run(verb, "nowhere")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "there is no fire 'nowhere'; agenthost campfire list shows all" in done.stderr


def test_the_demo_plays_the_scene(environment: dict[str, str], tmp_path: Path) -> None:
    command = [*AGENTHOST, "demo", "--plugins", "campfire"]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    for fact in ("client 1: campfire_update_battle_plan", "client 2: campfire_throw_gauntlet", "Ship on Monday"):
        assert fact in done.stdout
