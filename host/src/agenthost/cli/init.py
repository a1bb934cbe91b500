"""`agenthost init`: write a first agenthost.toml, and never over anything."""

from __future__ import annotations

import contextlib
import logging
import os
from pathlib import Path

import click

from agenthost.cli import VERBS, host_options
from agenthost.cli.app import HostApp
from agenthost.plugins import find_plugins
from agenthost.settings import FILE_NAME, absolute, user_file, working_directory
from agenthost.starter import starter_text

log = logging.getLogger("agenthost")

NOT_WRITTEN = 1
"""Exit code when there is no new file."""


@click.command(
    "init",
    help=f"""{VERBS["init"]}

    PATH is the file, or a folder for it. Without it, the file of --config or $AGENTHOST_CONFIG is
    made, else the one in your config folder. A file that exists is left alone (exit code 1).""",
)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@host_options
@click.pass_obj
def command(app: HostApp, path: Path | None) -> int:
    file = target(path or app.options.config)
    text = starter_text(find_plugins())
    try:
        write_new(file, text)
    except FileExistsError:
        what = "is a symbolic link" if file.is_symlink() else "exists"
        log.error("%s %s, and is left as it is; name another file: agenthost init PATH", file, what)
        return NOT_WRITTEN
    except OSError as error:
        log.error("%s cannot be written (%s)", file, error.strerror)
        return NOT_WRITTEN
    click.echo(f"Wrote {file}\n{advice(file)}")
    return 0


def target(path: Path | None) -> Path:
    """The file to make: the one that is asked for, else the one that will be looked for."""
    given = path or os.environ.get("AGENTHOST_CONFIG")
    if not given:
        return user_file()
    file = absolute(given)
    return file / FILE_NAME if file.is_dir() else file


def write_new(file: Path, text: str) -> None:
    """Make the file with this text, readable by its owner alone, or nothing.

    Raises:
        FileExistsError: something of that name is there, be it a link that leads nowhere.
        OSError: it cannot be made.
    """
    if file == user_file():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as stream:  # noqa: PTH123  (a descriptor has no Path)
            stream.write(text)
            stream.flush()
            os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            file.unlink()
        raise


def advice(file: Path) -> str:
    """How the file comes to be used."""
    if os.environ.get("AGENTHOST_CONFIG") and file == absolute(os.environ["AGENTHOST_CONFIG"]):
        return "It is used wherever $AGENTHOST_CONFIG is set; many clients do not pass that on, so give them --config."
    if file == user_file():
        return "It is used unless another one is given with --config, or found in the working directory."
    if file == working_directory() / FILE_NAME:
        return f"It is used in this folder. Clients start elsewhere, so give it to them: --config {file}"
    return f"To use it: --config {file}"
