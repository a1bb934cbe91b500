"""What is asked for, what is there, and what will be done: the plan of a change to a client's configuration."""

from __future__ import annotations

import base64
import difflib
import itertools
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from agenthost.clients import Client, Place, Scope
from agenthost.clients.entry import merged
from agenthost.clients.files import Snapshot
from agenthost.clients.formats import Editor, NotEditable, editor

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
    def editor(self) -> Editor:
        """What edits the file."""
        return editor(self.place.format)

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
            document = self.editor.read(snapshot.text)
        except NotEditable as error:
            problem = str(error)
            document = self.editor.read_leniently(snapshot.text) or {}
        entries = document.get(key, {})
        if not isinstance(entries, dict):
            return None, problem or f'"{key}" in it is not {"an object" if self.place.format == "json" else "a table"}'
        return entries.get(name), problem

    def entry_over(self, existing: Mapping[str, Any] | None) -> dict[str, Any]:
        """The entry that is to be there, over one that is there already or None."""
        assert self.wanted is not None
        return merged(existing, self.wanted, self.place.defaults, self.place.nested)

    def rendered(self, entry: Mapping[str, Any]) -> str:
        """An entry in lines, as it is to be pasted into the file."""
        return self.editor.render(self.member, entry)

    def words(self, templates: Sequence[str], entry: Mapping[str, Any]) -> list[str]:
        """The words of a command, filled; the word `{args}` becomes all arguments of the entry."""
        return [
            word
            for template in templates
            for word in (entry["args"] if template == "{args}" else [self.fill(template, entry)])
        ]

    def fill(self, template: str, entry: Mapping[str, Any]) -> str:
        """A template of the clients' data with its braces filled.

        `{name}` and `{file}`; `{command}`, the program, and `{shell}`, it and its arguments for a shell; `{entry}`,
        the entry as JSON, and `{entry_base64}`; `{named_entry}`, with its name as a member, and
        `{named_entry_quoted}`, as in an address.
        """
        compact = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        named = json.dumps({"name": self.name, **entry}, ensure_ascii=False, separators=(",", ":"))
        return template.format(
            name=self.name,
            file=self.path,
            command=entry.get("command"),
            shell=shlex.join(map(str, [entry.get("command", ""), *entry.get("args", [])])),
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
            [] if entry is None else self.target.rendered(entry).splitlines() for entry in (self.before, self.after)
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
