"""What decides for a player: the interface, and the strategies that need no model."""

from __future__ import annotations

import random
from typing import Protocol

from agenthost_hardtoget.players.turns import DetectiveTurn, WitnessTurn


class Strategy(Protocol):
    """Decides the moves of a witness, of a detective, or of both in turn."""

    def choose_dilemma_side(self, turn: WitnessTurn, /) -> str:
        """The side of `turn.dilemma` that fits the key word better."""

    def choose_eliminations(self, turn: DetectiveTurn, /) -> list[str]:
        """The words of `turn.board` to remove, at least one."""


class RandomStrategy:
    """Any side, and as many words as an even pace asks for, whichever they are."""

    def __init__(self, source: random.Random | None = None) -> None:
        self._random = source or random.Random()  # noqa: S311 - a game, not a secret

    def choose_dilemma_side(self, turn: WitnessTurn, /) -> str:
        """See `Strategy`."""
        return self._random.choice(turn.dilemma)

    def choose_eliminations(self, turn: DetectiveTurn, /) -> list[str]:
        """See `Strategy`."""
        return self._random.sample(turn.board, turn.share)


class OverlapStrategy:
    """Compares texts by the groups of letters that they share.

    It knows nothing about the world, but two players with this strategy understand each other: the
    witness chooses the side that looks more like the key word, the detective removes the words that
    look less like that side than like the other.
    """

    def choose_dilemma_side(self, turn: WitnessTurn, /) -> str:
        """See `Strategy`."""
        first, second = turn.dilemma
        return first if similarity(turn.key_word, first) >= similarity(turn.key_word, second) else second

    def choose_eliminations(self, turn: DetectiveTurn, /) -> list[str]:
        """See `Strategy`."""

        def fit(word: str) -> float:
            return similarity(word, turn.choice) - similarity(word, turn.other)

        return sorted(turn.board, key=fit)[: turn.share]


def similarity(one: str, other: str) -> float:
    """How alike two texts are, from 0 to 1: the share of their groups of one, two and three letters in common."""
    groups, others = _groups(one), _groups(other)
    return 2 * len(groups & others) / (len(groups) + len(others)) if groups or others else 0.0


def _groups(text: str) -> set[str]:
    words = "".join(character if character.isalnum() else " " for character in text.casefold()).split()
    return {
        f" {word} "[start : start + size]
        for word in words
        for size in (1, 2, 3)
        for start in range(len(word) + 3 - size)
    } - {" "}
