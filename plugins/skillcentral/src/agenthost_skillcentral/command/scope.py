"""`agenthost skillcentral scope`: what this project is called, and which projects a skill is for."""

from __future__ import annotations

from pathlib import Path

import click
from agenthost import App

from agenthost_skillcentral.command.looking import Project, View, json_option, look, print_json, project_options
from agenthost_skillcentral.command.table import plain


@click.group("scope")
def scope() -> None:
    """Which project is this, and which projects is a skill for?"""


@scope.command("current")
@project_options
@json_option
@click.pass_obj
def current(app: App, *, project_root: Path | None, project_ids: tuple[str, ...], as_json: bool) -> None:
    """Print the ids of this project, as `appliesTo` in a skill's file takes them."""

    def run(view: View) -> None:
        root, ids = view.snapshot.project_root, view.snapshot.project_ids
        if as_json:
            print_json({"projectRoot": str(root), "projectIds": list(ids)})
            return
        for project_id in ids:
            click.echo(plain(project_id))

    look(app, Project(project_root, project_ids), run)


@scope.command("show")
@click.argument("skill")
@project_options
@json_option
@click.pass_obj
def show(app: App, *, skill: str, project_root: Path | None, project_ids: tuple[str, ...], as_json: bool) -> None:
    """Print which projects the skill with the id SKILL is for, in each file that has the id.

    Exit code 1 if nobody has the id.
    """

    def run(view: View) -> None:
        snapshot = view.snapshot
        record = snapshot.records.get(skill)
        here = [candidate.skill for candidate in record.candidates] if record else []
        found = [(one, True) for one in here]
        found += [(one, False) for one in snapshot.elsewhere if one.id == skill]
        if not found:
            raise click.ClickException(f"there is no skill {skill!r}")
        if as_json:
            files = [
                {
                    "file": view.places.show(one.source),
                    "appliesTo": "global" if one.applies_to is None else {"projects": list(one.applies_to)},
                    "appliesHere": applies,
                }
                for one, applies in found
            ]
            print_json({"id": skill, "files": files})
            return
        for one, applies in found:
            projects = "all projects" if one.applies_to is None else ", ".join(one.applies_to)
            click.echo(plain(f"{view.places.show(one.source)}: {projects}; {'for' if applies else 'not for'} this one"))

    look(app, Project(project_root, project_ids), run)
