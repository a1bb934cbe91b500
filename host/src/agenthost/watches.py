"""Resources whose contents are in a store: a committed change becomes a notice to their subscribers."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

from agenthost.catalog import Catalog
from agenthost.errors import StorageError
from agenthost.storage import Store

log = logging.getLogger("agenthost")


class Watches:
    """Waits for the topics that are addresses somebody has subscribed to, in any process.

    A plugin says `tx.changed("campfire://fires/f1")` in the transaction that changes what is there;
    the subscribers of every server on that store are told once it is committed.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._wanted: Counter[str] = Counter()
        self._followed: dict[str, _Followed] = {}

    async def watch(self, uri: str) -> None:
        """Somebody subscribes to an address; to be undone by `unwatch`. From its return on, no change is missed."""
        self._wanted[uri] += 1
        self._follow(uri)
        if (followed := self._followed.get(uri)) is not None:
            await followed.begun.wait()

    def unwatch(self, uri: str) -> None:
        """Somebody has ended a subscription, or has given up while `watch` was beginning it."""
        self._wanted[uri] -= 1
        if self._wanted[uri] <= 0:
            del self._wanted[uri]
            if (followed := self._followed.pop(uri, None)) is not None:
                followed.task.cancel()

    @asynccontextmanager
    async def watching(self, uris: Iterable[str]) -> AsyncIterator[None]:
        """Watch while the block runs."""
        async with AsyncExitStack() as watched:
            for uri in dict.fromkeys(uris):
                watched.callback(self.unwatch, uri)
                await self.watch(uri)
            yield

    def refresh(self) -> None:
        """Other resources are served than before: follow what is wanted and can be followed now."""
        for uri in self._wanted:
            self._follow(uri)

    def _follow(self, uri: str) -> None:
        found = self._catalog.find_resource(uri)
        if uri not in self._followed and found is not None and found[0].plugin.schema is not None:
            self._followed[uri] = _Followed(self, found[0].plugin.loaded.store, uri)

    def changed(self, uri: str) -> None:
        """What is at that address has changed."""
        self._catalog.on_update(uri)

    def lost(self, uri: str, followed: _Followed) -> None:
        """It is followed no longer; the next who subscribes begins anew."""
        if self._followed.get(uri) is followed:
            del self._followed[uri]


class _Followed:
    """One topic that is waited for.

    Attributes:
        begun: every change from now on is heard of, or it cannot be followed.
    """

    def __init__(self, watches: Watches, store: Store, uri: str) -> None:
        self.begun = asyncio.Event()
        self.task = asyncio.create_task(self._run(watches, store, uri), name=f"watch {uri}")

    async def _run(self, watches: Watches, store: Store, uri: str) -> None:
        try:
            number = await store.number(uri)
            self.begun.set()
            while True:
                number = await store.wait(uri, number)
                watches.changed(uri)
        except StorageError as error:
            log.warning("subscribers of %s are not told about changes any more: %s", uri, error)
        finally:
            self.begun.set()
            watches.lost(uri, self)
