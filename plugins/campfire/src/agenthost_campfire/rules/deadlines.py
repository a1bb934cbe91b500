"""When a duel's time is over."""

from __future__ import annotations

from dataclasses import dataclass

from agenthost_campfire.rules.duel import Duel


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a duel may stand still, in seconds; 0 is no limit.

    Attributes:
        oath: from the gauntlet to the oath.
        turn: for each turn after that.
    """

    oath: float
    turn: float

    def due(self, duel: Duel, now: int) -> int | None:
        """When a duel that has got into this state at `now` ends by itself, in milliseconds; None is never."""
        if duel.outcome is not None:
            return None
        seconds = self.oath if duel.judge is None else self.turn
        return now + round(seconds * 1000) if seconds else None
