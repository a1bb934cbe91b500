"""Streamable HTTP, seen by clients: both eras at one address, the doors in front of it, and the end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from agenthost.testing import ServerProcess
from mcp.client import Client

StartServer = Callable[..., ServerProcess]

END_LIMIT = 12.0
"""Seconds for an end that is bounded to 2 s, on a slow machine."""


@pytest.fixture(scope="module")
def server(start_shared: StartServer) -> ServerProcess:
    """A server at a free port, shared by the tests that leave it as it is."""
    return start_shared("--http", "0", "--plugins", "hello", plugins=["hello"])


def ask(server: ServerProcess, headers: dict[str, str] | None = None, path: str = "/mcp") -> httpx2.Response:
    """A GET request as a browser might send it."""
    return httpx2.get(httpx2.URL(server.url).join(path), headers=headers, timeout=20)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_of_either_era_is_served_at_the_same_address(server: ServerProcess, mode: Any) -> None:
    async def talk() -> tuple[list[str], str]:
        async with Client(server.url, mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("hello", {"name": "Ada"})
            return names, result.content[0].text

    assert asyncio.run(talk()) == (["hello"], "Hello, Ada!")


def port(server: ServerProcess) -> int:
    number = httpx2.URL(server.url).port
    assert number is not None
    return number


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:{port}", "127.0.0.1:{port}", "LOCALHOST:9", "[::1]:{port}", "127.8.8.8"]
)
def test_every_name_of_this_machine_is_let_in(server: ServerProcess, host: str) -> None:
    response = ask(server, {"Host": host.format(port=port(server))}, "/nowhere")
    assert response.status_code == 404


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "localhost:{port}.evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost:{port}:80",
        "user@localhost",
        "localhost/",
        "10.0.0.1",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/nowhere", "/healthz", "/hello/"])
def test_a_request_for_another_host_is_refused_wherever_it_goes(server: ServerProcess, host: str, path: str) -> None:
    response = ask(server, {"Host": host.format(port=port(server))}, path)
    assert response.status_code == 421
    assert "--allow-host" in response.json()["error"]


@pytest.mark.parametrize("origin", ["http://localhost:{port}", "http://127.0.0.1:3000", "https://localhost"])
def test_a_page_of_this_machine_may_ask(server: ServerProcess, origin: str) -> None:
    assert ask(server, {"Origin": origin.format(port=port(server))}, "/nowhere").status_code == 404


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://localhost:{port}.evil.example",
        "http://localhost@evil.example",
        "file://",
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/nowhere", "/healthz", "/hello/"])
def test_a_page_from_elsewhere_is_refused_wherever_it_asks(server: ServerProcess, origin: str, path: str) -> None:
    response = ask(server, {"Origin": origin.format(port=port(server))}, path)
    assert response.status_code == 403
    assert "--allow-origin" in response.json()["error"]


def test_allowed_hosts_and_origins_are_let_in(start: StartServer) -> None:
    options = ["--allow-host", "Mcp.Example.com", "--allow-host", "other:81", "--allow-origin", "https://App.example"]
    server = start("--http", "0", "--plugins", "hello", *options, plugins=["hello"])
    for headers in (
        {"Host": "mcp.example.com"},
        {"Host": "MCP.example.com:8443", "Origin": "https://mcp.example.com:8443"},
        {"Host": "other:81"},
        {"Origin": "https://app.example"},
    ):
        assert ask(server, headers, "/nowhere").status_code == 404, headers
    for headers, status in (
        ({"Host": "other:82"}, 421),
        ({"Host": "sub.mcp.example.com"}, 421),
        ({"Origin": "http://app.example"}, 403),
    ):
        assert ask(server, headers, "/nowhere").status_code == status, headers


def test_an_unknown_path_names_the_endpoint(server: ServerProcess) -> None:
    response = ask(server, path="/sse")
    assert response.status_code == 404
    assert response.json() == {"error": "there is nothing at /sse; the MCP endpoint is /mcp"}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_though_its_input_has_long_ended(
    start: StartServer, number: signal.Signals, code: int
) -> None:
    server = start("--http", "0", "--plugins", "hello", plugins=["hello"])
    server.close_stdin()
    assert ask(server, path="/nowhere").status_code == 404
    server.process.send_signal(number)
    assert server.wait(END_LIMIT) == code
    assert "Traceback" not in server.stderr
