"""`agenthost install`: put an entry for this program into an MCP client's configuration, or take it out."""

from __future__ import annotations

import logging
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import click

from agenthost.assembly import Options
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.clients import Client, Scope, find_client, load_clients
from agenthost.clients.command import find_own_program
from agenthost.clients.entry import arguments, find_program, require_literal
from agenthost.clients.files import LeftAlone, NotOurs
from agenthost.clients.installing import carry_out, look, make_plan
from agenthost.clients.plan import Outcome, Plan, Target
from agenthost.errors import OperatorError
from agenthost.plugins import find_plugins, select
from agenthost.settings import FILE_NAME, Config, load_config, state_root, working_directory

log = logging.getLogger("agenthost")

DEFAULT_NAME = "agenthost"
"""Letters only and short: it fits every client's rules."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""What every client takes as the name of an entry."""

LONG_NAME = 17
"""Characters of a name up to which a tool's name of 40 fits into every client's limit (60 for both in Cursor)."""

LEFT_ALONE = 1
"""The exit code when nothing was done because it could not be done safely."""


@click.command("install", help=VERBS["install"])
@click.argument("client", required=False)
@click.option("--name", default=DEFAULT_NAME, show_default=True, help="The name of the entry in the client.")
@click.option("--project", is_flag=True, help="For the project in the working directory only, not for the user.")
@click.option("--remove", is_flag=True, help="Take the entry out again.")
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
@selection_options
@host_options
@click.pass_obj
def command(app: HostApp, client: str | None, name: str, project: bool, remove: bool, dry_run: bool) -> int:
    scope: Scope = "project" if project else "user"
    if client is None:
        if remove:
            raise OperatorError(f"which client? Known: {', '.join(load_clients())}")
        _list_clients(name, scope)
        return 0
    spelling, facts = find_client(client)
    _check_name(name)
    place = facts.place(scope)
    wanted = None
    if not remove:
        _check_new_name(name, facts)
        words = _arguments(app.options, facts, scope)
        wanted = {**place.extras, "command": str(find_program()), "args": words}
        require_literal(wanted["command"])
        if facts.splits_command and " " in wanted["command"]:
            log.warning(
                "%s takes a blank in the command for its end, and there is one in %s; install agenthost into a folder "
                "without one",
                facts.title,
                wanted["command"],
            )
    path = place.locate(os.environ, Path.home(), working_directory())
    target = Target(facts, scope, name, path, wanted, find_own_program(place))
    again = ["agenthost", "install", spelling, *(["--project"] if project else [])]
    if name != DEFAULT_NAME:
        again += ["--name", name]
    try:
        if dry_run:
            _preview(make_plan(target))
        else:
            _report(carry_out(target), shlex.join(again))
    except LeftAlone as reason:
        _explain(target, reason)
        return LEFT_ALONE
    return 0


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise OperatorError(
            f"--name {name!r}: use letters, digits, - and _, at most 64, and begin with a letter or a digit"
        )


def _check_new_name(name: str, client: Client) -> None:
    if name in client.reserved_names:
        raise OperatorError(f"--name {name}: {client.title} keeps this name for itself; choose another one")
    if client.splits_names_at is not None and client.splits_names_at in name:
        log.warning("--name %s: %s splits names at the first %s", name, client.title, client.splits_names_at)
    if len(name) > LONG_NAME:
        log.warning(
            "--name %s is longer than %d characters; clients put it before the names of tools and leave out those that "
            "become too long",
            name,
            LONG_NAME,
        )


def _arguments(options: Options, client: Client, scope: Scope) -> list[str]:
    """The arguments of the entry: what the operator typed here, and what must not depend on the client.

    A file that is merely found in the working directory plays no part, since the client chooses another
    one; and written into the entry it would become trusted for good, wherever it came from.
    """
    here = working_directory() / FILE_NAME
    config = load_config(
        file=options.config,
        environment=os.environ,
        assignments=options.assignments,
        state_dir=options.state_dir,
        in_folder=False,
    )
    settings = config.host_settings()
    plugins = None
    if options.plugins is not None:
        installed = find_plugins()
        names = select(options.plugins, settings, installed).names
        if broken := [f"--plugins: {name}: {installed[name].problem}" for name in names if installed[name].problem]:
            raise OperatorError("\n".join(broken))
        plugins = ",".join(names)
    written = config.path
    if not (options.config or os.environ.get("AGENTHOST_CONFIG")) and here.exists():
        if scope == "project":
            written = None  # the client's server is to find the project's own file, as it would without us
        log.warning(
            "%s is not written into the entry; to have it used wherever the client starts: --config %s", here, FILE_NAME
        )
    return arguments(
        _plain(state_root(settings, config.base_dir)),
        config=None if written is None else _plain(written),
        assignments=_assignments(options, client, config),
        plugins=plugins,
        strict=options.strict,
    )


def _assignments(options: Options, client: Client, config: Config) -> list[str]:
    """What the operator typed with `--set`, after what the client bears: waiting tools may wait longer there."""
    if client.longest_wait is None or "max_wait" in config.host:
        return options.assignments
    return [f"host.max_wait={client.longest_wait}", *options.assignments]


def _plain(path: Path) -> Path:
    """The absolute path, without `..`."""
    return path.resolve() if ".." in path.parts else path.absolute()


def _preview(plan: Plan) -> None:
    target = plan.target
    if plan.means == "nothing":
        click.echo(_nothing(plan))
        return
    if plan.means == "command":
        click.echo(f"{target.client.title}: would run, and look at {target.path} afterwards:")
        for words in plan.commands:
            click.echo(f"  {shlex.join(words)}")
        return
    if plan.means == "delete":
        click.echo(f"{target.client.title}: would delete {target.path}, which holds nothing else:")
    else:
        click.echo(f'{target.client.title}: would change "{target.place.key}" in {target.path}:')
    _show_difference(plan)


def _report(outcome: Outcome, again: str) -> None:
    plan = outcome.plan
    target, place = plan.target, plan.target.place
    if plan.means == "nothing":
        click.echo(_nothing(plan))
    else:
        done = "removed" if plan.after is None else "added" if plan.before is None else "changed"
        how = f", by {plan.verb}" if plan.means == "command" else ""
        preposition = "from" if plan.after is None else "to" if plan.before is None else "in"
        click.echo(f'{target.client.title}: {done} "{target.name}" {preposition} {target.path}{how}')
        if done == "changed":
            _show_difference(plan)
        if plan.means == "delete":
            click.echo("The file held nothing else and was deleted.")
        if outcome.copy is not None:
            click.echo(f"The file as it was: {outcome.copy}")
    if plan.after is None:
        if plan.means != "nothing":
            click.echo(f"Next: end the sessions of {target.client.title} that still use it.")
        return
    if target.scope == "project":
        click.echo("The entry holds paths of this computer: do not commit it; each member of a team runs this command.")
    for position, line in enumerate(place.after):
        click.echo(("Next: " if not position else "      ") + target.fill(line, target.wanted or {}))
    click.echo(f"Check: {target.fill(place.check, {})}")
    click.echo(f"Undo: {again} --remove")


def _nothing(plan: Plan) -> str:
    target = plan.target
    if plan.after is None:
        return f'{target.client.title}: there is no "{target.name}" in {target.path}; nothing to remove'
    return f'{target.client.title}: "{target.name}" in {target.path} is as it should be; nothing changed'


def _show_difference(plan: Plan) -> None:
    for line in plan.difference():
        click.echo(f"  {line[0]} {line[1:]}")


def _explain(target: Target, reason: LeftAlone) -> None:
    """Say why nothing was done, and what the operator can do by hand."""
    click.echo(f"agenthost: error: {target.path} was left alone: {reason}", err=True)
    if isinstance(reason, NotOurs):
        return
    place = target.place
    if target.wanted is None:
        click.echo(f'To do it by hand, take "{target.name}" out of "{place.key}" in {target.path}')
        if place.command and place.command.remove and target.program:
            click.echo(f"or run: {_shell(place.command.program, place.command.remove, target, {})}")
        return
    entry = target.entry_over(None)
    where = f"{target.path}:"
    if place.format == "json":
        where = f'"{place.key}" in {target.path} (if there is none, make it at the top level):'
    click.echo(f"To do it by hand, put this into {where}")
    click.echo(f"\n{target.rendered(entry)}\n")
    if place.command and target.program:
        click.echo(f"or run:\n  {_shell(place.command.program, place.command.add, target, entry)}")
    if place.link:
        click.echo(f"or open this link:\n  {target.fill(place.link, entry)}")
    for position, line in enumerate(place.after):
        click.echo(("Then: " if not position else "      ") + target.fill(line, entry))


def _shell(program: str, words: list[str], target: Target, entry: Mapping[str, object]) -> str:
    return shlex.join([program, *target.words(words, entry)])


def _list_clients(name: str, scope: Scope) -> None:
    """One line a client: whether it has the entry, and where its file is."""
    rows = [("NAME", "CLIENT", "ENTRY", "FILE")]
    for spelling, client in load_clients().items():
        if scope == "project" and client.project is None:
            continue
        place = client.place(scope)
        path = place.locate(os.environ, Path.home(), working_directory())
        rows.append((spelling, client.title, look(Target(client, scope, name, path, None, None)), str(path)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        click.echo("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]))
    click.echo("\nTo set one up: agenthost install NAME. To see first what it would do: --dry-run.")
