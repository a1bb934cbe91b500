"""A child process spoken to in JSON lines: blocking reads, every wait bounded, no threads.

What is timed ends when the line feed of an answer has arrived. Answers are parsed afterwards, since
parsing a long list would take longer than making it.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

Era = Literal["2025-11-25", "2026-07-28"]
ERAS: tuple[Era, Era] = ("2025-11-25", "2026-07-28")

ANSWER_SECONDS = 60.0
"""How long one answer may take, also the first one of a new process on a busy machine."""

END_SECONDS = 10.0
"""How long a server whose input has ended may take to end before it is killed."""

CLIENT = {"name": "benchmark", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": CLIENT,
}


class BenchmarkError(Exception):
    """A server did not do its part; what was measured so far means nothing."""


class Conversation:
    """One server process and its only client.

    Args:
        command: the program and its arguments.
        era: the protocol revision to speak.
        environment: the child's whole environment.
        folder: the child's working directory.
        errors: the file that takes its stderr.
    """

    def __init__(
        self, command: Sequence[str], era: Era, environment: Mapping[str, str], folder: Path, errors: Path
    ) -> None:
        self._era = era
        self._errors = errors
        self._next_id = 0
        self._buffer = bytearray()
        with errors.open("wb") as stderr:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=dict(environment),
                cwd=folder,
                bufsize=0,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._writing = self.process.stdin
        self._reading = self.process.stdout.fileno()
        self._readable = select.poll()
        self._readable.register(self._reading, select.POLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def handshake(self) -> None:
        """What comes before the first request: the handshake, or nothing."""
        if self._era == "2026-07-28":
            return
        params = {"protocolVersion": self._era, "capabilities": {}, "clientInfo": CLIENT}
        self.parse(*self.ask([self.request("initialize", params)]))
        self.send(_line({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def request(self, method: str, params: Mapping[str, Any]) -> bytes:
        """A request in this conversation's era, ready to be sent once."""
        self._next_id += 1
        if self._era == "2026-07-28":
            params = {**params, "_meta": ENVELOPE}
        return _line({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})

    def ask(self, requests: Iterable[bytes], window: int = 1) -> list[bytes]:
        """Send requests, at most `window` of them unanswered at a time; the answers, unparsed, as they come.

        Raises:
            BenchmarkError: an answer does not come in time, or the server has ended.
        """
        waiting = list(requests)
        waiting.reverse()
        wanted = len(waiting)
        self.send(b"".join(waiting.pop() for _ in range(min(window, wanted))))
        answers: list[bytes] = []
        while len(answers) < wanted:
            answers.append(self.receive())
            if waiting:
                self.send(waiting.pop())
        return answers

    def parse(self, *answers: bytes) -> list[Any]:
        """The results in the answers.

        Raises:
            BenchmarkError: one is an error, or no answer at all.
        """
        results = []
        for answer in answers:
            message = json.loads(answer)
            if "result" not in message or message["result"].get("isError"):
                raise BenchmarkError(f"a request was not served: {answer[:500].decode()}{self._said()}")
            results.append(message["result"])
        return results

    def computed(self) -> float | None:
        """The CPU time that the server has used so far, in ms; None where Linux is not."""
        try:
            tasks = list(Path(f"/proc/{self.process.pid}/task").iterdir())
            return sum(int((task / "schedstat").read_text(encoding="ascii").split()[0]) for task in tasks) / 1e6
        except OSError:
            return None

    def peak_memory(self) -> float | None:
        """The most memory that the server has had resident so far, in MiB; None where Linux is not."""
        return memory_of(self.process.pid, "VmHWM")

    def close(self) -> None:
        """End the server: by the end of its input, else by force."""
        self._writing.close()
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(END_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def send(self, data: bytes) -> None:
        """Write bytes.

        Raises:
            BenchmarkError: the server does not read any more.
        """
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._writing.fileno(), rest) :]
        except BrokenPipeError:
            raise BenchmarkError(f"the server does not read any more{self._said()}") from None

    def receive(self) -> bytes:
        """The next line.

        Raises:
            BenchmarkError: it does not come in time, or the server has ended.
        """
        deadline = time.monotonic() + ANSWER_SECONDS
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            left = deadline - time.monotonic()
            if left <= 0 or not self._readable.poll(left * 1000):
                raise BenchmarkError(f"no answer within {ANSWER_SECONDS:g} s{self._said()}")
            chunk = os.read(self._reading, 65536)
            if not chunk:
                raise BenchmarkError(f"the server has ended{self._said()}")
            self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _said(self) -> str:
        said = self._errors.read_text(encoding="utf-8", errors="replace")
        return f"\nits last words on stderr:\n{said[-2000:]}" if said else ""


def memory_of(process: int, which: str) -> float | None:
    """The memory of a process in MiB; None where Linux is not.

    Args:
        process: its id.
        which: `VmRSS` is what is resident now, `VmHWM` the most that was.
    """
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return None
    [line] = [line for line in status.splitlines() if line.startswith(f"{which}:")]
    return int(line.split()[1]) / 1024


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"
