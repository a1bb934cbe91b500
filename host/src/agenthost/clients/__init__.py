"""MCP clients: where each keeps its servers, what an entry looks like there, how to add one; all of it data."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agenthost.errors import OperatorError
from agenthost.settings import did_you_mean

Scope = Literal["user", "project"]

_VARIABLE = re.compile(r"\$([A-Z_]+)")


class _Facts(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Files(_Facts):
    """Templates of a path, for each system; the first whose variables are all set counts."""

    linux: list[str]
    darwin: list[str]


class OwnCommand(_Facts):
    """The client's own way to change its configuration.

    Attributes:
        program: what to look for on PATH.
        add: its arguments to add an entry; see `plan.Target.fill` for what stands in braces.
        remove: its arguments to remove one, or None if it cannot.
        when: `always`: while it is there, nobody else changes the file. `no file`: only while there is no file yet.
    """

    program: str
    add: list[str]
    remove: list[str] | None = None
    when: Literal["always", "no file"]


class Place(_Facts):
    """One place in which a client looks for servers.

    Attributes:
        key: the member of the file's top level that holds the entries.
        files: the file.
        extras: members of an entry beside command and args.
        command: the client's own command, or None.
        link: an address that makes the client add the entry, or None.
        after: what the client wants next, in lines.
        check: how to see that it worked.
    """

    key: str
    files: Files
    extras: dict[str, Any] = {}
    command: OwnCommand | None = None
    link: str | None = None
    after: list[str]
    check: str

    def locate(self, environment: Mapping[str, str], home: Path, folder: Path, platform: str = sys.platform) -> Path:
        """The absolute path of the file; relative templates start at `folder`."""
        templates = self.files.darwin if platform == "darwin" else self.files.linux
        template = next(text for text in templates if all(environment.get(name) for name in _VARIABLE.findall(text)))
        filled = _VARIABLE.sub(lambda found: environment[found[1]], template)
        path = home / filled[2:] if filled.startswith("~/") else Path(filled)
        return folder / path


class Client(_Facts):
    """One client.

    Attributes:
        title: its name for people.
        aliases: other names under which people may ask for it.
        reserved_names: names that an entry may not have.
        longest_wait: seconds that a call may surely take, if more than most clients bear; written as `host.max_wait`.
        user: where the servers of a user are.
        project: where those of a project are, or None.
    """

    title: str
    aliases: list[str] = []
    reserved_names: list[str] = []
    longest_wait: int | None = Field(None, gt=0)
    user: Place
    project: Place | None = None

    def place(self, scope: Scope) -> Place:
        """The place of that scope.

        Raises:
            OperatorError: the client has no such place.
        """
        place = self.project if scope == "project" else self.user
        if place is None:
            raise OperatorError(f"{self.title} has no configuration for a project; leave --project out")
        return place


@cache
def load_clients() -> dict[str, Client]:
    """All clients by name, in the order of the file."""
    document = tomllib.loads(Path(__file__).with_name("clients.toml").read_text(encoding="utf-8"))
    return {name: Client.model_validate(facts) for name, facts in document.items()}


def find_client(word: str) -> tuple[str, Client]:
    """The client that somebody calls `word`; case, blanks and punctuation do not count.

    Raises:
        OperatorError: there is none; names the nearest.
    """
    clients = load_clients()
    spellings = {
        _plain(text): name for name, client in clients.items() for text in (name, client.title, *client.aliases)
    }
    name = spellings.get(_plain(word))
    if name is None:
        near = did_you_mean(word.lower(), clients)
        raise OperatorError(f"there is no client {word!r}{near}. Known: {', '.join(clients)}")
    return name, clients[name]


def _plain(text: str) -> str:
    return re.sub(r"[\s_.-]+", "", text).lower()
