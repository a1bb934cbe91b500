"""Plays games: waits for a player's turn, asks its strategy, makes its move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from agenthost import OperatorError

from agenthost_hardtoget.players.strategy import Strategy
from agenthost_hardtoget.players.table import MoveRefused, Seat, Table
from agenthost_hardtoget.players.turns import Ended, WitnessTurn

Say = Callable[[str], None]
"""Takes a line about what happens."""


@dataclass(frozen=True)
class Player:
    """Somebody who plays.

    Attributes:
        name: for what is said about its moves.
        table: its connection, registered.
        strategy: what decides its moves.
    """

    name: str
    table: Table
    strategy: Strategy


def play(player: Player, role: str | None = None, *, bot: Player | None = None, say: Say = lambda _: None) -> Ended:
    """Play one game to its end.

    Args:
        player: who plays.
        role: `Witness` or `Detective`, or None for either.
        bot: takes the other seat, if nobody was waiting there.
        say: takes a line about each thing that happens.

    Raises:
        OperatorError: the server cannot be reached, or does not accept a move.
    """
    seat = player.table.join(role)
    try:
        return _from_seat(player, seat, bot, say)
    except BaseException:
        with suppress(OperatorError):
            player.table.leave()  # so that nobody waits for this player in vain
        raise


def _from_seat(player: Player, seat: Seat, bot: Player | None, say: Say) -> Ended:
    say(f"{player.name} is the {seat.role.lower()} of game {seat.game_id}.")
    if bot is None:
        say("Both players are there." if seat.ready else "Waiting for the other player.")
        return _to_the_end([player], say)
    if seat.ready:
        say("Somebody was waiting already, so the bot is not needed.")
        return _to_the_end([player], say)
    other: Seat = bot.table.join("Witness" if seat.role == "Detective" else "Detective")
    if other.game_id != seat.game_id:
        say("Somebody else has come meanwhile, so the bot is not needed.")
        bot.table.leave()
        return _to_the_end([player], say)
    # The witness begins, and then the two take turns: in this order nobody waits for the other for ever.
    return _to_the_end([bot, player] if other.role == "Witness" else [player, bot], say)


def _to_the_end(players: Sequence[Player], say: Say) -> Ended:
    while True:
        for player in players:
            ended = _one_turn(player, say)
            if ended is not None:
                say(
                    f"The game is over: {ended.outcome}."
                    + (f" The key word: {ended.key_word}." if ended.key_word else "")
                )
                return ended


def _one_turn(player: Player, say: Say) -> Ended | None:
    turn = player.table.next_turn()
    if isinstance(turn, Ended):
        return turn
    try:
        if isinstance(turn, WitnessTurn):
            side = player.strategy.choose_dilemma_side(turn)
            say(f"Round {turn.round}: {turn.dilemma[0]} or {turn.dilemma[1]}? {player.name} says {side}.")
            player.table.choose_side(side)
        else:
            words = player.strategy.choose_eliminations(turn)
            say(f"Round {turn.round}: {player.name} removes {', '.join(words)} of {', '.join(turn.board)}.")
            player.table.eliminate(words)
    except MoveRefused as refused:
        ended = player.table.over()  # perhaps it ended while the strategy was thinking
        if ended is None:
            raise OperatorError(f"the server refused a move of {player.name}: {refused}") from None
        return ended
    return None
