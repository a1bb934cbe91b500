"""Requests that are wrong, cut off, or never read: each has its answer, and nobody else notices."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from agenthost.testing import LEGACY_VERSION, MODERN_VERSION, PATIENCE, Era, ServerProcess

StartServer = Callable[..., ServerProcess]

BOTH = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "agenthost-testing", "version": "1"},
}
ERAS: list[Era] = ["legacy", "modern"]


WEB = httpx2.Client(timeout=20, verify=False, limits=httpx2.Limits(max_keepalive_connections=0))


@dataclass
class Peer:
    """A client of either era that sees what is on the wire."""

    url: str
    era: Era
    headers: dict[str, str] = field(default_factory=dict)
    id: int = 0

    def open(self) -> Peer:
        """Begin a session, or none."""
        if self.era == "legacy":
            capabilities = {"protocolVersion": LEGACY_VERSION, "capabilities": {}, "clientInfo": META[list(META)[2]]}
            answer = self.post({"id": 0, "method": "initialize", "params": capabilities})
            assert answer.status_code == 200, answer.text
            self.headers = {"MCP-Protocol-Version": LEGACY_VERSION, "Mcp-Session-Id": answer.headers["mcp-session-id"]}
            assert self.post({"method": "notifications/initialized"}).status_code == 202
        else:
            self.headers = {"MCP-Protocol-Version": MODERN_VERSION}
        return self

    def request(self, method: str, **params: Any) -> tuple[dict[str, Any], dict[str, str]]:
        """A request with what its era wants in it, and its headers."""
        if self.era == "modern":
            params["_meta"] = {**META, **params.get("_meta", {})}
        routing = {} if self.era == "legacy" else {"Mcp-Method": method, "Mcp-Name": params.get("name")}
        headers = {**BOTH, **self.headers, **{key: value for key, value in routing.items() if value is not None}}
        self.id += 1
        return {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}, headers

    def post(self, body: Any, headers: dict[str, str] | None = None, timeout: float = 20) -> httpx2.Response:
        """Send a body as it is, or a message as JSON."""
        content = body if isinstance(body, bytes) else json.dumps({"jsonrpc": "2.0", **body}).encode()
        return WEB.post(self.url, content=content, headers={**BOTH, **self.headers, **(headers or {})}, timeout=timeout)

    def call(self, name: str, timeout: float = 20, **arguments: Any) -> dict[str, Any]:
        """Call a tool; the whole answer."""
        body, headers = self.request("tools/call", name=name, arguments=arguments)
        return message_of(WEB.post(self.url, json=body, headers=headers, timeout=timeout))

    @contextmanager
    def calling(self, name: str, **arguments: Any) -> Iterator[httpx2.Response]:
        """Begin a call, and leave in the midst of it. It reports progress, so that its stream begins at once."""
        body, headers = self.request("tools/call", name=name, arguments=arguments, _meta={"progressToken": 1})
        with WEB.stream("POST", self.url, json=body, headers=headers) as response:
            yield response

    def text(self, name: str, **arguments: Any) -> str:
        """Call a tool that has to succeed; its text."""
        answer = self.call(name, **arguments)
        assert not answer["result"].get("isError"), answer
        text: str = answer["result"]["content"][0]["text"]
        return text


def message_of(response: httpx2.Response) -> dict[str, Any]:
    """The last message of an answer, which is JSON or a stream."""
    if response.headers["content-type"].startswith("text/event-stream"):
        lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: {")]
        message: dict[str, Any] = json.loads(lines[-1])
    else:
        message = response.json()
    return message


@pytest.fixture(scope="module")
def server(start_shared: StartServer) -> ServerProcess:
    """A server that the tests share, since no request does it any harm."""
    return start_shared("--http", "0", "--plugins", "probe,crashing", plugins=["calls"])


@pytest.fixture(params=ERAS)
def peer(request: pytest.FixtureRequest, server: ServerProcess) -> Peer:
    return Peer(server.url, request.param).open()


@pytest.mark.parametrize(
    ("body", "code", "request_id", "says"),
    [
        (b"", -32700, None, "one JSON object, alone in the body of a POST"),
        (b"hello", -32700, None, "not JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700, None, "not JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0"}', -32700, None, "not JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700, None, "NaN is not JSON"),
        (b'{"id":' + b"9" * 5000 + b"}", -32700, None, "JSON"),
        (b"[" * 100_000 + b"]" * 100_000, -32700, None, "nested"),
        (b"\xff\xfe", -32700, None, "not JSON"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None, "batches"),
        (b"7", -32600, None, "object"),
        (b'{"id":3,"method":"ping"}', -32600, 3, '"jsonrpc"'),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a", '"jsonrpc"'),
        (b'{"jsonrpc":"2.0","id":4}', -32600, 4, '"method"'),
        (b'{"jsonrpc":"2.0","id":4,"method":5}', -32600, 4, '"method"'),
        (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', -32600, 5, '"params"'),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None, '"id"'),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None, '"id"'),
        (b'{"jsonrpc":"2.0","id":7,"result":[]}', -32600, None, "response"),
    ],
)  # fmt: skip
def test_a_body_that_is_no_message_is_answered_with_one_error(
    peer: Peer, body: bytes, code: int, request_id: Any, says: str
) -> None:
    answer = peer.post(body)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()
    assert (error["id"], error["error"]["code"]) == (request_id, code)
    assert says in error["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "status", "says"),
    [
        ({"Content-Type": "text/plain"}, 415, "Content-Type: application/json"),
        ({"Content-Type": "application/jsonp"}, 415, "Content-Type: application/json"),
        ({"Content-Type": ""}, 415, "Content-Type: application/json"),
        ({"Accept": "application/json"}, 406, "Accept: application/json, text/event-stream"),
        ({"Accept": "text/event-stream"}, 406, "Accept: application/json, text/event-stream"),
        ({"Accept": "text/html"}, 406, "Accept: application/json, text/event-stream"),
    ],
)
def test_a_post_with_wrong_headers_is_told_the_right_ones(
    peer: Peer, headers: dict[str, str], status: int, says: str
) -> None:
    answer = peer.post({"id": 1, "method": "ping"}, headers)
    assert answer.status_code == status
    assert says in answer.json()["error"]["message"]


@pytest.mark.parametrize("accept", ["*/*", "application/*, text/*", "Application/JSON;q=0.9, Text/Event-Stream"])
def test_accept_may_be_written_in_other_ways(peer: Peer, accept: str) -> None:
    body, headers = peer.request("tools/list")
    answer = WEB.post(peer.url, json=body, headers={**headers, "Accept": accept})
    assert "result" in message_of(answer)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE", "HEAD", "BREW"])
def test_other_methods_are_refused(peer: Peer, method: str) -> None:
    answer = WEB.request(method, peer.url, headers={**BOTH, **peer.headers})
    assert answer.status_code == 405
    assert "POST" in answer.headers["allow"]


def test_get_and_delete_belong_to_the_older_era(server: ServerProcess) -> None:
    modern = Peer(server.url, "modern").open()
    for method in ("GET", "DELETE"):
        answer = WEB.request(method, server.url, headers={**BOTH, **modern.headers})
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
        assert answer.json()["error"]["message"] == f"there is no {method} here; send POST"
    legacy = Peer(server.url, "legacy").open()
    refused = WEB.get(server.url, headers={**legacy.headers, "Accept": "text/html"})
    assert refused.status_code == 406
    assert WEB.delete(server.url, headers=legacy.headers).status_code == 200
    for answer in (
        WEB.delete(server.url, headers=legacy.headers),
        legacy.post({"id": 1, "method": "ping"}),
    ):
        assert answer.status_code == 404
        assert answer.json()["error"]["message"] == "Session not found"


@pytest.mark.parametrize("body", [{"id": 9, "method": "ping"}, {"method": "notifications/initialized"}])
def test_who_has_no_session_is_told_how_to_begin(server: ServerProcess, body: dict[str, Any]) -> None:
    answer = Peer(server.url, "legacy").post(body)
    assert answer.status_code == 400
    assert answer.json()["id"] == body.get("id")
    assert "begin with the method initialize" in answer.json()["error"]["message"]
    assert "mcp-session-id" not in answer.headers
    for method in ("GET", "DELETE"):
        assert WEB.request(method, server.url, headers=BOTH).status_code == 400


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Mcp-Method": "tools/call"}, -32020),
        ({"Mcp-Method": None}, -32020),
        ({"MCP-Protocol-Version": "2099-01-01"}, -32020),
    ],
)
def test_headers_of_the_modern_era_have_to_agree_with_the_body(
    server: ServerProcess, headers: dict[str, str | None], code: int
) -> None:
    body, right = Peer(server.url, "modern").open().request("tools/list")
    sent = {key: value for key, value in {**right, **headers}.items() if value is not None}
    answer = WEB.post(server.url, json=body, headers=sent)
    assert answer.status_code == 400
    assert (answer.json()["id"], answer.json()["error"]["code"]) == (1, code)


def test_a_version_that_is_not_known_is_answered_with_those_that_are(server: ServerProcess) -> None:
    body, headers = Peer(server.url, "modern").open().request("tools/list")
    body["params"]["_meta"] = {**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    answer = WEB.post(server.url, json=body, headers={**headers, "MCP-Protocol-Version": "2099-01-01"})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32022
    assert answer.json()["error"]["data"]["supported"] == [MODERN_VERSION]


def test_an_unknown_method_and_wrong_parameters_are_json_rpc_errors(peer: Peer) -> None:
    for method, params, code in (
        ("nonsense", {}, -32601),
        ("tools/call", {"name": 5}, -32602),
        ("tools/call", {}, -32602),
    ):
        body, headers = peer.request(method, **params)
        headers.pop("Mcp-Name", None)
        answer = WEB.post(peer.url, json=body, headers={k: str(v) for k, v in headers.items()})
        assert message_of(answer)["error"]["code"] in (code, -32020 if params and peer.era == "modern" else code)


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_that_is_too_large_is_refused(peer: Peer, declared: bool) -> None:
    chunk = b" " * 1024 * 1024
    content: Any = chunk * 4 + b"7" if declared else iter([chunk, chunk, chunk, chunk, b"7"])
    answer = WEB.post(peer.url, content=content, headers={**BOTH, **peer.headers})
    assert answer.status_code == 413
    assert answer.json() == {"error": "the body of a request may have 4194304 bytes"}
    fits = peer.post(chunk * 3 + b" " * (1024 * 1024 - 1) + b"7")
    assert fits.status_code == 400  # it is read, and is no message


def test_what_is_not_utf8_is_served_as_on_stdio(peer: Peer) -> None:
    body, headers = peer.request("tools/call", name="nothing", arguments={"text": "@"})
    for text, shown in ((b'"\xff"', "\ufffd"), (b'"\\ud800"', "\ufffd"), (b'"\\ud83d\\ude00"', "\U0001f600")):
        content = json.dumps(body).encode().replace(b'"@"', text).replace(b'"nothing"', text)
        sent = {**headers, "Mcp-Name": "=?base64?77+9?="} if shown == "\ufffd" else headers
        answer = message_of(WEB.post(peer.url, content=content, headers=sent))
        if peer.era == "legacy" or shown == "\ufffd":
            assert shown in answer["error"]["message"]


# Clients that leave


def test_leaving_in_mid_call_cancels_the_call_in_the_modern_era(server: ServerProcess) -> None:
    peer = Peer(server.url, "modern").open()
    with peer.calling("hold_async", gate="modern leaves") as response:
        assert response.status_code == 200
        server.wait_for_stderr("holding modern leaves")
    server.wait_for_stderr("cancelled while holding modern leaves")
    assert peer.text("release", gate="any") == "opened"


def test_leaving_in_mid_call_lets_the_call_go_on_in_the_older_era(server: ServerProcess) -> None:
    peer = Peer(server.url, "legacy").open()
    with peer.calling("hold_async", gate="legacy leaves") as response:
        assert response.status_code == 200
        server.wait_for_stderr("holding legacy leaves")
    assert peer.text("release", gate="legacy leaves") == "opened"
    assert "cancelled while holding legacy leaves" not in server.stderr
    with peer.calling("hold_async", gate="legacy cancels") as response:
        server.wait_for_stderr("holding legacy cancels")
        assert peer.post({"method": "notifications/cancelled", "params": {"requestId": peer.id}}).status_code == 202
        server.wait_for_stderr("cancelled while holding legacy cancels")
        response.read()
        assert message_of(response)["error"]["code"] == -32800


def test_ending_a_session_in_mid_call_ends_its_calls_alone(server: ServerProcess) -> None:
    ending, other = Peer(server.url, "legacy").open(), Peer(server.url, "legacy").open()
    with ending.calling("hold_async", gate="ended"), other.calling("hold_async", gate="other") as kept:
        server.wait_for_stderr("holding ended")
        server.wait_for_stderr("holding other")
        assert WEB.delete(server.url, headers=ending.headers).status_code == 200
        server.wait_for_stderr("cancelled while holding ended")
        assert other.text("release", gate="other") == "opened"
        kept.read()
        assert message_of(kept)["result"]["content"][0]["text"] == "released"


def raw(server: ServerProcess, data: bytes) -> socket.socket:
    """A connection on which these bytes were sent."""
    url = httpx2.URL(server.url)
    connection = socket.create_connection((url.host, url.port or 0))
    connection.sendall(data)
    return connection


def everything(connection: socket.socket) -> bytes:
    """All that the server sends until it closes the connection."""
    received = b""
    while chunk := connection.recv(65536):
        received += chunk
    return received


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64) + b"\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nNo colon\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000,
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    ],
    ids=["words", "TLS", "no header", "no host", "endless header", "no length", "no chunk"],
)
def test_what_is_not_http_is_answered_and_the_connection_closed(server: ServerProcess, data: bytes) -> None:
    with raw(server, data) as connection:
        head, _, body = everything(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"application/json" in head
    assert json.loads(body) == {"error": "this is not HTTP/1.1, or its head is too large"}


def test_two_hosts_are_no_host(server: ServerProcess) -> None:
    with raw(server, b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n") as connection:
        assert connection.recv(65536).startswith((b"HTTP/1.1 421 ", b"HTTP/1.1 400 "))


def test_a_body_that_is_cut_off_costs_nothing(server: ServerProcess) -> None:
    peer = Peer(server.url, "legacy").open()
    lines = "".join(f"{key}: {value}\r\n" for key, value in {**BOTH, **peer.headers}.items())
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{lines}Content-Length: 1000\r\n\r\n".encode()
    with raw(server, head + b'{"jsonrpc":') as connection:
        connection.shutdown(socket.SHUT_WR)
        connection.close()
    assert peer.text("release", gate="any") == "opened"
    assert "Traceback" not in server.stderr


def test_hundreds_of_connections_that_say_nothing_hold_up_nobody(server: ServerProcess) -> None:
    peer = Peer(server.url, "modern").open()
    silent = [raw(server, b"POST /mcp HTTP/1.1\r\nHost: ") for _ in range(200)]
    try:
        assert peer.text("release", gate="any") == "opened"
    finally:
        for connection in silent:
            connection.close()


# Tools that misbehave


@pytest.mark.parametrize(
    "tool",
    [
        "exits",
        "exits_in_thread",
        "interrupts",
        "cancels",
        "cancels_itself",
        "cancels_all_tasks",
        "awaits_cancelled_child",
    ],
)
def test_what_a_tool_raises_ends_neither_the_server_nor_the_session(peer: Peer, tool: str) -> None:
    assert peer.call(tool)["result"]["isError"] is True
    assert peer.text("release", gate="any") == "opened"


@pytest.mark.parametrize(
    "tool", ["leaves_exit_task", "leaves_interrupt_task", "leaves_exit_callback", "stops_the_loop"]
)
def test_what_a_tool_leaves_behind_ends_neither_the_server_nor_the_session(
    peer: Peer, server: ServerProcess, tool: str
) -> None:
    said = "a plugin tried to end the server"
    before = server.stderr.count(said)
    assert peer.text(tool) == "left"
    assert peer.text("release", gate="any") == "opened"
    until = time.monotonic() + PATIENCE
    while server.stderr.count(said) == before and time.monotonic() < until:
        time.sleep(0.01)
    assert server.stderr.count(said) == before + 1


@pytest.mark.parametrize("tool", ["returns_surrogate", "refuses_with_surrogate"])
def test_half_a_character_in_an_answer_is_replaced(peer: Peer, tool: str) -> None:
    assert peer.call(tool)["result"]["content"][0]["text"] == "Half a character: \ufffd"


def test_no_request_of_these_tests_has_left_a_traceback_of_the_host(server: ServerProcess) -> None:
    assert "site-packages/mcp/server" not in server.stderr
    assert "Exception in ASGI application" not in server.stderr


def test_many_clients_of_both_eras_are_served_at_once(server: ServerProcess) -> None:
    answers: list[str] = []

    def talk(number: int) -> None:
        peer = Peer(server.url, ERAS[number % 2]).open()
        answers.extend(peer.text("release", gate=f"{number} {turn}") for turn in range(10))

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == ["opened"] * 160
