"""The addresses of what workflows have to do with; those of sessions are also the topics of changes in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from agenthost import Transaction

PLAN = "skill://workflow/{id}/plan"
SESSIONS = "skill://session"
SESSION = "skill://session/{sessionId}/context"
TOPIC = "skill://session/{sessionId}/topic/{topic}"


def plan_uri(workflow_id: str) -> str:
    """Where the plan of a workflow is."""
    return PLAN.replace("{id}", quote(workflow_id, safe=""))


def session_uri(session_id: str) -> str:
    """Where the record of a session is."""
    return SESSION.replace("{sessionId}", quote(session_id, safe=""))


def topic_uri(session_id: str, topic: str) -> str:
    """Where a topic of a session is."""
    return TOPIC.replace("{sessionId}", quote(session_id, safe="")).replace("{topic}", quote(topic, safe=""))


def tell_of_session(tx: Transaction, session_id: str) -> None:
    """Something about a session has changed, and so the list of them."""
    for uri in (SESSIONS, session_uri(session_id)):
        tx.changed(uri)
