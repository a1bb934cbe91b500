"""Tools that are made and removed while the server runs, through a real server and in both eras."""

from __future__ import annotations

from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess, StartServer

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])
CHANGED = "notifications/tools/list_changed"
MANAGEMENT = ["void_create_tool", "void_remove_tool"]
OBJECT = {"type": "object"}
SEED = '[{"name": "seed", "inputSchema": {"type": "object"}, "result": "from the start"}]'


def mutable(start: StartServer, era: Era, sources: str = f"['{SEED}']") -> ServerProcess:
    server = start("--plugins", "void", "--set", "void.mutable=true", "--set", f"void.definitions={sources}")
    opened = server.open(era)
    assert opened["capabilities"]["tools"]["listChanged"] is True
    if era == "modern":
        server.listen()
    return server


def names(server: ServerProcess) -> list[str]:
    return [tool["name"] for tool in server.tools()]


def create(server: ServerProcess, name: str, result: Any = "r", **members: Any) -> dict[str, Any]:
    arguments = {"name": name, "inputSchema": OBJECT, "result": result, **members}
    return server.call("void_create_tool", arguments)["result"]  # type: ignore[no-any-return]


def remove(server: ServerProcess, name: str) -> dict[str, Any]:
    return server.call("void_remove_tool", {"name": name})["result"]  # type: ignore[no-any-return]


def refusal(result: dict[str, Any]) -> str:
    assert result["isError"] is True
    return result["content"][0]["text"]  # type: ignore[no-any-return]


def count_changes(server: ServerProcess) -> int:
    """Notices of a changed list so far; all that were sent before this request have arrived."""
    server.tools()
    return sum(message["method"] == CHANGED for message in server.notifications)


@ERAS
def test_v14_v37_without_a_definition_a_mutable_server_lists_its_two_management_tools(
    agenthost_server: StartServer, era: Era
) -> None:
    server = mutable(agenthost_server, era, "[]")
    assert names(server) == MANAGEMENT
    for tool in server.tools():
        assert tool["description"].partition(".")[0]
        assert len(tool["description"]) <= 400
        assert tool["annotations"]["readOnlyHint"] is False
    created, removed = server.tools()
    assert list(created["inputSchema"]["properties"]) == ["name", "inputSchema", "result", "description"]
    assert sorted(created["inputSchema"]["required"]) == ["inputSchema", "name", "result"]
    assert created["inputSchema"]["additionalProperties"] is False
    assert list(removed["inputSchema"]["properties"]) == ["name"]


@ERAS
def test_v23_v24_v25_v26_v27_v29_v30_v36_a_tool_lives_from_create_to_remove_and_nothing_else_is_told(
    agenthost_server: StartServer, era: Era
) -> None:
    server = mutable(agenthost_server, era)
    schema = {"type": "object", "properties": {"k": {"type": "string"}}, "x-a": [None, 1.5, 10**30, True, "1"]}

    assert not create(server, "t1", "one", inputSchema=schema, description="d").get("isError")
    *before, t1 = server.tools()
    assert [tool["name"] for tool in before] == [*MANAGEMENT, "seed"]
    assert (t1["name"], t1["description"], t1["inputSchema"]) == ("t1", "d", schema)
    assert server.text("t1", {"k": 5}) == "one"
    server.wait_for_notification(CHANGED)

    refusals = {
        "taken": create(server, "t1"),
        "taken at the start": create(server, "seed"),
        "reserved": create(server, "void_remove_tool"),
        "name": create(server, "a b"),
        "schema type": create(server, "t2", inputSchema={"type": "array"}),
        "schema invalid": create(server, "t2", inputSchema={"type": "object", "properties": {"a": 5}}),
        "schema no object": create(server, "t2", inputSchema=True),
        "result": create(server, "t2", result=None),
        "extra": create(server, "t2", foo=1),
        "missing": server.call("void_create_tool", {"name": "t2", "inputSchema": OBJECT})["result"],
        "remove unknown": remove(server, "unknown"),
        "remove create": remove(server, "void_create_tool"),
        "remove remove": remove(server, "void_remove_tool"),
        "remove extra": server.call("void_remove_tool", {"name": "t1", "foo": 1})["result"],
        "remove nothing": server.call("void_remove_tool")["result"],
    }
    told = {case: refusal(result) for case, result in refusals.items()}
    assert "'t1'" in told["taken"]
    assert "void_remove_tool is reserved" in told["reserved"]
    assert "name: must be 1 to 128 characters" in told["name"]
    assert "inputSchema.properties.a: 5 is not" in told["schema invalid"]
    assert "foo" in told["extra"]
    assert "result" in told["missing"]
    assert told["remove unknown"].endswith("Tools of void that can be removed: seed, t1.")
    assert names(server) == [*MANAGEMENT, "seed", "t1"]

    assert not remove(server, "t1").get("isError")
    server.wait_for_notification(CHANGED)
    assert names(server) == [*MANAGEMENT, "seed"]
    error = server.call("t1")["error"]
    assert error["code"] == -32602
    assert "t1" in error["message"]

    assert not create(server, "t1", "another").get("isError")
    server.wait_for_notification(CHANGED)
    assert server.text("t1") == "another"
    assert "description" not in server.tools()[-1]
    assert count_changes(server) == 0, "each of the three changes was told once, and no refusal was"
    server.assert_only_json_rpc()


def test_v28_v32_what_happened_live_is_forgotten_by_the_next_start(agenthost_server: StartServer) -> None:
    server = mutable(agenthost_server, "legacy")
    create(server, "t1")
    assert not remove(server, "seed").get("isError")
    assert names(server) == [*MANAGEMENT, "t1"]
    assert server.close() == 0
    assert names(mutable(agenthost_server, "legacy")) == [*MANAGEMENT, "seed"]


@ERAS
def test_v40_of_20_creates_of_one_name_at_once_exactly_one_succeeds(agenthost_server: StartServer, era: Era) -> None:
    server = mutable(agenthost_server, era)
    for turn in range(20):
        name = f"t{turn}"
        requests = [
            server.start_request(
                "tools/call",
                {
                    "name": "void_create_tool",
                    "arguments": {"name": name, "inputSchema": OBJECT, "result": f"r{number}"},
                },
            )
            for number in range(20)
        ]
        results = [server.answer(request)["result"] for request in requests]
        [winner] = [number for number, result in enumerate(results) if not result.get("isError")]
        assert server.text(name) == f"r{winner}"
        assert names(server).count(name) == 1
        server.wait_for_notification(CHANGED)
    assert count_changes(server) == 0, "one notice for each tool that was made"


def test_a_call_that_follows_its_create_without_waiting_finds_the_tool(agenthost_server: StartServer) -> None:
    server = mutable(agenthost_server, "legacy")
    for turn in range(20):
        made = server.start_request(
            "tools/call",
            {"name": "void_create_tool", "arguments": {"name": f"t{turn}", "inputSchema": OBJECT, "result": "found"}},
        )
        called = server.start_request("tools/call", {"name": f"t{turn}"})
        assert not server.answer(made)["result"].get("isError")
        assert server.answer(called)["result"]["content"][0]["text"] == "found"


def test_a_tool_given_by_its_description_alone_as_null_has_none(agenthost_server: StartServer) -> None:
    server = mutable(agenthost_server, "legacy", "[]")
    assert not create(server, "t", description=None).get("isError")
    assert "description" not in server.tools()[-1]


def test_with_a_prefix_tools_are_told_and_removed_by_the_names_that_clients_see(agenthost_server: StartServer) -> None:
    server = agenthost_server("--plugins", "void", "--set", "void.mutable=true", "--set", "void.prefix=my_")
    server.open("legacy")
    created = server.text("my_void_create_tool", {"name": "t1", "inputSchema": {"type": "object"}, "result": "R"})
    assert "my_t1" in created
    assert server.text("my_t1") == "R"
    assert "my_t1" in server.text("my_void_remove_tool", {"name": "my_t1"})
    for name in ("my_void_remove_tool", "my_void_create_tool"):
        refused = server.call("my_void_remove_tool", {"name": name})["result"]
        assert refused["isError"]
    assert {"my_void_remove_tool", "my_void_create_tool"} <= {tool["name"] for tool in server.tools()}
