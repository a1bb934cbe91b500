"""Seats: who plays with whom, on which deal, and who leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from agenthost_hardtoget.addresses import client_topic
from agenthost_hardtoget.errors import AlreadyPlaying, MirrorRefused
from agenthost_hardtoget.rules.deadlines import Deadlines
from agenthost_hardtoget.rules.deal import Deal
from agenthost_hardtoget.rules.play import Phase, Role, abandon, start
from agenthost_hardtoget.shapes import EndedBy
from agenthost_hardtoget.store import clients, games
from agenthost_hardtoget.store.ending import end
from agenthost_hardtoget.store.games import GameRow

if TYPE_CHECKING:
    from agenthost import Transaction

LEFT: dict[Role, EndedBy] = {Role.WITNESS: "witness_left", Role.DETECTIVE: "detective_left"}


def join(
    tx: Transaction,
    client_id: str,
    wanted: Role | None,
    seed: str | None,
    deal: Callable[[], tuple[Deal, Role]],
    deadlines: Deadlines,
) -> tuple[GameRow, Role]:
    """Take the wanted seat, or any, in the oldest game that has it free; else make a game.

    Args:
        tx: an open writing transaction.
        client_id: who joins.
        wanted: which seat; None is any.
        seed: sit down only at a game that was dealt from it; None is any game.
        deal: makes the deal of a new game, and the seat for who wants any.
        deadlines: how long the game may stand still from now on.

    Raises:
        UnknownClient: nobody is registered under the id.
        AlreadyPlaying: the client has a seat already.
    """
    client = _require_free(tx, client_id)
    for row in games.pending(tx):
        free = row.free
        if free is not None and row.reserved is None and wanted in (None, free) and seed in (None, row.seed):
            return _sit_down(tx, row, free, client, deadlines), free
    dealt, any_role = deal()
    role = wanted or any_role
    return _open(tx, games.add(tx, dealt, role, client, deadlines, seed=seed), client), role


def join_mirror(
    tx: Transaction, client_id: str, wanted: Role | None, mirror_of: str, deadlines: Deadlines
) -> tuple[GameRow, Role]:
    """Play an earlier game again with its other player, roles swapped.

    Raises:
        UnknownClient, UnknownGame, NotAPlayer: who or which.
        AlreadyPlaying: the client has a seat already.
        MirrorRefused: the game is not over or nobody else played it, or the seat wanted is that of last time.
    """
    client = clients.require(tx, client_id)
    earlier = games.get(tx, mirror_of)
    role = earlier.role_of(client).other
    _require_free(tx, client_id)
    if earlier.rules.phase is not Phase.FINISHED or earlier.free is not None:
        raise MirrorRefused(
            f"Game {earlier.id!r} cannot be mirrored: it needs two players and has to be over. Leave mirror_of out."
        )
    if wanted is role.other:
        raise MirrorRefused(
            f"In game {earlier.id!r} you were the {role.other}, so in its mirror you are the {role}. Leave "
            "preferred_role out."
        )
    for row in games.pending(tx):
        if row.mirror_of == earlier.id and row.reserved == client:
            return _sit_down(tx, row, role, client, deadlines), role
    made = games.add(tx, earlier.rules.deal, role, client, deadlines, seed=earlier.seed, mirrored=earlier)
    return _open(tx, made, client), role


def leave(tx: Transaction, game_id: str, client_id: str) -> GameRow:
    """End a game as abandoned; one that is over stays as it is.

    Raises:
        UnknownClient, UnknownGame, NotAPlayer: who or which.
    """
    row, role = games.of_player(tx, game_id, client_id)
    if row.rules.phase is Phase.FINISHED:
        return row
    return end(tx, row, abandon(row.rules), LEFT[role])


def _require_free(tx: Transaction, client_id: str) -> str:
    client = clients.require(tx, client_id)
    row = games.unfinished_of(tx, client)
    if row is not None:
        raise AlreadyPlaying(
            f"You are the {row.role_of(client)} of game {row.id!r} already, which is not over. Continue with "
            "hardtoget_get_state, or end it with hardtoget_leave_game; then join another."
        )
    return client


def _open(tx: Transaction, row: GameRow, client: str) -> GameRow:
    clients.set_status(tx, (client,), "searching")
    tx.changed(client_topic(client))
    return row


def _sit_down(tx: Transaction, row: GameRow, role: Role, client: str, deadlines: Deadlines) -> GameRow:
    seated = replace(row, witness=client) if role is Role.WITNESS else replace(row, detective=client)
    clients.set_status(tx, (seated.witness, seated.detective), "in_game")
    tx.changed(client_topic(client))
    return games.save(tx, seated, start(row.rules), deadlines)
