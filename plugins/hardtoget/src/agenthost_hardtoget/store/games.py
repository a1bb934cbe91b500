"""Games as they are kept: found, made, and written anew after each step."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agenthost_hardtoget.addresses import tell_of_game
from agenthost_hardtoget.clock import now_ms
from agenthost_hardtoget.errors import NotAPlayer, UnknownGame
from agenthost_hardtoget.rules.deadlines import Deadlines
from agenthost_hardtoget.rules.deal import Deal
from agenthost_hardtoget.rules.play import Game, Phase, Role, new
from agenthost_hardtoget.store import clients

if TYPE_CHECKING:
    from agenthost import Transaction

STATUS = {
    Phase.WAITING: "pending",
    Phase.WITNESS_TURN: "active",
    Phase.DETECTIVE_TURN: "active",
    Phase.FINISHED: "completed",
}
"""The original's names for how far a game is."""

SELECT = (
    "SELECT games.*, (SELECT rounds.witness_choice FROM rounds WHERE rounds.game_id = games.id "
    "AND rounds.round = games.current_round) AS witness_choice FROM games "
)


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game as it is kept.

    Attributes:
        rules: what decides about its next move.
        witness, detective: the keys of its players; None is a free seat.
        seq: how often it has changed.
        deal_id: the first game with this deal; its own id unless it mirrors another.
        mirror_of: the game whose players meet again in it.
        reserved: the key of the only client that may take the free seat; None is anybody.
        seed: what was asked to deal from, if anything.
        illegal_moves: how many of each player's were counted.
        due_at: when it is abandoned, if it is not over.
    """

    id: str
    number: int
    rules: Game
    witness: str | None
    detective: str | None
    seq: int
    deal_id: str
    mirror_of: str | None
    reserved: str | None
    seed: str | None
    illegal_moves: Mapping[Role, int]
    created_at: int
    due_at: int | None
    ended_by: str | None

    def player(self, role: Role) -> str | None:
        """Who has that seat."""
        return self.witness if role is Role.WITNESS else self.detective

    def role_of(self, client: str) -> Role:
        """The seat of a client.

        Raises:
            NotAPlayer: it has none.
        """
        for role in Role:
            if self.player(role) == client:
                return role
        raise NotAPlayer(
            f"You play no part in game {self.id!r}. Pass the game_id and the client_id that belong together, or take "
            "a seat with hardtoget_join_game."
        )

    @property
    def free(self) -> Role | None:
        """The seat that nobody has."""
        return next((role for role in Role if self.player(role) is None), None)


def get(tx: Transaction, game_id: str) -> GameRow:
    """One game.

    Raises:
        UnknownGame: there is none.
    """
    row = tx.one(f"{SELECT} WHERE id = :id", {"id": game_id.strip()})
    if row is None:
        raise UnknownGame(
            f"There is no game {game_id[:100]!r}. Pass the game_id that hardtoget_join_game gave you, or call it to "
            "take a seat."
        )
    return _read(row)


def of_player(tx: Transaction, game_id: str, client_id: str) -> tuple[GameRow, Role]:
    """A game and the seat that a client has in it.

    Raises:
        UnknownClient, UnknownGame, NotAPlayer: who or which.
    """
    client = clients.require(tx, client_id)
    row = get(tx, game_id)
    return row, row.role_of(client)


def unfinished_of(tx: Transaction, client: str) -> GameRow | None:
    """The game in which a client has a seat now."""
    row = tx.one(
        f"{SELECT} WHERE outcome IS NULL AND (witness_uuid = :client OR detective_uuid = :client)", {"client": client}
    )
    return _read(row) if row is not None else None


def pending(tx: Transaction) -> list[GameRow]:
    """The games that wait for a second player, oldest first."""
    return [_read(row) for row in tx.all(f"{SELECT} WHERE status = 'pending' ORDER BY number")]


def add(
    tx: Transaction,
    deal: Deal,
    role: Role,
    client: str,
    deadlines: Deadlines,
    *,
    seed: str | None = None,
    mirrored: GameRow | None = None,
) -> GameRow:
    """Make a game in which one seat is taken; with `mirrored`, the other is for the other player of that game."""
    last = tx.one("SELECT COALESCE(MAX(number), 0) AS number FROM games")
    assert last is not None
    game_id = f"game-{secrets.token_hex(6)}"
    now = now_ms()
    row = GameRow(
        id=game_id,
        number=last["number"] + 1,
        rules=new(deal),
        witness=client if role is Role.WITNESS else None,
        detective=client if role is Role.DETECTIVE else None,
        seq=1,
        deal_id=mirrored.deal_id if mirrored is not None else game_id,
        mirror_of=mirrored.id if mirrored is not None else None,
        # Roles are swapped, so the other player had the seat that is taken now.
        reserved=mirrored.player(role) if mirrored is not None else None,
        seed=seed,
        illegal_moves=dict.fromkeys(Role, 0),
        created_at=now,
        due_at=deadlines.due(new(deal), now),
        ended_by=None,
    )
    tx.execute(
        "INSERT INTO games (id, number, witness_uuid, detective_uuid, status, key_word, current_round, board, "
        "deal_board, deal_dilemmas, deal_id, seed, mirror_of, reserved_uuid, witness_illegal_moves, "
        "detective_illegal_moves, seq, created_at, due_at) VALUES (:id, :number, :witness, :detective, 'pending', "
        ":key_word, 0, :board, :board, :dilemmas, :deal_id, :seed, :mirror_of, :reserved, 0, 0, 1, :now, :due)",
        {
            "id": row.id,
            "number": row.number,
            "witness": row.witness,
            "detective": row.detective,
            "key_word": deal.key_word,
            "board": _json(deal.board),
            "dilemmas": _json(deal.dilemmas),
            "deal_id": row.deal_id,
            "seed": seed,
            "mirror_of": row.mirror_of,
            "reserved": row.reserved,
            "now": now,
            "due": row.due_at,
        },
    )
    tell_of_game(tx, row.id)
    return row


def save(tx: Transaction, row: GameRow, after: Game, deadlines: Deadlines | None = None) -> GameRow:
    """Write a game's next state; one that goes on needs the deadlines that hold from now on."""
    due = deadlines.due(after, now_ms()) if deadlines is not None else None
    changed = replace(row, rules=after, seq=row.seq + 1, due_at=due)
    tx.execute(
        "UPDATE games SET witness_uuid = :witness, detective_uuid = :detective, status = :status, "
        "current_round = :round, board = :board, outcome = :outcome, ended_by = :ended_by, "
        "witness_illegal_moves = :witness_illegal_moves, detective_illegal_moves = :detective_illegal_moves, "
        "seq = :seq, due_at = :due, ended_at = :ended WHERE id = :id",
        {
            "id": row.id,
            "witness": row.witness,
            "detective": row.detective,
            "status": STATUS[after.phase],
            "round": after.round,
            "board": _json(after.board),
            "outcome": after.outcome,
            "ended_by": row.ended_by,
            "witness_illegal_moves": row.illegal_moves[Role.WITNESS],
            "detective_illegal_moves": row.illegal_moves[Role.DETECTIVE],
            "seq": changed.seq,
            "due": due,
            "ended": now_ms() if after.outcome is not None else None,
        },
    )
    tell_of_game(tx, row.id)
    return changed


def save_illegal_moves(tx: Transaction, row: GameRow) -> None:
    """Write how many illegal moves were counted; the game stays where it is, and nobody is told."""
    tx.execute(
        "UPDATE games SET witness_illegal_moves = :witness, detective_illegal_moves = :detective WHERE id = :id",
        {"id": row.id, "witness": row.illegal_moves[Role.WITNESS], "detective": row.illegal_moves[Role.DETECTIVE]},
    )


def _read(row: Mapping[str, Any]) -> GameRow:
    one, two = json.loads(row["deal_board"]), json.loads(row["deal_dilemmas"])
    deal = Deal(tuple(one), row["key_word"], tuple((first, second) for first, second in two))
    return GameRow(
        id=row["id"],
        number=row["number"],
        rules=Game(deal, tuple(json.loads(row["board"])), row["current_round"], row["witness_choice"], row["outcome"]),
        witness=row["witness_uuid"],
        detective=row["detective_uuid"],
        seq=row["seq"],
        deal_id=row["deal_id"],
        mirror_of=row["mirror_of"],
        reserved=row["reserved_uuid"],
        seed=row["seed"],
        illegal_moves={
            Role.WITNESS: row["witness_illegal_moves"],
            Role.DETECTIVE: row["detective_illegal_moves"],
        },
        created_at=row["created_at"],
        due_at=row["due_at"],
        ended_by=row["ended_by"],
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
