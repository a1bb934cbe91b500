"""Starting and ending plugins: the handshake waits for nobody, lists are complete, and failures stay at home."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]

CHANGED = "notifications/tools/list_changed"
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def served(server: ServerProcess) -> list[str]:
    return [tool["name"] for tool in server.tools()]


@ERAS
def test_a_list_asked_for_while_a_plugin_starts_waits_for_it_and_is_complete(
    start: StartServer, tmp_path: Path, era: Era
) -> None:
    gate = tmp_path / "gate"
    server = start("--plugins", "gated,neighbour", f"--set=gated.gate={gate}", plugins=["trouble", "puppets"])
    # The handshake and pings are answered before the plugin has started: its gate is still closed.
    opened = server.open(era)
    assert opened["capabilities"]["tools"] == {"listChanged": True}
    server.wait_for_stderr("gated: entering")
    assert server.request("ping" if era == "legacy" else "server/discover")["result"] is not None
    listing = server.start_request("tools/list")
    calling = server.start_request("tools/call", {"name": "gated_tool"})
    neighbours = server.start_request("tools/call", {"name": "ping"})
    assert server.request("ping" if era == "legacy" else "server/discover")["result"] is not None
    assert "gated: entered" not in server.stderr
    gate.touch()
    assert [tool["name"] for tool in server.answer(listing)["result"]["tools"]] == ["gated_tool", "ping"]
    assert server.answer(calling)["result"]["content"][0]["text"] == "served"
    assert server.answer(neighbours)["result"]["content"][0]["text"] == "neighbour: ping"
    assert [note for note in server.notifications if note["method"] == CHANGED] == []
    assert server.close() == 0
    assert "gated: left" in server.stderr


@ERAS
def test_a_list_does_not_wait_for_ever_and_a_notice_follows_when_a_slow_plugin_has_started(
    start: StartServer, tmp_path: Path, era: Era
) -> None:
    gate = tmp_path / "gate"
    server = start("--plugins", "gated,neighbour", f"--set=gated.gate={gate}", plugins=["trouble", "puppets"])
    server.open(era)
    if era == "modern":
        server.listen()
    began = time.monotonic()
    assert served(server) == ["ping"]
    waited = time.monotonic() - began
    error = server.call("gated_tool")["error"]
    assert error["code"] == -32602
    assert "still starting" in error["message"]
    assert "gated: entered" not in server.stderr
    assert waited < 10, "OpenCode gives a list 5 s; the bound is generous for slow machines"
    server.notifications.clear()
    gate.touch()
    server.wait_for_notification(CHANGED)
    assert served(server) == ["gated_tool", "ping"]
    assert server.text("gated_tool") == "served"
    served(server)
    assert [note for note in server.notifications if note["method"] == CHANGED] == []


def test_x04_a_plugin_that_fails_to_start_is_not_served_and_all_others_are(start: StartServer) -> None:
    names = ["enter-fails", "enter-exits", "enter-cancels", "enter-hangs", "neighbour", "silent"]
    server = start("--plugins", ",".join(names), "--set=host.start_limit=2", plugins=["trouble", "puppets"])
    server.open()
    assert served(server) == ["ping"]
    assert server.text("ping") == "neighbour: ping"
    assert server.call("enter_fails_tool")["error"]["code"] == -32602
    assert server.close() == 0
    for name, reason in {
        "enter-fails": "entering its lifespan failed with RuntimeError: fails on purpose",
        "enter-exits": "entering its lifespan failed with SystemExit: leaves on purpose",
        "enter-cancels": "entering its lifespan failed with CancelledError",
        "enter-hangs": "entering its lifespan took longer than 2 s (setting host.start_limit)",
    }.items():
        [line] = [line for line in server.stderr.splitlines() if line.startswith(f"agenthost: error: {name}: ")]
        assert reason in line


@ERAS
def test_x04_a_plugin_that_dies_later_loses_its_tools_and_clients_are_told_once(
    start: StartServer, tmp_path: Path, era: Era
) -> None:
    gate = tmp_path / "gate"
    server = start("--plugins", "dies-later,neighbour", f"--set=dies-later.gate={gate}", plugins=["trouble", "puppets"])
    server.open(era)
    if era == "modern":
        server.listen()
    assert served(server) == ["dies_later_tool", "ping"]
    assert server.text("dies_later_tool") == "served"
    gate.touch()
    server.wait_for_notification(CHANGED)
    assert served(server) == ["ping"]
    assert server.call("dies_later_tool")["error"]["code"] == -32602
    assert server.text("ping") == "neighbour: ping"
    assert [note for note in server.notifications if note["method"] == CHANGED] == []
    assert server.close() == 0
    assert "dies-later: " in server.stderr
    assert "dies on purpose" in server.stderr


@pytest.mark.parametrize("name", ["leave-fails", "leave-exits"])
def test_x04_a_plugin_that_fails_while_leaving_is_named_and_the_end_is_orderly(
    start: StartServer, tmp_path: Path, name: str
) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    server = start("--plugins", f"{name},gated", f"--set=gated.gate={gate}", plugins=["trouble"])
    server.open()
    assert served(server) == [f"{name.replace('-', '_')}_tool", "gated_tool"]
    assert server.close() == 0
    assert f"{name}: leaving its lifespan failed with" in server.stderr
    assert "on purpose" in server.stderr
    assert "gated: left" in server.stderr


def test_strict_ends_the_server_when_a_plugin_fails_after_the_handshake(start: StartServer) -> None:
    options = ["--strict", "--set=host.start_limit=1"]
    server = start("--plugins", "enter-hangs,neighbour", *options, plugins=["trouble", "puppets"])
    server.open("modern")
    server.start_request("tools/list")
    assert server.wait() == 2
    assert "agenthost: error: enter-hangs: " in server.stderr
    assert "entering its lifespan took longer than 1 s" in server.stderr
    assert "--strict" in server.stderr


def test_ending_during_a_start_leaves_what_was_entered_and_gives_up_the_rest(
    start: StartServer, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    server = start("--plugins", "enter-hangs,gated", f"--set=gated.gate={gate}", plugins=["trouble"])
    server.open()
    server.wait_for_stderr("gated: entered")
    server.wait_for_stderr("enter-hangs: entering")
    assert server.close() == 0
    assert "gated: left" in server.stderr
    assert "Traceback" not in server.stderr
