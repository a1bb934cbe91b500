"""The settings of void: `[plugins.void]` in agenthost.toml, `--set void.KEY=VALUE`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from agenthost import Trusted
from pydantic import BaseModel, Field


class Settings(BaseModel):
    """What void serves, and whether that may change while it does."""

    definitions: list[str] = Field(
        ["example:universal"],
        description="Sources of tools, in order: a JSON array written inline, a path of a JSON file, or example:NAME.",
    )
    mutable: bool = Field(False, description="Serve void_create_tool and void_remove_tool.")
    debug_log: Annotated[Path | None, Trusted] = Field(
        None, description="File to append events to, as JSON lines: never argument values, never result text."
    )
