"""Put an entry into a client's configuration, or take it out: decide, then do it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agenthost.clients import command, files, locks
from agenthost.clients.entry import is_ours
from agenthost.clients.files import Changed, LeftAlone, NotOurs, Snapshot
from agenthost.clients.formats import NotEditable
from agenthost.clients.plan import Outcome, Plan, Target

log = logging.getLogger("agenthost")

TRIES = 5
"""How often to begin again when the file changes under our hands."""


def look(target: Target) -> str:
    """Whether the entry is there: `yes`, `no`, `other` for one that is not ours, `?` for a file that cannot be read."""
    try:
        before, problem = target.entry_in(files.read(target.path))
    except LeftAlone:
        return "?"
    if before is None:
        return "no" if problem is None else "?"
    return "yes" if is_ours(before, target.place.nested) else "other"


def make_plan(target: Target) -> Plan:
    """Read the file and decide.

    Raises:
        LeftAlone: it cannot be changed safely.
    """
    snapshot = files.read(target.path)
    before, problem = target.entry_in(snapshot)
    place = target.place
    if before is not None and not is_ours(before, place.nested):
        raise NotOurs(f'its entry "{target.name}" does not start agenthost; give another name with --name')
    after = None if target.wanted is None else target.entry_over(before)
    if before == after:
        return Plan(target, snapshot, "nothing", before, after)
    if problem is not None:
        raise LeftAlone(problem)
    if doubt := place.doubt(target.path):
        raise LeftAlone(doubt)
    files.require_writable(snapshot)
    own = place.command
    runs = own is not None and (own.when == "always" or (own.when == "no file" and snapshot.data is None))
    if own is not None and target.program is not None and runs:
        plan = Plan(target, snapshot, "command", before, after)
        return replace(plan, commands=tuple(command.command_lines(plan, own, target.program)))
    try:
        return _edit(target, snapshot, before, after)
    except NotEditable as reason:
        raise LeftAlone(str(reason)) from reason


def _edit(
    target: Target, snapshot: Snapshot, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> Plan:
    """The plan of an edit.

    Raises:
        NotEditable: the text cannot be edited exactly.
    """
    text, member, editor = snapshot.text, target.member, target.editor
    if after is not None:
        return Plan(target, snapshot, "edit", before, after, _edited(text, target, before, after))
    earlier = editor.undo(text, member, files.copies(snapshot))
    if earlier is not None:
        return Plan(target, snapshot, "edit", before, None, earlier)
    if not snapshot.path.is_symlink() and editor.undo(text, member, [""]) is not None:
        return Plan(target, snapshot, "delete", before, None)
    return Plan(target, snapshot, "edit", before, None, editor.remove(text, member))


def carry_out(target: Target) -> Outcome:
    """Change the file, or have it changed by the client's command.

    Raises:
        LeftAlone: it cannot be changed safely, or the client's command did not do it.
    """
    if (plan := make_plan(target)).means == "nothing":
        return Outcome(plan)
    with locks.locked(target.path, make=target.wanted is not None, suffix=target.place.lock):
        for _ in range(TRIES):
            plan = make_plan(target)
            copy = files.keep_copy(plan.snapshot) if plan.means in {"edit", "command"} else None
            try:
                if _carry_out(plan):
                    return Outcome(plan, copy)
            except Changed as change:
                log.debug("%s", change)
                if copy is not None:
                    copy.unlink()
                continue
            except LeftAlone:
                _settle(plan.snapshot, copy)
                raise
            # The client's command has not done it; from now on without it.
            _settle(plan.snapshot, copy)
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
            return command.run(plan)
        case "nothing":
            pass
    return True


def _settle(snapshot: Snapshot, copy: Path | None) -> None:
    """Drop a copy that is not needed, since the file is still as it was; else tell where it is."""
    if copy is None:
        return
    if files.read(snapshot.path).data == snapshot.data:
        copy.unlink()
    else:
        log.warning("%s has changed; as it was before, it is in %s", snapshot.path, copy)


def _edited(text: str, target: Target, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> str:
    """The new content; of an entry that is there only the members that differ are touched."""
    if before is None:
        return target.editor.put(text, target.member, after)
    for path, value in _differences(before, after):
        text = target.editor.put(text, (*target.member, *path), value)
    return text


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The members of `after` that `before` has not, or not so, each with its path."""
    for key, value in after.items():
        old = before.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            for path, inner in _differences(old, value):
                yield (key, *path), inner
        elif key not in before or old != value:
            yield (key,), value
