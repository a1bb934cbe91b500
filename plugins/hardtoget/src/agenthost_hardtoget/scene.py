"""The scene of hardtoget for `agenthost demo`: a witness and a detective, each with a server process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from agenthost import Answer, Say, Scene, SceneClient


async def run(clients: Sequence[SceneClient], say: Say) -> None:
    """A detective moves too early, then hears the witness, narrows the words down in two rounds, and both win.

    Raises:
        RuntimeError: the servers did not do what the scene tells.
    """
    here, there = clients

    say("A witness and a detective take their seats. Each has a server process of its own; they share the folder.")
    witness = (await _done(here, "hardtoget_register", model_name="model-a"))["client_id"]
    detective = (await _done(there, "hardtoget_register", model_name="model-b"))["client_id"]
    seat = await _done(here, "hardtoget_join_game", client_id=witness, preferred_role="Witness", seed=7)
    joined = await _done(there, "hardtoget_join_game", client_id=detective, preferred_role="Detective")
    _expect(joined["game_id"] == seat["game_id"], "both at the same table")
    mine = {"game_id": seat["game_id"], "client_id": witness}
    theirs = {"game_id": seat["game_id"], "client_id": detective}

    say("The witness alone knows the key word. The detective may not move before the witness has answered.")
    early = await there.call("hardtoget_detective_choice", **theirs, eliminated_words=seat["board"][:1])
    _expect(early.is_error, "a refusal")

    for number, removed in enumerate((7, 8), 1):
        say(f"Round {number}. The witness says which option fits the key word better; the detective hears it at once.")
        view = await _done(here, "hardtoget_get_state", **mine)
        choice = view["dilemma"][number - 1]
        async with asyncio.TaskGroup() as both:
            waiting = both.create_task(there.call("hardtoget_wait", **theirs, timeout_seconds=20))
            both.create_task(_done(here, "hardtoget_witness_choice", **mine, dilemma_choice=choice))
        heard = _success(waiting.result())["view"]
        _expect(heard["witness_choice"] == choice, "the witness's choice in the other process")
        _expect("key_word" not in heard, "the key word to stay a secret")
        words = [word for word in heard["board"] if word != view["key_word"]][:removed]
        moved = await _done(there, "hardtoget_detective_choice", **theirs, eliminated_words=words)
    _expect(moved["win"] is True, "only the key word to be left")

    say("They have won together, and both processes know it.")
    results = await _done(here, "hardtoget_results")
    _expect([row["result"] for row in results["results"]] == ["win"], "one result, a win")
    ended = await _done(there, "hardtoget_get_state", **theirs)
    _expect(ended["key_word"] == view["key_word"], "the key word, now that it is over")


async def _done(client: SceneClient, tool: str, **arguments: Any) -> dict[str, Any]:
    return _success(await client.call(tool, **arguments))


def _success(answer: Answer) -> dict[str, Any]:
    _expect(not answer.is_error, f"a success instead of: {answer.text}")
    return answer.structured or {}


def _expect(fulfilled: bool, what: str) -> None:
    if not fulfilled:
        raise RuntimeError(f"expected {what}")


SCENE = Scene("a witness and a detective find the key word", run, processes=2)
