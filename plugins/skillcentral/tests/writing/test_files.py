"""Files that are replaced as a whole, also when their writer is killed at any step."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from agenthost_skillcentral.writing.files import backup_of, leftovers, locked, read, remove, replace, sha256
from agenthost_skillcentral.writing.places import NotWritten

OLD, NEW = b"id: a\nprompt: old\n", b"id: a\nprompt: new, and longer than before\n"

WORKER = '''
"""Replace a file, and be killed by the kernel just before the system call with a given number."""
import os, signal, sys

folder_path, step = sys.argv[1], int(sys.argv[2])

from agenthost_skillcentral.writing.files import locked, read, replace

folder = os.open(folder_path, os.O_RDONLY)
count = 0


def dying(real):
    def call(*args, **kwargs):
        global count
        if count == step:
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1
        return real(*args, **kwargs)

    return call


def half(file, data):
    """Half of what there is to write, so that a kill meets a file that is not whole."""
    return real_write(file, data[: max(1, len(data) // 2)])


real_write = os.write
with locked(folder):
    before = read(folder, "a.yaml")
    os.write = half
    for name in ("open", "write", "fsync", "replace", "unlink", "fchmod", "close"):
        setattr(os, name, dying(getattr(os, name)))
    replace(folder, "a.yaml", before, sys.argv[3].encode())
print(count)
'''

TAKING_TURNS = """
import os, sys

from agenthost_skillcentral.writing.files import locked, read, replace

folder = os.open(sys.argv[1], os.O_RDONLY)
for turn in range(25):
    with locked(folder):
        replace(folder, "a.yaml", read(folder, "a.yaml"), f"{sys.argv[2]} {turn}".encode())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Any:
    opened = os.open(tmp_path, os.O_RDONLY)
    yield opened
    os.close(opened)


def names(path: Path) -> list[str]:
    return sorted(item.name for item in path.iterdir())


@pytest.mark.parametrize("there", [True, False], ids=["update", "create"])
def test_a_kill_at_any_step_leaves_the_old_or_the_new_file_and_the_next_look_says_which(
    tmp_path: Path, there: bool
) -> None:
    script = tmp_path / "worker.py"
    script.write_text(WORKER, encoding="utf-8")
    outcomes = set()
    for step in range(200):
        place = tmp_path / f"step{step}"
        place.mkdir()
        file = place / "a.yaml"
        if there:
            file.write_bytes(OLD)
            file.chmod(0o640)
        done = subprocess.run(
            [sys.executable, str(script), str(place), str(step), NEW.decode()],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        now = file.read_bytes() if file.exists() else None
        assert now in (OLD if there else None, NEW), step
        beside = names(place)
        told = leftovers(place, clean=False)
        assert names(place) == beside, "to look changes nothing"
        if [name for name in beside if name.startswith(".")]:
            [left] = told
            assert left.file == file
            assert ("written whole" in left.outcome) is (now == NEW), step
            outcomes.add(now)
        assert leftovers(place, clean=True) == told
        rest = names(place)
        backups = [name for name in rest if backup_of(name) == "a.yaml"]
        assert set(rest) == {"a.yaml", *backups} if now is not None else rest == []
        if now == NEW and there:
            [backup] = backups
            assert (place / backup).read_bytes() == OLD
            assert stat.S_IMODE((place / backup).stat().st_mode) == 0o640
            assert stat.S_IMODE(file.stat().st_mode) == 0o640
        else:
            assert backups == [], "a backup of what was never replaced"
        assert leftovers(place, clean=True) == []
    else:
        pytest.fail("the worker never came to its end")
    assert step > 15, "the kills reached every step"
    assert outcomes == {OLD if there else None, NEW}
    assert file.read_bytes() == NEW
    assert not [name for name in names(place) if name.startswith(".")]


def test_while_a_writer_is_at_work_what_lies_beside_its_file_is_no_leftover(tmp_path: Path, folder: int) -> None:
    own = "20260101T000000Z-0123abcd"
    (tmp_path / f".a.yaml.{own}.writing").write_text("{}", encoding="utf-8")
    with locked(folder):
        assert leftovers(tmp_path, clean=True) == []
    [left] = leftovers(tmp_path, clean=True)
    assert left.names == (f".a.yaml.{own}.writing",)
    assert names(tmp_path) == []


def test_a_torn_note_is_a_leftover_too(tmp_path: Path) -> None:
    (tmp_path / ".a.yaml.20260101T000000Z-0123abcd.writing").write_bytes(b'{"bef')
    [left] = leftovers(tmp_path, clean=True)
    assert "as it was before" in left.outcome
    assert names(tmp_path) == []


def test_a_folder_that_was_half_copied_or_half_removed_is_taken_away(tmp_path: Path) -> None:
    for kind in ("new", "removed"):
        left = tmp_path / f".skill.20260101T000000Z-0123abcd.{kind}" / "scripts"
        left.mkdir(parents=True)
        (left / "a.sh").write_text("echo", encoding="utf-8")
        [found] = leftovers(tmp_path, clean=True)
        assert found.file == tmp_path / "skill"
        assert ("was removed" in found.outcome) is (kind == "removed")
        assert names(tmp_path) == []


def test_files_of_others_are_no_leftovers(tmp_path: Path) -> None:
    for name in (".a.yaml.swp", ".a.yaml.new", "a.yaml.bak.20260101T000000Z-0123abcd", ".writing"):
        (tmp_path / name).write_text("mine", encoding="utf-8")
    before = names(tmp_path)
    assert leftovers(tmp_path, clean=True) == []
    assert names(tmp_path) == before


def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yaml").write_bytes(OLD)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with locked(folder), pytest.raises(NotWritten, match="No space left on device; it is as it was"):
        replace(folder, "a.yaml", OLD, NEW)
    assert names(tmp_path) == ["a.yaml"]
    assert (tmp_path / "a.yaml").read_bytes() == OLD


def test_a_link_is_neither_read_nor_written_through(tmp_path: Path, folder: int) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "a.yaml").symlink_to(tmp_path / "secret")
    with pytest.raises(NotWritten, match="is a link"):
        read(folder, "a.yaml")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotWritten, match="is no file"):
        read(folder, "pipe")


def test_what_is_removed_is_gone_with_all_that_is_in_it(tmp_path: Path, folder: int) -> None:
    (tmp_path / "skill/scripts").mkdir(parents=True)
    (tmp_path / "skill/scripts/a.sh").write_text("echo", encoding="utf-8")
    (tmp_path / "skill/out").symlink_to(tmp_path / "kept")
    (tmp_path / "kept").mkdir()
    (tmp_path / "a.yaml").write_bytes(OLD)
    remove(folder, "skill")
    remove(folder, "a.yaml")
    assert names(tmp_path) == ["kept"]
    with pytest.raises(NotWritten, match="cannot be removed"):
        remove(folder, "a.yaml")


def test_writers_of_two_processes_take_turns_and_each_keeps_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"0")
    command = [sys.executable, "-c", TAKING_TURNS, str(tmp_path)]
    workers = [subprocess.Popen([*command, name], stdin=subprocess.DEVNULL) for name in ("one", "two")]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    contents = [(tmp_path / name).read_bytes() for name in names(tmp_path)]
    assert len(contents) == len(set(contents)) == 51
    assert sha256(b"0") in map(sha256, contents)
