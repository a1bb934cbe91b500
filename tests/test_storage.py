"""Storage under several real processes: nothing acknowledged is lost, nobody starves, nothing is half done."""

from __future__ import annotations

import json
import os
import queue
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 30.0
WORKER = Path(__file__).parent / "workers" / "store.py"


class Worker:
    """A process with a store; `ask` sends a command and waits for its answer."""

    def __init__(self, database: Path, steps: int = 1, **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), str(database), str(steps)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            **options,
        )
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        assert self.answer() == "ready"

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(line)

    def tell(self, command: str, *arguments: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([command, *arguments]) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        return json.loads(self._answers.get(timeout=PATIENCE))

    def answered(self) -> list[Any]:
        """All answers that have come so far."""
        lines = []
        while not self._answers.empty():
            lines.append(json.loads(self._answers.get()))
        return lines

    def ask(self, command: str, *arguments: Any) -> Any:
        self.tell(command, *arguments)
        return self.answer()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


Start = Callable[..., Worker]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    workers: list[Worker] = []

    def start(database: Path | None = None, steps: int = 1, **options: Any) -> Worker:
        worker = Worker(database or tmp_path / "state" / "plugin.db", steps, **options)
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.stop()


def all_at_once(workers: list[Worker], command: str, *arguments: Any) -> list[Any]:
    for worker in workers:
        worker.tell(command, *arguments)
    return [worker.answer() for worker in workers]


def assert_sound(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_four_processes_open_a_fresh_state_directory_at_once(start: Start, tmp_path: Path) -> None:
    workers = [start(tmp_path / "unused.db") for _ in range(4)]
    for number in range(20):
        folder = tmp_path / f"round-{number}"
        assert all_at_once(workers, "use", str(folder / "plugin.db")) == ["using"] * 4
        assert all_at_once(workers, "open") == ["open"] * 4
        written = [worker.ask("insert", f"of {place}") for place, worker in enumerate(workers)]
        assert written == [1, 2, 3, 4]
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == dict.fromkeys(
            ("plugin.db", "plugin.db-wal", "plugin.db-shm", "plugin.db.lock"), 384
        )
        assert all_at_once(workers, "close") == ["closed"] * 4
        assert_sound(folder / "plugin.db")


def test_two_servers_that_write_all_the_time_take_turns(start: Start, tmp_path: Path) -> None:
    first, second = start(), start()
    assert all_at_once([first, second], "open") == ["open"] * 2
    first.tell("insert_many", "first", 150)
    second.tell("insert_many", "second", 150)
    assert len(first.answer()) == len(second.answer()) == 150
    order = [entry.split("-")[0] for entry in first.ask("entries")]
    assert order.count("first") == order.count("second") == 150
    # While both wrote, neither had to wait for a long run of the other's writes.
    both = order[order.index("second") : len(order) - order[::-1].index("first")]
    runs = max(len(run) for run in "".join(name[0] for name in both).replace("fs", "f s").replace("sf", "s f").split())
    assert runs < 50
    assert_sound(tmp_path / "state" / "plugin.db")


def test_every_acknowledged_write_survives_kill_9(start: Start, tmp_path: Path) -> None:
    acknowledged: list[str] = []
    for number in range(8):
        worker = start()
        assert worker.ask("open") == "open"
        worker.tell("insert_for_ever", f"life {number}")
        acknowledged += [worker.answer() for _ in range(5 + 7 * number)]
        worker.kill()
        worker.process.wait(PATIENCE)
        acknowledged += worker.answered()
    reader = start()
    assert reader.ask("open") == "open"
    found = reader.ask("entries")
    assert set(acknowledged) <= set(found)
    assert len(found) <= len(acknowledged) + 8  # a write may be on the disk whose answer was never sent
    assert_sound(tmp_path / "state" / "plugin.db")


@pytest.mark.skipif("AGENTHOST_STRESS" not in os.environ, reason="takes a minute: nox -s stress")
@pytest.mark.timeout(200)
def test_foreign_checkpoints_do_not_damage_the_database(start: Start, tmp_path: Path) -> None:
    writers = [start() for _ in range(3)]
    foreign = [start() for _ in range(2)]
    assert all_at_once(writers, "open") == ["open"] * 3
    for number in range(24):
        for worker in foreign:
            worker.tell("checkpoint", 300)
        for place, worker in enumerate(writers):
            worker.tell("insert_many", f"{number}-{place}", 200)
        assert [len(worker.answer()) for worker in writers] == [200] * 3
        assert [worker.answer() for worker in foreign] == [300] * 2
    assert len(set(writers[0].ask("entries"))) == 24 * 3 * 200
    assert_sound(tmp_path / "state" / "plugin.db")


def test_a_migration_that_four_processes_want_runs_once(start: Start) -> None:
    old = start()
    assert old.ask("open") == "open"
    assert old.ask("insert", "before") == 1
    assert old.ask("close") == "closed"
    new = [start(steps=2) for _ in range(4)]
    assert all_at_once(new, "open") == ["open"] * 4
    assert all_at_once(new, "runs") == [1] * 4
    assert new[0].ask("entries") == ["before"]


def test_before_a_migration_a_copy_is_made(start: Start, tmp_path: Path) -> None:
    old = start()
    assert old.ask("open") == "open"
    assert old.ask("insert", "before") == 1
    assert old.ask("close") == "closed"
    assert start(steps=2).ask("open") == "open"
    copy = tmp_path / "state" / "plugin.before-schema-2.db"
    assert copy.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT id FROM entries").fetchall() == [("before",)]
    connection.close()


def test_a_migration_that_fails_leaves_the_old_database_as_it_was(start: Start, tmp_path: Path) -> None:
    old = start(steps=2)
    assert old.ask("open") == "open"
    assert old.ask("insert", "before") == 1
    broken = start(steps=3)
    error = broken.ask("open")["error"]
    assert "step 3 (broken)" in error
    assert "entries" in error
    assert old.ask("insert", "after") == 2
    with sqlite3.connect(tmp_path / "state" / "plugin.db") as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
    connection.close()


def test_a_database_of_a_newer_version_is_refused(start: Start) -> None:
    assert start(steps=2).ask("open") == "open"
    error = start(steps=1).ask("open")["error"]
    assert "newer version" in error
    assert "--state-dir" in error


def test_a_full_disk_keeps_what_was_saved_and_says_so(start: Start, tmp_path: Path) -> None:
    worker = start()
    assert worker.ask("open") == "open"
    assert worker.ask("insert", "saved") == 1
    assert worker.ask("limit_pages", 20) == 20
    error = worker.ask("insert", "too large", 4_000_000)["error"]
    assert "disk is full" in error
    assert "saved nothing" in error
    assert worker.ask("entries") == ["saved"]
    assert worker.ask("insert", "small") == 2
    assert_sound(tmp_path / "state" / "plugin.db")


def test_a_file_that_may_not_grow_keeps_what_was_saved_and_says_so(start: Start, tmp_path: Path) -> None:
    def no_large_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    worker = start(preexec_fn=no_large_files)
    assert worker.ask("open") == "open"
    assert worker.ask("insert", "saved") == 1
    assert str(tmp_path / "state" / "plugin.db") in worker.ask("insert", "too large", 4_000_000)["error"]
    assert worker.ask("entries") == ["saved"]
    assert_sound(tmp_path / "state" / "plugin.db")


@pytest.mark.parametrize("fails", [False, True])
def test_a_cancelled_write_is_dropped_if_it_waits_and_ends_if_it_has_begun(start: Start, fails: bool) -> None:
    worker = start()
    assert worker.ask("open") == "open"
    was_pending, first_cancelled, second_cancelled, entries, complaints = worker.ask("cancel_in_the_middle", fails)
    assert was_pending, "the cancellation came before the write had ended"
    assert first_cancelled
    assert second_cancelled
    assert entries == ([] if fails else ["held"])
    assert complaints == []


def test_a_forked_child_does_not_keep_the_lock_of_a_dead_process(start: Start) -> None:
    dying = start()
    assert dying.ask("open") == "open"
    child = dying.ask("fork_and_die")
    dying.process.wait(PATIENCE)
    try:
        os.kill(child, 0)  # it still lives
        other = start()
        assert other.ask("open") == "open"
        assert other.ask("insert", "after") == 1
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_lock_that_is_held_for_too_long_is_an_error_that_names_the_process(start: Start) -> None:
    holder, waiter = start(), start()
    assert all_at_once([holder, waiter], "open") == ["open"] * 2
    assert waiter.ask("be_impatient", 0.3) == 0.3
    holder.tell("hold")
    assert holder.answer() == "holding"
    error = waiter.ask("insert", "late")["error"]
    assert str(holder.process.pid) in error
    assert "nothing was saved" in error
    holder.kill()
    assert waiter.ask("be_impatient", PATIENCE) == PATIENCE
    assert waiter.ask("insert", "now") == 1
    assert waiter.ask("entries") == ["now"]


def test_a_waiter_hears_of_a_commit_of_another_process(start: Start) -> None:
    waiter, writer = start(), start()
    assert all_at_once([waiter, writer], "open") == ["open"] * 2
    after = waiter.ask("number")
    for number in range(20):
        waiter.tell("wait", after)
        writer.ask("insert", f"entry {number}")
        after = waiter.answer()
        assert after == number + 1
    # What changed between two waits is not missed.
    writer.ask("insert", "between")
    assert waiter.ask("wait", after) == after + 1


def agenthost(*arguments: str, state: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "agenthost", *arguments, "--state-dir", str(state)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False)


def test_a_backup_taken_while_two_processes_write_is_sound_and_has_what_was_acknowledged(
    start: Start, tmp_path: Path
) -> None:
    writers = [start(), start()]
    assert all_at_once(writers, "open") == ["open"] * 2
    before = [writers[0].ask("insert", f"before {number}") for number in range(5)]
    for place, worker in enumerate(writers):
        worker.tell("insert_many", f"during {place}", 150)
    done = agenthost("backup", str(tmp_path / "copies"), state=tmp_path / "state")
    assert done.returncode == 0, done.stderr
    assert [len(worker.answer()) for worker in writers] == [150] * 2
    copy = tmp_path / "copies" / "plugin.db"
    assert str(copy) in done.stdout
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent.stat().st_mode & 0o777 == 0o700
    assert_sound(copy)
    with sqlite3.connect(copy) as connection:
        seqs = [row[0] for row in connection.execute("SELECT seq FROM entries ORDER BY seq")]
    connection.close()
    # One moment: everything up to some write, and nothing after it.
    assert seqs == list(range(1, len(seqs) + 1))
    assert len(seqs) >= len(before)


def test_a_backup_never_writes_over_an_older_one(start: Start, tmp_path: Path) -> None:
    worker = start()
    assert worker.ask("open") == "open"
    assert worker.ask("insert", "first") == 1
    assert agenthost("backup", str(tmp_path / "copies"), state=tmp_path / "state").returncode == 0
    kept = (tmp_path / "copies" / "plugin.db").read_bytes()
    assert worker.ask("insert", "second") == 2
    again = agenthost("backup", str(tmp_path / "copies"), state=tmp_path / "state")
    assert again.returncode == 2
    assert "new folder" in again.stderr
    assert (tmp_path / "copies" / "plugin.db").read_bytes() == kept
    assert [path.name for path in (tmp_path / "copies").iterdir()] == ["plugin.db"]


def test_without_data_a_backup_says_so_and_makes_no_folder(tmp_path: Path) -> None:
    done = agenthost("backup", str(tmp_path / "copies"), state=tmp_path / "state")
    assert done.returncode == 0
    assert "nothing was copied" in done.stdout
    assert not (tmp_path / "copies").exists()
    assert not (tmp_path / "state").exists()
