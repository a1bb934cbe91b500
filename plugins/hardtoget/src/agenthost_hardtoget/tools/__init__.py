"""The tools: arguments by their types, the service asked, its answer given."""

from __future__ import annotations

from agenthost_hardtoget.tools.moving import detective_choice, get_state, wait, witness_choice
from agenthost_hardtoget.tools.seating import join_game, leave_game, register
from agenthost_hardtoget.tools.standing import leaderboard, results

TOOLS = (
    register,
    join_game,
    wait,
    get_state,
    witness_choice,
    detective_choice,
    leave_game,
    results,
    leaderboard,
)
"""All of them, in the order of their listing: as a game goes."""
