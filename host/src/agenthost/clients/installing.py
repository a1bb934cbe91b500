"""Put an entry into a client's configuration, or take it out: first a plan, then its execution."""

from __future__ import annotations

import base64
import difflib
import json
import logging
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from agenthost.clients import Client, OwnCommand, Place, Scope, files, jsonedit
from agenthost.clients.entry import is_ours, merged
from agenthost.clients.files import LeftAlone, Snapshot
from agenthost.clients.jsonedit import NotPlainJson

log = logging.getLogger("agenthost")

COMMAND_LIMIT = 60.0
"""Seconds that a client's command may take."""

TRIES = 5
"""How often to begin again when the file changes under our hands."""

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
        return self.client.place(self.scope)

    @property
    def member(self) -> tuple[str, str]:
        """Where in the file the entry is."""
        return self.place.key, self.name


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

    def difference(self) -> list[str]:
        """The lines of the entry that go and come. Nothing else of the file is shown: others keep secrets in it."""
        old, new = (
            [] if entry is None else _rendered(self.target.name, entry).splitlines() for entry in (self.before, self.after)
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


def make_plan(target: Target) -> Plan:
    """Read the file and decide.

    Raises:
        LeftAlone: it cannot be changed safely.
    """
    snapshot = files.read(target.path)
    before, problem = _entry(snapshot, target)
    after = None if target.wanted is None else merged(before, target.wanted)
    if before == after:
        return Plan(target, snapshot, "nothing", before, after)
    if problem is not None:
        raise LeftAlone(problem)
    if before is not None and not is_ours(before):
        raise LeftAlone(f'its entry "{target.name}" is not for agenthost. Choose another name with --name')
    files.require_writable(snapshot)
    command = target.place.command
    if command is not None and target.program is not None and (command.when == "always" or snapshot.data is None):
        plan = Plan(target, snapshot, "command", before, after)
        return replace(plan, commands=tuple(_commands(plan, command, target.program)))
    if after is not None:
        text = _edited(snapshot.text, target, before, after)
        return Plan(target, snapshot, "edit", before, after, text)
    earlier = jsonedit.undo(snapshot.text, target.member, files.copies(snapshot))
    if earlier is not None:
        return Plan(target, snapshot, "edit", before, None, earlier)
    if not snapshot.path.is_symlink() and jsonedit.undo(snapshot.text, target.member, [""]) is not None:
        return Plan(target, snapshot, "delete", before, None)
    return Plan(target, snapshot, "edit", before, None, jsonedit.remove(snapshot.text, target.member))


def carry_out(target: Target) -> Outcome:
    """Change the file, or have it changed by the client's command.

    Raises:
        LeftAlone: it cannot be changed safely, or the client's command did not do it.
    """
    if (plan := make_plan(target)).means == "nothing":
        return Outcome(plan)
    with files.locked(target.path, make=target.wanted is not None):
        for _ in range(TRIES):
            plan = make_plan(target)
            copy = files.keep_copy(plan.snapshot) if plan.means != "nothing" else None
            done = False
            try:
                done = _carry_out(plan)
            except files.Changed as change:
                log.debug("%s", change)
                continue
            finally:
                if copy is not None and not done:
                    copy.unlink()
            if done:
                return Outcome(plan, copy)
            # The client's command has done nothing; from now on without it.
            target = replace(target, program=None)
    raise LeftAlone("it is being changed by another program all the time")


def _carry_out(plan: Plan) -> bool:
    """Whether the plan is carried out; False if another means has to be tried."""
    match plan.means:
        case "edit":
            files.replace(plan.snapshot, plan.text, private=plan.target.scope == "user")
        case "delete":
            files.delete(plan.snapshot)
        case "command":
            return _run(plan)
        case "nothing":
            pass
    return True


def _entry(snapshot: Snapshot, target: Target) -> tuple[Any, str | None]:
    """The entry that is there, or None; and why the file cannot be edited, or None."""
    key, name = target.member
    problem: str | None = None
    document: Mapping[str, Any]
    try:
        document = jsonedit.read(snapshot.text)
    except NotPlainJson as error:
        problem = str(error)
        document = jsonedit.read_leniently(snapshot.text) or {}
    entries = document.get(key, {})
    if not isinstance(entries, dict):
        return None, problem or f'"{key}" in it is not an object'
    return entries.get(name), problem


def _edited(text: str, target: Target, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> str:
    """The new content; of an entry that is there only the members that differ are touched."""
    if before is None:
        return jsonedit.put(text, target.member, after)
    for key, value in after.items():
        if key not in before or before[key] != value:
            text = jsonedit.put(text, (*target.member, key), value)
    return text


# The client's own command


def filled(template: str, target: Target, entry: Mapping[str, Any]) -> str:
    """A template of the clients' data with its braces filled.

    `{name}` and `{file}`; `{entry}`, the entry as JSON, and `{entry_base64}`; `{named_entry}`, with
    its name as a member, and `{named_entry_quoted}`, as in a URL.
    """
    compact = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    named = json.dumps({"name": target.name, **entry}, ensure_ascii=False, separators=(",", ":"))
    values = {
        "name": target.name,
        "file": str(target.path),
        "entry": compact,
        "entry_base64": base64.urlsafe_b64encode(compact.encode()).decode(),
        "named_entry": named,
        "named_entry_quoted": quote(named, safe=""),
    }
    for word, value in values.items():
        if template == f"{{{word}}}":
            return value
    return template.format_map(values)


def _commands(plan: Plan, command: OwnCommand, program: str) -> Iterator[tuple[str, ...]]:
    """The commands that lead from `before` to `after`."""

    def line(words: Sequence[str], entry: Mapping[str, Any]) -> tuple[str, ...]:
        return (program, *(filled(word, plan.target, entry) for word in words))

    if plan.before is not None and command.remove is not None:
        yield line(command.remove, plan.before)
    if plan.after is not None:
        yield line(command.add, plan.after)


def _run(plan: Plan) -> bool:
    """Run the commands and look at the file; what they say and their exit codes decide nothing.

    Raises:
        LeftAlone: the entry is not as it has to be, and nobody but the command may change the file.
    """
    target = plan.target
    command = target.place.command
    assert command is not None
    said = [_said(words) for words in plan.commands]
    now = files.read(target.path)
    entry, problem = _entry(now, target)
    _warn_about_losses(plan, now, entry)
    wanted = {} if plan.after is None else dict(plan.after)
    if problem is None and (entry is None) == (plan.after is None):
        lost = [key for key in wanted if key not in (entry or {}) or entry[key] != wanted[key]]
        if not any(key in (target.wanted or {}) for key in lost):
            if lost:
                log.warning("%s did not keep %s of the entry", target.client.title, ", ".join(lost))
            return True
    for words, text in zip(plan.commands, said, strict=True):
        log.warning("%s has not made the change%s", shlex.join(words[:3]) + " ...", text)
    if command.when != "always":
        return False
    if plan.before is not None and entry is None and plan.after is not None:
        back = replace(plan, before=None, after=plan.before)
        for words in _commands(back, command, plan.commands[0][0]):
            _said(words)
        entry, _ = _entry(files.read(target.path), target)
        state = "is back as it was" if entry == plan.before else "is lost"
        log.warning("the entry %s %s", target.name, state)
    raise LeftAlone(f"{target.client.title} keeps more than servers in it, and its own command has not made the change")


def _said(words: Sequence[str]) -> str:
    """Run a client's command to its end and tell in what it ended, for people."""
    try:
        run = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_LIMIT, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return f": it did not end within {COMMAND_LIMIT:g} s"
    except OSError as error:
        return f": {error.strerror}"
    lines = [line for line in f"{run.stdout}\n{run.stderr}".splitlines() if line.strip()]
    return f" (exit code {run.returncode})" + "".join(f"\n    {line}" for line in lines[-5:])


def _warn_about_losses(plan: Plan, now: Snapshot, entry: Any) -> None:
    """Tell when the client's command has done something to other servers."""
    key, name = plan.target.member
    before = jsonedit.read(plan.snapshot.text).get(key, {})
    after = (jsonedit.read_leniently(now.text) or {}).get(key, {})
    lost = [other for other in before if other != name and (not isinstance(after, dict) or after.get(other) != before[other])]
    if lost:
        log.warning("%s has changed other servers in %s as well: %s", plan.target.client.title, now.path, ", ".join(lost))


def find_own_program(place: Place) -> str | None:
    """The absolute path of the client's own command, or None."""
    found = shutil.which(place.command.program) if place.command else None
    return None if found is None else str(Path(found).absolute())


def _rendered(name: str, entry: Any) -> str:
    return json.dumps({name: entry}, ensure_ascii=False, indent=2)[2:-2]
