"""The plugin `void`: its hooks. Light, since commands import it only to report."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from agenthost import OperatorError, PluginContext, Scene, Tool, hookimpl

from agenthost_void.debug_log import DebugLog
from agenthost_void.settings import Settings
from agenthost_void.sources import load_definitions
from agenthost_void.tools import MANAGEMENT, custom_tool

if TYPE_CHECKING:
    import click


@hookimpl
def agenthost_settings() -> type[Settings]:
    """The schema of `[plugins.void]`."""
    return Settings


@hookimpl
def agenthost_tools(plugin: PluginContext[Settings]) -> list[Tool]:
    """The management tools if mutable, then the custom tools in the order of their sources.

    Raises:
        OperatorError: lists every fault of the settings and of all sources, one a line.
    """
    settings = plugin.settings
    definitions, faults = load_definitions(settings.definitions, plugin.base_dir)
    if not settings.definitions and not settings.mutable:
        faults.append(
            "there is nothing to serve: give a definition (an inline JSON array, a JSON file or example:universal), "
            "or let agents make tools (--mutable, setting void.mutable=true)"
        )
    if (fault := DebugLog(plugin).fault()) is not None:
        faults.append(fault)
    if faults:
        raise OperatorError("\n  ".join(("not served until this is corrected:", *faults)))
    return [*(MANAGEMENT if settings.mutable else ()), *map(custom_tool, definitions)]


@hookimpl
def agenthost_instructions(plugin: PluginContext[Settings]) -> str | None:
    """What void is, for models; nothing if there is nothing to call."""
    if not len(plugin.tools):
        return None
    text = (
        "Tools that do nothing but give you a shaped space to think in. Write the thought itself into the call; it "
        "is not stored, checked or acted on, and the answer is always the same."
    )
    if plugin.settings.mutable:
        text += " void_create_tool makes a space of your own shape."
    return text


@hookimpl
def agenthost_lifespan(plugin: PluginContext[Settings]) -> AbstractAsyncContextManager[None] | None:
    """Opens the debug log, if there is to be one."""
    return _logged(plugin) if plugin.settings.debug_log is not None else None


@asynccontextmanager
async def _logged(plugin: PluginContext[Settings]) -> AsyncIterator[None]:
    log = DebugLog(plugin)
    try:
        log.start(plugin.tools)
    except OSError as error:
        raise OperatorError(f"debug_log {log.path}: cannot be written: {error.strerror}") from error
    yield


@hookimpl
def agenthost_commands() -> click.Command:
    """`agenthost void [--mutable] [--debug-log FILE] SOURCE...`."""
    from agenthost_void.command import command

    return command


@hookimpl
def agenthost_demo() -> Scene:
    """A thought written down, and a space made for the next one."""
    from agenthost_void.scene import SCENE

    return SCENE
