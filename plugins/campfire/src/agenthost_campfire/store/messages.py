"""Messages: posted once, read in pages."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agenthost import ToolError

from agenthost_campfire.addresses import tell_of_message
from agenthost_campfire.clock import iso, now_ms
from agenthost_campfire.rules.duel import require_open
from agenthost_campfire.rules.texts import fold, name_key
from agenthost_campfire.shapes import Message, Messages
from agenthost_campfire.store.duels import current, rules_now
from agenthost_campfire.store.fires import MAX_SEQ, next_seq, require

if TYPE_CHECKING:
    from agenthost import Transaction

MAX_ANSWER = 48 * 1024
"""Bytes of text in one answer; the first message is given in any case."""

CHUNK = 100
"""Messages that are read at once, so that long ones are not all in memory."""

_ID_CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz"


class BadPost(ToolError):
    """A message cannot be posted as it is; nothing was posted."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A message that is to be posted."""

    text: str
    author: str | None = None
    reply_to: str | None = None
    client_id: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """Which messages of a fire are wanted.

    Attributes:
        after: only those with a higher number; the oldest of them, unless something is searched for.
        before: only those with a lower number.
        limit: how many at most.
        author: only those of this name.
        search: only those whose text holds this.
    """

    after: int | None = None
    before: int | None = None
    limit: int = 200
    author: str | None = None
    search: str | None = None


def post(tx: Transaction, fire_id: str, draft: Draft) -> Message:
    """Post a message; one with a `client_id` that was posted before is given back as it was.

    Raises:
        DuelRefused: a duel is going on.
        UnknownFire: there is no such fire.
        BadPost: what it answers is not there, or its `client_id` was used for another text.
    """
    author_key = name_key(draft.author) if draft.author is not None else ""
    if draft.client_id is not None:
        earlier = tx.one(
            "SELECT * FROM messages WHERE fire_id = :fire AND author_key = :author AND client_id = :client",
            {"fire": fire_id, "author": author_key, "client": draft.client_id},
        )
        if earlier is not None:
            return _repeated(earlier, draft)
    require_open(rules_now(tx, fire_id), "The message was not posted")
    require(tx, fire_id)
    if draft.reply_to is not None:
        _require_message(tx, fire_id, draft.reply_to)
    now = now_ms()
    row = {
        "fire_id": fire_id,
        "seq": next_seq(tx, fire_id),
        "id": f"msg-{now}-{''.join(secrets.choice(_ID_CHARACTERS) for _ in range(7))}",
        "author": draft.author,
        "author_key": author_key,
        "text": draft.text,
        "reply_to": draft.reply_to,
        "client_id": draft.client_id,
        "created_at": now,
    }
    tx.execute(
        "INSERT INTO messages (fire_id, seq, id, author, author_key, text, reply_to, client_id, created_at) "
        "VALUES (:fire_id, :seq, :id, :author, :author_key, :text, :reply_to, :client_id, :created_at)",
        row,
    )
    tell_of_message(tx, fire_id)
    return shape(row)


def page(tx: Transaction, fire_id: str, query: Query, max_bytes: int = MAX_ANSWER) -> Messages:
    """The messages wanted, as many as go into one answer; `query.search` is not looked at.

    Raises:
        UnknownFire: there is no such fire.
    """
    last_seq = require(tx, fire_id)
    current(tx, fire_id)
    forward = query.after is not None
    found: list[Message] = []
    rest, wanted, is_cut = query, query.limit + 1, False
    while wanted > len(found) and not is_cut:
        asked = min(CHUNK, wanted - len(found))
        rows = rows_between(tx, fire_id, rest, asked, forward=forward)
        found, is_cut = fit([*found, *map(shape, rows)], max_bytes)
        if len(rows) < asked:
            break
        last = rows[-1]["seq"]
        rest = replace(query, after=last) if forward else replace(query, before=last)
    shown = found[: query.limit]
    return {
        "messages": shown if forward else shown[::-1],
        "hasMore": is_cut or len(found) > query.limit,
        "lastSeq": last_seq,
    }


def rows_between(
    tx: Transaction, fire_id: str, query: Query, limit: int, *, forward: bool
) -> Sequence[Mapping[str, Any]]:
    """The rows with numbers between the bounds of a query, by its author: the oldest first, or the newest."""
    narrowed = "AND author_key = :author" if query.author is not None else ""
    return tx.all(
        f"SELECT * FROM messages WHERE fire_id = :fire AND seq > :after AND seq < :before {narrowed} "  # noqa: S608  (fixed texts)
        f"ORDER BY seq {'ASC' if forward else 'DESC'} LIMIT :limit",
        {
            "fire": fire_id,
            "after": min(query.after or 0, MAX_SEQ),
            "before": MAX_SEQ if query.before is None else min(query.before, MAX_SEQ),
            "author": name_key(query.author) if query.author is not None else "",
            "limit": limit,
        },
    )


def fit(messages: Sequence[Message], max_bytes: int) -> tuple[list[Message], bool]:
    """The first messages that go into one answer, and whether some did not."""
    left = max_bytes
    for position, message in enumerate(messages):
        # As the host writes them: 2 spaces, and 2 more because they are in an array.
        written = json.dumps(message, indent=2, ensure_ascii=False)
        left -= len(written.encode()) + 2 * (written.count("\n") + 1) + 2
        if left < 0 and position:
            return list(messages[:position]), True
    return list(messages), False


def matcher(search: str) -> Callable[[str], bool]:
    """Whether a text holds another one, whatever their case and composition."""
    wanted = fold(search)
    return lambda text: wanted in fold(text)


def authors(tx: Transaction, fire_id: str, limit: int) -> list[str]:
    """Names that were used at a fire lately, in messages and duels, newest first."""
    rows = tx.all(
        "SELECT author AS name, seq FROM (SELECT author, seq FROM messages "
        "WHERE fire_id = :fire AND author IS NOT NULL ORDER BY seq DESC LIMIT :limit) AS said "
        "UNION ALL SELECT name, seq FROM (SELECT name, seq FROM duel_steps "
        "WHERE fire_id = :fire AND name IS NOT NULL ORDER BY seq DESC LIMIT :limit) AS stepped ORDER BY seq DESC",
        {"fire": fire_id, "limit": limit},
    )
    by_key: dict[str, str] = {}
    for row in rows:
        by_key.setdefault(name_key(row["name"]), row["name"])
    return list(by_key.values())


def shape(row: Mapping[str, Any]) -> Message:
    """A row as answers show it."""
    message: Message = {
        "id": row["id"],
        "fireId": row["fire_id"],
        "text": row["text"],
        "createdAt": iso(row["created_at"]),
        "seq": row["seq"],
    }
    if row["author"] is not None:
        message["author"] = row["author"]
    if row["reply_to"] is not None:
        message["replyTo"] = row["reply_to"]
    if row["client_id"] is not None:
        message["clientId"] = row["client_id"]
    return message


def _repeated(earlier: Mapping[str, Any], draft: Draft) -> Message:
    if (earlier["text"], earlier["reply_to"]) != (draft.text, draft.reply_to):
        raise BadPost(
            f"The message was not posted: client_id {draft.client_id!r} stands for another message of yours, number "
            f"{earlier['seq']}. Repeat that one unchanged to retry it, or give this one a new client_id."
        )
    return shape(earlier)


def _require_message(tx: Transaction, fire_id: str, message_id: str) -> None:
    found = tx.one("SELECT seq FROM messages WHERE id = :id AND fire_id = :fire", {"id": message_id, "fire": fire_id})
    if found is None:
        raise BadPost(
            f"The message was not posted: reply_to {message_id!r} is no message of this fire. campfire_list_messages "
            "shows the id of each; leave reply_to out to answer nobody in particular."
        )
