"""Moves: each reads the game, lets the rules decide, and writes what follows, all in one transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agenthost_hardtoget.clock import now_ms
from agenthost_hardtoget.errors import IllegalMove
from agenthost_hardtoget.rules.deadlines import Deadlines
from agenthost_hardtoget.rules.play import Role, answer, eliminate, forfeit
from agenthost_hardtoget.shapes import EndedBy
from agenthost_hardtoget.store import games
from agenthost_hardtoget.store.ending import end
from agenthost_hardtoget.store.games import GameRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agenthost import Transaction

FORFEITED: dict[Role, EndedBy] = {
    Role.WITNESS: "witness_illegal_moves",
    Role.DETECTIVE: "detective_illegal_moves",
}


@dataclass(frozen=True, slots=True)
class Terms:
    """What the operator has set for the games of this server.

    Attributes:
        deadlines: how long a game may stand still.
        illegal_moves_allowed: how many each player may make; None does not count them.
    """

    deadlines: Deadlines
    illegal_moves_allowed: int | None


@dataclass(frozen=True, slots=True)
class Moved:
    """A move that was accepted: the game after it, and the words that it eliminated."""

    row: GameRow
    role: Role
    eliminated: tuple[str, ...] = ()


def witness_choice(tx: Transaction, game_id: str, client_id: str, option: str, terms: Terms) -> Moved | IllegalMove:
    """Answer the dilemma; an illegal move is returned, not raised, since counting it has to be kept.

    Raises:
        UnknownClient, UnknownGame, NotAPlayer: who or which.
    """
    row, role = games.of_player(tx, game_id, client_id)
    try:
        after = answer(row.rules, role, option)
    except IllegalMove as refusal:
        return _count(tx, row, role, refusal, terms)
    assert row.rules.dilemma is not None
    one, other = row.rules.dilemma
    tx.execute(
        "INSERT INTO rounds (game_id, round, first_option, second_option, witness_choice, chosen_at) "
        "VALUES (:game, :round, :one, :other, :choice, :now)",
        {
            "game": row.id,
            "round": after.round,
            "one": one,
            "other": other,
            "choice": after.witness_choice,
            "now": now_ms(),
        },
    )
    return Moved(games.save(tx, row, after, terms.deadlines), role)


def detective_choice(
    tx: Transaction, game_id: str, client_id: str, words: Sequence[str], terms: Terms
) -> Moved | IllegalMove:
    """Eliminate words; an illegal move is returned, not raised, since counting it has to be kept.

    Raises:
        UnknownClient, UnknownGame, NotAPlayer: who or which.
    """
    row, role = games.of_player(tx, game_id, client_id)
    try:
        after, gone = eliminate(row.rules, role, words)
    except IllegalMove as refusal:
        return _count(tx, row, role, refusal, terms)
    tx.execute(
        "UPDATE rounds SET eliminated_words = :gone, eliminated_at = :now WHERE game_id = :game AND round = :round",
        {"gone": json.dumps(gone, ensure_ascii=False), "now": now_ms(), "game": row.id, "round": row.rules.round},
    )
    if after.outcome is not None:
        return Moved(end(tx, row, after, "moves"), role, gone)
    return Moved(games.save(tx, row, after, terms.deadlines), role, gone)


def _count(tx: Transaction, row: GameRow, role: Role, refusal: IllegalMove, terms: Terms) -> IllegalMove:
    """Count an illegal move of a game that is going on, if they are counted; one too many loses it."""
    allowed = terms.illegal_moves_allowed
    if allowed is None or row.rules.turn is None:
        return refusal
    made = row.illegal_moves[role] + 1
    counted = replace(row, illegal_moves={**row.illegal_moves, role: made})
    if made > allowed:
        end(tx, counted, forfeit(row.rules), FORFEITED[role])
        return type(refusal)(
            f"{refusal} This was your illegal move number {made}, and {allowed} are allowed: the game is lost."
        )
    games.save_illegal_moves(tx, counted)
    return type(refusal)(f"{refusal} This was illegal move {made} of the {allowed} that you may make.")
