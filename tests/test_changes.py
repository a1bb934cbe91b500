"""Tools that come and go while the server runs: every accepted change is told once, to clients of both eras."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]

CHANGED = "notifications/tools/list_changed"
OBJECT = {"type": "object"}


class Watched:
    """A server and a client that counts the notices about its tools."""

    def __init__(self, server: ServerProcess, era: Era) -> None:
        self.server = server
        opened = server.open(era)
        assert opened["capabilities"]["tools"] == {"listChanged": True}
        if era == "modern":
            server.listen()
        self.start = self.names()

    def names(self) -> list[str]:
        return [tool["name"] for tool in self.server.tools()]

    def notices(self) -> int:
        """Notices since the last time; some answers later, so that one that is on its way is counted too."""
        for _ in range(3):
            self.server.tools()
        told = [note for note in self.server.notifications if note["method"] == CHANGED]
        self.server.notifications.clear()
        return len(told)

    def refused(self, name: str, arguments: dict[str, Any]) -> str:
        """The text of an error result."""
        result = self.server.call(name, arguments)["result"]
        assert result["isError"] is True, result
        text: str = result["content"][0]["text"]
        return text


@pytest.fixture(scope="module")
def shared(start_shared: StartServer) -> dict[Era, Watched]:
    """One server an era, with a plugin that changes, one that other names belong to, and a mutable void."""
    options = ["--set=void.mutable=true", '--set=neighbour.names=["neighbour_ping", "ping"]']
    plugins = "changing,neighbour,void"
    return {
        era: Watched(start_shared("--plugins", plugins, *options, plugins=["changes", "puppets"]), era)
        for era in ("legacy", "modern")
    }


@pytest.fixture(params=["legacy", "modern"])
def watched(request: pytest.FixtureRequest, shared: dict[Era, Watched]) -> Watched:
    watched = shared[request.param]
    watched.server.text("replace_with", {"names": ["t0"]})
    watched.notices()
    watched.start = watched.names()
    return watched


def test_x08_one_change_is_one_notice_and_the_tool_is_callable_at_once(watched: Watched) -> None:
    watched.server.text("add", {"names": ["t1"]})
    assert watched.server.text("t1") == "made t1"
    assert watched.notices() == 1
    position = watched.start.index("t0") + 1
    assert watched.names() == [*watched.start[:position], "t1", *watched.start[position:]]


def test_x08_changes_in_one_turn_of_the_loop_are_one_notice(watched: Watched) -> None:
    names = [f"t{number}" for number in range(1, 21)]
    watched.server.text("add", {"names": names})
    assert watched.notices() == 1
    assert set(names) <= set(watched.names())
    watched.server.text("remove", {"names": names})
    assert watched.notices() == 1
    assert watched.names() == watched.start


def test_x08_a_removed_tool_is_unknown_at_once(watched: Watched) -> None:
    watched.server.text("remove", {"names": ["t0"]})
    error = watched.server.call("t0")["error"]
    assert error["code"] == -32602
    assert "t0" in error["message"]
    assert watched.notices() == 1
    assert "t0" not in watched.names()


def test_a_replacement_by_an_equal_list_tells_nobody(watched: Watched) -> None:
    watched.server.text("replace_with_equal")
    watched.server.text("replace_with", {"names": ["t0"]})
    assert watched.notices() == 0
    assert watched.names() == watched.start


def test_a_replacement_by_another_list_is_one_notice_however_much_it_changes(watched: Watched) -> None:
    watched.server.text("replace_with", {"names": ["z", "t0", "a"]})
    assert watched.notices() == 1
    assert [name for name in watched.names() if len(name) <= 2] == ["z", "t0", "a"]
    watched.server.text("replace_with", {"names": ["a", "z", "t0"]})
    assert watched.notices() == 1
    assert [name for name in watched.names() if len(name) <= 2] == ["a", "z", "t0"]


def test_another_description_is_a_change_and_the_tool_keeps_its_place(watched: Watched) -> None:
    watched.server.text("describe", {"name": "t0", "text": "another"})
    assert watched.notices() == 1
    assert watched.names() == watched.start
    [tool] = [tool for tool in watched.server.tools() if tool["name"] == "t0"]
    assert tool["description"] == "another"
    watched.server.text("describe", {"name": "t0", "text": "another"})
    assert watched.notices() == 0


def test_what_came_and_went_in_one_turn_leaves_the_list_as_it_was(watched: Watched) -> None:
    watched.server.text("come_and_go", {"name": "t1"})
    assert watched.notices() <= 1
    assert watched.names() == watched.start


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a name of the same plugin": ("add", {"names": ["t0"]}, "t0"),
    "a name of another plugin": ("add", {"names": ["neighbour_ping"]}, "neighbour"),
    "a management tool of another plugin": ("add", {"names": ["void_remove_tool"]}, "void"),
    "an illegal name": ("add", {"names": ["a b"]}, "a b"),
    "a name that is too long": ("add", {"names": ["a" * 129]}, "128"),
    "a schema without an object root": ("add", {"names": ["t1"], "schema": {"type": "array"}}, "inputSchema"),
    "a schema with a number for a property": (
        "add",
        {"names": ["t1"], "schema": {"type": "object", "properties": {"a": 5}}},
        "inputSchema",
    ),
    "two equal names at once": ("replace_with", {"names": ["t1", "t1"]}, "t1"),
    "a list with one bad name": ("replace_with", {"names": ["t1", "a b", "t2"]}, "a b"),
    "a removal of nothing": ("remove", {"names": ["nothing"]}, "nothing"),
    "a removal of another plugins tool": ("remove", {"names": ["neighbour_ping"]}, "neighbour_ping"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refused_change_changes_nothing_and_says_why(watched: Watched, what: str) -> None:
    tool, arguments, reason = REFUSED[what]
    registered = watched.server.call("registered")["result"]["structuredContent"]
    assert reason in watched.refused(tool, arguments)
    assert watched.notices() == 0
    assert watched.names() == watched.start
    assert watched.server.call("registered")["result"]["structuredContent"] == registered
    assert watched.server.text("neighbour_ping") == "neighbour: neighbour_ping"


def test_v38_x03_void_cannot_create_a_tool_with_another_plugins_name(watched: Watched) -> None:
    for name in ("neighbour_ping", "ping", "t0"):
        text = watched.refused("void_create_tool", {"name": name, "inputSchema": OBJECT, "result": "mine"})
        assert name in text
    assert watched.notices() == 0
    assert watched.names() == watched.start
    assert watched.server.text("neighbour_ping") == "neighbour: neighbour_ping"
    assert watched.server.text("ping") == "neighbour: ping"


def test_v39_void_cannot_remove_another_plugins_tool(watched: Watched) -> None:
    for name in ("neighbour_ping", "t0", "add"):
        assert name in watched.refused("void_remove_tool", {"name": name})
    assert watched.notices() == 0
    assert watched.names() == watched.start
    assert watched.server.text("neighbour_ping") == "neighbour: neighbour_ping"


def test_x08_v23_v27_a_tool_that_void_creates_is_told_once_and_its_removal_too(watched: Watched) -> None:
    created = {"name": "live", "inputSchema": OBJECT, "result": "fixed"}
    assert not watched.server.call("void_create_tool", created)["result"].get("isError")
    assert watched.server.text("live") == "fixed"
    assert watched.notices() == 1
    assert watched.names() == [*watched.start, "live"]
    assert not watched.server.call("void_remove_tool", {"name": "live"})["result"].get("isError")
    assert watched.notices() == 1
    assert watched.server.call("live")["error"]["code"] == -32602


def test_v38_a_name_taken_at_run_time_is_refused_to_every_other_plugin(watched: Watched) -> None:
    watched.server.text("add", {"names": ["contested"]})
    assert "contested" in watched.refused(
        "void_create_tool", {"name": "contested", "inputSchema": OBJECT, "result": ""}
    )
    watched.server.text("remove", {"names": ["contested"]})
    assert not watched.server.call("void_create_tool", {"name": "contested", "inputSchema": OBJECT, "result": "r"})[
        "result"
    ].get("isError")
    assert "contested" in watched.refused("add", {"names": ["contested"]})
    assert watched.server.text("contested") == "r"
    watched.server.call("void_remove_tool", {"name": "contested"})


def test_x07_tools_added_from_many_threads_are_all_there_and_the_last_notice_follows_the_last(watched: Watched) -> None:
    for turn in range(20):
        names = [f"thread_{turn}_{number}" for number in range(10)]
        watched.server.text("add_from_threads", {"names": names})
        assert set(names) <= set(watched.names())
        assert 1 <= watched.notices() <= 10
        watched.server.text("remove", {"names": names})
        assert watched.notices() == 1
    assert watched.names() == watched.start


def test_x07_of_many_threads_that_add_one_name_exactly_one_is_accepted(watched: Watched) -> None:
    for turn in range(20):
        answer = watched.server.call("race_for", {"name": f"race_{turn}", "rivals": 8})
        assert answer["result"]["structuredContent"] == {"accepted": 1}
        assert watched.notices() == 1
        assert watched.names().count(f"race_{turn}") == 1


def test_x07_v40_of_concurrent_creations_of_one_name_by_two_plugins_exactly_one_succeeds(watched: Watched) -> None:
    for turn in range(20):
        name = f"rival_{turn}"
        asked = []
        for _ in range(5):
            arguments = {"name": name, "inputSchema": OBJECT, "result": "void's"}
            asked.append(
                watched.server.start_request("tools/call", {"name": "void_create_tool", "arguments": arguments})
            )
            asked.append(watched.server.start_request("tools/call", {"name": "add", "arguments": {"names": [name]}}))
        won = [not watched.server.answer(request_id)["result"].get("isError") for request_id in asked]
        assert won.count(True) == 1
        assert watched.names().count(name) == 1
        assert watched.notices() == 1
        for tool, arguments in (("void_remove_tool", {"name": name}), ("remove", {"names": [name]})):
            watched.server.call(tool, arguments)
        assert watched.notices() == 1
    assert watched.names() == watched.start


def test_operators_globs_hold_at_run_time_too(start: StartServer) -> None:
    config = """
    [plugins.changing]
    prefix = "c_"
    [plugins.changing.tools]
    deny = ["secret_*"]
    """
    server = start("--plugins", "changing", plugins=["changes"], config=config)
    watched = Watched(server, "legacy")
    text = watched.refused("c_add", {"names": ["secret_1"]})
    assert "secret_1" in text
    assert server.call("c_secret_1")["error"]["code"] == -32602
    server.text("c_add", {"names": ["open"]})
    assert server.text("c_open") == "made open"
    assert server.call("open")["error"]["code"] == -32602
    assert watched.notices() == 1


def test_a_listener_that_has_not_asked_for_tools_hears_nothing_and_one_that_left_neither(start: StartServer) -> None:
    server = start("--plugins", "changing", plugins=["changes"])
    server.open("modern")
    server.text("add", {"names": ["t1"]})
    listening = server.listen()
    server.text("add", {"names": ["t2"]})
    server.wait_for_notification(CHANGED)
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": listening}})
    server.text("add", {"names": ["t3"]})
    assert {"t1", "t2", "t3"} <= {tool["name"] for tool in server.tools()}
    assert [note["method"] for note in server.notifications if note["method"] == CHANGED] == []
