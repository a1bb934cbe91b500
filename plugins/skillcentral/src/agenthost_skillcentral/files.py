"""The files of one layer: found and read without following a link, so that nothing outside the folder is ever read."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agenthost_skillcentral.formats import SKILL_FILE, SUFFIXES, read_skill
from agenthost_skillcentral.formats.reading import MAX_BYTES
from agenthost_skillcentral.model import Fault, Layer, Signature, Skill, SkillFolder
from agenthost_skillcentral.skill_folders import skill_folders

MAX_DEPTH = 32
"""Folders in folders; each one that is open costs a file descriptor."""

MAX_ITEMS = 100_000
"""Files and folders that are looked at in one layer, so that a layer with the path `/` comes to an end."""

_SETTLED_NS = 2_000_000_000
"""A file may change twice within one tick of the file system's clock; after this time its signature can be trusted."""

_IGNORED = ("node_modules", "__pycache__")
"""Names of folders that others fill."""

_Where = Literal["layer", "skill", "nothing but files"]
"""What a folder is a part of; in one that begins with `_` no skill is looked for."""

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of one file.

    Attributes:
        signature: inode, size and times, when it was read; two entries are equal if they hold the same.
        settled: would another change show in the signature?
        skill: the skill in it; after it broke, the last good one; None if it never held one.
        faults: what is wrong with it.
    """

    signature: Signature = field(compare=False)
    settled: bool = field(compare=False)
    skill: Skill | None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class Contents:
    """What a layer holds.

    Attributes:
        entries: its files, by path below the folder.
        faults: what is wrong with folders and links.
        folders: those below the folder that were looked into, by path; in a later look, those found again stay the
            same objects.
        skill_folders: what lies beside each `SKILL.md`, by the path of that.
    """

    entries: Mapping[str, Entry]
    faults: tuple[Fault, ...] = ()
    folders: Mapping[str, Path] = field(default_factory=dict)
    skill_folders: Mapping[str, SkillFolder] = field(default_factory=dict)


NOTHING = Contents({})


@dataclass
class _Notes:
    """What a walk notes beside the files.

    Attributes:
        faults: what is wrong with folders and links.
        folders: those that were looked into.
        items: how many files and folders there were.
        files: those that lie in the folder of an Agent Skill, by path.
    """

    faults: list[Fault] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    items: int = 0
    files: dict[str, Signature] = field(default_factory=dict)


def scan(
    layer: Layer, known: Contents = NOTHING, changed: Collection[str] = (), roots: Collection[str] = ()
) -> Contents:
    """Look through a layer's folder and read what is new or has changed.

    Args:
        layer: the layer.
        known: what the last look gave.
        changed: paths below the folder that are read again, whatever their signature says.
        roots: the real folders of all layers; a link that leads into one of them needs no word, since what it leads to
            is served from there.

    Raises:
        OSError: the layer's folder cannot be opened.
    """
    entries: dict[str, Entry] = {}
    notes = _Notes()
    top = os.open(layer.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path, folder, item in _walk(top, "", "layer", 0, layer, roots, notes):
            old = known.entries.get(path)
            try:
                if (
                    old is not None
                    and old.settled
                    and path not in changed
                    and old.signature == _signature(item.stat(follow_symlinks=False))
                ):
                    entries[path] = old
                else:
                    entries[path] = _entry(path, item.name, folder, layer, old)
            except FileNotFoundError:
                continue
            except OSError as error:
                if error.errno == errno.ELOOP:  # it has become a link since the folder was listed
                    continue
                broken = (Fault(layer.path / path, f"cannot be read: {error.strerror}", kept=_has_skill(old)),)
                entries[path] = Entry((0, 0, 0, 0), False, old.skill if old else None, broken)
    finally:
        os.close(top)
    agent_skills = (path for path in entries if _is_agent_skill(path))
    found, faults = skill_folders(layer, agent_skills, notes.files, notes.folders)
    folders = {path: known.folders.get(path) or layer.path / path for path in notes.folders}
    return Contents(entries, (*notes.faults, *faults), folders, found)


def _is_agent_skill(path: str) -> bool:
    return path.rpartition("/")[2] == SKILL_FILE


def _walk(
    folder: int, prefix: str, where: _Where, depth: int, layer: Layer, roots: Collection[str], notes: _Notes
) -> Iterator[tuple[str, int, os.DirEntry[str]]]:
    """The files that may hold skills: their path below the layer, the open folder they are in, their entry there.

    What lies in an Agent Skill's folder belongs to it; only other Agent Skills are looked for there.
    """
    with os.scandir(folder) as listing:
        items = sorted(listing, key=lambda item: item.name)
    if where == "layer" and any(item.name == SKILL_FILE for item in items):
        where = "skill"
    for item in items:
        notes.items += 1
        if notes.items > MAX_ITEMS:
            if notes.items == MAX_ITEMS + 1:
                notes.faults.append(Fault(layer.path, f"holds more than {MAX_ITEMS} files; the rest is not looked at"))
            return
        name = item.name
        if name[0] == "." or name in _IGNORED or (where == "layer" and name[0] == "_"):
            continue
        path = prefix + name
        below: _Where = "nothing but files" if name[0] == "_" else where
        if item.is_symlink():
            fault = _link(layer.path / path, name, where, roots)
            if fault:
                notes.faults.append(fault)
        elif item.is_dir(follow_symlinks=False):
            yield from _below(item, folder, path, below, depth, layer, roots, notes)
        elif item.is_file(follow_symlinks=False):
            if where != "layer":
                _note_file(item, path, layer, notes)
            if _may_hold_skill(name, below):
                yield path, folder, item


def _note_file(item: os.DirEntry[str], path: str, layer: Layer, notes: _Notes) -> None:
    """Note a file of an Agent Skill."""
    try:
        path.encode()
        notes.files[path] = _signature(item.stat(follow_symlinks=False))
    except UnicodeEncodeError:
        readable = os.fsencode(path).decode(errors="replace")
        notes.faults.append(Fault(layer.path / readable, "has a name that is not UTF-8 and is left out", grave=False))
    except FileNotFoundError:
        pass


def _below(
    item: os.DirEntry[str],
    folder: int,
    path: str,
    where: _Where,
    depth: int,
    layer: Layer,
    roots: Collection[str],
    notes: _Notes,
) -> Iterator[tuple[str, int, os.DirEntry[str]]]:
    if depth >= MAX_DEPTH:
        notes.faults.append(Fault(layer.path / path, f"is more than {MAX_DEPTH} folders deep; it is not looked into"))
        return
    try:
        below = os.open(item.name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        return
    except OSError as error:
        notes.faults.append(Fault(layer.path / path, f"cannot be opened: {error.strerror}"))
        return
    notes.folders.append(path)
    try:
        yield from _walk(below, f"{path}/", where, depth + 1, layer, roots, notes)
    finally:
        os.close(below)


def _may_hold_skill(name: str, where: _Where) -> bool:
    if name == SKILL_FILE:
        return where != "nothing but files"
    return where == "layer" and name.lower().endswith(SUFFIXES)


def _link(path: Path, name: str, where: _Where, roots: Collection[str]) -> Fault | None:
    """What to say of a link, which is never followed; in a layer nothing if it leads to no skills or to a layer."""
    if where != "layer":
        return Fault(path, "is a link and no part of its skill; put the file itself here", grave=False)
    target = os.path.realpath(path)
    if any(target == root or target.startswith(f"{root}/") for root in roots):
        return None
    is_folder = Path(target).is_dir()
    if not is_folder and not _may_hold_skill(name, where):
        return None
    cure = f"define a layer with the path {target}" if is_folder else "put the file itself here"
    return Fault(path, f"is a link out of its layer and is not followed; {cure}", grave=False)


def _has_skill(entry: Entry | None) -> bool:
    return entry is not None and entry.skill is not None


def _signature(status: os.stat_result) -> Signature:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _entry(path: str, name: str, folder: int, layer: Layer, old: Entry | None) -> Entry:
    """Read a file anew; what it last held stays if it holds nothing good now."""
    file = os.open(name, _FILE, dir_fd=folder)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise FileNotFoundError(path)  # it has been replaced since the folder was listed
        data = _read(file)
        now = time.time_ns()
    finally:
        os.close(file)
    skill, faults = read_skill(data, layer.path / path, layer)
    if old is not None and old.skill is not None:
        if skill is None:
            faults = tuple(_kept(fault) for fault in faults)
        if skill is None or skill == old.skill:  # the very same object tells the rest that nothing has changed
            skill = old.skill
    settled = now - max(status.st_mtime_ns, status.st_ctime_ns) > _SETTLED_NS
    return Entry(_signature(status), settled, skill, faults)


def _read(file: int) -> bytes:
    """The file's bytes, one more than a skill may have at most."""
    parts: list[bytes] = []
    left = MAX_BYTES + 1
    while left and (part := os.read(file, min(left, 64 * 1024))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _kept(fault: Fault) -> Fault:
    return Fault(fault.file, fault.reason, fault.line, fault.column, fault.field, True, fault.grave)
