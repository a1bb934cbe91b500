"""Put an entry into a client's configuration, or take it out: decide, then do it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agenthost.clients import command, files, jsonedit
from agenthost.clients.entry import is_ours, merged
from agenthost.clients.files import Changed, LeftAlone, NotOurs, Snapshot
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
    return "yes" if is_ours(before) else "other"


def make_plan(target: Target) -> Plan:
    """Read the file and decide.

    Raises:
        LeftAlone: it cannot be changed safely.
    """
    snapshot = files.read(target.path)
    before, problem = target.entry_in(snapshot)
    if before is not None and not is_ours(before):
        raise NotOurs(f'its entry "{target.name}" does not start agenthost; give another name with --name')
    after = None if target.wanted is None else merged(before, target.wanted)
    if before == after:
        return Plan(target, snapshot, "nothing", before, after)
    if problem is not None:
        raise LeftAlone(problem)
    files.require_writable(snapshot)
    own = target.place.command
    if own is not None and target.program is not None and (own.when == "always" or snapshot.data is None):
        plan = Plan(target, snapshot, "command", before, after)
        return replace(plan, commands=tuple(command.command_lines(plan, own, target.program)))
    if after is not None:
        return Plan(target, snapshot, "edit", before, after, _edited(snapshot.text, target, before, after))
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
        return jsonedit.put(text, target.member, after)
    for key, value in after.items():
        if key not in before or before[key] != value:
            text = jsonedit.put(text, (*target.member, key), value)
    return text
