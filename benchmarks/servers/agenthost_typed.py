"""A plugin with typed tools: schemas are derived and arguments are checked, as most plugins have it.

It is never installed: the benchmark copies it into a folder of its own, with the metadata of a distribution.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from agenthost import PluginContext, Tool, hookimpl, tool
from pydantic import BaseModel


class Settings(BaseModel):
    """`[plugins.typed]`."""

    definitions: Path


def make_function(result: str) -> Callable[[str, str, str | None], Awaitable[str]]:
    """A tool's function that answers with a fixed text."""

    async def answer(form: str, artefact: str, reaction: str | None = None) -> str:  # noqa: ARG001  (its schema is made from them)
        return result

    return answer


@hookimpl
def agenthost_settings() -> type[Settings]:
    """The schema of the settings."""
    return Settings


@hookimpl
def agenthost_tools(plugin: PluginContext[Settings]) -> list[Tool]:
    """One tool a definition."""
    text = plugin.settings.definitions.read_text(encoding="utf-8")
    hints = {"readOnlyHint": True, "openWorldHint": False}
    return [
        tool(name=item["name"], description=item["description"], annotations=hints)(make_function(item["result"]))
        for item in json.loads(text)
    ]
