"""Arguments that several tools have, and the hints that tools give to clients."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from agenthost_campfire.rules.deadlines import Deadlines
from agenthost_campfire.settings import Settings

FireId = Annotated[
    str, Field(alias="fireId", description="Which fire: 1 to 200 characters, the same for everybody who plans there.")
]
Author = Annotated[
    str | None,
    Field(
        description="Your name at this fire, 1 to 100 characters. An honour system: nobody checks it, use only yours."
    ),
]
CharacterName = Annotated[
    str, Field(description="Your name in this duel, 1 to 100 characters. An honour system: use only your own.")
]

READS = {"readOnlyHint": True, "openWorldHint": False}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
CREATES = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


def deadlines(settings: Settings) -> Deadlines:
    """The deadlines that the operator has set."""
    return Deadlines(settings.oath_deadline, settings.turn_deadline)
