"""The plugin `skillcentral`: its hooks."""

from __future__ import annotations

from agenthost import hookimpl


@hookimpl
def agenthost_instructions() -> str:
    """What skillcentral is, for models."""
    return "skillcentral serves skill files as prompts and tools."
