"""`agenthost hardtoget data`: the lists of words and dilemmas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from agenthost import App, OperatorError, PluginContext

from agenthost_hardtoget.lists import BUILT_IN, DILEMMAS, WORDS, lists_of


@click.command("data")
@click.option(
    "--write", "folder", type=click.Path(path_type=Path), metavar="DIR", help="Write the built-in lists there."
)
@click.pass_obj
def data(app: App, folder: Path | None) -> None:
    """Tell what games are dealt from, or write the built-in lists into files for editing."""
    if folder is not None:
        _write(folder)
        return

    async def run(plugin: PluginContext[Any]) -> None:
        lists = lists_of(plugin)
        for what, given, entries in (
            ("words", plugin.settings.words, lists.words),
            ("dilemmas", plugin.settings.dilemmas, lists.dilemmas),
        ):
            click.echo(f"{len(entries)} {what}, {'built in' if given is None else given}")

    app.run(run)


def _write(folder: Path) -> None:
    """Write the lists into new files.

    Raises:
        OperatorError: a file is there already, or cannot be written.
    """
    targets = [folder / WORDS, folder / DILEMMAS]
    there = [target for target in targets if target.exists() or target.is_symlink()]
    if there:
        raise OperatorError(f"{there[0]} is there already and was left as it is; name another folder with --write")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target in targets:
            with target.open("xb") as file:
                file.write((BUILT_IN / target.name).read_bytes())
    except OSError as error:
        raise OperatorError(f"{error.filename}: cannot be written: {error.strerror}") from error
    click.echo(f"Wrote {targets[0]} and {targets[1]}. Edit them, and put into agenthost.toml:")
    click.echo(f"\n[plugins.hardtoget]\nwords = {_toml(targets[0])}\ndilemmas = {_toml(targets[1])}")


def _toml(path: Path) -> str:
    """An absolute path as a TOML string, which is written as JSON's are."""
    return json.dumps(str(path.absolute()), ensure_ascii=False)
