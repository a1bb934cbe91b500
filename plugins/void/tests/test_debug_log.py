"""The debug log: what it holds, what it never holds, and what happens when it cannot be written."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from agenthost import OperatorError, PluginContext
from agenthost.testing import StartServer
from agenthost_void import plugin
from agenthost_void.debug_log import DebugLog
from agenthost_void.definitions import Definition
from agenthost_void.settings import Settings

SCHEMA = {"type": "object", "properties": {"k": {"type": "string"}}}
DEFINITION = Definition("t", SCHEMA, "RESULTTEXT")


def context(folder: Path, debug_log: str | None, **settings: Any) -> PluginContext[Settings]:
    validated = Settings.model_validate({"debug_log": debug_log, **settings})
    return PluginContext("void", validated, folder, logging.getLogger("agenthost.void"), folder / "state")


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_v33_v34_v35_the_log_tells_what_happened_and_nothing_of_what_was_said(
    agenthost_server: StartServer, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    inline = json.dumps([{"name": "t", "inputSchema": SCHEMA, "result": "RESULTTEXT"}])
    options = ["--set", f"void.definitions={json.dumps([inline])}", "--set", f"void.debug_log={json.dumps(str(path))}"]
    for _ in range(2):
        server = agenthost_server("--plugins", "void", "--set", "void.mutable=true", *options)
        server.open()
        assert server.text("t", {"k": "TOPSECRET", "n": {"deep": "HIDE"}}) == "RESULTTEXT"
        live = {"name": "live", "description": "PRIVATE", "inputSchema": SCHEMA, "result": "LIVERESULT!"}
        assert not server.call("void_create_tool", live)["result"].get("isError")
        assert server.call("void_create_tool", live)["result"]["isError"]
        assert server.text("live") == "LIVERESULT!"
        assert not server.call("void_remove_tool", {"name": "live"})["result"].get("isError")
        assert server.close() == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    written = path.read_text(encoding="utf-8")
    for secret in ("TOPSECRET", "deep", "HIDE", "RESULTTEXT", "PRIVATE", "LIVERESULT"):
        assert secret not in written
    told = [{key: value for key, value in event.items() if key not in ("time", "process")} for event in events(path)]
    once = [
        {"event": "start", "mutable": True, "tools": [{"tool": "t", "inputSchema": SCHEMA}]},
        {"event": "call", "tool": "t", "argumentKeys": ["k", "n"], "resultLength": 10},
        {"event": "create", "tool": "live", "inputSchema": SCHEMA, "resultLength": 11},
        {"event": "call", "tool": "live", "argumentKeys": [], "resultLength": 11},
        {"event": "remove", "tool": "live"},
    ]
    assert told == once * 2
    assert len({event["process"] for event in events(path)}) == 2


def test_v35_an_existing_file_is_appended_to_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"event": "older"}\n', encoding="utf-8")
    path.chmod(0o644)
    DebugLog(context(tmp_path, "log.jsonl")).call(DEFINITION, {"é\ud800": 1})
    assert [event["event"] for event in events(path)] == ["older", "call"]
    assert events(path)[1]["argumentKeys"] == ["é\ud800"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("folder", "is not a regular file"),
        ("missing/log.jsonl", "there is no folder"),
        ("fifo", "is not a regular file"),
    ],
)
def test_a_path_that_cannot_work_is_refused_with_all_other_faults(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OperatorError) as caught:
        plugin.agenthost_tools(context(tmp_path, name, definitions=["{}"]))
    text = str(caught.value)
    assert f"debug_log {tmp_path / name}: {told}" in text
    assert "definition 1 (inline): must be an array" in text


async def _enter(plugin_context: PluginContext[Settings]) -> None:
    manager = plugin.agenthost_lifespan(plugin_context)
    assert manager is not None
    async with manager:
        pass


def test_the_file_is_touched_when_serving_starts_and_not_before(tmp_path: Path) -> None:
    plugin_context = context(tmp_path, "log.jsonl")
    plugin.agenthost_tools(plugin_context)
    assert plugin.agenthost_lifespan(plugin_context) is not None
    assert not (tmp_path / "log.jsonl").exists()
    asyncio.run(_enter(plugin_context))
    assert [event["event"] for event in events(tmp_path / "log.jsonl")] == ["start"]


def test_a_log_that_cannot_be_opened_when_serving_starts_is_a_clear_failure(tmp_path: Path) -> None:
    plugin_context = context(tmp_path, "log.jsonl")
    (tmp_path / "log.jsonl").mkdir()
    with pytest.raises(OperatorError, match=r"log\.jsonl: cannot be written: Is a directory"):
        asyncio.run(_enter(plugin_context))


def test_an_event_that_cannot_be_written_is_reported_and_does_not_spoil_the_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = DebugLog(context(tmp_path, "log.jsonl"))
    (tmp_path / "log.jsonl").mkdir()
    log.call(DEFINITION, {})
    log.create(DEFINITION)
    log.remove("t")
    assert [record.getMessage() for record in caplog.records] == [
        f"debug_log {tmp_path / 'log.jsonl'}: an event is lost: Is a directory"
    ] * 3


def test_a_call_after_the_end_of_serving_is_still_logged(tmp_path: Path) -> None:
    plugin_context = context(tmp_path, "log.jsonl")
    asyncio.run(_enter(plugin_context))
    DebugLog(plugin_context).call(DEFINITION, {})
    assert [event["event"] for event in events(tmp_path / "log.jsonl")] == ["start", "call"]


def test_without_the_setting_there_is_no_log_and_no_lifespan(tmp_path: Path) -> None:
    plugin_context = context(tmp_path, None)
    DebugLog(plugin_context).call(DEFINITION, {})
    assert plugin.agenthost_lifespan(plugin_context) is None
    assert list(tmp_path.iterdir()) == []
