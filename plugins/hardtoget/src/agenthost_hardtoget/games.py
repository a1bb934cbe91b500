"""The service: everything that can be done with games, for the tools, the commands and the original's API alike."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from agenthost import PluginContext

from agenthost_hardtoget.addresses import address, client_topic
from agenthost_hardtoget.errors import BadArgument, IllegalMove
from agenthost_hardtoget.lists import lists_of
from agenthost_hardtoget.rules.arguments import clean_model_name, clean_role
from agenthost_hardtoget.rules.deadlines import Deadlines
from agenthost_hardtoget.rules.deal import Deal, deal
from agenthost_hardtoget.rules.draws import Draws
from agenthost_hardtoget.rules.play import Phase, Role, next_step
from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.shapes import (
    Chosen,
    Eliminated,
    GameList,
    Joined,
    Leaderboard,
    Left,
    PhaseName,
    Registered,
    Results,
    RoleName,
    Spectated,
    View,
    Waited,
)
from agenthost_hardtoget.store import access, clients, moves, seats, standings, views
from agenthost_hardtoget.store.games import unfinished_of
from agenthost_hardtoget.store.moves import Moved, Terms

if TYPE_CHECKING:
    from agenthost import Transaction

T = TypeVar("T")

TURNS: dict[RoleName, PhaseName] = {"Witness": "witness_turn", "Detective": "detective_turn"}
"""The phase in which each player moves."""


class Games:
    """The games of one plugin context; cheap to make, keeps nothing of its own.

    Every method may raise `errors.Refused`, whose subclasses say why; nothing has changed then. A client id is checked
    in every method that takes one. What an argument may be is checked here: pass what came in, once it has the
    Python type of the signature.
    """

    def __init__(self, plugin: PluginContext[Settings]) -> None:
        self._plugin = plugin
        settings = plugin.settings
        self._terms = Terms(Deadlines(settings.join_deadline, settings.move_deadline), settings.illegal_moves_allowed)

    async def register(self, model_name: str = "unknown") -> Registered:
        """Make a player; the client id in the answer is its secret and cannot be shown again.

        Raises:
            BadArgument: the name is blank, too long or no plain line.
        """
        client_id = clients.new_client_id()
        await access.write(self._plugin.store, clients.register, client_id, clean_model_name(model_name))
        return {
            "client_id": client_id,
            "status": "registered",
            "next": "Keep client_id to yourself: it is your key to every call. Now take a seat: hardtoget_join_game.",
        }

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
        role = clean_role(preferred_role)
        if mirror_of is not None:
            if seed is not None:
                raise BadArgument("A mirror has the deal of its game: pass either seed or mirror_of, not both.")
            row, seat = await access.write(
                self._plugin.store, seats.join_mirror, client_id, role, mirror_of, self._terms.deadlines
            )
        else:
            deal_from = str(seed) if seed is not None else None
            row, seat = await access.write(
                self._plugin.store,
                seats.join,
                client_id,
                role,
                deal_from,
                self._dealer(deal_from),
                self._terms.deadlines,
            )
        return {
            "game_id": row.id,
            "role": seat.value,
            "game_ready": row.rules.phase is not Phase.WAITING,
            "board": list(row.rules.board),
            "seq": row.seq,
            "next": next_step(row.rules, seat),
        }

    async def witness_choice(self, game_id: str, client_id: str, dilemma_choice: str) -> Chosen:
        """Answer the dilemma of the round.

        Raises:
            UnknownClient, UnknownGame, NotAPlayer: who or which.
            IllegalMove: a subclass says why.
        """
        moved = await self._move(moves.witness_choice, game_id, client_id, dilemma_choice)
        return {"status": "success", "seq": moved.row.seq, "next": next_step(moved.row.rules, moved.role)}

    async def detective_choice(self, game_id: str, client_id: str, eliminated_words: Sequence[str]) -> Eliminated:
        """Eliminate words: all of them or, if one is not there, none.

        Raises:
            UnknownClient, UnknownGame, NotAPlayer: who or which.
            IllegalMove: a subclass says why.
        """
        moved = await self._move(moves.detective_choice, game_id, client_id, eliminated_words)
        game = moved.row.rules
        return {
            "status": "success",
            "game_over": game.outcome is not None,
            "win": game.outcome == "win" if game.outcome is not None else None,
            "remaining_words": list(game.board),
            "key_word_eliminated": game.deal.key_word in moved.eliminated,
            "seq": moved.row.seq,
            "next": next_step(game, moved.role),
        }

    async def view(self, game_id: str, client_id: str) -> View:
        """The game as this player sees it.

        Raises:
            UnknownClient, UnknownGame, NotAPlayer: who or which.
        """
        return await access.read(self._plugin.store, views.view, game_id, client_id)

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

        def news(view: View) -> bool:
            if after is None:
                return view["phase"] in (TURNS[view["role"]], "finished")
            if after > view["seq"]:
                raise BadArgument(
                    f"after={after} is beyond game {view['game_id']!r}, whose newest seq is {view['seq']}. Call again "
                    f"with after={view['seq']}, or without after to wait for your turn."
                )
            return view["seq"] > after

        changed, view = await self._until(
            address(game_id.strip()),
            lambda: self.view(game_id, client_id),
            news,
            min(timeout_seconds, self._plugin.max_wait),
        )
        return {"changed": changed, "after": view["seq"], "view": view}

    async def leave(self, game_id: str, client_id: str) -> Left:
        """End the game as abandoned; one that is over stays as it is.

        Raises:
            UnknownClient, UnknownGame, NotAPlayer: who or which.
        """
        row = await access.write(self._plugin.store, seats.leave, game_id, client_id)
        assert row.rules.outcome is not None
        return {
            "game_id": row.id,
            "outcome": row.rules.outcome,
            "seq": row.seq,
            "next": "hardtoget_join_game takes a seat in another game.",
        }

    async def game_of(self, client_id: str) -> str | None:
        """The game in which the client has a seat now; None if it is in none that is not over.

        Raises:
            UnknownClient: nobody is registered under the id.
        """
        return await access.read(self._plugin.store, _game_of, client_id)

    async def wait_for_game(self, client_id: str, timeout_seconds: float) -> str | None:
        """The same as soon as there is one, or None when the time is over; not cut to `max_wait`.

        Raises:
            UnknownClient: nobody is registered under the id.
        """
        _, game_id = await self._until(
            client_topic(clients.key_of(client_id)),
            lambda: self.game_of(client_id),
            lambda found: found is not None,
            timeout_seconds,
        )
        return game_id

    async def spectate(self, game_id: str) -> Spectated:
        """The game as anybody may see it: without the key word until the end, without client ids for ever.

        Raises:
            UnknownGame: there is none.
        """
        return await access.read(self._plugin.store, views.spectated, game_id)

    async def wait_spectating(self, game_id: str, after: int, timeout_seconds: float) -> Spectated | None:
        """That as soon as its `seq` is above `after`, or None when the time is over; not cut to `max_wait`.

        Raises:
            UnknownGame: there is none.
        """
        changed, game = await self._until(
            address(game_id.strip()),
            lambda: self.spectate(game_id),
            lambda found: found["seq"] > after,
            timeout_seconds,
        )
        return game if changed else None

    async def listed(self, limit: int = 100) -> GameList:
        """The newest games, newest first."""
        return await access.read(self._plugin.store, views.listed, limit)

    async def results(self, model_name: str | None = None, limit: int = 100, before: str | None = None) -> Results:
        """Games that were won or lost, newest first; with `before`, those that ended before that game.

        Raises:
            UnknownGame: there is no result of the game given as `before`.
        """
        return await access.read(self._plugin.store, standings.results, model_name, limit, before)

    async def leaderboard(self) -> Leaderboard:
        """How the models do, and the pairs of them."""
        return await access.read(self._plugin.store, standings.leaderboard)

    def _dealer(self, seed: str | None) -> Callable[[], tuple[Deal, Role]]:
        """What makes a deal, and the seat for a player who wants any."""
        lists = lists_of(self._plugin)
        draws = Draws(secrets.token_hex(32) if seed is None else seed)

        def make() -> tuple[Deal, Role]:
            dealt = deal(lists.words, lists.dilemmas, draws)
            return dealt, tuple(Role)[draws.below(2)]

        return make

    async def _move(
        self,
        move: Callable[[Transaction, str, str, T, Terms], Moved | IllegalMove],
        game_id: str,
        client_id: str,
        what: T,
    ) -> Moved:
        moved = await access.write(self._plugin.store, move, game_id, client_id, what, self._terms)
        if isinstance(moved, IllegalMove):
            raise moved
        return moved

    async def _until(
        self, topic: str, look: Callable[[], Awaitable[T]], enough: Callable[[T], bool], seconds: float
    ) -> tuple[bool, T]:
        """Look again after each change of a topic, until it is enough or the time is over; also says which."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while True:
            # The topic's number first: what changes after the look is then noticed by the waiting.
            number = await self._plugin.store.number(topic)
            found = await look()
            left = deadline - loop.time()
            if enough(found) or left <= 0:
                return enough(found), found
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._plugin.store.wait(topic, number)


def _game_of(tx: Transaction, client_id: str) -> str | None:
    row = unfinished_of(tx, clients.require(tx, client_id))
    return row.id if row is not None else None
