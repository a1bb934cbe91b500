"""An extension of a plugin that fails when it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from agenthost import Extension, hookimpl

END = asyncio.Event()


async def die(params: dict[str, Any], ctx: Any) -> dict[str, Any]:
    END.set()
    return {}


@hookimpl
def agenthost_extensions() -> list[Extension]:
    return [Extension("org.example/dying", {}, {"dying/die": die})]


@hookimpl
def agenthost_lifespan() -> AbstractAsyncContextManager[None]:
    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async def watch() -> None:
            await END.wait()
            raise RuntimeError("told to")

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(watch())
            yield

    return lifespan()
