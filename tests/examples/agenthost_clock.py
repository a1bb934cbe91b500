from datetime import UTC, datetime

from agenthost import Tool, hookimpl, tool


@tool(annotations={"readOnlyHint": True})
def clock_tell_time() -> str:
    """Tell the time now, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [clock_tell_time]


@hookimpl
def agenthost_instructions() -> str:
    return "Before you write a date, call clock_tell_time. It knows UTC only; ask people for their time zone."
