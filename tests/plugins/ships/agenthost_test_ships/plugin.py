"""The plugin `ships`: a tool, and skills that tell how to use it."""

from __future__ import annotations

from agenthost import Tool, hookimpl, tool


@tool
def ships_greet(name: str) -> str:
    """Greet somebody."""
    return f"Ahoy, {name}!"


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [ships_greet]
