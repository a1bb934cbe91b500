"""`agenthost doctor`: what is wrong here, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import click

from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.cli.text import wrap
from agenthost.doctor import GROUPS, Diagnosis, Group, Told, examine, fold, name_subjects
from agenthost.profiles import load_profiles

NOT_SERVED = 1
"""Exit code when something wanted is not served."""

_TITLES: dict[Group, str] = {
    "environment": "Installation",
    "settings": "Settings",
    "plugins": "Plugins",
    "served": "What is served",
    "run": "The last run with something to report",
    "clients": "What clients will not take",
}


@click.command(
    "doctor",
    help=f"""{VERBS["doctor"]}

    Loads the wanted plugins and starts nothing. Exit code 1: something wanted is not served.
    Warnings alone do not fail.""",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, for programs.")
@selection_options
@host_options
@click.pass_obj
def command(app: HostApp, as_json: bool) -> int:
    told = examine(app.options)
    if as_json:
        click.echo(json.dumps([_as_json(diagnosis) for diagnosis in told], indent=2, ensure_ascii=False))
    else:
        _print(told)
    return NOT_SERVED if any(diagnosis.level == "error" for diagnosis in told) else 0


def _as_json(diagnosis: Diagnosis) -> dict[str, str]:
    members = asdict(diagnosis)
    effect = members.pop("effect")
    members["text"] = "; ".join(filter(None, [diagnosis.text, effect]))
    return {name: value for name, value in members.items() if value is not None}


def _print(told: Sequence[Diagnosis]) -> None:
    titles = {profile.name: profile.title for profile in load_profiles()}
    counts = dict.fromkeys(("error", "warning"), 0)
    for group in GROUPS:
        entries = fold(diagnosis for diagnosis in told if diagnosis.group == group)
        if entries:
            click.echo(_TITLES[group])
        for entry in entries:
            _print_entry(entry, titles)
            if entry.level in counts:
                counts[entry.level] += 1
    texts = [f"{count} {level}{'' if count == 1 else 's'}" for level, count in counts.items()]
    click.echo(f"\n{', '.join(texts)}")


def _print_entry(entry: Told, titles: Mapping[str, str]) -> None:
    margin = " " * 11
    first = f"  {entry.level:<7}  "
    click.echo(wrap(f"{name_subjects(entry.subjects)}: {entry.text}", margin, first))
    for effect in entry.effects:
        clients = ", ".join(titles[client] for client in effect.clients)
        sources = "; ".join(effect.sources)
        click.echo(wrap(f"{clients}: {effect.text} [{effect.rule}: {sources}]", f"{margin}  ", margin))
    if entry.cure:
        click.echo(wrap(entry.cure, f"{margin}   ", f"{margin}-> "))
