"""Tools that tell about the process and about their call: order, folder, context, progress, threads."""

from __future__ import annotations

import asyncio
import stat
import sys
import threading
from pathlib import Path
from typing import Any

from agenthost import CallContext, PluginContext, Tool, hookimpl, tool
from pydantic import BaseModel

arrived: list[int] = []
open_gates: dict[str, threading.Event] = {}


class Settings(BaseModel):
    """Nothing that matters; a file that may be named."""

    file: Path | None = None
    note: str = ""
    number: int = 0


@hookimpl
def agenthost_settings() -> type[Settings]:
    return Settings


@tool
async def modules(start: str) -> dict[str, list[str]]:
    """Imported modules whose names begin so."""
    return {"names": sorted(name for name in sys.modules if name.startswith(start))}


@tool
async def settings(ctx: CallContext[Settings]) -> dict[str, Any]:
    """The plugin's settings and folders."""
    return {
        **ctx.settings.model_dump(mode="json"),
        "base_dir": str(ctx.plugin.base_dir),
        "same": ctx.settings is ctx.plugin.settings,
    }


@tool
async def state_dir(ctx: CallContext[Settings]) -> dict[str, str]:
    """The plugin's own folder and its mode."""
    folder = ctx.plugin.state_dir
    return {"folder": str(folder), "mode": oct(stat.S_IMODE(folder.stat().st_mode))}


@tool
async def context(ctx: CallContext[Settings]) -> dict[str, Any]:
    """What the call knows of its caller."""
    return {
        "principal": ctx.caller.principal,
        "client": ctx.caller.client,
        "version": ctx.protocol_version,
        "capabilities": dict(ctx.client_capabilities),
    }


@tool
async def arrive(number: int) -> str:
    """Note the order of arrival, on the loop."""
    arrived.append(number)
    await asyncio.sleep(0)
    return str(number)


@tool
def arrive_in_thread(number: int) -> str:
    """Note the order of arrival, in a thread."""
    arrived.append(number)
    return str(number)


@tool
async def forget() -> dict[str, list[int]]:
    """The order of arrival so far, which is then forgotten."""
    order = list(arrived)
    arrived.clear()
    return {"order": order}


@tool
async def report(steps: int, ctx: CallContext[Settings]) -> str:
    """Report progress and log, on the loop."""
    for step in range(1, steps + 1):
        ctx.progress(step, steps, f"step {step}")
        ctx.log("info", f"line {step}")
    return "done"


@tool
def report_from_thread(steps: int, ctx: CallContext[Settings]) -> str:
    """Report progress and log, from a thread."""
    for step in range(1, steps + 1):
        ctx.progress(step, steps, f"step {step}")
        ctx.log("info", f"line {step}")
    return "done"


@tool
def hold(gate: str, ctx: CallContext[Settings]) -> str:
    """Keep a thread until `release` opens the gate."""
    opened = open_gates.setdefault(gate, threading.Event())
    ctx.plugin.log.info("holding %s", gate)
    opened.wait(60)
    return "released"


@tool
async def hold_async(gate: str, ctx: CallContext[Settings]) -> str:
    """Wait on the loop until `release` opens the gate; tells that it begins, and says so when it is cancelled."""
    opened = open_gates.setdefault(gate, threading.Event())
    ctx.plugin.log.info("holding %s", gate)
    ctx.progress(0, 1, "holding")
    try:
        while not opened.is_set():
            await asyncio.sleep(0.005)
    except asyncio.CancelledError:
        ctx.plugin.log.info("cancelled while holding %s", gate)
        raise
    return "released"


@tool
async def release(gate: str) -> str:
    """Open a gate."""
    open_gates.setdefault(gate, threading.Event()).set()
    return "opened"


@hookimpl
def agenthost_tools(plugin: PluginContext[Settings]) -> list[Tool]:
    plugin.log.info("loaded")
    return [value for value in globals().values() if isinstance(value, Tool)]
