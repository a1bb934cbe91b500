"""The request methods of the extension: `skills/list`, `skills/get`, `resources/directory/read`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agenthost import CallContext, Extension, InvalidParams, NotFound

from agenthost_skillcentral.extension.file_resources import MARKDOWN, media_type
from agenthost_skillcentral.extension.manifests import Files
from agenthost_skillcentral.extension.shelf import Shelf, Shelved
from agenthost_skillcentral.formats import SKILL_FILE
from agenthost_skillcentral.model import size_of

IDENTIFIER = "io.modelcontextprotocol/skills"

PAGE_SKILLS = 50
PAGE_FILES = 1024
PAGE_BYTES = 32 * 1024 * 1024
"""What a page of `skills/list` covers at most, whichever is reached first; all bytes of it may have to be hashed."""

PAGE_CHILDREN = 500
"""Entries of a page of `resources/directory/read`."""

FOLDER = "inode/directory"


def extension(look: Callable[[], Shelf], files: Files, log: logging.Logger) -> Extension:
    """The extension over what is on the shelf at the moment of a request."""
    methods = _Methods(look, files, log)
    return Extension(
        IDENTIFIER,
        {"directoryRead": True},
        {
            "skills/list": methods.list_skills,
            "skills/get": methods.get_skill,
            "resources/directory/read": methods.read_directory,
        },
    )


class _Methods:
    """The methods; each works in a thread, since files are read and hashed."""

    def __init__(self, look: Callable[[], Shelf], files: Files, log: logging.Logger) -> None:
        self._look = look
        self._files = files
        self._log = log
        self._told: set[str] = set()

    async def list_skills(self, params: dict[str, Any], _ctx: CallContext[Any]) -> dict[str, Any]:
        """`skills/list`."""
        return await asyncio.to_thread(self._list, _cursor(params))

    async def get_skill(self, params: dict[str, Any], _ctx: CallContext[Any]) -> dict[str, Any]:
        """`skills/get`."""
        return await asyncio.to_thread(self._get, _uri(params))

    async def read_directory(self, params: dict[str, Any], _ctx: CallContext[Any]) -> dict[str, Any]:
        """`resources/directory/read`."""
        return await asyncio.to_thread(self._children, _uri(params), _cursor(params))

    def _list(self, cursor: str) -> dict[str, Any]:
        shelf = self._look()
        page, is_last = _page(shelf.after(cursor))
        skills = []
        for shelved in page:
            try:
                skills.append(self._files.entry(shelf, shelved))
            except OSError as error:
                self._tell(f"skill {shelved.uri} is left out of skills/list: {error}")
        return {"skills": skills, **({} if is_last else {"nextCursor": page[-1].uri})}

    def _get(self, uri: str) -> dict[str, Any]:
        shelf = self._look()
        shelved = shelf.get(uri)
        if shelved is None:
            raise NotFound(f"No skill has the address {uri}; it is that of a {SKILL_FILE}, as skills/list tells it.")
        try:
            return {"skill": self._files.entry(shelf, shelved)}
        except OSError as error:
            self._tell(f"skill {shelved.uri} is not given by skills/get: {error}")
            raise NotFound(f"A file of {uri} cannot be read: {error.strerror}.") from None

    def _children(self, uri: str, cursor: str) -> dict[str, Any]:
        shelf = self._look()
        found = shelf.find_folder(uri)
        if found is None:
            raise NotFound(f"{uri} is not the address of a folder of a skill.")
        children = children_of(*found, shelf)
        names = sorted(child for child in children if child > cursor)
        more = {"nextCursor": names[PAGE_CHILDREN - 1]} if len(names) > PAGE_CHILDREN else {}
        return {"resources": [children[child] for child in names[:PAGE_CHILDREN]], **more}

    def _tell(self, text: str) -> None:
        """Tell the operator, once."""
        if text not in self._told:
            self._told.add(text)
            self._log.warning("%s", text)


def children_of(shelved: Shelved, folder: str, shelf: Shelf) -> Mapping[str, dict[str, Any]]:
    """What lies directly in a folder of a skill, as resources of the protocol, by address."""
    below = f"{folder}/" if folder else ""
    children: dict[str, dict[str, Any]] = {}
    for name in _direct(shelved.files, below):
        uri, file = shelved.address_of(name), shelved.files[name]
        child: dict[str, Any] = {"uri": uri, "name": name[len(below) :]}
        if (skill := shelf.get(uri)) is not None:
            child |= {"name": skill.skill.id, "description": skill.frontmatter["description"], "mimeType": MARKDOWN}
        elif (kind := media_type(name)) is not None:
            child["mimeType"] = kind
        if file is not None and skill is None:
            child["size"] = size_of(file)
        children[uri] = child
    for name in _direct(shelved.folder.folders if shelved.folder else (), below):
        uri = shelved.address_of(name)
        children[uri] = {"uri": uri, "name": name[len(below) :], "mimeType": FOLDER}
    return children


def _direct(names: Iterable[str], below: str) -> list[str]:
    return [name for name in names if name.startswith(below) and "/" not in name[len(below) :]]


def _page(skills: Iterable[Shelved]) -> tuple[list[Shelved], bool]:
    """The next page, never empty if there is any skill, and whether it is the last one."""
    page: list[Shelved] = []
    files = size = 0
    for shelved in skills:
        files += len(shelved.files)
        size += sum(size_of(file) for file in shelved.files.values() if file is not None)
        if page and (len(page) == PAGE_SKILLS or files > PAGE_FILES or size > PAGE_BYTES):
            return page, False
        page.append(shelved)
    return page, True


def _uri(params: Mapping[str, Any]) -> str:
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise InvalidParams("uri has to be a text: the address of a skill or of one of its folders")
    return uri


def _cursor(params: Mapping[str, Any]) -> str:
    """The address after which the page begins; empty for the first page."""
    cursor = params.get("cursor")
    if cursor is None:
        return ""
    if not isinstance(cursor, str) or not cursor.startswith("skill://"):
        raise InvalidParams("cursor has to be the nextCursor of the page before")
    return cursor
