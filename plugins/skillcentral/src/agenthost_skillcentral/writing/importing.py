"""Skills of others brought into a layer: single files and whole folders of Agent Skills, none in place of another."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from agenthost_skillcentral.files import scan
from agenthost_skillcentral.formats import SKILL_FILE
from agenthost_skillcentral.model import Layer, Skill, Snapshot
from agenthost_skillcentral.skill_folders import MAX_BYTES, MAX_FILES
from agenthost_skillcentral.writing.choosing import choose_layer
from agenthost_skillcentral.writing.files import locked, read, replace, stamp
from agenthost_skillcentral.writing.places import NotWritten, Place, in_layer, open_folder
from agenthost_skillcentral.writing.targets import skills_with

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Import:
    """What becomes of one file or folder.

    Attributes:
        source: the file; of an Agent Skill, its `SKILL.md`.
        skill: what is in it; None if it is no skill.
        place: where it goes; None if it stays out.
        reason: why it stays out.
    """

    source: Path
    skill: Skill | None = None
    place: Place | None = None
    reason: str = ""


def plan(folder: Path, snapshot: Snapshot, layer: str | None) -> list[Import]:
    """What would become of the skills in a folder; nothing is written.

    Args:
        folder: where they are, absolute.
        snapshot: what the library holds.
        layer: where they shall go; None is where their tags say.

    Raises:
        NotWritten: the folder or the layer cannot be used.
    """
    try:
        contents = scan(Layer("import", "import", folder))
    except OSError as error:
        raise NotWritten(f"{folder} cannot be looked into: {error.strerror}") from error
    planned = [Import(fault.file, reason=fault.reason) for fault in contents.faults if fault.grave]
    taken: dict[str, Path] = {}
    for path, entry in contents.entries.items():
        source = folder / path
        if source.name == SKILL_FILE and any(
            f"{above.as_posix()}/{SKILL_FILE}" in contents.entries for above in Path(path).parent.parents
        ):
            continue  # it comes along with the Agent Skill around it
        if entry.skill is None:
            planned.append(Import(source, reason="; ".join(fault.reason for fault in entry.faults)))
        else:
            planned.append(_plan(source, entry.skill, snapshot, layer, taken))
    return planned


def _plan(source: Path, skill: Skill, snapshot: Snapshot, layer: str | None, taken: dict[str, Path]) -> Import:
    if there := skills_with(snapshot, skill.id):
        return Import(source, skill, reason=f"the id {skill.id} is there already, in the layer {there[0].layer.id}")
    if skill.id in taken:
        return Import(source, skill, reason=f"the id {skill.id} is there twice, the other is {taken[skill.id]}")
    taken[skill.id] = source
    chosen, below = choose_layer(snapshot.layers, layer, skill.tags)
    name = skill.id if source.name == SKILL_FILE else f"{skill.id}{source.suffix.lower()}"
    try:
        return Import(source, skill, in_layer(chosen, snapshot.project_root, below, name))
    except NotWritten as error:
        return Import(source, skill, reason=str(error))


def bring(one: Import) -> None:
    """Write what was planned, whole or not at all.

    Raises:
        NotWritten: it cannot be read or written, or something is there already.
    """
    place = one.place
    assert place is not None
    with open_folder(place, create=True) as folder, locked(folder):
        try:
            os.stat(place.name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            pass
        else:
            raise NotWritten(f"{place.path} is there already")
        if one.source.name == SKILL_FILE:
            _copy_folder(one.source.parent, folder, place.name)
        else:
            with _opened(one.source.parent) as source:
                data = read(source, one.source.name)
            if data is None:
                raise NotWritten(f"{one.source} is gone")
            replace(folder, place.name, None, data)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield folder
    finally:
        os.close(folder)


def _copy_folder(source: Path, folder: int, name: str) -> None:
    """Copy an Agent Skill under a name of its own first, and give it the right one when it is whole."""
    new = f".{name}.{stamp()}.new"
    try:
        os.mkdir(new, dir_fd=folder)
        made = os.open(new, _FOLDER, dir_fd=folder)
        try:
            with _opened(source) as opened:
                _within_bounds(_copied(opened, made))
            os.fsync(made)
        finally:
            os.close(made)
        os.rename(new, name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
    except (OSError, NotWritten) as error:
        with suppress(OSError):
            shutil.rmtree(new, dir_fd=folder)
        reason = error.strerror if isinstance(error, OSError) else error
        raise NotWritten(f"{source.name} cannot be copied: {reason}") from error


def _within_bounds(sizes: Iterable[int]) -> None:
    """Copy until there is too much.

    Raises:
        NotWritten: there is.
    """
    count = total = 0
    for size in sizes:
        count, total = count + 1, total + size
        if count > MAX_FILES or total > MAX_BYTES:
            raise NotWritten(f"it holds more than {MAX_FILES} files or {MAX_BYTES} bytes")


def _copied(source: int, target: int) -> Iterator[int]:
    """Copy what is in a folder; the size of each file. Links and hidden files stay behind."""
    for item in os.scandir(source):
        if item.name[0] == "." or item.is_symlink() or item.name in {"node_modules", "__pycache__"}:
            continue
        if item.is_dir(follow_symlinks=False):
            os.mkdir(item.name, dir_fd=target)
            inner, made = os.open(item.name, _FOLDER, dir_fd=source), os.open(item.name, _FOLDER, dir_fd=target)
            try:
                yield from _copied(inner, made)
                os.fsync(made)
            finally:
                os.close(inner)
                os.close(made)
        elif item.is_file(follow_symlinks=False):
            yield _copy_file(item.name, source, target)


def _copy_file(name: str, source: int, target: int) -> int:
    with os.fdopen(os.open(name, _FILE, dir_fd=source), "rb") as old:
        mode = stat.S_IMODE(os.fstat(old.fileno()).st_mode) & 0o777
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, mode | 0o200, dir_fd=target), "wb") as new:
            data = old.read(MAX_BYTES + 1)
            new.write(data)
            new.flush()
            os.fsync(new.fileno())
    return len(data)
