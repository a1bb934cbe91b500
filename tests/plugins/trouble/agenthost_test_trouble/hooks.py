"""Plugins as objects, each with one hook that fails; they offer a tool that must not be served."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from agenthost import PluginContext, Tool, hookimpl, tool
from pydantic import BaseModel


def one_tool(plugin: PluginContext[Any]) -> list[Tool]:
    """The tool of every plugin here, named after it."""

    @tool(name=f"{plugin.name.replace('-', '_')}_tool")
    async def present() -> str:
        return "served"

    return [present]


def offer(**hooks: Any) -> SimpleNamespace:
    """A plugin that implements these hooks, and `agenthost_tools` in any case."""
    hooks = {"agenthost_tools": one_tool, **hooks}
    return SimpleNamespace(**{name: hookimpl(function) for name, function in hooks.items()})


def fail() -> Any:
    raise RuntimeError("fails on purpose")


def leave() -> Any:
    sys.exit("leaves on purpose")


def interrupt() -> Any:
    raise KeyboardInterrupt("interrupts on purpose")


def block() -> Any:
    threading.Event().wait()


async def answer_later() -> list[Tool]:
    await asyncio.sleep(0)
    return []


def break_off() -> Iterator[Tool]:
    yield Tool("first", lambda: "served")
    raise RuntimeError("breaks off on purpose")


class GreedySettings(BaseModel):
    prefix: str = ""


misspelt_hook = offer(agenthost_toolz=fail)

raises_settings = offer(agenthost_settings=fail)
rubbish_settings = offer(agenthost_settings=lambda: {"names": ["a"]})
greedy_settings = offer(agenthost_settings=lambda: GreedySettings)

raises_tools = offer(agenthost_tools=fail)
exits_tools = offer(agenthost_tools=leave)
interrupts_tools = offer(agenthost_tools=interrupt)
coroutine_tools = offer(agenthost_tools=answer_later)
rubbish_tools = offer(agenthost_tools=lambda: 5)
text_tools = offer(agenthost_tools=lambda: "tools")
breaks_off_tools = offer(agenthost_tools=break_off)
blocks_tools = offer(agenthost_tools=block)

raises_prompts = offer(agenthost_prompts=fail)
rubbish_prompts = offer(agenthost_prompts=lambda: 5)
raises_resources = offer(agenthost_resources=fail)
rubbish_resources = offer(agenthost_resources=lambda: {"note://a": "text"})
raises_instructions = offer(agenthost_instructions=fail)
rubbish_instructions = offer(agenthost_instructions=lambda: ["text"])

raises_lifespan = offer(agenthost_lifespan=fail)
rubbish_lifespan = offer(agenthost_lifespan=lambda: iter(()))

silent = offer(
    agenthost_settings=lambda: None,
    agenthost_tools=lambda: None,
    agenthost_prompts=lambda: None,
    agenthost_resources=lambda: None,
    agenthost_instructions=lambda: None,
    agenthost_lifespan=lambda: None,
)
"""Fine: None is nothing, in every hook."""

some_rubbish = offer(agenthost_tools=lambda plugin: [None, fail, *one_tool(plugin), *one_tool(plugin)])
"""Fine but for some items of its list."""
