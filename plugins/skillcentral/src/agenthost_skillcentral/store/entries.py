"""Entries: what was published to the topics of sessions; nothing of it is ever changed."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agenthost_skillcentral.addresses import topic_uri
from agenthost_skillcentral.clock import now_ms
from agenthost_skillcentral.workflows.publishing import Draft

if TYPE_CHECKING:
    from agenthost import Transaction


def add(tx: Transaction, session_id: str, seq: int, draft: Draft) -> Mapping[str, Any]:
    """Add one, and tell those who follow the topic; returns its row."""
    tx.changed(topic_uri(session_id, draft.topic))
    row = tx.one(
        "INSERT INTO entries (session_id, seq, id, topic, producer, kind, content, summary, refs, created_at) "
        "VALUES (:session, :seq, :id, :topic, :producer, :kind, :content, :summary, :refs, :now) RETURNING *",
        {
            "session": session_id,
            "seq": seq,
            "id": f"entry-{uuid.uuid4()}",
            "topic": draft.topic,
            "producer": draft.producer,
            "kind": draft.kind,
            "content": draft.content,
            "summary": draft.summary,
            "refs": json.dumps(draft.refs, ensure_ascii=False),
            "now": now_ms(),
        },
    )
    assert row is not None
    return row


def filled(tx: Transaction, session_id: str) -> frozenset[str]:
    """The topics of a session that have entries."""
    rows = tx.all("SELECT DISTINCT topic FROM entries WHERE session_id = :session", {"session": session_id})
    return frozenset(row["topic"] for row in rows)


def newest(tx: Transaction, session_id: str, topic: str, limit: int) -> list[Mapping[str, Any]]:
    """The rows of the entries that were published last to a topic, the oldest of them first."""
    rows = tx.all(
        "SELECT * FROM entries WHERE session_id = :session AND topic = :topic ORDER BY seq DESC LIMIT :limit",
        {"session": session_id, "topic": topic, "limit": limit},
    )
    return rows[::-1]


def count(tx: Transaction, session_id: str, topic: str) -> int:
    """How many entries a topic has."""
    row = tx.one(
        "SELECT COUNT(*) AS count FROM entries WHERE session_id = :session AND topic = :topic",
        {"session": session_id, "topic": topic},
    )
    assert row is not None
    return int(row["count"])


def overview(tx: Transaction, session_id: str) -> list[Mapping[str, Any]]:
    """Of each topic with entries, their number, and summary and addresses of the newest; the oldest topic first."""
    return tx.all(
        "SELECT topics.topic, topics.count, entries.summary, entries.refs FROM "
        "(SELECT topic, COUNT(*) AS count, MIN(seq) AS first, MAX(seq) AS last FROM entries "
        "WHERE session_id = :session GROUP BY topic) AS topics "
        "JOIN entries ON entries.session_id = :session AND entries.seq = topics.last ORDER BY topics.first",
        {"session": session_id},
    )
