"""`agenthost skillcentral add`: a new skill, from options or from a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from agenthost import App

from agenthost_skillcentral.command.looking import View, json_option, print_json
from agenthost_skillcentral.command.table import plain
from agenthost_skillcentral.command.writing import change, layer_option, opened, project_root_option
from agenthost_skillcentral.formats import SKILL_FILE, SUFFIXES, read_skill
from agenthost_skillcentral.formats.universal import SCHEMA_VERSION
from agenthost_skillcentral.model import Layer, Skill
from agenthost_skillcentral.writing.choosing import choose_layer
from agenthost_skillcentral.writing.files import locked, read, replace
from agenthost_skillcentral.writing.places import NotWritten, in_layer
from agenthost_skillcentral.writing.proposals import rivals
from agenthost_skillcentral.writing.serialising import to_yaml
from agenthost_skillcentral.writing.targets import skills_with

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@click.command("add")
@click.option("--id", "skill_id", metavar="ID", help="Of a-z 0-9 and hyphens; the file is called so.")
@click.option("-n", "--name", help="For people; default: the id.")
@click.option("-d", "--description", help="What it is for, and when to use it.")
@click.option("-t", "--type", "kind", type=click.Choice(["prompt", "tool"]), default="prompt", show_default=True)
@click.option("--tags", default="", metavar="A,B", help="Also say in which layer it goes, if --layer does not.")
@click.option("--prompt", help="The text.")
@click.option("--prompt-file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="The text's file.")
@click.option(
    "--from-file", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A whole skill, YAML or JSON."
)
@layer_option
@click.option("--force", is_flag=True, help="Replace the file of the id in that layer, which is kept as a backup.")
@project_root_option
@json_option
@click.pass_obj
def add(
    app: App,
    *,
    skill_id: str | None,
    name: str | None,
    description: str | None,
    kind: str,
    tags: str,
    prompt: str | None,
    prompt_file: Path | None,
    from_file: Path | None,
    layer: str | None,
    force: bool,
    project_root: Path | None,
    as_json: bool,
) -> None:
    """Add a skill to a layer, with --id and --prompt, or --from-file.

    Exit code 1 if it is no skill, its id is taken in that layer, or the id leads out of it.
    """
    if from_file is not None:
        if skill_id or name or description or prompt or prompt_file:
            raise click.UsageError("--from-file has all of the skill; leave the other options out.")
        data, suffix = from_file.read_bytes(), from_file.suffix.lower()
        if suffix not in SUFFIXES:
            cure = f"agenthost skillcentral import {from_file.parent}" if from_file.name == SKILL_FILE else "rename it"
            raise click.ClickException(f"{from_file} does not end with {', '.join(SUFFIXES)}; {cure}")
    else:
        data, suffix = _new(skill_id, name, description, kind, tags, prompt, prompt_file), ".yaml"

    def run(view: View) -> None:
        snapshot = view.snapshot
        skill = _checked(data, Path(from_file or f"{skill_id}{suffix}").absolute())
        chosen, below = choose_layer(snapshot.layers, layer, skill.tags)
        relative = f"{skill.id}{suffix}"
        place = in_layer(chosen, snapshot.project_root, below, relative)
        same = skills_with(snapshot, skill.id)
        own = [one for one in same if one.layer.id == chosen.id]
        if own and not (force and len(own) == 1):
            files = ", ".join(view.places.show(one.source) for one in own)
            cure = "--force replaces it" if len(own) == 1 else "remove all but one by hand"
            raise NotWritten(f"the layer {chosen.id} has the id {skill.id} already, in {files}; {cure}")
        if own and own[0].source != place.path:
            files = view.places.show(own[0].source)
            raise NotWritten(f"the id is in {files}, which {place.name} cannot replace; remove that first")
        with opened(place, create=True) as folder, locked(folder):
            there = read(folder, place.name)
            if there is not None and not force:
                raise NotWritten(f"{view.places.show(place.path)} is there already; --force replaces it")
            backup = replace(folder, place.name, there, data)
        others = tuple(one for one in same if one.layer.id != chosen.id)
        note = rivals(chosen, others) if others else None
        _tell(view, skill, chosen, place.path, place.beside(backup).path if backup else None, note, as_json=as_json)

    change(app, project_root, run)


def _tell(
    view: View, skill: Skill, layer: Layer, path: Path, backup: Path | None, note: str | None, *, as_json: bool
) -> None:
    shown = view.places.show(path)
    if as_json:
        report: dict[str, Any] = {"id": skill.id, "layer": layer.id, "file": shown}
        if backup:
            report["backup"] = view.places.show(backup)
        if note:
            report["note"] = note
        print_json(report)
        return
    click.echo(plain(f"added {skill.type} {skill.id}: {shown}"))
    if backup:
        click.echo(plain(f"what was there: {view.places.show(backup)}"))
    if note:
        click.echo(plain(f"note: {note}"))


def _checked(data: bytes, source: Path) -> Skill:
    skill, faults = read_skill(data, source, Layer("new", "new", source.parent))
    if skill is None:
        told = "; ".join(f"{fault.field}: {fault.reason}" if fault.field else fault.reason for fault in faults)
        raise NotWritten(f"this is no skill: {told}")
    return skill


def _new(
    skill_id: str | None,
    name: str | None,
    description: str | None,
    kind: str,
    tags: str,
    prompt: str | None,
    prompt_file: Path | None,
) -> bytes:
    if not skill_id or (prompt is None) == (prompt_file is None):
        raise click.UsageError("Say --id and one of --prompt and --prompt-file, or --from-file.")
    if not _KEBAB.fullmatch(skill_id):
        raise click.ClickException(
            f"the id {skill_id!r} has to be of a-z 0-9, with single hyphens between them: it names the file"
        )
    if prompt_file is not None:
        try:
            prompt = prompt_file.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise click.ClickException(f"{prompt_file} is not UTF-8; save it as that") from None
    listed = [tag.strip() for tag in tags.split(",") if tag.strip()]
    members: dict[str, Any] = {
        "schemaVersion": SCHEMA_VERSION,
        "id": skill_id,
        "name": name or skill_id,
        "description": description or f"The skill {skill_id}.",
        "type": kind,
    }
    return to_yaml({**members, **({"tags": listed} if listed else {}), "prompt": prompt})
