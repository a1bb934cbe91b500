"""What the verbs share: the options that choose a project, what the library holds for it, and JSON."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click
from agenthost import App, OperatorError, PluginContext, ToolError

from agenthost_skillcentral.command.table import plain_lines
from agenthost_skillcentral.layers.projects import normalise
from agenthost_skillcentral.library import Library
from agenthost_skillcentral.model import Snapshot
from agenthost_skillcentral.service import service_of
from agenthost_skillcentral.settings import Settings, sources
from agenthost_skillcentral.store.sessions import UnknownSession
from agenthost_skillcentral.views import Places

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@dataclass(frozen=True)
class Project:
    """The project that the options of a command choose.

    Attributes:
        root: a folder of it; None is that of the settings.
        ids: instead of its own ids.
    """

    root: Path | None
    ids: tuple[str, ...]


@dataclass(frozen=True)
class View:
    """What a command looks at."""

    snapshot: Snapshot
    settings: Settings
    places: Places


def project_options(function: F) -> F:
    """Add `--project-root` and `--project-id`."""
    root = click.option(
        "--project-root", type=click.Path(path_type=Path), metavar="PATH", help="The project, or a folder in it."
    )
    ids = click.option(
        "--project-id", "project_ids", multiple=True, metavar="ID", help="As which project; may be repeated."
    )
    return root(ids(function))


def look(app: App, project: Project, show: Callable[[View], None]) -> None:
    """Call `show` with what the library holds for a project.

    Raises:
        OperatorError: the settings or the project's ids are wrong.
    """

    async def run(plugin: PluginContext[Settings]) -> None:
        show(view_of(plugin, project))

    app.run(run, storage=False)


def work(app: App, do: Callable[[PluginContext[Settings]], Awaitable[None]]) -> None:
    """Call `do` with the plugin's context and its store, in which the sessions of workflows are.

    Raises:
        ClickException: what is asked for is not there or cannot be done.
        OperatorError: the settings are wrong, or the database cannot be used.
    """

    async def run(plugin: PluginContext[Settings]) -> None:
        try:
            await do(plugin)
        except UnknownSession as error:
            raise click.ClickException(
                f"there is no session {error.session_id!r}; agenthost skillcentral session list shows all"
            ) from None
        except ToolError as error:
            raise click.ClickException(plain_lines(str(error))) from None

    app.run(run)


def view_of(plugin: PluginContext[Settings], project: Project) -> View:
    """What the library holds for a project.

    Raises:
        OperatorError: the project's ids are wrong.
    """
    if project.root is None and not project.ids:
        snapshot = service_of(plugin).snapshot
    else:
        chosen = sources(plugin.settings, plugin.base_dir, project_root=project.root, wanted=plugin.wanted)
        snapshot = Library(replace(chosen, project_ids=_ids(project.ids))).load()
    return View(snapshot, plugin.settings, Places(snapshot.project_root, Path.home()))


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _ids(given: tuple[str, ...]) -> tuple[str, ...] | None:
    try:
        return tuple(normalise(project_id) for project_id in given) or None
    except ValueError as error:
        raise OperatorError(f"--project-id: {error}") from error
