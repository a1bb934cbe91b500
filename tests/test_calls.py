"""X04: whatever a tool does, its own call is answered, and nothing else notices."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]

INTERNAL = "internal detail"

RAISING = """
    raises raises_in_thread exits exits_in_thread interrupts interrupts_in_thread raises_strange
    raises_strange_in_thread stops_iteration stops_iteration_in_thread exits_generator recurses raises_group
    raises_with_surrogate raises_unprintable exits_in_task_group
""".split()
LEAKING = "cancels cancels_in_thread awaits_cancelled_child cancels_itself cancels_all_tasks".split()
RUBBISH = """
    returns_object returns_none returns_nan returns_infinite_number returns_bytes returns_mixed_set returns_coroutine
    returns_endless_list returns_other_than_promised returns_something_for_nothing returns_bad_block
""".split()
LEAVING = """
    leaves_exit_task leaves_interrupt_task leaves_exit_callback leaves_failing_task leaves_exit_thread
    stops_the_loop closes_descriptors calls_exit_in_child terminates_forked_child
""".split()
UNENDING = "never_returns never_returns_in_thread swallows_cancellation".split()

CRASHES = [*RAISING, *LEAKING, *RUBBISH]


class Shared:
    """A server for all tests of an era; another is started when a tool has brought one down."""

    def __init__(self, start: StartServer, era: Era) -> None:
        self._start = start
        self._era = era
        self._server: ServerProcess | None = None

    def running(self) -> ServerProcess:
        if self._server is None or self._server.process.poll() is not None:
            limit = "--set=crashing.time_limit=1.5"
            self._server = self._start("--plugins", "crashing,probe,neighbour", limit, plugins=["calls", "puppets"])
            self._server.open(self._era)
        return self._server


@pytest.fixture(scope="module", params=["legacy", "modern"])
def shared(request: pytest.FixtureRequest, start_shared: StartServer) -> Shared:
    return Shared(start_shared, request.param)


@pytest.fixture
def server(shared: Shared) -> Iterator[ServerProcess]:
    """A running server, which still runs and serves other plugins when the test is over."""
    server = shared.running()
    yield server
    assert server.text("ping") == "neighbour: ping"
    assert server.text("release", {"gate": "any"}) == "opened"
    assert server.process.poll() is None


def assert_is_a_crash(server: ServerProcess, name: str, result: dict) -> None:
    """The model reads a reference and no internals; the operator finds the details under the same reference."""
    assert result["isError"] is True
    assert "structuredContent" not in result
    [block] = result["content"]
    found = re.search(r"\(reference ([0-9a-f]{8})\)", block["text"])
    assert found
    assert f"Tool {name} " in block["text"]
    assert "plugin" in block["text"]
    for inner in (INTERNAL, "Traceback", "Error", ".py", "SystemExit"):
        assert inner not in block["text"]
    stderr = server.wait_for_stderr(f"[reference {found[1]}]")
    [line] = [line for line in stderr.splitlines() if f"[reference {found[1]}]" in line]
    assert f"Tool {name}" in line
    assert f"in {name}" in stderr or name in RUBBISH or name in LEAKING


@pytest.mark.parametrize("name", CRASHES)
def test_x04_a_crash_is_answered_with_a_reference_under_which_the_operator_finds_it(
    server: ServerProcess, name: str
) -> None:
    assert_is_a_crash(server, name, server.call(name)["result"])


def test_x04_crashes_at_once_leave_the_calls_between_them_alone(server: ServerProcess) -> None:
    held = server.start_request("tools/call", {"name": "hold_async", "arguments": {"gate": "crashes"}})
    held_in_thread = server.start_request("tools/call", {"name": "hold", "arguments": {"gate": "crashes"}})
    asked = []
    for name in [*CRASHES, *LEAVING]:
        if name == "cancels_all_tasks":  # which means the held call too
            continue
        pings = server.start_request("tools/call", {"name": "ping"})
        asked.append((server.start_request("tools/call", {"name": name}), name, pings))
    for request_id, name, ping in asked:
        result = server.answer(request_id)["result"]
        assert result.get("isError", False) == (name in CRASHES)
        assert server.answer(ping)["result"]["content"] == [{"type": "text", "text": "neighbour: ping"}]
    server.text("release", {"gate": "crashes"})
    for request_id in (held, held_in_thread):
        assert server.answer(request_id)["result"]["content"] == [{"type": "text", "text": "released"}]


@pytest.mark.parametrize("name", LEAVING)
def test_x04_what_a_tool_leaves_behind_ends_nobody(server: ServerProcess, name: str) -> None:
    assert server.text(name) == "left"
    for _ in range(3):
        assert server.text("ping") == "neighbour: ping"


@pytest.mark.parametrize("name", UNENDING)
def test_x04_a_call_past_its_time_limit_is_answered_and_says_which_limit(server: ServerProcess, name: str) -> None:
    result = server.call(name)["result"]
    assert result["isError"] is True
    [block] = result["content"]
    assert f"Tool {name} " in block["text"]
    assert "did not finish within 1.5 s" in block["text"]
    assert "time_limit" in block["text"]


def test_a_tool_error_reaches_the_model_as_text_and_structure(server: ServerProcess) -> None:
    result = server.call("refuses")["result"]
    assert result["content"] == [{"type": "text", "text": "Not today."}]
    assert result["structuredContent"] == {"until": "tomorrow"}
    assert result["isError"] is True


def test_a_protocol_error_reaches_the_client_as_it_is(server: ServerProcess) -> None:
    error = server.call("fails_the_request")["error"]
    assert error == {"code": -32050, "message": "The request is at fault.", "data": {"hint": 1}}


@pytest.mark.parametrize("name", ["returns_surrogate", "refuses_with_surrogate"])
def test_half_a_surrogate_pair_becomes_the_replacement_character(server: ServerProcess, name: str) -> None:
    [block] = server.call(name)["result"]["content"]
    assert block["text"] == "Half a character: \ufffd"


def test_a_tool_that_blocks_the_loop_is_named_in_the_log(server: ServerProcess) -> None:
    blocked = server.start_request("tools/call", {"name": "blocks_the_loop", "arguments": {"seconds": 3}})
    ping = server.start_request("tools/call", {"name": "ping"})
    assert "result" in server.answer(blocked)
    server.answer(ping)
    stderr = server.wait_for_stderr("blocked the event loop for")
    first, second = [line for line in stderr.splitlines() if "Tool blocks_the_loop" in line]
    assert "is blocking the event loop" in first
    assert "blocked the event loop for" in second


def test_a_def_tool_stalls_nobody(server: ServerProcess) -> None:
    held = [server.start_request("tools/call", {"name": "hold", "arguments": {"gate": "stall"}}) for _ in range(10)]
    for _ in range(5):
        assert server.text("ping") == "neighbour: ping"
        assert server.tools()
    if server.era == "legacy":
        assert server.request("ping")["result"] == {}
    server.text("release", {"gate": "stall"})
    for request_id in held:
        assert server.answer(request_id)["result"]["content"][0]["text"] == "released"


def test_a_plugin_without_a_free_thread_says_that_it_is_busy_and_the_others_go_on(server: ServerProcess) -> None:
    held = [server.start_request("tools/call", {"name": "hold", "arguments": {"gate": "busy"}}) for _ in range(40)]
    busy = [server.answer(request_id)["result"] for request_id in held[32:]]
    assert all(result["isError"] for result in busy)
    assert all("Plugin probe is busy" in result["content"][0]["text"] for result in busy)
    assert server.text("ping") == "neighbour: ping"
    server.text("release", {"gate": "busy"})
    for request_id in held[:32]:
        assert not server.answer(request_id)["result"].get("isError")


def test_a_cancelled_call_is_cancelled_in_the_plugin_and_never_answered(server: ServerProcess) -> None:
    gate = f"cancelled {server.era}"
    request_id = server.start_request("tools/call", {"name": "hold_async", "arguments": {"gate": gate}})
    server.wait_for_stderr(f"holding {gate}")
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}})
    server.wait_for_stderr(f"cancelled while holding {gate}")
    server.text("release", {"gate": gate})
    assert not [line for line in server.lines if f'"id":{request_id},'.encode() in line]


@pytest.mark.parametrize("name", ["report", "report_from_thread"])
def test_progress_arrives_in_order_and_before_the_result(server: ServerProcess, name: str) -> None:
    server.notifications.clear()
    meta = {"progressToken": "token"}
    result = server.call(name, {"steps": 5}, _meta=meta)["result"]
    assert result["content"] == [{"type": "text", "text": "done"}]
    told = [note["params"] for note in server.notifications if note["method"] == "notifications/progress"]
    assert [(step["progress"], step["total"], step["message"]) for step in told] == [
        (number, 5, f"step {number}") for number in range(1, 6)
    ]
    assert {step["progressToken"] for step in told} == {"token"}


def test_the_call_context_tells_who_calls(server: ServerProcess) -> None:
    structured = server.call("context")["result"]["structuredContent"]
    assert structured["principal"] is None
    assert structured["client"] == "agenthost-testing"
    assert structured["version"] == ("2025-11-25" if server.era == "legacy" else "2026-07-28")


def test_x10_a_plugins_state_folder_is_its_own_and_nobody_elses_to_read(server: ServerProcess) -> None:
    structured = server.call("state_dir")["result"]["structuredContent"]
    assert structured["folder"].endswith("/state/probe")
    assert structured["mode"] == "0o700"
