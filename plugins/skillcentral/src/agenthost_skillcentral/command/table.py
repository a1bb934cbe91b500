"""Lines and columns for a terminal."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Sequence

import click

NARROWEST = 20
"""Columns that the last cell of a row gets at least."""


def print_table(rows: Sequence[Sequence[str]], *, whole: bool = False) -> None:
    """Print rows of equally many cells under each other; the last one is cut to the terminal's width unless `whole`."""
    cleaned = [[plain(cell) for cell in row] for row in rows]
    widths = [max(width(row[column]) for row in cleaned) for column in range(len(cleaned[0]) - 1)]
    room = max(shutil.get_terminal_size().columns - sum(widths) - 2 * len(widths), NARROWEST)
    for row in cleaned:
        cells = [cell + " " * (wide - width(cell)) for cell, wide in zip(row[:-1], widths, strict=True)]
        click.echo("  ".join([*cells, row[-1] if whole else cut(row[-1], room)]).rstrip())


def plain(text: str) -> str:
    """The text on one line, without what a terminal would obey."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def plain_lines(text: str) -> str:
    """The text, its lines kept, without what a terminal would obey."""
    return "\n".join(
        "".join(letter if letter.isprintable() or letter == "\t" else "\N{REPLACEMENT CHARACTER}" for letter in line)
        for line in text.splitlines()
    )


def width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def cut(text: str, columns: int) -> str:
    """The text, or its beginning and an ellipsis if it is wider."""
    if width(text) <= columns:
        return text
    kept, taken = "", 1
    for letter in text:
        taken += width(letter)
        if taken > columns:
            break
        kept += letter
    return f"{kept.rstrip()}\N{HORIZONTAL ELLIPSIS}"
