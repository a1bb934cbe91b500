"""A server as a child process, and a raw JSON-RPC client of its stdin and stdout.

Every wait is bounded, every child is ended by its own process id, and every byte that it wrote to
stdout is kept, to be checked.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

Era = Literal["legacy", "modern"]
Kind = Literal["tools", "prompts", "resources"]
"""What has a list of its own."""

LEGACY_VERSION = "2025-11-25"
MODERN_VERSION = "2026-07-28"
PATIENCE = 20.0
"""Seconds that a test waits for something that has to happen."""

UPDATED = "notifications/resources/updated"
LIST_CHANGED = "notifications/{}/list_changed"

_URL = re.compile(r"serving .* on (http://\S+/mcp)$", re.MULTILINE)


class ServerProcess:
    """A server as a child process, and a raw JSON-RPC client of its stdin and stdout.

    Attributes:
        process: the child.
        notifications: notifications received so far, in order.
        lines: every line the child wrote to stdout, as bytes.
    """

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | str | None = None
    ) -> None:
        self.era: Era = "legacy"
        self.notifications: list[dict[str, Any]] = []
        self.lines: list[bytes] = []
        self._next_id = 0
        self._answers: dict[Any, dict[str, Any]] = {}
        self._inbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: list[bytes] = []
        self._stderr_ended = False
        self._stderr_changed = threading.Condition()
        self.process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd
        )
        self._threads = [
            threading.Thread(target=self._read_stdout, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_stdout(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            self._inbox.put(line)
        self._inbox.put(None)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while chunk := os.read(self.process.stderr.fileno(), 65536):
            with self._stderr_changed:
                self._stderr.append(chunk)
                self._stderr_changed.notify_all()
        with self._stderr_changed:
            self._stderr_ended = True
            self._stderr_changed.notify_all()

    @property
    def stderr(self) -> str:
        """Everything the child wrote to stderr so far."""
        return b"".join(self._stderr).decode("utf-8", "replace")

    def wait_for_stderr(self, text: str, timeout: float = PATIENCE) -> str:
        """Wait until stderr contains `text` and return all of it; fails with what is there instead."""
        with self._stderr_changed:
            if not self._stderr_changed.wait_for(lambda: text in self.stderr, timeout):
                raise AssertionError(f"stderr never said {text!r}:\n{self.stderr}")
        return self.stderr

    @property
    def url(self) -> str:
        """The address of the endpoint of a server started with `--http`; waits until it is announced."""
        with self._stderr_changed:
            self._stderr_changed.wait_for(lambda: self._stderr_ended or _URL.search(self.stderr), PATIENCE)
        if (found := _URL.search(self.stderr)) is None:
            raise AssertionError(f"no address was announced:\n{self.stderr}")
        return found[1]

    def send(self, message: Any) -> None:
        """Write one line: `bytes` as they are, anything else as JSON."""
        assert self.process.stdin is not None
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self, timeout: float = PATIENCE) -> dict[str, Any]:
        """The next message of the child.

        Raises:
            EOFError: stdout has ended.
            TimeoutError: nothing came.
        """
        try:
            line = self._inbox.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f"no message within {timeout} s; stderr:\n{self.stderr}") from None
        if line is None:
            raise EOFError(f"the server closed its stdout; stderr:\n{self.stderr}")
        message: dict[str, Any] = json.loads(line)
        return message

    def start_request(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request in the process's era without waiting; returns its id for `answer`."""
        [request_id] = self.start_requests((method, params or {}))
        return request_id

    def start_requests(self, *requests: tuple[str, Mapping[str, Any]]) -> list[int]:
        """Send requests, each a method and its params, in one write; returns their ids, in order."""
        messages = [self._message(method, dict(params)) for method, params in requests]
        self.send(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        return [message["id"] for message in messages]

    def _message(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._next_id += 1
        if self.era == "modern":
            meta = {
                "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "agenthost-testing", "version": "1"},
            }
            params["_meta"] = {**meta, **params.get("_meta", {})}
        return {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}

    def answer(self, request_id: Any, timeout: float = PATIENCE) -> dict[str, Any]:
        """Wait for the response with that id; notifications on the way are kept."""
        while request_id not in self._answers:
            message = self.receive(timeout)
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answers[message["id"]] = message
        return self._answers.pop(request_id)

    def request(
        self, method: str, params: Mapping[str, Any] | None = None, timeout: float = PATIENCE
    ) -> dict[str, Any]:
        """Send a request and return the whole response, with `result` or `error`."""
        return self.answer(self.start_request(method, params), timeout)

    def wait_for_notification(self, method: str, timeout: float = PATIENCE) -> dict[str, Any]:
        """The first notification of that method, taken out of `notifications`."""
        return self._wait_for(lambda message: message["method"] == method, timeout)

    def _wait_for(self, wanted: Callable[[dict[str, Any]], bool], timeout: float) -> dict[str, Any]:
        while True:
            for position, message in enumerate(self.notifications):
                if wanted(message):
                    return self.notifications.pop(position)
            message = self.receive(timeout)
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answers[message["id"]] = message

    def open(self, era: Era = "legacy") -> dict[str, Any]:
        """Begin the conversation in that era and return the result of its first exchange."""
        self.era = era
        if era == "modern":
            return self.request("server/discover")["result"]  # type: ignore[no-any-return]
        response = self.request(
            "initialize",
            {
                "protocolVersion": LEGACY_VERSION,
                "capabilities": {},
                "clientInfo": {"name": "agenthost-testing", "version": "1"},
            },
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return response["result"]  # type: ignore[no-any-return]

    def listen(self) -> int:
        """Modern era: open a stream of tool-list changes; returns the id of its request."""
        request_id = self.start_request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        self.wait_for_notification("notifications/subscriptions/acknowledged")
        return request_id

    def watch(self, *uris: str) -> None:
        """From now on be told of changes of all lists and of these resources, in either era.

        `wait_for_list_change` and `wait_for_update` wait for what this asks for.
        """
        if self.era == "legacy":  # of lists everybody is told there
            for uri in uris:
                response = self.request("resources/subscribe", {"uri": uri})
                assert "result" in response, response
            return
        wanted = {f"{kind}ListChanged": True for kind in get_args(Kind)}
        self.start_request("subscriptions/listen", {"notifications": {**wanted, "resourceSubscriptions": uris}})
        self.wait_for_notification("notifications/subscriptions/acknowledged")

    def wait_for_list_change(self, kind: Kind = "tools", timeout: float = PATIENCE) -> None:
        """Wait until the server has told that the list of this kind has changed."""
        self.wait_for_notification(LIST_CHANGED.format(kind), timeout)

    def wait_for_update(self, uri: str, timeout: float = PATIENCE) -> None:
        """Wait until the server has told that this resource has changed."""
        self._wait_for(lambda message: message["method"] == UPDATED and message["params"]["uri"] == uri, timeout)

    def tools(self) -> list[dict[str, Any]]:
        """The tools that the server lists now, as on the wire."""
        return self.request("tools/list")["result"]["tools"]  # type: ignore[no-any-return]

    def call(self, name: str, arguments: Any = None, timeout: float = PATIENCE, **params: Any) -> dict[str, Any]:
        """Call a tool and return the whole response; `arguments=None` leaves them out."""
        if arguments is not None:
            params["arguments"] = arguments
        return self.request("tools/call", {"name": name, **params}, timeout)

    def text(self, name: str, arguments: Any = None) -> str:
        """Call a tool that has to succeed and return the text of its only block."""
        result = self.call(name, arguments)["result"]
        assert not result.get("isError"), result
        [block] = result["content"]
        return block["text"]  # type: ignore[no-any-return]

    def close_stdin(self) -> None:
        """End the child's input, as a client does that leaves."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self, timeout: float = PATIENCE) -> int:
        """Wait for the child's end and its output's end; returns the exit code."""
        code = self.process.wait(timeout)
        for thread in self._threads:
            thread.join(timeout)
        return code

    def close(self, timeout: float = PATIENCE) -> int:
        """End the input and wait for the child's end."""
        self.close_stdin()
        return self.wait(timeout)

    def stop(self) -> None:
        """End the child in any case, by its own process id."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def assert_only_json_rpc(self) -> None:
        """Every line on stdout was one JSON-RPC 2.0 message."""
        for line in self.lines:
            message = json.loads(line)
            assert isinstance(message, dict), line
            assert message["jsonrpc"] == "2.0", line
