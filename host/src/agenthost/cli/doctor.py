"""`agenthost doctor`: what is wrong here, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import click

from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.cli.text import wrap
from agenthost.doctor import GROUPS, Diagnosis, Group, examine
from agenthost.profiles import load_profiles

NOT_SERVED = 1
"""Exit code when something wanted is not served."""

_TITLES: dict[Group, str] = {
    "environment": "Installation",
    "settings": "Settings",
    "plugins": "Plugins",
    "served": "What is served",
    "clients": "What clients will not take",
}

_SHOWN = 5
"""Names that are told of many."""


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
    return {name: value for name, value in asdict(diagnosis).items() if value is not None}


@dataclass(frozen=True)
class Told:
    """Equal diagnoses, told once.

    Attributes:
        first: one of them.
        subjects: what they are about.
        clients: the names of the profiles that they concern.
        sources: where they are known from.
    """

    first: Diagnosis
    subjects: tuple[str, ...]
    clients: tuple[str, ...]
    sources: tuple[str, ...]


def fold(told: Sequence[Diagnosis]) -> list[Told]:
    """Put together what differs only in what it is about, then what differs only in the client."""
    by_subject: dict[Diagnosis, list[Diagnosis]] = {}
    for diagnosis in told:
        word = diagnosis.subject.partition(" ")[0]
        key = replace(diagnosis, subject=word) if diagnosis.client else diagnosis
        by_subject.setdefault(key, []).append(diagnosis)
    by_client: dict[object, list[list[Diagnosis]]] = {}
    for key, alike in by_subject.items():
        subjects = tuple(diagnosis.subject for diagnosis in alike)
        by_client.setdefault((replace(key, client=None, source=None), subjects), []).append(alike)
    return [
        Told(
            groups[0][0],
            tuple(dict.fromkeys(diagnosis.subject for diagnosis in groups[0])),
            tuple(dict.fromkeys(alike[0].client for alike in groups if alike[0].client)),
            tuple(dict.fromkeys(alike[0].source for alike in groups if alike[0].source)),
        )
        for groups in by_client.values()
    ]


def subject_of(told: Told) -> str:
    """What it is about: `tool a`, or `3 tools: a, b, c`."""
    if len(told.subjects) == 1:
        return told.subjects[0]
    word = told.subjects[0].partition(" ")[0]
    names = [subject.partition(" ")[2] for subject in told.subjects]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{len(names)} {word}s ({', '.join(names[:_SHOWN])}{more})"


def _print(told: Sequence[Diagnosis]) -> None:
    titles = {profile.name: profile.title for profile in load_profiles()}
    for group in GROUPS:
        alike = fold([diagnosis for diagnosis in told if diagnosis.group == group])
        if alike:
            click.echo(f"{_TITLES[group]}")
        for one in alike:
            _print_one(one, titles)
    every = fold(told)
    counts = {level: sum(one.first.level == level for one in every) for level in ("error", "warning")}
    texts = [f"{count} {level}{'' if count == 1 else 's'}" for level, count in counts.items()]
    click.echo(f"\n{', '.join(texts)}")


def _print_one(told: Told, titles: dict[str, str]) -> None:
    first = told.first
    clients = f"{', '.join(titles[client] for client in told.clients)}: " if told.clients else ""
    level = first.level.ljust(7)
    click.echo(wrap(f"{clients}{subject_of(told)}: {first.text}", " " * 11, f"  {level}  "))
    if first.cure:
        sources = f" [{first.id}: {'; '.join(told.sources)}]" if first.id else ""
        click.echo(wrap(f"{first.cure}{sources}", " " * 14, " " * 11 + "-> "))
