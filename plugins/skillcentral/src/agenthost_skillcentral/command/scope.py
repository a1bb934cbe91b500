"""`agenthost skillcentral scope`: what this project is called, and which projects a skill is for."""

from __future__ import annotations

from pathlib import Path

import click
from agenthost import App

from agenthost_skillcentral.command.looking import Project, View, json_option, look, print_json, project_options
from agenthost_skillcentral.command.table import plain
from agenthost_skillcentral.command.writing import change, layer_option, one_file, opened, project_root_option
from agenthost_skillcentral.formats import read_skill
from agenthost_skillcentral.layers.projects import normalise
from agenthost_skillcentral.writing import scoping
from agenthost_skillcentral.writing.files import locked, read, replace, sha256
from agenthost_skillcentral.writing.places import NotWritten


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
                    "sha256": _hash(one.source),
                }
                for one, applies in found
            ]
            print_json({"id": skill, "files": files})
            return
        for one, applies in found:
            projects = "all projects" if one.applies_to is None else ", ".join(one.applies_to)
            click.echo(plain(f"{view.places.show(one.source)}: {projects}; {'for' if applies else 'not for'} this one"))

    look(app, Project(project_root, project_ids), run)


@scope.command("set")
@click.argument("skill")
@click.option("--global", "for_all", is_flag=True, help="For all projects.")
@click.option("--current-project", "for_this", is_flag=True, help="For this project only.")
@click.option("--projects", metavar="A,B", help="For these projects, as git:<host>/<path> or path:<absolute path>.")
@layer_option
@click.option("--expected-sha256", metavar="HASH", help="Only if the file still has this SHA-256; scope show tells it.")
@project_root_option
@json_option
@click.pass_obj
def set_projects(
    app: App,
    *,
    skill: str,
    for_all: bool,
    for_this: bool,
    projects: str | None,
    layer: str | None,
    expected_sha256: str | None,
    project_root: Path | None,
    as_json: bool,
) -> None:
    """Say which projects the skill with the id SKILL is for; all else in its file stays as it is.

    Exit code 1 if the file was not changed.
    """
    if for_all + for_this + (projects is not None) != 1:
        raise click.UsageError("Say one of --global, --current-project and --projects.")
    named = None if projects is None else _ids(projects)

    def run(view: View) -> None:
        snapshot = view.snapshot
        found, place = one_file(snapshot, skill, layer)
        ids = list(snapshot.project_ids[:1]) if for_this else named
        with opened(place) as folder, locked(folder):
            data = read(folder, place.name)
            if data is None:
                raise NotWritten(f"{place.path} is gone")
            if expected_sha256 is not None and sha256(data) != expected_sha256:
                raise NotWritten(f"{place.name} has changed: it has {sha256(data)} now; nothing was written")
            changed = scoping.set_scope(data, ids, place.path)
            _, faults = read_skill(changed, place.path, found.layer)
            if faults:
                raise NotWritten(f"it would be no skill any more: {faults[0].reason}")
            if changed != data:
                replace(folder, place.name, data, changed, keep=False)
        shown = view.places.show(place.path)
        if as_json:
            applies = "global" if ids is None else {"projects": ids}
            print_json({"id": skill, "file": shown, "appliesTo": applies, "sha256": sha256(changed)})
        else:
            click.echo(plain(f"{shown}: {'all projects' if ids is None else ', '.join(ids)}"))

    change(app, project_root, run)


def _hash(file: Path) -> str | None:
    """The SHA-256 of a file; None if it cannot be read any more."""
    try:
        return sha256(file.read_bytes())
    except OSError:
        return None


def _ids(given: str) -> list[str]:
    try:
        ids = [normalise(one.strip()) for one in given.split(",") if one.strip()]
    except ValueError as error:
        raise click.UsageError(f"--projects: {error}") from error
    if not ids:
        raise click.UsageError("--projects needs at least one project.")
    return list(dict.fromkeys(ids))
