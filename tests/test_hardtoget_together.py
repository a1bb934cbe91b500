"""hardtoget beside the other plugins, and the player that the guide shows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from agenthost.testing import PATIENCE, ServerProcess

EXAMPLE = Path(__file__).parent / "examples" / "hardtoget_first.py"


def test_the_player_of_the_guide_plays_a_game_at_a_server_of_all_plugins(
    agenthost_server: Callable[..., ServerProcess], agenthost_environment: dict[str, str]
) -> None:
    server = agenthost_server("--http", "0")
    first = subprocess.Popen(
        [sys.executable, str(EXAMPLE), server.url],
        env=agenthost_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        command = [sys.executable, "-m", "agenthost", "hardtoget", "play", server.url, "second"]
        second = subprocess.run(
            command, env=agenthost_environment, capture_output=True, text=True, timeout=60, check=False
        )
        said = first.communicate(timeout=PATIENCE)[0]
    finally:
        first.kill()
        first.wait(PATIENCE)
    assert (first.returncode, second.returncode) == (0, 0), said + second.stderr
    for output in (said, second.stdout):
        assert "The game is over: " in output
    assert "first is the " in said
    assert "Round 1: " in said
