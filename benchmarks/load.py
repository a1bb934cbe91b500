"""Many clients at once over HTTP, every call bounded: `python benchmarks/load.py`.

Three parts on one state directory: 500 clients wait in `campfire_wait` and one posts, and all of them
wake; 10,000 mixed calls of both eras; the same again while another server of that directory is killed
and started anew. Any error ends it with exit code 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conversation import CLIENT, ENVELOPE, ERAS, BenchmarkError, Era
from http_conversation import HttpServer

FIRE = "load"

CALL_SECONDS = 60.0
"""How long one answer may take."""

WORKERS = 50
"""Clients that make the mixed calls, half of them of each era."""

KILLS = 5
"""How often the other server is killed during the last part."""


@dataclass(frozen=True)
class Answer:
    """One HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes


class Connection:
    """One connection that is kept: a plain client, since that of a library would be what is measured."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes, headers: dict[str, str]) -> Answer:
        """Send a body to the address, and read the answer.

        Raises:
            OSError: the server is not there.
            EOFError: it went away.
        """
        if self._streams is None or self._streams[0].at_eof():  # servers close what is idle for a while
            self.close()
            self._streams = await asyncio.open_connection(self._address.hostname, self._address.port)
        reading, writing = self._streams
        headers = {
            "host": self._address.netloc,
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "content-length": str(len(body)),
            **headers,
        }
        lines = [f"POST {self._address.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        writing.write("\r\n".join([*lines, "", ""]).encode() + body)
        head = (await reading.readuntil(b"\r\n\r\n")).decode().splitlines()
        told = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-1])}
        if told.get("transfer-encoding") == "chunked":
            parts = []
            while size := int(await reading.readline(), 16):
                parts.append((await reading.readexactly(size + 2))[:-2])
            await reading.readline()
            read = b"".join(parts)
        else:
            read = await reading.readexactly(int(told.get("content-length", 0)))
        if told.get("connection") == "close":
            self.close()
        return Answer(int(head[0].split()[1]), told, read)

    def close(self) -> None:
        """Close it; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass
class Client:
    """One MCP client on a connection of its own."""

    connection: Connection
    era: Era
    session: str | None = None
    sent: int = 0

    async def open(self) -> None:
        """The handshake, where the era has one."""
        if self.era == "2026-07-28":
            return
        params = {"protocolVersion": self.era, "capabilities": {}, "clientInfo": CLIENT}
        answer = await self._post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}, {})
        self.session = answer.headers["mcp-session-id"]
        await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"}, {})

    async def ask(self, method: str, **params: Any) -> Any:
        """The result of a request.

        Raises:
            BenchmarkError: it is an error, or none came in time.
        """
        self.sent += 1
        headers = {}
        if self.era == "2026-07-28":
            headers = {"mcp-method": method}
            if named := params.get("name") or params.get("uri"):
                headers["mcp-name"] = named
            params["_meta"] = ENVELOPE
        answer = await self._post({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params}, headers)
        [line] = [line for line in answer.body.splitlines() if line.removeprefix(b"data:").lstrip().startswith(b"{")]
        message = json.loads(line.removeprefix(b"data:"))
        if "result" not in message or message["result"].get("isError"):
            raise BenchmarkError(f"{method} {params}: {line[:500]!r}")
        return message["result"]

    async def call(self, name: str, **arguments: Any) -> Any:
        """The structured content of a tool's answer."""
        return (await self.ask("tools/call", name=name, arguments=arguments)).get("structuredContent")

    async def _post(self, message: dict[str, Any], headers: dict[str, str]) -> Answer:
        if self.session or self.era == "2026-07-28":
            headers = {**headers, "mcp-protocol-version": self.era}
        if self.session:
            headers["mcp-session-id"] = self.session
        try:
            async with asyncio.timeout(CALL_SECONDS):
                answer = await self.connection.post(json.dumps(message).encode(), headers)
        except (OSError, EOFError, TimeoutError) as error:
            raise BenchmarkError(f"{message.get('method')}: {error!r}") from None
        if answer.status not in (200, 202):
            raise BenchmarkError(f"{message.get('method')}: {answer.status} {answer.body[:500]!r}")
        return answer


async def wait_together(server: HttpServer, waiters: int, rounds: int) -> list[tuple[str, str]]:
    """All waiters wait, one message is posted, all wake; `rounds` times. What was measured, as rows."""
    poster = Client(Connection(server.url), "2026-07-28")
    clients = [Client(Connection(server.url), ERAS[number % 2]) for number in range(waiters)]
    await poster.call("campfire_get_or_create_fire", fireId=FIRE)
    after = (await poster.call("campfire_post_message", fireId=FIRE, text="first", author="poster"))["seq"]
    for client in clients:
        await client.open()
    before = server.memory()
    took, memory = [], []
    for number in range(rounds):
        waiting = [
            asyncio.create_task(client.call("campfire_wait", fireId=FIRE, after=after, timeout_seconds=50))
            for client in clients
        ]
        # Whoever has not begun to wait when the message comes gets it all the same; this is for the memory.
        await asyncio.sleep(3)
        memory.append(server.memory())
        began = time.perf_counter()
        await poster.call("campfire_post_message", fireId=FIRE, text=f"message {number}", author="poster")
        answers = await asyncio.gather(*waiting)
        took.append(time.perf_counter() - began)
        if silent := [answer for answer in answers if not answer["changed"]]:
            raise BenchmarkError(f"{len(silent)} of {waiters} waiters did not wake")
        [after] = {answer["after"] for answer in answers}
    rows = [(f"{waiters} clients wait, one posts: all awake after", ", ".join(f"{s:.2f} s" for s in took))]
    if before is not None:
        each = (max(filter(None, memory)) - before) * 1024 / waiters
        rows.append(("memory a waiting client costs", f"{each:.0f} KiB ({before:.0f} MiB before)"))
    return rows


async def call_mixed(server: HttpServer, calls: int) -> float:
    """Calls of many kinds by many clients of both eras; the seconds they took."""
    left = iter(range(calls))

    async def work(worker: int) -> None:
        client = Client(Connection(server.url), ERAS[worker % 2])
        await client.open()
        author = f"worker {worker}"
        kinds: list[Callable[[int], Any]] = [
            lambda n: client.call("campfire_echo", message=f"{n}"),
            lambda n: client.call("campfire_post_message", fireId=FIRE, text=f"{n}", author=author),
            lambda _: client.call("campfire_list_messages", fireId=FIRE, limit=5),
            lambda _: client.ask("tools/list"),
            lambda _: client.ask("prompts/list"),
            lambda _: client.ask("resources/read", uri=f"campfire://fires/{FIRE}"),
            lambda _: client.call("campfire_get_battle_plan", fireId=FIRE),
        ]
        for number in left:
            await kinds[number % len(kinds)](number)

    began = time.perf_counter()
    await asyncio.gather(*(work(worker) for worker in range(WORKERS)))
    return time.perf_counter() - began


async def kill_again_and_again(start: Callable[[], HttpServer]) -> int:
    """Start another server, let it write, kill it in the middle; how many of its posts were acknowledged."""
    acknowledged = 0
    for number in range(KILLS):
        other = await asyncio.to_thread(start)
        client = Client(Connection(other.url), "2026-07-28")

        async def write(client: Client = client, number: int = number) -> None:
            nonlocal acknowledged
            while True:
                text = f"other {number}"
                await client.call("campfire_post_message", fireId=FIRE, text=text, author="other")
                acknowledged += 1

        writing = asyncio.create_task(write())
        await asyncio.sleep(0.5)
        other.process.kill()
        await asyncio.to_thread(other.process.wait)
        [outcome] = await asyncio.gather(writing, return_exceptions=True)
        if not isinstance(outcome, BenchmarkError):
            raise BenchmarkError(f"the writer to the killed server ended with {outcome!r}")
    return acknowledged


async def run(options: argparse.Namespace, folder: Path) -> list[tuple[str, str]]:
    """All parts; the rows of the table."""

    def start(name: str) -> HttpServer:
        command = [str(Path(sys.executable).with_name("agenthost")), "serve", "--plugins", "campfire,void"]
        command += ["--http", "0", "--state-dir", str(folder / "state")]
        environment = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "LC_ALL", "TZ")}
        return HttpServer(command, environment | {"HOME": str(folder)}, folder, folder / f"{name}.log")

    with start("server") as server:
        rows = await wait_together(server, options.waiters, options.rounds)
        seconds = await call_mixed(server, options.calls)
        rows.append((f"{options.calls} mixed calls by {WORKERS} clients, errors", f"0 in {seconds:.1f} s"))
        killing = asyncio.create_task(kill_again_and_again(lambda: start("other")))
        seconds = await call_mixed(server, options.calls)
        acknowledged = await killing
        what = f"the same while another server is killed {KILLS} times, errors"
        rows.append((what, f"0 in {seconds:.1f} s, {acknowledged} posts of the killed ones acknowledged"))
        await check_stored(Client(Connection(server.url), "2026-07-28"), acknowledged)
        memory = server.memory()
        if memory is not None:
            rows.append(("memory of the server at the end", f"{memory:.0f} MiB"))
    if server.process.returncode != 128 + 15:
        raise BenchmarkError(f"the server ended with {server.process.returncode}\n{server.said()}")
    return rows


async def check_stored(client: Client, acknowledged: int) -> None:
    """Every acknowledged post of the killed servers is there."""
    found, after = 0, 0
    while True:
        page = await client.call("campfire_list_messages", fireId=FIRE, after=after, limit=500)
        if not page["messages"]:
            break
        found += sum(message["author"] == "other" for message in page["messages"])
        after = page["messages"][-1]["seq"]
    if found < acknowledged:
        raise BenchmarkError(f"{acknowledged} posts were acknowledged before the kills, and {found} are there")


def main() -> int:
    """Run it; 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--waiters", type=int, default=500, help="clients that wait at once")
    parser.add_argument("--rounds", type=int, default=3, help="how often they all wait")
    parser.add_argument("--calls", type=int, default=10_000, help="mixed calls, twice")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agenthost-load-") as folder:
        try:
            rows = asyncio.run(run(options, Path(folder)))
        except BenchmarkError as error:
            sys.stderr.write(f"{error}\n")
            return 1
    sys.stdout.write("| what | measured |\n|---|---|\n")
    sys.stdout.write("".join(f"| {what} | {measured} |\n" for what, measured in rows))
    if options.json:
        told = [(what, measured, "no error", "ok") for what, measured in rows]
        options.json.write_text(json.dumps({"told": told}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
