"""A real server of this host as a child process, and the official MCP client connected to it."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import IO, TYPE_CHECKING

from agenthost.assembly import Options

if TYPE_CHECKING:
    from mcp import Client


@asynccontextmanager
async def connect(arguments: Sequence[str], stderr: IO[str]) -> AsyncIterator[Client]:
    """Start `agenthost serve <arguments>` in this environment and working directory, and a client for it.

    Args:
        arguments: the options of `serve`.
        stderr: a real file that takes what the server writes to stderr; read it with `written`.
    """
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    # -P: as for the installed command, nothing in the working directory takes the place of a package.
    command = ["-P", "-m", "agenthost", "serve", *arguments]
    server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    async with Client(stdio_client(server, errlog=stderr)) as client:  # type: ignore[arg-type]  # any real file will do
        yield client


def serve_arguments(options: Options) -> list[str]:
    """The options of `serve` that say what the operator typed."""
    arguments = [f"--set={assignment}" for assignment in options.assignments]
    if options.config is not None:
        arguments.append(f"--config={options.config}")
    if options.state_dir is not None:
        arguments.append(f"--state-dir={options.state_dir}")
    if options.plugins is not None:
        arguments.append(f"--plugins={options.plugins}")
    if options.strict:
        arguments.append("--strict")
    return arguments


def written(file: IO[str], since: int = 0) -> str:
    """What a child has written to a file that it shares with us, from the byte `since` on.

    The two share one position as well, so it is not moved.
    """
    descriptor = file.fileno()
    return os.pread(descriptor, max(os.fstat(descriptor).st_size - since, 0), since).decode("utf-8", "replace")


def cause(error: BaseException) -> BaseException:
    """The innermost error of exception groups with one member, as task groups raise them."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        [error] = error.exceptions
    return error
