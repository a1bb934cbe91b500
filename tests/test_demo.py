"""`agenthost demo`: it shows that everything works, and fails loudly when something does not."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]


def test_the_demo_of_void_succeeds_and_can_be_read(run_agenthost: RunAgenthost) -> None:
    done = run_agenthost("demo", "--plugins", "void")
    assert done.returncode == 0, done.stderr
    assert "== void: " in done.stdout
    for call in ("Universal(", "void_create_tool(", "old_case(", "void_remove_tool("):
        assert call in done.stdout
    assert "Everything worked: 1 of 1 scenes." in done.stdout
    assert done.stderr == ""


def test_a_scene_with_two_processes_and_refusals_is_shown_client_by_client(run_agenthost: RunAgenthost) -> None:
    done = run_agenthost("demo", "--plugins", "good-scene,no-scene,neighbour", plugins=["scenes", "puppets"])
    assert done.returncode == 0, done.stderr
    assert "== good-scene: a good evening" in done.stdout
    assert "Two guests arrive." in done.stdout
    assert 'client 2: good_scene_greet(name="guest")' in done.stdout
    assert "-> Good evening, guest." in done.stdout
    assert "!! Not today." in done.stdout
    assert "client 1: prompts/list" in done.stdout
    assert 'client 2: prompt good_scene_poem(about="dusk")' in done.stdout
    assert "-> Write a poem about dusk." in done.stdout
    assert "client 1: read evening://good-scene" in done.stdout
    assert "-> It is getting dark." in done.stdout
    assert "1 of 1 scenes" in done.stdout


FAILING = {
    "bad-scene": ["the scene of bad-scene failed", "RuntimeError", "expected another answer"],
    "impatient-scene": ["the scene of impatient-scene failed", "impatient_scene_nothing"],
    "raises-demo": ["raises-demo", "agenthost_demo failed with RuntimeError: has no scene today"],
    "raises-tools": ["raises-tools", "agenthost_tools failed with RuntimeError: fails on purpose"],
    "good-scene,enter-fails": ["enter-fails: ", "fails on purpose"],
    "nosuch": ["no plugin 'nosuch' is installed"],
    "no-scene": ["scene"],
}


@pytest.mark.parametrize("name", FAILING)
def test_the_demo_fails_loudly_and_says_which_scene_or_plugin_and_why(run_agenthost: RunAgenthost, name: str) -> None:
    done = run_agenthost("demo", "--plugins", name, plugins=["scenes", "trouble"])
    assert done.returncode not in (0, None)
    for part in FAILING[name]:
        assert part in done.stderr
    assert "Everything worked" not in done.stdout
    assert "Traceback" not in done.stderr


def test_a_broken_plugin_among_good_ones_fails_the_demo_too(run_agenthost: RunAgenthost) -> None:
    config = "[host]\nplugins = ['void', 'raises-tools']\n"
    done = run_agenthost("demo", plugins=["trouble"], config=config)
    assert done.returncode == 2
    assert "raises-tools: " in done.stderr
    assert "Everything worked" not in done.stdout
