"""Players of hardtoget that are programs: how they reach a server, and what decides their moves."""

from agenthost_hardtoget.players.playing import Player, play
from agenthost_hardtoget.players.strategy import OverlapStrategy, RandomStrategy, Strategy
from agenthost_hardtoget.players.table import Table, connect
from agenthost_hardtoget.players.turns import DetectiveTurn, Ended, WitnessTurn

__all__ = [
    "DetectiveTurn",
    "Ended",
    "OverlapStrategy",
    "Player",
    "RandomStrategy",
    "Strategy",
    "Table",
    "WitnessTurn",
    "connect",
    "play",
]
