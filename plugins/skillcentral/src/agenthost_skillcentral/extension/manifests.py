"""What a skill consists of: the address, the size and the SHA-256 of every file, of its bytes as they are now."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import time
from pathlib import Path
from typing import Any

from agenthost import NotFound

from agenthost_skillcentral.extension.contained import read_file, signature_of
from agenthost_skillcentral.extension.shelf import Shelf, Shelved
from agenthost_skillcentral.formats import SKILL_FILE
from agenthost_skillcentral.model import Language, Signature, size_of
from agenthost_skillcentral.skill_folders import MAX_BYTES

REMEMBERED = 100_000
"""Digests that are kept at most."""

_SETTLED_NS = 2_000_000_000
"""A file may change twice within one tick of the file system's clock; after this time its signature can be trusted."""

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""The file is no more, or has become a link."""


class Files:
    """Reads the files of skills, and remembers their digests; in any thread."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._lock = threading.Lock()
        self._digests: dict[Path, tuple[Signature, str]] = {}

    def read(self, shelf: Shelf, place: str, path: str) -> tuple[str, bytes]:
        """The name and the bytes of a file, by the two parts of its address.

        Raises:
            NotFound: no skill has such a file, or it cannot be read.
        """
        found = shelf.find(place, path)
        if found is None:
            raise NotFound(f"No skill has a file skill://{place}/{path}.")
        shelved, file = found
        try:
            data = self._held(shelf, shelved, file)
            return file.rpartition("/")[2], data if data is not None else _read(shelved, file)[0]
        except OSError as error:
            raise NotFound(f"skill://{place}/{path} cannot be read: {error.strerror}.") from None

    def entry(self, shelf: Shelf, shelved: Shelved) -> dict[str, Any]:
        """A skill as the protocol's `Skill`; a file that is gone since the last look is left out.

        Raises:
            OSError: a file cannot be read.
        """
        resources = []
        for file in sorted(shelved.files):
            try:
                digest, size = self._digest(shelf, shelved, file)
            except OSError as error:
                if error.errno in _GONE:
                    continue
                raise
            resources.append({"uri": shelved.address_of(file), "digest": f"sha256:{digest}", "size": size})
        return {"uri": shelved.uri, "frontmatter": dict(shelved.frontmatter), "resources": resources}

    def _held(self, shelf: Shelf, shelved: Shelved, file: str) -> bytes | None:
        """The content of a `SKILL.md` that is a skill's: the one that is served, also while the file is broken."""
        if file == SKILL_FILE:
            return shelved.content(self._language)
        if file.endswith(f"/{SKILL_FILE}") and (inner := shelf.get(shelved.address_of(file))) is not None:
            return inner.content(self._language)
        return None

    def _digest(self, shelf: Shelf, shelved: Shelved, file: str) -> tuple[str, int]:
        """The digest and the size of a file."""
        if (held := self._held(shelf, shelved, file)) is not None:
            return hashlib.sha256(held).hexdigest(), len(held)
        path = shelved.skill.source.parent / file
        with self._lock:
            known = self._digests.get(path)
        if known is not None and known[0] == signature_of(os.lstat(path)):
            return known[1], size_of(known[0])
        data, signature = _read(shelved, file)
        digest = hashlib.sha256(data).hexdigest()
        with self._lock:
            self._digests.pop(path, None)
            if time.time_ns() - max(signature[2:]) > _SETTLED_NS and size_of(signature) == len(data):
                if len(self._digests) >= REMEMBERED:
                    self._digests.clear()
                self._digests[path] = signature, digest
        return digest, len(data)


def _read(shelved: Shelved, file: str) -> tuple[bytes, Signature]:
    """The bytes of a file on the disk, and its signature."""
    layer = shelved.skill.layer.path
    data, signature = read_file(layer, (shelved.skill.source.parent / file).relative_to(layer).as_posix(), MAX_BYTES)
    if len(data) > MAX_BYTES:  # it has grown, and the next look will find that it is too large
        raise OSError(errno.ENOENT, "it has grown too large")
    return data, signature
