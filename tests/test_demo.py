"""`agenthost demo`: it shows that everything works, and fails loudly when something does not."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def test_a_long_answer_is_shown_by_its_first_lines_and_names_are_shown_to_the_last(run_agenthost: RunAgenthost) -> None:
    done = run_agenthost("demo", "--plugins", "campfire,hardtoget,skillcentral,void", "--set=void.mutable=true")
    assert done.returncode == 0, done.stderr
    assert "more lines)" in done.stdout
    assert ", old_case\n" in done.stdout
    assert len(done.stdout.splitlines()) < 300
    assert max(len(line) for line in done.stdout.splitlines() if line.startswith("    ")) <= 100


def test_an_answer_that_comes_after_another_request_says_whose_it_is(run_agenthost: RunAgenthost) -> None:
    lines = run_agenthost("demo", "--plugins", "campfire").stdout.splitlines()
    waiting = next(number for number, line in enumerate(lines) if "client 2: campfire_wait(" in line)
    assert "  client 2: is answered" in lines[waiting : waiting + 10]


def test_a_demo_that_is_interrupted_in_a_scene_ends_with_one_line(places: Any) -> None:
    command = [str(Path(sys.executable).with_name("agenthost")), "demo", "--plugins", "campfire"]
    environment = places.environment((), None)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as demo:
        assert demo.stdout is not None
        assert "campfire" in "".join(demo.stdout.readline() for _ in range(8))
        demo.send_signal(signal.SIGINT)
        _, stderr = demo.communicate(timeout=20)
    assert (demo.returncode, stderr.strip()) == (130, "agenthost: interrupted")


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
