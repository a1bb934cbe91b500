"""What a plugin's own command gets from the host: the `App`, and the way into it from a script."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

if TYPE_CHECKING:
    from agenthost.context import PluginContext


class App(Protocol):
    """The host, as a plugin's click command receives it with `@click.pass_obj`."""

    def run(self, function: Callable[[PluginContext[Any]], Awaitable[None]], *, storage: bool = True) -> None:
        """Validate the plugin's settings and run `await function(plugin)`, without a server.

        Args:
            function: gets the plugin's context.
            storage: False opens no database and makes none; `plugin.store` raises then.

        Raises:
            OperatorError: the plugin cannot be loaded or its settings are wrong.
        """

    def serve(
        self, settings: Mapping[str, Any] | None = None, http: str | None = None, mount_at_root: bool = False
    ) -> NoReturn:
        """Serve this plugin alone, on stdio until the client leaves or over HTTP until a signal comes; end the process.

        Args:
            settings: win over the config file and `--set`; they count as typed by the operator.
            http: `[HOST:]PORT`, as after `--http`; None is stdio.
            mount_at_root: over HTTP the plugin's routes are at `/` too, not only below its name, for clients that
                know the paths of another server.

        Raises:
            OperatorError: the plugin cannot be loaded, its settings are wrong, or nothing can listen there.
        """


def run_plugin(name: str, arguments: Sequence[str]) -> NoReturn:
    """Run `agenthost <name> <arguments>` and end the process; the body of a plugin's own script."""
    from agenthost.cli import main

    main([name, *arguments])
