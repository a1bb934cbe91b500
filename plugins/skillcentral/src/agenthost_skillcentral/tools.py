"""Tool skills as tools: advertised with their whole schema, checked against all of it."""

from __future__ import annotations

from typing import Any

from agenthost import CallContext, Tool, ToolError

from agenthost_skillcentral.checking import check
from agenthost_skillcentral.model import Language, Skill, Snapshot
from agenthost_skillcentral.prompts import explain_absence
from agenthost_skillcentral.rendering import render


def skill_tool(skill: Skill, language: Language) -> Tool:
    """The tool that a tool skill is: it answers with its text, and does nothing else."""
    schema = skill.input_schema or {"type": "object"}

    async def call(arguments: dict[str, Any], _ctx: CallContext[Any]) -> str:
        checked = check(schema, arguments)
        if checked.faults:
            raise ToolError("\n".join(checked.faults))
        return render(skill, checked.arguments, language)

    hints = {"readOnlyHint": True, "openWorldHint": False}
    return Tool(skill.id, call, skill.described, input_schema=schema, annotations=hints)


def explain_unknown_tool(snapshot: Snapshot, name: str) -> str | None:
    """Why there is no tool of that name; None if skillcentral does not know the name either."""
    absence = explain_absence(snapshot, name, "tool")
    return f"Unknown tool: {name}{absence}" if absence else None
