"""The conformance rows of campfire, one by one, through a real server in both eras of the protocol."""

from __future__ import annotations

import json
from typing import Any

import pytest

ORIGINAL: dict[str, tuple[set[str], set[str]]] = {
    "ping": (set(), set()),
    "echo": ({"message"}, set()),
    "get_or_create_fire": ({"fireId"}, set()),
    "post_message": ({"fireId", "text"}, {"author"}),
    "list_messages": ({"fireId"}, set()),
    "throw_gauntlet": ({"fireId", "challenger_name", "target_name", "thesis_of_attack"}, set()),
    "take_oath_of_judgement": ({"fireId", "character_name"}, set()),
    "strike_argument": ({"fireId", "character_name", "technical_evidence"}, set()),
    "hold_the_line": ({"fireId", "character_name", "defense_rationale", "surrender"}, set()),
    "deliver_verdict": (
        {"fireId", "character_name", "winner", "ruling_rationale", "required_plan_mutation"},
        set(),
    ),
    "abandon_duel": ({"fireId"}, set()),
    "speak_to_party": ({"fireId", "text"}, {"author"}),
    "update_battle_plan": ({"fireId", "content"}, set()),
}
"""The 13 tools of the original: required arguments, optional arguments."""

OURS: dict[str, tuple[set[str], set[str]]] = {
    "post_message": (set(), {"reply_to", "client_id"}),
    "speak_to_party": (set(), {"reply_to", "client_id"}),
    "list_messages": (set(), {"after", "before", "limit", "author", "search"}),
    "abandon_duel": (set(), {"character_name", "reason"}),
    "update_battle_plan": (set(), {"expected_revision", "author"}),
    "list_fires": (set(), {"before"}),
    "get_duel": ({"fireId"}, {"duelId"}),
    "list_duels": ({"fireId"}, set()),
    "get_battle_plan": ({"fireId"}, {"revision"}),
    "wait": ({"fireId", "after"}, {"timeout_seconds"}),
}
"""What we add to them, and the tools that were missing."""

WRITES: list[tuple[str, dict[str, Any]]] = [
    ("post_message", {"text": "psst"}),
    ("speak_to_party", {"text": "psst"}),
    ("update_battle_plan", {"content": "another plan"}),
]


def throw(agent: Any, fire: str, challenger: str = "A", target: str = "B", thesis: str = "T") -> dict[str, Any]:
    return agent("throw_gauntlet", fireId=fire, challenger_name=challenger, target_name=target, thesis_of_attack=thesis)


def swear(agent: Any, fire: str, name: str = "J") -> dict[str, Any]:
    return agent("take_oath_of_judgement", fireId=fire, character_name=name)


def strike(agent: Any, fire: str) -> dict[str, Any]:
    return agent("strike_argument", fireId=fire, character_name="A", technical_evidence="ev")


def hold(agent: Any, fire: str, surrender: bool = False) -> dict[str, Any]:
    return agent("hold_the_line", fireId=fire, character_name="B", defense_rationale="d", surrender=surrender)


def verdict(fire: str, **changes: Any) -> dict[str, Any]:
    return {
        "fireId": fire,
        "character_name": "J",
        "winner": "challenger",
        "ruling_rationale": "why",
        "required_plan_mutation": "PLAN2",
        **changes,
    }


def state(agent: Any, fire: str) -> str:
    return agent("get_duel", fireId=fire)["state"]


def turn(agent: Any, fire: str) -> str:
    return agent("get_duel", fireId=fire)["duel"]["currentTurn"]


def test_c01_the_original_tools_are_listed_with_their_arguments_and_the_missing_ones_beside_them(agent: Any) -> None:
    listed = {tool["name"].removeprefix("campfire_"): tool for tool in agent.server.tools()}
    assert set(listed) == {*ORIGINAL, *OURS}
    for name, tool in listed.items():
        schema = tool["inputSchema"]
        parts = [part[name] for part in (ORIGINAL, OURS) if name in part]
        required = set().union(*(part[0] for part in parts))
        assert set(schema.get("required", [])) == required, name
        assert set(schema["properties"]) == required.union(*(part[1] for part in parts)), name
        assert schema["additionalProperties"] is False
        assert len(tool["description"]) <= 400
        assert len(tool["name"]) <= 40
    assert listed["hold_the_line"]["inputSchema"]["properties"]["surrender"]["type"] == "boolean"
    assert listed["deliver_verdict"]["inputSchema"]["properties"]["winner"]["enum"] == ["challenger", "defender"]


def test_c02_ping_answers_pong_with_and_without_arguments(agent: Any) -> None:
    assert "pong" in agent.server.text("campfire_ping", {})
    assert "pong" in agent.server.text("campfire_ping")


def test_c03_an_unknown_argument_is_named(agent: Any) -> None:
    assert "x: there is no such argument" in agent.refused("ping", x=1)


def test_c04_echo_gives_the_text_unchanged(agent: Any) -> None:
    assert agent.server.text("campfire_echo", {"message": " hi "}) == " hi "


def test_c05_echo_refuses_a_blank_text(agent: Any) -> None:
    assert "blank" in agent.refused("echo", message="  ")


def test_c06_a_fire_is_made_once_and_then_the_same(agent: Any, fire: str) -> None:
    first = agent("get_or_create_fire", fireId=fire)
    second = agent("get_or_create_fire", fireId=f"  {fire} ")
    assert (first["id"], first["fireCreated"], second["fireCreated"]) == (fire, True, False)
    assert (first["id"], first["createdAt"]) == (second["id"], second["createdAt"])


@pytest.mark.parametrize("given", ["", "  "])
def test_c07_a_fire_needs_an_id(agent: Any, given: str) -> None:
    assert "fireId is blank" in agent.refused("get_or_create_fire", fireId=given)


@pytest.mark.parametrize("tool", ["post_message", "speak_to_party"])
def test_c08_nothing_is_posted_to_an_unknown_fire(agent: Any, tool: str) -> None:
    assert "'no such fire'" in agent.refused(tool, fireId="no such fire", text="x")


@pytest.mark.parametrize("tool", ["post_message", "speak_to_party"])
def test_c09_a_message_is_trimmed_and_has_no_author_if_none_is_given(agent: Any, fire: str, tool: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    message = agent(tool, fireId=fire, text="  hello ")
    assert message["text"] == "hello"
    assert "author" not in message
    assert message["fireId"] == fire
    assert message["id"].startswith("msg-")
    assert message["createdAt"].endswith("Z")
    assert "author" not in agent(tool, fireId=fire, text="x", author=None)
    assert "author" not in agent(tool, fireId=fire, text="x", author=" ")
    assert agent(tool, fireId=fire, text="x", author=" Planner ")["author"] == "Planner"


def test_c10_messages_sent_at_once_have_ids_of_their_own_and_keep_their_order(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    results = agent.at_once(*(("post_message", {"fireId": fire, "text": f"message {n}"}) for n in range(50)))
    posted = [result["structuredContent"] for result in results]
    assert len({message["id"] for message in posted}) == 50
    listed = agent("list_messages", fireId=fire)["messages"]
    assert listed == sorted(posted, key=lambda message: message["seq"])
    assert [message["text"] for message in listed] == [f"message {n}" for n in range(50)]


@pytest.mark.parametrize("tool", ["list_messages", "get_duel", "list_duels", "get_battle_plan", "abandon_duel"])
def test_c11_reading_an_unknown_fire_is_refused(agent: Any, tool: str) -> None:
    assert "'no such fire'" in agent.refused(tool, fireId="no such fire")


def test_c12_a_gauntlet_begins_a_duel_that_waits_for_a_judge(agent: Any, fire: str) -> None:
    thrown = throw(agent, fire, " A ", "B", "T")
    duel = thrown["duel"]
    assert thrown["fireCreated"] is True
    assert duel["judgeName"] is None
    assert (duel["currentTurn"], duel["challengerName"], duel["defenderName"]) == ("challenger", "A", "B")
    assert duel["thesisOfAttack"] == "T"
    assert duel["state"] == state(agent, fire) == "HONORABLE_DUEL_PENDING"
    assert "campfire_take_oath_of_judgement" in thrown["message"]


@pytest.mark.parametrize(
    ("challenger", "target", "thesis", "said"),
    [
        ("A", "A", "T", "same name"),
        ("A", " a ", "T", "same name"),
        ("Ａ", "a", "T", "same name"),
        ("Straße", "STRASSE", "T", "same name"),
        ("A\u200b", "A", "T", "same name"),
        ("", "B", "T", "challenger_name is blank"),
        ("A", "\t", "T", "target_name is blank"),
        ("A", "\u200b", "T", "target_name has no visible character"),
        ("A", "B", " \n", "thesis_of_attack is blank"),
    ],
)
def test_c13_a_duel_needs_two_names_and_a_thesis(
    agent: Any, fire: str, challenger: str, target: str, thesis: str, said: str
) -> None:
    agent("get_or_create_fire", fireId=fire)
    arguments = {"challenger_name": challenger, "target_name": target, "thesis_of_attack": thesis}
    assert said in agent.refused("throw_gauntlet", fireId=fire, **arguments)
    assert agent("get_duel", fireId=fire)["duel"] is None
    assert agent("list_duels", fireId=fire)["duels"] == []


def test_c14_a_second_gauntlet_is_refused_and_the_first_duel_stays(agent: Any, fire: str) -> None:
    duel = throw(agent, fire)["duel"]
    arguments = {"challenger_name": "C", "target_name": "C", "thesis_of_attack": "other"}
    text = agent.refused("throw_gauntlet", fireId=fire, **arguments)
    assert "HONORABLE_DUEL_PENDING" in text
    assert "campfire_take_oath_of_judgement" in text
    assert agent("get_duel", fireId=fire)["duel"] == duel


def test_c15_while_a_judge_is_awaited_nothing_is_written_and_the_refusal_says_so(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    before = agent("post_message", fireId=fire, text="before")
    throw(agent, fire)
    for tool, arguments in WRITES:
        text = agent.refused(tool, fireId=fire, **arguments)
        assert "HONORABLE_DUEL_PENDING" in text
        assert "A judge is awaited" in text
        assert "campfire_take_oath_of_judgement" in text
    assert agent("list_messages", fireId=fire)["messages"] == [before]
    assert agent("get_battle_plan", fireId=fire)["revision"] == 0


def test_c16_in_an_active_duel_nothing_is_written_and_the_refusal_names_whose_turn_it_is(agent: Any, fire: str) -> None:
    throw(agent, fire, "Planner", "Sceptic")
    swear(agent, fire, "Elder")
    turns = [
        ("challenger", "Planner", "strike_argument", {"technical_evidence": "ev"}),
        ("defender", "Sceptic", "hold_the_line", {"defense_rationale": "d", "surrender": False}),
        ("judge", "Elder", None, {}),
    ]
    for role, name, move, arguments in turns:
        for tool, written in WRITES:
            text = agent.refused(tool, fireId=fire, **written)
            assert "DUEL_ACTIVE" in text
            assert f"the turn of the {role} ({name})" in text
        if move is not None:
            agent(move, fireId=fire, character_name=name, **arguments)


def test_c17_reading_is_never_blocked(agent: Any, fire: str) -> None:
    for step in (throw, swear, strike, hold):
        step(agent, fire)
        for tool in ("list_messages", "get_duel", "list_duels", "get_battle_plan"):
            agent(tool, fireId=fire)
        assert agent("wait", fireId=fire, after=0)["changed"]


def test_c18_an_oath_without_a_duel_is_refused(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    text = agent.refused("take_oath_of_judgement", fireId=fire, character_name="J")
    assert "campfire_throw_gauntlet" in text


@pytest.mark.parametrize(("name", "role"), [("A", "challenger"), ("B", "defender"), (" a ", "challenger")])
def test_c19_a_side_cannot_judge_its_own_duel(agent: Any, fire: str, name: str, role: str) -> None:
    throw(agent, fire)
    assert f"the {role} of this duel" in agent.refused("take_oath_of_judgement", fireId=fire, character_name=name)
    assert state(agent, fire) == "HONORABLE_DUEL_PENDING"


def test_c20_an_oath_makes_the_duel_active_and_gives_it_to_the_judge(agent: Any, fire: str) -> None:
    throw(agent, fire, thesis="the thesis")
    result = agent.result("take_oath_of_judgement", fireId=fire, character_name=" J ")
    duel = result["structuredContent"]["duel"]
    assert (duel["judgeName"], duel["thesisOfAttack"]) == ("J", "the thesis")
    assert (duel["state"], duel["currentTurn"]) == ("DUEL_ACTIVE", "challenger")
    [block] = result["content"]
    for fact in ("J", "the thesis", "DUEL_ACTIVE", "challenger", duel["duelId"], "campfire_strike_argument"):
        assert fact in block["text"]


def test_c21_a_second_oath_is_refused(agent: Any, fire: str) -> None:
    throw(agent, fire)
    swear(agent, fire, "J")
    assert "The judge is J already" in agent.refused("take_oath_of_judgement", fireId=fire, character_name="K")
    assert agent("get_duel", fireId=fire)["duel"]["judgeName"] == "J"


def test_c22_nobody_strikes_before_there_is_a_judge(agent: Any, fire: str) -> None:
    throw(agent, fire)
    text = agent.refused("strike_argument", fireId=fire, character_name="A", technical_evidence="ev")
    assert "HONORABLE_DUEL_PENDING" in text
    assert "A judge is awaited" in text


def test_c23_only_the_challenger_strikes(agent: Any, fire: str) -> None:
    throw(agent, fire)
    swear(agent, fire)
    text = agent.refused("strike_argument", fireId=fire, character_name="B", technical_evidence="ev")
    assert "Only the challenger (A)" in text


def test_c24_nobody_acts_before_their_turn(agent: Any, fire: str) -> None:
    throw(agent, fire)
    swear(agent, fire)
    early = {"fireId": fire, "character_name": "B", "defense_rationale": "d", "surrender": False}
    for text in (agent.refused("hold_the_line", **early), agent.refused("deliver_verdict", **verdict(fire))):
        assert "the turn of the challenger (A)" in text
    assert turn(agent, fire) == "challenger"


def test_c25_a_strike_is_kept_and_the_turn_goes_to_the_defender(agent: Any, fire: str) -> None:
    throw(agent, fire)
    swear(agent, fire)
    assert strike(agent, fire)["currentTurn"] == "defender"
    step = agent("get_duel", fireId=fire)["transcript"][-1]
    assert (step["kind"], step["text"], step["role"], step["name"]) == ("strike", "ev", "challenger", "A")
    assert step["createdAt"].endswith("Z")


def test_c26_there_is_one_strike(agent: Any, fire: str) -> None:
    throw(agent, fire)
    swear(agent, fire)
    strike(agent, fire)
    text = agent.refused("strike_argument", fireId=fire, character_name="A", technical_evidence="more")
    assert "the turn of the defender (B)" in text


def test_c27_surrender_has_to_be_yes_or_no(agent: Any, fire: str) -> None:
    throw(agent, fire)
    swear(agent, fire)
    strike(agent, fire)
    arguments = {"fireId": fire, "character_name": "B", "defense_rationale": "d"}
    assert "surrender" in agent.refused("hold_the_line", **arguments, surrender="yes")
    assert "surrender: missing" in agent.refused("hold_the_line", **arguments)
    assert turn(agent, fire) == "defender"


def test_c28_a_defence_is_kept_and_the_turn_goes_to_the_judge(agent: Any, fire: str) -> None:
    for step in (throw, swear, strike):
        step(agent, fire)
    assert hold(agent, fire)["currentTurn"] == "judge"
    last = agent("get_duel", fireId=fire)["transcript"][-1]
    assert (last["kind"], last["text"], last["surrender"], last["name"]) == ("hold", "d", False, "B")


def test_c29_after_a_surrender_only_the_challenger_can_win(agent: Any, fire: str) -> None:
    for step in (throw, swear, strike):
        step(agent, fire)
    assert hold(agent, fire, surrender=True)["surrendered"] is True
    text = agent.refused("deliver_verdict", **verdict(fire, winner="defender"))
    assert "surrendered" in text
    assert "winner=challenger" in text
    assert agent("deliver_verdict", **verdict(fire))["winner"] == "challenger"


def test_c30_a_verdict_names_one_of_two_winners(agent: Any, fire: str) -> None:
    for step in (throw, swear, strike, hold):
        step(agent, fire)
    text = agent.refused("deliver_verdict", **verdict(fire, winner="draw"))
    assert "challenger" in text
    assert "defender" in text
    assert turn(agent, fire) == "judge"


@pytest.mark.parametrize("name", ["A", "B", "K"])
def test_c31_only_the_judge_rules(agent: Any, fire: str, name: str) -> None:
    for step in (throw, swear, strike, hold):
        step(agent, fire)
    assert "Only the judge (J)" in agent.refused("deliver_verdict", **verdict(fire, character_name=name))


@pytest.mark.parametrize("blank", ["ruling_rationale", "required_plan_mutation"])
def test_c32_a_blank_ruling_changes_nothing(agent: Any, fire: str, blank: str) -> None:
    agent("update_battle_plan", fireId=fire, content="PLAN1")
    for step in (throw, swear, strike, hold):
        step(agent, fire)
    assert f"{blank} is blank" in agent.refused("deliver_verdict", **verdict(fire, **{blank: " \n "}))
    assert (state(agent, fire), turn(agent, fire)) == ("DUEL_ACTIVE", "judge")
    assert agent("get_battle_plan", fireId=fire)["content"] == "PLAN1"


def test_c33_a_verdict_ends_the_duel_becomes_the_plan_and_stays_readable(agent: Any, fire: str) -> None:
    for step in (throw, swear, strike, hold):
        step(agent, fire)
    ruled = agent("deliver_verdict", **verdict(fire, character_name=" j "))
    assert (ruled["winner"], ruled["planMutated"], ruled["revision"]) == ("challenger", True, 1)
    assert state(agent, fire) == "DEBATING"
    plan = agent("get_battle_plan", fireId=fire)
    assert plan["content"] == "PLAN2"
    [revision] = plan["history"]
    assert (revision["reason"], revision["duelId"], revision["author"]) == ("verdict", ruled["duelId"], "J")
    record = agent("get_duel", fireId=fire, duelId=ruled["duelId"])
    assert [step["kind"] for step in record["transcript"]] == ["gauntlet", "oath", "strike", "hold", "verdict"]
    assert [step.get("text") for step in record["transcript"]] == ["T", None, "ev", "d", "why"]
    assert (record["duel"]["outcome"], record["duel"]["winner"]) == ("verdict", "challenger")
    assert agent("get_duel", fireId=fire)["lastDuelId"] == ruled["duelId"]


def test_c34_there_is_one_verdict(agent: Any, fire: str) -> None:
    for step in (throw, swear, strike, hold):
        step(agent, fire)
    agent("deliver_verdict", **verdict(fire))
    assert "no active duel" in agent.refused("deliver_verdict", **verdict(fire))


@pytest.mark.parametrize("steps", [[throw], [throw, swear], [throw, swear, strike], [throw, swear, strike, hold]])
def test_c35_a_duel_can_be_abandoned_in_any_phase_and_that_is_kept(agent: Any, fire: str, steps: list[Any]) -> None:
    agent("update_battle_plan", fireId=fire, content="PLAN1")
    for step in steps:
        step(agent, fire)
    result = agent.result("abandon_duel", fireId=fire, character_name=" b ", reason="moot")
    abandoned = result["structuredContent"]
    assert abandoned["duelId"] in result["content"][0]["text"]
    assert state(agent, fire) == "DEBATING"
    assert agent("get_battle_plan", fireId=fire)["revision"] == 1
    agent("post_message", fireId=fire, text="open again")
    record = agent("get_duel", fireId=fire, duelId=abandoned["duelId"])
    assert record["duel"]["outcome"] == "abandoned"
    last = record["transcript"][-1]
    assert (last["kind"], last["name"], last["role"], last["text"]) == ("abandoned", "b", "defender", "moot")


def test_c35_a_duel_can_be_abandoned_by_nobody_in_particular(agent: Any, fire: str) -> None:
    throw(agent, fire)
    abandoned = agent("abandon_duel", fireId=fire)
    last = agent("get_duel", fireId=fire, duelId=abandoned["duelId"])["transcript"][-1]
    assert {"role", "name", "text"} & set(last) == set()


def test_c36_without_a_duel_there_is_nothing_to_abandon(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    assert "no duel to abandon" in agent.refused("abandon_duel", fireId=fire)


def test_an_unknown_duel_is_named_and_an_endless_id_only_by_its_beginning(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    assert "There is no duel 'duel-x' at fire" in agent.refused("get_duel", fireId=fire, duelId="duel-x")
    assert len(agent.refused("get_duel", fireId=fire, duelId="x" * 10_000)) < 400


def test_c40_an_unknown_tool_is_a_protocol_error(agent: Any) -> None:
    error = agent.server.call("campfire_nope", {})["error"]
    assert error["code"] == -32602
    assert "campfire_nope" in error["message"]


def test_c42_a_duel_closes_its_own_fire_only(agent: Any, fire: str) -> None:
    throw(agent, fire)
    other = f"{fire} other"
    agent("get_or_create_fire", fireId=other)
    for tool, arguments in WRITES:
        agent(tool, fireId=other, **arguments)
    throw(agent, other)


def test_every_answer_is_text_and_structure_that_tell_the_same(agent: Any, fire: str) -> None:
    agent("get_or_create_fire", fireId=fire)
    result = agent.result("list_messages", fireId=fire)
    assert (json.loads(result["content"][0]["text"]), result["structuredContent"]["messages"]) == ([], [])
    result = agent.result("update_battle_plan", fireId=fire, content="PLAN")
    assert f"revision {result['structuredContent']['revision']}" in result["content"][0]["text"]
    result = agent.result("ping")
    assert result["structuredContent"]["time"] in result["content"][0]["text"]
