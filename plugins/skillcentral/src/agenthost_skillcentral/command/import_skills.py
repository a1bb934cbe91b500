"""`agenthost skillcentral import`: the skills of a folder, copied into a layer."""

from __future__ import annotations

from pathlib import Path

import click
from agenthost import App

from agenthost_skillcentral.command.looking import View, json_option, print_json
from agenthost_skillcentral.command.table import plain
from agenthost_skillcentral.command.writing import change, layer_option, project_root_option
from agenthost_skillcentral.formats import SKILL_FILE
from agenthost_skillcentral.writing.importing import Import, bring, plan
from agenthost_skillcentral.writing.places import NotWritten


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@layer_option
@click.option("--dry-run", is_flag=True, help="Only say what would become of each.")
@project_root_option
@json_option
@click.pass_obj
def import_skills(
    app: App, *, folder: Path, layer: str | None, dry_run: bool, project_root: Path | None, as_json: bool
) -> None:
    """Copy the skills below DIR into a layer: skill files, and Agent Skills with all their files.

    An id that is there already is never replaced. Exit code 1 if something stayed out or nothing was found.
    """
    source = folder.absolute()

    def run(view: View) -> None:
        brought: list[tuple[Import, str]] = []
        left: list[tuple[Import, str]] = []
        for one in plan(source, view.snapshot, layer):
            if one.place is None:
                left.append((one, one.reason))
                continue
            try:
                if not dry_run:
                    bring(one)
            except NotWritten as error:
                left.append((one, str(error)))
            else:
                brought.append((one, view.places.show(one.place.path)))
        if as_json:
            print_json(
                {
                    "imported": [
                        {"id": one.skill.id, "source": _shown(one, source), "file": file}
                        for one, file in brought
                        if one.skill
                    ],
                    "leftOut": [{"source": _shown(one, source), "reason": reason} for one, reason in left],
                    "dryRun": dry_run,
                }
            )
        else:
            for one, file in brought:
                click.echo(plain(f"{'would be ' if dry_run else ''}imported  {_shown(one, source)}: {file}"))
            for one, reason in left:
                click.echo(plain(f"left out  {_shown(one, source)}: {reason}"))
            if not brought and not left:
                click.echo(plain(f"There are no skills below {folder}."))
        if left or not brought:
            raise click.exceptions.Exit(1)

    change(app, project_root, run)


def _shown(one: Import, folder: Path) -> str:
    path = one.source.parent if one.source.name == SKILL_FILE else one.source
    relative = path.relative_to(folder).as_posix()
    return path.name if relative == "." else relative
