"""What is wrong with the content of a file, before it is known in which line that is."""

from __future__ import annotations

from collections.abc import Sequence

Path = tuple[str | int, ...]
"""The members on the way to the one at fault: `("arguments", 0, "name")`."""


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
    """A value as a person should see it: as it stands in a file, and not whole if it is long."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case dict():
            return "an object"
        case list():
            return "a list"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
