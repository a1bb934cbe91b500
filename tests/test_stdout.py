"""X05, V36: standard output belongs to JSON-RPC, whatever plugins, their threads and their children print."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]
RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]

WAYS = [
    "print",
    "print unflushed",
    "kept sys.stdout",
    "sys.__stdout__",
    "os.write",
    "libc",
    "child",
    "os.system",
    "fork",
]
PLACES = ["import", "settings", "tools", "instructions", "lifespan", "enter", "tool", "thread", "stray thread", "leave"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_x05_v36_no_byte_that_a_plugin_prints_reaches_the_client(start: StartServer, era: Era) -> None:
    server = start("--plugins", "noisy", plugins=["ends"])
    server.open(era)
    assert server.text("noise") == "quiet"
    assert server.text("noise_in_thread") == "quiet"
    server.wait_for_stderr("noise stray thread: fork")
    assert server.close() == 0
    server.assert_only_json_rpc()
    assert b"noise" not in b"".join(line for line in server.lines if b'"name":"noise' not in line)
    # Nothing is swallowed either: it is all on stderr.
    missing = [f"{place}: {way}" for place in PLACES for way in WAYS if f"noise {place}: {way}" not in server.stderr]
    assert missing == []
    assert "noise tool: logging" in server.stderr


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_x05_a_tool_that_reads_standard_input_takes_nothing_away_from_the_server(start: StartServer, era: Era) -> None:
    server = start("--plugins", "noisy", plugins=["ends"])
    server.open(era)
    asked = [server.start_request("tools/call", {"name": "read_input"}) for _ in range(5)]
    asked += [server.start_request("tools/list") for _ in range(5)]
    for request_id in asked[:5]:
        assert server.answer(request_id)["result"]["content"][0]["text"] == "('', b'')"
    for request_id in asked[5:]:
        assert "tools" in server.answer(request_id)["result"]


def test_v36_a_refused_start_writes_nothing_to_standard_output(start: StartServer) -> None:
    server = start("--plugins", "noisy,raises-tools", plugins=["ends", "trouble"])
    assert server.wait() == 2
    assert server.lines == []
    assert "raises-tools: " in server.stderr


def test_x05_plugins_json_is_json_whatever_a_plugin_prints_while_loading(run_agenthost: RunAgenthost) -> None:
    done = run_agenthost("plugins", "--json", "--plugins", "noisy", plugins=["ends"])
    assert done.returncode == 0
    # What is printed at exit comes after the document, in a process that serves nobody.
    rows, end = json.JSONDecoder().raw_decode(done.stdout)
    assert rows[0]["name"] == "noisy"
    assert rows[0]["state"] == "loaded"
    assert all("noise exit" in line for line in done.stdout[end:].splitlines() if line)
    for way in WAYS:
        assert f"noise import: {way}" in done.stderr
