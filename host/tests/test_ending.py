"""The process's end: signals are heard whatever hangs, the end comes in time, and no child is left."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

WAIT = 20.0
"""Seconds that a test waits for something that has to happen."""

SOON = 8.0
"""Seconds within which a process has to be gone that was given half a second; machines that are shared are slow."""

PRELUDE = """
import logging, os, signal, subprocess, sys, threading, time
import agenthost.ending
from agenthost.ending import Ending, end_children
agenthost.ending.LAST_SECONDS = 0.5
ending = Ending()
def say(text):
    os.write(1, text.encode() + b"\\n")
def hang():
    threading.Event().wait(60)
"""

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """`start(source, **options)`: run this with an `ending` at hand; ended by its own id when the test is over."""
    started: list[subprocess.Popen[bytes]] = []

    def run(source: str, **options: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", PRELUDE + textwrap.dedent(source)]
        process = subprocess.Popen(command, **{"stdout": subprocess.PIPE, "bufsize": 0, **options})  # type: ignore[call-overload]
        started.append(process)
        return process  # type: ignore[no-any-return]

    yield run
    for process in started:
        process.kill()
        process.wait(WAIT)
        for stream in (process.stdout, process.stderr, process.stdin):
            if stream is not None:
                stream.close()


def heard(process: subprocess.Popen[bytes]) -> str:
    """The next line of the process, empty at the end of its output."""
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], SOON)[0], "the process has said nothing"
    return process.stdout.readline().decode().strip()


def gone(pid: int) -> bool:
    """Whether the process has ended, or is a zombie that only waits to be noticed."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in "ZX"


# The last resort


def test_a_process_that_does_not_end_is_ended_with_the_code(start: Start) -> None:
    process = start("ending.within(0.1, 7)\nhang()")
    assert process.wait(SOON) == 7


def test_a_process_that_ends_sooner_is_left_alone(start: Start) -> None:
    assert start("ending.within(60, 7)\nsys.exit(3)").wait(SOON) == 3


def test_of_two_ends_the_sooner_stays_and_the_last_code_counts(start: Start) -> None:
    assert start("ending.within(0.2, 3)\nending.within(60, 5)\nhang()").wait(SOON) == 5
    assert start("ending.within(60, 3)\nending.within(0.2, 4)\nhang()").wait(SOON) == 4


BUSY = [
    "hang()",
    "while True: pass",
    "threading.Lock().acquire(); lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "time.sleep(60)",
]


@pytest.mark.parametrize("body", BUSY)
def test_whatever_the_main_thread_does_the_end_comes(start: Start, body: str) -> None:
    assert start(f"ending.within(0.2, 9)\n{body}").wait(SOON) == 9


# Signals


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_before_anything_is_open_ends_the_process_at_once(start: Start, number: int, code: int) -> None:
    process = start("ending.install()\nsay('ready')\nhang()")
    assert heard(process) == "ready"
    process.send_signal(number)
    assert process.wait(SOON) == code


@pytest.mark.parametrize("body", BUSY)
def test_a_signal_is_heard_while_the_main_thread_is_busy(start: Start, body: str) -> None:
    process = start(f"ending.install()\nsay('ready')\n{body}")
    assert heard(process) == "ready"
    process.send_signal(signal.SIGTERM)
    assert process.wait(SOON) == 143


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_brings_about_an_orderly_end(start: Start, number: int, code: int) -> None:
    process = start(
        """
        stop = threading.Event()
        ending.install()
        ending.on_signal(lambda: (say(threading.current_thread().name), stop.set()))
        say("ready")
        stop.wait(20)
        say("cleaned up")
        sys.exit(ending.code)
        """
    )
    assert heard(process) == "ready"
    process.send_signal(number)
    assert heard(process) == "signals"
    assert heard(process) == "cleaned up"
    assert process.wait(SOON) == code


def test_an_orderly_end_that_does_not_come_is_forced(start: Start) -> None:
    process = start("ending.install()\nending.on_signal(lambda: say('asked'))\nsay('ready')\nhang()")
    assert heard(process) == "ready"
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert heard(process) == "asked"
    assert process.wait(SOON) == 143
    assert time.monotonic() - began >= 0.4


def test_further_signals_do_not_ask_again_and_keep_the_first_code(start: Start) -> None:
    process = start("ending.install()\nending.on_signal(lambda: say('asked'))\nsay('ready')\nhang()")
    assert heard(process) == "ready"
    process.send_signal(signal.SIGTERM)
    assert heard(process) == "asked"
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    assert process.wait(SOON) == 143
    assert heard(process) == ""


def test_other_signals_are_not_taken_for_an_end(start: Start) -> None:
    process = start(
        """
        signal.signal(signal.SIGUSR1, lambda *_: say("own handler"))
        ending.install()
        ending.on_signal(lambda: say("asked"))
        say("ready")
        while True:
            time.sleep(0.01)
        """
    )
    assert heard(process) == "ready"
    process.send_signal(signal.SIGUSR1)
    assert heard(process) == "own handler"
    assert process.poll() is None


def test_a_callback_that_fails_does_not_prevent_the_end(start: Start) -> None:
    process = start(
        "ending.install()\nending.on_signal(lambda: 1 / 0)\nsay('ready')\nhang()", stderr=subprocess.DEVNULL
    )
    assert heard(process) == "ready"
    process.send_signal(signal.SIGTERM)
    assert process.wait(SOON) == 143


def test_a_forked_child_ends_on_signals_of_its_own(start: Start) -> None:
    process = start(
        """
        ending.install()
        ending.on_signal(lambda: say("asked"))
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, b"up")
            time.sleep(60)
        os.read(reading, 2)
        os.kill(child, signal.SIGTERM)
        say(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
        """
    )
    assert heard(process) == "-15"
    assert process.wait(SOON) == 0


# An error output that nobody reads any more


STDERR = {
    "closed": "os.close(2)",
    "none": "sys.stderr = None",
    "broken": "reading, writing = os.pipe(); os.close(reading); os.dup2(writing, 2)\n"
    "try: print('lost', file=sys.stderr)\nexcept OSError: pass",
    "full": "reading, writing = os.pipe(); os.dup2(writing, 2)\n"
    "threading.Thread(target=logging.warning, args=('x' * 1000000,), daemon=True).start()\ntime.sleep(0.3)",
}


@pytest.mark.parametrize("state", STDERR)
def test_the_end_comes_also_when_stderr_cannot_be_written(start: Start, state: str) -> None:
    body = f"logging.basicConfig(level=logging.INFO)\n{STDERR[state]}\nending.within(0.1, 7)\nhang()"
    assert start(body, stderr=subprocess.DEVNULL).wait(SOON) == 7


@pytest.mark.parametrize("orderly", [True, False])
@pytest.mark.parametrize("state", STDERR)
def test_a_signal_is_heard_also_when_stderr_cannot_be_written(start: Start, state: str, orderly: bool) -> None:
    callback = "ending.on_signal(lambda: say('asked'))" if orderly else ""
    body = (
        f"logging.basicConfig(level=logging.INFO)\n{STDERR[state]}\nending.install()\n{callback}\nsay('ready')\nhang()"
    )
    process = start(body, stderr=subprocess.DEVNULL)
    assert heard(process) == "ready"
    process.send_signal(signal.SIGTERM)
    if orderly:
        assert heard(process) == "asked"
    assert process.wait(SOON) == 143


# Children


POLITE = """
import os, signal, time
signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b"asked\\n"), os._exit(0)))
os.write(1, b"up\\n")
time.sleep(60)
"""

STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"asked\\n"))
os.write(1, b"up\\n")
while True: time.sleep(60)
"""


@pytest.mark.parametrize("child", [POLITE, STUBBORN], ids=["polite", "stubborn"])
def test_children_are_asked_to_end_and_made_to_when_they_do_not(start: Start, child: str) -> None:
    process = start(
        f"""
        over = subprocess.Popen([sys.executable, "-c", ""])
        over.wait(20)
        child = subprocess.Popen([sys.executable, "-c", {child!r}])
        say(str(child.pid))
        sys.stdin.readline()
        end_children()
        say("ended")
        """,
        stdin=subprocess.PIPE,
    )
    lines = {heard(process), heard(process)}
    assert "up" in lines
    [child_id] = lines - {"up"}
    assert process.stdin is not None
    process.stdin.write(b"\n")
    assert heard(process) == "asked"
    assert heard(process) == "ended"
    assert gone(int(child_id))
    assert process.wait(SOON) == 0


def test_without_children_nothing_happens(start: Start) -> None:
    assert start("end_children()").wait(SOON) == 0


def test_children_started_by_any_thread_are_ended_with_the_process(start: Start) -> None:
    process = start(
        """
        def work():
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            say(str(child.pid))
            begun.set()
            hang()
        begun = threading.Event()
        threading.Thread(target=work, daemon=True).start()
        begun.wait()
        ending.within(0.5, 7)
        hang()
        """
    )
    child = int(heard(process))
    assert process.wait(SOON) == 7
    ends = time.monotonic() + WAIT
    while not gone(child) and time.monotonic() < ends:
        time.sleep(0.01)
    assert gone(child)


@pytest.mark.skipif(not Path("/usr/bin/pgrep").exists(), reason="needs pgrep, as macOS has it")
def test_children_are_found_without_proc(start: Start) -> None:
    process = start(
        """
        from pathlib import Path
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        exists, Path.exists = Path.exists, lambda path: False if "proc" in str(path) else exists(path)
        end_children()
        say(str(child.pid))
        """
    )
    assert gone(int(heard(process)))


def test_where_children_cannot_be_listed_the_end_comes_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    import agenthost.ending

    monkeypatch.setattr(Path, "exists", lambda path: False)
    for error in (FileNotFoundError("no pgrep"), subprocess.TimeoutExpired("pgrep", 1)):

        def fail(*_: object, error: Exception = error, **__: object) -> None:
            raise error

        monkeypatch.setattr(subprocess, "run", fail)
        agenthost.ending.end_children()
    assert os.getpid()
