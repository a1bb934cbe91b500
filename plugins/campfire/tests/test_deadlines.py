"""A duel always ends: past its time it is closed as expired, whoever looks first, and also if nobody looks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agenthost.storage import SqliteEngine, Store
from agenthost_campfire.rules.deadlines import Deadlines
from agenthost_campfire.rules.duel import DuelRefused
from agenthost_campfire.store import access, duels, messages, plans, records
from agenthost_campfire.store.fires import create
from agenthost_campfire.store.schema import SCHEMA

SOON = Deadlines(oath=0.001, turn=0.001)
LATER = Deadlines(oath=3600, turn=3600)


def in_store(folder: Path, body: Callable[[Store], Any]) -> None:
    """Run an async function with a store of its own."""

    async def run() -> None:
        store = Store("campfire", SqliteEngine(folder / "campfire.db"))
        await store.open(SCHEMA)
        try:
            await body(store)
        finally:
            await store.close()

    asyncio.run(run())


async def until_due(store: Store) -> None:
    """Let the clock pass the next deadline."""
    due = await store.read(duels.next_due)
    assert due is not None
    while time.time_ns() // 1_000_000 <= due[1]:
        await asyncio.sleep(0.001)


async def begin(store: Store, deadlines: Deadlines) -> duels.DuelRow:
    row, _ = await store.write(duels.throw_gauntlet, "f", "A", "B", "T", deadlines)
    return row


def test_an_overdue_duel_is_ended_before_what_is_asked_for_is_done(tmp_path: Path) -> None:
    async def body(store: Store) -> None:
        row = await begin(store, SOON)
        await until_due(store)
        message = await access.write(store, messages.post, "f", messages.Draft("open again"))
        record = await access.read(store, records.record, "f", row.id)
        assert record["duel"] is not None
        assert record["duel"]["outcome"] == "expired"
        assert record["transcript"][-1]["awaited"] == {"role": "judge", "name": None}
        assert (record["transcript"][-1]["seq"], message["seq"]) == (2, 3)

    in_store(tmp_path, body)


def test_the_end_of_a_duel_stays_even_if_what_was_asked_for_is_refused(tmp_path: Path) -> None:
    async def body(store: Store) -> None:
        await begin(store, SOON)
        await until_due(store)
        with pytest.raises(DuelRefused, match="phase DEBATING"):
            await access.write(
                store,
                duels.advance,
                "f",
                lambda duel: duels.rules.take_oath(duel, "J"),
                lambda _: duels.Said("oath", "judge", "J"),
                LATER,
            )
        [row] = await store.read(duels.newest, "f", 9)
        assert row.rules.outcome == "expired"

    in_store(tmp_path, body)


@pytest.mark.parametrize("reading", [records.listed, records.record, plans.get])
def test_reading_ends_an_overdue_duel_too(tmp_path: Path, reading: Any) -> None:
    async def body(store: Store) -> None:
        await begin(store, SOON)
        await until_due(store)
        await access.read(store, messages.page, "f", messages.Query())
        await access.read(store, reading, "f")
        [row] = await store.read(duels.newest, "f", 9)
        assert row.rules.outcome == "expired"

    in_store(tmp_path, body)


def test_an_overdue_duel_is_ended_once(tmp_path: Path) -> None:
    async def body(store: Store) -> None:
        await begin(store, SOON)
        await until_due(store)
        ended = await asyncio.gather(*(store.write(duels.close_overdue, "f") for _ in range(5)))
        assert ended == [True, False, False, False, False]

    in_store(tmp_path, body)


@pytest.mark.parametrize("deadlines", [LATER, Deadlines(0, 0)])
def test_a_duel_in_time_or_without_a_deadline_is_left_alone(tmp_path: Path, deadlines: Deadlines) -> None:
    async def body(store: Store) -> None:
        row = await begin(store, deadlines)
        assert (row.due_at is None) == (not deadlines.oath)
        assert await store.write(duels.close_overdue, "f") is False
        assert await store.write(duels.close_overdue, "nowhere") is False
        assert await store.write(create, "f") is False

    in_store(tmp_path, body)


STAGES: list[tuple[str, str | None, list[tuple[str, dict[str, Any]]]]] = [
    ("judge", None, []),
    ("challenger", "A", [("take_oath_of_judgement", {"character_name": "J"})]),
    (
        "defender",
        "B",
        [
            ("take_oath_of_judgement", {"character_name": "J"}),
            ("strike_argument", {"character_name": "A", "technical_evidence": "ev"}),
        ],
    ),
    (
        "judge",
        "J",
        [
            ("take_oath_of_judgement", {"character_name": "J"}),
            ("strike_argument", {"character_name": "A", "technical_evidence": "ev"}),
            ("hold_the_line", {"character_name": "B", "defense_rationale": "d", "surrender": False}),
        ],
    ),
]


@pytest.fixture(scope="module")
def hasty(start_shared_agent: Callable[..., Any]) -> Any:
    """An agent whose server ends duels soon."""
    return start_shared_agent("oath_deadline=1.5", "turn_deadline=1.5", state="hasty")


@pytest.mark.parametrize(("role", "name", "steps"), STAGES, ids=["no judge", "no strike", "no defence", "no verdict"])
def test_a_debate_in_which_somebody_vanishes_ends_by_itself(
    hasty: Any, fire: str, role: str, name: str | None, steps: list[tuple[str, dict[str, Any]]]
) -> None:
    hasty("update_battle_plan", fireId=fire, content="PLAN")
    thrown = hasty("throw_gauntlet", fireId=fire, challenger_name="A", target_name="B", thesis_of_attack="T")
    assert thrown["duel"]["dueAt"] > thrown["duel"]["createdAt"]
    for step, arguments in steps:
        hasty(step, fireId=fire, **arguments)
    last = 2 + len(steps)
    # Nobody but the timer acts: this waits for what it does.
    waited = hasty("wait", fireId=fire, after=last, timeout_seconds=20)
    assert [(item["kind"], item["seq"]) for item in waited["items"]] == [("expired", last + 1)]
    assert (name or "a judge") in waited["items"][0]["text"]
    assert waited["state"] == "DEBATING"
    record = hasty("get_duel", fireId=fire, duelId=thrown["duel"]["duelId"])
    assert record["duel"]["outcome"] == "expired"
    assert record["transcript"][-1]["awaited"] == {"role": role, "name": name}
    assert hasty("get_battle_plan", fireId=fire)["revision"] == 1
    hasty("post_message", fireId=fire, text="open again")


def test_another_process_ends_a_duel_whose_own_was_killed(start_agent: Callable[..., Any]) -> None:
    first, second = start_agent("oath_deadline=0.3"), start_agent("oath_deadline=0.3")
    thrown = first("throw_gauntlet", fireId="f", challenger_name="A", target_name="B", thesis_of_attack="T")
    first.server.stop()
    waited = second("wait", fireId="f", after=1, timeout_seconds=20)
    assert [item["kind"] for item in waited["items"]] == ["expired"]
    assert second("list_duels", fireId="f")["duels"][0]["duelId"] == thrown["duel"]["duelId"]


def test_a_server_that_starts_later_finds_the_duel_ended(start_agent: Callable[..., Any]) -> None:
    first = start_agent("oath_deadline=0.05")
    first("throw_gauntlet", fireId="f", challenger_name="A", target_name="B", thesis_of_attack="T")
    first.server.stop()
    second = start_agent("oath_deadline=0")
    assert second("post_message", fireId="f", text="open again")["seq"] == 3
    thrown = second("throw_gauntlet", fireId="f", challenger_name="A", target_name="B", thesis_of_attack="T")
    assert "dueAt" not in thrown["duel"]
