"""The plugin `skillcentral`: its hooks. It reads files when asked what there is, and watches them while serving."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from agenthost import (
    Extension,
    PluginContext,
    Prompt,
    Resource,
    ResourceTemplate,
    Scene,
    Schema,
    Tool,
    hookimpl,
)

from agenthost_skillcentral.service import service_of
from agenthost_skillcentral.settings import Settings
from agenthost_skillcentral.store.schema import SCHEMA
from agenthost_skillcentral.watching import watching

if TYPE_CHECKING:
    import click


@hookimpl
def agenthost_settings() -> type[Settings]:
    """The schema of `[plugins.skillcentral]`."""
    return Settings


@hookimpl
def agenthost_tools(plugin: PluginContext[Settings]) -> list[Tool]:
    """Its own tools, then the tool skills, the most general first."""
    service = service_of(plugin)
    if plugin.settings.writable:
        from agenthost_skillcentral.writing.reverse_output import reverse_output_tool

        service.own_tools = (reverse_output_tool(plugin, service),)
    plugin.tools.explain_missing = service.explain_tool
    return service.tools()


@hookimpl
def agenthost_prompts(plugin: PluginContext[Settings]) -> list[Prompt]:
    """The composed prompt, then the prompt skills, the most general first."""
    service = service_of(plugin)
    plugin.prompts.explain_missing = service.explain_prompt
    return service.prompts()


@hookimpl
def agenthost_resources(plugin: PluginContext[Settings]) -> list[Resource | ResourceTemplate]:
    """The registry, the skills and their files, the plans of workflows and their sessions."""
    return service_of(plugin).resources()


@hookimpl
def agenthost_storage() -> Schema:
    """Sessions of workflows, and what is published in them."""
    return SCHEMA


@hookimpl
def agenthost_extensions(plugin: PluginContext[Settings]) -> list[Extension]:
    """The skills extension: all skills as folders of files."""
    return [service_of(plugin).extension(plugin.log)]


@hookimpl
def agenthost_instructions() -> str:
    """What skillcentral is, for models."""
    return (
        "Prompts and read-only tools here may be skills: tested instructions of this project and its user; prefer one "
        "that fits to improvising. A skill's tool answers with instructions to follow and does nothing itself. The "
        "prompt skills_compose joins all skills of some tags. skill://registry lists all skills. Workflows are skills "
        "of several steps: workflow_start begins one and tells what to do."
    )


@hookimpl
def agenthost_lifespan(plugin: PluginContext[Settings]) -> AbstractAsyncContextManager[None]:
    """Watches the files."""
    return watching(plugin)


@hookimpl
def agenthost_commands() -> click.Command:
    """`agenthost skillcentral list | show | add | remove | compile ...`: one module for each verb."""
    from agenthost_skillcentral.command import command

    return command


@hookimpl
def agenthost_demo() -> Scene:
    """A folder of skills, served live."""
    from agenthost_skillcentral.scene import scene

    return scene()
