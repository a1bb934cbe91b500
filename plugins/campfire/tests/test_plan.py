"""The battle plan: revisions, of which none is lost."""

from __future__ import annotations

from typing import Any


def test_a_plan_has_a_history_of_revisions(agent: Any, fire: str) -> None:
    first = agent.result("update_battle_plan", fireId=fire, content=" PLAN 1\n", author=" Planner ")
    assert first["structuredContent"]["fireCreated"] is True
    assert "The fire was made" in first["content"][0]["text"]
    second = agent("update_battle_plan", fireId=fire, content="PLAN 2")
    assert (second["revision"], second["fireCreated"], second["lastSeq"]) == (2, False, 2)
    plan = agent("get_battle_plan", fireId=fire)
    assert (plan["content"], plan["revision"], plan["lastRevision"]) == ("PLAN 2", 2, 2)
    assert [(entry["revision"], entry["seq"], entry["reason"]) for entry in plan["history"]] == [
        (1, 1, "update"),
        (2, 2, "update"),
    ]
    assert [entry.get("author") for entry in plan["history"]] == ["Planner", None]
    older = agent("get_battle_plan", fireId=fire, revision=1)
    assert (older["content"], older["revision"], older["lastRevision"]) == (" PLAN 1\n", 1, 2)
    assert older["updatedAt"] == plan["history"][0]["createdAt"]


def test_a_fire_without_a_plan_has_revision_0(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    plan = agent("get_battle_plan", fireId=fire)
    assert (plan["content"], plan["revision"], plan["updatedAt"], plan["history"]) == (None, 0, None, [])
    assert agent("update_battle_plan", fireId=fire, content="first", expected_revision=0)["revision"] == 1


def test_an_unknown_revision_is_refused_with_what_there_is(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    assert "no revision yet" in agent.refused("get_battle_plan", fireId=fire, revision=1)
    agent("update_battle_plan", fireId=fire, content="PLAN")
    assert "revisions 1 to 1" in agent.refused("get_battle_plan", fireId=fire, revision=2)


def test_a_stale_change_is_refused_with_the_plan_as_it_is(agent: Any, fire: str) -> None:
    result = agent.result("update_battle_plan", fireId=fire, content="x", expected_revision=3)
    assert result["isError"]
    assert result["structuredContent"] == {"revision": 0, "content": None}
    assert "no fire" in agent.refused("get_battle_plan", fireId=fire)
    agent("update_battle_plan", fireId=fire, content="theirs")
    text = agent.refused("update_battle_plan", fireId=fire, content="mine", expected_revision=0)
    for fact in ("theirs", "revision 1", "expected_revision=1"):
        assert fact in text
    assert agent("get_battle_plan", fireId=fire)["content"] == "theirs"


def test_a_blank_plan_is_refused(agent: Any, fire: str) -> None:
    agent("update_battle_plan", fireId=fire, content="PLAN")
    assert "content is blank" in agent.refused("update_battle_plan", fireId=fire, content=" \n")
    assert agent("get_battle_plan", fireId=fire)["content"] == "PLAN"


def test_a_long_history_is_cut_and_older_revisions_stay_readable(agent: Any, fire: str) -> None:
    agent.at_once(*(("update_battle_plan", {"fireId": fire, "content": f"PLAN {n}"}) for n in range(1, 103)))
    plan = agent("get_battle_plan", fireId=fire)
    assert [entry["revision"] for entry in plan["history"]] == list(range(3, 103))
    assert agent("get_battle_plan", fireId=fire, revision=1)["content"] == "PLAN 1"
