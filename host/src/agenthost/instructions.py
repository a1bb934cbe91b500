"""The server's `instructions`: one text out of the plugins' parts, cut to what clients read."""

from __future__ import annotations

import re
from collections.abc import Sequence

LIMIT = 2048
"""UTF-16 units that Claude Code passes to its model (rule D04 of its profile)."""

FIRST = 512
"""Characters that have to be complete in themselves, since Codex may see no more (rule D05 of its profile)."""


def merge_instructions(parts: Sequence[tuple[str, str | None]]) -> str | None:
    """One text: what the server is, one line a plugin, then what fits of the plugins' full texts.

    Args:
        parts: name and instructions of each plugin, in order.

    Returns:
        At most `LIMIT` UTF-16 units; None without plugins.
    """
    if not parts:
        return None
    names = ", ".join(name for name, _ in parts)
    head = f"This server offers the tools of {'one plugin' if len(parts) == 1 else f'{len(parts)} plugins'}: {names}."
    texts = [(name, " ".join(text.split())) for name, text in parts if text and text.strip()]
    whole = "\n".join([head, *(f"{name}: {text}" for name, text in texts)])
    if units(whole) <= FIRST:
        return whole
    summary = _fill(head, [(name, re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]) for name, text in texts], FIRST)
    return _fill(f"{summary}\n", texts, LIMIT)


def units(text: str) -> int:
    """Length in UTF-16 units, as clients count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _fill(start: str, texts: Sequence[tuple[str, str]], limit: int) -> str:
    """Append the texts, each with a fair share of the room; what one does not need goes to the others."""
    start = _cut(start, limit)
    room = limit - units(start)
    lines = dict.fromkeys((name for name, _ in texts), "")
    shortest_first = sorted(texts, key=lambda item: units(item[1]))
    for position, (name, text) in enumerate(shortest_first):
        share = room // (len(shortest_first) - position)
        lines[name] = _cut(f"\n{name}: {text}", share)
        room -= units(lines[name])
    return start + "".join(lines.values())


def _cut(text: str, limit: int) -> str:
    """The text, or as much of it as fits with an ellipsis, to the end of a word where one is near."""
    if units(text) <= limit:
        return text
    room = limit - 2  # for the ellipsis
    kept = text.encode("utf-16-le", "surrogatepass")[: max(room, 0) * 2].decode("utf-16-le", "ignore")
    blank = kept.rfind(" ")
    kept = (kept[:blank] if blank > len(kept) // 2 else kept).rstrip()
    return f"{kept} …" if kept else ""
