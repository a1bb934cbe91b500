"""The scene of campfire for `agenthost demo`: a debate, a duel and a verdict between two server processes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from agenthost import Answer, Say, Scene, SceneClient

FIRE = "release"


async def run(clients: Sequence[SceneClient], say: Say) -> None:
    """Two agents disagree, one challenges the other, a third rules, and both read the plan.

    Raises:
        RuntimeError: the servers did not do what the scene tells.
    """
    here, there = clients

    say("A planner and a sceptic meet at a fire. Each has a server process of its own; they share the folder.")
    await _done(here, "campfire_get_or_create_fire", fireId=FIRE)
    words = {"author": "Planner", "text": "Let us ship on Friday evening."}
    async with asyncio.TaskGroup() as both:
        waiting = both.create_task(there.call("campfire_wait", fireId=FIRE, after=0, timeout_seconds=20))
        both.create_task(_done(here, "campfire_speak_to_party", fireId=FIRE, **words))
    heard = waiting.result()
    _expect(bool(heard.structured and heard.structured["changed"]), "the sceptic's process hears the planner's")
    await _done(
        here,
        "campfire_update_battle_plan",
        fireId=FIRE,
        author="Planner",
        content="Ship on Friday.",
        expected_revision=0,
    )

    say("The sceptic disagrees, and challenges. Until there is a verdict, nobody can talk or change the plan.")
    await _done(
        there,
        "campfire_throw_gauntlet",
        fireId=FIRE,
        challenger_name="Sceptic",
        target_name="Planner",
        thesis_of_attack="Nobody is there to repair it on a Saturday.",
    )
    refused = await here.call("campfire_speak_to_party", fireId=FIRE, author="Planner", text="But wait ...")
    _expect(refused.is_error, "the fire to be closed")

    say("A third agent swears to judge. The challenger strikes, the defender gives in, the judge rules.")
    await _done(here, "campfire_take_oath_of_judgement", fireId=FIRE, character_name="Judge")
    await _done(
        there,
        "campfire_strike_argument",
        fireId=FIRE,
        character_name="Sceptic",
        technical_evidence="The last three releases each needed a fix within a day.",
    )
    await _done(
        here,
        "campfire_hold_the_line",
        fireId=FIRE,
        character_name="Planner",
        defense_rationale="That is so. Monday costs us nothing.",
        surrender=True,
    )
    await _done(
        there,
        "campfire_deliver_verdict",
        fireId=FIRE,
        character_name="Judge",
        winner="challenger",
        ruling_rationale="The evidence stands, and the defender agrees.",
        required_plan_mutation="Ship on Monday morning.",
    )

    say("The verdict is the plan now, in both processes, and the old plan is still in its history.")
    for client in clients:
        plan = await _done(client, "campfire_get_battle_plan", fireId=FIRE)
        _expect(plan["content"] == "Ship on Monday morning.", "the judge's plan")
        _expect([entry["reason"] for entry in plan["history"]] == ["update", "verdict"], "both revisions")


async def _done(client: SceneClient, tool: str, **arguments: Any) -> dict[str, Any]:
    answer: Answer = await client.call(tool, **arguments)
    _expect(not answer.is_error, f"a success instead of: {answer.text}")
    return answer.structured or {}


def _expect(fulfilled: bool, what: str) -> None:
    if not fulfilled:
        raise RuntimeError(f"expected {what}")


SCENE = Scene("two agents disagree, fight it out, and get a plan", run, processes=2)
