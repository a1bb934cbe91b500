"""What a player is asked, and how a game ended; plain data for strategies."""

from __future__ import annotations

from dataclasses import dataclass

from agenthost_hardtoget.rules.deal import ROUNDS


@dataclass(frozen=True)
class WitnessTurn:
    """The witness has to choose a side of a dilemma, the one that fits the key word better.

    Attributes:
        round: 1 to 5.
        board: the words that are left, as far as the server tells them to the witness.
        key_word: the word that the detective must not remove.
        dilemma: the two sides.
    """

    round: int
    board: tuple[str, ...]
    key_word: str
    dilemma: tuple[str, str]


@dataclass(frozen=True)
class DetectiveTurn:
    """The detective has to remove words that do not fit what the witness chose, at least one.

    Attributes:
        round: 1 to 5.
        board: the words that are left, the key word among them.
        dilemma: the two sides between which the witness had to choose.
        choice: the side that the witness chose.
    """

    round: int
    board: tuple[str, ...]
    dilemma: tuple[str, str]
    choice: str

    @property
    def other(self) -> str:
        """The side that the witness did not choose."""
        return self.dilemma[1] if self.choice == self.dilemma[0] else self.dilemma[0]

    @property
    def share(self) -> int:
        """How many words to remove now so that only one is left after the last round, evenly."""
        rounds_left = max(ROUNDS - self.round + 1, 1)
        return max(-(-(len(self.board) - 1) // rounds_left), 1)


@dataclass(frozen=True)
class Ended:
    """The game is over.

    Attributes:
        outcome: `win`, `loss` or `abandoned`.
        key_word: the word it was about, or None if the server does not tell.
    """

    outcome: str
    key_word: str | None
