"""Counts the calls of every contribution, how they ended and how long they took."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Outcome = Literal["ok", "error", "cancelled"]

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper ends of the buckets of durations, in seconds; what takes longer is in one more."""


@dataclass(frozen=True)
class Called:
    """What was called.

    Attributes:
        kind: `tool`, `prompt`, `resource`, `resourcetemplate` or `method`.
        plugin: whose it is.
        name: the name or address by which it is served; of a template its text.
    """

    kind: str
    plugin: str
    name: str


@dataclass
class Calling:
    """How often something was called.

    Attributes:
        outcomes: the number of calls by how they ended; an error that the model was told is one.
        seconds: how long all of them took.
        buckets: how many took how long: one number for each of `BUCKETS`, and one for the rest.
    """

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    seconds: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))


class Meter:
    """What was called so far in this process; grows with what is served, not with what is asked for."""

    def __init__(self) -> None:
        self._calls: dict[Called, Calling] = {}

    def __iter__(self) -> Iterator[tuple[Called, Calling]]:
        return iter(tuple(self._calls.items()))

    def count(self, called: Called, outcome: Outcome, seconds: float) -> None:
        """Note one call that has ended."""
        calling = self._calls.get(called)
        if calling is None:
            calling = self._calls[called] = Calling()
        calling.outcomes[outcome] += 1
        calling.seconds += seconds
        calling.buckets[bisect_left(BUCKETS, seconds)] += 1
