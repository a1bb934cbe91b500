"""The tool that waits for something to happen at a fire."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from agenthost import CallContext, Result, ToolError, tool
from pydantic import Field

from agenthost_campfire.addresses import FIRE, address
from agenthost_campfire.rules.duel import next_step, phase
from agenthost_campfire.rules.texts import clean_fire_id
from agenthost_campfire.settings import Settings
from agenthost_campfire.shapes import News, Waited
from agenthost_campfire.store import access, feed
from agenthost_campfire.store.feed import Feed
from agenthost_campfire.store.records import awaited
from agenthost_campfire.tools.arguments import READS, FireId

if TYPE_CHECKING:
    from agenthost import Store

MAX_ITEMS = 50
"""Things in one answer; what is over comes with the next call, at once."""

MAX_TIMEOUT = 300
"""Seconds that a caller may ask for."""


@tool(
    name="campfire_wait",
    description=(
        "Wait until something happens at a fire: a message, a change of the plan, a step of a duel, also by other "
        "processes. Anyone may. Pass as after the last seq or lastSeq you have seen; what is newer is given at once. "
        "An empty answer is normal. Next: act if expected names you, else call again with the after of the answer."
    ),
    annotations=READS,
    time_limit=MAX_TIMEOUT + 30,
)
async def wait(
    ctx: CallContext[Settings],
    fire_id: FireId,
    after: Annotated[int, Field(ge=0, description="The newest seq or lastSeq that you know; 0 for the beginning.")],
    timeout_seconds: Annotated[
        float | None,
        Field(
            ge=0, le=MAX_TIMEOUT, description="How long to wait, 0 to 300 seconds, default 25; the server may cut it."
        ),
    ] = None,
) -> Result[Waited]:
    """Wait for news.

    Raises:
        ToolError: there is no such fire, or it is not that far.
    """
    seconds = min(25.0 if timeout_seconds is None else timeout_seconds, ctx.plugin.max_wait)
    found = await news(ctx.store, clean_fire_id(fire_id), after, seconds)
    next_after = found.items[-1]["seq"] if found.items else after
    answer: Waited = {
        "changed": bool(found.items),
        "after": next_after,
        "items": found.items,
        "state": phase(found.duel).value,
        "expected": awaited(found.duel),
    }
    lines = [_line(item) for item in found.items] or ["Nothing new yet."]
    more = " There is more already." if found.last_seq > next_after else ""
    lines.append(
        f"Next: campfire_wait with after={next_after}.{more} State: {phase(found.duel)}. {next_step(found.duel)}"
    )
    return Result("\n".join(lines), structured=answer)


async def news(store: Store, fire_id: str, after: int, seconds: float) -> Feed:
    """What happened after a number, as soon as there is something, or nothing when the time is over.

    Raises:
        ToolError: there is no such fire, or its newest number is lower.
    """
    topic = address(FIRE, fire_id)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        # The topic's number first: what changes after the reading is then noticed by the waiting.
        number = await store.number(topic)
        found = await access.read(store, feed.after, fire_id, after, MAX_ITEMS)
        if after > found.last_seq:
            raise ToolError(
                f"after={after} is beyond the newest number of fire {fire_id!r}, which is {found.last_seq}. "
                f"Call again with after={found.last_seq}, or with the right fireId."
            )
        left = deadline - loop.time()
        if found.items or left <= 0:
            return found
        with suppress(TimeoutError):
            async with asyncio.timeout(left):
                await store.wait(topic, number)


def _line(item: News) -> str:
    by = f" by {item['by']}" if "by" in item else ""
    # Indented, so that no text can look like the next item.
    text = "\n    ".join(item["text"].splitlines())
    return f"{item['seq']} {item['kind']}{by}: {text}"
