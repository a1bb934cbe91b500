"""The way to the store: games whose time is over are ended before anything else is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from agenthost_hardtoget.store.ending import Overdue, end_overdue, require_none_overdue

if TYPE_CHECKING:
    from agenthost import Store, Transaction

P = ParamSpec("P")
R = TypeVar("R")


async def write(
    store: Store, function: Callable[Concatenate[Transaction, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Run `function(tx, ...)` in a writing transaction.

    The end of an overdue game is a transaction of its own: it stays, even if what was asked for is refused.
    """

    def guarded(tx: Transaction) -> R:
        require_none_overdue(tx)
        return function(tx, *args, **kwargs)

    while True:
        try:
            return await store.write(guarded)
        except Overdue:
            await store.write(end_overdue)


async def read(
    store: Store, function: Callable[Concatenate[Transaction, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """The same in a reading transaction."""

    def guarded(tx: Transaction) -> R:
        require_none_overdue(tx)
        return function(tx, *args, **kwargs)

    while True:
        try:
            return await store.read(guarded)
        except Overdue:
            await store.write(end_overdue)
