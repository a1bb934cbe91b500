"""Messages: pages, search, answers, retries and limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest


def post_all(agent: Any, fire: str, *texts: str, **more: Any) -> list[dict[str, Any]]:
    agent("get_or_create_fire", fireId=fire)
    results = agent.at_once(*(("post_message", {"fireId": fire, "text": text, **more}) for text in texts))
    return [result["structuredContent"] for result in results]


def listed(agent: Any, fire: str, **query: Any) -> list[int]:
    return [message["seq"] for message in agent("list_messages", fireId=fire, **query)["messages"]]


def test_the_newest_200_messages_are_given_unless_others_are_asked_for(agent: Any, fire: str) -> None:
    post_all(agent, fire, *(f"m{n}" for n in range(1, 251)))
    answer = agent("list_messages", fireId=fire)
    assert [message["seq"] for message in answer["messages"]] == list(range(51, 251))
    assert (answer["hasMore"], answer["lastSeq"]) == (True, 250)
    assert listed(agent, fire, limit=3) == [248, 249, 250]
    assert listed(agent, fire, before=51, limit=3) == [48, 49, 50]
    assert listed(agent, fire, after=10, limit=3) == [11, 12, 13]
    assert listed(agent, fire, after=10, before=12) == [11]
    assert listed(agent, fire, after=250) == []
    assert agent("list_messages", fireId=fire, before=51)["hasMore"] is False
    assert agent("list_messages", fireId=fire, after=240)["hasMore"] is False


def test_numbers_beyond_every_database_are_only_numbers(agent: Any, fire: str) -> None:
    post_all(agent, fire, "one")
    assert listed(agent, fire, after=10**30) == []
    assert listed(agent, fire, before=10**30) == listed(agent, fire, before=10**30, search="ONE") == [1]
    assert "no revision yet" in agent.refused("get_battle_plan", fireId=fire, revision=10**30)
    assert "revision 0" in agent.refused("update_battle_plan", fireId=fire, content="x", expected_revision=10**30)
    assert "after=1" in agent.refused("wait", fireId=fire, after=10**30)


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 1001}, {"after": -1}, {"before": 0}])
def test_bounds_that_make_no_sense_are_refused(agent: Any, fire: str, query: dict[str, int]) -> None:
    agent("get_or_create_fire", fireId=fire)
    [name] = query
    assert name in agent.refused("list_messages", fireId=fire, **query)


def test_every_page_says_in_its_text_how_to_get_the_next(agent: Any, fire: str) -> None:
    post_all(agent, fire, "one", "two", "three")
    newest, more = agent.result("list_messages", fireId=fire, limit=2)["content"]
    assert [message["text"] for message in json.loads(newest["text"])] == ["two", "three"]
    assert "before=2" in more["text"]
    _, more = agent.result("list_messages", fireId=fire, limit=2, after=0)["content"]
    assert "after=2" in more["text"]
    assert len(agent.result("list_messages", fireId=fire, limit=3)["content"]) == 1


def test_an_answer_stops_at_48_kib_and_pages_lose_nothing(agent: Any, fire: str) -> None:
    post_all(agent, fire, *(f"{n} {'ü' * 4000}" for n in range(20)))
    backward: list[int] = []
    before: dict[str, int] = {}
    while True:
        result = agent.result("list_messages", fireId=fire, **before)
        assert len(result["content"][0]["text"].encode()) <= 48 * 1024
        answer = result["structuredContent"]
        backward = [message["seq"] for message in answer["messages"]] + backward
        if not answer["hasMore"]:
            break
        before = {"before": backward[0]}
    assert backward == list(range(1, 21))
    forward: list[int] = []
    while True:
        answer = agent("list_messages", fireId=fire, after=forward[-1] if forward else 0)
        forward += [message["seq"] for message in answer["messages"]]
        if not answer["hasMore"]:
            break
    assert forward == backward


def test_a_message_larger_than_an_answer_is_given_alone(agent: Any, fire: str) -> None:
    post_all(agent, fire, "small", "x" * 65536)
    answer = agent("list_messages", fireId=fire)
    assert [message["seq"] for message in answer["messages"]] == [2]
    assert answer["hasMore"] is True
    assert listed(agent, fire, before=2) == [1]


def test_messages_are_found_by_author_and_text_whatever_the_case_and_composition(agent: Any, fire: str) -> None:
    post_all(agent, fire, "Café au lait", "tea", author="Planner")
    post_all(agent, fire, "cafe\u0301 NOIR", "TEA", author="Sceptic")
    assert listed(agent, fire, search="CAFÉ") == [1, 3]
    assert listed(agent, fire, search="ＴＥＡ") == [2, 4]
    assert listed(agent, fire, author=" planner ") == [1, 2]
    assert listed(agent, fire, author="SCEPTIC", search="tea") == [4]
    assert listed(agent, fire, search="tea", before=4) == [2]
    assert listed(agent, fire, search="tea", after=2) == [4]
    assert listed(agent, fire, search="coffee") == []
    answer = agent("list_messages", fireId=fire, search="A", limit=2)
    assert [message["seq"] for message in answer["messages"]] == [3, 4]
    assert answer["hasMore"] is True
    assert listed(agent, fire, search="A", limit=2, before=3) == [1, 2]


def test_a_message_can_answer_another_one_of_its_fire(agent: Any, fire: str) -> None:
    [first] = post_all(agent, fire, "question")
    answer = agent("speak_to_party", fireId=fire, text="answer", reply_to=first["id"])
    assert answer["replyTo"] == first["id"]
    assert agent("list_messages", fireId=fire, after=1)["messages"] == [answer]
    agent("get_or_create_fire", fireId=f"{fire} other")
    for wrong in ({"fireId": fire, "reply_to": "msg-0"}, {"fireId": f"{fire} other", "reply_to": first["id"]}):
        assert "reply_to" in agent.refused("post_message", text="lost", **wrong)


@pytest.mark.parametrize("tool", ["post_message", "speak_to_party"])
def test_a_message_that_is_sent_again_is_stored_once(agent: Any, fire: str, tool: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    once = {"fireId": fire, "text": "once", "author": "Planner", "client_id": "1"}
    results = agent.at_once(*((tool, once) for _ in range(5)))
    assert len({json.dumps(result["structuredContent"], sort_keys=True) for result in results}) == 1
    assert listed(agent, fire) == [1]
    assert agent(tool, **{**once, "author": "Sceptic"})["seq"] == 2
    assert "client_id" in agent.refused(tool, **{**once, "text": "twice"})
    assert listed(agent, fire) == [1, 2]


def test_a_message_that_is_sent_again_during_a_duel_is_known(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    once = {"fireId": fire, "text": "once", "client_id": "1"}
    posted = agent("post_message", **once)
    agent("throw_gauntlet", fireId=fire, challenger_name="A", target_name="B", thesis_of_attack="T")
    assert agent("post_message", **once) == posted
    assert "A judge is awaited" in agent.refused("post_message", **{**once, "client_id": "2"})


def test_what_is_too_long_is_refused_with_the_limit(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    assert "65,536" in agent.refused("post_message", fireId=fire, text="ü" * 32769)
    assert "65,536" in agent.refused("update_battle_plan", fireId=fire, content="x" * 65537)
    assert "100" in agent.refused("post_message", fireId=fire, text="x", author="y" * 101)
    assert "200" in agent.refused("get_or_create_fire", fireId="z" * 201)
    assert agent("get_or_create_fire", fireId=f"{fire}{'z' * 200}"[:200])["lastSeq"] == 0
    assert listed(agent, fire) == []


def test_the_limit_of_texts_is_a_setting(start_agent: Callable[..., Any]) -> None:
    agent = start_agent("max_text_bytes=2000")
    agent("get_or_create_fire", fireId="f")
    agent("post_message", fireId="f", text="x" * 2000)
    assert "2,000" in agent.refused("post_message", fireId="f", text="x" * 2001)
    thesis = {"challenger_name": "A", "target_name": "B", "thesis_of_attack": "x" * 2001}
    assert "thesis_of_attack" in agent.refused("throw_gauntlet", fireId="f", **thesis)


def test_texts_in_any_script_come_back_as_they_were(agent: Any, fire: str) -> None:
    text = "日本語 é \U0001f525 \u202e {{x}} \\n \"'\n\ttabs"
    [message] = post_all(agent, fire, text)
    assert message["text"] == text
    assert agent("list_messages", fireId=fire)["messages"][0]["text"] == text
    assert "NUL" in agent.refused("post_message", fireId=fire, text="a\0b")


def test_fires_are_listed_in_the_order_of_their_making(start_agent: Callable[..., Any]) -> None:
    agent = start_agent()
    assert agent("list_fires") == {"fires": [], "hasMore": False}
    agent.at_once(*(("get_or_create_fire", {"fireId": f"f{n}"}) for n in range(205)))
    newest = agent("list_fires")
    assert [fire["id"] for fire in newest["fires"]] == [f"f{n}" for n in range(5, 205)]
    assert newest["hasMore"] is True
    older = agent("list_fires", before="f5")
    assert [fire["id"] for fire in older["fires"]] == [f"f{n}" for n in range(5)]
    assert older["hasMore"] is False
    assert "'nowhere'" in agent.refused("list_fires", before="nowhere")
    assert agent.refused("list_fires", before="f" * 201).startswith("before ")
    agent("throw_gauntlet", fireId="f3", challenger_name="A", target_name="B", thesis_of_attack="T")
    states = {fire["id"]: (fire["state"], fire["lastSeq"]) for fire in agent("list_fires", before="f5")["fires"]}
    assert states["f3"] == ("HONORABLE_DUEL_PENDING", 1)
    assert states["f4"] == ("DEBATING", 0)
