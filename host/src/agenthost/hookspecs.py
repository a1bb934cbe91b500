"""The contract: every hook a plugin may implement, and nothing else.

All hooks are optional, synchronous and declarative. The host calls them plugin by plugin, so that
every failure has one owner. Returning None contributes nothing. An exception, a `sys.exit`, a
coroutine, a value of another type or a call that does not return within `host.start_limit` seconds
is that plugin's failure: it is reported and not served, and the others are. An implementation may
leave out arguments that it does not use.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable

    import click
    from pydantic import BaseModel
    from starlette.routing import BaseRoute

    from agenthost.context import PluginContext
    from agenthost.contributions import Prompt, Resource, ResourceTemplate, Tool
    from agenthost.extensions import Extension
    from agenthost.migrations import Schema
    from agenthost.scenes import Scene

    Function = TypeVar("Function", bound="Callable[..., Any]")

    def hookimpl(function: Function, /) -> Function:
        """Mark a function as the implementation of the hook of the same name."""
        ...

else:
    hookimpl = pluggy.HookimplMarker("agenthost")

hookspec = pluggy.HookspecMarker("agenthost")


@hookspec
def agenthost_settings() -> type[BaseModel] | None:
    """The pydantic model of the plugin's settings, `[plugins.<name>]`; called first, once.

    None means that the plugin has no settings of its own. Unknown keys are always refused. A field
    annotated with `agenthost.Trusted` is refused when it comes from a config file that was merely
    found in the working directory. The field names `prefix`, `tools`, `prompts`, `resources` and
    `time_limit` belong to the host.
    """


@hookspec
def agenthost_tools(plugin: PluginContext[Any]) -> Iterable[Tool] | None:
    """The tools the plugin starts with, in the order in which they are to be listed.

    Called once, after the settings are known and before anything is served. What is added later
    goes through `plugin.tools`.
    """


@hookspec
def agenthost_prompts(plugin: PluginContext[Any]) -> Iterable[Prompt] | None:
    """The prompts the plugin starts with, in the order in which they are to be listed.

    Called once, after `agenthost_tools`. What is added later goes through `plugin.prompts`.
    """


@hookspec
def agenthost_resources(plugin: PluginContext[Any]) -> Iterable[Resource | ResourceTemplate] | None:
    """The resources and resource templates the plugin starts with, in the order of their listing.

    Called once, after `agenthost_prompts`. What is added later goes through `plugin.resources`.
    """


@hookspec
def agenthost_extensions(plugin: PluginContext[Any]) -> Iterable[Extension] | None:
    """The extensions of the protocol that the plugin serves: request methods of its own.

    Called once, after `agenthost_resources`. Clients of the protocol 2026-07-28 are told of them and
    may call their methods; to older ones they do not exist. An extension whose id or methods are
    taken, or the protocol's own, is reported and left out.
    """


@hookspec
def agenthost_storage() -> Schema | None:
    """The tables the plugin keeps its data in; called once. It makes `plugin.store` exist.

    The database is opened and migrated when the plugin is served, before its lifespan is entered; if
    that fails, the plugin is not served. None means that the plugin keeps nothing.
    """


@hookspec
def agenthost_instructions(plugin: PluginContext[Any]) -> str | None:
    """The plugin's part of the server's `instructions`; called once, after the hooks above.

    The first sentence should be complete in itself: it comes first when the parts of all plugins
    are cut to what clients read. Not every client shows instructions to its model, so nothing
    essential may live only here.
    """


@hookspec
def agenthost_lifespan(plugin: PluginContext[Any]) -> AbstractAsyncContextManager[Any] | None:
    """An async context manager that is open while the plugin is served.

    The hook is called once at loading; the manager is entered on the event loop after the transport
    has opened, and left at the end, each plugin in a task of its own, within `host.start_limit`
    seconds. When entering fails, the plugin is not served. When the body is ended from within (a
    task group inside it failed), the plugin's tools are removed and clients are told.
    """


@hookspec
def agenthost_routes(plugin: PluginContext[Any]) -> Iterable[BaseRoute] | None:
    """Starlette routes of the plugin, served below `/<plugin>/`.

    Called once, after `agenthost_lifespan`, and only when serving over HTTP. Requests reach them
    behind the same protections as the protocol's own, once the plugin's lifespan is entered. What
    an endpoint raises is answered with 500; nobody else notices.
    """


@hookspec
def agenthost_commands() -> click.Command | None:
    """The click command or group behind `agenthost <plugin> ...`.

    Called only when that command is used. The command receives an `agenthost.App` with
    `@click.pass_obj`.
    """


@hookspec
def agenthost_demo() -> Scene | None:
    """The plugin's scene for `agenthost demo`; called only by that command."""
