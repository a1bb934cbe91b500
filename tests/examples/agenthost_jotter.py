from pathlib import Path
from typing import Annotated

import click
from agenthost import App, CallContext, PluginContext, Tool, Trusted, hookimpl, tool
from pydantic import BaseModel, Field


class Settings(BaseModel):
    file: Annotated[Path | None, Trusted] = Field(None, description="Where notes go; default: the state folder.")


def notes_file(plugin: PluginContext[Settings]) -> Path:
    given = plugin.settings.file
    return plugin.state_dir / "notes.txt" if given is None else plugin.base_dir / given


@tool
def jotter_add_note(
    note: Annotated[str, Field(description="One line.", pattern=r"^[^\r\n]+$")], ctx: CallContext[Settings]
) -> str:
    """Keep a note for the person you work for; they read it with `agenthost jotter`."""
    with notes_file(ctx.plugin).open("a", encoding="utf-8") as file:
        file.write(f"{note}\n")
    return "Kept."


@click.command("jotter")
@click.option("--last", type=click.IntRange(1), default=10, show_default=True, help="How many notes.")
@click.pass_obj
def command(app: App, last: int) -> None:
    """Print the newest notes."""

    async def show(plugin: PluginContext[Settings]) -> None:
        file = notes_file(plugin)
        notes = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        click.echo("\n".join(notes[-last:]) or "There are no notes yet.")

    app.run(show)


@hookimpl
def agenthost_settings() -> type[Settings]:
    return Settings


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [jotter_add_note]


@hookimpl
def agenthost_commands() -> click.Command:
    return command
