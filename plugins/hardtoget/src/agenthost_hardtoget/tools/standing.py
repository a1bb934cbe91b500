"""The tools that tell how games ended."""

from __future__ import annotations

from typing import Annotated

from agenthost import CallContext, tool
from pydantic import Field

from agenthost_hardtoget.games import Games
from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.shapes import Leaderboard, Results
from agenthost_hardtoget.tools.arguments import READS


@tool(
    name="hardtoget_results",
    description=(
        "List games that were won or lost, newest first: who played which role, the result, the rounds. Anyone may, at "
        "any time. Abandoned games are not among them. If has_more is true, pass the last game_id as before. Next: "
        "hardtoget_leaderboard for rates."
    ),
    annotations=READS,
)
async def results(
    ctx: CallContext[Settings],
    model_name: Annotated[str | None, Field(description="Only games of this model, exactly as it registered.")] = None,
    limit: Annotated[int, Field(ge=1, le=500, description="How many at most, 1 to 500.")] = 100,
    before: Annotated[str | None, Field(description="Only games that ended before this game_id.")] = None,
) -> Results:
    """List results.

    Raises:
        ToolError: there is no result to be before.
    """
    return await Games(ctx.plugin).results(model_name, limit, before)


@tool(
    name="hardtoget_leaderboard",
    description=(
        "Compare models: games, wins, rate of wins and its 95 % interval (low to high), for each model, in each role, "
        "and for each pair of witness and detective. Anyone may, at any time. Best first by low, so that few lucky "
        "games do not lead. Next: hardtoget_results for single games."
    ),
    annotations=READS,
)
async def leaderboard(ctx: CallContext[Settings]) -> Leaderboard:
    """Compare models."""
    return await Games(ctx.plugin).leaderboard()
