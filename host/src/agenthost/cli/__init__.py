"""The command `agenthost`: built-in verbs, each in a module of its own, then the plugins' own commands."""

from __future__ import annotations

import importlib
import io
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

import agenthost
from agenthost.cli.logs import LEVELS, configure_logs
from agenthost.errors import OperatorError

if TYPE_CHECKING:
    from agenthost.cli.app import HostApp

log = logging.getLogger("agenthost")

Command = TypeVar("Command", bound=Callable[..., Any])

VERBS = {
    "serve": "Serve the plugins as one MCP server, on stdin and stdout or over HTTP.",
    "plugins": "List the installed plugins, and why one is not served.",
    "tools": "List the tools that clients get, with their plugins and sizes.",
    "prompts": "List the prompts that clients get, with their plugins and sizes.",
    "resources": "List the resources that clients get, with their plugins and sizes.",
    "explain": "Tell everything about one tool, prompt or resource, and why it is served as it is.",
    "call": "Call one tool through a real server and show its result.",
    "config": "Show the settings that apply, and where each came from.",
    "init": "Write a first agenthost.toml, with everything in it explained.",
    "new": "Make a plugin of your own: a small one that works, with its tests.",
    "doctor": "Check the installation, the settings and what clients will not accept.",
    "backup": "Copy the plugins' databases into FOLDER, while servers run.",
    "demo": "Start a real server and show what the plugins do, scene by scene.",
    "install": "Put agenthost into an MCP client's configuration, or take it out.",
}
"""Built-in verbs and their short help; the module of the same name is imported when one is used."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with `arguments` (default: the process's own) and end the process."""
    if sys.platform == "win32":
        sys.exit("agenthost: Windows is not supported yet; run agenthost inside WSL.")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what a terminal cannot show must not end a command
    configure_logs()
    try:
        outcome = agenthost_command.main(
            args=None if arguments is None else list(arguments), prog_name="agenthost", standalone_mode=False
        )
    except OperatorError as error:
        for line in str(error).splitlines():
            log.error("%s", line)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        if isinstance(error, click.NoSuchOption) and (plugin := _misplaced(error)):
            click.echo(
                f"It stands before the name of the plugin: agenthost {error.option_name} ... {plugin} ...", err=True
            )
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("agenthost: interrupted", err=True)
        sys.exit(130)
    # What was asked for is printed; what a plugin prints while the process ends is none of it.
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.exit(outcome if isinstance(outcome, int) else 0)


def _misplaced(error: click.NoSuchOption) -> str | None:
    """The plugin behind whose name one of the global options stands, which its command does not take."""
    app: HostApp | None = error.ctx.find_root().obj if error.ctx else None
    names = {"config", "state_dir", "assignments", "log_level", "log_format"}
    known = {name for option in agenthost_command.params if option.name in names for name in option.opts}
    return app.plugin if app and error.option_name in known else None


def _app() -> HostApp:
    app: HostApp = click.get_current_context().find_root().obj
    return app


def _set(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Store an option on the app, whether it stands before or after the verb; the later one wins."""

    def store(_context: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value in (None, False, ()):
            return
        options = _app().options
        setattr(options, name, [*options.assignments, *value] if name == "assignments" else value)

    return store


def _set_log(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Apply a log option as soon as it is read, so that all that follows is logged that way."""

    def apply(_context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            options = _app().log_options
            options[name] = value
            configure_logs(**options)

    return apply


class _Folder(click.Path):
    """A folder; an empty text, as an unset variable gives it, is none and not the working directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("is empty; give a folder, or leave it out", param, ctx)
        return super().convert(value, param, ctx)


def host_options(command: Command) -> Command:
    """The global options: accepted before and after every verb."""
    for option in (
        click.option(
            "--log-format",
            type=click.Choice(["text", "json"]),
            expose_value=False,
            callback=_set_log("style"),
            help="How log lines look on stderr; default: text.",
        ),
        click.option(
            "--log-level",
            type=click.Choice(LEVELS),
            expose_value=False,
            callback=_set_log("level"),
            help="Least severity that is logged on stderr; default: info.",
        ),
        click.option(
            "--set",
            "assignments",
            multiple=True,
            metavar="PLUGIN.KEY=VALUE",
            expose_value=False,
            callback=_set("assignments"),
            help="Set a plugin's setting, or host.KEY; a TOML value or a bare word. May be repeated.",
        ),
        click.option(
            "--state-dir",
            type=_Folder(file_okay=False, path_type=Path),
            expose_value=False,
            callback=_set("state_dir"),
            help="Folder for durable data ($AGENTHOST_STATE_DIR).",
        ),
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            expose_value=False,
            callback=_set("config"),
            help="Config file ($AGENTHOST_CONFIG); default: ./agenthost.toml, then the one in your config folder.",
        ),
    ):
        command = option(command)
    return command


def selection_options(command: Command) -> Command:
    """`--plugins` and `--strict`, for the verbs that load the wanted plugins."""
    for option in (
        click.option(
            "--strict",
            is_flag=True,
            expose_value=False,
            callback=_set("strict"),
            help="Do not start if anything at all is to be reported.",
        ),
        click.option(
            "--plugins",
            metavar="NAMES",
            expose_value=False,
            callback=_set("plugins"),
            help="Plugins to serve, in order, separated by commas; default: [host] plugins, else all installed.",
        ),
    ):
        command = option(command)
    return command


class _HostGroup(click.Group):
    """Finds a built-in verb by its module, else a plugin's command by its entry point."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in VERBS:
            command: click.Command = importlib.import_module(f"agenthost.cli.{cmd_name}").command
            return command
        return _app().plugin_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, *rest = args
        command = self.get_command(ctx, name)
        if name in VERBS and command is not None:
            _app().require_known_options(name, command)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from agenthost.plugins import find_plugins

        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))
        if rows := [(found.name, found.summary or found.distribution) for found in find_plugins().values()]:
            with formatter.section("Commands of installed plugins"):
                formatter.write_dl(rows)


def _make_app() -> HostApp:
    from agenthost.cli.app import HostApp

    return HostApp()


class _AppContext(click.Context):
    """The root context holds the app from the start, since options are stored on it while parsing."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if self.parent is None and self.obj is None:
            self.obj = _make_app()


_HostGroup.context_class = _AppContext


@click.group(cls=_HostGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(agenthost.__version__, message="agenthost %(version)s")
@selection_options
@host_options
def agenthost_command() -> None:
    """One MCP server out of many plugins.

    Put `agenthost serve --plugins NAME,NAME` into your MCP client's configuration, with the
    absolute path of this program.
    """
