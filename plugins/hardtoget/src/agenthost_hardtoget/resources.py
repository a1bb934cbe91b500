"""The resources: what anybody may see, under addresses that clients can subscribe to."""

from __future__ import annotations

from collections.abc import Mapping

from agenthost import CallContext, NotFound, Resource, ResourceTemplate, resource

from agenthost_hardtoget import addresses
from agenthost_hardtoget.errors import UnknownGame
from agenthost_hardtoget.games import Games
from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.shapes import GameList, Leaderboard, Spectated
from agenthost_hardtoget.store import access, views

JSON = "application/json"

MAX_PROPOSED = 1000
"""Games among which completions are looked for."""


async def complete_game(value: str, _arguments: Mapping[str, str], ctx: CallContext[Settings]) -> list[str]:
    """Games whose id holds what was typed, newest first."""
    ids = await access.read(ctx.store, views.newest_ids, MAX_PROPOSED)
    return [game_id for game_id in ids if value.strip().lower() in game_id]


@resource(addresses.GAMES, name="hardtoget_games", mime_type=JSON)
async def games(ctx: CallContext[Settings]) -> GameList:
    """The newest 100 games: who plays, how far each is, how it ended."""
    return await Games(ctx.plugin).listed()


@resource(addresses.GAME, name="hardtoget_game", mime_type=JSON, complete={"game_id": complete_game})
async def game(ctx: CallContext[Settings], game_id: str) -> Spectated:
    """A game as a spectator sees it, with all that was said; the key word is not in it until the end.

    Raises:
        NotFound: there is no such game.
    """
    try:
        return await Games(ctx.plugin).spectate(game_id)
    except UnknownGame:
        raise NotFound(f"There is no game {game_id[:100]!r}; {addresses.GAMES} lists them.") from None


@resource(addresses.LEADERBOARD, name="hardtoget_leaderboard", mime_type=JSON)
async def leaderboard(ctx: CallContext[Settings]) -> Leaderboard:
    """How the models do, and the pairs of them."""
    return await Games(ctx.plugin).leaderboard()


RESOURCES: tuple[Resource | ResourceTemplate, ...] = (games, game, leaderboard)
