"""A game always ends: past its time it is abandoned, whoever looks first, and also if nobody looks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agenthost.storage import SqliteEngine, Store
from agenthost_hardtoget.errors import GameOver
from agenthost_hardtoget.rules.deadlines import Deadlines
from agenthost_hardtoget.rules.deal import Deal
from agenthost_hardtoget.rules.play import Role
from agenthost_hardtoget.store import access, clients, moves, seats, views
from agenthost_hardtoget.store.ending import end_overdue, next_due
from agenthost_hardtoget.store.moves import Terms
from agenthost_hardtoget.store.schema import SCHEMA

DEAL = Deal(tuple("abcdefghijklmnop"), "a", tuple((f"this {n}", f"that {n}") for n in range(5)))
SOON = Deadlines(join=0.001, move=0.001)
LATER = Deadlines(join=3600, move=3600)


def in_store(folder: Path, body: Callable[[Store], Any]) -> None:
    """Run an async function with a store of its own, in which the clients `w` and `d` are registered."""

    async def run() -> None:
        store = Store("hardtoget", SqliteEngine(folder / "hardtoget.db"))
        await store.open(SCHEMA)
        try:
            for name in ("w", "d"):
                await store.write(clients.register, name, name)
            await body(store)
        finally:
            await store.close()

    asyncio.run(run())


async def sit(store: Store, name: str, role: Role, deadlines: Deadlines) -> str:
    row, _ = await access.write(store, seats.join, name, role, None, lambda: (DEAL, Role.WITNESS), deadlines)
    return row.id


async def until_due(store: Store) -> None:
    """Let the clock pass the next deadline."""
    due = await store.read(next_due)
    assert due is not None
    while time.time_ns() // 1_000_000 <= due:
        await asyncio.sleep(0.001)


def test_a_game_that_waits_for_too_long_is_met_by_nobody(tmp_path: Path) -> None:
    async def body(store: Store) -> None:
        first = await sit(store, "w", Role.WITNESS, SOON)
        await until_due(store)
        second = await sit(store, "d", Role.DETECTIVE, LATER)
        assert second != first
        view = await access.read(store, views.view, first, "w")
        assert (view["outcome"], view["ended_by"]) == ("abandoned", "nobody_joined")
        assert await sit(store, "w", Role.WITNESS, LATER) == second

    in_store(tmp_path, body)


def test_the_end_stays_even_if_what_was_asked_for_is_refused(tmp_path: Path) -> None:
    async def body(store: Store) -> None:
        game = await sit(store, "w", Role.WITNESS, LATER)
        await sit(store, "d", Role.DETECTIVE, SOON)
        await until_due(store)
        refused = await access.write(store, moves.witness_choice, game, "w", "this 0", Terms(LATER, None))
        assert isinstance(refused, GameOver)
        view = await store.read(views.view, game, "d")
        assert (view["outcome"], view["ended_by"]) == ("abandoned", "witness_timeout")
        statuses = await store.read(lambda tx: [row["status"] for row in tx.all("SELECT status FROM clients")])
        assert statuses == ["available", "available"]
        assert await store.read(lambda tx: tx.all("SELECT * FROM results")) == []

    in_store(tmp_path, body)


def test_the_one_whose_turn_it_was_is_named(tmp_path: Path) -> None:
    async def body(store: Store) -> None:
        game = await sit(store, "w", Role.WITNESS, LATER)
        await sit(store, "d", Role.DETECTIVE, LATER)
        await access.write(store, moves.witness_choice, game, "w", "this 0", Terms(SOON, None))
        await until_due(store)
        view = await access.read(store, views.view, game, "d")
        assert (view["outcome"], view["ended_by"]) == ("abandoned", "detective_timeout")
        assert view["rounds"] == [
            {"round": 1, "dilemma": ["this 0", "that 0"], "witness_choice": "this 0", "eliminated_words": None}
        ]

    in_store(tmp_path, body)


def test_games_in_time_or_without_a_deadline_are_left_alone(tmp_path: Path) -> None:
    async def body(store: Store) -> None:
        game = await sit(store, "w", Role.WITNESS, Deadlines(0, 0))
        assert await store.read(next_due) is None
        await store.write(end_overdue)
        await sit(store, "d", Role.DETECTIVE, LATER)
        await store.write(end_overdue)
        assert (await access.read(store, views.view, game, "w"))["phase"] == "witness_turn"

    in_store(tmp_path, body)


def test_statuses_of_clients_are_those_of_the_original(tmp_path: Path) -> None:
    async def status(store: Store) -> dict[str, str]:
        rows = await store.read(lambda tx: tx.all("SELECT model_name, status FROM clients"))
        return {row["model_name"]: row["status"] for row in rows}

    async def body(store: Store) -> None:
        assert await status(store) == {"w": "available", "d": "available"}
        game = await sit(store, "w", Role.WITNESS, LATER)
        assert await status(store) == {"w": "searching", "d": "available"}
        await sit(store, "d", Role.DETECTIVE, LATER)
        assert await status(store) == {"w": "in_game", "d": "in_game"}
        await access.write(store, seats.leave, game, "d")
        assert await status(store) == {"w": "available", "d": "available"}

    in_store(tmp_path, body)


@pytest.fixture(scope="module")
def hasty(start_shared_agent: Callable[..., Any]) -> Any:
    """An agent whose server ends games soon."""
    return start_shared_agent("join_deadline=1", "move_deadline=1", state="hasty")


def test_who_waits_is_told_by_the_timer_that_nobody_joined(hasty: Any, register: Callable[..., Any]) -> None:
    player = register(hasty)
    player.join()
    # Nobody but the timer acts: this waits for what it does.
    waited = player.wait(timeout_seconds=20)
    assert (waited["view"]["outcome"], waited["view"]["ended_by"]) == ("abandoned", "nobody_joined")


MOVES: dict[str, dict[str, Any]] = {"witness": {"dilemma_choice": "x"}, "detective": {"eliminated_words": ["x"]}}


@pytest.mark.parametrize("moves_made", [0, 1])
def test_a_game_in_which_somebody_vanishes_ends_by_itself(
    hasty: Any, sit_down: Callable[..., Any], moves_made: int
) -> None:
    table = sit_down(hasty)
    if moves_made:
        table.witness.choose()
    late, waiting = ("detective", "witness") if moves_made else ("witness", "detective")
    waited = getattr(table, waiting).wait(timeout_seconds=20)
    assert (waited["changed"], waited["view"]["ended_by"]) == (True, f"{late}_timeout")
    assert "It was abandoned" in getattr(table, late).refused(f"{late}_choice", **MOVES[late])


def test_another_process_ends_a_game_whose_own_was_killed(
    start_agent: Callable[..., Any], sit_down: Callable[..., Any]
) -> None:
    first, second = start_agent("move_deadline=0.5"), start_agent("move_deadline=0.5")
    table = sit_down(first, second)
    first.server.stop()
    assert table.detective.wait(timeout_seconds=20)["view"]["outcome"] == "abandoned"
