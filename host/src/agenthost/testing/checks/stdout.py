"""stdout: does the plugin print? Over stdio it may not, and the host keeps what it prints off the wire."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys

from agenthost.testing.alone import clean_environment
from agenthost.testing.checks.calls import arguments_of
from agenthost.testing.checks.offers import Offers
from agenthost.testing.checks.trial import MARGIN, Trial, one_line

CHECK = "stdout"


def check_stdout(trial: Trial, offers: Offers) -> None:
    """Serve and call the plugin in a process of which stdout is a file (probe.py), and see what is in there."""
    plugin = trial.plugin
    folder = plugin.folder / "probe"
    folder.mkdir()
    calls = {tool.name: given for tool in offers.tools if (given := arguments_of(trial, tool)) is not None}
    (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
    command = [sys.executable, "-P", "-m", "agenthost.testing.checks.probe"]
    limit = (trial.time_limit + MARGIN) * (len(calls) + 1) + MARGIN
    with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        child = subprocess.Popen(
            [*command, plugin.name, str(plugin.config), str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=clean_environment(folder),
            cwd=folder,
            start_new_session=True,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(limit)
        ended = child.returncode is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # and whatever children are left
        child.wait()
    steps = [json.loads(line) for line in (folder / "steps").read_text(encoding="utf-8").splitlines()]
    text = (folder / "stdout").read_bytes()
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        end = following["printed"] if following else len(text)
        if noise := text[step["printed"] : end]:
            shown = one_line(noise.decode("utf-8", "replace"), 80)
            trial.fault(CHECK, f"{step['step']} prints {len(noise)} bytes: {shown!r}")
    if (last := steps[-1]["step"]) != "the end":
        error = (folder / "stderr").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        trial.fault("end", f"{last} ends the process: {' '.join(error)}" if ended else f"{last} does not return")
