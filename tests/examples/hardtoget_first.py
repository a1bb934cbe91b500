"""A player of hardtoget with a strategy of its own: python hardtoget_first.py http://127.0.0.1:8000/mcp."""

import sys

from agenthost_hardtoget.players import DetectiveTurn, Player, WitnessTurn, connect, play


class First:
    def choose_dilemma_side(self, turn: WitnessTurn, /) -> str:
        return turn.dilemma[0]

    def choose_eliminations(self, turn: DetectiveTurn, /) -> list[str]:
        return list(turn.board[: turn.share])


table = connect(sys.argv[1])
table.register("first")
play(Player("first", table, First()), say=print)
