"""What the doctor tells about a plugin's database."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from agenthost import Schema, Step
from agenthost.doctor import databases
from agenthost.doctor.databases import check_database, file_system
from agenthost.doctor.diagnosis import Diagnosis
from agenthost.plugins import Plugin
from agenthost.storage import SqliteEngine, Store
from agenthost.storage.upkeep import LOCK_IS_NEEDED_BEFORE

LADDER = (Step("one", ("CREATE TABLE a (id TEXT PRIMARY KEY)",)), Step("two", ("CREATE TABLE b (id TEXT)",)))


@pytest.fixture
def keeper(make_plugin: Callable[..., Plugin]) -> Plugin:
    plugin = make_plugin("keeper")
    plugin.schema = Schema(LADDER[:1])
    return plugin


def make(folder: Path, steps: int = 1) -> Path:
    async def use() -> None:
        store = Store("keeper", SqliteEngine(folder / "keeper.db"))
        await store.open(Schema(LADDER[:steps]))
        await store.write(
            lambda tx: [tx.execute("INSERT INTO a VALUES (:id)", {"id": f"{n}" * 500}) for n in range(200)]
        )
        await store.close()

    asyncio.run(use())
    return folder / "keeper.db"


def told(plugin: Plugin, folder: Path) -> list[Diagnosis]:
    return [line for line in check_database(plugin, folder) if line.level != "info"]


def test_a_sound_database_is_told_with_all_that_an_operator_asks_for(keeper: Plugin, tmp_path: Path) -> None:
    path = make(tmp_path)
    [line] = told(keeper, tmp_path)
    assert line.level == "ok"
    for part in (
        str(path),
        "bytes",
        "schema 1 of 1",
        f"SQLite {sqlite3.sqlite_version}",
        "journal wal",
        "quick_check ok",
    ):
        assert part in line.text


def test_a_plugin_without_data_has_none_and_none_is_made(keeper: Plugin, tmp_path: Path) -> None:
    [line] = told(keeper, tmp_path)
    assert (line.level, line.text) == ("ok", "no data yet")
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_database_is_an_error(keeper: Plugin, tmp_path: Path) -> None:
    path = make(tmp_path)
    damaged = bytearray(path.read_bytes())
    damaged[8192:12288] = b"\xff" * 4096
    path.write_bytes(damaged)
    [line] = told(keeper, tmp_path)
    assert line.level == "error"
    assert "backup" in line.cure


def test_a_file_that_is_no_database_is_an_error(keeper: Plugin, tmp_path: Path) -> None:
    (tmp_path / "keeper.db").write_bytes(b"no database at all, but a text that is long enough" * 100)
    [line] = told(keeper, tmp_path)
    assert line.level == "error"
    assert "no database" in line.text


def test_a_database_that_cannot_be_reached_needs_no_backup(keeper: Plugin, tmp_path: Path) -> None:
    lock = make(tmp_path).with_suffix(".db.lock")
    lock.unlink()
    lock.mkdir()
    [line] = told(keeper, tmp_path)
    assert (line.level, line.cure) == ("error", "let this user write there")


def test_a_database_of_a_newer_plugin_is_an_error_with_its_cure(keeper: Plugin, tmp_path: Path) -> None:
    make(tmp_path, steps=2)
    [line] = told(keeper, tmp_path)
    assert line.level == "error"
    assert "schema 2 of 1" in line.text
    assert "newer version" in line.cure


def test_a_network_file_system_is_a_warning(keeper: Plugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "file_system", lambda folder: "nfs4")
    warning, _ = told(keeper, tmp_path)
    assert warning.level == "warning"
    assert "nfs4" in warning.text
    assert "--state-dir" in warning.cure


def test_the_file_system_of_a_folder_is_that_of_the_nearest_mount() -> None:
    assert file_system(Path("/proc/self")) in ("proc", None)


def test_an_old_sqlite_is_a_line_of_information(
    keeper: Plugin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path)
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 45, 0))
    assert [line.level for line in check_database(keeper, tmp_path)] == ["ok", "info"]
    monkeypatch.setattr(sqlite3, "sqlite_version_info", LOCK_IS_NEEDED_BEFORE)
    assert [line.level for line in check_database(keeper, tmp_path)] == ["ok"]
