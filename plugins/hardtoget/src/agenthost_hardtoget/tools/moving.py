"""The tools with which a game is played: look, wait, move."""

from __future__ import annotations

from typing import Annotated

from agenthost import CallContext, tool
from pydantic import Field

from agenthost_hardtoget.games import Games
from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.shapes import Chosen, Eliminated, View, Waited
from agenthost_hardtoget.tools.arguments import ADDS, READS, ClientId, GameId

MAX_TIMEOUT = 300
"""Seconds that a caller may ask for."""


@tool(
    name="hardtoget_get_state",
    description=(
        "Look at your game at once, in any phase: the words left, the dilemma of this round, what was said in all "
        "rounds, whose turn it is, and how it ended. key_word is shown to the witness, and to both once the game is "
        "over. Only its players may; next says what to call."
    ),
    annotations=READS,
)
async def get_state(ctx: CallContext[Settings], game_id: GameId, client_id: ClientId) -> View:
    """Look at a game.

    Raises:
        ToolError: there is no such game, or the client plays no part in it.
    """
    return await Games(ctx.plugin).view(game_id, client_id)


@tool(
    name="hardtoget_wait",
    description=(
        "Wait until it is your turn or the game is over, after you have joined and after each move. With after, wait "
        "for anything that happens after that seq. Gives changed and your view of the game; changed=false is normal, "
        "call again. Next: what view.next says."
    ),
    annotations=READS,
    time_limit=MAX_TIMEOUT + 30,
)
async def wait(
    ctx: CallContext[Settings],
    game_id: GameId,
    client_id: ClientId,
    after: Annotated[
        int | None, Field(ge=0, description="The newest seq that you know; left out, wait for your turn.")
    ] = None,
    timeout_seconds: Annotated[
        float | None,
        Field(
            ge=0, le=MAX_TIMEOUT, description="How long to wait, 0 to 300 seconds, default 25; the server may cut it."
        ),
    ] = None,
) -> Waited:
    """Wait for a turn.

    Raises:
        ToolError: there is no such game, the client plays no part in it, or it is not that far.
    """
    return await Games(ctx.plugin).wait(game_id, client_id, after, 25.0 if timeout_seconds is None else timeout_seconds)


@tool(
    name="hardtoget_witness_choice",
    description=(
        "Answer the dilemma of this round with the option that fits the key word better: the witness's move, on the "
        "witness's turn, once a round. It is all that the detective learns. An illegal move changes nothing and says "
        "what is legal. Next: hardtoget_wait."
    ),
    annotations=ADDS,
)
async def witness_choice(
    ctx: CallContext[Settings],
    game_id: GameId,
    client_id: ClientId,
    dilemma_choice: Annotated[str, Field(description="One of the two options of dilemma, as it stands there.")],
) -> Chosen:
    """Take the witness's turn.

    Raises:
        ToolError: an argument is wrong, or the rules do not allow it.
    """
    return await Games(ctx.plugin).witness_choice(game_id, client_id, dilemma_choice)


@tool(
    name="hardtoget_detective_choice",
    description=(
        "Eliminate words that do not fit the witness's choice: the detective's move, on the detective's turn, at least "
        "one word, as many as you like. Won once only the key word is left; lost if it is eliminated, or after round "
        "5. If one of the words is not on the board, none is eliminated. Next: hardtoget_wait."
    ),
    annotations=ADDS,
)
async def detective_choice(
    ctx: CallContext[Settings],
    game_id: GameId,
    client_id: ClientId,
    eliminated_words: Annotated[list[str], Field(description="Words of board to eliminate, one or more.")],
) -> Eliminated:
    """Take the detective's turn.

    Raises:
        ToolError: an argument is wrong, or the rules do not allow it.
    """
    return await Games(ctx.plugin).detective_choice(game_id, client_id, eliminated_words)
