"""The app behind all commands: the options typed so far, and what a plugin's own command may do."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NoReturn

import click

from agenthost.assembly import Options, assemble, require_start
from agenthost.errors import OperatorError, StorageError
from agenthost.lifespans import open_storage
from agenthost.plugins import ask, expect, find_plugins

if TYPE_CHECKING:
    from agenthost.context import PluginContext


class HostApp:
    """Implements `agenthost.App` for the plugin whose command runs.

    Attributes:
        options: what the operator typed.
        log_options: `--log-level` and `--log-format`, as far as typed.
        plugin: the plugin whose command runs, or None for a built-in verb.
    """

    def __init__(self) -> None:
        self.options = Options()
        self.log_options: dict[str, Any] = {}
        self.plugin: str | None = None

    def plugin_command(self, name: str) -> click.Command:
        """Import the plugin `name`, alone, wanted or not, and get its command.

        Raises:
            OperatorError: there is no such plugin, it cannot be loaded, or it has no command.
        """
        from agenthost.cli import VERBS
        from agenthost.settings import did_you_mean

        found = find_plugins()
        if name not in found:
            raise OperatorError(
                f"there is no command {name!r}{did_you_mean(name, [*VERBS, *found])}; agenthost --help lists them all"
            )
        self._refuse_selection(name)
        command = ask(found[name], "agenthost_commands", "a click command", expect(click.Command))
        if command is None:
            raise OperatorError(f"plugin {name} has no commands; to serve it: agenthost serve --plugins {name}")
        self.plugin = name
        _summarise_whole(command)
        return command

    def require_known_options(self, verb: str, command: click.Command) -> None:
        """Refuse what was typed before a built-in verb that does not take it.

        Raises:
            OperatorError: there is such an option.
        """
        if not any(parameter.name == "plugins" for parameter in command.params):
            self._refuse_selection(verb)

    def _refuse_selection(self, name: str) -> None:
        if self.options.plugins is not None or self.options.strict:
            raise OperatorError(f"--plugins and --strict have no meaning for agenthost {name}; leave them out")

    def run(self, function: Callable[[PluginContext[Any]], Awaitable[None]], *, storage: bool = True) -> None:
        """See `agenthost.App`."""
        assembly = assemble(self.options, alone=self._name(), serving=False)
        require_start(assembly, assembly.findings)
        [plugin] = assembly.plugins
        assert plugin.context is not None
        context = plugin.context

        async def run() -> None:
            async with open_storage(plugin) if storage else nullcontext():
                await function(context)

        try:
            asyncio.run(run())
        except StorageError as error:
            raise OperatorError(f"plugin {plugin.name}: {error}") from error

    def serve(
        self, settings: Mapping[str, Any] | None = None, http: str | None = None, mount_at_root: bool = False
    ) -> NoReturn:
        """See `agenthost.App`."""
        from agenthost.cli.serve import Endpoint, serve, serve_http

        if http is None:
            sys.exit(serve(self.options, alone=self._name(), values=settings))
        endpoint = Endpoint(http, at_root=mount_at_root)
        sys.exit(serve_http(self.options, endpoint, alone=self._name(), values=settings))

    def _name(self) -> str:
        if self.plugin is None:
            raise OperatorError("this is only for the command of a plugin")
        return self.plugin


def _summarise_whole(command: click.Command) -> None:
    """Have the help of a group show whole first sentences, which click cuts to one line each."""
    for each in getattr(command, "commands", {}).values():
        if each.help and not each.short_help:
            paragraph = " ".join(each.help.split("\n\n")[0].split())
            each.short_help = re.split(r"(?<=[.!?]) ", paragraph, maxsplit=1)[0]
        _summarise_whole(each)
