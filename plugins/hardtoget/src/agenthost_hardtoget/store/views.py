"""What a game looks like: to the witness, to the detective, and to everybody else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from agenthost_hardtoget.clock import iso
from agenthost_hardtoget.rules.play import Phase, Role, next_step
from agenthost_hardtoget.shapes import EndedBy, GameLine, GameList, Round, Spectated, View
from agenthost_hardtoget.store import games
from agenthost_hardtoget.store.games import GameRow

if TYPE_CHECKING:
    from agenthost import Transaction

MODELS = (
    "SELECT witness.model_name AS witness_model, detective.model_name AS detective_model FROM games "
    "LEFT JOIN clients AS witness ON witness.uuid = games.witness_uuid "
    "LEFT JOIN clients AS detective ON detective.uuid = games.detective_uuid WHERE games.id = :id"
)


def view(tx: Transaction, game_id: str, client_id: str) -> View:
    """A game as one of its players sees it.

    Raises:
        UnknownClient, UnknownGame, NotAPlayer: who or which.
    """
    row, role = games.of_player(tx, game_id, client_id)
    return of_role(tx, row, role)


def of_role(tx: Transaction, row: GameRow, role: Role) -> View:
    """A game as the player in that seat sees it."""
    shown = cast(View, {"game_id": row.id, "role": role.value, **_shown(tx, row)})
    if role is Role.WITNESS and row.rules.phase is not Phase.FINISHED:
        shown["key_word"] = row.rules.deal.key_word
    shown["next"] = next_step(row.rules, role)
    return shown


def spectated(tx: Transaction, game_id: str) -> Spectated:
    """A game as anybody sees it.

    Raises:
        UnknownGame: there is none.
    """
    row = games.get(tx, game_id)
    models = tx.one(MODELS, {"id": row.id})
    assert models is not None
    return cast(Spectated, {"game_id": row.id, **models, **_shown(tx, row)})


def listed(tx: Transaction, limit: int) -> GameList:
    """The newest games, newest first."""
    ids = newest_ids(tx, limit + 1)
    return {"games": [_line(tx, games.get(tx, game_id)) for game_id in ids[:limit]], "has_more": len(ids) > limit}


def newest_ids(tx: Transaction, limit: int) -> list[str]:
    """The ids of the newest games, newest first."""
    return [row["id"] for row in tx.all("SELECT id FROM games ORDER BY number DESC LIMIT :limit", {"limit": limit})]


def _shown(tx: Transaction, row: GameRow) -> dict[str, Any]:
    """What everybody may see of a game."""
    game = row.rules
    shown: dict[str, Any] = {
        "phase": game.phase.value,
        "round": game.round,
        "board": list(game.board),
        "dilemma": list(game.dilemma) if game.dilemma is not None else None,
        "witness_choice": game.witness_choice if game.turn is not None else None,
        "outcome": game.outcome,
        "seq": row.seq,
        "rounds": _rounds(tx, row.id),
    }
    if row.mirror_of is not None:
        shown["mirror_of"] = row.mirror_of
    if row.ended_by is not None:
        shown["ended_by"] = cast(EndedBy, row.ended_by)
    if game.phase is Phase.FINISHED and not _deal_is_played(tx, row.deal_id):
        shown["key_word"] = game.deal.key_word
        if row.seed is not None:
            shown["seed"] = int(row.seed)
    return shown


def _deal_is_played(tx: Transaction, deal_id: str) -> bool:
    """Does anybody play this deal now, who could look the key word up in an earlier game?"""
    return tx.one("SELECT 1 FROM games WHERE deal_id = :deal AND outcome IS NULL", {"deal": deal_id}) is not None


def _rounds(tx: Transaction, game_id: str) -> list[Round]:
    return [
        {
            "round": row["round"],
            "dilemma": [row["first_option"], row["second_option"]],
            "witness_choice": row["witness_choice"],
            "eliminated_words": json.loads(row["eliminated_words"]) if row["eliminated_words"] is not None else None,
        }
        for row in tx.all("SELECT * FROM rounds WHERE game_id = :game ORDER BY round", {"game": game_id})
    ]


def _line(tx: Transaction, row: GameRow) -> GameLine:
    models = tx.one(MODELS, {"id": row.id})
    assert models is not None
    return {
        "game_id": row.id,
        "witness_model": models["witness_model"],
        "detective_model": models["detective_model"],
        "phase": row.rules.phase.value,
        "round": row.rules.round,
        "outcome": row.rules.outcome,
        "seq": row.seq,
        "created_at": iso(row.created_at),
    }
