"""Plugins that offer what their settings say: a test about names, order or schemas shows its input itself.

Every tool answers with the plugin's own name and the tool's own name, so that a test sees who was called.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agenthost import CallContext, PluginContext, Tool, hookimpl
from pydantic import BaseModel


class Settings(BaseModel):
    """What to offer."""

    names: list[str] = ["ping"]
    aliases: dict[str, list[str]] = {}
    definitions: str = "[]"
    """More tools: a JSON array of the arguments of `Tool`, since TOML has no null."""
    instructions: str | None = None


@hookimpl
def agenthost_settings() -> type[Settings]:
    return Settings


@hookimpl
def agenthost_tools(plugin: PluginContext[Settings]) -> Iterator[Tool]:
    settings = plugin.settings
    plain: list[dict[str, Any]] = [
        {"name": name, "input_schema": {"type": "object"}, "aliases": settings.aliases.get(name, ())}
        for name in settings.names
    ]
    for definition in [*plain, *json.loads(settings.definitions)]:
        yield puppet(plugin.name, definition)


@hookimpl
def agenthost_instructions(plugin: PluginContext[Settings]) -> str | None:
    return plugin.settings.instructions


def puppet(plugin: str, definition: Mapping[str, Any]) -> Tool:
    """A tool that answers `<plugin>: <its own name>`."""

    async def answer(arguments: dict[str, Any], ctx: CallContext[Any]) -> str:
        return f"{plugin}: {definition['name']}"

    return Tool(handler=answer, **{**definition, "aliases": tuple(definition.get("aliases", ()))})
