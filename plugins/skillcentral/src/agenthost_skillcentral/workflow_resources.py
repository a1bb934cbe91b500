"""Plans, sessions and topics as resources, to read and to subscribe to; reading changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from agenthost import CallContext, NotFound, Resource, ResourceTemplate, Store, ToolError
from pydantic import Field

from agenthost_skillcentral import addresses
from agenthost_skillcentral import workflow_views as views
from agenthost_skillcentral.model import Skill, Snapshot
from agenthost_skillcentral.prompts import explain_absence
from agenthost_skillcentral.store import sessions
from agenthost_skillcentral.workflows.flaws import faults_of, usable_in

if TYPE_CHECKING:
    from agenthost_skillcentral.views import Places

    Look = Callable[[], tuple[Snapshot, Places]]

R = TypeVar("R")

JSON = "application/json"

LISTED = 200
"""Plans that have an entry of their own in the list; the template has all."""

MAX_PROPOSED = 1000
"""Sessions among which completions are looked for."""

SessionId = Annotated[str, Field(alias="sessionId")]


def workflow_resources(look: Look) -> list[Resource | ResourceTemplate]:
    """The list of sessions, and the templates behind which plans, sessions and topics are."""

    def plan(workflow_id: Annotated[str, Field(alias="id")]) -> str:
        return read_plan(*look(), workflow_id)

    async def listed(ctx: CallContext[Any]) -> str:
        return _json(await ctx.store.read(views.list_sessions))

    async def session(ctx: CallContext[Any], session_id: SessionId) -> str:
        return _json(await _found(ctx.store, views.session_record, session_id))

    async def topic(ctx: CallContext[Any], session_id: SessionId, topic: str) -> str:
        return _json(await _found(ctx.store, views.topic_record, session_id, topic))

    def complete_plan(value: str, _arguments: Mapping[str, str], _ctx: CallContext[Any]) -> list[str]:
        return _proposed([skill.id for skill in look()[0].workflows], value)

    return [
        Resource(
            addresses.SESSIONS,
            listed,
            "workflow_sessions",
            "The sessions of workflows, the newest first, and the state of each.",
            mime_type=JSON,
        ),
        ResourceTemplate(
            addresses.PLAN,
            plan,
            "workflow_plan",
            "The plan of a workflow: its steps, what each waits for, its topics, and what is wrong with it.",
            mime_type=JSON,
            complete={"id": complete_plan},
        ),
        ResourceTemplate(
            addresses.SESSION,
            session,
            "workflow_session",
            "A session: the plan it started with, its state, and how that came about.",
            mime_type=JSON,
            complete={"sessionId": complete_session},
        ),
        ResourceTemplate(
            addresses.TOPIC,
            topic,
            "workflow_topic",
            "What was published to a topic of a session: the newest 200 entries.",
            mime_type=JSON,
            complete={"sessionId": complete_session, "topic": complete_topic},
        ),
    ]


def plan_resource(skill: Skill, look: Look) -> Resource:
    """A plan's own entry in the list."""
    workflow_id = skill.id

    def read() -> str:
        return read_plan(*look(), workflow_id)

    return Resource(
        addresses.plan_uri(workflow_id),
        read,
        f"{workflow_id} (plan)",
        f"The plan of a workflow. {skill.described}",
        title=f"{skill.name}: plan",
        mime_type=JSON,
        annotations={"audience": ["assistant"], "priority": 0.7},
    )


def listed_plans(snapshot: Snapshot) -> tuple[Skill, ...]:
    """The workflows whose plan has an entry of its own: those that weigh most."""
    return snapshot.workflows[-LISTED:]


def read_plan(snapshot: Snapshot, places: Places, workflow_id: str) -> str:
    """The plan of a workflow, as JSON.

    Raises:
        NotFound: there is no such workflow.
    """
    skill = snapshot.effective(workflow_id)
    if skill is None or skill.type != "workflow":
        raise NotFound(f"Unknown workflow: {workflow_id}{explain_absence(snapshot, workflow_id, 'workflow')}")
    faults = faults_of(skill, usable_in(snapshot.records, snapshot.elsewhere))
    return _json(views.plan_view(skill, faults, places))


async def complete_session(value: str, _arguments: Mapping[str, str], ctx: CallContext[Any]) -> list[str]:
    """Sessions whose id holds what was typed, the newest first."""
    found = await ctx.store.read(sessions.newest, MAX_PROPOSED)
    return _proposed([session.id for session in found], value)


async def complete_topic(value: str, arguments: Mapping[str, str], ctx: CallContext[Any]) -> list[str]:
    """The topics of the session given."""
    session = await ctx.store.read(sessions.find, arguments.get("sessionId", "").strip())
    return _proposed(session.plan.topics, value) if session is not None else []


async def _found(store: Store, read: Callable[..., R], *arguments: str) -> R:
    """What an address leads to: what a tool would refuse is not there."""
    try:
        return await store.read(read, *arguments)
    except ToolError as error:
        raise NotFound(str(error)) from None


def _proposed(names: list[str] | tuple[str, ...], value: str) -> list[str]:
    """The names that hold what was typed, those that begin with it first."""
    typed = value.strip().casefold()
    found = [name for name in names if typed in name.casefold()]
    return sorted(found, key=lambda name: not name.casefold().startswith(typed))


def _json(view: Any) -> str:
    return json.dumps(view, ensure_ascii=False, indent=2)
