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

from agenthost.clients.formats import Format
from agenthost.errors import OperatorError
from agenthost.settings import did_you_mean

Scope = Literal["user", "project"]
System = Literal["linux", "darwin"]

_VARIABLE = re.compile(r"\$([A-Z_]+)")


class _Facts(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Files(_Facts):
    """Templates of a path, for each system; the first whose variables are all set counts."""

    linux: list[str]
    darwin: list[str]

    def of(self, platform: str) -> list[str]:
        """Those of a system, by its `sys.platform`."""
        return self.darwin if platform == "darwin" else self.linux


class OwnCommand(_Facts):
    """The client's own way to change its configuration.

    Attributes:
        program: what to look for on PATH.
        add: its arguments to add an entry; see `plan.Target.fill` for what stands in braces.
        remove: its arguments to remove one, or None if it cannot.
        when: `always`: while it is there, nobody else changes the file. `no file`: only while there is no file yet.
            `never`: it is only told to people, for a file that we do not edit.
    """

    program: str
    add: list[str]
    remove: list[str] | None = None
    when: Literal["always", "no file", "never"]


class Place(_Facts):
    """One place in which a client looks for servers.

    Attributes:
        format: what the file is written in.
        key: the member of the file's top level that holds the entries.
        files: the file.
        older: where earlier versions of the client have it; it counts while the file itself is not there and no
            variable says where it is.
        unsure: by system, why nobody can say that the client reads this file; it is then only changed where its
            folder shows that the client has been there.
        extras: members that an entry must have beside command and args.
        defaults: members that a new entry gets; what somebody has put there instead stays.
        nested: the member in which some entries have command and args; such an entry stays as it is.
        lock: what the client puts behind the file's name for a lock of its own, a folder; None if it has none.
        command: the client's own command, or None.
        link: an address that makes the client add the entry, or None.
        after: what the client wants next, in lines.
        check: how to see that it worked.
    """

    format: Format = "json"
    key: str
    files: Files
    older: Files | None = None
    unsure: dict[System, str] = {}
    extras: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    nested: str | None = None
    lock: str | None = None
    command: OwnCommand | None = None
    link: str | None = None
    after: list[str]
    check: str

    def locate(self, environment: Mapping[str, str], home: Path, folder: Path, platform: str = sys.platform) -> Path:
        """The absolute path of the file; relative templates start at `folder`."""

        def fill(template: str) -> Path:
            filled = _VARIABLE.sub(lambda found: environment[found[1]], template)
            return folder / (home / filled[2:] if filled.startswith("~/") else Path(filled))

        def usable(templates: list[str]) -> str:
            return next(text for text in templates if all(environment.get(name) for name in _VARIABLE.findall(text)))

        template = usable(self.files.of(platform))
        path = fill(template)
        if self.older is not None and "$" not in template and not path.exists():
            older = fill(usable(self.older.of(platform)))
            return older if older.exists() else path
        return path

    def doubt(self, path: Path, platform: str = sys.platform) -> str | None:
        """Why the file at `path` had better not be made, or None."""
        return None if path.parent.is_dir() else self.unsure.get("darwin" if platform == "darwin" else "linux")


class Client(_Facts):
    """One client.

    Attributes:
        title: its name for people.
        aliases: other names under which people may ask for it.
        reserved_names: names that an entry may not have.
        splits_names_at: a character at which the client splits names, so that an entry should not have it.
        splits_command: whether the client takes a blank in the command for its end.
        longest_wait: seconds that a call may surely take, if more than most clients bear; written as `host.max_wait`.
        user: where the servers of a user are.
        project: where those of a project are, or None.
    """

    title: str
    aliases: list[str] = []
    reserved_names: list[str] = []
    splits_names_at: str | None = None
    splits_command: bool = False
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
        several = [other for other in clients if _plain(other).startswith(_plain(word))] if _plain(word) else []
        near = f" ({' or '.join(several)}?)" if len(several) > 1 else did_you_mean(word.lower(), clients)
        raise OperatorError(f"there is no client {word!r}{near}. Known: {', '.join(clients)}")
    return name, clients[name]


def _plain(text: str) -> str:
    return re.sub(r"[\s_.-]+", "", text).lower()
