"""`agenthost backup`: copies of the plugins' databases, each as it is at one moment, while servers run."""

from __future__ import annotations

from pathlib import Path

import click

from agenthost.assembly import read_config
from agenthost.cli import VERBS, host_options
from agenthost.cli.app import HostApp
from agenthost.errors import OperatorError, StorageError
from agenthost.settings import state_root
from agenthost.storage.upkeep import copy_database, databases


@click.command("backup", help=VERBS["backup"])
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@host_options
@click.pass_obj
def command(app: HostApp, folder: Path) -> int:
    config, settings = read_config(app.options)
    state = state_root(settings, config.base_dir)
    found = databases(state)
    if not found:
        click.echo(f"There is no database in {state}, so nothing was copied.")
        return 0
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in found:
            copy_database(path, folder / path.name)
            click.echo(f"{folder / path.name}  {(folder / path.name).stat().st_size:,} bytes")
    except (StorageError, OSError) as error:
        raise OperatorError(f"backup: {error}") from error
    return 0
