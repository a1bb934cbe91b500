"""What a large fire, a post and a wake-up cost, against the same with little: `python benchmarks/campfire.py`.

Three questions, each a ratio or a bound of one interleaved run (README.md): does a fire with 1,000,000
messages cost more than one with 1,000; what does a post through the whole server cost beyond a call
that does nothing and four bare commits; how soon does a waiter in another process hear of a commit.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from agenthost import Transaction
from agenthost.storage import SqliteEngine, Store
from agenthost_campfire.store import access, messages
from agenthost_campfire.store.fires import create
from agenthost_campfire.store.schema import SCHEMA
from conversation import Conversation
from verdicts import report

SMALL, LARGE = 1_000, 1_000_000
"""Messages in the two fires."""

FIRE_BOUND = 1.3
"""Posting to, and reading the last 50 of, the large fire: at most this many times the small one."""

COMMITS = 4
"""A post costs at most a call that does nothing and so many bare commits."""

WAKE_BOUND = 0.030
"""Seconds from a commit to the waiter's answer in another process, median."""


def fill(tx: Transaction, count: int) -> None:
    """A fire `f` with `count` messages, the quick way."""
    create(tx, "f")
    row = (
        "INSERT INTO messages (fire_id, seq, id, author, author_key, text, created_at) "
        "VALUES ('f', :seq, :id, 'Planner', 'planner', :text, 0)"
    )
    for seq in range(1, count + 1):
        tx.execute(row, {"seq": seq, "id": f"msg-{seq}", "text": f"message number {seq}, with some words to read"})
    tx.execute("UPDATE fires SET last_seq = :count WHERE id = 'f'", {"count": count})


async def measure_fires(folder: Path, rounds: int) -> dict[str, dict[int, list[float]]]:
    """Seconds of each post and each reading of the last 50, by the number of messages, in turns."""
    stores: dict[int, Store] = {}
    for count in (SMALL, LARGE):
        stores[count] = Store("campfire", SqliteEngine(folder / f"{count}.db"))
        await stores[count].open(SCHEMA)
        await stores[count].write(fill, count)
    actions: dict[str, Callable[[Store], Awaitable[object]]] = {
        "post": lambda store: access.write(store, messages.post, "f", messages.Draft("hello", "Planner")),
        "last 50": lambda store: access.read(store, messages.page, "f", messages.Query(limit=50)),
    }
    took: dict[str, dict[int, list[float]]] = {name: {SMALL: [], LARGE: []} for name in actions}
    for turn in range(rounds):
        for name, action in actions.items():
            for count in (SMALL, LARGE) if turn % 2 else (LARGE, SMALL):
                began = time.perf_counter()
                await action(stores[count])
                took[name][count].append(time.perf_counter() - began)
    for store in stores.values():
        await store.close()
    return took


def serve(folder: Path, name: str) -> Conversation:
    """A server with campfire on the folder's state, and its client."""
    command = [
        sys.executable,
        "-m",
        "agenthost",
        "serve",
        "--plugins",
        "campfire",
        "--state-dir",
        str(folder / "state"),
    ]
    talk = Conversation(command, "2025-11-25", dict(os.environ), folder, folder / f"{name}.stderr")
    talk.handshake()
    return talk


def call(talk: Conversation, tool: str, **arguments: object) -> bytes:
    """The request that calls a tool."""
    return talk.request("tools/call", {"name": tool, "arguments": arguments})


def measure_post(folder: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds of a post and of a call that does nothing through a server, and of a bare commit in the same folder."""
    took: dict[str, list[float]] = {"post": [], "no-op": [], "commit": []}
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE t (x TEXT)")
    with serve(folder, "post") as talk:
        talk.ask([call(talk, "campfire_get_or_create_fire", fireId="f")])
        for _ in range(rounds):
            for name, tool, arguments in (
                ("post", "campfire_post_message", {"fireId": "f", "text": "hello"}),
                ("no-op", "campfire_echo", {"message": "hello"}),
            ):
                request = call(talk, tool, **arguments)
                began = time.perf_counter()
                talk.ask([request])
                took[name].append(time.perf_counter() - began)
            began = time.perf_counter()
            bare.execute("BEGIN IMMEDIATE")
            bare.execute("INSERT INTO t VALUES ('hello')")
            bare.execute("COMMIT")
            took["commit"].append(time.perf_counter() - began)
    bare.close()
    return took


def measure_wake(folder: Path, rounds: int) -> list[float]:
    """Seconds from the answer to a post in one server to the answer of a waiter in another."""
    took = []
    with serve(folder, "waiter") as waiter, serve(folder, "poster") as poster:
        poster.ask([call(poster, "campfire_get_or_create_fire", fireId="f")])
        [created] = poster.parse(*poster.ask([call(poster, "campfire_post_message", fireId="f", text="first")]))
        after = created["structuredContent"]["seq"]
        for number in range(rounds):
            waiter.send(call(waiter, "campfire_wait", fireId="f", after=after, timeout_seconds=20))
            time.sleep(0.05 + 0.007 * (number % 7))  # the waiter waits, and not in step with its looks at the database
            poster.ask([call(poster, "campfire_post_message", fireId="f", text=f"message {number}")])
            posted = time.perf_counter()
            [answer] = waiter.parse(waiter.receive())
            took.append(time.perf_counter() - posted)
            after = answer["structuredContent"]["after"]
    return took


def main() -> int:
    """Run it; 1 if `--check` and a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200, help="repetitions of everything")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bound is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    options = parser.parse_args()
    rows: list[tuple[str, str, str, bool]] = []
    with tempfile.TemporaryDirectory(prefix="agenthost-benchmark-") as name:
        folder = Path(name)
        for action, by_count in asyncio.run(measure_fires(folder, options.rounds)).items():
            small, large = (statistics.median(by_count[count]) for count in (SMALL, LARGE))
            # Pairs, since whatever else the machine does hits the two of a turn alike.
            pairs = zip(by_count[LARGE], by_count[SMALL], strict=True)
            ratio = statistics.median(many / few for many, few in pairs)
            told = f"{ratio:.2f} ({large * 1000:.2f} ms against {small * 1000:.2f} ms)"
            rows.append((f"{action}, {LARGE:,} against {SMALL:,} messages", told, f"{FIRE_BOUND}", ratio <= FIRE_BOUND))
        post = {kind: statistics.median(times) for kind, times in measure_post(folder, options.rounds).items()}
        bound = post["no-op"] + COMMITS * post["commit"]
        told = (
            f"{post['post'] * 1000:.2f} ms (no-op {post['no-op'] * 1000:.2f} ms, commit {post['commit'] * 1000:.2f} ms)"
        )
        rows.append(("a post over stdio", told, f"{bound * 1000:.2f} ms", post["post"] <= bound))
        wake = statistics.median(measure_wake(folder, options.rounds // 2))
        rows.append(
            (
                "waking a waiter in another process",
                f"{wake * 1000:.1f} ms",
                f"{WAKE_BOUND * 1000:.0f} ms",
                wake <= WAKE_BOUND,
            )
        )
    report(rows, options.json)
    return 1 if options.check and not all(holds for *_, holds in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
