"""The settings of campfire: `[plugins.campfire]` in agenthost.toml, `--set campfire.KEY=VALUE`."""

from __future__ import annotations

from pydantic import BaseModel, Field

DEADLINE_LIMIT = 366 * 24 * 3600
"""Seconds; whoever wants longer wants 0, which is no deadline."""


class Settings(BaseModel):
    """How long a duel may stand still, and how much a text may hold."""

    oath_deadline: float = Field(
        1800, ge=0, le=DEADLINE_LIMIT, description="Seconds in which somebody has to become the judge; 0 is no limit."
    )
    turn_deadline: float = Field(
        3600, ge=0, le=DEADLINE_LIMIT, description="Seconds that each turn of a duel may take; 0 is no limit."
    )
    max_text_bytes: int = Field(
        65536, ge=1024, le=1024 * 1024, description="The longest message, argument or plan, in bytes of UTF-8."
    )
