"""What was acknowledged stays: across a restart, and across a kill in the middle of everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

READS: list[tuple[str, dict[str, Any]]] = [
    ("list_fires", {}),
    ("list_messages", {"fireId": "f"}),
    ("get_duel", {"fireId": "f"}),
    ("list_duels", {"fireId": "f"}),
    ("get_battle_plan", {"fireId": "f"}),
    ("get_battle_plan", {"fireId": "f", "revision": 1}),
    ("wait", {"fireId": "f", "after": 0}),
]


def test_c41_after_a_restart_everything_is_as_before(start_agent: Callable[..., Any]) -> None:
    first = start_agent()
    first("update_battle_plan", fireId="f", content="PLAN 1")
    first("post_message", fireId="f", text="hello", author="Planner")
    first("update_battle_plan", fireId="f", content="PLAN 2")
    first("throw_gauntlet", fireId="f", challenger_name="A", target_name="B", thesis_of_attack="T")
    first("abandon_duel", fireId="f", reason="too early")
    first("throw_gauntlet", fireId="f", challenger_name="A", target_name="B", thesis_of_attack="T2")
    first("take_oath_of_judgement", fireId="f", character_name="J")
    before = [first(name, **arguments) for name, arguments in READS]
    assert first.server.close() == 0
    second = start_agent()
    assert [second(name, **arguments) for name, arguments in READS] == before
    assert second("strike_argument", fireId="f", character_name="A", technical_evidence="ev")["lastSeq"] == 8


def test_what_was_acknowledged_survives_a_kill(start_agent: Callable[..., Any]) -> None:
    acknowledged: list[str] = []
    for time in range(2):
        agent = start_agent()
        agent("get_or_create_fire", fireId="f")
        sent = agent.send_at_once(*(("post_message", {"fireId": "f", "text": f"{time}.{n}"}) for n in range(60)))
        # Killed while it answers: some are acknowledged, some are on their way.
        first = [agent.collect(*one) for one in sent[: 20 * (time + 1)]]
        acknowledged += [result["structuredContent"]["text"] for result in first]
        agent.server.stop()
    last = start_agent()
    answer = last("list_messages", fireId="f", limit=1000)
    texts = [message["text"] for message in answer["messages"]]
    assert [message["seq"] for message in answer["messages"]] == list(range(1, len(texts) + 1))
    assert answer["lastSeq"] == len(texts)
    assert set(acknowledged) <= set(texts)
    assert len(texts) == len(set(texts))
