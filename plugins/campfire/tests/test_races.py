"""Steps taken at once, on one connection and from two processes: of those that exclude each other, one counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

TIMES = 20


def gauntlet(fire: str, challenger: str = "A", target: str = "B") -> tuple[str, dict[str, Any]]:
    names = {"challenger_name": challenger, "target_name": target}
    return "throw_gauntlet", {"fireId": fire, **names, "thesis_of_attack": f"{challenger} against {target}"}


def oath(fire: str, name: str = "J") -> tuple[str, dict[str, Any]]:
    return "take_oath_of_judgement", {"fireId": fire, "character_name": name}


def strike(fire: str, evidence: str = "ev") -> tuple[str, dict[str, Any]]:
    return "strike_argument", {"fireId": fire, "character_name": "A", "technical_evidence": evidence}


def hold(fire: str, defence: str = "d") -> tuple[str, dict[str, Any]]:
    arguments = {"character_name": "B", "defense_rationale": defence, "surrender": False}
    return "hold_the_line", {"fireId": fire, **arguments}


def verdict(fire: str, winner: str) -> tuple[str, dict[str, Any]]:
    ruling = {"winner": winner, "ruling_rationale": f"for the {winner}", "required_plan_mutation": f"plan of {winner}"}
    return "deliver_verdict", {"fireId": fire, "character_name": "J", **ruling}


def update(fire: str, content: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "update_battle_plan", {"fireId": fire, "content": content, **more}


def act(agent: Any, *steps: tuple[str, dict[str, Any]]) -> None:
    for name, arguments in steps:
        agent(name, **arguments)


def race(
    agents: Sequence[Any], calls: Sequence[tuple[str, dict[str, Any]]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Send the calls at once, spread over the agents in turn; what succeeded and what was refused."""
    sent = [
        (agent, *one)
        for position, agent in enumerate(agents)
        for one in agent.send_at_once(*calls[position :: len(agents)])
    ]
    results = [agent.collect(name, number) for agent, name, number in sent]
    return (
        [result["structuredContent"] for result in results if not result.get("isError")],
        [result for result in results if result.get("isError")],
    )


@pytest.fixture(params=["one connection", "two processes"])
def racers(request: pytest.FixtureRequest, pair: Sequence[Any]) -> Sequence[Any]:
    return pair if request.param == "two processes" else pair[:1]


def test_c37_of_two_verdicts_at_once_one_counts_and_the_plan_is_its(racers: Sequence[Any], fire: str) -> None:
    winners = set()
    for time in range(TIMES):
        place = f"{fire} {time}"
        act(racers[0], gauntlet(place), oath(place), strike(place), hold(place))
        rulings = [verdict(place, "challenger"), verdict(place, "defender")]
        [ruled], [_] = race(racers, rulings[:: 1 if time % 2 else -1])
        plan = racers[-1]("get_battle_plan", fireId=place)
        assert (plan["content"], plan["revision"]) == (f"plan of {ruled['winner']}", 1)
        winners.add(ruled["winner"])
    assert winners == {"challenger", "defender"}


def test_c38_of_the_same_step_taken_at_once_one_counts(racers: Sequence[Any], fire: str) -> None:
    for time in range(TIMES):
        place = f"{fire} {time}"
        [thrown], [_] = race(racers, [gauntlet(place, "A", "B"), gauntlet(place, "B", "A")])
        challenger, defender = thrown["duel"]["challengerName"], thrown["duel"]["defenderName"]
        [sworn], [_, _] = race(racers, [oath(place, "J"), oath(place, "K"), oath(place, "L")])
        judge = sworn["duel"]["judgeName"]
        strikes = [strike(place, text) for text in ("one", "two")]
        holds = [hold(place, text) for text in ("one", "two")]
        for _, arguments in strikes:
            arguments["character_name"] = challenger
        for _, arguments in holds:
            arguments["character_name"] = defender
        [_], [_] = race(racers, strikes)
        [_], [_] = race(racers, holds)
        record = racers[-1]("get_duel", fireId=place)
        assert [step["kind"] for step in record["transcript"]] == ["gauntlet", "oath", "strike", "hold"]
        assert [step["name"] for step in record["transcript"]] == [challenger, judge, challenger, defender]
        assert record["expected"] == {"role": "judge", "name": judge}


def test_c39_what_is_sent_after_the_gauntlet_meets_the_lock(pair: Sequence[Any], fire: str) -> None:
    agent = pair[0]
    for time in range(TIMES):
        place = f"{fire} {time}"
        agent("get_or_create_fire", fireId=place)
        thrown, updated, posted, spoken = agent.at_once(
            gauntlet(place),
            update(place, "too late"),
            ("post_message", {"fireId": place, "text": "too late"}),
            ("speak_to_party", {"fireId": place, "text": "too late"}),
        )
        assert not thrown.get("isError")
        for refused in (updated, posted, spoken):
            assert refused["isError"]
            assert "A judge is awaited" in refused["content"][0]["text"]
        assert agent("get_duel", fireId=place)["lastSeq"] == 1


def test_c39_what_is_sent_before_the_gauntlet_is_written(pair: Sequence[Any], fire: str) -> None:
    for time in range(TIMES):
        results = pair[0].at_once(update(f"{fire} {time}", "in time"), gauntlet(f"{fire} {time}"))
        assert not any(result.get("isError") for result in results)


def test_between_two_processes_a_plan_or_a_duel_comes_first_and_never_both_at_once(
    pair: Sequence[Any], fire: str
) -> None:
    for time in range(TIMES):
        place = f"{fire} {time}"
        succeeded, refused = race(pair, [gauntlet(place), update(place, "plan")])
        record = pair[0]("get_duel", fireId=place)
        assert record["duel"] is not None
        plan = pair[1]("get_battle_plan", fireId=place)
        if refused:
            assert plan["revision"] == 0
        else:
            assert len(succeeded) == 2
            assert plan["history"][0]["seq"] < record["transcript"][0]["seq"]


def test_of_five_changes_of_one_revision_one_is_written_and_the_others_get_the_plan(
    racers: Sequence[Any], fire: str
) -> None:
    for time in range(TIMES):
        place = f"{fire} {time}"
        racers[0]("update_battle_plan", fireId=place, content="first")
        changes = [update(place, f"change {n}", expected_revision=1, author=f"agent {n}") for n in range(5)]
        [written], refused = race(racers, changes)
        assert written["revision"] == 2
        content = racers[-1]("get_battle_plan", fireId=place)["content"]
        assert len(refused) == 4
        for result in refused:
            assert result["structuredContent"] == {"revision": 2, "content": content}
            assert "expected_revision=2" in result["content"][0]["text"]
            assert content in result["content"][0]["text"]


def test_everything_at_a_fire_takes_one_number_of_one_sequence(pair: Sequence[Any], fire: str) -> None:
    pair[0]("get_or_create_fire", fireId=fire)
    calls = [("post_message", {"fireId": fire, "text": f"m{n}"}) if n % 2 else update(fire, f"p{n}") for n in range(20)]
    _, refused = race(pair, calls)
    assert refused == []
    act(pair[0], gauntlet(fire), oath(fire), strike(fire), hold(fire), verdict(fire, "defender"))
    waited = pair[1]("wait", fireId=fire, after=0)
    assert [item["seq"] for item in waited["items"]] == list(range(1, 27))
