"""The command `agenthost void`, which `void-mcp` is too: serve void alone, with the sources given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from agenthost import App

from agenthost_void.sources import resolve, with_absolute_path


@click.command("void")
@click.option("--mutable", is_flag=True, help="Let agents make and remove tools while the server runs.")
@click.option(
    "--debug-log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Append events to FILE as JSON lines; never argument values or result text.",
)
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@click.pass_obj
def command(app: App, *, mutable: bool, debug_log: Path | None, sources: tuple[str, ...]) -> None:
    """Serve tools that do nothing but answer, as an MCP server on stdio.

    Each SOURCE is a JSON array of definitions written inline, a path of a JSON file,
    example:universal or example:anything. Their tools are listed in that order. At least one is needed
    unless --mutable is given.
    """
    here = Path.cwd()
    settings: dict[str, Any] = {
        "definitions": [with_absolute_path(source, here) for source in sources],
        "mutable": mutable,
    }
    if debug_log is not None:
        settings["debug_log"] = str(resolve(debug_log, here))
    app.serve(settings=settings)
