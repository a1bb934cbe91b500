"""Plugins that offer what their settings say: a test about names, order or schemas shows its input itself.

Everything answers with the plugin's own name and its own name, so that a test sees who was called.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from agenthost import CallContext, PluginContext, Prompt, Resource, ResourceTemplate, Tool, hookimpl
from pydantic import BaseModel


class Settings(BaseModel):
    """What to offer."""

    names: list[str] = ["ping"]
    aliases: dict[str, list[str]] = {}
    definitions: str = "[]"
    """More tools: a JSON array of the arguments of `Tool`, since TOML has no null."""
    asks: list[str] = []
    """Names of prompts."""
    addresses: list[str] = []
    """Resources, and templates with the variable `day`."""
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
def agenthost_prompts(plugin: PluginContext[Settings]) -> Iterator[Prompt]:
    for name in plugin.settings.asks:

        async def answer(arguments: dict[str, Any], ctx: CallContext[Any], name: str = name) -> str:
            return f"{plugin.name}: {name}"

        aliases = tuple(plugin.settings.aliases.get(name, ()))
        yield Prompt(name, answer, arguments=(), aliases=aliases)


@hookimpl
def agenthost_resources(plugin: PluginContext[Settings]) -> Iterator[Resource | ResourceTemplate]:
    for uri in plugin.settings.addresses:
        if "{day}" in uri:
            yield ResourceTemplate(uri, partial(tell_day, plugin.name, uri), uri)
        else:
            yield Resource(uri, partial(tell, plugin.name, uri), uri)


def tell(plugin: str, uri: str) -> str:
    """A resource's contents: who serves it."""
    return f"{plugin}: {uri}"


def tell_day(plugin: str, uri: str, /, day: str) -> str:
    """A template's contents: who serves it, and its variable."""
    return f"{plugin}: {uri} day={day}"


@hookimpl
def agenthost_instructions(plugin: PluginContext[Settings]) -> str | None:
    return plugin.settings.instructions


def puppet(plugin: str, definition: Mapping[str, Any]) -> Tool:
    """A tool that answers `<plugin>: <its own name>`."""

    async def answer(arguments: dict[str, Any], ctx: CallContext[Any]) -> str:
        return f"{plugin}: {definition['name']}"

    return Tool(handler=answer, **{**definition, "aliases": tuple(definition.get("aliases", ()))})
