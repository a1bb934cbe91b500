"""A plugin that starts when it is told to, and dies when it is told to: by files in the working directory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from agenthost import hookimpl
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route


async def answer(request: Request) -> Response:
    return JSONResponse({"answered": True})


async def until(name: str) -> None:
    while not await asyncio.to_thread(Path(name).exists):
        await asyncio.sleep(0.02)


async def die() -> None:
    await until("die")
    raise RuntimeError("told to die")


@asynccontextmanager
async def living() -> AsyncIterator[None]:
    await until("start")
    async with asyncio.TaskGroup() as group:
        dying = group.create_task(die())
        yield
        dying.cancel()


@hookimpl
def agenthost_lifespan() -> AbstractAsyncContextManager[None]:
    return living()


@hookimpl
def agenthost_routes() -> list[BaseRoute]:
    return [Route("/", answer)]
