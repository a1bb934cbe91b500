"""A bundle's files, written to a folder: all of them, or none if one would replace what somebody else wrote."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from agenthost_skillcentral.compiling.bundles import Artifact
from agenthost_skillcentral.writing import files
from agenthost_skillcentral.writing.files import locked, read
from agenthost_skillcentral.writing.places import NotWritten, Place, open_folder

State = Literal["create", "identical", "conflict", "overwrite"]


@dataclass(frozen=True)
class Export:
    """What becomes of one file.

    Attributes:
        file: its path below the folder.
        place: the same as a place.
        content: what it is to hold.
        state: `conflict` is what is there already with another content.
        backup: the name of what was there, once it has been replaced.
    """

    file: str
    place: Place
    content: bytes
    state: State
    backup: str | None = None


def plan(artifacts: tuple[Artifact, ...], folder: Path, *, force: bool) -> list[Export]:
    """What would become of each file.

    Raises:
        NotWritten: a file cannot be there, or two skills would have the same one.
    """
    planned = []
    taken: dict[str, str] = {}
    for artifact in artifacts:
        other = taken.setdefault(artifact.file.casefold(), artifact.skill.id)
        if other != artifact.skill.id:
            raise NotWritten(f"{artifact.skill.id} and {other} would both be {artifact.file}; change one of the ids")
        place = Place(folder, tuple(artifact.file.split("/")))
        content = artifact.content.encode()
        there = _there(place)
        state: State = "create"
        if there is not None:
            state = "identical" if there == content else "overwrite" if force else "conflict"
        planned.append(Export(artifact.file, place, content, state))
    return planned


def write(planned: list[Export]) -> list[Export]:
    """Write what was planned; what it replaces is kept beside it.

    Raises:
        NotWritten: a file cannot be written, or has appeared meanwhile; those before it are written.
    """
    return [one if one.state == "identical" else _write(one) for one in planned]


def _write(one: Export) -> Export:
    with open_folder(one.place, create=True) as folder, locked(folder):
        there = read(folder, one.place.name)
        if there is not None and one.state == "create":
            raise NotWritten(f"{one.file} has appeared meanwhile; try again")
        return replace(one, backup=files.replace(folder, one.place.name, there, one.content))


def _there(place: Place) -> bytes | None:
    try:
        with open_folder(place) as folder:
            return read(folder, place.name)
    except FileNotFoundError:
        return None
