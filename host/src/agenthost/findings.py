"""What is wrong or was changed while loading and merging, told to the operator one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FindingKind = Literal["failed", "quarantined", "renamed", "unused"]
"""A plugin not served; one contribution not served; a name changed; a setting without effect."""


@dataclass(frozen=True)
class Finding:
    """One thing the operator should know; with `--strict` it stops the start.

    Attributes:
        kind: what happened.
        plugin: the plugin's name, or the unknown name that was asked for.
        text: what is wrong, where, and what to do.
        word: what kind of contribution it is about (`tool`, `prompt`, `resource`); None for the plugin.
        name: that contribution's own name or address, or None.
    """

    kind: FindingKind
    plugin: str
    text: str
    word: str | None = None
    name: str | None = None

    def __str__(self) -> str:
        return f"{self.plugin}: {self.text}"
