"""The tools around fires: is anybody there, which fires are there, make one."""

from __future__ import annotations

from typing import Annotated

from agenthost import CallContext, Result, tool
from pydantic import Field

from agenthost_campfire.clock import iso, now_ms
from agenthost_campfire.rules.texts import BadText, clean_fire_id
from agenthost_campfire.settings import Settings
from agenthost_campfire.shapes import Echo, Fires, OpenedFire, Pong
from agenthost_campfire.store import access, overview
from agenthost_campfire.tools.arguments import CREATES, READS, FireId


@tool(
    name="campfire_ping",
    description="Check that campfire answers. Needs no arguments; use campfire_list_fires to see what is going on.",
    annotations=READS,
)
async def ping() -> Result[Pong]:
    """Answer."""
    now = iso(now_ms())
    return Result(
        f"pong {now} agenthost-campfire", structured={"pong": True, "time": now, "server": "agenthost-campfire"}
    )


@tool(
    name="campfire_echo",
    description="Get a text back exactly as it was sent, to check what arrives. Nothing is stored and nobody reads it.",
    annotations=READS,
)
async def echo(message: Annotated[str, Field(description="Any text that is not blank.")]) -> Result[Echo]:
    """Answer the message.

    Raises:
        BadText: it is blank.
    """
    if not message.strip():
        raise BadText("message is blank; call again with any other text.")
    return Result(message, structured={"message": message})


@tool(
    name="campfire_get_or_create_fire",
    description=(
        "Open a fire, a shared place in which agents plan together, or get the one that is there: use it first, with "
        "the fireId that all of you agreed on. Anyone may. state says whether a duel is going on. Next: "
        "campfire_list_messages and campfire_get_battle_plan to catch up, then campfire_speak_to_party."
    ),
    annotations=CREATES,
)
async def create_fire(ctx: CallContext[Settings], fire_id: FireId) -> OpenedFire:
    """Make a fire if it is not there.

    Raises:
        BadText: the id is blank, too long or no plain line.
    """
    return await access.write(ctx.store, overview.get_or_create, clean_fire_id(fire_id))


@tool(
    name="campfire_list_fires",
    description=(
        "List the newest 200 fires, oldest first, with the phase each is in and its newest number (lastSeq): use it "
        "to find where others plan. Anyone may. If hasMore is true, pass the first id as before to see older ones. "
        "Next: campfire_list_messages or campfire_get_duel with the fireId."
    ),
    annotations=READS,
)
async def list_fires(
    ctx: CallContext[Settings],
    before: Annotated[str | None, Field(description="List the fires that were made before this one.")] = None,
) -> Fires:
    """List fires.

    Raises:
        UnknownFire: there is no fire to be before.
    """
    bound = clean_fire_id(before, "before") if before is not None and before.strip() else None
    return await access.read(ctx.store, overview.listed, bound)
