"""What is asked for, what is there, and what will be done: the plan of a change to a client's configuration."""

from __future__ import annotations

import base64
import difflib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from agenthost.clients import Client, Place, Scope, jsonedit
from agenthost.clients.files import Snapshot

Means = Literal["nothing", "edit", "delete", "command"]


@dataclass(frozen=True)
class Target:
    """What is to be changed.

    Attributes:
        client: the client.
        scope: of the user, or of a project.
        name: the name of the entry.
        path: the client's file.
        wanted: the entry that is to be there, or None if none is to be.
        program: the client's own command where it may be used, or None.
    """

    client: Client
    scope: Scope
    name: str
    path: Path
    wanted: Mapping[str, Any] | None
    program: str | None

    @property
    def place(self) -> Place:
        """What is known about the file."""
        return self.client.place(self.scope)

    @property
    def member(self) -> tuple[str, str]:
        """Where in the file the entry is."""
        return self.place.key, self.name

    def entry_in(self, snapshot: Snapshot) -> tuple[Any, str | None]:
        """The entry that is there, or None; and why the file cannot be edited, or None.

        Raises:
            LeftAlone: the file is not text.
        """
        key, name = self.member
        problem: str | None = None
        document: Mapping[str, Any]
        try:
            document = jsonedit.read(snapshot.text)
        except jsonedit.NotPlainJson as error:
            problem = str(error)
            document = jsonedit.read_leniently(snapshot.text) or {}
        entries = document.get(key, {})
        if not isinstance(entries, dict):
            return None, problem or f'"{key}" in it is not an object'
        return entries.get(name), problem

    def fill(self, template: str, entry: Mapping[str, Any]) -> str:
        """A template of the clients' data with its braces filled.

        `{name}` and `{file}`; `{entry}`, the entry as JSON, and `{entry_base64}`; `{named_entry}`, with
        its name as a member, and `{named_entry_quoted}`, as in an address.
        """
        compact = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        named = json.dumps({"name": self.name, **entry}, ensure_ascii=False, separators=(",", ":"))
        return template.format(
            name=self.name,
            file=self.path,
            entry=compact,
            entry_base64=base64.urlsafe_b64encode(compact.encode()).decode(),
            named_entry=named,
            named_entry_quoted=quote(named, safe=""),
        )


@dataclass(frozen=True)
class Plan:
    """What will be done to a file as it was read.

    Attributes:
        target: what is asked for.
        snapshot: the file.
        means: by what means.
        before: the entry that is there, or None.
        after: the entry that will be there, or None.
        text: the new content, for an edit.
        commands: the client's commands, each with its arguments.
    """

    target: Target
    snapshot: Snapshot
    means: Means
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    text: str = ""
    commands: tuple[tuple[str, ...], ...] = ()

    @property
    def verb(self) -> str:
        """The client's command that brings about the change, without what is special to this entry."""
        own = self.target.place.command
        assert own is not None
        words = own.add if self.after is not None else own.remove or []
        return " ".join([own.program, *itertools.takewhile(lambda word: "{" not in word, words)])

    def difference(self) -> list[str]:
        """The lines of the entry that go and come. Nothing else of the file is shown: others keep secrets in it."""
        old, new = (
            [] if entry is None else rendered(self.target.name, entry).splitlines()
            for entry in (self.before, self.after)
        )
        lines = list(difflib.unified_diff(old, new, lineterm="", n=0))
        return [line for line in lines[2:] if not line.startswith("@@")]


@dataclass(frozen=True)
class Outcome:
    """What was done.

    Attributes:
        plan: the plan that was carried out.
        copy: where the file as it was is kept, or None.
    """

    plan: Plan
    copy: Path | None = None


def rendered(name: str, entry: Any) -> str:
    """The entry as a member of an object, in lines; what is to be pasted into a file."""
    lines = json.dumps({name: entry}, ensure_ascii=False, indent=2).splitlines()
    return "\n".join(line[2:] for line in lines[1:-1])
