"""`agenthost skillcentral validate`: are these files skills?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from agenthost import App

from agenthost_skillcentral.command.looking import Project, View, json_option, look, print_json
from agenthost_skillcentral.command.table import plain
from agenthost_skillcentral.formats import SKILL_FILE, read_skill
from agenthost_skillcentral.model import Fault, Layer, Skill
from agenthost_skillcentral.workflows.flaws import faults_of, usable_in

Checked = tuple[Path, Skill | None, tuple[Fault, ...]]
"""A file, the skill in it, and what is wrong."""


@click.command("validate")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@json_option
@click.pass_obj
def validate(app: App, *, files: tuple[Path, ...], as_json: bool) -> None:
    """Check skill files, each by itself: YAML, JSON, or the folder of an Agent Skill.

    Only the skills that a workflow uses are also looked for among the other files and in this project. Exit code 1 if
    one of them is no skill, or a workflow that cannot be done.
    """
    checked = _with_workflows(app, [(file, *_check(file)) for file in files])
    if as_json:
        print_json({"ok": not any(faults for *_, faults in checked), "files": [_view(*one) for one in checked]})
    else:
        for file, skill, faults in checked:
            if skill is not None and not faults:
                click.echo(f"ok    {plain(f'{file}: {skill.type} {skill.id} ({skill.source_format})')}")
            for fault in faults:
                click.echo(f"fail  {plain(str(fault).replace(str(fault.file), str(file), 1))}")
    if any(faults for *_, faults in checked):
        raise click.exceptions.Exit(1)


def _check(file: Path) -> tuple[Skill | None, tuple[Fault, ...]]:
    source = (file / SKILL_FILE if file.is_dir() else file).absolute()
    try:
        data = source.read_bytes()
    except OSError as error:
        return None, (Fault(source, f"cannot be read: {error.strerror}"),)
    return read_skill(data, source, Layer("validate", "validate", source.parent))


def _with_workflows(app: App, checked: list[Checked]) -> list[Checked]:
    """The same, with what is wrong with workflows; the project is read only if there are any."""
    if not any(skill is not None and skill.type == "workflow" for _, skill, _ in checked):
        return checked
    found: list[Checked] = []
    given = {skill.id for _, skill, _ in checked if skill is not None}

    def run(view: View) -> None:
        unusable = usable_in(view.snapshot.records, view.snapshot.elsewhere)

        def missing(skill_id: str) -> str | None:
            return None if skill_id in given else unusable(skill_id)

        for file, skill, faults in checked:
            if skill is None or skill.type != "workflow":
                found.append((file, skill, faults))
            else:
                found.append((file, skill, faults_of(skill, missing)))

    look(app, Project(None, ()), run)
    return found


def _view(file: Path, skill: Skill | None, faults: tuple[Fault, ...]) -> dict[str, Any]:
    view: dict[str, Any] = {"file": str(file), "ok": skill is not None and not faults}
    if skill is not None:
        view |= {"id": skill.id, "type": skill.type, "sourceFormat": skill.source_format}
    view["faults"] = [
        {
            key: value
            for key, value in (
                ("line", fault.line),
                ("column", fault.column),
                ("field", fault.field),
                ("reason", fault.reason),
            )
            if value is not None
        }
        for fault in faults
    ]
    return view
