"""The plugin `hardtoget`: its hooks."""

from __future__ import annotations

from agenthost import PluginContext, Schema, Tool, hookimpl

from agenthost_hardtoget.lists import check
from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.store.schema import SCHEMA
from agenthost_hardtoget.tools import TOOLS


@hookimpl
def agenthost_settings() -> type[Settings]:
    """The schema of `[plugins.hardtoget]`."""
    return Settings


@hookimpl
def agenthost_tools(plugin: PluginContext[Settings]) -> tuple[Tool, ...]:
    """The tools, in the order in which a game uses them.

    Raises:
        OperatorError: a file of words or dilemmas is not there or wrong.
    """
    check(plugin)
    return TOOLS


@hookimpl
def agenthost_storage() -> Schema:
    """Clients, games, rounds and results."""
    return SCHEMA
