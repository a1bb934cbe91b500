"""The skills that are served as files, by their addresses: all of all layers, whatever competes for an id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agenthost_skillcentral.extension.addresses import address, places
from agenthost_skillcentral.extension.skill_md import can_be_written, frontmatter, skill_md
from agenthost_skillcentral.formats import SKILL_FILE
from agenthost_skillcentral.model import Language, Signature, Skill, SkillFolder, Snapshot


@dataclass(frozen=True)
class Shelved:
    """One skill as a folder of files.

    Attributes:
        uri: the address of its `SKILL.md`.
        place: the first segment of its address.
        path: that of its folder, below the place.
        skill: the skill.
        folder: what is in the folder; None if there is none on the disk, since the skill is in YAML or JSON.
    """

    uri: str
    place: str
    path: str
    skill: Skill
    folder: SkillFolder | None

    @property
    def frontmatter(self) -> Mapping[str, Any]:
        """Its front matter as JSON."""
        return self.skill.extra["frontmatter"] if self.folder is not None else frontmatter(self.skill)

    def content(self, language: Language) -> bytes:
        """Its `SKILL.md`."""
        return skill_md(self.skill, language) if self.skill.content is None else self.skill.content

    @property
    def files(self) -> Mapping[str, Signature | None]:
        """Its files, by path below its folder; None is one that is not on the disk."""
        return {SKILL_FILE: None} if self.folder is None else self.folder.files

    def address_of(self, path: str) -> str:
        """The address of one of its files or folders."""
        return address(self.place, f"{self.path}/{path}")


class Shelf:
    """What is served of one snapshot; nothing in it changes."""

    def __init__(self, snapshot: Snapshot, before: Shelf | None = None) -> None:
        """`before` is the shelf of an earlier snapshot: what has not changed stays the same object."""
        skills = [candidate.skill for record in snapshot.records.values() for candidate in record.candidates]
        self._places = places(snapshot.layers)
        self._tops = {skill.layer.id: skill.id for skill in skills if _is_top(skill)}
        known = {} if before is None else self._kept(before)
        found: dict[tuple[str, str], Shelved] = {}
        twice: set[tuple[str, str]] = set()
        for skill in skills:
            folder, shelved = snapshot.folders.get(skill.source), known.get(id(skill))
            if shelved is None or shelved.folder != folder:
                if folder is None and (skill.content is not None or not can_be_written(skill)):
                    continue  # a folder that is too large, or no text that a file could hold
                shelved = self._shelved(skill, folder)
            key = shelved.place, shelved.path
            if folder is not None:
                twice.discard(key)
            elif key in found:  # one layer has the id twice: conflicted, and told as such
                twice.add(key)
                continue
            found[key] = shelved
        for key in twice:
            if found[key].folder is None:
                del found[key]
        self._skills = found
        self._by_uri = {shelved.uri: shelved for shelved in found.values()}
        self._uris = sorted(self._by_uri)

    def _kept(self, before: Shelf) -> dict[int, Shelved]:
        """What an earlier shelf holds, by the identity of the skill; nothing if addresses are made otherwise now."""
        if (before._places, before._tops) != (self._places, self._tops):
            return {}
        return {id(shelved.skill): shelved for shelved in before._skills.values()}

    def _shelved(self, skill: Skill, folder: SkillFolder | None) -> Shelved:
        place, path = self._places[skill.layer.id], _path(skill, self._tops.get(skill.layer.id))
        return Shelved(address(place, f"{path}/{SKILL_FILE}"), place, path, skill, folder)

    def __iter__(self) -> Iterator[Shelved]:
        """All skills, in the order of their addresses."""
        return (self._by_uri[uri] for uri in self._uris)

    def get(self, uri: str) -> Shelved | None:
        """The skill whose `SKILL.md` has this address."""
        return self._by_uri.get(uri)

    def after(self, uri: str) -> Iterator[Shelved]:
        """The skills whose addresses come after this one."""
        return (self._by_uri[other] for other in self._uris if other > uri)

    def find(self, place: str, path: str) -> tuple[Shelved, str] | None:
        """The skill that a file belongs to, and the path of the file below its folder.

        Where skills lie in skills, the innermost one that has the file.
        """
        names = path.split("/")
        for length in range(len(names) - 1, 0, -1):
            shelved = self._skills.get((place, "/".join(names[:length])))
            if shelved is not None and (file := "/".join(names[length:])) in shelved.files:
                return shelved, file
        return None

    def find_folder(self, uri: str) -> tuple[Shelved, str] | None:
        """The skill that a folder belongs to, and the path of the folder below that of the skill; empty if it is it."""
        prefix = uri
        while "/" in prefix:
            shelved = self._by_uri.get(f"{prefix}/{SKILL_FILE}")
            if shelved is not None:
                if prefix == uri:
                    return shelved, ""
                for folder in shelved.folder.folders if shelved.folder else ():
                    if shelved.address_of(folder) == uri:
                        return shelved, folder
            prefix = prefix.rpartition("/")[0]
        return None

    def changes(self, after: Shelf) -> Iterator[str]:
        """The addresses of files that are new, gone or different in the one `after` this."""
        changed_uris = {uri for uri, one in self._by_uri.items() if after.get(uri) is not one}
        for uri in changed_uris | (after._by_uri.keys() - self._by_uri.keys()):
            old, new = self.get(uri), after.get(uri)
            if old is None or new is None:
                one = old or new
                assert one is not None
                yield from map(one.address_of, one.files)
                continue
            if old.skill is not new.skill:
                yield uri
            if old.folder != new.folder:
                names = old.files.keys() | new.files.keys()
                changed = (name for name in names if old.files.get(name) != new.files.get(name))
                yield from (new.address_of(name) for name in changed if name != SKILL_FILE)


def _is_top(skill: Skill) -> bool:
    """Is the folder of its layer its own?"""
    return skill.content is not None and not _below(skill)


def _path(skill: Skill, top: str | None) -> str:
    """The path of a skill's folder below the place of its layer; its last name is the skill's.

    If the layer is itself the folder of a skill, `top`, everything in it lies below that name.
    """
    return "/".join(filter(None, (top, _below(skill), skill.id if skill.content is None else None)))


def _below(skill: Skill) -> str:
    """The path of a skill's folder below that of its layer; empty if it is that."""
    path = str(skill.source)[len(str(skill.layer.path)) :]  # relative_to() takes ten times as long
    return path.rpartition("/")[0].strip("/")
