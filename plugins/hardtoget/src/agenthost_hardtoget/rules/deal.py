"""The deal of a game: sixteen words, the key word among them, and the dilemmas in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agenthost_hardtoget.rules.draws import Source, sample

BOARD_SIZE = 16
ROUNDS = 5

Dilemma = tuple[str, str]
"""Two options, of which the witness picks one."""


@dataclass(frozen=True, slots=True)
class Deal:
    """What chance decides before a game begins.

    Attributes:
        board: all words.
        key_word: one of them.
        dilemmas: one for each round; no two are the same.
    """

    board: tuple[str, ...]
    key_word: str
    dilemmas: tuple[Dilemma, ...]


def deal(words: Sequence[str], dilemmas: Sequence[Dilemma], source: Source) -> Deal:
    """Deal a game from lists without repetitions: at least 16 words and 5 dilemmas."""
    board = sample(words, BOARD_SIZE, source)
    key_word = board[source.below(BOARD_SIZE)]
    return Deal(board, key_word, sample(dilemmas, ROUNDS, source))
