"""What the original tells its clients, as a function of where a game is.

The original sends an event once, when something happens. Here an event says what is the case, so a client that
comes late, or comes back, is told the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agenthost_hardtoget.shapes import Spectated, View


@dataclass(frozen=True)
class Event:
    """One event.

    Attributes:
        name: as the original calls it.
        round: in which it happens; name and round together tell the events of a game apart.
        data: its payload.
    """

    name: str
    round: int
    data: dict[str, Any]


def public_events(game: View | Spectated) -> Iterator[Event]:
    """What everybody may know who knows the game: that it has begun, and how it ended."""
    if game["round"] > 0:
        yield Event("game_started", 1, {"game_id": game["game_id"]})
    if game["phase"] == "finished":
        data = {
            "game_id": game["game_id"],
            "win": {"win": True, "loss": False}.get(game["outcome"] or ""),
            "key_word": game.get("key_word"),
            "final_board": game["board"],
        }
        yield Event("game_ended", game["round"], data)


def turn_events(view: View) -> Iterator[Event]:
    """What a player has to do now, if anything."""
    turn = {"game_id": view["game_id"], "round": view["round"], "dilemma": view["dilemma"]}
    if (view["phase"], view["role"]) == ("witness_turn", "Witness"):
        yield Event("witness_turn", view["round"], {**turn, "key_word": view["key_word"]})
    elif (view["phase"], view["role"]) == ("detective_turn", "Detective"):
        yield Event("detective_turn", view["round"], {**turn, "witness_choice": view["witness_choice"]})
