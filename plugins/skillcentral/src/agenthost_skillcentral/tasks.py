"""What to do next in a session: the steps that are ready, as tasks for agents."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import TYPE_CHECKING

from agenthost_skillcentral.addresses import topic_uri
from agenthost_skillcentral.model import Language, Skill, Snapshot
from agenthost_skillcentral.rendering import bodies, render
from agenthost_skillcentral.shapes import Report, Task
from agenthost_skillcentral.store import entries, sessions
from agenthost_skillcentral.store.sessions import Session
from agenthost_skillcentral.workflows.plan import Plan, Step
from agenthost_skillcentral.workflows.progress import Progress

if TYPE_CHECKING:
    from agenthost import Transaction

FindSkill = Callable[[str], Skill | None]
"""Gives the skill that is served under an id now."""


def begin(tx: Transaction, plan: Plan, snapshot: Snapshot, language: Language) -> Report:
    """Make a session for a plan without flaws, and say what is to be done first."""
    session, found = sessions.begin(tx, plan)
    return report(session, found, frozenset(), snapshot.effective, language)


def proceed(tx: Transaction, session_id: str, snapshot: Snapshot, language: Language) -> Report:
    """Say what is to be done now in a session, and put it into the state that follows from that.

    Raises:
        UnknownSession: there is no such session.
        SessionOver: it has failed.
    """
    session, found = sessions.advance(tx, session_id)
    return report(session, found, entries.filled(tx, session_id), snapshot.effective, language)


def report(session: Session, found: Progress, filled: Set[str], skill: FindSkill, language: Language) -> Report:
    """How far a session is, with a task for each step that is ready."""
    return {
        "sessionId": session.id,
        "workflowId": session.plan.workflow_id,
        "status": found.status,
        "readyTasks": [_task(session, step, filled, skill(step.uses), language) for step in found.ready],
        "completedStepIds": list(found.completed),
        "blockedReasons": list(found.reasons),
    }


def _task(session: Session, step: Step, filled: Set[str], skill: Skill | None, language: Language) -> Task:
    topics = session.plan.topics_for(step)
    resources = [topic_uri(session.id, topic) for topic in topics if topic in filled]
    instruction = _instruction(session, step, resources)
    task: Task = {
        "taskId": f"{session.id}:{step.id}",
        "sessionId": session.id,
        "workflowId": session.plan.workflow_id,
        "stepId": step.id,
        "uses": step.uses,
        "instruction": instruction,
        "subscribeTopics": list(topics),
        "publishTo": step.topic,
        "resources": resources,
        "promptBundle": {
            "role": "user",
            "text": f"{instruction}\n\n{_skill_text(step.uses, skill, language)}",
            "resourceUris": resources,
        },
    }
    if step.agent_role is not None:
        task["agentRole"] = step.agent_role
    return task


def _instruction(session: Session, step: Step, resources: list[str]) -> str:
    role = f" as {step.agent_role}" if step.agent_role else ""
    read = f" First read {', '.join(resources)}." if resources else ""
    return (
        f'Do step "{step.id}" of the workflow "{session.plan.workflow_id}"{role}, with the skill "{step.uses}".{read} '
        f'Then call workflow_publish with sessionId "{session.id}", topic "{step.topic}" and your result as content, '
        "and workflow_next for what comes after it."
    )


def _skill_text(skill_id: str, skill: Skill | None, language: Language) -> str:
    """What the skill says; its placeholders stay, since nobody has filled them in."""
    if skill is None:
        return f'The skill "{skill_id}" is not served any more; do the step as its name and the workflow suggest.'
    if skill.type == "tool":
        return f'The skill is the tool "{skill_id}": call it, and do what it answers.'
    if skill.type == "workflow":
        return f'The skill is itself a workflow: workflow_start with workflowId "{skill_id}" begins it.'
    if bodies(skill, language) == (None, None):
        return f"The skill says of itself: {skill.described}"
    return f"The skill says:\n\n{render(skill, {}, language)}"
