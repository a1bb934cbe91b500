"""`agenthost skillcentral doctor`: where skills are looked for, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from agenthost import App

from agenthost_skillcentral.command.looking import Project, View, json_option, look, print_json, project_options
from agenthost_skillcentral.command.table import plain, print_table
from agenthost_skillcentral.model import Layer, Record, Snapshot
from agenthost_skillcentral.views import fault_view, layer_view, record_view
from agenthost_skillcentral.writing.recovery import describe, find_leftovers


@click.command("doctor")
@project_options
@json_option
@click.pass_obj
def doctor(app: App, *, project_root: Path | None, project_ids: tuple[str, ...], as_json: bool) -> None:
    """Look at the layers, their files and the ids in them, and tell what is wrong.

    Exit code 1 if the folder of a layer is missing, a file cannot be used, or an id is conflicted. Shadowed skills are
    not wrong, nor is a default layer that this project does without.
    """

    def run(view: View) -> None:
        snapshot = view.snapshot
        healthy = not (_nothing_there(snapshot) or _grave(snapshot) or snapshot.conflicts)
        if as_json:
            print_json({"ok": healthy, **_report(view)})
        else:
            _print(view, healthy=healthy)
        if not healthy:
            raise click.exceptions.Exit(1)

    look(app, Project(project_root, project_ids), run)


def _missing(snapshot: Snapshot) -> list[Layer]:
    """Layers whose folder should be there, since somebody has named them."""
    faulty = {fault.file for fault in snapshot.faults if fault.grave}
    return [layer for layer in snapshot.layers if layer.path in faulty and not layer.path.is_dir()]


def _nothing_there(snapshot: Snapshot) -> bool:
    return not any(layer.path.is_dir() for layer in snapshot.layers)


def _grave(snapshot: Snapshot) -> int:
    return sum(fault.grave for fault in snapshot.faults)


def _shadowed(snapshot: Snapshot) -> list[Record]:
    return [
        record for record in snapshot.records.values() if any(one.status == "shadowed" for one in record.candidates)
    ]


def _counts(snapshot: Snapshot) -> dict[str, int]:
    """How many skills of each layer are effective."""
    counts = {layer.id: 0 for layer in snapshot.layers}
    for record in snapshot.records.values():
        if record.effective is not None:
            counts[record.effective.layer.id] += 1
    return counts


def _report(view: View) -> dict[str, Any]:
    snapshot, places = view.snapshot, view.places
    counts = _counts(snapshot)
    return {
        "projectRoot": str(snapshot.project_root),
        "projectIds": list(snapshot.project_ids),
        "configs": [places.show(config) for config in snapshot.configs],
        "layers": [
            {**layer_view(layer, places), "exists": layer.path.is_dir(), "skills": counts[layer.id]}
            for layer in snapshot.layers
        ],
        "missingLayers": [layer.id for layer in _missing(snapshot)],
        "faults": [fault_view(fault, places) for fault in snapshot.faults],
        "conflicts": [record_view(record, places) for record in snapshot.conflicts],
        "shadowed": [record_view(record, places) for record in _shadowed(snapshot)],
        "leftovers": [
            {"file": places.show(left.file), "outcome": left.outcome, "names": list(left.names)}
            for left in find_leftovers(snapshot, clean=False)
        ],
        "elsewhere": [{"id": skill.id, "source": places.show(skill.source)} for skill in snapshot.elsewhere],
    }


def _print(view: View, *, healthy: bool) -> None:
    snapshot, places = view.snapshot, view.places
    click.echo(f"project  {plain(str(snapshot.project_root))}")
    configs = ", ".join(places.show(config) for config in snapshot.configs) or "none, so these are the default layers"
    click.echo(f"config   {plain(configs)}\n")
    missing, counts = _missing(snapshot), _counts(snapshot)
    rows = [("LAYER", "PRIORITY", "SCOPE", "SKILLS", "FOLDER")]
    for layer in snapshot.layers:
        state = "" if layer.path.is_dir() else "MISSING: " if layer in missing else "(not there) "
        row = (layer.id, f"{layer.priority:g}", layer.scope, str(counts[layer.id]), state + places.show(layer.path))
        rows.append(row)
    print_table(rows)
    for title, lines in (
        ("Wrong in files and folders", [f"{_place(view, fault)}" for fault in snapshot.faults]),
        ("Conflicted, and not served", [_competition(record, view) for record in snapshot.conflicts]),
        ("Shadowed by another layer", [_competition(record, view) for record in _shadowed(snapshot)]),
        (
            "Left by a process that was ended",
            [places.clean(describe(left)) for left in find_leftovers(snapshot, clean=False)],
        ),
        ("For other projects", [f"{skill.id}: {places.show(skill.source)}" for skill in snapshot.elsewhere]),
    ):
        if lines:
            click.echo(f"\n{title}:")
            for line in lines:
                click.echo(f"  {plain(line)}")
    click.echo(f"\n{_verdict(snapshot, healthy=healthy)}")


def _place(view: View, fault: Any) -> str:
    mark = "" if fault.grave else "(only to know) "
    return mark + str(fault).replace(str(fault.file), view.places.show(fault.file), 1)


def _competition(record: Record, view: View) -> str:
    files = [f"{view.places.show(one.skill.source)} ({one.status})" for one in record.candidates]
    return f"{record.id}: {', '.join(files)}"


def _verdict(snapshot: Snapshot, *, healthy: bool) -> str:
    served = sum(record.effective is not None for record in snapshot.records.values())
    if healthy:
        return f"{served} skills, and nothing is wrong."
    wrong = [
        (_grave(snapshot), "in files and folders; agenthost skillcentral validate FILE checks a file again"),
        (len(snapshot.conflicts), "conflicted; change an id, or the priority of a layer"),
    ]
    lines = [f"- {count} {what}" for count, what in wrong if count]
    if _nothing_there(snapshot):
        lines.append("- no folder of a layer is there; agenthost skillcentral init writes some to begin with")
    return "\n".join([f"{served} skills. What is wrong:", *lines])
