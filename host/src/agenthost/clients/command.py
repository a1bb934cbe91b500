"""A client's own command: run to add or to remove an entry, and judged by what is in the file afterwards."""

from __future__ import annotations

import logging
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agenthost.clients import OwnCommand, Place, files
from agenthost.clients.files import LeftAlone, Snapshot
from agenthost.clients.plan import Plan

log = logging.getLogger("agenthost")

LIMIT = 60.0
"""Seconds that a client's command may take."""


def find_own_program(place: Place) -> str | None:
    """The absolute path of the client's own command, or None."""
    found = shutil.which(place.command.program) if place.command else None
    return None if found is None else str(Path(found).absolute())


def command_lines(plan: Plan, command: OwnCommand, program: str) -> Iterator[tuple[str, ...]]:
    """The commands that lead from `before` to `after`."""
    for words, entry in ((command.remove, plan.before), (command.add, plan.after)):
        if words is not None and entry is not None:
            yield (program, *plan.target.words(words, entry))


def run(plan: Plan) -> bool:
    """Run the commands and look at the file; what they say and their exit codes decide nothing.

    Returns:
        Whether the entry is now as planned; if not, the file may be edited instead.

    Raises:
        LeftAlone: it is not, and nobody but the command may change the file.
    """
    target = plan.target
    command = target.place.command
    assert command is not None
    said = [_said(words) for words in plan.commands]
    now = files.read(target.path)
    entry, problem = target.entry_in(now)
    _warn_about_others(plan, now)
    if problem is None and _is_reached(plan, entry):
        return True
    for words, text in zip(plan.commands, said, strict=True):
        log.warning("%s ... has not made the change%s", shlex.join(words[:3]), text)
    if command.when != "always":
        return False
    if plan.before is not None and plan.after is not None and entry is None:
        _put_back(plan, command)
    raise LeftAlone(f"{target.client.title} keeps more than servers in it, and its own command has not made the change")


def _is_reached(plan: Plan, entry: Any) -> bool:
    """Whether what we want is there; a client may not keep what else somebody has written into the entry."""
    if plan.after is None or not isinstance(entry, dict):
        return plan.after is None and entry is None
    lost = [key for key, value in plan.after.items() if key not in entry or entry[key] != value]
    if set(lost) & set(plan.target.wanted or {}):
        return False
    if lost:
        log.warning("%s did not keep all of the entry: %s", plan.target.client.title, ", ".join(lost))
    return True


def _put_back(plan: Plan, command: OwnCommand) -> None:
    """After the old entry was removed and the new one could not be added: add the old one again."""
    target = plan.target
    for words in command_lines(replace(plan, before=None, after=plan.before), command, plan.commands[0][0]):
        _said(words)
    entry, _ = target.entry_in(files.read(target.path))
    log.warning("the entry %s %s", target.name, "is lost" if entry is None else "was put back")


def _said(words: Sequence[str]) -> str:
    """Run a client's command to its end and tell how it ended, for people."""
    try:
        run = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return f": it did not end within {LIMIT:g} s"
    except OSError as error:
        return f": {error.strerror}"
    lines = [line for line in f"{run.stdout}\n{run.stderr}".splitlines() if line.strip()]
    return f" (exit code {run.returncode})" + "".join(f"\n    {line}" for line in lines[-5:])


def _warn_about_others(plan: Plan, now: Snapshot) -> None:
    """Tell when the client's command has done something to other servers."""
    key, name = plan.target.member
    editor = plan.target.editor
    before = editor.read(plan.snapshot.text).get(key, {})
    after = (editor.read_leniently(now.text) or {}).get(key)
    kept = after if isinstance(after, dict) else {}
    if changed := [other for other in before if other != name and kept.get(other) != before[other]]:
        title = plan.target.client.title
        log.warning("%s has changed other servers in %s as well: %s", title, now.path, ", ".join(changed))
