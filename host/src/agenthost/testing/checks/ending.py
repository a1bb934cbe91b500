"""The end: does a server over stdio end in time when its client has closed its end?"""

from __future__ import annotations

import re
import subprocess

from agenthost.testing.checks.calls import arguments_of
from agenthost.testing.checks.offers import Offers
from agenthost.testing.checks.trial import Trial, complaints
from agenthost.testing.process import ServerProcess

CHECK = "end"

PATIENCE = 20.0
"""Seconds for an end that takes 4 at most, on a machine with much else to do."""

FAILED = re.compile(r"leaving its lifespan|did not end within|left behind")


def check_end(trial: Trial, offers: Offers) -> None:
    """Call every tool once more without waiting for answers, close stdin, and wait for the end."""
    server = trial.plugin.start("modern")
    server.tools()
    for tool in offers.tools:
        if (given := arguments_of(trial, tool)) is not None:
            server.start_request("tools/call", {"name": tool.name, "arguments": given})
    server.close_stdin()
    try:
        code = server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        trial.fault(CHECK, f"the server still runs {PATIENCE:g} s after its client has closed its end")
        server.stop()
        return
    if code:
        trial.fault(CHECK, f"the server ends with code {code} when its client closes its end")
    for complaint in complaints(server.stderr):
        if FAILED.search(complaint):
            trial.fault(CHECK, complaint)
    _check_lines(trial, server)


def _check_lines(trial: Trial, server: ServerProcess) -> None:
    try:
        server.assert_only_json_rpc()
    except (AssertionError, ValueError, KeyError) as error:
        trial.fault("stdout", f"what is no protocol reached the client: {error}")
