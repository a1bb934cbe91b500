"""X07: calls of one connection reach plugin code in the order in which they were sent, and answers find their calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]


@pytest.fixture(scope="module", params=["legacy", "modern"])
def server(request: pytest.FixtureRequest, start_shared: StartServer) -> ServerProcess:
    era: Era = request.param
    server = start_shared("--plugins", "probe,typed,neighbour", plugins=["calls", "puppets"])
    server.open(era)
    server.tools()
    return server


@pytest.mark.parametrize("tool", ["arrive", "arrive_in_thread"])
def test_x07_two_hundred_calls_at_once_arrive_in_order(server: ServerProcess, tool: str) -> None:
    for turn in range(20):
        server.call("forget")
        count = 200 if turn == 0 else 30
        asked = [
            server.start_request("tools/call", {"name": tool, "arguments": {"number": number}})
            for number in range(count)
        ]
        results = [server.answer(request_id)["result"] for request_id in asked]
        order = server.call("forget")["result"]["structuredContent"]["order"]
        answered = [number for number, result in enumerate(results) if not result.get("isError")]
        # A plugin has 32 threads: beyond them a def call is refused as busy, and says so.
        assert order == answered
        assert len(order) == count or tool == "arrive_in_thread"
        for number in answered:
            assert results[number]["content"][0]["text"] == str(number)
        for number in set(range(count)) - set(answered):
            assert "busy" in results[number]["content"][0]["text"]


def test_x07_calls_of_several_plugins_and_kinds_at_once_get_their_own_answers(server: ServerProcess) -> None:
    for _ in range(20):
        asked = []
        for number in range(10):
            for name, arguments, text in (
                ("arrive", {"number": number}, str(number)),
                ("search", {"query": f"q{number}"}, f"q{number} (10)"),
                ("ping", {}, "neighbour: ping"),
                ("report", {"steps": 1}, "done"),
            ):
                asked.append((server.start_request("tools/call", {"name": name, "arguments": arguments}), text))
        for request_id, text in asked:
            [block] = server.answer(request_id)["result"]["content"]
            assert block["text"] == text
    server.call("forget")


def test_x07_cancelling_one_of_many_calls_leaves_the_others_alone(server: ServerProcess) -> None:
    for turn in range(20):
        gate = f"{server.era} {turn}"
        call = {"name": "hold_async", "arguments": {"gate": gate}}
        asked = [server.start_request("tools/call", call) for _ in range(5)]
        server.wait_for_stderr(f"holding {gate}")
        cancelled = asked[turn % 5]
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": cancelled}})
        server.text("release", {"gate": gate})
        for request_id in asked:
            if request_id != cancelled:
                assert server.answer(request_id)["result"]["content"][0]["text"] == "released"
    assert server.text("ping") == "neighbour: ping"
