"""`agenthost plugins`: what is installed, what is wanted, and why something is not served."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass

import click

from agenthost.assembly import Assembly, assemble
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.errors import OperatorError
from agenthost.plugins import State

log = logging.getLogger("agenthost")


@dataclass(frozen=True)
class Row:
    """One plugin.

    Attributes:
        name: as in `--plugins`.
        version: of its distribution; None if not installed.
        distribution: what to `pip install`; None if not installed.
        wanted: whether it is selected.
        state: how far loading it came.
        reason: why it is not served, or None.
    """

    name: str
    version: str | None
    distribution: str | None
    wanted: bool
    state: State
    reason: str | None


@click.command("plugins", help=VERBS["plugins"])
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, for programs.")
@selection_options
@host_options
@click.pass_obj
def command(app: HostApp, as_json: bool) -> int:
    assembly = assemble(app.options)
    rows = list_plugins(assembly)
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False))
    else:
        _print_table(rows)
    for finding in assembly.findings:
        if finding.kind != "failed":  # those are in the rows
            log.warning("%s", finding)
    return OperatorError.exit_code if assembly.settings.strict and assembly.findings else 0


def list_plugins(assembly: Assembly) -> list[Row]:
    """The wanted plugins in their order, then the other installed ones by name."""
    rows = [
        Row(
            plugin.name,
            plugin.found.version if plugin.found else None,
            plugin.found.distribution if plugin.found else None,
            True,
            plugin.state,
            plugin.reason,
        )
        for plugin in assembly.plugins
    ]
    others = [found for name, found in assembly.found.items() if name not in assembly.selection.names]
    return rows + [
        Row(
            found.name,
            found.version,
            found.distribution,
            False,
            "failed" if found.problem else "not wanted",
            found.problem,
        )
        for found in others
    ]


def _print_table(rows: list[Row]) -> None:
    if not rows:
        click.echo("No plugins are installed. For example: pip install agenthost-void")
        return
    header = ("NAME", "VERSION", "DISTRIBUTION", "WANTED", "STATE")
    cells = [
        header,
        *(
            (row.name, row.version or "-", row.distribution or "-", "yes" if row.wanted else "no", row.state)
            for row in rows
        ),
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(len(header))]
    for position, line in enumerate(cells):
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        if position and (reason := rows[position - 1].reason):
            for part in reason.splitlines():
                click.echo(f"    {part}")
