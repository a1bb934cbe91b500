"""Sessions: a workflow that was started, the plan it started with, and how its state came about."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agenthost import ToolError

from agenthost_skillcentral.addresses import tell_of_session
from agenthost_skillcentral.clock import now_ms
from agenthost_skillcentral.store import entries
from agenthost_skillcentral.workflows.plan import Plan, members_of, read_plan
from agenthost_skillcentral.workflows.progress import Progress, progress
from agenthost_skillcentral.workflows.publishing import Draft, shown
from agenthost_skillcentral.workflows.status import FOLLOWING, OF_PROGRESS, Status, is_over

if TYPE_CHECKING:
    from agenthost import Transaction


class UnknownSession(ToolError):
    """There is no such session."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(
            f"sessionId: there is no session {shown(session_id)}. workflow_start begins one and gives its sessionId; "
            "the resource skill://session lists all."
        )


class SessionOver(ToolError):
    """The session is completed or failed; nothing more happens in it."""

    def __init__(self, session_id: str, status: Status, reason: str) -> None:
        super().__init__(
            f"sessionId: the session {session_id} is over, {status} ({reason}), and stays as it is. workflow_summarize "
            "tells what came out; workflow_start begins a new session."
        )


class UnknownTopic(ToolError):
    """The session's workflow has no such topic."""

    def __init__(self, plan: Plan, topic: str) -> None:
        super().__init__(
            f"topic: the workflow {shown(plan.workflow_id)} has no topic {shown(topic)}. It has: "
            f"{', '.join(plan.topics)}."
        )


@dataclass(frozen=True, slots=True)
class Session:
    """A session as it is now; times in milliseconds."""

    id: str
    plan: Plan
    status: Status
    created_at: int
    updated_at: int


def begin(tx: Transaction, plan: Plan) -> tuple[Session, Progress]:
    """Make a session for a plan without flaws, and how far it is: nothing is published yet."""
    session_id, now = f"session-{uuid.uuid4()}", now_ms()
    tx.execute(
        "INSERT INTO sessions (id, number, last_seq, workflow_id, plan, status, created_at, updated_at) "
        "VALUES (:id, (SELECT COALESCE(MAX(number), 0) + 1 FROM sessions), 0, :workflow, :plan, 'created', :now, :now)",
        {
            "id": session_id,
            "workflow": plan.workflow_id,
            "plan": json.dumps(members_of(plan), ensure_ascii=False),
            "now": now,
        },
    )
    _record(tx, session_id, None, "created", "the workflow was started", "workflow.start")
    return advance(tx, session_id, "workflow.start")


def advance(tx: Transaction, session_id: str, cause: str = "workflow.next") -> tuple[Session, Progress]:
    """See how far a session is, and put it into the state that follows from it.

    Raises:
        UnknownSession: there is no such session.
        SessionOver: it has failed.
    """
    session = require(tx, session_id)
    if session.status == "failed":
        raise _over(tx, session)
    found = progress(session.plan, entries.filled(tx, session_id))
    status = OF_PROGRESS[found.status]
    if status != session.status and not is_over(session.status):
        _move(tx, session, status, _reason(found), cause)
        session = require(tx, session_id)
    return session, found


def publish(tx: Transaction, session_id: str, draft: Draft) -> Mapping[str, Any]:
    """Add an entry to a topic of a session; returns its row.

    Raises:
        UnknownSession: there is no such session.
        SessionOver: it is completed or has failed.
        UnknownTopic: its workflow has no such topic.
    """
    session = require(tx, session_id)
    if is_over(session.status):
        raise _over(tx, session)
    require_topic(session, draft.topic)
    return entries.add(tx, session_id, next_seq(tx, session_id), draft)


def give_up(tx: Transaction, session_id: str, reason: str) -> Session:
    """Let a session fail, which nothing but a person's word does.

    Raises:
        UnknownSession: there is no such session.
        SessionOver: it is completed, or has failed before.
    """
    session = require(tx, session_id)
    if is_over(session.status):
        raise _over(tx, session)
    _move(tx, session, "failed", reason, "session.status")
    return require(tx, session_id)


def find(tx: Transaction, session_id: str) -> Session | None:
    """The session of an id; None if there is none."""
    row = tx.one("SELECT * FROM sessions WHERE id = :id", {"id": session_id})
    return None if row is None else _session(row)


def require(tx: Transaction, session_id: str) -> Session:
    """The session of an id.

    Raises:
        UnknownSession: there is none.
    """
    session = find(tx, session_id)
    if session is None:
        raise UnknownSession(session_id)
    return session


def require_topic(session: Session, topic: str) -> None:
    """A topic has to be one of the session's workflow.

    Raises:
        UnknownTopic: it is none.
    """
    if topic not in session.plan.topics:
        raise UnknownTopic(session.plan, topic)


def newest(tx: Transaction, limit: int) -> list[Session]:
    """The sessions that were made last, the newest first."""
    rows = tx.all("SELECT * FROM sessions ORDER BY number DESC LIMIT :limit", {"limit": limit})
    return [_session(row) for row in rows]


def count(tx: Transaction) -> int:
    """How many sessions there are."""
    row = tx.one("SELECT COUNT(*) AS count FROM sessions")
    assert row is not None
    return int(row["count"])


def audit(tx: Transaction, session_id: str) -> list[Mapping[str, Any]]:
    """How the state of a session came about: one row for each change, the oldest first."""
    return tx.all("SELECT * FROM audit WHERE session_id = :id ORDER BY seq", {"id": session_id})


def next_seq(tx: Transaction, session_id: str) -> int:
    """Take the next number of a session that is there: every entry and every change of its state has one."""
    row = tx.one(
        "UPDATE sessions SET last_seq = last_seq + 1, updated_at = :now WHERE id = :id RETURNING last_seq",
        {"id": session_id, "now": now_ms()},
    )
    assert row is not None
    tell_of_session(tx, session_id)
    return int(row["last_seq"])


def _move(tx: Transaction, session: Session, status: Status, reason: str, cause: str) -> None:
    assert status in FOLLOWING[session.status], f"{session.status} -> {status}"
    _record(tx, session.id, session.status, status, reason, cause)
    tx.execute("UPDATE sessions SET status = :status WHERE id = :id", {"status": status, "id": session.id})


def _record(tx: Transaction, session_id: str, old: Status | None, new: Status, reason: str, cause: str) -> None:
    tx.execute(
        "INSERT INTO audit (session_id, seq, old_status, new_status, reason, cause, created_at) "
        "VALUES (:session, :seq, :old, :new, :reason, :cause, :now)",
        {
            "session": session_id,
            "seq": next_seq(tx, session_id),
            "old": old,
            "new": new,
            "reason": reason,
            "cause": cause,
            "now": now_ms(),
        },
    )


def _reason(found: Progress) -> str:
    if found.ready:
        return f"ready: {', '.join(step.id for step in found.ready)}"
    return " ".join(found.reasons) or "all steps are completed"


def _over(tx: Transaction, session: Session) -> SessionOver:
    return SessionOver(session.id, session.status, audit(tx, session.id)[-1]["reason"])


def _session(row: Mapping[str, Any]) -> Session:
    plan = read_plan(json.loads(row["plan"]))
    return Session(row["id"], plan, row["status"], row["created_at"], row["updated_at"])
