"""Changes are told to everyone who wants to know, exactly once: both eras, both transports, several processes."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from agenthost.testing import LEGACY_VERSION, MODERN_VERSION, Era, ServerProcess

StartServer = Callable[..., ServerProcess]

WAIT = 30.0
"""Seconds that a test waits for something that has to happen."""

TIMES = 20
"""How often a race is run."""

UPDATED = "notifications/resources/updated"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


class HttpClient:
    """A raw client over HTTP, with one stream of notices.

    Attributes:
        notices: what the stream has brought.
        answered: the body of the last response, with what came before its result.
    """

    def __init__(self, url: str, era: Era) -> None:
        self.era = era
        self.notices: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._url = url
        self._client = httpx2.Client(timeout=WAIT, headers=ACCEPT)
        self._response: httpx2.Response | None = None
        self._threads: list[threading.Thread] = []
        self.headers: dict[str, str] = {}
        self.answered = ""
        self._ids = iter(range(1, 1_000_000))
        if era == "legacy":
            opening = {
                "protocolVersion": LEGACY_VERSION,
                "capabilities": {},
                "clientInfo": {"name": "tests", "version": "1"},
            }
            response = self._client.post(url, json=self._message("initialize", opening))
            self.headers = {
                "Mcp-Session-Id": response.headers["mcp-session-id"],
                "MCP-Protocol-Version": LEGACY_VERSION,
            }
            initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            assert self._client.post(url, json=initialized, headers=self.headers).status_code == 202

    def _message(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}

    def _modern(self, method: str, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        headers = {"MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": method}
        if "name" in params or "uri" in params:
            headers["Mcp-Name"] = params.get("name") or params["uri"]
        return self._message(method, {**params, "_meta": {**META, **params.get("_meta", {})}}), headers

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if self.era == "modern":
            message, headers = self._modern(method, params)
        else:
            message, headers = self._message(method, params), self.headers
        response = self._client.post(self._url, json=message, headers=headers)
        self.answered = response.text
        if response.headers["content-type"].startswith("application/json"):
            return response.json()  # type: ignore[no-any-return]
        events = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: {")]
        return next(event for event in events if event.get("id") == message["id"])

    def listen(self, *uris: str) -> None:
        """Hear about all lists and about these resources."""
        if self.era == "modern":
            wanted = {
                "toolsListChanged": True,
                "promptsListChanged": True,
                "resourcesListChanged": True,
                "resourceSubscriptions": list(uris),
            }
            message, headers = self._modern("subscriptions/listen", {"notifications": wanted})
            request = self._client.build_request("POST", self._url, json=message, headers=headers)
        else:
            request = self._client.build_request("GET", self._url, headers=self.headers)
        self._response = self._client.send(request, stream=True)
        assert self._response.status_code == 200
        thread = threading.Thread(target=self._read, args=(self._response,), daemon=True)
        thread.start()
        self._threads.append(thread)
        if self.era == "modern":
            self.wait_for(lambda notice: notice.get("method") == "notifications/subscriptions/acknowledged")
        else:
            for uri in uris:
                assert "result" in self.request("resources/subscribe", {"uri": uri})

    def _read(self, response: httpx2.Response) -> None:
        try:
            for line in response.iter_lines():
                if line.startswith("data: {"):
                    with self._changed:
                        self.notices.append(json.loads(line[6:]))
                        self._changed.notify_all()
        except httpx2.HTTPError:
            pass  # the test has closed it

    def count(self, method: str, uri: str | None = None) -> int:
        return sum(is_notice(notice, method, uri) for notice in self.notices)

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool], times: int = 1) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: sum(map(wanted, self.notices)) >= times, WAIT), self.notices

    def wait_until(self, times: int, method: str, uri: str | None = None) -> None:
        self.wait_for(lambda notice: is_notice(notice, method, uri), times)

    def leave(self) -> None:
        """End the session, if there is one."""
        if self.era == "legacy":
            self._client.delete(self._url, headers=self.headers)

    def close(self) -> None:
        if self._response is not None:
            stream = self._response.extensions["network_stream"].get_extra_info("socket")
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)  # wakes the reading thread, which `close` would wait for
        for thread in self._threads:
            thread.join(WAIT)
        self._client.close()


class StdioClient:
    """A client of its own server process, seen like an `HttpClient`."""

    def __init__(self, server: ServerProcess, era: Era) -> None:
        self.server = server
        server.open(era)

    def listen(self, *uris: str) -> None:
        if self.server.era == "modern":
            wanted = {"toolsListChanged": True, "resourceSubscriptions": list(uris)}
            self.server.start_request("subscriptions/listen", {"notifications": wanted})
            self.server.wait_for_notification("notifications/subscriptions/acknowledged")
        else:
            for uri in uris:
                assert "result" in self.server.request("resources/subscribe", {"uri": uri})

    def count(self, method: str, uri: str | None = None) -> int:
        return sum(is_notice(notice, method, uri) for notice in self.server.notifications)

    def wait_until(self, times: int, method: str, uri: str | None = None) -> None:
        while self.count(method, uri) < times:
            message = self.server.receive(WAIT)
            assert "method" in message
            self.server.notifications.append(message)


def is_notice(message: dict[str, Any], method: str, uri: str | None) -> bool:
    return message.get("method") == method and (uri is None or message["params"]["uri"] == uri)


@pytest.fixture(scope="module")
def http(start_shared: StartServer) -> ServerProcess:
    return start_shared("--http", "0", "--plugins", "boards", plugins=["boards"])


@pytest.fixture
def client(http: ServerProcess) -> Iterator[Callable[..., HttpClient]]:
    """`client("legacy", *uris)`: a client of the HTTP server that listens."""
    made: list[HttpClient] = []

    def make(era: Era, *uris: str) -> HttpClient:
        client = HttpClient(http.url, era)
        made.append(client)
        client.listen(*uris)
        return client

    yield make
    for client in made:
        client.close()


def call(client: HttpClient, name: str, arguments: dict[str, Any]) -> None:
    result = client.request("tools/call", {"name": name, "arguments": arguments})["result"]
    assert not result.get("isError"), result


def test_everyone_hears_once_of_a_change_in_any_process(
    start_shared: StartServer, client: Callable[..., HttpClient]
) -> None:
    watched, fence = "board://plans", "board://fence"
    everyone: list[Any] = [client(era, watched, fence) for era in ("legacy", "modern", "legacy", "modern")]
    for era in ("legacy", "modern"):
        everyone.append(StdioClient(start_shared("--plugins", "boards", plugins=["boards"]), era))
        everyone[-1].listen(watched, fence)
    writers = [
        lambda text: call(everyone[0], "board_write", {"name": "plans", "text": text}),
        lambda text: call(everyone[1], "board_write", {"name": "plans", "text": text}),
        lambda text: everyone[4].server.text("board_write", {"name": "plans", "text": text}),
        lambda text: everyone[5].server.text("board_write", {"name": "plans", "text": text}),
    ]
    for number in range(TIMES):
        writers[number % len(writers)](f"plan {number}")
        for listener in everyone:
            listener.wait_until(number + 1, UPDATED, watched)
    call(everyone[0], "board_write", {"name": "fence", "text": "the end"})
    for listener in everyone:
        listener.wait_until(1, UPDATED, fence)
    assert [listener.count(UPDATED, watched) for listener in everyone] == [TIMES] * len(everyone)


def test_a_change_right_after_the_subscription_is_not_missed(
    start_shared: StartServer, client: Callable[..., HttpClient]
) -> None:
    """The writer is another process, which knows nothing of the subscription."""
    writer = start_shared("--plugins", "boards", plugins=["boards"])
    writer.open()
    for number in range(TIMES):
        era: Era = "modern" if number % 2 else "legacy"
        listener = client(era, f"board://b{number}")
        writer.text("board_write", {"name": f"b{number}", "text": "now"})
        listener.wait_until(1, UPDATED, f"board://b{number}")
        listener.leave()
        listener.close()


def test_everyone_hears_once_of_a_new_tool(client: Callable[..., HttpClient]) -> None:
    everyone = [client(era) for era in ("legacy", "modern", "legacy", "modern")]
    for number in range(TIMES):
        call(everyone[number % 4], "board_offer", {"name": f"t{number}"})
        for listener in everyone:
            listener.wait_until(number + 1, "notifications/tools/list_changed")
    call(everyone[0], "board_shelve", {"name": "fence"})
    for listener in everyone:
        listener.wait_until(1, "notifications/resources/list_changed")
    assert [listener.count("notifications/tools/list_changed") for listener in everyone] == [TIMES] * 4
    assert [listener.count("notifications/prompts/list_changed") for listener in everyone] == [0] * 4


def test_nobody_hears_of_what_they_did_not_ask_for(client: Callable[..., HttpClient]) -> None:
    mine, theirs = client("legacy", "board://mine"), client("modern", "board://theirs")
    for name in ("mine", "theirs", "mine"):
        call(mine, "board_write", {"name": name, "text": "x"})
    mine.wait_until(1, UPDATED, "board://mine")
    theirs.wait_until(1, UPDATED, "board://theirs")
    assert mine.count(UPDATED, "board://theirs") == theirs.count(UPDATED, "board://mine") == 0


def test_each_session_ends_its_own_subscription(client: Callable[..., HttpClient]) -> None:
    first, second = client("legacy", "memory://board"), client("legacy", "memory://board")
    call(first, "board_think", {"text": "a"})
    for listener in (first, second):
        listener.wait_until(1, UPDATED)
    assert first.request("resources/unsubscribe", {"uri": "memory://board"})["result"] == {}
    call(first, "board_think", {"text": "b"})
    second.wait_until(2, UPDATED)
    call(first, "board_offer", {"name": "fence"})
    first.wait_until(1, "notifications/tools/list_changed")
    assert first.count(UPDATED) == 1


def test_who_subscribed_before_the_resource_was_served_hears_of_its_changes(
    client: Callable[..., HttpClient],
) -> None:
    listener = client("modern", "shelved://late")
    call(listener, "board_shelve", {"name": "late"})
    listener.wait_until(1, "notifications/resources/list_changed")

    def touched() -> bool:
        call(listener, "board_touch", {"uri": "shelved://late"})
        return listener.count(UPDATED, "shelved://late") > 0

    wait_until(touched)


def test_each_session_has_its_own_log_level(client: Callable[..., HttpClient]) -> None:
    talkative, quiet, default = client("legacy"), client("legacy"), client("legacy")
    assert talkative.request("logging/setLevel", {"level": "debug"})["result"] == {}
    assert quiet.request("logging/setLevel", {"level": "error"})["result"] == {}
    levels = ["debug", "info", "warning", "error"]
    for listener, lowest in ((talkative, "debug"), (quiet, "error"), (default, "info"), (talkative, "debug")):
        call(listener, "board_log", {})
        told = [level for level in levels if f"a {level}" in listener.answered]
        assert told == levels[levels.index(lowest) :]


def test_a_modern_request_says_its_own_log_level(client: Callable[..., HttpClient]) -> None:
    listener = client("modern")
    call(listener, "board_log", {})
    assert "notifications/message" not in listener.answered
    meta = {"io.modelcontextprotocol/logLevel": "warning"}
    listener.request("tools/call", {"name": "board_log", "arguments": {}, "_meta": meta})
    assert ["a info" in listener.answered, "a warning" in listener.answered] == [False, True]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)  # looks again; what is waited for announces itself to nobody


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_client_that_stops_reading_harms_nobody(
    http: ServerProcess, client: Callable[..., HttpClient], era: Era
) -> None:
    uri = f"board://{'long' * 2000}"
    reader = client("modern", "memory://board")
    deaf = DeafClient(http.url, era, uri)
    try:
        for number in range(TIMES):
            call(reader, "board_touch", {"uri": uri, "times": 100})
            call(reader, "board_think", {"text": str(number)})
            reader.wait_until(number + 1, UPDATED, "memory://board")
        if era == "modern":
            http.wait_for_stderr("backlog full; ending the stream")
    finally:
        deaf.close()
    assert "Traceback" not in http.stderr


class DeafClient:
    """Opens a stream of notices, and never reads more than its beginning."""

    def __init__(self, url: str, era: Era, uri: str) -> None:
        self._client = HttpClient(url, era)
        address = httpx2.URL(url)
        self._socket = socket.create_connection((address.host, address.port), timeout=WAIT)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        if era == "legacy":
            self._send("GET", address.path, self._client.headers)
            self._client.request("resources/subscribe", {"uri": uri})
        else:
            message, headers = self._client._modern(
                "subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri]}}
            )
            self._send("POST", address.path, headers, json.dumps(message))
        assert self._socket.recv(12) == b"HTTP/1.1 200"

    def _send(self, method: str, path: str, headers: dict[str, str], body: str = "") -> None:
        lines = {**ACCEPT, **headers, "Host": "localhost", "Content-Type": "application/json"}
        if body:
            lines["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._socket.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n{body}".encode())

    def close(self) -> None:
        self._socket.close()
        self._client.close()
