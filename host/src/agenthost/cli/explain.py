"""`agenthost explain`: everything about one tool, prompt, resource or template."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from typing import Any

import click

from agenthost.assembly import Assembly, assemble
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.cli.text import printable, safe, wrap
from agenthost.errors import OperatorError
from agenthost.explaining import Explanation, Names, explain
from agenthost.profiles import Remark, load_profiles

NOT_SERVED = 1
"""Exit code when nothing of that name is served."""

LABEL = 11
"""Columns for the word before a line."""


@click.command(
    "explain",
    help=f"""{VERBS["explain"]}

    NAME is the name or address that clients see, the plugin's own, an alias, or any address that a
    template answers. Loads the wanted plugins and starts nothing. Exit code 1: it is not served.""",
)
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, for programs.")
@selection_options
@host_options
@click.pass_obj
def command(app: HostApp, name: str, as_json: bool) -> int:
    assembly = assemble(app.options)
    names = explain(name, assembly)
    if not names.explanations:
        raise OperatorError(_unknown(name, names, assembly))
    if as_json:
        told = [_as_json(explanation) for explanation in names.explanations]
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        for position, explanation in enumerate(names.explanations):
            if position:
                click.echo()
            _print(explanation)
    return 0 if any(explanation.state == "served" for explanation in names.explanations) else NOT_SERVED


def _unknown(name: str, names: Names, assembly: Assembly) -> str:
    near = difflib.get_close_matches(name, names.known, n=3)
    lines = [f"nothing is called {name!r}" + (f" (did you mean {' or '.join(map(repr, near))}?)" if near else "")]
    if name in assembly.found:
        lines.append(f"{name} is a plugin: agenthost plugins tells about it, and agenthost tools what it offers")
    lines += [f"not looked at: {finding}" for finding in assembly.findings if finding.kind == "failed"]
    if others := [other for other in assembly.found if other not in assembly.selection.names]:
        lines.append(f"not looked at, because they are not wanted: {', '.join(others)}")
    return "\n".join(lines)


def _as_json(explanation: Explanation) -> dict[str, Any]:
    return {
        "asked": explanation.asked,
        "kind": explanation.kind,
        "state": explanation.state,
        "name": explanation.name,
        "own_name": explanation.own,
        "plugin": explanation.plugin,
        "distribution": explanation.distribution,
        "version": explanation.version,
        "why": list(explanation.why),
        "setting": explanation.setting,
        "bytes": explanation.size,
        "listed": explanation.listed,
        "variables": dict(explanation.variables),
        "clients": [
            {
                "client": remark.client,
                "level": {"E": "error", "W": "warning", "I": "info"}[remark.level],
                "rule": remark.rule,
                "what": remark.what,
                "effect": remark.effect,
                "cure": remark.cure,
                "source": remark.source,
            }
            for remark in explanation.remarks
        ],
    }


def _print(explanation: Explanation) -> None:
    listed = explanation.listed or {}
    click.echo(printable(f"{explanation.kind} {explanation.name or explanation.own}"))
    _line("of", f"plugin {explanation.plugin}, {explanation.distribution} {explanation.version}")
    _line("state", "served" if explanation.state == "served" else f"not served: {explanation.state}")
    if explanation.name not in {None, explanation.own}:
        _line("own name", explanation.own)
    for reason in explanation.why:
        _line("why", reason)
    _line("setting", explanation.setting)
    for name, value in explanation.variables.items():
        _line("variable", f"{name} = {value!r}")
    if explanation.listed is None:
        return
    _line("size", f"{explanation.size} bytes in the list")
    _line("says", listed.get("description", "") or "nothing: it has no description")
    for member in ("inputSchema", "outputSchema", "arguments", "annotations"):
        if member in listed:
            click.echo(f"  {member}")
            for line in json.dumps(listed[member], indent=2, ensure_ascii=False).splitlines():
                click.echo(safe(f"    {line}"))
    _print_remarks(explanation.remarks)


def _line(label: str, text: str) -> None:
    click.echo(wrap(text, " " * (LABEL + 2), f"  {label:<{LABEL}}"))


def _print_remarks(remarks: Sequence[Remark]) -> None:
    titles = {profile.name: profile.title for profile in load_profiles()}
    for remark in remarks:
        known_from = f"[{remark.rule}: {remark.source}]"
        _line("client", f"{titles[remark.client]}: {remark.what}; {remark.effect} -> {remark.cure} {known_from}")
    if not remarks:
        _line("clients", "none of the known ones would refuse or cut it")
