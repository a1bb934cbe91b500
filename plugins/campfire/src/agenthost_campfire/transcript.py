"""What happened at a fire, in Markdown for people."""

from __future__ import annotations

from collections.abc import Iterable

from agenthost_campfire.rules.duel import Duel, next_step, phase
from agenthost_campfire.shapes import News


def heading(fire_id: str, duel: Duel | None, last_seq: int) -> str:
    """The beginning of a fire's transcript."""
    return f"# Fire {plain(fire_id)}\n\nPhase {phase(duel)}, newest number {last_seq}. {plain(next_step(duel))}\n"


def entries(items: Iterable[News]) -> str:
    """Things that happened, one paragraph each; what was said is quoted, so that it cannot pose as anything else."""
    return "".join(
        f"\n**{item['seq']} {label(item)}** ({item['createdAt']})\n\n{_quoted(item['text'])}\n" for item in items
    )


def label(item: News) -> str:
    """What kind of thing it is, and whose."""
    return plain(f"{item['kind']}, {item['by']}" if "by" in item else item["kind"])


def plain(text: str) -> str:
    """The text without what could control a terminal; line breaks and tabs stay."""
    return "".join(character if character.isprintable() or character in "\n\t" else "\ufffd" for character in text)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in plain(text).splitlines())
