"""The tools that take agents through a workflow: arguments checked, the store asked, what is next handed out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from agenthost import CallContext, Tool, tool
from pydantic import Field

from agenthost_skillcentral import tasks
from agenthost_skillcentral import workflow_views as views
from agenthost_skillcentral.model import Language, Snapshot
from agenthost_skillcentral.shapes import Entry, Report, Started, Summary
from agenthost_skillcentral.starting import startable
from agenthost_skillcentral.store import sessions
from agenthost_skillcentral.workflows.publishing import KIND, PRODUCER, draft

READS = {"readOnlyHint": True, "openWorldHint": False}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
GOES_ON = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}

SessionId = Annotated[str, Field(alias="sessionId", description="The session, as workflow_start gave it.")]


def workflow_tools(look: Callable[[], Snapshot], language: Language) -> list[Tool]:
    """The four tools; `look` gives what the library holds at this moment."""

    @tool(
        name=views.START,
        aliases=("workflow.start",),
        annotations=ADDS,
        description=(
            "Begin a workflow: a skill with several steps, done by one agent or by several. Gives a sessionId and the "
            "tasks that are ready, each with the text of its skill. Nothing is executed here: do the tasks, hand in "
            "each result with workflow_publish, then call workflow_next. skill://workflow/{id}/plan shows a plan."
        ),
    )
    async def start(
        ctx: CallContext[Any],
        workflow_id: Annotated[str, Field(alias="workflowId", description="The id of a skill of the type workflow.")],
    ) -> Started:
        plan = startable(look(), workflow_id)
        found = await ctx.store.write(tasks.begin, plan, look(), language)
        return {"sessionId": found["sessionId"], "report": found}

    @tool(
        name=views.NEXT,
        aliases=("workflow.next",),
        annotations=GOES_ON,
        description=(
            "Ask how far a session is and what is to be done now: the tasks that are ready, the steps that are "
            "completed, and why others have to wait. A step is completed when its topic has an entry and the steps "
            "before it are completed. Call it after each workflow_publish; when all is completed, workflow_summarize."
        ),
    )
    async def proceed(ctx: CallContext[Any], session_id: SessionId) -> Report:
        return await ctx.store.write(tasks.proceed, session_id, look(), language)

    @tool(
        name=views.PUBLISH,
        aliases=("workflow.publish",),
        annotations=ADDS,
        description=(
            "Hand in the result of a task, or anything else that a workflow's topics are for. It is added to the topic "
            "and nothing is replaced; content is kept exactly as given. Others read it at "
            "skill://session/{sessionId}/topic/{topic}. Next: workflow_next."
        ),
    )
    async def publish(
        ctx: CallContext[Any],
        session_id: SessionId,
        topic: Annotated[str, Field(description="The topic, as publishTo of the task says.")],
        content: Annotated[Any, Field(description="The result: a text or any other JSON value, at most 256 KiB.")],
        producer: Annotated[str | None, Field(description=f"Who made it; {PRODUCER} if left out.")] = None,
        kind: Annotated[str | None, Field(description=f"What it is; {KIND} if left out.")] = None,
        summary: Annotated[str | None, Field(description="The result in one or two sentences.")] = None,
        refs: Annotated[str | None, Field(description="Addresses that belong to it, separated by commas.")] = None,
    ) -> Entry:
        wanted = draft(topic, content, producer, kind, summary, refs)
        return views.entry_view(await ctx.store.write(sessions.publish, session_id, wanted))

    @tool(
        name=views.SUMMARIZE,
        aliases=("workflow.summarize",),
        annotations=READS,
        description=(
            "Look back at a session: its state, and for each topic how many entries it has and what the newest says in "
            "short. The entries themselves are at skill://session/{sessionId}/topic/{topic}."
        ),
    )
    async def summarize(ctx: CallContext[Any], session_id: SessionId) -> Summary:
        return await ctx.store.read(views.summary, session_id)

    return [start, proceed, publish, summarize]
