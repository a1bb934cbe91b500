"""`agenthost config`: the settings that apply, and where each came from."""

from __future__ import annotations

import logging
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import click

from agenthost.assembly import Assembly, assemble
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.cli.text import pad, printable, terminal_width, wrap
from agenthost.effective import DEFAULT, Setting, host_settings, plugin_settings
from agenthost.toml_text import inline

log = logging.getLogger("agenthost")

_WHOLE: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
"""A path is to be copied in one piece, and may be longer than a line."""


@click.command(
    "config",
    help=f"""{VERBS["config"]}

    Values that are secrets by their name or type are not shown.""",
)
@click.option("--toml", "as_toml", is_flag=True, help="Print an agenthost.toml with all that applies.")
@selection_options
@host_options
@click.pass_obj
def command(app: HostApp, as_toml: bool) -> None:
    assembly = assemble(app.options)
    for finding in assembly.findings:
        if finding.kind == "unused":  # the others are about plugins, not about settings
            log.warning("%s", finding)
    host = host_settings(assembly, app.options)
    plugins = {plugin.name: plugin_settings(assembly.config, plugin) for plugin in assembly.plugins}
    if as_toml:
        click.echo(document(host, plugins), nl=False)
        return
    click.echo(f"Config file: {_file(assembly)}")
    tables = {"host": host, **{f"plugins.{name}": settings for name, settings in plugins.items()}}
    reasons = {f"plugins.{plugin.name}": (plugin.state, plugin.reason) for plugin in assembly.plugins}
    every = [setting for settings in tables.values() for setting in settings]
    widths = max(len(setting.key) for setting in every), max(len(setting.origin) for setting in every)
    for name, settings in tables.items():
        click.echo(f"\n[{name}]")
        for setting in settings:
            click.echo(_line(setting, *widths))
        state, reason = reasons.get(name, ("", None))
        if reason is not None:
            click.echo(wrap(f"{state}: {reason}", "    ", "  "))


def document(host: Sequence[Setting], plugins: dict[str, list[Setting]]) -> str:
    """The text of an agenthost.toml that says all of it."""
    import tomli_w

    parts: dict[str, Any] = {
        # A folder that nobody has chosen is left to be found, since it depends on who looks.
        "host": _nested(setting for setting in host if setting.key != "state_dir" or setting.origin != DEFAULT),
        "plugins": {name: _nested(settings) for name, settings in plugins.items()},
    }
    secrets = [
        f"plugins.{setting.table}.{setting.key}" for part in plugins.values() for setting in part if setting.secret
    ]
    comment = f"# Secrets are left out: {', '.join(secrets)}\n\n" if secrets else ""
    return comment + tomli_w.dumps(parts)


def _nested(settings: Iterable[Setting]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for setting in settings:
        if setting.value is None or setting.secret:
            continue
        *path, key = setting.key.split(".")
        inner = table
        for part in path:
            inner = inner.setdefault(part, {})
        inner[key] = setting.value
    return table


def _file(assembly: Assembly) -> str:
    config = assembly.config
    return f"{config.path or 'none'}{' (found in the working directory)' if config.untrusted is not None else ''}"


def _line(setting: Setting, keys: int, origins: int) -> str:
    start = f"  {pad(setting.key, keys)}  {pad(setting.origin, origins)}  "
    value = "not set" if setting.value is None else printable(inline(setting.value))
    parts = textwrap.wrap(value, max(terminal_width() - len(start), 20), **_WHOLE)
    return start + f"\n{' ' * len(start)}".join(parts)
