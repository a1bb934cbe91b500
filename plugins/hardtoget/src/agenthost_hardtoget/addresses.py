"""The addresses of hardtoget's resources; they are also the topics under which the store tells of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from agenthost import Transaction

GAMES = "hardtoget://games"
GAME = "hardtoget://games/{game_id}"
LEADERBOARD = "hardtoget://leaderboard"


def address(game_id: str) -> str:
    """The address of a game, as `ResourceTemplate.expand` makes it, without an import of mcp."""
    return GAME.replace("{game_id}", quote(game_id, safe=""))


def client_topic(client: str) -> str:
    """The topic that tells of a client's new seat; no address, since nobody may read it."""
    return f"client {client}"


def tell_of_game(tx: Transaction, game_id: str) -> None:
    """A game has gone on: its own page, and so the list of games."""
    tx.changed(GAMES)
    tx.changed(address(game_id))
