"""The kinds of contributions: how each is checked, named and told apart from others of its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from agenthost.context import PluginContext, Registry
from agenthost.contributions import Prompt, Resource, ResourceTemplate, Tool
from agenthost.plugins import Plugin
from agenthost.settings import Globs, HostPart
from agenthost.vetting import PROMPT_NAME, TOOL_NAME, Vetted, vet_prompt, vet_resource, vet_tool

C = TypeVar("C")


@dataclass(frozen=True)
class Kind(Generic[C]):
    """One kind of contribution.

    Attributes:
        word: what people call one.
        member: the list's name, also in settings.
        identity: the member of a listed object that holds its name or address.
        registry: where a plugin keeps its own.
        globs: the operator's choice among a plugin's own.
        vet: checks one under the name it would be served by; raises `VettingError`.
        owns: whether a name belongs to a plugin by right, so that it is never renamed.
        rename: the name for one whose name is taken, or None if it cannot have another.
        fits: whether a name made by `rename` is allowed.
        prefixed: whether `[plugins.<name>] prefix` applies.
    """

    word: str
    member: str
    identity: Callable[[Any], str]
    registry: Callable[[PluginContext[Any]], Registry[Any]]
    globs: Callable[[HostPart], Globs]
    vet: Callable[[C, str], Vetted[C]]
    owns: Callable[[Plugin, str], bool]
    rename: Callable[[Plugin, str], str | None]
    fits: Callable[[str], bool]
    prefixed: bool


def is_named_after(plugin: Plugin, name: str) -> bool:
    """Whether a name begins with its plugin's name, as a word of its own."""
    return name.startswith(plugin.name) and not name[len(plugin.name) :][:1].isalnum()


def has_scheme_of(plugin: Plugin, uri: str) -> bool:
    """Whether the plugin's name is the address's scheme."""
    return uri.partition(":")[0] == plugin.name


TOOLS: Kind[Tool] = Kind(
    word="tool",
    member="tools",
    identity=lambda _: "name",
    registry=lambda context: context.tools,
    globs=lambda part: part.tools,
    vet=vet_tool,
    owns=is_named_after,
    rename=lambda plugin, name: f"{plugin.name}_{name}",
    fits=lambda name: TOOL_NAME.fullmatch(name) is not None,
    prefixed=True,
)

PROMPTS: Kind[Prompt] = Kind(
    word="prompt",
    member="prompts",
    identity=lambda _: "name",
    registry=lambda context: context.prompts,
    globs=lambda part: part.prompts,
    vet=vet_prompt,
    owns=is_named_after,
    rename=lambda plugin, name: f"{plugin.name}_{name}",
    fits=lambda name: PROMPT_NAME.fullmatch(name) is not None,
    prefixed=True,
)

RESOURCES: Kind[Resource | ResourceTemplate] = Kind(
    word="resource",
    member="resources",
    identity=lambda item: "uriTemplate" if isinstance(item, ResourceTemplate) else "uri",
    registry=lambda context: context.resources,
    globs=lambda part: part.resources,
    vet=vet_resource,
    owns=has_scheme_of,
    rename=lambda _plugin, _uri: None,  # an address means the same everywhere, so it has no second form
    fits=lambda _: False,
    prefixed=False,
)
