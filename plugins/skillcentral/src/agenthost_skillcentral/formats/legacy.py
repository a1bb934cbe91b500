"""The first format of skill files: no `schemaVersion`, prompts and tools only, lenient where that loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agenthost_skillcentral.formats.members import (
    applies_to,
    arguments_of,
    description_of,
    input_schema,
    is_text,
    need_text,
    texts,
)
from agenthost_skillcentral.formats.problems import Problems, shown
from agenthost_skillcentral.identifiers import refusal
from agenthost_skillcentral.model import Layer, Skill

_CAPABILITIES = {
    "prompt": {"required": ["mcp.prompts.get"], "optional": ["mcp.prompts.list"]},
    "tool": {"required": ["mcp.tools.call"], "optional": ["mcp.tools.list"]},
}


def skill(members: Mapping[str, Any], layer: Layer, source: Path, problems: Problems) -> Skill:
    """The skill that a file describes; it counts only if no problem was found."""
    name = members.get("id")
    kind: Any = members.get("type")
    if kind != "prompt" and kind != "tool":  # noqa: PLR1714  (it may be anything, also what a set cannot hold)
        problems.add(("type",), f"has to be prompt or tool, not {shown(kind)}")
        kind = "prompt"
    if not is_text(name):
        problems.add(("id",), f"has to be a text that is not blank, not {shown(name)}")
        name = ""
    elif reason := refusal(name, kind):
        problems.add(("id",), reason)
    prompt = members.get("prompt")
    if not isinstance(prompt, str | None):
        problems.add(("prompt",), f"has to be a text, not {shown(prompt)}")
    prompt, chinese = texts(members, prompt, problems)
    arguments = arguments_of(members.get("arguments"), problems)
    schema = members.get("inputSchema")
    if kind == "tool":
        schema = input_schema(schema, arguments, "inputSchema", problems)
    elif not isinstance(schema, dict | None):
        problems.add(("inputSchema",), f"has to be an object, not {shown(schema)}")
    if kind == "prompt":
        need_text(prompt, chinese, problems)
    tags = members.get("tags")
    listed = [tags] if isinstance(tags, str) else tags if isinstance(tags, list) else []
    extra = {"capabilities": _CAPABILITIES[kind]}
    if "metadata" in members:
        extra["metadata"] = members["metadata"]
    if isinstance(members.get("version"), str):
        extra["version"] = members["version"]
    title = members.get("name")
    return Skill(
        id=name,
        name=title if isinstance(title, str) else name,
        description=description_of(members.get("description"), problems),
        type=kind,
        source_format="legacy",
        layer=layer,
        source=source,
        prompt=prompt,
        prompt_zh=chinese,
        input_schema=schema,
        arguments=arguments,
        tags=tuple(tag for tag in listed if is_text(tag)),
        applies_to=applies_to(members.get("appliesTo"), problems),
        extra=extra,
    )
