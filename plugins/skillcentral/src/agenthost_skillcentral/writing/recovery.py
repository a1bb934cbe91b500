"""What writers that were ended left in the folders of skills and rules: found, told and taken away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agenthost_skillcentral.model import Snapshot
from agenthost_skillcentral.writing.files import Leftover, leftovers
from agenthost_skillcentral.writing.places import RULES_FOLDER


def find_leftovers(snapshot: Snapshot, *, clean: bool) -> list[Leftover]:
    """What was left in the folders of the layers and of the rules.

    Args:
        snapshot: what the library holds.
        clean: take it away, where something may be written; the files that it was about stay as they are.
    """
    closed = [layer.path for layer in snapshot.layers if not layer.writable]
    found = []
    for folder in dict.fromkeys(_folders(snapshot)):
        may = not any(folder.is_relative_to(path) for path in closed)
        found += leftovers(folder, clean=clean and may)
    return found


def describe(leftover: Leftover) -> str:
    """One line for the operator."""
    return f"{leftover.file} {leftover.outcome} (left beside it: {', '.join(leftover.names)})"


def _folders(snapshot: Snapshot) -> Iterator[Path]:
    yield from snapshot.layer_folders
    for folder, below, _ in os.walk(snapshot.project_root / RULES_FOLDER):
        below[:] = [name for name in below if name[0] not in "._"]
        yield Path(folder)
