"""Where definitions come from: arrays written inline, files, and the examples of this package."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agenthost_void.definitions import Definition, Item, read_array
from agenthost_void.strict_json import Fault, Place, show_place

EXAMPLE_PREFIX = "example:"
EXAMPLES = Path(__file__).with_name("examples")


@dataclass(frozen=True, slots=True)
class Source:
    """What one entry of the setting `definitions` gave.

    Attributes:
        label: how messages name it: the file's path, the example, or its position.
        items: the items of its array.
        faults: what is wrong with it as a whole.
    """

    label: str
    items: list[Item] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def at(self, place: Place) -> str:
        """The source and a place in it, for people."""
        return f"{self.label} {show_place(place)}".rstrip()


def load_definitions(entries: Sequence[str], folder: Path) -> tuple[list[Definition], list[str]]:
    """All definitions in order, and one line for every fault of every source.

    Args:
        entries: inline arrays, paths of files, `example:NAME`.
        folder: where relative paths start.
    """
    definitions: list[Definition] = []
    lines: list[str] = []
    owners: dict[str, str] = {}
    for position, entry in enumerate(entries, start=1):
        source = _read(entry, position, folder)
        faults = source.faults + [fault for item in source.items for fault in item.faults]
        lines += [f"{source.at(fault.place)}: {fault.text}" for fault in faults]
        for index, item in enumerate(source.items):
            if item.definition is not None:
                definitions.append(item.definition)
            if item.name is None:
                continue
            owner = owners.setdefault(item.name, source.at((index,)))
            if owner != source.at((index,)):
                lines.append(f"{source.at((index, 'name'))}: {item.name} is already defined in {owner}; rename one")
    return definitions, lines


def resolve(path: str | Path, folder: Path) -> Path:
    """A path given by people: `~` is the home folder, a relative one starts at `folder`."""
    return folder / os.path.expanduser(path)  # noqa: PTH111  (Path's own raises for the `~name` of nobody)


def with_absolute_path(entry: str, folder: Path) -> str:
    """The entry, its path made absolute from `folder` if it is that of a file."""
    if _is_inline(entry) or entry.startswith(EXAMPLE_PREFIX) or not entry.strip():
        return entry
    return str(resolve(entry, folder))


def example_names() -> list[str]:
    """The names that may follow `example:`."""
    return sorted(path.stem for path in EXAMPLES.glob("*.json"))


def _is_inline(entry: str) -> bool:
    return entry.lstrip().startswith(("[", "{"))


def _read(entry: str, position: int, folder: Path) -> Source:
    if _is_inline(entry):
        return Source(f"definition {position} (inline)", *read_array(entry))
    if not entry.strip():
        return Source(f"definition {position}", faults=[Fault((), "is blank; give an array, a file or an example")])
    name = entry.removeprefix(EXAMPLE_PREFIX)
    if name == entry:
        return _read_file(resolve(entry, folder))
    if name not in example_names():
        there_is = ", ".join(EXAMPLE_PREFIX + known for known in example_names())
        return Source(entry, faults=[Fault((), f"there is no such example. There is: {there_is}")])
    # A test proves the examples' schemas valid, so a start with them need not import the validator.
    return Source(entry, *read_array((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"), check_schemas=False))


def _read_file(path: Path) -> Source:
    label = str(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Source(label, faults=[Fault((), f"is not UTF-8 (at byte {error.start}); save it as UTF-8")])
    except OSError as error:
        return Source(label, faults=[Fault((), f"cannot be read: {error.strerror}")])
    except ValueError as error:  # a NUL character in the path
        return Source(label, faults=[Fault((), f"is no path: {error}")])
    return Source(label, *read_array(text))
