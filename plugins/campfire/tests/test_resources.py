"""Resources: the same facts as the tools, and notices to subscribers also when another process wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import pytest
from agenthost import ResourceTemplate
from agenthost_campfire import addresses
from agenthost_campfire.resources import RESOURCES
from hypothesis import given
from hypothesis import strategies as st

UPDATED = "notifications/resources/updated"


def uri(fire: str, *rest: str) -> str:
    return "/".join(("campfire://fires", quote(fire, safe=""), *rest))


def fight(agent: Any, fire: str) -> str:
    """A duel from the gauntlet to the verdict; returns its id."""
    agent("throw_gauntlet", fireId=fire, challenger_name="A", target_name="B", thesis_of_attack="the thesis")
    agent("take_oath_of_judgement", fireId=fire, character_name="J")
    agent("strike_argument", fireId=fire, character_name="A", technical_evidence="the evidence")
    agent("hold_the_line", fireId=fire, character_name="B", defense_rationale="the defence", surrender=False)
    ruling = {"winner": "defender", "ruling_rationale": "the ruling", "required_plan_mutation": "PLAN 2"}
    return agent("deliver_verdict", fireId=fire, character_name="J", **ruling)["duelId"]


def subscribe(agent: Any, *uris: str) -> None:
    if agent.server.era == "legacy":
        for one in uris:
            assert "result" in agent.server.request("resources/subscribe", {"uri": one})
    else:
        agent.server.start_request("subscriptions/listen", {"notifications": {"resourceSubscriptions": list(uris)}})
        agent.server.wait_for_notification("notifications/subscriptions/acknowledged")


def told(agent: Any, count: int) -> set[str]:
    """The addresses in so many notices."""
    return {agent.server.wait_for_notification(UPDATED)["params"]["uri"] for _ in range(count)}


def test_resources_and_templates_are_listed(agent: Any) -> None:
    [fires] = agent.server.request("resources/list")["result"]["resources"]
    assert fires["uri"] == addresses.FIRES
    templates = agent.server.request("resources/templates/list")["result"]["resourceTemplates"]
    assert [template["uriTemplate"] for template in templates] == [
        "campfire://fires/{fireId}",
        "campfire://fires/{fireId}/messages",
        "campfire://fires/{fireId}/plan",
        "campfire://fires/{fireId}/duel",
        "campfire://fires/{fireId}/duels",
        "campfire://fires/{fireId}/duels/{duelId}",
        "campfire://fires/{fireId}/transcript",
        "campfire://fires/{fireId}/duels/{duelId}/transcript",
    ]


@pytest.mark.parametrize("suffix", ["", " with blanks", " a/b?c#d%20é日本..", "/../other", "{fireId}"])
def test_resources_tell_what_the_tools_tell(agent: Any, fire: str, suffix: str) -> None:
    place = fire + suffix
    agent("update_battle_plan", fireId=place, content="PLAN 1")
    agent("post_message", fireId=place, text="hello", author="Planner")
    duel = fight(agent, place)
    assert agent.read(uri(place)) == {
        key: value for key, value in agent("get_or_create_fire", fireId=place).items() if key != "fireCreated"
    }
    assert agent.read(uri(place)) in agent.read(addresses.FIRES)["fires"]
    assert agent.read(uri(place, "messages")) == agent("list_messages", fireId=place)
    assert agent.read(uri(place, "plan")) == agent("get_battle_plan", fireId=place)
    assert agent.read(uri(place, "duel")) == agent("get_duel", fireId=place)
    assert agent.read(uri(place, "duels")) == agent("list_duels", fireId=place)
    assert agent.read(uri(place, "duels", duel)) == agent("get_duel", fireId=place, duelId=duel)


def test_transcripts_are_for_people(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    agent("post_message", fireId=fire, text="hello\n# not a heading\x1b[2J", author="Planner")
    duel = fight(agent, fire)
    whole = agent.read(uri(fire, "transcript"))
    one = agent.read(uri(fire, "duels", duel, "transcript"))
    assert whole.startswith(f"# Fire {fire}\n")
    assert one.startswith(f"# Duel {duel}\n")
    for fact in ("the thesis", "J is the judge", "the evidence", "the defence", "the ruling"):
        assert fact in whole
        assert fact in one
    assert "PLAN 2" in whole
    assert "\n> # not a heading\ufffd[2J\n" in whole
    assert "hello" not in one


@pytest.mark.parametrize("rest", [[], ["messages"], ["plan"], ["duel"], ["duels"], ["duels", "d"], ["transcript"]])
def test_what_is_not_there_is_an_error_that_names_it(agent: Any, rest: list[str]) -> None:
    error = agent.server.request("resources/read", {"uri": uri("no such fire", *rest)})["error"]
    assert error["code"] == -32602
    assert "no such fire" in error["message"]


def test_an_unknown_duel_is_an_error_that_names_it(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    for rest in (["duels", "duel-0"], ["duels", "duel-0", "transcript"]):
        assert "duel-0" in agent.server.request("resources/read", {"uri": uri(fire, *rest)})["error"]["message"]
    assert "duel-0" in agent.refused("get_duel", fireId=fire, duelId="duel-0")


def test_the_rest_of_an_address_is_completed(agent: Any, fire: str) -> None:
    def complete(template: str, name: str, value: str, **known: str) -> list[str]:
        params = {
            "ref": {"type": "ref/resource", "uri": template},
            "argument": {"name": name, "value": value},
            "context": {"arguments": known},
        }
        values: list[str] = agent.server.request("completion/complete", params)["result"]["completion"]["values"]
        return values

    agent("get_or_create_fire", fireId=f"Late {fire}")
    agent("get_or_create_fire", fireId=f"{fire} late")
    assert complete(addresses.PLAN, "fireId", fire.upper()) == [f"{fire} late", f"Late {fire}"]
    duel = fight(agent, fire)
    assert complete(addresses.ONE_DUEL, "duelId", "duel-", fireId=fire) == [duel]
    assert complete(addresses.ONE_DUEL, "duelId", "x", fireId=fire) == []


@pytest.mark.parametrize("order", [1, -1], ids=["modern listens", "legacy listens"])
def test_subscribers_are_told_when_another_process_wrote(pair: Sequence[Any], fire: str, order: int) -> None:
    listener, actor = pair[::order]
    place = f"{fire} / é"
    actor("get_or_create_fire", fireId=place)
    kinds = {kind: uri(place, kind) for kind in ("messages", "plan", "duel", "duels", "transcript")}
    subscribe(listener, uri(place), *kinds.values())
    actor("post_message", fireId=place, text="hello")
    assert told(listener, 3) == {uri(place), kinds["messages"], kinds["transcript"]}
    actor("update_battle_plan", fireId=place, content="PLAN")
    assert told(listener, 3) == {uri(place), kinds["plan"], kinds["transcript"]}
    duel = actor("throw_gauntlet", fireId=place, challenger_name="A", target_name="B", thesis_of_attack="T")["duel"]
    assert told(listener, 4) == {uri(place), kinds["duel"], kinds["duels"], kinds["transcript"]}
    one = [uri(place, "duels", duel["duelId"]), uri(place, "duels", duel["duelId"], "transcript")]
    subscribe(listener, *one)
    actor("abandon_duel", fireId=place)
    assert told(listener, 6) == {uri(place), kinds["duel"], kinds["duels"], kinds["transcript"], *one}


@given(st.text(min_size=1), st.text(min_size=1))
def test_addresses_are_those_of_the_templates(fire: str, duel: str) -> None:
    fire, duel = (text.encode(errors="replace").decode() for text in (fire, duel))
    for template in RESOURCES:
        if isinstance(template, ResourceTemplate):
            made = template.expand(fireId=fire, duelId=duel)
            assert addresses.address(template.uri_template, fire, duel) == made
