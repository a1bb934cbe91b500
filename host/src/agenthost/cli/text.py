"""Text for a terminal: what it can show, how wide that is, and how it is cut and wrapped."""

from __future__ import annotations

import shutil
import textwrap
import unicodedata

MIN_WIDTH, MAX_WIDTH = 60, 100
"""Columns that output is made for, whatever the terminal has; the upper one also where there is none."""


def terminal_width() -> int:
    """The columns to fill."""
    return min(max(shutil.get_terminal_size((MAX_WIDTH, 24)).columns, MIN_WIDTH), MAX_WIDTH)


def printable(text: str) -> str:
    """The text on one line, without characters that could control a terminal."""
    return "".join(character if character.isprintable() else "�" for character in " ".join(text.split()))


def columns(text: str) -> int:
    """How many columns a text takes; Chinese and its like take two each."""
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def cut(text: str, room: int) -> str:
    """The text, or as much of it as fits into so many columns, with an ellipsis."""
    if columns(text) <= room:
        return text
    while text and columns(text) > room - 1:
        text = text[: min(len(text) - 1, room)]
    return f"{text.rstrip()}…"


def pad(text: str, room: int) -> str:
    """The text with blanks up to so many columns."""
    return text + " " * (room - columns(text))


def wrap(text: str, indent: str, first: str | None = None) -> str:
    """The text in lines that fit the terminal; `first` stands before the first line instead of `indent`."""
    return textwrap.fill(
        printable(text),
        terminal_width(),
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def table(rows: list[tuple[str, ...]], *, wide: int = 40) -> list[str]:
    """Lines of a table; the last column gets the room that the others leave, and is cut to it.

    A first cell of more than `wide` columns has a line of its own, so that names can be copied.

    Args:
        rows: the cells, the header among them.
        wide: the most that the first column is made for.
    """
    widths = [max(columns(cell) for cell in column) for column in zip(*rows, strict=True)]
    widths[0] = max((columns(row[0]) for row in rows if columns(row[0]) <= wide), default=0)
    lines: list[str] = []
    for first, *rest in rows:
        name = first
        if columns(first) > wide:
            lines.append(first)
            name = ""
        start = "  ".join(pad(cell, width) for cell, width in zip([name, *rest[:-1]], widths, strict=False))
        lines.append(f"{start}  {cut(rest[-1], max(terminal_width() - columns(start) - 2, 8))}".rstrip())
    return lines


def safe(text: str) -> str:
    """The text without characters that could control a terminal; lines stay lines."""
    return "".join(character if character.isprintable() or character in "\n\t" else "�" for character in text)
