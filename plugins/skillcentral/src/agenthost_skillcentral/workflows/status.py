"""The states of a session, and which may follow which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from agenthost_skillcentral.workflows.progress import ProgressStatus

Status = Literal["created", "running", "blocked", "completed", "failed"]

FOLLOWING: Mapping[Status, frozenset[Status]] = {
    "created": frozenset({"running", "blocked", "failed"}),
    "running": frozenset({"blocked", "completed", "failed"}),
    "blocked": frozenset({"running", "completed", "failed"}),
    "completed": frozenset(),
    "failed": frozenset(),
}
"""Where a session can go from each state; a completed and a failed one stay as they are."""

OF_PROGRESS: Mapping[ProgressStatus, Status] = {"ready": "running", "blocked": "blocked", "completed": "completed"}
"""The state of a session whose plan is that far."""


def is_over(status: Status) -> bool:
    """Does nothing more happen in the session?"""
    return not FOLLOWING[status]
