"""What a run warned about, kept while it serves and told by the doctor afterwards."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import agenthost.last_run
import pytest
from agenthost.last_run import ALIKE, CHARACTERS, LINES, last_run_file, read_last_run, recording
from agenthost.testing import ServerProcess

log = logging.getLogger("agenthost")

FLAWED = '''
    import asyncio
    import contextlib
    import threading
    import time

    from agenthost import hookimpl, tool

    DYING = threading.Event()

    @tool
    async def spin(seconds: float) -> str:
        """Keep the loop."""
        time.sleep(seconds)
        return "spun"

    @tool(time_limit=0.2)
    def hang() -> str:
        """Never come back."""
        threading.Event().wait()
        return ""

    @tool
    def crash(secret: str) -> str:
        """Crash."""
        raise RuntimeError(secret)

    @tool
    def die() -> str:
        """End the lifespan."""
        DYING.set()
        return "dying"

    @contextlib.asynccontextmanager
    async def lifespan():
        async def live(owner):
            while not DYING.is_set():
                await asyncio.sleep(0.01)
            owner.cancel()

        living = asyncio.create_task(live(asyncio.current_task()))
        yield
        living.cancel()

    @hookimpl
    def agenthost_lifespan():
        return lifespan()

    @hookimpl
    def agenthost_tools():
        return [spin, hang, crash, die]
'''

BROKEN = "raise RuntimeError('on purpose')"

Installed = Callable[..., dict[str, str]]
Start = Callable[..., ServerProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    """`start(env, *arguments)`: a server, ended with the test."""
    started: list[ServerProcess] = []

    def begin(env: dict[str, str], *arguments: str) -> ServerProcess:
        started.append(ServerProcess([sys.executable, "-m", "agenthost", "serve", *arguments], env=env))
        started[-1].open()
        return started[-1]

    yield begin
    for server in started:
        server.stop()


def doctor(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "agenthost", "doctor", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


def lines(folder: Path) -> list[dict[str, Any]]:
    """What the file holds."""
    return [json.loads(line) for line in last_run_file(folder).read_text(encoding="utf-8").splitlines()]


def kept(folder: Path) -> list[str]:
    """The texts of the newest run."""
    run = read_last_run(folder)
    assert run is not None
    return [warned.text for warned in run.warned]


# What is kept


def test_a_run_without_a_warning_makes_nothing(tmp_path: Path) -> None:
    with recording(tmp_path / "state"):
        log.info("serving")
        logging.getLogger("asyncio").error("of a library")
    assert not (tmp_path / "state").exists()
    assert read_last_run(tmp_path / "state") is None


def test_a_warning_is_kept_for_this_user_alone_and_a_traceback_is_not(tmp_path: Path) -> None:
    with recording(tmp_path):
        try:
            raise RuntimeError("secret")
        except RuntimeError:
            log.exception("Tool %s crashed", "t")
        log.warning("%s blocked the event loop for %.1f s", "Tool t", 3.04)
    log.warning("after it")
    run = read_last_run(tmp_path)
    assert run is not None
    assert [(warned.level, warned.text) for warned in run.warned] == [
        ("error", "Tool t crashed"),
        ("warning", "Tool t blocked the event loop for 3.0 s"),
    ]
    assert (run.pid, run.more) == (os.getpid(), 0)
    assert run.begun <= run.warned[0].at <= run.warned[1].at
    file = last_run_file(tmp_path)
    assert "secret" not in file.read_text(encoding="utf-8")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_what_plugins_log_is_not_kept(tmp_path: Path) -> None:
    with recording(tmp_path):
        logging.getLogger("agenthost.diary").error("dear diary")
    assert not last_run_file(tmp_path).exists()


def test_equal_lines_are_kept_once_and_ten_alike_and_a_long_one_is_cut(tmp_path: Path) -> None:
    with recording(tmp_path):
        for number in range(3 * ALIKE):
            log.error("%s crashed [reference %s]", "Tool t", number)
            log.warning("the same")
        log.error("%s crashed [reference %s]", "Tool u", "x" * 2 * CHARACTERS)
    texts = kept(tmp_path)
    assert len(texts) == ALIKE + 2
    assert texts.count("the same") == 1
    assert len(texts[-1]) == CHARACTERS
    run = read_last_run(tmp_path)
    assert run is not None
    assert run.more == 2 * ALIKE


def test_at_most_200_lines_of_a_run_are_kept_and_the_further_ones_counted(tmp_path: Path) -> None:
    with recording(tmp_path):
        for number in range(LINES + 100):
            log.warning("refused %s", number)
        killed_now = read_last_run(tmp_path)
    assert killed_now is not None
    assert (len(killed_now.warned), killed_now.more) == (LINES, 64)
    run = read_last_run(tmp_path)
    assert run is not None
    assert (len(run.warned), run.more) == (LINES, 100)
    assert len(lines(tmp_path)) < LINES + 10


def test_a_file_that_cannot_be_written_disturbs_nobody(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with recording(file):
        log.warning("a")
        log.warning("b")
    assert read_last_run(file) is None
    assert file.read_bytes() == b""


def test_what_is_no_line_is_skipped(tmp_path: Path) -> None:
    with recording(tmp_path):
        log.warning("good \ud800 \x1b \n line")
    file = last_run_file(tmp_path)
    whole = file.read_bytes()
    rest = b'\n{"begun": 1}\nnull\n[]\n\xff\n{"begun": "9", "pid": 1, "more": 3}\n'
    file.write_bytes(whole[:30] + b"\n" + whole + whole[:-20] + rest)
    assert kept(tmp_path) == ["good \ud800 \x1b \n line"]
    file.write_bytes(b"")
    assert read_last_run(tmp_path) is None


def test_a_large_file_forgets_the_runs_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        with recording(tmp_path):
            log.warning("run %s", number)
    assert len(lines(tmp_path)) == 3
    monkeypatch.setattr(agenthost.last_run, "LARGEST", 10)
    with recording(tmp_path):
        log.warning("run 3")
        log.warning("run 3, again")
    assert [line["text"] for line in lines(tmp_path)] == ["run 3", "run 3, again"]


WRITER = """
import logging, pathlib, sys
from agenthost import last_run
last_run.LINES, last_run.LARGEST = 2_000, 100_000_000
with last_run.recording(pathlib.Path(sys.argv[1])):
    print("ready", flush=True)
    sys.stdin.read()
    for number in range(2_000):
        logging.getLogger("agenthost").warning("%s %s", number, "x" * (number % 700))
"""


def test_servers_that_write_at_once_garble_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    writers = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing) for _ in range(3)]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        writer.stdout.close()
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    written = [line["pid"] for line in lines(tmp_path)]
    assert {pid: written.count(pid) for pid in written} == {writer.pid: 2_000 for writer in writers}
    turns = sum(one != other for one, other in pairwise(written))
    assert turns > len(writers), "they did write at the same time"
    assert len(kept(tmp_path)) == 2_000


# What the doctor tells


def test_the_doctor_tells_what_the_last_run_warned_about(installed: Installed, start: Start) -> None:
    env = installed(flawed=FLAWED, broken=BROKEN)
    server = start(env, "--set", "host.plugins=['flawed', 'broken']")
    assert server.call("spin", {"seconds": 1.2})["result"]["content"][0]["text"] == "spun"
    for tool, arguments in (("hang", {}), ("crash", {"secret": "hush"})):
        assert server.call(tool, arguments)["result"]["isError"]
    server.call("die")
    server.wait_for_stderr("its lifespan")
    server.process.send_signal(signal.SIGKILL)
    server.wait()

    told = [one for one in json.loads(doctor(env, "--json").stdout) if one["group"] == "run"]
    assert {one["level"] for one in told} == {"info"}
    assert told[0]["text"].startswith(f"process {server.process.pid}, begun 20")
    texts = [one["text"] for one in told]
    for part in (
        "broken: importing made_broken failed with RuntimeError: on purpose",
        "Tool spin (plugin flawed) is blocking the event loop",
        "Tool spin (plugin flawed) blocked the event loop for 1.",
        "Tool hang (plugin flawed) did not finish within 0.2 s. It is still running, unattended",
        "Tool crash (plugin flawed) crashed [reference ",
        "flawed: its lifespan failed",
    ):
        assert sum(part in text for text in texts) == 1, (part, texts)
    assert "hush" not in json.dumps(told)
    assert all(one["subject"].endswith((" warning", " error")) for one in told[1:])

    shown = doctor(env).stdout
    heading, _, rest = shown.partition("The last run with something to report\n")
    assert "What is served" in heading
    assert f"  info     server: process {server.process.pid}, begun " in rest
    assert "blocked the event loop for 1." in " ".join(rest.split())


def test_the_newest_of_several_runs_is_told_and_a_quiet_one_changes_nothing(installed: Installed, start: Start) -> None:
    env = installed(flawed=FLAWED, broken=BROKEN)
    wanted = ("--set", "host.plugins=['flawed', 'broken']")
    first = start(env, *wanted)
    second = start(env, *wanted)
    first.call("crash", {"secret": "x"})
    first.close()
    second.close()
    assert start(env, "--plugins", "flawed").close() == 0
    told = [one for one in json.loads(doctor(env, "--json").stdout) if one["group"] == "run"]
    assert told[0]["text"].startswith(f"process {second.process.pid}, ")
    assert [one["text"].partition(":")[0] for one in told[1:]] == ["broken"]


def test_where_no_run_has_warned_the_doctor_tells_nothing_of_it_and_makes_no_folder(installed: Installed) -> None:
    env = installed(flawed=FLAWED)
    assert "The last run" not in doctor(env).stdout
    assert not Path(env["AGENTHOST_STATE_DIR"]).exists()


def test_a_file_that_cannot_be_read_is_told(installed: Installed) -> None:
    env = installed(flawed=FLAWED)
    file = last_run_file(Path(env["AGENTHOST_STATE_DIR"]))
    file.mkdir(parents=True)
    done = doctor(env)
    assert done.returncode == 0
    assert "last-run.jsonl cannot be read (Is a directory)" in " ".join(done.stdout.split())
