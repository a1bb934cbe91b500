"""`agenthost serve`: one MCP server, on stdin and stdout or over HTTP."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import agenthost
from agenthost.assembly import Options, assemble
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.ending import Ending
from agenthost.errors import OperatorError
from agenthost.settings import absolute
from agenthost.wire import claim, silence

log = logging.getLogger("agenthost")


@click.command("serve", help=VERBS["serve"])
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    help="Over HTTP: lines of name:token; whoever shows none of these is refused.",
)
@click.option(
    "--allow-origin",
    "allow_origins",
    multiple=True,
    metavar="ORIGIN",
    help="Over HTTP: web pages of this origin may use the server, for example https://app.example.com. Repeatable.",
)
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="HOST",
    help="Over HTTP: a name by which clients reach this server, besides localhost. Repeatable.",
)
@click.option("--safe", is_flag=True, help="Serve only the plugins that come with agenthost; the others stay out.")
@click.option("--http", metavar="[HOST:]PORT", help="Serve many clients at http://HOST:PORT/mcp instead of stdio.")
@selection_options
@host_options
@click.pass_obj
def command(
    app: HostApp,
    http: str | None,
    safe: bool,
    allow_hosts: tuple[str, ...],
    allow_origins: tuple[str, ...],
    token_file: Path | None,
) -> int:
    app.options.safe = safe
    if http is not None:
        return serve_http(app.options, Endpoint(http, allow_hosts, allow_origins, token_file))
    if allow_hosts or allow_origins or token_file:
        raise OperatorError("--allow-host, --allow-origin and --token-file are for HTTP; add --http PORT")
    return serve(app.options)


def serve(options: Options, *, alone: str | None = None, values: Mapping[str, Any] | None = None) -> int:
    """Serve on stdio until the client leaves or a signal comes; returns the exit code.

    Args:
        options: what the operator typed.
        alone: serve only this plugin, named explicitly.
        values: its settings, which win over all others.

    Raises:
        OperatorError: the start is refused; nothing was written to stdout.
    """
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    # First of all: from here on nothing that a plugin prints can reach the client.
    wire = claim()
    ending = _begin()
    assembly = assemble(options, alone=alone, values=values)
    from agenthost.serving import serve_stdio

    if at_terminal:
        log.info(
            "this is a server for MCP clients, which start it themselves; it now waits for JSON-RPC on stdin. "
            "To see what the plugins do: agenthost demo. To end: Ctrl-D"
        )
    return serve_stdio(assembly, wire, ending)


@dataclass(frozen=True)
class Endpoint:
    """What the operator typed about HTTP.

    Attributes:
        http: the value of `--http`.
        allow_hosts: the values of `--allow-host`.
        allow_origins: the values of `--allow-origin`.
        token_file: the value of `--token-file`.
        at_root: the only plugin's routes are at `/` too.
    """

    http: str
    allow_hosts: Sequence[str] = ()
    allow_origins: Sequence[str] = ()
    token_file: Path | None = None
    at_root: bool = False


def serve_http(
    options: Options, endpoint: Endpoint, *, alone: str | None = None, values: Mapping[str, Any] | None = None
) -> int:
    """Serve over HTTP until a signal comes; returns the exit code. Arguments and errors as for `serve`."""
    from agenthost.http.address import listen, parse_address

    address = parse_address(endpoint.http)
    silence()
    ending = _begin()
    assembly = assemble(options, alone=alone, values=values, over_http=True)
    settings = assembly.settings
    from agenthost.http.admission import make_admission
    from agenthost.http.tokens import read_tokens
    from agenthost.http.transport import Site
    from agenthost.serving import serve_http as serve_site

    if endpoint.token_file is not None:
        file = absolute(endpoint.token_file)
    elif settings.token_file is not None:
        file = absolute(settings.token_file, assembly.config.base_dir)
    else:
        file = None
    tokens = None if file is None else read_tokens(file)
    hosts = [*settings.allow_hosts, *endpoint.allow_hosts]
    origins = [*settings.allow_origins, *endpoint.allow_origins]
    admission = make_admission(address.host, hosts, origins)
    listening = listen(address, protected=tokens is not None)
    # A forked child is no server: it neither keeps the port taken nor answers there. The number stays taken.
    os.register_at_fork(after_in_child=lambda: os.dup2(0, listening.socket.fileno(), inheritable=False))
    return serve_site(assembly, Site(listening, admission, tokens, endpoint.at_root), ending)


def _begin() -> Ending:
    # Nothing that is imported and set up here is ever freed, so there is nothing to collect: a tenth of the start.
    gc.disable()
    ending = Ending()
    ending.install()
    log.info("agenthost %s", agenthost.__version__)
    return ending
