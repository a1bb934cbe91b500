"""`agenthost skillcentral compile` and `export`: skills as the files of another tool, shown and written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from agenthost import App

from agenthost_skillcentral.command.looking import Project, View, json_option, look, print_json, project_options
from agenthost_skillcentral.command.table import plain, print_table
from agenthost_skillcentral.command.writing import change, project_root_option
from agenthost_skillcentral.compiling.bundles import Bundle, compile_bundle, known_intents
from agenthost_skillcentral.compiling.exporting import plan, write
from agenthost_skillcentral.compiling.targets import TARGETS

F = TypeVar("F", bound=Callable[..., Any])


def _bundle_options(function: F) -> F:
    """Add `--target` and `--intent`."""
    target = click.option("--target", required=True, metavar="TARGET", help=f"One of {', '.join(TARGETS)}.")
    intent = click.option("--intent", metavar="INTENT", help="An intent, a tag or an id; default: all skills.")
    return target(intent(function))


@click.command("compile")
@_bundle_options
@click.option("--dry-run", is_flag=True, help="As always: compile writes nothing, export does.")
@project_options
@json_option
@click.pass_obj
def compile_skills(
    app: App,
    *,
    target: str,
    intent: str | None,
    dry_run: bool,  # noqa: ARG001  (the original needs it, and scripts give it)
    project_root: Path | None,
    project_ids: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show the files that the skills for an intent would be in another tool; nothing is written.

    Exit code 1 for an unknown target, and if no skill is for the intent.
    """

    def run(view: View) -> None:
        bundle = _bundle(view, target, intent)
        if as_json:
            print_json(bundle.view)
        else:
            _print(bundle)

    look(app, Project(project_root, project_ids), run)


@click.command("export")
@_bundle_options
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where to; default: the project."
)
@click.option("--dry-run", is_flag=True, help="Only say what would become of each file.")
@click.option("--force", is_flag=True, help="Replace files that hold something else; they are kept as backups.")
@project_root_option
@json_option
@click.pass_obj
def export(
    app: App,
    *,
    target: str,
    intent: str | None,
    out: Path | None,
    dry_run: bool,
    force: bool,
    project_root: Path | None,
    as_json: bool,
) -> None:
    """Write the skills for an intent as the files of another tool.

    If one of the files is there and holds something else, none is written and the exit code is 1.
    """

    def run(view: View) -> None:
        bundle = _bundle(view, target, intent)
        planned = plan(bundle.artifacts, out.absolute() if out else view.snapshot.project_root, force=force)
        blocked = any(one.state == "conflict" for one in planned)
        if not blocked and not dry_run:
            planned = write(planned)
        files = [
            {"file": one.file, "state": one.state, **({"backup": one.backup} if one.backup else {})} for one in planned
        ]
        if as_json:
            print_json({"target": target, "intent": intent, "written": not (blocked or dry_run), "files": files})
        else:
            for file in files:
                kept = f" (what was there: {file['backup']})" if "backup" in file else ""
                click.echo(f"{file['state']:<10} {plain(file['file'] + kept)}")
            if blocked:
                click.echo("\nNothing was written: --force replaces the files in conflict, and keeps backups.")
        if blocked:
            raise click.exceptions.Exit(1)

    change(app, project_root, run)


def _bundle(view: View, target: str, intent: str | None) -> Bundle:
    if target not in TARGETS:
        raise click.ClickException(f"there is no target {target!r}; there are {', '.join(TARGETS)}")
    bundle = compile_bundle(view.snapshot, TARGETS[target], intent, view.settings.language)
    if not bundle.artifacts and not bundle.view["omittedSkills"]:
        known = known_intents(view.snapshot)
        more = f"; there are {', '.join(known[:10])}{' ...' if len(known) > 10 else ''}" if known else ""
        raise click.ClickException(f"no skill is for {intent!r}{more}" if intent else "there are no skills")
    return bundle


def _print(bundle: Bundle) -> None:
    view = bundle.view
    rows = [("SKILL", "TYPE", "LAYER", "CHOSEN BY")]
    rows += [(one["id"], one["type"], one["layer"], one["reason"]) for one in view["selectedSkills"]]
    print_table(rows)
    for title, lines in (
        ("Left out", [f"{one['id']}: {one['reason']}" for one in view["omittedSkills"]]),
        ("Conflicted, and left out", [one["id"] for one in view["conflictedSkills"]]),
        ("Shadowed", [f"{one['id']} in {one['layer']}, by {one['shadowedBy']}" for one in view["shadowedSkills"]]),
        ("Does without", [f"{one['skill']}: {one['message']}" for one in view["degradations"]]),
        ("Files", [one["path"] for one in view["artifacts"]]),
    ):
        if lines:
            click.echo(f"\n{title}:")
            for line in lines:
                click.echo(f"  {plain(line)}")
    click.echo(f"\nhash {view['hash']}")
