from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from agenthost import Tool, hookimpl, tool
from pydantic import Field

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

votes: Counter[str] = Counter()


@tool
def tally_vote(choice: Annotated[str, Field(description="What the vote is for.")]) -> str:
    """Vote for something; people see the votes in their browser."""
    votes[choice] += 1
    return f"{choice} has {votes[choice]} so far."


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [tally_vote]


@hookimpl
def agenthost_routes() -> list[BaseRoute]:
    from starlette.responses import PlainTextResponse  # here, since a server on stdio needs none of it
    from starlette.routing import Route

    async def show(request: Request) -> Response:
        return PlainTextResponse("\n".join(f"{number} {choice}" for choice, number in votes.most_common()))

    return [Route("/", show)]
