"""`agenthost skillcentral show`: everything about one skill."""

from __future__ import annotations

import difflib
from pathlib import Path

import click
from agenthost import App

from agenthost_skillcentral.command.looking import Project, View, json_option, look, print_json, project_options
from agenthost_skillcentral.command.table import plain, plain_lines
from agenthost_skillcentral.model import Candidate, Record
from agenthost_skillcentral.prompts import explain_absence
from agenthost_skillcentral.views import skill_view


@click.command("show")
@click.argument("skill")
@project_options
@json_option
@click.pass_obj
def show(app: App, *, skill: str, project_root: Path | None, project_ids: tuple[str, ...], as_json: bool) -> None:
    """Show the skill with the id SKILL: where it comes from, what it takes, its text, and who competes for the id.

    Exit code 1 if it is not served: nobody has the id, or it is conflicted.
    """

    def run(view: View) -> None:
        record = view.snapshot.records.get(skill)
        if record is None:
            near = difflib.get_close_matches(skill, view.snapshot.records, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "; agenthost skillcentral list shows all"
            absence = explain_absence(view.snapshot, skill, "skill")
            raise click.ClickException(f"there is no skill {skill!r}{absence}{hint}")
        if as_json:
            candidates = [skill_view(candidate, view.places) for candidate in record.candidates]
            print_json({"id": record.id, "status": record.status, "reason": record.reason, "candidates": candidates})
        else:
            _print(record, view)
        if record.status == "conflicted":
            raise click.exceptions.Exit(1)

    look(app, Project(project_root, project_ids), run)


def _print(record: Record, view: View) -> None:
    first, *others = record.candidates
    if record.status == "conflicted":
        click.echo(f"{plain(record.id)} is CONFLICTED and not served: {plain(record.reason)}.\n")
        for candidate in record.candidates:
            _print_place(candidate, view)
        click.echo("\nChange the id of one of them, or the priority of a layer.")
        return
    skill = first.skill
    applies = "all projects" if skill.applies_to is None else ", ".join(skill.applies_to)
    for label, value in (
        ("id", skill.id),
        ("name", skill.name),
        ("type", f"{skill.type} ({skill.source_format})"),
        ("description", skill.described),
        ("tags", ", ".join(skill.tags) or "none"),
        ("for", applies),
        ("layer", f"{skill.layer.id} (priority {skill.layer.priority:g}, scope {skill.layer.scope})"),
        ("file", view.places.show(skill.source)),
    ):
        click.echo(f"{label:<12} {plain(value)}")
    for argument in skill.arguments:
        required = "required" if argument.required else "optional"
        told = f": {argument.description}" if argument.description else ""
        click.echo(f"{'argument':<12} {plain(f'{argument.name} ({required}){told}')}")
    if others:
        click.echo(f"\nThis one is served: {plain(record.reason)}. Others with the id:")
        for candidate in others:
            _print_place(candidate, view)
    for text in (skill.prompt, skill.prompt_zh):
        if text is not None and text.strip():
            click.echo(f"\n{_indented(text)}")


def _print_place(candidate: Candidate, view: View) -> None:
    skill, layer = candidate.skill, candidate.skill.layer
    where = f"{layer.id} (priority {layer.priority:g}, scope {layer.scope})"
    click.echo(f"  {candidate.status:<10} {plain(where)}  {plain(view.places.show(skill.source))}")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in plain_lines(text).splitlines())
