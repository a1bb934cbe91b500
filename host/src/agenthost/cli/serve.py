"""`agenthost serve`: one MCP server on stdin and stdout."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Mapping
from typing import Any

import click

import agenthost
from agenthost.assembly import Options, assemble
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.ending import Ending
from agenthost.wire import claim

log = logging.getLogger("agenthost")


@click.command("serve", help=VERBS["serve"])
@selection_options
@host_options
@click.pass_obj
def command(app: HostApp) -> int:
    return serve(app.options)


def serve(options: Options, *, alone: str | None = None, values: Mapping[str, Any] | None = None) -> int:
    """Serve until the client leaves or a signal comes; returns the exit code.

    Args:
        options: what the operator typed.
        alone: serve only this plugin, named explicitly.
        values: its settings, which win over all others.

    Raises:
        OperatorError: the start is refused; nothing was written to stdout.
    """
    # Nothing that is imported and set up here is ever freed, so there is nothing to collect: a tenth of the start.
    gc.disable()
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    # First of all: from here on nothing that a plugin prints can reach the client.
    wire = claim()
    ending = Ending()
    ending.install()
    log.info("agenthost %s", agenthost.__version__)
    assembly = assemble(options, alone=alone, values=values)
    from agenthost.serving import serve_stdio

    if at_terminal:
        log.info(
            "this is a server for MCP clients, which start it themselves; it now waits for JSON-RPC on stdin. "
            "To see what the plugins do: agenthost demo. To end: Ctrl-D"
        )
    return serve_stdio(assembly, wire, ending)
