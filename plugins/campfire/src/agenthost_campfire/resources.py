"""The resources: what the reading tools give, under addresses that clients can subscribe to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from agenthost import CallContext, Resource, ResourceTemplate, resource
from pydantic import Field

from agenthost_campfire import addresses, transcript
from agenthost_campfire.rules.texts import clean_fire_id, fold
from agenthost_campfire.settings import Settings
from agenthost_campfire.shapes import DuelRecord, Duels, Fire, Fires, Messages, Plan
from agenthost_campfire.store import access, duels, feed, messages, overview, plans, records

if TYPE_CHECKING:
    from agenthost import Transaction

JSON = "application/json"
MARKDOWN = "text/markdown"

MAX_TRANSCRIPT = 500
"""Things in one transcript; the command `agenthost campfire export` writes all."""

MAX_PROPOSED = 1000
"""Fires and duels among which completions are looked for."""

FireId = Annotated[str, Field(alias="fireId")]
DuelId = Annotated[str, Field(alias="duelId")]


async def complete_fire(value: str, _arguments: Mapping[str, str], ctx: CallContext[Settings]) -> list[str]:
    """Fires whose id holds what was typed, those that begin with it first, newest first."""
    ids = await ctx.store.read(overview.ids, MAX_PROPOSED)
    typed = fold(value.strip())
    found = [fire_id for fire_id in ids if typed in fold(fire_id)]
    return sorted(found, key=lambda fire_id: not fold(fire_id).startswith(typed))


async def complete_duel(value: str, arguments: Mapping[str, str], ctx: CallContext[Settings]) -> list[str]:
    """Duels of the fire given that begin with what was typed, newest first."""
    rows = await ctx.store.read(duels.newest, arguments.get("fireId", "").strip(), MAX_PROPOSED)
    return [row.id for row in reversed(rows) if row.id.startswith(value.strip())]


FIRE = {"fireId": complete_fire}
FIRE_AND_DUEL = {"fireId": complete_fire, "duelId": complete_duel}


@resource(addresses.FIRES, name="campfire_fires", mime_type=JSON)
async def fires(ctx: CallContext[Settings]) -> Fires:
    """The newest fires, the phase each is in and its newest number."""
    return await access.read(ctx.store, overview.listed)


@resource(addresses.FIRE, name="campfire_fire", mime_type=JSON, complete=FIRE)
async def fire(ctx: CallContext[Settings], fire_id: FireId) -> Fire:
    """A fire: its phase and its newest number. It changes with everything that happens there."""
    return await access.read(ctx.store, overview.get, clean_fire_id(fire_id))


@resource(addresses.MESSAGES, name="campfire_messages", mime_type=JSON, complete=FIRE)
async def fire_messages(ctx: CallContext[Settings], fire_id: FireId) -> Messages:
    """The newest messages of a fire."""
    return await access.read(ctx.store, messages.page, clean_fire_id(fire_id), messages.Query())


@resource(addresses.PLAN, name="campfire_plan", mime_type=JSON, complete=FIRE)
async def plan(ctx: CallContext[Settings], fire_id: FireId) -> Plan:
    """The battle plan of a fire and its history."""
    return await access.read(ctx.store, _plan, clean_fire_id(fire_id))


@resource(addresses.DUEL, name="campfire_duel", mime_type=JSON, complete=FIRE)
async def duel(ctx: CallContext[Settings], fire_id: FireId) -> DuelRecord:
    """The duel that is going on at a fire, and what has been said in it."""
    return await access.read(ctx.store, records.record, clean_fire_id(fire_id))


@resource(addresses.DUELS, name="campfire_duels", mime_type=JSON, complete=FIRE)
async def fire_duels(ctx: CallContext[Settings], fire_id: FireId) -> Duels:
    """The newest duels of a fire, and how each ended."""
    return await access.read(ctx.store, records.listed, clean_fire_id(fire_id))


@resource(addresses.ONE_DUEL, name="campfire_one_duel", mime_type=JSON, complete=FIRE_AND_DUEL)
async def one_duel(ctx: CallContext[Settings], fire_id: FireId, duel_id: DuelId) -> DuelRecord:
    """One duel of a fire, and all that was said in it."""
    return await access.read(ctx.store, records.record, clean_fire_id(fire_id), duel_id)


@resource(addresses.TRANSCRIPT, name="campfire_transcript", mime_type=MARKDOWN, complete=FIRE)
async def fire_transcript(ctx: CallContext[Settings], fire_id: FireId) -> str:
    """The last 500 things that happened at a fire, for people to read."""
    cleaned = clean_fire_id(fire_id)
    found = await access.read(ctx.store, feed.newest, cleaned, MAX_TRANSCRIPT, ctx.settings.max_text_bytes)
    head = transcript.heading(cleaned, found.duel, found.last_seq)
    if found.items and found.items[0]["seq"] > 1:
        head += f"\nWhat happened before number {found.items[0]['seq']} is left out.\n"
    return head + transcript.entries(found.items)


@resource(addresses.DUEL_TRANSCRIPT, name="campfire_duel_transcript", mime_type=MARKDOWN, complete=FIRE_AND_DUEL)
async def duel_transcript(ctx: CallContext[Settings], fire_id: FireId, duel_id: DuelId) -> str:
    """All that was said in one duel, for people to read."""
    items = await access.read(ctx.store, feed.of_duel, clean_fire_id(fire_id), duel_id)
    return f"# Duel {transcript.plain(duel_id)}\n{transcript.entries(items)}"


RESOURCES: tuple[Resource | ResourceTemplate, ...] = (
    fires,
    fire,
    fire_messages,
    plan,
    duel,
    fire_duels,
    one_duel,
    fire_transcript,
    duel_transcript,
)


def _plan(tx: Transaction, fire_id: str) -> Plan:
    duels.current(tx, fire_id)
    return plans.get(tx, fire_id)
