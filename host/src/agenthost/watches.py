"""Resources whose contents are in a store: a committed change becomes a notice to their subscribers."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

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
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def watch(self, uri: str) -> None:
        """Somebody subscribes to an address; to be undone by `unwatch`."""
        self._wanted[uri] += 1
        found = self._catalog.find_resource(uri)
        if uri not in self._tasks and found is not None and found[0].plugin.schema is not None:
            self._tasks[uri] = asyncio.create_task(self._follow(found[0].plugin.loaded.store, uri), name=f"watch {uri}")

    def unwatch(self, uri: str) -> None:
        """Somebody has ended a subscription."""
        self._wanted[uri] -= 1
        if self._wanted[uri] <= 0:
            del self._wanted[uri]
            if (task := self._tasks.pop(uri, None)) is not None:
                task.cancel()

    @asynccontextmanager
    async def watching(self, uris: Iterable[str]) -> AsyncIterator[None]:
        """Watch while the block runs."""
        watched = list(uris)
        for uri in watched:
            self.watch(uri)
        try:
            yield
        finally:
            for uri in watched:
                self.unwatch(uri)

    async def _follow(self, store: Store, uri: str) -> None:
        try:
            number = await store.number(uri)
            while True:
                number = await store.wait(uri, number)
                self._catalog.on_update(uri)
        except StorageError as error:
            log.warning("subscribers of %s are not told about changes any more: %s", uri, error)
