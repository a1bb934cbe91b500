"""`agenthost skillcentral list`: which skills there are."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click
from agenthost import App, OperatorError

from agenthost_skillcentral.command.looking import Project, View, json_option, look, print_json, project_options
from agenthost_skillcentral.command.table import plain, print_table
from agenthost_skillcentral.model import Layer, Record, Skill, SkillType
from agenthost_skillcentral.views import record_view


@click.command("list")
@click.option("--type", "kind", type=click.Choice(get_args(SkillType)), help="Only skills of this type.")
@click.option("--tag", help="Only skills with this tag.")
@click.option("--layer", help="Only skills of this layer, by its id or name.")
@click.option("--source", is_flag=True, help="Show each skill's file instead of its description.")
@project_options
@json_option
@click.pass_obj
def list_skills(
    app: App,
    *,
    kind: str | None,
    tag: str | None,
    layer: str | None,
    source: bool,
    project_root: Path | None,
    project_ids: tuple[str, ...],
    as_json: bool,
) -> None:
    """List the skills that are effective in this project, and those in a conflict."""

    def wanted(skill: Skill) -> bool:
        return (
            (kind is None or skill.type == kind)
            and (tag is None or tag.casefold() in (own.casefold() for own in skill.tags))
            and (layer is None or layer in (skill.layer.id, skill.layer.name))
        )

    def show(view: View) -> None:
        layers = view.snapshot.layers
        if layer is not None and not any(layer in (one.id, one.name) for one in layers):
            raise OperatorError(f"there is no layer {layer!r}; there are: {_names(layers)}")
        records = [record for record in view.snapshot.records.values() if any(map(wanted, _rightful(record)))]
        if as_json:
            print_json({"skills": [record_view(record, view.places) for record in records]})
        elif view.snapshot.records and not records:
            click.echo("No skill is like that.")
        else:
            _print(records, view, source=source)

    look(app, Project(project_root, project_ids), show)


def _print(records: list[Record], view: View, *, source: bool) -> None:
    if not records:
        click.echo(
            "No skills. agenthost skillcentral init writes some to begin with; doctor says where they are looked for."
        )
        return
    heads = ("ID", "TYPE", "LAYER", "TAGS", "FILE" if source else "DESCRIPTION")
    rows = [heads]
    for record in records:
        for skill in _rightful(record):
            conflicted = "" if record.status == "effective" else "CONFLICTED, not served: "
            told = view.places.show(skill.source) if source else skill.described
            rows.append((skill.id, skill.type, skill.layer.id, ", ".join(skill.tags), conflicted + told))
    print_table(rows, whole=source)
    conflicts = sum(record.status == "conflicted" for record in records)
    faults = sum(fault.grave for fault in view.snapshot.faults)
    effective = len(records) - conflicts
    counts = [f"{effective} skill{'' if effective == 1 else 's'}"]
    counts += [f"{conflicts} conflicted"] if conflicts else []
    counts += [f"{faults} fault{'' if faults == 1 else 's'} in files"] if faults else []
    more = "; agenthost skillcentral doctor tells more" if conflicts or faults else ""
    click.echo(f"\n{', '.join(counts)}{more}.")


def _rightful(record: Record) -> list[Skill]:
    """The effective skill, or those in the conflict."""
    return [candidate.skill for candidate in record.candidates if candidate.status != "shadowed"]


def _names(layers: tuple[Layer, ...]) -> str:
    return ", ".join(plain(layer.id) for layer in layers) or "none"
