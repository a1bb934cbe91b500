"""Chance, from outside: whoever deals passes a source of it, and a seed makes one that can be repeated."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Protocol, TypeVar

T = TypeVar("T")

WORD = 1 << 64


class Source(Protocol):
    """Where chance comes from."""

    def below(self, limit: int) -> int:
        """A number from 0 to `limit - 1`, each as likely as the others."""


class Draws:
    """Numbers that follow from a seed: those of SHA-256 over the seed and a counter.

    The module `random` promises the same floats from the same seed in every version of Python, and no more: its
    shuffles and samples may change. A seed of today has to deal the same board in years, so this is our own.
    """

    def __init__(self, seed: str) -> None:
        self._numbers = _numbers(seed)

    def below(self, limit: int) -> int:
        """A number from 0 to `limit - 1`, each as likely as the others."""
        fair = WORD - WORD % limit
        return next(number for number in self._numbers if number < fair) % limit


def sample(items: Sequence[T], size: int, source: Source) -> tuple[T, ...]:
    """`size` different positions of `items`, in the order in which they are drawn."""
    pool = list(items)
    return tuple(pool.pop(source.below(len(pool))) for _ in range(size))


def _numbers(seed: str) -> Iterator[int]:
    for number in count():
        block = hashlib.sha256(f"{seed}/{number}".encode()).digest()
        for start in range(0, len(block), 8):
            yield int.from_bytes(block[start : start + 8], "big")
