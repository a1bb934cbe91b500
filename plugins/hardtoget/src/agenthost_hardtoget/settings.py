"""The settings of hardtoget: `[plugins.hardtoget]` in agenthost.toml, `--set hardtoget.KEY=VALUE`."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field

DEADLINE_LIMIT = 366 * 24 * 3600
"""Seconds; whoever wants longer wants 0, which is no deadline."""


class Settings(BaseModel):
    """How long a game may stand still, what an illegal move costs, and which words are played with."""

    illegal_moves_allowed: int | None = Field(
        None,
        ge=0,
        description="Illegal moves that each player of a game may make; one more loses it. Unset: not counted.",
    )
    join_deadline: float = Field(
        1800, ge=0, le=DEADLINE_LIMIT, description="Seconds in which a second player has to come; 0 is no limit."
    )
    move_deadline: float = Field(
        3600, ge=0, le=DEADLINE_LIMIT, description="Seconds that each move may take; 0 is no limit."
    )
    words: Path | None = Field(None, description="A file with the words of the boards, one a line.")
    dilemmas: Path | None = Field(None, description="A file with the dilemmas, one a line: two options and a comma.")
