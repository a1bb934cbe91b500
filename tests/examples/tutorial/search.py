"""Finding notes again."""

from __future__ import annotations

from typing import Annotated

from agenthost import CallContext, tool
from pydantic import Field

from agenthost_journal import store
from agenthost_journal.settings import Settings


@tool(annotations={"readOnlyHint": True})
async def journal_find_notes(
    words: Annotated[str, Field(min_length=1, description="What the note contains, in any case.")],
    ctx: CallContext[Settings],
) -> list[str]:
    """Find notes by a part of their text. Keep one with journal_add_note."""
    return [note for note in await ctx.store.read(store.all_notes) if words.lower() in note.lower()]
