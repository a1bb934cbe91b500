"""The way to the store: a duel whose time is over is closed before anything else is done at its fire."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from agenthost_campfire.store.duels import Overdue, close_overdue

if TYPE_CHECKING:
    from agenthost import Store, Transaction

P = ParamSpec("P")
R = TypeVar("R")


async def write(
    store: Store, function: Callable[Concatenate[Transaction, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Run `function(tx, ...)` in a writing transaction.

    The end of an overdue duel is a transaction of its own: it stays, even if what was asked for is refused.
    """
    while True:
        try:
            return await store.write(function, *args, **kwargs)
        except Overdue as overdue:
            await store.write(close_overdue, overdue.fire_id)


async def read(
    store: Store, function: Callable[Concatenate[Transaction, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """The same in a reading transaction."""
    while True:
        try:
            return await store.read(function, *args, **kwargs)
        except Overdue as overdue:
            await store.write(close_overdue, overdue.fire_id)
