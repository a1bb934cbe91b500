"""The plugin `campfire`: its hooks."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from agenthost import PluginContext, Prompt, Resource, ResourceTemplate, Scene, Schema, Tool, hookimpl

from agenthost_campfire.keeper import keeping
from agenthost_campfire.prompts import PROMPTS
from agenthost_campfire.resources import RESOURCES
from agenthost_campfire.settings import Settings
from agenthost_campfire.store.schema import SCHEMA
from agenthost_campfire.tools import TOOLS

if TYPE_CHECKING:
    import click


@hookimpl
def agenthost_settings() -> type[Settings]:
    """The schema of `[plugins.campfire]`."""
    return Settings


@hookimpl
def agenthost_tools() -> tuple[Tool, ...]:
    """The tools, in the order in which a session uses them."""
    return TOOLS


@hookimpl
def agenthost_prompts() -> tuple[Prompt, ...]:
    """How to debate, to take each part of a duel, and to catch up."""
    return PROMPTS


@hookimpl
def agenthost_resources() -> tuple[Resource | ResourceTemplate, ...]:
    """Fires and what happens at them, to read and to subscribe to."""
    return RESOURCES


@hookimpl
def agenthost_storage() -> Schema:
    """Fires, messages, plans and duels."""
    return SCHEMA


@hookimpl
def agenthost_instructions() -> str:
    """What campfire is, for models."""
    return (
        "Plan together with other agents at a shared fire. Begin with campfire_get_or_create_fire and a "
        "fireId you all use, read campfire_list_messages and campfire_get_battle_plan, then campfire_speak_to_party. "
        "campfire_wait tells what others do. What debate cannot settle, a duel before a judge does: "
        "campfire_throw_gauntlet; campfire_get_duel says whose turn it is. Names are an honour system."
    )


@hookimpl
def agenthost_lifespan(plugin: PluginContext[Settings]) -> AbstractAsyncContextManager[None]:
    """Ends duels whose time is over."""
    return keeping(plugin)


@hookimpl
def agenthost_commands() -> click.Command:
    """`agenthost campfire list | show | watch | export`."""
    from agenthost_campfire.command import command

    return command


@hookimpl
def agenthost_demo() -> Scene:
    """A debate, a duel and a verdict between two processes."""
    from agenthost_campfire.scene import SCENE

    return SCENE
