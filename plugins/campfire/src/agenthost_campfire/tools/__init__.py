"""The tools: arguments checked, the store asked, the answer worded."""

from __future__ import annotations

from agenthost_campfire.tools.basics import create_fire, echo, list_fires, ping
from agenthost_campfire.tools.duel import (
    abandon_duel,
    deliver_verdict,
    get_duel,
    hold_the_line,
    list_duels,
    strike_argument,
    take_oath,
    throw_gauntlet,
)
from agenthost_campfire.tools.messages import list_messages, post_message, speak_to_party
from agenthost_campfire.tools.plan import get_battle_plan, update_battle_plan
from agenthost_campfire.tools.waiting import wait

TOOLS = (
    create_fire,
    list_fires,
    speak_to_party,
    post_message,
    list_messages,
    wait,
    get_battle_plan,
    update_battle_plan,
    throw_gauntlet,
    take_oath,
    strike_argument,
    hold_the_line,
    deliver_verdict,
    abandon_duel,
    get_duel,
    list_duels,
    ping,
    echo,
)
"""All of them, in the order of their listing: as a session uses them."""
