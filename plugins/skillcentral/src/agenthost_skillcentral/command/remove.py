"""`agenthost skillcentral remove`: a skill's file, or the folder of an Agent Skill, after a question."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from agenthost import App

from agenthost_skillcentral.command.looking import View, json_option, print_json
from agenthost_skillcentral.command.table import plain
from agenthost_skillcentral.command.writing import change, layer_option, one_file, opened, project_root_option
from agenthost_skillcentral.formats import SKILL_FILE
from agenthost_skillcentral.writing import files
from agenthost_skillcentral.writing.files import locked
from agenthost_skillcentral.writing.places import NotWritten, Place


@click.command("remove")
@click.argument("skill")
@layer_option
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@project_root_option
@json_option
@click.pass_obj
def remove(app: App, *, skill: str, layer: str | None, yes: bool, project_root: Path | None, as_json: bool) -> None:
    """Remove the skill with the id SKILL: its file, or its whole folder if it is an Agent Skill.

    It asks first, unless --yes says so. Exit code 1 if nothing was removed.
    """

    def run(view: View) -> None:
        found, place = one_file(view.snapshot, skill, layer)
        if place.name == SKILL_FILE:
            if found.source.parent == found.layer.path:
                raise NotWritten(f"the skill is the whole layer {found.layer.id}; remove that folder by hand")
            place = Place(place.root, place.parts[:-1])
        shown = view.places.show(place.path)
        count = sum(path.is_file() for path in place.path.rglob("*")) if place.path.is_dir() else 1
        what = f"the folder {shown} with {count} files" if place.path.is_dir() else f"the file {shown}"
        if not yes:
            if not sys.stdin.isatty():
                raise NotWritten(f"nothing was removed: --yes removes {what}")
            if not click.confirm(plain(f"Remove {found.type} {skill}, which is {what}?"), err=True):
                raise NotWritten("nothing was removed")
        with opened(place) as folder, locked(folder):
            files.remove(folder, place.name)
        if as_json:
            print_json({"id": skill, "layer": found.layer.id, "removed": shown})
        else:
            click.echo(plain(f"removed {what}"))

    change(app, project_root, run)
