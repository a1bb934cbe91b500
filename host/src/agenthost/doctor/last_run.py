"""What did the last server run that is known here warn about?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agenthost.doctor.diagnosis import Diagnosis
from agenthost.last_run import last_run_file, read_last_run


def check_last_run(folder: Path) -> Iterator[Diagnosis]:
    """When it was, then its lines; nothing if no run in this state folder has warned about anything."""
    try:
        run = read_last_run(folder)
    except OSError as error:
        text = f"{last_run_file(folder)} cannot be read ({error.strerror})"
        yield Diagnosis("run", "info", "server", text, "remove it; the next server that warns makes another")
        return
    if run is None:
        return
    yield Diagnosis("run", "info", "server", f"process {run.pid}, begun {_shown(run.begun)} UTC")
    for warned in run.warned:
        yield Diagnosis("run", "info", f"{_shown(warned.at)} {warned.level}", warned.text)
    if run.more:
        yield Diagnosis("run", "info", "server", f"at least {run.more} further lines, which are on its stderr alone")


def _shown(moment: str) -> str:
    return moment.partition(".")[0]
