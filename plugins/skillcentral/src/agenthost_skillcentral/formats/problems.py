"""What is wrong with the content of a file, before it is known in which line that is."""

from __future__ import annotations

from collections.abc import Sequence

Path = tuple[str | int, ...]
"""The members on the way to the one at fault: `("arguments", 0, "name")`."""


_LONGEST_WORD = 24


class FormatError(Exception):
    """A file cannot be read as what it should be; `str()` is the reason.

    Attributes:
        line: from 1; None if the fault is in no line.
        column: from 1.
    """

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason)
        self.line = line
        self.column = column


class Problems:
    """Collects what is wrong, so that a file tells all of its faults at once."""

    def __init__(self) -> None:
        self.found: list[tuple[Path, str]] = []

    def add(self, path: Path, reason: str) -> None:
        """Note that a member is wrong."""
        self.found.append((path, reason))


def field_name(path: Sequence[str | int]) -> str | None:
    """A path as people write it: `arguments[0].name`; None for the whole file."""
    name = ""
    for step in path:
        if isinstance(step, int):
            name += f"[{step}]"
        else:
            name += f".{step}" if name else step
    return name or None


def shown(value: object) -> str:
    """A value as a person should see it: a word as it stands in the file, else what kind of value it is.

    Faults are read by models too, and a layer may be a folder whose files were never meant to be skills.
    """
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case dict():
            return "an object"
        case list():
            return "a list"
    text = str(value)
    if len(text) > _LONGEST_WORD:
        return f"a text of {len(text)} characters" if isinstance(value, str) else "a long number"
    return f'"{text}"' if isinstance(value, str) else text
