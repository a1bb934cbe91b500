"""How a player reaches a game server, whatever it speaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from agenthost import OperatorError

from agenthost_hardtoget.players.turns import DetectiveTurn, Ended, WitnessTurn


class MoveRefused(OperatorError):
    """The server did not accept a move."""


@dataclass(frozen=True)
class Seat:
    """A place in a game.

    Attributes:
        game_id: which game.
        role: `Witness` or `Detective`.
        ready: whether both players are there.
    """

    game_id: str
    role: str
    ready: bool


class Table(Protocol):
    """One player's connection to a server. Every method raises `OperatorError` when the server does not play along."""

    def register(self, model: str) -> None:
        """Become known to the server under this name; once, before all others."""

    def join(self, role: str | None) -> Seat:
        """Take a seat in a game, in either role if `role` is None."""

    def next_turn(self) -> WitnessTurn | DetectiveTurn | Ended:
        """Wait until it is this player's turn or the game is over, however long that takes."""

    def over(self) -> Ended | None:
        """How the game ended, or None while it goes on; asked when a move was refused."""

    def choose_side(self, side: str) -> None:
        """The witness's move.

        Raises:
            MoveRefused: the server does not accept it.
        """

    def eliminate(self, words: list[str]) -> None:
        """The detective's move.

        Raises:
            MoveRefused: the server does not accept it.
        """

    def leave(self) -> None:
        """Give up the seat, as far as the server knows a way to."""

    def close(self) -> None:
        """Disconnect."""


def connect(url: str, token: str | None = None) -> Table:
    """A connection to a server: over MCP if the path of `url` ends in `mcp`, else over the original's API.

    Args:
        url: where the server is.
        token: sent as a bearer token, if there is one.

    Raises:
        OperatorError: the address is none, or a package for the original's API is missing.
    """
    from agenthost_hardtoget.players.web import check_url

    check_url(url)
    if urlsplit(url).path.rstrip("/").endswith("/mcp"):
        from agenthost_hardtoget.players.mcp_table import McpTable

        return McpTable(url, token)
    from agenthost_hardtoget.players.original_table import OriginalTable

    return OriginalTable(url, token)
