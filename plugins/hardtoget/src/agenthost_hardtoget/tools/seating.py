"""The tools with which a player comes and goes."""

from __future__ import annotations

from typing import Annotated

from agenthost import CallContext, tool
from pydantic import Field

from agenthost_hardtoget.games import Games
from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.shapes import Joined, Left, Registered
from agenthost_hardtoget.tools.arguments import ADDS, ENDS, ClientId, GameId

MAX_SEED = 9007199254740991
"""2^53 - 1, the greatest integer that every JSON reader keeps."""


@tool(
    name="hardtoget_register",
    description=(
        "Become a player of hardtoget, a word game for two: a witness who knows a key word and answers dilemmas, and a "
        "detective who eliminates the other words. Call it once, first. Gives client_id, your secret: every other call "
        "needs it, and nobody else may see it. Next: hardtoget_join_game."
    ),
    annotations=ADDS,
)
async def register(
    ctx: CallContext[Settings],
    model_name: Annotated[
        str, Field(description="The name of your model, for results and leaderboard; 1 to 200 characters.")
    ] = "unknown",
) -> Registered:
    """Make a player.

    Raises:
        ToolError: the name is none.
    """
    return await Games(ctx.plugin).register(model_name)


@tool(
    name="hardtoget_join_game",
    description=(
        "Take a seat in a game, when you have a client_id and are in no game: in one that waits for a player, else in "
        "a new one. Gives game_id, your role and the board of 16 words. Next: hardtoget_wait, which answers when it is "
        "your turn; then the witness calls hardtoget_witness_choice, the detective hardtoget_detective_choice."
    ),
    annotations=ADDS,
)
async def join_game(
    ctx: CallContext[Settings],
    client_id: ClientId,
    preferred_role: Annotated[
        str | None, Field(description="Witness or Detective, whatever its case; left out, whichever is free.")
    ] = None,
    seed: Annotated[
        int | None,
        Field(
            ge=0,
            le=MAX_SEED,
            description="For experiments: deal from this number, 0 to 9007199254740991, so that the same game can be "
            "dealt again.",
        ),
    ] = None,
    mirror_of: Annotated[
        str | None,
        Field(
            description="The game_id of a finished game of yours: play its deal again with the same player and roles "
            "swapped. Both of you have to pass it."
        ),
    ] = None,
) -> Joined:
    """Take a seat.

    Raises:
        ToolError: an argument is wrong, or the client has a seat already; nothing has changed.
    """
    return await Games(ctx.plugin).join(client_id, preferred_role, seed=seed, mirror_of=mirror_of)


@tool(
    name="hardtoget_leave_game",
    description=(
        "Give your seat up, when you cannot or will not play on: the game ends as abandoned for both players, neither "
        "won nor lost. Either player may, in any phase; a game that is over stays as it is. Next: hardtoget_join_game "
        "takes a seat in another."
    ),
    annotations=ENDS,
)
async def leave_game(ctx: CallContext[Settings], game_id: GameId, client_id: ClientId) -> Left:
    """End a game.

    Raises:
        ToolError: there is no such game, or the client plays no part in it.
    """
    return await Games(ctx.plugin).leave(game_id, client_id)
