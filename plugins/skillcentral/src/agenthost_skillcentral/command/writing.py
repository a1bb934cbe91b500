"""What the verbs that write share: a refusal is an answer, and what dead writers left is taken away first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from agenthost import App

from agenthost_skillcentral.command.looking import Project, View, look
from agenthost_skillcentral.command.table import plain
from agenthost_skillcentral.model import Skill, Snapshot
from agenthost_skillcentral.writing.places import NotWritten, Place, find_place, open_folder
from agenthost_skillcentral.writing.recovery import describe, find_leftovers
from agenthost_skillcentral.writing.targets import skills_with

project_root_option = click.option(
    "--project-root", type=click.Path(path_type=Path), metavar="PATH", help="The project, or a folder in it."
)
layer_option = click.option("--layer", metavar="LAYER", help="The layer, by its id or name.")


def change(app: App, project_root: Path | None, run: Callable[[View], None]) -> None:
    """Call `run` with what the library holds; what cannot be written ends the command with exit code 1."""

    def guarded(view: View) -> None:
        for leftover in find_leftovers(view.snapshot, clean=True):
            click.echo(plain(view.places.clean(describe(leftover))), err=True)
        try:
            run(view)
        except NotWritten as error:
            raise click.ClickException(str(error)) from error

    look(app, Project(project_root, ()), guarded)


def one_file(snapshot: Snapshot, skill_id: str, layer: str | None) -> tuple[Skill, Place]:
    """The one file that has an id, in a layer that may be written.

    Raises:
        NotWritten: none has it, several have it, or it may not be written.
    """
    found = skills_with(snapshot, skill_id)
    if layer is not None:
        found = [skill for skill in found if layer in {skill.layer.id, skill.layer.name}]
    if not found:
        raise NotWritten(f"there is no skill {skill_id!r}{f' in the layer {layer}' if layer else ''}")
    if len(found) > 1:
        places = ", ".join(f"{skill.source.name} in layer {skill.layer.id}" for skill in found)
        cure = "remove one of the files by hand" if layer else "say which with --layer"
        raise NotWritten(f"several files have the id {skill_id}: {places}; {cure}")
    skill = found[0]
    if not skill.layer.writable:
        raise NotWritten(f"{skill_id} is in the layer {skill.layer.id}, which is not writable")
    place = find_place(skill.source, (skill.layer,), snapshot.project_root)
    if place is None:
        raise NotWritten(f"{skill.source} is in no layer")
    return skill, place[0]


@contextmanager
def opened(place: Place, *, create: bool = False) -> Iterator[int]:
    """The folder of a place, open, and a refusal if it is gone."""
    try:
        with open_folder(place, create=create) as folder:
            yield folder
    except FileNotFoundError:
        raise NotWritten(f"{place.path.parent} is not there any more") from None
