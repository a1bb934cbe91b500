"""Where files may be written: below a root that the operator named, by plain names, through no link."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agenthost import ToolError

from agenthost_skillcentral.model import Layer

RULES_FOLDER = ".rules"
"""Where the rules of a project are."""

MAX_NAME = 180
"""Bytes of a file's name; a file system takes 255, and the names of backups are longer."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_UNFIT = re.compile(r"[/\\\x00-\x1f\x7f\ud800-\udfff]")


class NotWritten(ToolError):
    """Nothing was written; `str()` says why, and what to do instead."""


@dataclass(frozen=True)
class Place:
    """A file below a root.

    Attributes:
        root: a folder that the operator named, absolute; it may be a link.
        parts: the names on the way from the root to the file; none of them may be a link.
    """

    root: Path
    parts: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file, absolute."""
        return self.root.joinpath(*self.parts)

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.parts[-1]

    def beside(self, name: str) -> Place:
        """Another file in the same folder."""
        return Place(self.root, (*self.parts[:-1], name))


def name_fault(name: str) -> str | None:
    """Why a name is not that of a file or folder in which skills are looked for; None if it is."""
    if name in {"", ".", ".."}:
        return f'"{name}" is no name of a file'
    if _UNFIT.search(name):
        return f"{name!r} holds slashes or control characters"
    if name[0] in "._" or name in {"node_modules", "__pycache__"}:
        return f'"{name}" is passed over when skills are looked for'
    if len(name.encode()) > MAX_NAME:
        return f'"{name[:20]}..." has more than {MAX_NAME} bytes'
    return None


def in_layer(layer: Layer, project_root: Path, folder: str, name: str) -> Place:
    """A file of a layer.

    A layer in the project is reached from the project, so that no link in a repository leads out of it.

    Args:
        layer: the layer.
        project_root: the project.
        folder: below the layer; empty for the layer itself.
        name: of the file.

    Raises:
        NotWritten: that leads out of the layer, or to where nobody looks for skills.
    """
    parts = (*(folder.split("/") if folder else ()), name)
    for part in parts:
        if fault := name_fault(part):
            raise NotWritten(f"nothing can be written to {'/'.join(parts)!r} in the layer {layer.id}: {fault}")
    if layer.path.is_relative_to(project_root):
        return Place(project_root, (*layer.path.relative_to(project_root).parts, *parts))
    return Place(layer.path, parts)


def in_rules(project_root: Path, relative: str) -> Place:
    """A file below the project's rules.

    Raises:
        NotWritten: the path leads out of them.
    """
    parts = tuple(relative.split("/"))
    for part in parts:
        if fault := name_fault(part):
            raise NotWritten(f"{relative!r} is no path below {RULES_FOLDER}: {fault}")
    return Place(project_root, (RULES_FOLDER, *parts))


def find_place(path: Path, layers: tuple[Layer, ...], project_root: Path) -> tuple[Place, Layer | None] | None:
    """The place of an absolute path, and its layer, which is None for a rule; None if it lies in none.

    Of layers that lie in each other, the innermost counts.

    Raises:
        NotWritten: it lies in one, and no file can be there.
    """
    if ".." in path.parts:
        return None
    around = [layer for layer in layers if path != layer.path and path.is_relative_to(layer.path)]
    if around:
        layer = max(around, key=lambda one: len(one.path.parts))
        relative = path.relative_to(layer.path)
        return in_layer(layer, project_root, "/".join(relative.parts[:-1]), relative.name), layer
    rules = project_root / RULES_FOLDER
    if path != rules and path.is_relative_to(rules):
        return in_rules(project_root, path.relative_to(rules).as_posix()), None
    return None


@contextmanager
def open_folder(place: Place, *, create: bool = False) -> Iterator[int]:
    """The folder of a place, open, with no link followed below the root.

    Args:
        place: the place.
        create: make the folders that are missing.

    Raises:
        NotWritten: a folder is a link, or none, or cannot be made.
        FileNotFoundError: it is not there, and nobody asked for making it.
    """
    if create:
        try:
            place.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotWritten(f"the folder {place.root.name} cannot be made: {error.strerror}") from error
    try:
        folder = os.open(place.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise NotWritten(f"the folder {place.root.name} cannot be opened: {error.strerror}") from error
    try:
        for part in place.parts[:-1]:
            below = _open_below(folder, part, create=create)
            os.close(folder)
            folder = below
        yield folder
    finally:
        os.close(folder)


def _open_below(folder: int, name: str, *, create: bool) -> int:
    try:
        if create:
            try:
                os.mkdir(name, dir_fd=folder)
                os.fsync(folder)
            except FileExistsError:
                pass
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise NotWritten(f'"{name}" is a link or no folder; nothing is written through it') from error
        raise NotWritten(f'the folder "{name}" cannot be used: {error.strerror}') from error
