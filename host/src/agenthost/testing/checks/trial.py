"""What is checked, and what is known of it so far."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agenthost.testing.alone import PluginUnderTest

MARGIN = 10.0
"""Seconds beyond its time limit that a call's answer is waited for."""


class Hanging(Exception):
    """A server does not answer any more, and has been ended."""


@dataclass
class Trial:
    """One plugin's trial.

    Attributes:
        plugin: who.
        arguments: what to call tools with, by name; None: not at all.
        changing: names, addresses and lists that differ by themselves.
        time_limit: seconds that a call may take.
        faults: what is wrong, a line each, in the order in which it was found.
        hanging: labels of what is not called again, since it did not end.
    """

    plugin: PluginUnderTest
    arguments: Mapping[str, Mapping[str, Any] | None]
    changing: frozenset[str]
    time_limit: float
    faults: list[str] = field(default_factory=list)
    hanging: set[str] = field(default_factory=set)

    def fault(self, check: str, what: str) -> None:
        """Note a fault, once."""
        line = f"{check}: {one_line(what)}"
        if line not in self.faults:
            self.faults.append(line)


def one_line(text: str, longest: int = 400) -> str:
    """A text in one line, cut where nobody would read on."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 3]}..."


def complaints(stderr: str) -> list[str]:
    """The warnings and errors in what a server wrote to stderr."""
    return re.findall(r"^agenthost: (?:(?:warning|error): )(.+)$", stderr, re.MULTILINE)
