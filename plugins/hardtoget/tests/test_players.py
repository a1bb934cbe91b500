"""`agenthost hardtoget play` and `watch`, and what they are made of, against real servers."""

from __future__ import annotations

import json
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agenthost import OperatorError
from agenthost.testing import ServerProcess
from agenthost_hardtoget.command import command
from agenthost_hardtoget.players import (
    DetectiveTurn,
    Ended,
    OverlapStrategy,
    Player,
    RandomStrategy,
    WitnessTurn,
    connect,
    play,
)
from agenthost_hardtoget.players.table import MoveRefused, Seat
from click.testing import CliRunner

HARDTOGET = [sys.executable, "-m", "agenthost", "hardtoget"]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def server(agenthost_server: Callable[..., ServerProcess]) -> ServerProcess:
    """A server over HTTP."""
    return agenthost_server("--plugins", "hardtoget", "--http", "0")


@pytest.fixture
def run(agenthost_environment: dict[str, str], tmp_path: Path) -> Run:
    """Run `agenthost hardtoget ...` to its end."""

    def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*HARDTOGET, *arguments],
            env=agenthost_environment | env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )

    return run


class Background:
    """`agenthost hardtoget ...` while it runs, and the lines that it prints."""

    def __init__(self, process: subprocess.Popen[str], patience: float) -> None:
        self.process = process
        self.lines: list[str] = []
        self._patience = patience
        self._inbox: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._inbox.put(line.rstrip("\n"))
        self._inbox.put(None)

    def wait_for(self, text: str) -> str:
        """The first line with that text."""
        while not (found := [line for line in self.lines if text in line]):
            line = self._inbox.get(timeout=self._patience)
            assert line is not None, self.lines
            self.lines.append(line)
        return found[0]

    def end(self) -> list[str]:
        """All lines, after it has ended well."""
        assert self.process.wait(self._patience) == 0, self.lines
        while (line := self._inbox.get(timeout=self._patience)) is not None:
            self.lines.append(line)
        return self.lines


@pytest.fixture
def start(
    agenthost_environment: dict[str, str], tmp_path: Path, patience: float
) -> Iterator[Callable[..., Background]]:
    """Start `agenthost hardtoget ...`."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> Background:
        process = subprocess.Popen(
            [*HARDTOGET, *arguments],
            env=agenthost_environment | {"PYTHONUNBUFFERED": "1"},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return Background(process, patience)

    yield start
    for process in started:
        process.kill()
        process.wait(patience)
        assert process.stdout is not None
        process.stdout.close()


def results(run: Run) -> list[dict[str, Any]]:
    done = run("results", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["results"]


def game_in(line: str) -> str:
    found = re.search(r"of game (\S+?)\.$", line)
    assert found, line
    return found[1]


@pytest.mark.parametrize("strategy", ["overlap", "random"])
def test_one_model_plays_against_the_bot(server: ServerProcess, run: Run, strategy: str) -> None:
    done = run("play", server.url, "my-model", "--strategy", strategy, "--against", "bot", "--games", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("The game is over: ") == 2
    assert "my-model is the " in done.stdout
    found = results(run)
    assert len(found) == 2
    assert all({row["witness_model"], row["detective_model"]} == {"my-model", "bot"} for row in found)


@pytest.mark.parametrize("first", ["witness", "detective"])
def test_two_players_in_two_processes_meet_and_a_third_watches(
    server: ServerProcess, run: Run, start: Callable[..., Background], first: str
) -> None:
    second = "detective" if first == "witness" else "witness"
    one = start("play", server.url, "model-1", "--role", first)
    game_id = game_in(one.wait_for(f"model-1 is the {first}"))
    watch = start("watch", game_id)
    watch.wait_for(f"Game {game_id}")
    done = run("play", server.url, "model-2", "--role", second.upper())
    assert done.returncode == 0, done.stderr
    assert f"model-2 is the {second} of game {game_id}." in done.stdout
    assert "Both players are there." in done.stdout
    story = watch.end()
    one.end()
    [row] = results(run)
    assert row["game_id"] == game_id
    assert story[1].startswith("Witness: model-")
    assert sum(line.startswith("Round ") for line in story) == row["rounds"]
    assert f"The game is over: {row['result']}." in story
    assert story[-1].startswith("The key word was: ")


def test_a_watcher_who_comes_after_the_end_is_told_the_same_story(
    server: ServerProcess, run: Run, start: Callable[..., Background]
) -> None:
    one = start("play", server.url, "model-1")
    game_id = game_in(one.wait_for("model-1 is the "))
    live = start("watch", game_id)
    live.wait_for("Game ")
    run("play", server.url, "model-2")
    late = run("watch", game_id)
    assert (late.returncode, late.stderr) == (0, "")
    assert late.stdout.splitlines() == live.end()


def test_nothing_of_the_key_word_is_watched_before_the_end(
    start_agent: Callable[..., Any],
    sit_down: Callable[..., Any],
    agenthost_environment: dict[str, str],
    start: Callable[..., Background],
) -> None:
    agent = start_agent()  # on the same folder
    table = sit_down(agent)
    watch = start("watch", table.witness.game_id)
    key_word = table.key_word
    watch.wait_for("The words: ")
    for number in (1, 2):
        watch.wait_for(f"Round {number}: ")
        table.witness.choose()
        watch.wait_for("The witness: ")
        table.detective.eliminate(table.others()[0])
        watch.wait_for(f"{16 - number} words are left: ")
    said = "\n".join(watch.lines)
    # It is there as often as any other word that is still on the board.
    assert {said.count(word) for word in (key_word, table.others()[0])} == {3}
    table.witness.agent("leave_game", **table.witness.key)
    watch.wait_for("The game is over: abandoned (witness_left).")
    assert watch.end()[-1] == f"The key word was: {key_word}"


def test_the_bot_is_not_needed_where_somebody_waits(
    server: ServerProcess, run: Run, start: Callable[..., Background]
) -> None:
    waiting = start("play", server.url, "somebody")
    waiting.wait_for("Waiting for the other player.")
    done = run("play", server.url, "my-model", "--against", "bot")
    assert "Somebody was waiting already, so the bot is not needed." in done.stdout
    waiting.end()
    [row] = results(run)
    assert {row["witness_model"], row["detective_model"]} == {"my-model", "somebody"}


def test_a_player_that_is_stopped_leaves_its_game(
    server: ServerProcess, run: Run, start: Callable[..., Background], patience: float
) -> None:
    one = start("play", server.url, "model-1")
    game_id = game_in(one.wait_for("model-1 is the "))
    one.wait_for("Waiting for the other player.")
    one.process.send_signal(signal.SIGINT)
    assert one.process.wait(patience) == 130
    assert "The game is over: abandoned" in run("watch", game_id).stdout


@pytest.mark.parametrize("role", ["witness", "detective"])
def test_a_model_behind_a_chat_endpoint_plays(
    server: ServerProcess, run: Run, chat_endpoint: Callable[..., str], role: str
) -> None:
    keys = []

    def answer_first(path: str, headers: dict[str, str], body: dict[str, Any]) -> tuple[int, Any]:
        """Choose the first option, or the first word."""
        keys.append(headers["Authorization"])
        question = body["messages"][1]["content"]
        words = re.findall(r'"([^"]+)"', question)
        move = {"eliminate": words[:1]} if "detective" in question else {"choice": words[1]}
        return 200, {"choices": [{"message": {"content": json.dumps(move)}}]}

    chosen = ("--strategy", "chat", "--chat-url", chat_endpoint(answer_first), "--chat-key-env", "MY_KEY")
    done = run("play", server.url, "llm", "--role", role, "--against", "bot", *chosen, MY_KEY="sesame")
    assert (done.returncode, done.stderr) == (0, "")
    assert "that are no moves" not in done.stdout
    assert set(keys) == {"Bearer sesame"}
    assert len(results(run)) == 1


def test_every_trouble_is_one_sentence_for_the_operator(server: ServerProcess, run: Run) -> None:
    root = server.url.removesuffix("/mcp")
    wrong = [
        (("http://127.0.0.1:9/mcp", "m"), "cannot be reached (Connection refused)"),
        ((f"{root}/elsewhere/mcp", "m"), "does not answer like an MCP server with hardtoget (HTTP 404)"),
        (("localhost:5000", "m"), "'localhost:5000' is no web address"),
        ((server.url, "  "), "model_name is blank"),
        ((server.url, "m", "--strategy", "chat"), "--strategy chat needs --chat-url"),
        ((server.url, "m", "--chat-url", "http://x"), "--chat-url is for --strategy chat"),
    ]
    for arguments, words in wrong:
        error = CliRunner().invoke(command, ["play", *arguments]).exception
        assert isinstance(error, OperatorError), arguments
        assert words in str(error)
        assert "\n" not in str(error)
    done = run("play", *wrong[0][0])
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"agenthost: error: http://127.0.0.1:9/mcp cannot be reached .*\n", done.stderr)


def test_a_server_without_the_game_says_that_the_tool_is_unknown(
    agenthost_server: Callable[..., ServerProcess],
) -> None:
    bare = agenthost_server("--plugins", "", "--http", "0")
    with pytest.raises(OperatorError, match=r"refused the call: .*hardtoget_register"):
        connect(bare.url).register("m")


class FakeTable:
    """A table at which every move is refused."""

    def __init__(self, turn: WitnessTurn | DetectiveTurn, over: Ended | None) -> None:
        self.turn = turn
        self.ended = over
        self.left = False

    def register(self, model: str) -> None:
        pass

    def join(self, role: str | None) -> Seat:
        return Seat("g", "Witness", ready=True)

    def next_turn(self) -> WitnessTurn | DetectiveTurn | Ended:
        return self.turn

    def over(self) -> Ended | None:
        return self.ended

    def choose_side(self, side: str) -> None:
        raise MoveRefused("too late")

    def eliminate(self, words: list[str]) -> None:
        raise MoveRefused("too late")

    def leave(self) -> None:
        self.left = True

    def close(self) -> None:
        pass


TURNS = [
    WitnessTurn(1, ("a", "b"), "a", ("x", "y")),
    DetectiveTurn(1, ("a", "b"), ("x", "y"), "x"),
]


@pytest.mark.parametrize("turn", TURNS)
def test_a_game_that_ended_while_the_strategy_was_thinking_is_over(turn: WitnessTurn | DetectiveTurn) -> None:
    table = FakeTable(turn, Ended("abandoned", "a"))
    assert play(Player("m", table, RandomStrategy())) == Ended("abandoned", "a")
    assert not table.left


@pytest.mark.parametrize("turn", TURNS)
def test_a_move_that_is_refused_in_a_game_that_goes_on_ends_the_player(turn: WitnessTurn | DetectiveTurn) -> None:
    table = FakeTable(turn, None)
    with pytest.raises(OperatorError, match="the server refused a move of m: too late"):
        play(Player("m", table, OverlapStrategy()))
    assert table.left


class Careless:
    """A strategy that makes moves the rules do not allow."""

    def choose_dilemma_side(self, turn: WitnessTurn, /) -> str:
        return "neither"

    def choose_eliminations(self, turn: DetectiveTurn, /) -> list[str]:
        return ["nothing on this board"]


@pytest.mark.parametrize("role", ["Witness", "Detective"])
def test_a_strategy_of_ones_own_plays_and_its_illegal_moves_are_told(server: ServerProcess, role: str) -> None:
    tables = [connect(server.url), connect(server.url)]
    for table in tables:
        table.register("own")
    said: list[str] = []
    own, bot = Player("own", tables[0], Careless()), Player("bot", tables[1], OverlapStrategy())
    with pytest.raises(OperatorError, match="the server refused a move of own: "):
        play(own, role, bot=bot, say=said.append)
    assert any(line.startswith("Round 1: ") for line in said)
