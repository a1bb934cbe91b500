"""What a plugin's own command gets from the host: the `App`, and the way into it from a script."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

if TYPE_CHECKING:
    from agenthost.context import PluginContext


class App(Protocol):
    """The host, as a plugin's click command receives it with `@click.pass_obj`."""

    def run(self, function: Callable[[PluginContext[Any]], Awaitable[None]]) -> None:
        """Validate the plugin's settings and run `await function(plugin)`, without a server.

        Raises:
            OperatorError: the plugin cannot be loaded or its settings are wrong.
        """

    def serve(self, settings: Mapping[str, Any] | None = None) -> NoReturn:
        """Serve this plugin alone on stdio until the client leaves, then end the process.

        `settings` win over the config file and `--set`; they count as typed by the operator.

        Raises:
            OperatorError: the plugin cannot be loaded or its settings are wrong.
        """


def run_plugin(name: str, arguments: Sequence[str]) -> NoReturn:
    """Run `agenthost <name> <arguments>` and end the process; the body of a plugin's own script."""
    from agenthost.cli import main

    main([name, *arguments])
