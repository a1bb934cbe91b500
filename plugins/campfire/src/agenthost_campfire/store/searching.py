"""Search through messages: from the newest back, in small reads, so that nobody waits behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agenthost_campfire.shapes import Message, Messages
from agenthost_campfire.store import access, messages
from agenthost_campfire.store.messages import MAX_ANSWER, Query

if TYPE_CHECKING:
    from agenthost import Store, Transaction

MAX_SCANNED = 100_000
"""Messages that one search looks at."""

CHUNK = 250
"""Messages that are looked at in one read."""


async def search(store: Store, fire_id: str, query: Query, scan: int = MAX_SCANNED) -> Messages:
    """The newest messages that hold `query.search`; `searchedBackTo` says where it stopped looking, if it did.

    Raises:
        UnknownFire: there is no such fire.
    """
    # The bound first: what is posted meanwhile is newer than what is searched.
    answer = await access.read(store, messages.page, fire_id, Query(limit=0))
    found: list[Message] = []
    before = answer["lastSeq"] + 1 if query.before is None else query.before
    while scan > 0:
        step = min(CHUNK, scan)
        part = Query(after=query.after, before=before, author=query.author, search=query.search)
        matching, looked_at, before = await access.read(store, _scan, fire_id, part, step)
        scan -= looked_at
        found += matching
        fitting, is_cut = messages.fit(found[: query.limit], MAX_ANSWER)
        if is_cut or len(found) > query.limit:
            return {"messages": fitting[::-1], "hasMore": True, "lastSeq": answer["lastSeq"]}
        if looked_at < step:
            return {"messages": found[::-1], "hasMore": False, "lastSeq": answer["lastSeq"]}
    return {"messages": found[::-1], "hasMore": True, "lastSeq": answer["lastSeq"], "searchedBackTo": before}


def _scan(tx: Transaction, fire_id: str, query: Query, limit: int) -> tuple[list[Message], int, int]:
    """The matches among the newest messages of a range, how many were looked at, and the number of the last."""
    rows = messages.rows_between(tx, fire_id, query, limit, forward=False)
    matches = messages.matcher(query.search or "")
    found = [messages.shape(row) for row in rows if matches(row["text"])]
    return found, len(rows), rows[-1]["seq"] if rows else 0
