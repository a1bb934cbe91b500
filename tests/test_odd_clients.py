"""Clients as they are: old versions, framed messages, no environment, any working directory."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import ServerProcess

StartServer = Callable[..., ServerProcess]
AGENTHOST = str(Path(sys.executable).with_name("agenthost"))


def initialize(version: str) -> dict[str, Any]:
    client = {"capabilities": {"sampling": {}, "unheardOf": {"x": 1}}, "clientInfo": {"name": "odd", "version": "0"}}
    return {"protocolVersion": version, **client}


@pytest.fixture
def bare() -> Iterator[ServerProcess]:
    """Void, started as some clients do: with PATH alone, without a home, in the root folder."""
    server = ServerProcess(
        [AGENTHOST, "serve", "--plugins", "void"], env={"PATH": os.environ["PATH"], "AGENTHOST_CONFIG": ""}, cwd="/"
    )
    yield server
    server.stop()
    server.assert_only_json_rpc()


def test_path_alone_is_enough_in_the_root_folder_with_the_oldest_version(bare: ServerProcess) -> None:
    answer = bare.request("initialize", initialize("2024-11-05"))
    assert answer["result"]["protocolVersion"] == "2024-11-05"
    bare.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert [tool["name"] for tool in bare.tools()] == ["Universal"]
    assert bare.text("Universal", {"form": "f", "artefact": "a"})
    assert bare.close() == 0


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18"])
def test_every_version_of_the_handshake_era_is_spoken(start: StartServer, version: str) -> None:
    server = start("--plugins", "void,typed", plugins=["calls"])
    assert server.request("initialize", initialize(version))["result"]["protocolVersion"] == version
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert "Universal" in {tool["name"] for tool in server.tools()}
    assert server.text("search", {"query": "a"}) == "a (10)"


def test_framed_messages_get_an_error_that_says_so_and_plain_ones_are_served_afterwards(start: StartServer) -> None:
    server = start("--plugins", "void")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize("2025-06-18")})
    server.send(f"Content-Length: {len(body)}\r\n\r\n{body}".encode() + b"\n")
    error = server.receive()["error"]
    assert error["code"] == -32700
    assert "Content-Length" in error["message"]
    server.open()
    assert [tool["name"] for tool in server.tools()] == ["Universal"]


def test_v36_rubbish_between_requests_is_answered_line_by_line_and_costs_nothing_else(start: StartServer) -> None:
    server = start("--plugins", "void,neighbour", plugins=["puppets"])
    server.open("modern")
    rubbish = [
        (b"not json\n", -32700),
        (b"[]\n", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"x"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}\n', -32600),
        (b"[" * 100_000 + b"\n", -32700),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":5}\n', -32600),
    ]
    for line, code in rubbish:
        server.send(line)
        answer = server.receive()
        assert answer["error"]["code"] == code
        assert server.text("ping") == "neighbour: ping"
    for line in (b"\n", b"  \r\n"):
        server.send(line)
    assert server.text("ping") == "neighbour: ping"
