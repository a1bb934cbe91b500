"""Clients: who is registered. Only the hash of a client id is kept, so that no copy of the database gives it away."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from typing import TYPE_CHECKING, Literal

from agenthost_hardtoget.clock import now_ms
from agenthost_hardtoget.errors import UnknownClient

if TYPE_CHECKING:
    from agenthost import Transaction

Status = Literal["available", "searching", "in_game"]


def new_client_id() -> str:
    """128 random bits in the form of a UUID; those of a real one of version 4 would be 122."""
    return str(uuid.UUID(bytes=secrets.token_bytes(16)))


def key_of(client_id: str) -> str:
    """What a client is known by in the database. The id is random enough to need no slow hash and no salt."""
    return hashlib.sha256(client_id.strip().lower().encode("utf-8", "surrogatepass")).hexdigest()


def register(tx: Transaction, client_id: str, model_name: str) -> None:
    """Add a client."""
    tx.execute(
        "INSERT INTO clients (uuid, model_name, status, created_at) VALUES (:key, :model, 'available', :now)",
        {"key": key_of(client_id), "model": model_name, "now": now_ms()},
    )


def require(tx: Transaction, client_id: str) -> str:
    """The key of a client that is registered.

    Raises:
        UnknownClient: nobody is under this id.
    """
    key = key_of(client_id)
    if tx.one("SELECT 1 FROM clients WHERE uuid = :key", {"key": key}) is None:
        raise UnknownClient(
            "Nobody is registered under this client_id. Pass the client_id that hardtoget_register gave you, or call "
            "hardtoget_register to get one."
        )
    return key


def set_status(tx: Transaction, keys: tuple[str | None, ...], status: Status) -> None:
    """Clients have found a seat, an opponent, or the end of a game."""
    for key in keys:
        tx.execute("UPDATE clients SET status = :status WHERE uuid = :key", {"status": status, "key": key})
