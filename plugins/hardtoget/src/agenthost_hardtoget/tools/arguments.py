"""Arguments that several tools have, and the hints that tools give to clients."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

GameId = Annotated[str, Field(description="The game, as hardtoget_join_game gave it.")]
ClientId = Annotated[
    str, Field(description="Your secret key, as hardtoget_register gave it; never show it to anybody.")
]

READS = {"readOnlyHint": True, "openWorldHint": False}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
ENDS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False}
