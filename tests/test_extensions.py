"""Plugins add request methods to the protocol, for modern clients, and take none that is not theirs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from agenthost.testing import MODERN_VERSION, ServerProcess

StartServer = Callable[..., ServerProcess]

METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32601, -32602, -32603
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}


@pytest.fixture(scope="module")
def server(start_shared: StartServer) -> ServerProcess:
    server = start_shared("--plugins", "extends,bad_extends", plugins=["extends"])
    server.open("modern")
    return server


def result(server: ServerProcess, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = server.request(method, params)["result"]
    return {name: value for name, value in found.items() if name != "_meta"}


def test_clients_are_told_of_extensions_and_their_settings(server: ServerProcess) -> None:
    capabilities = server.request("server/discover")["result"]["capabilities"]
    assert capabilities["extensions"] == {
        "org.example/echo": {"loud": False},
        "org.example/silent": {},
        "org.example/fine": {},
    }


def test_a_method_gets_its_parameters_and_its_context(server: ServerProcess) -> None:
    given = {"a": [1, {"b": None}], "name": "x"}
    assert result(server, "echo/say", given) == {
        "params": given,
        "client": "agenthost-testing",
        "version": MODERN_VERSION,
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    }
    assert result(server, "echo/say")["params"] == {}


def test_a_method_can_report_progress(server: ServerProcess) -> None:
    server.request("echo/say", {"_meta": {"progressToken": "p"}})
    assert server.wait_for_notification("notifications/progress")["params"]["message"] == "echoing"


def test_a_method_says_itself_how_long_its_result_holds(server: ServerProcess) -> None:
    assert result(server, "echo/cached") == {"ttlMs": 60_000, "cacheScope": "public", "resultType": "complete"}


@pytest.mark.parametrize(
    ("kind", "code", "text"),
    [
        ("not found", INVALID_PARAMS, "There is no such thing."),
        ("tool error", INVALID_PARAMS, "Try another one."),
        ("protocol error", -32099, "Mine."),
        ("crash", INTERNAL_ERROR, "fault of the plugin"),
        ("exit", INTERNAL_ERROR, "fault of the plugin"),
        ("list", INTERNAL_ERROR, "fault of the plugin"),
        ("nan", INTERNAL_ERROR, "fault of the plugin"),
        ("asks", -32021, "elicitation.form"),
    ],
)
def test_what_a_method_raises_is_an_error_of_the_protocol(
    server: ServerProcess, kind: str, code: int, text: str
) -> None:
    error = server.request("echo/fail", {"kind": kind})["error"]
    assert error["code"] == code
    assert text in error["message"]
    assert "secret" not in str(error)
    assert result(server, "echo/say")["resultType"] == "complete"


def test_a_method_cannot_ask_the_user(server: ServerProcess) -> None:
    able = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
    error = server.request("echo/fail", {"kind": "asks", "_meta": able})["error"]
    assert error["code"] == INTERNAL_ERROR


@pytest.mark.parametrize(
    ("extension", "fault"),
    [
        ("'no domain'", "its id has to be a domain and a name"),
        ("7", "its id has to be a domain and a name"),
        ("'org.example/echo'", "the plugin extends serves it already"),
        ("'org.example/settings'", "its settings cannot be written as JSON"),
        ("'org.example/core'", "the method tools/call is the protocol's own"),
        ("'org.example/notice'", "the method notifications/mine is the protocol's own"),
        ("'org.example/taken'", "the method echo/say is answered by the plugin extends already"),
        ("'org.example/name'", "the method 'ping' is no name like almanac/day"),
        ("'org.example/blocking'", "bad/blocking has to be async def"),
        ("'org.example/narrow'", "is called as fn(params, ctx)"),
    ],
)
def test_an_extension_with_a_fault_is_left_out_whole_and_alone(
    server: ServerProcess, extension: str, fault: str
) -> None:
    [line] = [line for line in server.stderr.splitlines() if f"bad_extends: extension {extension}:" in line]
    assert fault in line


def test_what_is_beside_a_faulty_extension_is_served(server: ServerProcess) -> None:
    assert result(server, "bad/fine")["fine"] is True
    assert server.text("bad_tool") == "fine"
    assert result(server, "echo/say", {"mine": 1})["params"] == {"mine": 1}
    for method in ("bad/one", "bad/blocking", "bad/narrow", "bad/unheard-of"):
        assert server.request(method)["error"]["code"] == METHOD_NOT_FOUND


def test_to_a_client_of_the_handshake_era_there_are_no_extensions(start: StartServer) -> None:
    server = start("--plugins", "extends", plugins=["extends"])
    assert "extensions" not in server.open("legacy")["capabilities"]
    error = server.request("echo/say")["error"]
    assert (error["code"], error["message"]) == (METHOD_NOT_FOUND, "Method not found: echo/say")


def test_without_extensions_none_are_declared(start: StartServer) -> None:
    server = start("--plugins", "hello", plugins=["hello"])
    assert "extensions" not in server.open("modern")["capabilities"]


def test_a_plugin_that_is_not_wanted_extends_nothing(start: StartServer) -> None:
    server = start("--plugins", "hello", plugins=["hello", "extends"])
    server.open("modern")
    assert server.request("echo/say")["error"]["code"] == METHOD_NOT_FOUND


def test_what_is_no_extension_fails_its_plugin_alone(start: StartServer) -> None:
    server = start(plugins=["extends"], config='[host]\nplugins = ["extends", "wrong_extends"]\n')
    server.open("modern")
    assert result(server, "echo/say")["params"] == {}
    server.wait_for_stderr("item 1 of agenthost_extensions is 'org.example/text', not an Extension")


def test_the_extensions_of_a_plugin_that_has_failed_are_gone(start: StartServer) -> None:
    server = start("--plugins", "dying_extends,extends", plugins=["extends"])
    server.open("modern")
    assert result(server, "dying/die")["resultType"] == "complete"
    deadline = time.monotonic() + 20
    while "error" not in (answer := server.request("dying/die")):
        assert time.monotonic() < deadline
    assert answer["error"]["code"] == METHOD_NOT_FOUND
    capabilities = server.request("server/discover")["result"]["capabilities"]
    assert sorted(capabilities["extensions"]) == ["org.example/echo", "org.example/silent"]
    assert result(server, "echo/say")["params"] == {}


def test_a_method_is_answered_over_http(start: StartServer) -> None:
    server = start("--http", "0", "--plugins", "extends", plugins=["extends"])

    def post(method: str, version: str) -> httpx2.Response:
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": version,
            "Mcp-Method": method,
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"x": 1, "_meta": META}}
        return httpx2.post(server.url, json=message, headers=headers, timeout=20)

    assert post("echo/say", MODERN_VERSION).json()["result"]["params"] == {"x": 1}
    unknown = post("echo/unknown", MODERN_VERSION)
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, METHOD_NOT_FOUND)
