"""Servers under trial, and clients of both eras that talk to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import get_args

from agenthost.testing.checks.trial import MARGIN, Hanging, Trial, complaints
from agenthost.testing.clients import WatchingClient, innermost
from agenthost.testing.process import MODERN_VERSION, Era, ServerProcess

ERAS: tuple[Era, ...] = get_args(Era)

CONSEQUENCES = ("not started, because of --strict", "ending, because of --strict")
"""What is told after a fault, and is none."""


async def first_server(trial: Trial) -> ServerProcess | None:
    """A server over HTTP, of which nothing is reported if all is well; None if it cannot be started."""
    for strictness in (["--strict"], []):
        server = trial.plugin.start_http(*strictness)
        try:
            async with talk(trial, server, "modern") as client:
                await client.list_tools()  # answered when the plugin has started
        except Exception as error:  # noqa: BLE001  (whatever it is, it is what the author has to know)
            await asyncio.to_thread(server.stop)
            told = [each for each in complaints(server.stderr) if each not in CONSEQUENCES]
            for complaint in told or [f"{type(error).__name__}: {error}"]:
                trial.fault("start", complaint)
        else:
            return server
    return None


@asynccontextmanager
async def talk(trial: Trial, server: ServerProcess, era: Era) -> AsyncIterator[WatchingClient]:
    """A connection of the official client to a server; errors come as they were raised in the block."""
    mode = "legacy" if era == "legacy" else MODERN_VERSION
    url = await asyncio.to_thread(getattr, server, "url")
    client = WatchingClient(url, mode=mode, patience=trial.time_limit + 2 * MARGIN)
    try:
        async with client:
            yield client
    except BaseExceptionGroup as group:
        if group.subgroup(Hanging) is not None:  # the other errors are the client's, whose server has been ended
            raise Hanging from None
        raise innermost(group) from None
