"""A server over HTTP and one client of it: one connection that is kept, blocking reads, every wait bounded.

What is timed ends when the last byte of an answer has arrived; answers are parsed afterwards.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from conversation import ANSWER_SECONDS, CLIENT, END_SECONDS, ENVELOPE, BenchmarkError, Era, memory_of

START_SECONDS = 60.0
"""How long a server may take until it says where it listens."""

_ADDRESS = re.compile(rb"http://127\.0\.0\.1:[1-9]\d*")


class HttpServer:
    """One server process that listens on a port of its own choice and tells it on stderr.

    Attributes:
        url: the address of its MCP endpoint.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path, errors: Path) -> None:
        self._errors = errors
        with errors.open("wb") as stderr:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env=dict(environment),
                cwd=folder,
            )
        self.url = f"{self._address()}/mcp"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _address(self) -> str:
        deadline = time.monotonic() + START_SECONDS
        while not (found := _ADDRESS.search(self._errors.read_bytes())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.close()
                raise BenchmarkError(f"no address from {self.process.args}\n{self.said()}")
            time.sleep(0.01)
        return found[0].decode()

    def said(self) -> str:
        """The end of what it wrote to stderr."""
        return self._errors.read_text(encoding="utf-8", errors="replace")[-2000:]

    def memory(self) -> float | None:
        """What it has resident now, in MiB; None where Linux is not."""
        return memory_of(self.process.pid, "VmRSS")

    def close(self) -> None:
        """End it: by SIGTERM, else by force."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(END_SECONDS)


class HttpConversation:
    """One client: its connection and, in the era that has them, its session."""

    def __init__(self, server: HttpServer, era: Era) -> None:
        self._server = server
        self._era = era
        self._next_id = 0
        self._session: dict[str, str] = {}
        address = urlsplit(server.url)
        assert address.hostname is not None
        self._connection = HTTPConnection(address.hostname, address.port, timeout=ANSWER_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def handshake(self) -> None:
        """What comes before the first request: the handshake, or nothing."""
        if self._era == "2026-07-28":
            return
        params = {"protocolVersion": self._era, "capabilities": {}, "clientInfo": CLIENT}
        self.ask(self.request("initialize", params))
        session = self._connection_headers.get("mcp-session-id")
        self._session = {"mcp-protocol-version": self._era} | ({"mcp-session-id": session} if session else {})
        self._post(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode(), {})

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[bytes, dict[str, str]]:
        """A request in this conversation's era, as body and headers, ready to be sent once."""
        self._next_id += 1
        headers: dict[str, str] = {}
        if self._era == "2026-07-28":
            params = {**params, "_meta": ENVELOPE}
            headers = {"mcp-protocol-version": self._era, "mcp-method": method}
            if named := params.get("name") or params.get("uri"):
                headers["mcp-name"] = named
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}
        return json.dumps(message).encode(), headers

    def ask(self, request: tuple[bytes, dict[str, str]]) -> bytes:
        """Send a request; the answer's body, unparsed.

        Raises:
            BenchmarkError: the answer does not come in time, or is none.
        """
        return self._post(*request)

    def parse(self, body: bytes) -> Any:
        """The result in an answer.

        Raises:
            BenchmarkError: it is an error, or no answer at all.
        """
        # An event stream of one answer, or the answer alone.
        line = next((line for line in body.splitlines() if line.startswith(b"data:") and len(line) > 6), body)
        try:
            message = json.loads(line.removeprefix(b"data:"))
        except ValueError:
            raise BenchmarkError(f"no answer: {body[:500]!r}\n{self._server.said()}") from None
        if "result" not in message or message["result"].get("isError"):
            raise BenchmarkError(f"a request was not served: {body[:500]!r}\n{self._server.said()}")
        return message["result"]

    def _post(self, body: bytes, headers: Mapping[str, str]) -> bytes:
        accepted = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        try:
            self._connection.request("POST", "/mcp", body, {**accepted, **self._session, **headers})
            answer = self._connection.getresponse()
            self._connection_headers = answer.headers
            read = answer.read()
        except (OSError, HTTPException) as error:
            raise BenchmarkError(f"no answer: {error!r}\n{self._server.said()}") from None
        if answer.status not in (200, 202):
            raise BenchmarkError(f"{answer.status}: {read[:500]!r}\n{self._server.said()}")
        return read
