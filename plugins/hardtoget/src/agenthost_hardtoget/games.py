"""The service: everything that can be done with games, for the tools, the commands and the original's API alike."""

from __future__ import annotations

from collections.abc import Sequence

from agenthost import PluginContext

from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.shapes import (
    Chosen,
    Eliminated,
    GameList,
    Joined,
    Leaderboard,
    Left,
    Registered,
    Results,
    Spectated,
    View,
    Waited,
)


class Games:
    """The games of one plugin context; cheap to make, keeps nothing of its own.

    Every method may raise `errors.Refused`, whose subclasses say why; nothing has changed then. A client id is checked
    in every method that takes one. What an argument may be is checked here: pass what came in, once it has the
    Python type of the signature.
    """

    def __init__(self, plugin: PluginContext[Settings]) -> None:
        self._plugin = plugin

    async def register(self, model_name: str = "unknown") -> Registered:
        """Make a player; the client id in the answer is its secret and cannot be shown again.

        Raises:
            BadArgument: the name is blank, too long or no plain line.
        """
        raise NotImplementedError

    async def join(
        self,
        client_id: str,
        preferred_role: str | None = None,
        *,
        seed: int | None = None,
        mirror_of: str | None = None,
    ) -> Joined:
        """Take a seat: in the oldest game that has the wanted one free, else in a new game.

        Raises:
            BadArgument: the role is none, or seed and mirror_of are both given.
            UnknownClient: nobody is registered under the id.
            AlreadyPlaying: the client has a seat in a game that is not over.
            UnknownGame, NotAPlayer, MirrorRefused: `mirror_of` cannot be mirrored by this client.
        """
        raise NotImplementedError

    async def witness_choice(self, game_id: str, client_id: str, dilemma_choice: str) -> Chosen:
        """Answer the dilemma of the round.

        Raises:
            UnknownClient, UnknownGame, NotAPlayer: who or which.
            IllegalMove: a subclass says why.
        """
        raise NotImplementedError

    async def detective_choice(self, game_id: str, client_id: str, eliminated_words: Sequence[str]) -> Eliminated:
        """Eliminate words: all of them or, if one is not there, none.

        Raises:
            UnknownClient, UnknownGame, NotAPlayer: who or which.
            IllegalMove: a subclass says why.
        """
        raise NotImplementedError

    async def view(self, game_id: str, client_id: str) -> View:
        """The game as this player sees it.

        Raises:
            UnknownClient, UnknownGame, NotAPlayer: who or which.
        """
        raise NotImplementedError

    async def wait(
        self, game_id: str, client_id: str, after: int | None = None, timeout_seconds: float = 25.0
    ) -> Waited:
        """The view as soon as its `seq` is above `after`, or when the time is over.

        Without `after`: as soon as it is the client's turn or the game is over. The time is cut to the host's
        `max_wait`.

        Raises:
            UnknownClient, UnknownGame, NotAPlayer: who or which.
            BadArgument: the game is not as far as `after`.
        """
        raise NotImplementedError

    async def leave(self, game_id: str, client_id: str) -> Left:
        """End the game as abandoned; one that is over stays as it is.

        Raises:
            UnknownClient, UnknownGame, NotAPlayer: who or which.
        """
        raise NotImplementedError

    async def game_of(self, client_id: str) -> str | None:
        """The game in which the client has a seat now; None if it is in none that is not over.

        Raises:
            UnknownClient: nobody is registered under the id.
        """
        raise NotImplementedError

    async def wait_for_game(self, client_id: str, timeout_seconds: float) -> str | None:
        """The same as soon as there is one, or None when the time is over; not cut to `max_wait`.

        Raises:
            UnknownClient: nobody is registered under the id.
        """
        raise NotImplementedError

    async def spectate(self, game_id: str) -> Spectated:
        """The game as anybody may see it: without the key word until the end, without client ids for ever.

        Raises:
            UnknownGame: there is none.
        """
        raise NotImplementedError

    async def wait_spectating(self, game_id: str, after: int, timeout_seconds: float) -> Spectated | None:
        """That as soon as its `seq` is above `after`, or None when the time is over; not cut to `max_wait`.

        Raises:
            UnknownGame: there is none.
        """
        raise NotImplementedError

    async def listed(self, limit: int = 100) -> GameList:
        """The newest games, newest first."""
        raise NotImplementedError

    async def results(self, model_name: str | None = None, limit: int = 100, before: str | None = None) -> Results:
        """Games that were won or lost, newest first; with `before`, those that ended before that game.

        Raises:
            UnknownGame: there is no result of the game given as `before`.
        """
        raise NotImplementedError

    async def leaderboard(self) -> Leaderboard:
        """How the models do, and the pairs of them."""
        raise NotImplementedError
