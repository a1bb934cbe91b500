"""`agenthost hardtoget results` and `leaderboard`: what a person sees in a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import clean_environment

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `agenthost hardtoget ...` to its end, on the state folder of `start_agent`."""
    environment = clean_environment(tmp_path)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "agenthost", "hardtoget", *arguments]
        return subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )

    return run


def test_without_games_there_is_nothing_to_tell(run: Run) -> None:
    for verb in ("results", "leaderboard"):
        told = run(verb)
        assert told.returncode == 0, told.stderr
        assert told.stdout == "No game has been won or lost yet.\n"
    assert json.loads(run("results", "--json").stdout) == {"results": [], "has_more": False}


def test_who_watches_a_game_that_is_not_there_is_told_of_those_being_played(
    run: Run, start_agent: Callable[..., Any], sit_down: Callable[..., Any]
) -> None:
    told = run("watch", "game-x")
    assert (told.returncode, told.stdout) == (2, "")
    assert "there is no game 'game-x' in this state folder; no game is being played" in told.stderr
    table = sit_down(start_agent())
    assert f"being played: {table.witness.game_id}\n" in run("watch", "game-x").stderr


def test_results_and_leaderboard_are_shown_while_a_server_runs(
    run: Run, start_agent: Callable[..., Any], sit_down: Callable[..., Any]
) -> None:
    agent = start_agent()
    table = sit_down(agent, models=("model A", "model B"))
    table.win()
    told = run("results")
    assert told.returncode == 0, told.stderr
    [head, line] = told.stdout.splitlines()
    assert head.split() == ["ENDED", "RESULT", "ROUNDS", "WITNESS", "DETECTIVE", "GAME"]
    for fact in ("win", "model A", "model B", table.witness.game_id):
        assert fact in line
    assert len(run("results", "--model", "model B", "-n", "1").stdout.splitlines()) == 2
    assert "No game" in run("results", "--model", "model C").stdout
    told = run("leaderboard")
    assert told.returncode == 0, told.stderr
    assert "model A  1      1     100%  21%-100%  1 of 1      -" in told.stdout
    assert "model A  model B    1      1     100%  21%-100%" in told.stdout
    assert json.loads(run("leaderboard", "--json").stdout) == agent("leaderboard")
    assert json.loads(run("results", "--json").stdout) == agent("results")
