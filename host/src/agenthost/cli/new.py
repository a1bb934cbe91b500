"""`agenthost new`: the first files of a plugin, complete and working."""

from __future__ import annotations

import logging
import shlex
from pathlib import Path

import click

from agenthost.cli import VERBS, host_options
from agenthost.cli.app import HostApp
from agenthost.plugins import find_plugins
from agenthost.scaffold import make, module_name
from agenthost.settings import absolute

log = logging.getLogger("agenthost")


@click.command(
    "new",
    help=f"""{VERBS["new"]}

    NAME is what people type after --plugins: small letters, digits, - and _. The folder is called
    agenthost-NAME; one that exists is left alone (exit code 2).""",
)
@click.argument("name")
@click.option(
    "--dir",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to make the folder; default: the working directory.",
)
@host_options
@click.pass_obj
def command(_app: HostApp, name: str, folder: Path | None) -> int:
    made = make(name, absolute(folder or "."))
    if (there := find_plugins().get(name)) is not None:
        log.warning(
            "a plugin %s is installed here already, by %s; two of one name are both not served",
            name,
            there.distribution,
        )
    click.echo(f"Made {made}: begin with src/{module_name(name)}/plugin.py")
    click.echo(f"Next: cd {shlex.quote(str(made))}")
    click.echo("      pip install -e . pytest    (into the environment of agenthost)")
    click.echo("      pytest")
    click.echo(f"      agenthost call {name.replace('-', '_')}_add_note --arg text=hello --plugins {name}")
    return 0
