"""The key that seals states: made when it is needed, one for all processes, and never a reason to fail."""

from __future__ import annotations

import logging
import multiprocessing
import os
import stat
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from agenthost.sealing import KEY_BYTES, StateKey
from mcp.server.request_state import InvalidRequestState

PROCESSES = 4
TIMES = 20


def key_file(folder: Path) -> Path:
    return folder / "state" / "host" / "request-state.key"


def test_the_key_is_made_when_the_first_state_is_sealed_and_is_private(tmp_path: Path) -> None:
    file = key_file(tmp_path)
    key = StateKey(file)
    assert not file.parent.exists()
    sealed = key.seal(b"what I know")
    assert key.unseal(sealed) == b"what I know"
    assert len(file.read_bytes()) == KEY_BYTES
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert list(file.parent.iterdir()) == [file]


def test_what_one_process_has_sealed_another_opens(tmp_path: Path) -> None:
    sealed = StateKey(key_file(tmp_path)).seal(b"x")
    assert StateKey(key_file(tmp_path)).unseal(sealed) == b"x"


def test_opening_makes_no_key(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequestState):
        StateKey(key_file(tmp_path)).unseal(StateKey(tmp_path / "another").seal(b"x"))
    assert not key_file(tmp_path).parent.exists()


def seal_at_once(file: Path, barrier: Barrier, sealed: multiprocessing.SimpleQueue[str]) -> None:
    key = StateKey(file)
    barrier.wait(30)
    sealed.put(key.seal(b"x"))


def test_processes_that_begin_at_the_same_time_agree_on_one_key(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    for number in range(TIMES):
        file = tmp_path / str(number) / "key"
        barrier, sealed = fork.Barrier(PROCESSES), fork.SimpleQueue()
        processes = [fork.Process(target=seal_at_once, args=(file, barrier, sealed)) for _ in range(PROCESSES)]
        for process in processes:
            process.start()
        states = [sealed.get() for _ in processes]
        for process in processes:
            process.join(30)
        assert {StateKey(file).unseal(state) for state in states} == {b"x"}
        assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("contents", [b"", b"short", b"x" * (KEY_BYTES + 1)])
def test_a_damaged_key_is_reported_and_left_and_this_process_goes_on(
    tmp_path: Path, contents: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "key"
    file.write_bytes(contents)
    file.chmod(0o600)
    key = StateKey(file)
    with caplog.at_level(logging.ERROR, "agenthost"):
        assert key.unseal(key.seal(b"x")) == b"x"
        assert key.unseal(key.seal(b"y")) == b"y"
    [record] = caplog.records
    assert str(file) in record.getMessage()
    assert "Remove the file" in record.getMessage()
    assert file.read_bytes() == contents
    with pytest.raises(InvalidRequestState):
        StateKey(file).unseal(key.seal(b"x"))


def test_a_key_that_others_may_read_is_not_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "key"
    sealed = StateKey(file).seal(b"x")
    file.chmod(0o640)
    with pytest.raises(InvalidRequestState):
        StateKey(file).unseal(sealed)
    assert "0600" in caplog.text


def test_a_folder_that_cannot_be_made_is_reported_and_this_process_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "state").write_text("a file, where a folder should be", encoding="utf-8")
    key = StateKey(key_file(tmp_path))
    assert key.unseal(key.seal(b"x")) == b"x"
    assert "request-state.key" in caplog.text


def test_a_disk_without_links_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    key = StateKey(tmp_path / "key")
    assert key.unseal(key.seal(b"x")) == b"x"
    assert "no links here" in caplog.text
    assert list(tmp_path.iterdir()) == []
