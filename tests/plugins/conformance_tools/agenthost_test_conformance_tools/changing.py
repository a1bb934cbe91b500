"""Tools that change what the plugin offers while it is served."""

from __future__ import annotations

from typing import Any

from agenthost import CallContext, Prompt, tool


@tool
async def test_passing_tool() -> str:
    """Be there for a while."""
    return "Still here."


def _ask(arguments: dict[str, str], ctx: CallContext[Any]) -> str:
    return "Still here."


PASSING_PROMPT = Prompt("test_passing_prompt", _ask, "Be there for a while.", arguments=())


@tool
async def test_trigger_tool_change(ctx: CallContext[Any]) -> str:
    """Add a tool, or take it away if it is there."""
    if ctx.plugin.tools.get(test_passing_tool.name):
        ctx.plugin.tools.remove(test_passing_tool.name)
        return "One tool less."
    ctx.plugin.tools.add(test_passing_tool)
    return "One tool more."


@tool
async def test_trigger_prompt_change(ctx: CallContext[Any]) -> str:
    """Add a prompt, or take it away if it is there."""
    if ctx.plugin.prompts.get(PASSING_PROMPT.name):
        ctx.plugin.prompts.remove(PASSING_PROMPT.name)
        return "One prompt less."
    ctx.plugin.prompts.add(PASSING_PROMPT)
    return "One prompt more."


TOOLS = (test_trigger_tool_change, test_trigger_prompt_change)
