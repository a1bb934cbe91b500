"""How good is a rate of wins? The interval of Wilson says what few games can tell."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

Z = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""


@dataclass(frozen=True, slots=True)
class Rating:
    """Games that were won or lost, and how many were won."""

    games: int
    wins: int

    @property
    def rate(self) -> float:
        """The part that was won; 0 without games."""
        return self.wins / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Between which rates the true one is, at 95 %; everything is possible without games."""
        if not self.games:
            return 0.0, 1.0
        spread = Z * Z / self.games
        centre = self.rate + spread / 2
        margin = Z * sqrt((self.rate * (1 - self.rate) + spread / 4) / self.games)
        # The ends are exactly 0 and 1 where no game or every game was won, and rounding must not pass them.
        return max(0.0, (centre - margin) / (1 + spread)), min(1.0, (centre + margin) / (1 + spread))

    def __add__(self, other: Rating) -> Rating:
        return Rating(self.games + other.games, self.wins + other.wins)
