"""The end over HTTP: in time and in order with everything open, and streams that nobody reads."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from agenthost.testing import LEGACY_VERSION, MODERN_VERSION, ServerProcess

StartServer = Callable[..., ServerProcess]

END_LIMIT = 12.0
"""Seconds for an end that is bounded to 2 s, on a slow machine."""

BOTH = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def web() -> Any:
    with httpx2.Client(timeout=20, verify=False) as client:
        yield client


def open_session(web: httpx2.Client, server: ServerProcess) -> dict[str, str]:
    """The headers of a session of the older era."""
    params = {"protocolVersion": LEGACY_VERSION, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    answer = web.post(server.url, json=body, headers=BOTH)
    headers = {**BOTH, "MCP-Protocol-Version": LEGACY_VERSION, "Mcp-Session-Id": answer.headers["mcp-session-id"]}
    web.post(server.url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
    return headers


def modern(method: str, **params: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The body and the headers of a request of the newer era."""
    headers = {**BOTH, "MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}, headers


def call(web: httpx2.Client, server: ServerProcess, name: str, **arguments: Any) -> dict[str, Any]:
    body, headers = modern("tools/call", name=name, arguments=arguments)
    answer: dict[str, Any] = web.post(server.url, json=body, headers=headers).json()
    return answer


LISTEN = {"notifications": {"toolsListChanged": True}}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_in_order_with_everything_open(
    start: StartServer, web: httpx2.Client, number: signal.Signals, code: int
) -> None:
    server = start("--http", "0", "--plugins", "hanging", plugins=["ends"])
    session = open_session(web, server)
    listen, listening = modern("subscriptions/listen", **LISTEN)
    waiting = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "wait_on_loop", "arguments": {}}}
    stubborn, stubbornly = modern("tools/call", name="ignore_cancellation", arguments={})
    with ExitStack() as open_streams:
        events = open_streams.enter_context(web.stream("GET", server.url, headers=session))
        listened = open_streams.enter_context(web.stream("POST", server.url, json=listen, headers=listening))
        arriving = listened.iter_text()
        assert "acknowledged" in next(arriving)
        legacy_call = open_streams.enter_context(web.stream("POST", server.url, json=waiting, headers=session))
        server.wait_for_stderr("wait_on_loop has begun")
        modern_call = socket_request(server, stubborn, stubbornly)
        server.wait_for_stderr("ignore_cancellation has begun")
        began = time.monotonic()
        server.process.send_signal(number)
        assert '"result"' in "".join(arriving)  # the last message of a subscription says that it has ended in order
        assert b"data: " not in events.read()
        assert b'"result"' not in legacy_call.read()
        assert server.wait(END_LIMIT) == code
    assert time.monotonic() - began < END_LIMIT
    modern_call.close()
    assert "wait_on_loop was cancelled" in server.stderr
    assert "hanging: left" in server.stderr
    assert "Traceback" not in server.stderr
    assert server.lines == []


def socket_request(server: ServerProcess, body: dict[str, Any], headers: dict[str, str]) -> socket.socket:
    """Send a POST of which nobody waits for the answer."""
    url = httpx2.URL(server.url)
    content = json.dumps(body).encode()
    lines = {"Host": f"{url.host}:{url.port}", **headers, "Content-Length": str(len(content))}
    head = "".join(f"{key}: {value}\r\n" for key, value in lines.items())
    connection = socket.create_connection((url.host, url.port or 0), timeout=20)
    connection.sendall(f"POST {url.path} HTTP/1.1\r\n{head}\r\n".encode() + content)
    return connection


@pytest.mark.parametrize("tool", ["block_loop", "wait_in_thread", "leave_thread", "leave_child", "leave_forked_child"])
def test_a_signal_ends_the_server_whatever_hangs(start: StartServer, web: httpx2.Client, tool: str) -> None:
    server = start("--http", "0", "--plugins", "hanging", plugins=["ends"])
    body, headers = modern("tools/call", name=tool, arguments={})
    connection = socket_request(server, body, headers)
    server.wait_for_stderr(f"{tool} has begun")
    server.process.send_signal(signal.SIGTERM)
    assert server.wait(END_LIMIT) == 143
    connection.close()


def test_the_port_is_free_at_once_when_the_server_has_ended(start: StartServer, web: httpx2.Client) -> None:
    first = start("--http", "0", "--plugins", "hanging", plugins=["ends"])
    assert "pid" in call(web, first, "leave_forked_child")["result"]["structuredContent"]
    port = httpx2.URL(first.url).port
    first.process.send_signal(signal.SIGKILL)
    first.wait(END_LIMIT)
    second = start("--http", str(port), "--plugins", "hanging", plugins=["ends"])
    assert second.url == first.url
    assert web.get(httpx2.URL(second.url).join("/healthz")).status_code == 200


def memory(server: ServerProcess) -> int:
    """What the server's process holds, in bytes."""
    status = Path(f"/proc/{server.process.pid}/statm").read_text(encoding="ascii")
    return int(status.split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads what Linux tells about a process")
def test_streams_that_nobody_reads_cost_little_and_hold_up_nobody(start: StartServer, web: httpx2.Client) -> None:
    server = start("--http", "0", "--plugins", "changing", plugins=["changes"])
    url = httpx2.URL(server.url)
    session = open_session(web, server)
    unread: list[socket.socket] = []
    for _ in range(5):
        own = open_session(web, server)
        head = "".join(f"{key}: {value}\r\n" for key, value in {"Host": f"{url.host}:{url.port}", **own}.items())
        events = socket.create_connection((url.host, url.port or 0), timeout=20)
        events.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        events.sendall(f"GET {url.path} HTTP/1.1\r\n{head}\r\n".encode())
        body, headers = modern("subscriptions/listen", **LISTEN)
        unread += [events, socket_request(server, body, headers)]
    with web.stream("GET", server.url, headers=session) as events:
        heard = events.iter_text()
        before = memory(server)
        for number in range(300):
            assert "result" in call(web, server, "add", names=[f"t{number}"])
            assert "result" in call(web, server, "remove", names=[f"t{number}"])
            if number % 100 == 0:
                assert "tools/list_changed" in next(heard)
        assert memory(server) - before < 16 * 1024 * 1024
    for connection in unread:
        connection.close()
    assert "Traceback" not in server.stderr


def test_answers_that_nobody_reads_are_not_piled_up(start: StartServer, web: httpx2.Client) -> None:
    server = start("--http", "0", "--plugins", "web", plugins=["web"])
    url = httpx2.URL(server.url)
    assert web.get(url.join("/web/who/me")).status_code == 200
    before = memory(server)
    unread = []
    for _ in range(20):
        connection = socket.create_connection((url.host, url.port or 0), timeout=20)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(b"GET /web/stream/endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
        unread.append(connection)
    assert web.get(url.join("/web/who/me")).status_code == 200
    assert memory(server) - before < 16 * 1024 * 1024
    for connection in unread:
        connection.close()
