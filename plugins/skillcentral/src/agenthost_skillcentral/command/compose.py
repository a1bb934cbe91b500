"""`agenthost skillcentral compose`: what the prompt `skills_compose` gives."""

from __future__ import annotations

from pathlib import Path

import click
from agenthost import App, InvalidParams

from agenthost_skillcentral import composing
from agenthost_skillcentral.command.looking import Project, View, json_option, look, print_json, project_options


@click.command("compose")
@click.argument("tags")
@click.option("--arg", "pairs", multiple=True, metavar="KEY=VALUE", help="Fill a placeholder; may be repeated.")
@project_options
@json_option
@click.pass_obj
def compose(
    app: App,
    *,
    tags: str,
    pairs: tuple[str, ...],
    project_root: Path | None,
    project_ids: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print all prompt skills that have one of TAGS, separated by commas, as one text.

    Exit code 1 if there is none.
    """
    arguments = dict(_pair(text) for text in pairs)

    def run(view: View) -> None:
        try:
            composed = composing.compose(view.snapshot.prompts, tags, arguments, view.settings.language)
        except InvalidParams as error:
            raise click.ClickException(str(error)) from error
        if as_json:
            print_json({"description": composed.description, "text": composed.text})
        else:
            click.echo(composed.text)

    look(app, Project(project_root, project_ids), run)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise click.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="--arg")
    return key, value
