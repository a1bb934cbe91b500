"""The checks of `assert_plugin_ok`, one after the other; each notes what is wrong and goes on.

Imports the SDK, so it is itself imported when a plugin is checked.
"""

from __future__ import annotations

import asyncio

from agenthost.testing.checks.calls import LOOP, blocking, call_everything, note_deaf
from agenthost.testing.checks.ending import check_end
from agenthost.testing.checks.offers import Offers, compare_offers, read_offers
from agenthost.testing.checks.serving import ERAS, first_server, talk
from agenthost.testing.checks.state import check_state
from agenthost.testing.checks.stdout import check_stdout
from agenthost.testing.checks.trial import Hanging, Trial
from agenthost.testing.process import Era

__all__ = ["Trial", "check"]


async def check(trial: Trial) -> list[str]:
    """Everything that is wrong with a plugin, a line each."""
    server = await first_server(trial)
    if server is None:
        return trial.faults
    offers: dict[Era, Offers] = {}
    blocked: list[set[str]] = []
    for era in ERAS:
        while era not in offers:
            told = len(server.stderr)
            try:
                async with talk(trial, server, era) as client:
                    found = await read_offers(trial, era, client)
                    await call_everything(trial, client, server, found)
                    offers[era] = found
            except Hanging:
                server = trial.plugin.start_http()
        blocked.append(blocking(server.stderr[told:]))
        note_deaf(trial, server.stderr[told:])
    compare_offers(trial, offers)
    for name in sorted(set.intersection(*blocked)):  # only once it may be the machine that was busy
        trial.fault(LOOP, f"{name} blocks it for more than a second; make it def, or await")
    await check_state(trial, server, offers["modern"])
    await asyncio.to_thread(check_end, trial, offers["modern"])
    await asyncio.to_thread(check_stdout, trial, offers["modern"])
    return trial.faults
