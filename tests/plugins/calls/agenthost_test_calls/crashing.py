"""Tools that misbehave, each in one way; the server has to survive all of them.

What a model must never see is in the text `INTERNAL`.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from agenthost import (
    CallContext,
    NotFound,
    Prompt,
    ProtocolError,
    Resource,
    ResourceTemplate,
    Result,
    Tool,
    ToolError,
    hookimpl,
    prompt,
    resource,
    tool,
)

INTERNAL = "internal detail, password 1234"

TOOLS: list[Tool] = []


def bad(function: Callable[..., Any]) -> Callable[..., Any]:
    """Offer a function as a tool of this plugin."""
    TOOLS.append(tool(function))
    return function


class Strange(BaseException):
    """Neither an `Exception` nor one of the interpreter's own."""


# Raising, async and def


@bad
async def raises() -> str:
    raise RuntimeError(INTERNAL)


@bad
def raises_in_thread() -> str:
    raise RuntimeError(INTERNAL)


@bad
async def exits() -> str:
    sys.exit(INTERNAL)


@bad
def exits_in_thread() -> str:
    sys.exit(INTERNAL)


@bad
async def interrupts() -> str:
    raise KeyboardInterrupt(INTERNAL)


@bad
def interrupts_in_thread() -> str:
    raise KeyboardInterrupt(INTERNAL)


@bad
async def raises_strange() -> str:
    raise Strange(INTERNAL)


@bad
def raises_strange_in_thread() -> str:
    raise Strange(INTERNAL)


@bad
async def stops_iteration() -> str:
    raise StopIteration(INTERNAL)


@bad
def stops_iteration_in_thread() -> str:
    raise StopIteration(INTERNAL)


@bad
async def exits_generator() -> str:
    raise GeneratorExit(INTERNAL)


@bad
async def recurses() -> str:
    return await recurses()


@bad
async def raises_group() -> str:
    async with asyncio.TaskGroup() as group:
        group.create_task(raises())


@bad
async def raises_with_surrogate() -> str:
    raise RuntimeError(f"{INTERNAL} \ud800")


@bad
async def raises_unprintable() -> str:
    class Unprintable(Exception):
        def __str__(self) -> str:
            raise RuntimeError(INTERNAL)

    raise Unprintable


# Leaking cancellation


@bad
async def cancels() -> str:
    raise asyncio.CancelledError(INTERNAL)


@bad
def cancels_in_thread() -> str:
    raise asyncio.CancelledError(INTERNAL)


@bad
async def awaits_cancelled_child() -> str:
    child = asyncio.ensure_future(asyncio.Event().wait())
    child.cancel()
    await child
    return "unreachable"


@bad
async def cancels_itself() -> str:
    task = asyncio.current_task()
    assert task is not None
    task.cancel(INTERNAL)
    await asyncio.sleep(0)
    return "unreachable"


@bad
async def cancels_all_tasks() -> str:
    for task in asyncio.all_tasks():
        if "Tool" in task.get_name():
            task.cancel(INTERNAL)
    await asyncio.sleep(0)
    return "unreachable"


# Returning rubbish


@bad
async def returns_object():  # noqa: ANN201  (without a promise, so that the value itself is looked at)
    return object()


@bad
async def returns_none():  # noqa: ANN201
    return None


@bad
async def returns_nan():  # noqa: ANN201
    return {"value": float("nan")}


@bad
async def returns_infinite_number() -> float:
    return float("inf")


@bad
async def returns_bytes():  # noqa: ANN201
    return b"\xff\xfe"


@bad
async def returns_mixed_set():  # noqa: ANN201
    return {object(), "text"}


@bad
async def returns_coroutine():  # noqa: ANN201
    async def inner() -> object:
        return object()

    return [inner]


@bad
async def returns_endless_list():  # noqa: ANN201
    endless: list[Any] = []
    endless.append(endless)
    return endless


@bad
async def returns_other_than_promised() -> dict[str, int]:
    return {"count": INTERNAL}  # type: ignore[dict-item]  (that is the fault)


@bad
async def returns_something_for_nothing() -> None:
    return INTERNAL  # type: ignore[return-value]  (that is the fault)


@bad
async def returns_bad_block():  # noqa: ANN201
    return Result(5)  # type: ignore[arg-type]  (that is the fault)


# Announced errors: no crash


@bad
async def refuses() -> str:
    raise ToolError("Not today.", {"until": "tomorrow"})


@bad
async def refuses_with_surrogate() -> str:
    raise ToolError("Half a character: \ud83d")


@bad
async def fails_the_request() -> str:
    raise ProtocolError(-32050, "The request is at fault.", {"hint": 1})


@bad
async def returns_surrogate() -> str:
    return "Half a character: \ud83d"


# Not ending


@bad
async def never_returns() -> str:
    await asyncio.Event().wait()
    return "unreachable"


@bad
def never_returns_in_thread() -> str:
    threading.Event().wait()
    return "unreachable"


@bad
async def swallows_cancellation() -> str:
    for _ in range(3):
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
    return "unreachable"


@bad
async def blocks_the_loop(seconds: float, ctx: CallContext[Any]) -> str:
    ctx.plugin.log.info("blocks the loop")
    threading.Event().wait(seconds)
    return "blocked"


# Leaving something behind that fails later


@bad
async def leaves_exit_task() -> str:
    async def leave() -> None:
        sys.exit(INTERNAL)

    LEFT_BEHIND.append(asyncio.ensure_future(leave()))
    return "left"


@bad
async def leaves_interrupt_task() -> str:
    async def leave() -> None:
        raise KeyboardInterrupt(INTERNAL)

    LEFT_BEHIND.append(asyncio.ensure_future(leave()))
    return "left"


@bad
async def leaves_exit_callback() -> str:
    asyncio.get_running_loop().call_soon(sys.exit, INTERNAL)
    return "left"


@bad
async def leaves_failing_task() -> str:
    LEFT_BEHIND.append(asyncio.ensure_future(raises()))
    return "left"


@bad
async def leaves_exit_thread() -> str:
    threading.Thread(target=sys.exit, args=(INTERNAL,)).start()
    return "left"


@bad
async def exits_in_task_group() -> str:
    async with asyncio.TaskGroup() as group:
        group.create_task(exits())
    return "unreachable"


@bad
async def stops_the_loop() -> str:
    asyncio.get_running_loop().stop()
    return "left"


# Taking away what the server stands on


@bad
async def closes_descriptors() -> str:
    for descriptor in (0, 1):
        with contextlib.suppress(OSError):
            os.close(descriptor)
    return "left"


@bad
def calls_exit_in_child() -> str:
    subprocess.run([sys.executable, "-c", "import os; os.write(1, b'from a child\\n'); os._exit(3)"], check=False)
    return "left"


@bad
def terminates_forked_child() -> str:
    """Again and again, since the signal may reach the child before its first instruction."""
    for _ in range(20):
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,))
        child.start()
        try:
            child.terminate()
            child.join(1)
            if child.exitcode != -signal.SIGTERM:
                return f"exit code {child.exitcode}"
        finally:
            child.kill()
    return "left"


LEFT_BEHIND: list[Any] = []


# Prompts and resources, which have no error results


@prompt
async def ask_raising() -> str:
    raise RuntimeError(INTERNAL)


@prompt
def ask_exiting() -> str:
    sys.exit(INTERNAL)


@prompt
async def ask_rubbish():  # noqa: ANN201
    return object()


@prompt
async def ask_refused() -> str:
    raise ToolError("Not today.")


@prompt
async def ask(topic: str, tone: str = "kind") -> str:
    """Ask for something."""
    return f"{topic}, {tone}"


@resource("crashing://raises")
async def read_raising() -> str:
    raise RuntimeError(INTERNAL)


@resource("crashing://exits")
def read_exiting() -> str:
    sys.exit(INTERNAL)


@resource("crashing://rubbish")
async def read_rubbish():  # noqa: ANN201
    return object()


@resource("crashing://missing/{part}")
async def read_missing(part: str) -> str:
    raise NotFound(f"There is no {part}.")


@hookimpl
def agenthost_tools() -> list[Tool]:
    return TOOLS


@hookimpl
def agenthost_prompts() -> list[Prompt]:
    return [ask_raising, ask_exiting, ask_rubbish, ask_refused, ask]


@hookimpl
def agenthost_resources() -> list[Resource | ResourceTemplate]:
    return [read_raising, read_exiting, read_rubbish, read_missing]
