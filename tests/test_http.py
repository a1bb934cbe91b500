"""Streamable HTTP, seen by clients: both eras at one address, the doors in front of it, and the end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from agenthost.errors import OperatorError
from agenthost.http.tokens import read_tokens
from agenthost.testing import ServerProcess
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

StartServer = Callable[..., ServerProcess]
RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]

END_LIMIT = 12.0
"""Seconds for an end that is bounded to 2 s, on a slow machine."""


@pytest.fixture(scope="module")
def server(start_shared: StartServer) -> ServerProcess:
    """A server at a free port, shared by the tests that leave it as it is."""
    return start_shared("--http", "0", "--plugins", "hello", plugins=["hello"])


WEB = httpx2.Client(timeout=20, verify=False, limits=httpx2.Limits(max_keepalive_connections=0))


def ask(server: ServerProcess, headers: dict[str, str] | None = None, path: str = "/mcp") -> httpx2.Response:
    """A GET request as a browser might send it."""
    return WEB.get(httpx2.URL(server.url).join(path), headers=headers)


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


def test_a_browser_lets_pages_of_an_allowed_origin_read_the_answers(start: StartServer, tmp_path: Path) -> None:
    page = {"Origin": "https://App.example"}
    options = ["--allow-origin", "https://app.example", "--token-file", token_file(tmp_path)]
    server = start("--http", "0", "--plugins", "hello", *options, plugins=["hello"])
    wish = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,mcp-method"}
    asked = WEB.options(server.url, headers=page | wish)
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == "https://App.example"
    assert asked.headers["access-control-allow-headers"] == "authorization,mcp-method"
    assert "POST" in asked.headers["access-control-allow-methods"]
    for answer in (ask(server, page, "/nowhere"), ask(server, page | bearer(ADA), "/nowhere")):
        assert answer.headers["access-control-allow-origin"] == "https://App.example"
        assert "Mcp-Session-Id" in answer.headers["access-control-expose-headers"]
        assert answer.headers["vary"] == "Origin"
    for origin in ("http://localhost:3000", "https://evil.example"):
        refused = WEB.options(server.url, headers={"Origin": origin} | wish)
        assert refused.status_code in (401, 403)
        assert "access-control-allow-origin" not in refused.headers


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


# Tokens

ADA, BOB = "a" * 40, "B/+~." * 8 + "=="


def token_file(folder: Path, text: str = f"ada:{ADA}\nbob:{BOB}\n", mode: int = 0o600) -> str:
    file = folder / "tokens"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return str(file)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_only_who_shows_a_token_is_answered(start: StartServer, tmp_path: Path) -> None:
    server = start("--http", "0", "--plugins", "hello", "--token-file", token_file(tmp_path), plugins=["hello"])
    for path in ("/mcp", "/nowhere", "/hello/"):
        missing = ask(server, path=path)
        assert missing.status_code == 401
        assert missing.headers["www-authenticate"] == 'Bearer realm="agenthost"'
        assert "Authorization: Bearer" in missing.json()["error"]
    for header in (
        "Bearer",
        f"Basic {ADA}",
        f"Bearer {ADA[1:]}",
        f"Bearer {ADA}x",
        f"Bearer {ADA} {BOB}",
        ADA,
    ):
        wrong = ask(server, {"Authorization": header}, "/nowhere")
        assert wrong.status_code == 401, header
        assert 'error="invalid_token"' in wrong.headers["www-authenticate"]
    for header in (f"Bearer {ADA}", f"bearer {BOB}", f"BEARER   {ADA}"):
        assert ask(server, {"Authorization": header}, "/nowhere").status_code == 404, header
    assert (ask(server, path="/healthz").status_code, ask(server, path="/healthz").json()) == (200, {"status": "ok"})
    assert ask(server, bearer(ADA), "/healthz").json()["served"] == ["hello"]
    assert ADA not in server.stderr


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_name_of_the_token_is_who_is_calling(start: StartServer, tmp_path: Path, mode: Any) -> None:
    server = start("--http", "0", "--plugins", "web", "--token-file", token_file(tmp_path), plugins=["web"])

    async def who(token: str) -> str:
        async with (
            httpx2.AsyncClient(headers=bearer(token)) as web,
            Client(streamable_http_client(server.url, http_client=web), mode=mode) as client,
        ):
            return (await client.call_tool("web_who", {})).content[0].text

    assert asyncio.run(who(ADA)) == "ada"
    assert asyncio.run(who(BOB)) == "bob"
    home = httpx2.URL(server.url).join("/web/who/home")
    assert WEB.get(home, headers=bearer(BOB)).json()["user"] == "bob"


def initialize(server: ServerProcess, headers: dict[str, str]) -> httpx2.Response:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    accept = {"Accept": "application/json, text/event-stream"}
    return WEB.post(server.url, json=body, headers=headers | accept)


def test_a_session_belongs_to_the_name_that_opened_it(start: StartServer, tmp_path: Path) -> None:
    server = start("--http", "0", "--plugins", "hello", "--token-file", token_file(tmp_path), plugins=["hello"])
    session = {"Mcp-Session-Id": initialize(server, bearer(ADA)).headers["mcp-session-id"]}
    for token, status in ((BOB, 404), (ADA, 200), (BOB, 404)):
        headers = bearer(token) | session | {"Accept": "application/json, text/event-stream"}
        body = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert WEB.post(server.url, json=body, headers=headers).status_code == status
    assert WEB.delete(server.url, headers=bearer(BOB) | session).status_code == 404
    assert WEB.delete(server.url, headers=bearer(ADA) | session).status_code == 200


@pytest.mark.parametrize(
    ("text", "mode", "complaint"),
    [
        (f"ada:{ADA}\n", 0o640, "others can read it; chmod 600"),
        (f"ada:{ADA}\n", 0o604, "others can read it; chmod 600"),
        ("", 0o600, "the file is empty"),
        (f"ada:{ADA}\n\nbob:{BOB}\n", 0o600, "line 2 is empty"),
        (f"ada:{ADA}\nbob={BOB}\n", 0o600, "line 2 has to be name:token"),
        (f":{ADA}\n", 0o600, "line 1 has to be name:token"),
        (f"a b:{ADA}\n", 0o600, "line 1 has to be name:token"),
        ("ada:\n", 0o600, "line 1 needs a token"),
        (f"ada:{ADA[:31]}\n", 0o600, "line 1 needs a token of at least 32"),
        (f"ada: {ADA}\n", 0o600, "line 1 needs a token"),
        (f"ada:{ADA}ü\n", 0o600, "line 1 needs a token"),
        (f"ada:{ADA}\nada:{BOB}\n", 0o600, "line 2 repeats the name ada"),
        (f"ada:{ADA}\nbob:{ADA}\n", 0o600, "line 2 repeats the token of another name"),
    ],
)
def test_a_token_file_that_is_wrong_stops_the_start(tmp_path: Path, text: str, mode: int, complaint: str) -> None:
    file = token_file(tmp_path, text, mode)
    with pytest.raises(OperatorError) as refused:
        read_tokens(Path(file))
    assert complaint in str(refused.value)
    assert str(refused.value).startswith(f"--token-file {file}: ")
    assert ADA not in str(refused.value)


def test_a_token_file_that_is_no_file_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "bytes").chmod(0o600)
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path, complaint in (
        (tmp_path, "cannot be read (Is a directory)"),
        (tmp_path / "pipe", "it is no file"),
        (tmp_path / "missing", "cannot be read (No such file or directory)"),
        (tmp_path / "bytes", "it is not UTF-8 text"),
    ):
        with pytest.raises(OperatorError) as refused:
            read_tokens(path)
        assert complaint in str(refused.value)


def test_tokens_are_not_kept_and_not_shown(tmp_path: Path) -> None:
    tokens = read_tokens(Path(token_file(tmp_path)))
    assert (tokens.name_of(f"Bearer {BOB}"), tokens.name_of(None)) == ("bob", None)
    assert ADA not in repr(tokens)
    assert ADA not in str(vars(tokens))


# The start


def refused(run_agenthost: RunAgenthost, *arguments: str, config: str | None = None, code: int = 2) -> str:
    done = run_agenthost("serve", "--plugins", "hello", *arguments, plugins=["hello"], config=config)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]"])  # noqa: S104
def test_an_address_that_others_can_reach_needs_tokens(
    start: StartServer, run_agenthost: RunAgenthost, tmp_path: Path, host: str
) -> None:
    text = refused(run_agenthost, "--http", f"{host}:0")
    assert f"--http {host}:0: others can reach this address" in text
    assert "--token-file FILE" in text
    server = start(
        "--http",
        f"{host}:0",
        "--plugins",
        "hello",
        plugins=["hello"],
        config=f'[host]\ntoken_file = "{token_file(tmp_path)}"\n',
    )
    assert ask(server, bearer(ADA), "/healthz").json()["status"] == "ok"


@pytest.mark.parametrize(
    "typed", ["", "x", "65536", "-1", "1.5", ":8000", "::1:8000", "host:", "http://localhost:80", "a b:80"]
)
def test_what_is_no_address_is_refused(run_agenthost: RunAgenthost, typed: str) -> None:
    assert f"--http {typed}: write PORT or HOST:PORT" in refused(run_agenthost, f"--http={typed}")


def test_a_port_that_is_taken_is_said_in_one_sentence(server: ServerProcess, run_agenthost: RunAgenthost) -> None:
    text = refused(run_agenthost, "--http", str(port(server)))
    assert f"--http 127.0.0.1:{port(server)}: cannot listen there (Address already in use); choose another port" in text


def test_a_host_that_is_not_here_is_refused(run_agenthost: RunAgenthost, tmp_path: Path) -> None:
    assert "there is no host 'no.such.invalid'" in refused(run_agenthost, "--http", "no.such.invalid:0")
    tokens = token_file(tmp_path)
    text = refused(run_agenthost, "--http", "192.0.2.1:0", "--token-file", tokens)
    assert "--http 192.0.2.1:0: cannot listen there" in text


def test_options_for_http_without_http_are_refused(run_agenthost: RunAgenthost) -> None:
    for option in ("--allow-host", "--allow-origin", "--token-file"):
        assert "are for HTTP; add --http PORT" in refused(run_agenthost, option, "x")


def test_hosts_and_origins_that_are_none_are_refused(run_agenthost: RunAgenthost) -> None:
    assert "'http://x' is no host to allow" in refused(run_agenthost, "--http", "0", "--allow-host", "http://x")
    config = '[host]\nallow_origins = ["app.example.com"]\n'
    assert "'app.example.com' is no origin to allow" in refused(run_agenthost, "--http", "0", config=config)


def test_a_file_of_the_working_directory_may_not_open_the_server(run_agenthost: RunAgenthost, tmp_path: Path) -> None:
    for key, value in (("token_file", '"x"'), ("allow_hosts", '["x"]'), ("allow_origins", '["http://x"]')):
        (tmp_path / "agenthost.toml").write_text(f"[host]\n{key} = {value}\n", encoding="utf-8")
        done = run_agenthost("serve", "--http", "0", plugins=["hello"], cwd=tmp_path)
        assert done.returncode == 2
        assert f"[host] {key} may not be set by a file that was only found in the working directory" in done.stderr


def test_a_server_on_ipv6_is_reached_there(start: StartServer) -> None:
    server = start("--http", "[::1]:0", "--plugins", "hello", plugins=["hello"])
    assert server.url.startswith("http://[::1]:")
    assert ask(server, path="/healthz").json()["status"] == "ok"


def test_nothing_is_printed_to_standard_output(start: StartServer) -> None:
    server = start("--http", "0", "--plugins", "noisy", plugins=["ends"])
    server.close_stdin()

    async def talk() -> str:
        async with Client(server.url) as client:
            return (await client.call_tool("noise", {})).content[0].text

    assert asyncio.run(talk()) == "quiet"
    server.process.send_signal(signal.SIGTERM)
    assert server.wait(END_LIMIT) == 143
    assert server.lines == []
    assert "noise tool: print" in server.stderr
