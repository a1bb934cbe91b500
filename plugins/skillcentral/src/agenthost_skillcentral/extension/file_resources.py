"""The files of skills as ordinary resources: each `SKILL.md` is listed, the others are behind a template."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Mapping
from typing import Any

from agenthost import CallContext, Contents, Resource, ResourceTemplate

from agenthost_skillcentral.extension.manifests import Files
from agenthost_skillcentral.extension.shelf import Shelf, Shelved

FILE = "skill://{place}/{+path}"
MARKDOWN = "text/markdown"

LISTED = 200
"""Files `SKILL.md` with an entry of their own in the list of resources; clients that want more have `skills/list`."""

_TYPES = mimetypes.MimeTypes()  # Python's own table, the same on any machine
for _kind, _suffixes in {
    MARKDOWN: (".md", ".markdown"),
    "application/yaml": (".yaml", ".yml"),
    "application/toml": (".toml",),
}.items():
    for _suffix in _suffixes:
        _TYPES.add_type(_kind, _suffix)


def media_type(name: str) -> str | None:
    """The media type of a file, by its name; None if that says nothing."""
    kind, encoding = _TYPES.guess_type(name)
    return None if encoding else kind


def contents(name: str, data: bytes) -> list[Contents]:
    """A file as it is sent: as text if it is UTF-8, byte for byte, else as a blob."""
    text: str | None = None
    if b"\0" not in data:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = None
    return [Contents(data if text is None else text, mime_type=media_type(name))]


def file_template(look: Callable[[], Shelf], files: Files) -> ResourceTemplate:
    """Every file of every skill."""

    def read(place: str, path: str) -> list[Contents]:
        return contents(*files.read(look(), place, path))

    def complete_place(value: str, _arguments: Mapping[str, str], _ctx: CallContext[Any]) -> list[str]:
        return sorted({shelved.place for shelved in look() if shelved.place.startswith(value)})

    def complete_path(value: str, arguments: Mapping[str, str], _ctx: CallContext[Any]) -> list[str]:
        own = (shelved for shelved in look() if shelved.place == arguments.get("place", shelved.place))
        paths = {f"{shelved.path}/{file}" for shelved in own for file in shelved.files}
        return sorted(path for path in paths if path.startswith(value))

    return ResourceTemplate(
        FILE,
        read,
        "skill_file",
        "A file of a skill: its SKILL.md, or what that refers to.",
        complete={"place": complete_place, "path": complete_path},
    )


def file_resource(shelved: Shelved, look: Callable[[], Shelf], files: Files) -> Resource:
    """The entry of a `SKILL.md` in the list of resources."""
    place, path = shelved.place, f"{shelved.path}/{shelved.uri.rpartition('/')[2]}"

    def read() -> list[Contents]:
        return contents(*files.read(look(), place, path))

    return Resource(
        shelved.uri,
        read,
        shelved.skill.id,
        shelved.frontmatter["description"],
        mime_type=MARKDOWN,
        annotations={"audience": ["assistant"], "priority": 0.9},
    )


def listed_files(shelf: Shelf) -> list[Shelved]:
    """The skills in folders whose `SKILL.md` is listed: those of the highest priorities, in the order of all lists.

    Skills in YAML and JSON have another entry in that list.
    """
    found = sorted(
        (shelved for shelved in shelf if shelved.folder is not None), key=lambda shelved: shelved.skill.layer.priority
    )
    return found[-LISTED:]
