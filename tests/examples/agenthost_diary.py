from collections.abc import Mapping
from typing import Any

from agenthost import CallContext, NotFound, Resource, ResourceTemplate, Tool, hookimpl, resource, tool

ENTRIES = {"2026-11-29": "Rain all day.", "2026-11-30": "Snow."}


def days(value: str, arguments: Mapping[str, str], ctx: CallContext[Any]) -> list[str]:
    return [day for day in ENTRIES if day.startswith(value)]


@resource("diary://days", mime_type="application/json")
def diary_days() -> list[str]:
    """The days that have an entry."""
    return sorted(ENTRIES)


@resource("diary://day/{day}", mime_type="text/plain", complete={"day": days})
def diary_day(day: str) -> str:
    """The entry of one day."""
    if day not in ENTRIES:
        raise NotFound(f"There is no entry for {day}. Read diary://days for the days there are.")
    return ENTRIES[day]


@tool
def diary_write_entry(day: str, text: str, ctx: CallContext[Any]) -> str:
    """Write the entry of a day, instead of the one that is there."""
    ENTRIES[day] = text
    ctx.plugin.updated(f"diary://day/{day}")
    ctx.plugin.updated("diary://days")
    return f"Written. Read it at diary://day/{day}"


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [diary_write_entry]


@hookimpl
def agenthost_resources() -> list[Resource | ResourceTemplate]:
    return [diary_days, diary_day]
