"""The end of the process: EOF, SIGTERM and SIGINT each end it in time and in order, whatever is going on."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]
AGENTHOST = str(Path(sys.executable).with_name("agenthost"))

END_LIMIT = 12.0
"""Seconds from the wish to the end: 2 s of drain and 2 s more, and what a slow machine needs."""


@dataclass
class Ending:
    """A way to end a server.

    Attributes:
        name: what happens.
        code: the exit code that follows.
    """

    name: str
    code: int

    def ask(self, server: ServerProcess) -> None:
        if self.name == "EOF":
            server.close_stdin()
        else:
            server.process.send_signal(getattr(signal, self.name))


ENDINGS = [Ending("EOF", 0), Ending("SIGTERM", 143), Ending("SIGINT", 130)]


@dataclass
class Situation:
    """What goes on when the end is asked for.

    Attributes:
        name: as a sentence.
        era: the client's.
        running: tools whose calls are in flight.
        done: calls that are over and have left something behind.
        settings: of the plugin `hanging`.
        is_clean: the plugin's clean-up runs.
    """

    name: str
    era: Era = "legacy"
    running: tuple[str, ...] = ()
    done: tuple[tuple[str, dict[str, Any]], ...] = ()
    settings: tuple[str, ...] = ()
    is_clean: bool = True


SITUATIONS = [
    Situation("nothing happens and a client listens", era="modern"),
    Situation("calls do not end", running=("wait_on_loop", "wait_in_thread", "ignore_cancellation")),
    Situation("a call blocks the loop", running=("block_loop",), is_clean=False),
    Situation(
        "tools left threads and children",
        done=(("leave_thread", {}), ("leave_child", {}), ("leave_child", {"deaf": True}), ("leave_forked_child", {})),
    ),
    Situation("a plugin leaves slowly", settings=("--set=hanging.leave_slowly=true",)),
]


def is_running(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_the_process_ends_in_time_with_its_code_and_leaves_nothing(
    start: StartServer, situation: Situation, ending: Ending
) -> None:
    server = start("--plugins", "hanging", *situation.settings, plugins=["ends"])
    server.open(situation.era)
    server.tools()
    if situation.era == "modern":
        server.listen()
    answers = [server.call(tool, arguments)["result"] for tool, arguments in situation.done]
    children = [answer["structuredContent"]["pid"] for answer in answers if "structuredContent" in answer]
    for tool in situation.running:
        server.start_request("tools/call", {"name": tool})
        server.wait_for_stderr(f"hanging: {tool} has begun")
    began = time.monotonic()
    ending.ask(server)
    try:
        assert server.process.wait(END_LIMIT) == ending.code
        assert time.monotonic() - began < END_LIMIT
        assert [pid for pid in children if is_running(pid)] == []
    finally:
        for pid in filter(is_running, children):
            os.kill(pid, signal.SIGKILL)
    server.wait()
    assert "Traceback" not in server.stderr
    assert ("hanging: leaving" in server.stderr) == situation.is_clean
    assert ("hanging: left" in server.stderr) == (situation.is_clean and not situation.settings)
    assert ("hanging: wait_on_loop was cancelled" in server.stderr) == ("wait_on_loop" in situation.running)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_calls_in_flight_at_the_end_of_the_input_are_answered_before_the_end(start: StartServer, era: Era) -> None:
    server = start("--plugins", "probe,neighbour", plugins=["calls", "puppets"])
    server.open(era)
    server.tools()
    asked = [server.start_request("tools/call", {"name": "report_from_thread", "arguments": {"steps": 50}})]
    asked += [server.start_request("tools/call", {"name": "ping"}) for _ in range(50)]
    asked.append(server.start_request("tools/list"))
    server.close_stdin()
    for request_id in asked:
        assert "result" in server.answer(request_id)
    assert server.wait() == 0


def test_a_pipeline_of_requests_gets_every_answer(start: StartServer) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "pipeline", "version": "1"},
    }
    calls = [("tools/list", {})] + [("tools/call", {"name": "Universal", "arguments": {"n": n}}) for n in range(20)]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": meta}})
        for number, (method, params) in enumerate(calls)
    ]
    server = start("--plugins", "void")
    server.send("\n".join(lines).encode())  # no line feed after the last one
    server.close_stdin()
    assert server.wait() == 0
    answers = [json.loads(line) for line in server.lines]
    assert sorted(answer["id"] for answer in answers) == list(range(21))
    assert all("result" in answer for answer in answers)


def test_a_second_signal_changes_nothing(start: StartServer) -> None:
    server = start("--plugins", "hanging", "--set=hanging.leave_slowly=true", plugins=["ends"])
    server.open()
    server.tools()
    server.process.send_signal(signal.SIGINT)
    server.wait_for_stderr("hanging: leaving")
    server.process.send_signal(signal.SIGINT)
    server.process.send_signal(signal.SIGTERM)
    assert server.wait(END_LIMIT) == 130
    assert "Traceback" not in server.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_while_plugins_are_imported_ends_the_process(
    start: StartServer, number: signal.Signals, code: int
) -> None:
    server = start("--plugins", "blocks-import", "--set=host.start_limit=60", plugins=["trouble"])
    server.wait_for_stderr("agenthost 0.")
    # The signal is taken over before that line is written, and the import never returns.
    server.process.send_signal(number)
    assert server.wait(END_LIMIT) == code
    assert server.lines == []


class Unread:
    """A server whose client does not read to the end; the kit's `ServerProcess` always does."""

    def __init__(self, process: subprocess.Popen[bytes], stderr: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.stdin, self.stdout = process, process.stdin, process.stdout
        self._stderr = stderr

    def send(self, *messages: dict[str, Any]) -> None:
        self.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages))
        self.stdin.flush()

    def assert_quiet_end(self) -> None:
        assert self.process.wait(END_LIMIT) == 0
        said = self._stderr.read_text(encoding="utf-8")
        for word in ("Traceback", "BrokenPipe", "error"):
            assert word not in said


@pytest.fixture
def unread(places: Any, tmp_path: Path) -> Iterator[Unread]:
    """A server that was greeted, with a call in flight."""
    path = tmp_path / "stderr"
    with path.open("wb") as stderr:
        process = subprocess.Popen(
            [AGENTHOST, "serve", "--plugins", "probe"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=places.environment(["calls"], None),
            cwd=places.new("cwd"),
        )
    unread = Unread(process, path)
    try:
        client = {"capabilities": {}, "clientInfo": {"name": "unread", "version": "1"}}
        unread.send({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", **client}})
        assert b'"id":1' in unread.stdout.readline()
        unread.send({"method": "notifications/initialized"})
        unread.send({"id": 2, "method": "tools/call", "params": {"name": "report", "arguments": {"steps": 100}}})
        yield unread
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (unread.stdin, unread.stdout):
            with contextlib.suppress(OSError):
                stream.close()


@pytest.mark.parametrize("order", [("stdout", "stdin"), ("stdin", "stdout")], ids="-".join)
def test_a_client_that_closed_its_end_first_leaves_no_traceback(unread: Unread, order: tuple[str, str]) -> None:
    for name in order:
        getattr(unread, name).close()
    unread.assert_quiet_end()


def test_a_client_that_only_stops_reading_is_noticed(unread: Unread) -> None:
    """Some clients die in pieces: nobody reads any more, and the input stays open."""
    unread.stdout.close()
    unread.assert_quiet_end()
