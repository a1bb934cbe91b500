"""The tools of a duel: gauntlet, oath, strike, hold, verdict, and the ways to look on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from agenthost import CallContext, Result, tool
from pydantic import Field

from agenthost_campfire.rules import duel as rules
from agenthost_campfire.rules.texts import (
    clean_fire_id,
    clean_name,
    clean_optional_name,
    clean_optional_text,
    clean_text,
)
from agenthost_campfire.settings import Settings
from agenthost_campfire.shapes import Abandoned, Duel, DuelRecord, Duels, Sworn, Thrown, Verdict
from agenthost_campfire.store import access, duels, records
from agenthost_campfire.store.duels import Said
from agenthost_campfire.store.fires import require
from agenthost_campfire.tools.arguments import ADDS, READS, CharacterName, FireId, deadlines

if TYPE_CHECKING:
    from collections.abc import Callable

    from agenthost import Transaction

    from agenthost_campfire.rules.deadlines import Deadlines


@tool(
    name="campfire_throw_gauntlet",
    description=(
        "Challenge somebody to a duel over the plan when debate leads nowhere. Anyone may, once no duel is going on. "
        "It closes the fire to messages and plan changes until the end, and makes the fire if it is not there. Names "
        "are an honour system. Next: a third agent calls campfire_take_oath_of_judgement, then you "
        "campfire_strike_argument."
    ),
    annotations=ADDS,
)
async def throw_gauntlet(
    ctx: CallContext[Settings],
    fire_id: FireId,
    challenger_name: Annotated[str, Field(description="Your own name, 1 to 100 characters.")],
    target_name: Annotated[str, Field(description="Whom you challenge, 1 to 100 characters: the defender.")],
    thesis_of_attack: Annotated[str, Field(description="What you claim is wrong with the plan or with their view.")],
) -> Thrown:
    """Begin a duel.

    Raises:
        ToolError: an argument is wrong, or a duel is going on; nothing has changed.
    """
    return await access.write(
        ctx.store,
        _throw,
        clean_fire_id(fire_id),
        clean_name(challenger_name, "challenger_name"),
        clean_name(target_name, "target_name"),
        clean_text(thesis_of_attack, "thesis_of_attack", ctx.settings.max_text_bytes),
        deadlines(ctx.settings),
    )


@tool(
    name="campfire_take_oath_of_judgement",
    description=(
        "Become the judge of the duel that waits for one. Only a third agent may, neither its challenger nor its "
        "defender; names are an honour system. Gives the duel with its thesis. Next: the challenger calls "
        "campfire_strike_argument; campfire_wait tells you when it is your turn to call campfire_deliver_verdict."
    ),
    annotations=ADDS,
)
async def take_oath(ctx: CallContext[Settings], fire_id: FireId, character_name: CharacterName) -> Result[Sworn]:
    """Become the judge.

    Raises:
        ToolError: an argument is wrong, or the rules do not allow it; nothing has changed.
    """
    name = clean_name(character_name, "character_name")
    duel = await access.write(
        ctx.store,
        _advance,
        clean_fire_id(fire_id),
        lambda duel: rules.take_oath(duel, name),
        lambda _: Said("oath", "judge", name),
        deadlines(ctx.settings),
    )
    message = (
        f"{name} has taken the oath and judges {duel['challengerName']} (challenger) against {duel['defenderName']} "
        f"(defender). Thesis: {duel['thesisOfAttack']}\nState: {duel['state']}, turn: {duel['currentTurn']}, lastSeq "
        f"{duel['lastSeq']}, duelId {duel['duelId']}. Next: {duel['challengerName']} calls campfire_strike_argument."
    )
    return Result(message, structured={"duel": duel, "message": message})


@tool(
    name="campfire_strike_argument",
    description=(
        "Make the challenger's one argument in an active duel: evidence for the thesis. Only the challenger may, once, "
        "on the challenger's turn, after a judge has taken the oath. Gives the duel. Next: the defender calls "
        "campfire_hold_the_line; follow with campfire_wait."
    ),
    annotations=ADDS,
)
async def strike_argument(
    ctx: CallContext[Settings],
    fire_id: FireId,
    character_name: CharacterName,
    technical_evidence: Annotated[str, Field(description="Your evidence, complete: there is no second strike.")],
) -> Duel:
    """Take the challenger's turn.

    Raises:
        ToolError: an argument is wrong, or the rules do not allow it; nothing has changed.
    """
    name = clean_name(character_name, "character_name")
    evidence = clean_text(technical_evidence, "technical_evidence", ctx.settings.max_text_bytes)
    return await access.write(
        ctx.store,
        _advance,
        clean_fire_id(fire_id),
        lambda duel: rules.strike(duel, name),
        lambda duel: Said("strike", "challenger", duel.challenger, evidence),
        deadlines(ctx.settings),
    )


@tool(
    name="campfire_hold_the_line",
    description=(
        "Answer the challenger's argument in an active duel, or surrender. Only the defender may, once, on the "
        "defender's turn; read the evidence with campfire_get_duel first. After surrender=true the judge can only rule "
        "for the challenger. Gives the duel. Next: the judge calls campfire_deliver_verdict; follow with campfire_wait."
    ),
    annotations=ADDS,
)
async def hold_the_line(
    ctx: CallContext[Settings],
    fire_id: FireId,
    character_name: CharacterName,
    defense_rationale: Annotated[str, Field(description="Your defence, complete, or why you give up.")],
    surrender: Annotated[bool, Field(description="true to concede that the challenger is right, else false.")],
) -> Duel:
    """Take the defender's turn.

    Raises:
        ToolError: an argument is wrong, or the rules do not allow it; nothing has changed.
    """
    name = clean_name(character_name, "character_name")
    defence = clean_text(defense_rationale, "defense_rationale", ctx.settings.max_text_bytes)
    return await access.write(
        ctx.store,
        _advance,
        clean_fire_id(fire_id),
        lambda duel: rules.hold(duel, name, surrender),
        lambda duel: Said("hold", "defender", duel.defender, defence, surrender=surrender),
        deadlines(ctx.settings),
    )


@tool(
    name="campfire_deliver_verdict",
    description=(
        "End an active duel with a ruling that becomes the plan. Only its judge may, on the judge's turn; read both "
        "sides with campfire_get_duel and the plan with campfire_get_battle_plan first. required_plan_mutation is the "
        "whole new plan. Next: everybody debates again; campfire_get_battle_plan shows the plan."
    ),
    annotations=ADDS,
)
async def deliver_verdict(
    ctx: CallContext[Settings],
    fire_id: FireId,
    character_name: CharacterName,
    winner: Annotated[
        Literal["challenger", "defender"],
        Field(description="Who is right: challenger or defender; after a surrender only challenger."),
    ],
    ruling_rationale: Annotated[str, Field(description="Why, for the record.")],
    required_plan_mutation: Annotated[
        str,
        Field(description="The plan from now on: the whole text, also what stays, since it replaces the old one."),
    ],
) -> Verdict:
    """Take the judge's turn, which ends the duel.

    Raises:
        ToolError: an argument is wrong, or the rules do not allow it; nothing has changed.
    """
    return await access.write(
        ctx.store,
        _deliver,
        clean_fire_id(fire_id),
        clean_name(character_name, "character_name"),
        winner,
        clean_text(ruling_rationale, "ruling_rationale", ctx.settings.max_text_bytes),
        clean_text(required_plan_mutation, "required_plan_mutation", ctx.settings.max_text_bytes),
    )


@tool(
    name="campfire_abandon_duel",
    description=(
        "End the duel at a fire without a verdict, when it is moot or somebody is gone for good. Anyone may, in any "
        "phase; it stays in the record, so say who you are and why. The plan stays as it is, and the fire is open "
        "again. Next: campfire_speak_to_party."
    ),
    annotations={"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": False},
)
async def abandon_duel(
    ctx: CallContext[Settings],
    fire_id: FireId,
    character_name: Annotated[str | None, Field(description="Your name, for the record.")] = None,
    reason: Annotated[str | None, Field(description="Why, for the record.")] = None,
) -> Result[Abandoned]:
    """End a duel without a verdict.

    Raises:
        ToolError: an argument is wrong, or no duel is going on.
    """
    abandoned = await access.write(
        ctx.store,
        _abandon,
        clean_fire_id(fire_id),
        clean_optional_name(character_name, "character_name"),
        clean_optional_text(reason, "reason", ctx.settings.max_text_bytes),
    )
    text = (
        f"Duel {abandoned['duelId']} at {abandoned['fireId']} was abandoned (lastSeq {abandoned['lastSeq']}). State: "
        "DEBATING; the plan is unchanged, messages and plan changes are open again."
    )
    return Result(text, structured=abandoned)


@tool(
    name="campfire_get_duel",
    description=(
        "Look at the duel that is going on at a fire, or at one of the past: phase, who has to act (expected), and all "
        "that was said (transcript), up to the ruling. Anyone may, at any time; judges and defenders read here before "
        "they act. duel is null when none is going on; campfire_list_duels has the ids of past ones."
    ),
    annotations=READS,
)
async def get_duel(
    ctx: CallContext[Settings],
    fire_id: FireId,
    duel_id: Annotated[
        str | None, Field(alias="duelId", description="Which duel, duel-...; left out, the one going on.")
    ] = None,
) -> DuelRecord:
    """Look at a duel.

    Raises:
        ToolError: there is no such fire or duel.
    """
    wanted = duel_id.strip() if duel_id is not None and duel_id.strip() else None
    return await access.read(ctx.store, records.record, clean_fire_id(fire_id), wanted)


@tool(
    name="campfire_list_duels",
    description=(
        "List the newest 100 duels of a fire, oldest first: who fought over what, and how each ended (outcome: "
        "verdict, abandoned, expired; none while it goes on). Anyone may. Next: campfire_get_duel with a duelId for "
        "all that was said in it."
    ),
    annotations=READS,
)
async def list_duels(ctx: CallContext[Settings], fire_id: FireId) -> Duels:
    """List the duels of a fire.

    Raises:
        ToolError: there is no such fire.
    """
    return await access.read(ctx.store, records.listed, clean_fire_id(fire_id))


def _throw(tx: Transaction, fire_id: str, challenger: str, target: str, thesis: str, limits: Deadlines) -> Thrown:
    row, created = duels.throw_gauntlet(tx, fire_id, challenger, target, thesis, limits)
    made = " The fire was made for it: there was none of that id." if created else ""
    message = f"{challenger} threw the gauntlet at {target}.{made} {rules.next_step(row.rules)}"
    return {"duel": records.shape(tx, row), "message": message, "fireCreated": created}


def _advance(
    tx: Transaction,
    fire_id: str,
    apply: Callable[[rules.Duel | None], rules.Duel],
    said: Callable[[rules.Duel], Said],
    limits: Deadlines,
) -> Duel:
    return records.shape(tx, duels.advance(tx, fire_id, apply, said, limits))


def _deliver(tx: Transaction, fire_id: str, judge: str, winner: rules.Side, ruling: str, plan: str) -> Verdict:
    row, revision = duels.deliver_verdict(tx, fire_id, judge, winner, ruling, plan)
    message = (
        f"{row.rules.judge} ruled for the {winner} ({row.rules.name_of(winner)}). The plan is at revision {revision} "
        "now; the fire is DEBATING again, open to messages and plan changes."
    )
    return {
        "message": message,
        "winner": winner,
        "planMutated": True,
        "fireId": fire_id,
        "duelId": row.id,
        "revision": revision,
        "lastSeq": require(tx, fire_id),
    }


def _abandon(tx: Transaction, fire_id: str, name: str | None, reason: str | None) -> Abandoned:
    row = duels.abandon(tx, fire_id, name, reason)
    return {
        "fireId": fire_id,
        "duelId": row.id,
        "outcome": "abandoned",
        "state": "DEBATING",
        "lastSeq": require(tx, fire_id),
    }
