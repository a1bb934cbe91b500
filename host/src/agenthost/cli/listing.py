"""What `agenthost tools`, `prompts` and `resources` share: one list of the merged surface, for people or programs."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence

import click

from agenthost.assembly import Assembly, assemble, require_start
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.cli.text import printable, table, wrap
from agenthost.errors import OperatorError
from agenthost.findings import Finding
from agenthost.surface import Entry, Surface, read_surface
from agenthost.vetting import MODERN

log = logging.getLogger("agenthost")

NOTE = """
    Shows what clients get at start, without starting the plugins: what a plugin adds while it is
    served is not here. The tokens are an estimate: the bytes of what is listed, divided by 4."""


def list_command(verb: str, word: str) -> click.Command:
    """The command that lists one kind of contribution: `word` is its name in findings."""

    @click.command(verb, help=f"{VERBS[verb]}\n{NOTE}")
    @click.option("--json", "as_json", is_flag=True, help="Print a JSON array, for programs.")
    @selection_options
    @host_options
    @click.pass_obj
    def command(app: HostApp, as_json: bool) -> int:
        assembly = assemble(app.options)
        surface = read_surface(assembly)
        every = [*assembly.findings, *surface.findings]
        findings = [finding for finding in every if finding.word in (None, word)]
        entries = listed_entries(surface, verb)
        if as_json:
            click.echo(json.dumps([_as_json(entry) for entry in entries], indent=2, ensure_ascii=False))
            for finding in findings:
                log.warning("%s", finding)
        else:
            _print(verb, word, entries, findings)
        return _exit_code(assembly, every)

    return command


def listed_entries(surface: Surface, verb: str) -> list[Entry]:
    """The entries that a verb is about, in the order of the lists; templates come after the resources."""
    lists = {
        "tools": surface.tools,
        "prompts": surface.prompts,
        "resources": [*surface.resources, *surface.templates],
    }
    return list(lists[verb])


def _as_json(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "own_name": entry.own,
        "plugin": entry.plugin,
        "tokens": entry.tokens,
        "listed": entry.listed[MODERN],
    }


def _print(verb: str, word: str, entries: Sequence[Entry], findings: Sequence[Finding]) -> None:
    if entries:
        header = ("ADDRESS" if verb == "resources" else "NAME", "PLUGIN", "TOKENS", "DESCRIPTION")
        tokens = [str(entry.tokens) for entry in entries]
        widest = max(map(len, [*tokens, "TOKENS"]))
        rows = [
            (entry.name, entry.plugin, number.rjust(widest), _about(entry))
            for entry, number in zip(entries, tokens, strict=True)
        ]
        for line in table([header, *rows]):
            click.echo(line)
    plugins = len({entry.plugin for entry in entries})
    total = sum(entry.tokens for entry in entries)
    click.echo(
        f"{_count(len(entries), word)} of {_count(plugins, 'plugin')}, about {total} tokens"
        if entries
        else f"No {verb}."
    )
    if findings:
        click.echo("\nReported:")
    for finding in findings:
        click.echo(wrap(f"{finding.kind}: {finding}", "    ", "  "))


def _about(entry: Entry) -> str:
    """The own name where it is another, and the first sentence of the description."""
    text = printable(entry.description or entry.listed[MODERN].get("title", ""))
    first = re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]
    return f"(its own name: {entry.own}) {first}" if entry.own != entry.name else first


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _exit_code(assembly: Assembly, findings: Sequence[Finding]) -> int:
    """0, or what `serve` would end with if it would not start."""
    try:
        require_start(assembly, findings)
    except OperatorError as error:
        return error.exit_code
    return 0
