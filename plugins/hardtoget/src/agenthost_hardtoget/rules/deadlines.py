"""When a game that nobody plays ends by itself."""

from __future__ import annotations

from dataclasses import dataclass

from agenthost_hardtoget.rules.play import Game, Phase


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a game may stand still, in seconds; 0 is no limit.

    Attributes:
        join: until the second player comes.
        move: for each move after that.
    """

    join: float
    move: float

    def due(self, game: Game, now: int) -> int | None:
        """When a game that has got into this state at `now` is abandoned, in milliseconds; None is never."""
        if game.phase is Phase.FINISHED:
            return None
        seconds = self.join if game.phase is Phase.WAITING else self.move
        return now + round(seconds * 1000) if seconds else None
