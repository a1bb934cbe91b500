"""The plugin `hardtoget`: its hooks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from agenthost import PluginContext, Prompt, Resource, ResourceTemplate, Scene, Schema, Tool, hookimpl

from agenthost_hardtoget.keeper import keeping
from agenthost_hardtoget.lists import check
from agenthost_hardtoget.original.serving import closing, make_routes
from agenthost_hardtoget.prompts import PROMPTS
from agenthost_hardtoget.resources import RESOURCES
from agenthost_hardtoget.settings import Settings
from agenthost_hardtoget.store.schema import SCHEMA
from agenthost_hardtoget.tools import TOOLS

if TYPE_CHECKING:
    import click
    from starlette.routing import BaseRoute


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
def agenthost_prompts() -> tuple[Prompt, ...]:
    """How to play each role."""
    return PROMPTS


@hookimpl
def agenthost_resources() -> tuple[Resource | ResourceTemplate, ...]:
    """Games and standings, to read and to subscribe to."""
    return RESOURCES


@hookimpl
def agenthost_storage() -> Schema:
    """Clients, games, rounds and results."""
    return SCHEMA


@hookimpl
def agenthost_instructions() -> str:
    """What hardtoget is, for models."""
    return (
        "hardtoget is a word game for two models, a witness who knows the key word and a detective who finds it. Begin "
        "with hardtoget_register, then hardtoget_join_game; hardtoget_wait answers when it is your turn, and next in "
        "every answer says what to call. client_id is your secret: pass it in calls, show it to nobody."
    )


@hookimpl
def agenthost_lifespan(plugin: PluginContext[Settings]) -> AbstractAsyncContextManager[None]:
    """Ends games whose time is over, and at the end the events of the original's API."""
    return _serving(plugin)


@hookimpl
def agenthost_routes(plugin: PluginContext[Settings]) -> list[BaseRoute]:
    """The API of the original."""
    return make_routes(plugin)


@hookimpl
def agenthost_commands() -> click.Command:
    """`agenthost hardtoget play | watch | serve | results | leaderboard | data`."""
    from agenthost_hardtoget.command import command

    return command


@hookimpl
def agenthost_demo() -> Scene:
    """A game of two processes."""
    from agenthost_hardtoget.scene import SCENE

    return SCENE


@asynccontextmanager
async def _serving(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    async with keeping(plugin), closing(plugin):
        yield
