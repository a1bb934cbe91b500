"""What answers about workflows look like: the structured content of tools, and the JSON of resources."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from agenthost_skillcentral.workflows.progress import ProgressStatus
from agenthost_skillcentral.workflows.status import Status


class PromptBundle(TypedDict):
    """What to tell the agent that does a task, and what it should read."""

    role: str
    text: str
    resourceUris: list[str]


class Task(TypedDict):
    """A step that can be done now."""

    taskId: str
    sessionId: str
    workflowId: str
    stepId: str
    uses: str
    agentRole: NotRequired[str]
    instruction: str
    subscribeTopics: list[str]
    publishTo: str
    resources: list[str]
    promptBundle: PromptBundle


class Report(TypedDict):
    """How far a session is."""

    sessionId: str
    workflowId: str
    status: ProgressStatus
    readyTasks: list[Task]
    completedStepIds: list[str]
    blockedReasons: list[str]


class Started(TypedDict):
    """A new session."""

    sessionId: str
    report: Report


class Reference(TypedDict):
    """An address that belongs to an entry."""

    uri: str


class Entry(TypedDict):
    """Something that was published; `content` is any JSON value, exactly as it was given."""

    entryId: str
    sessionId: str
    topic: str
    producer: str
    kind: str
    content: Any
    summary: NotRequired[str]
    refs: list[Reference]
    createdAt: str


class TopicRecord(TypedDict):
    """A topic and its newest entries, the oldest first; `omitted` counts those before."""

    schemaVersion: str
    sessionId: str
    topic: str
    updatedAt: NotRequired[str]
    entries: list[Entry]
    omitted: NotRequired[int]


class TopicSummary(TypedDict):
    """A topic in short: how many entries, and what the newest says of itself."""

    topic: str
    entries: int
    latestSummary: NotRequired[str]
    latestRefs: list[Reference]


class Summary(TypedDict):
    """What was published in a session."""

    sessionId: str
    workflowId: str
    status: Status
    topics: list[TopicSummary]


class SessionRow(TypedDict):
    """A session in a list."""

    sessionId: str
    workflowId: str
    status: Status
    createdAt: str
    updatedAt: str


class Sessions(TypedDict):
    """Sessions, the newest first; `omitted` counts the older ones."""

    sessions: list[SessionRow]
    omitted: NotRequired[int]


AuditEntry = TypedDict(
    "AuditEntry", {"timestamp": str, "from": NotRequired[Status], "to": Status, "reason": str, "trigger": str}
)
"""A change of a session's state; the first one comes from none."""


class SessionRecord(SessionRow):
    """Everything about a session but its entries: the plan it keeps, and how its state came about."""

    schemaVersion: str
    context: dict[str, list[str]]
    plan: dict[str, Any]
    audit: list[AuditEntry]
