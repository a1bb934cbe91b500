"""Makes ending hard: calls that do not return, threads and children that stay, clean-up that takes for ever.

Everything says on stderr when it has begun, so that a test can end the process at exactly that point.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from agenthost import CallContext, PluginContext, Tool, hookimpl, tool
from pydantic import BaseModel


class Settings(BaseModel):
    """How clean-up goes."""

    leave_slowly: bool = False


@hookimpl
def agenthost_settings() -> type[Settings]:
    return Settings


@tool
async def wait_on_loop(ctx: CallContext[Settings]) -> str:
    """Wait for ever on the loop; says so when it is cancelled."""
    ctx.plugin.log.info("wait_on_loop has begun")
    try:
        await asyncio.Event().wait()
    finally:
        ctx.plugin.log.info("wait_on_loop was cancelled")
    return "unreachable"


@tool
async def ignore_cancellation(ctx: CallContext[Settings]) -> str:
    """Wait for ever on the loop, whatever happens."""
    ctx.plugin.log.info("ignore_cancellation has begun")
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            ctx.plugin.log.info("cancellation ignored")


@tool
def wait_in_thread(ctx: CallContext[Settings]) -> str:
    """Wait for ever in a thread."""
    ctx.plugin.log.info("wait_in_thread has begun")
    threading.Event().wait()
    return "unreachable"


@tool
async def block_loop(ctx: CallContext[Settings]) -> str:
    """Block the loop for ever."""
    ctx.plugin.log.info("block_loop has begun")
    threading.Event().wait()
    return "unreachable"


@tool
async def leave_thread(ctx: CallContext[Settings]) -> str:
    """Leave a thread behind that would keep the interpreter alive."""
    threading.Thread(target=threading.Event().wait, daemon=False).start()
    ctx.plugin.log.info("leave_thread has begun")
    return "left"


@tool
async def leave_child(ctx: CallContext[Settings], deaf: bool = False) -> dict[str, int]:
    """Leave a child process behind; a deaf one ignores SIGTERM."""
    script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN if {} else signal.SIG_DFL); "
    script += "print('up', flush=True); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", script.format(deaf)], stdout=subprocess.PIPE)  # noqa: ASYNC220
    assert child.stdout is not None
    child.stdout.readline()
    CHILDREN.append(child)
    ctx.plugin.log.info("leave_child has begun")
    return {"pid": child.pid}


@tool
def leave_forked_child(ctx: CallContext[Settings]) -> dict[str, int]:
    """Leave a child behind that is a fork of the server."""
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,), daemon=True)
    child.start()
    assert child.pid is not None
    CHILDREN.append(child)
    ctx.plugin.log.info("leave_forked_child has begun")
    return {"pid": child.pid}


CHILDREN: list[Any] = []


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [
        wait_on_loop,
        ignore_cancellation,
        wait_in_thread,
        block_loop,
        leave_thread,
        leave_child,
        leave_forked_child,
    ]


@hookimpl
def agenthost_lifespan(plugin: PluginContext[Settings]) -> Any:
    return _live(plugin)


@asynccontextmanager
async def _live(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    yield
    plugin.log.info("leaving")
    if plugin.settings.leave_slowly:
        await asyncio.Event().wait()
    plugin.log.info("left")
