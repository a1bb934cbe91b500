"""Plans, sessions, topics and entries as JSON for clients."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agenthost_skillcentral.clock import iso
from agenthost_skillcentral.model import Fault, Skill
from agenthost_skillcentral.shapes import (
    AuditEntry,
    Entry,
    Reference,
    SessionRecord,
    SessionRow,
    Sessions,
    Summary,
    TopicRecord,
    TopicSummary,
)
from agenthost_skillcentral.store import entries, sessions
from agenthost_skillcentral.store.sessions import Session
from agenthost_skillcentral.views import Places, layer_view
from agenthost_skillcentral.workflows.plan import Plan, plan_of

if TYPE_CHECKING:
    from agenthost import Transaction

PLAN_V1 = "skillcentral.dev/workflow-plan/v1"
SESSION_V1 = "skillcentral.dev/session/v1"
TOPIC_V1 = "skillcentral.dev/blackboard-topic/v1"

START, NEXT, PUBLISH, SUMMARIZE = "workflow_start", "workflow_next", "workflow_publish", "workflow_summarize"

MAX_ENTRIES = 200
"""Entries of a topic in one answer; the command `agenthost skillcentral session topic` gives all."""

MAX_SESSIONS = 200


def plan_view(skill: Skill, faults: Iterable[Fault], places: Places) -> dict[str, Any]:
    """The plan of a workflow skill as its file has it now, and what keeps it from being started."""
    plan = plan_of(skill)
    return {
        "schemaVersion": PLAN_V1,
        "workflowId": plan.workflow_id,
        "name": plan.name,
        "description": plan.description,
        "strategy": plan.strategy,
        "source": places.show(skill.source),
        "layer": layer_view(skill.layer, places),
        **{name: skill.extra.get(name, {}) for name in ("activation", "capabilities", "degradation")},
        "topics": _topics(plan),
        "steps": _steps(plan),
        "problems": [{"field": fault.field, "reason": fault.reason} for fault in faults],
        "controlPlane": {
            "tools": [START, NEXT, PUBLISH, SUMMARIZE],
            "startTool": START,
            "nextTool": NEXT,
            "publishTool": PUBLISH,
            "summarizeTool": SUMMARIZE,
        },
        "dataPlaneBoundary": {
            "executesCommands": False,
            "readsProjectFiles": False,
            "writesSkillSource": False,
            "injectsFullSessionHistory": False,
        },
    }


def entry_view(row: Mapping[str, Any]) -> Entry:
    """One entry."""
    entry: Entry = {
        "entryId": row["id"],
        "sessionId": row["session_id"],
        "topic": row["topic"],
        "producer": row["producer"],
        "kind": row["kind"],
        "content": json.loads(row["content"]),
        "refs": _references(row["refs"]),
        "createdAt": iso(row["created_at"]),
    }
    if row["summary"] is not None:
        entry["summary"] = row["summary"]
    return entry


def session_row(session: Session) -> SessionRow:
    """A session in a list."""
    return {
        "sessionId": session.id,
        "workflowId": session.plan.workflow_id,
        "status": session.status,
        "createdAt": iso(session.created_at),
        "updatedAt": iso(session.updated_at),
    }


def list_sessions(tx: Transaction, limit: int = MAX_SESSIONS) -> Sessions:
    """The newest sessions."""
    found: Sessions = {"sessions": [session_row(session) for session in sessions.newest(tx, limit)]}
    if omitted := sessions.count(tx) - len(found["sessions"]):
        found["omitted"] = omitted
    return found


def session_record(tx: Transaction, session_id: str) -> SessionRecord:
    """Everything about a session but its entries.

    Raises:
        UnknownSession: there is none of that id.
    """
    session = sessions.require(tx, session_id)
    plan = session.plan
    return {
        "schemaVersion": SESSION_V1,
        **session_row(session),
        "context": _topics(plan),
        "plan": {
            "name": plan.name,
            "description": plan.description,
            "strategy": plan.strategy,
            "steps": _steps(plan),
        },
        "audit": [_audit_entry(row) for row in sessions.audit(tx, session_id)],
    }


def topic_record(tx: Transaction, session_id: str, topic: str, limit: int = MAX_ENTRIES) -> TopicRecord:
    """A topic of a session, which may be empty still.

    Raises:
        UnknownSession: there is no such session.
        UnknownTopic: its workflow has no such topic.
    """
    sessions.require_topic(sessions.require(tx, session_id), topic)
    rows = entries.newest(tx, session_id, topic, limit)
    record: TopicRecord = {
        "schemaVersion": TOPIC_V1,
        "sessionId": session_id,
        "topic": topic,
        "entries": [entry_view(row) for row in rows],
    }
    if rows:
        record["updatedAt"] = iso(rows[-1]["created_at"])
    if omitted := entries.count(tx, session_id, topic) - len(rows):
        record["omitted"] = omitted
    return record


def summary(tx: Transaction, session_id: str) -> Summary:
    """What was published in a session, in short.

    Raises:
        UnknownSession: there is no such session.
    """
    session = sessions.require(tx, session_id)
    return {
        "sessionId": session.id,
        "workflowId": session.plan.workflow_id,
        "status": session.status,
        "topics": [_topic_summary(row) for row in entries.overview(tx, session_id)],
    }


def _topic_summary(row: Mapping[str, Any]) -> TopicSummary:
    found: TopicSummary = {
        "topic": row["topic"],
        "entries": row["count"],
        "latestRefs": _references(row["refs"]),
    }
    if row["summary"] is not None:
        found["latestSummary"] = row["summary"]
    return found


def _audit_entry(row: Mapping[str, Any]) -> AuditEntry:
    entry: AuditEntry = {
        "timestamp": iso(row["created_at"]),
        "to": row["new_status"],
        "reason": row["reason"],
        "trigger": row["cause"],
    }
    if row["old_status"] is not None:
        entry["from"] = row["old_status"]
    return entry


def _references(text: str) -> list[Reference]:
    uris: Sequence[str] = json.loads(text)
    return [{"uri": uri} for uri in uris]


def _topics(plan: Plan) -> dict[str, list[str]]:
    of_steps = [step.topic for step in plan.steps]
    return {"subscribed": list(plan.subscribed), "published": list(dict.fromkeys([*of_steps, *plan.published]))}


def _steps(plan: Plan) -> list[dict[str, Any]]:
    """The steps in the order of the file; what depends on a step that is not there needs nothing of it."""
    topics = {step.id: step.topic for step in plan.steps}
    return [
        {
            "id": step.id,
            "uses": step.uses,
            **({"agentRole": step.agent_role} if step.agent_role is not None else {}),
            "dependsOn": list(step.depends_on),
            "requiresTopics": list(
                dict.fromkeys([*plan.awaited, *(topics[one] for one in step.depends_on if one in topics)])
            ),
            "publishesTopic": step.topic,
        }
        for step in plan.steps
    ]
