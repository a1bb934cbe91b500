"""A third party's plugin, written for the contract of agenthost-core 0.1, and never changed since.

It uses what a plugin may use. If it stops working, plugins out there do too: a later host has to say so
with its version, and not with a change to this file.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

import click
from agenthost import (
    App,
    CallContext,
    Elicit,
    Extension,
    Image,
    InputRequired,
    Message,
    NotFound,
    PluginContext,
    Prompt,
    Resource,
    ResourceTemplate,
    Result,
    Say,
    Scene,
    SceneClient,
    Schema,
    Step,
    Text,
    Tool,
    ToolError,
    Transaction,
    Trusted,
    hookimpl,
    prompt,
    resource,
    tool,
)
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse
    from starlette.routing import BaseRoute


class Settings(BaseModel):
    """The settings of the plugin."""

    owner: str = Field("nobody", description="Whose keepsakes they are.")
    export: Annotated[Path | None, Trusted] = None


class Keepsake(TypedDict):
    """A thing that is kept."""

    name: str
    why: NotRequired[str]


SCHEMA = Schema(
    (
        Step("keepsakes", ("CREATE TABLE keepsake (name TEXT NOT NULL PRIMARY KEY)",)),
        Step("why they are kept", ("ALTER TABLE keepsake ADD COLUMN why TEXT",)),
    )
)
Name = Annotated[str, Field(alias="keepsakeName", min_length=1, description="The name of the thing.")]


def insert(tx: Transaction, name: str, why: str | None) -> None:
    """Add a thing."""
    added = tx.execute(
        "INSERT INTO keepsake (name, why) VALUES (:name, :why) ON CONFLICT (name) DO NOTHING",
        {"name": name, "why": why},
    )
    if not added:
        raise ToolError(f"{name} is kept already.", structured={"name": name})
    tx.changed("keepsake://all")
    assert isinstance(keepsake_one, ResourceTemplate)
    tx.changed(keepsake_one.expand(name=name))


def delete(tx: Transaction, name: str) -> int:
    """Take a thing out."""
    tx.changed("keepsake://all")
    return tx.execute("DELETE FROM keepsake WHERE name = :name", {"name": name})


def select(tx: Transaction, name: str) -> Keepsake | None:
    """One thing."""
    row = tx.one("SELECT name, why FROM keepsake WHERE name = :name", {"name": name})
    if row is None:
        return None
    return {"name": row["name"]} if row["why"] is None else {"name": row["name"], "why": row["why"]}


def names(tx: Transaction) -> list[str]:
    """The names of all things."""
    return [row["name"] for row in tx.all("SELECT name FROM keepsake ORDER BY name")]


@tool(aliases=("keepsake.keep",), annotations={"destructiveHint": False})
async def keepsake_keep(name: Name, ctx: CallContext[Settings], why: str | None = None) -> Keepsake:
    """Keep a thing."""
    await ctx.store.write(insert, name, why)
    kept = await ctx.store.read(select, name)
    assert kept is not None
    return kept


@tool
async def keepsake_throw_away(name: Name, ctx: CallContext[Settings]) -> Result[dict[str, bool]] | InputRequired:
    """Throw a thing away, after asking."""
    answer = ctx.inputs.elicited("sure")
    if answer is None:
        schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
        return InputRequired({"sure": Elicit(f"Throw {name} away?", schema)}, state={"name": name})
    gone = bool(answer.accepted and answer.content["sure"] and await ctx.store.write(delete, ctx.input_state["name"]))
    return Result("It is gone." if gone else "It stays.", structured={"gone": gone})


@tool(time_limit=10)
def keepsake_show(size: Literal["small", "large"], ctx: CallContext[Settings]) -> list[Text | Image]:
    """Show a picture of the shelf."""
    ctx.progress(1, 2, "painting")
    ctx.log("info", f"for {ctx.settings.owner}")
    return [Text(f"A {size} picture."), Image(b"\x89PNG" * (1 if size == "small" else 100), "image/png")]


async def wait(arguments: dict[str, Any], ctx: CallContext[Settings]) -> str:
    """Wait for a change."""
    after = int(arguments.get("after", 0))
    seq = await ctx.store.wait("keepsake://all", after=after)
    return f"after={seq}"


WAIT = Tool(
    "keepsake_wait",
    wait,
    description="Wait until something is kept or thrown away.",
    input_schema={"type": "object", "properties": {"after": {"type": "integer"}}},
)


async def complete_name(value: str, _arguments: Mapping[str, str], ctx: CallContext[Settings]) -> list[str]:
    """The names that begin so."""
    return [name for name in await ctx.store.read(names) if name.startswith(value)]


@prompt(complete={"name": complete_name})
async def keepsake_remember(
    name: str, ctx: CallContext[Settings], tone: Literal["warm", "dry"] = "warm"
) -> list[Message]:
    """Remember why a thing is kept."""
    kept = await ctx.store.read(select, name)
    if kept is None:
        raise NotFound(f"There is no {name}.")
    return [
        Message(f"In a {tone} tone: why is {name} kept?"),
        Message(kept.get("why", "Because."), "assistant"),
    ]


@resource("keepsake://all", mime_type="application/json")
async def keepsake_all(ctx: CallContext[Settings]) -> list[str]:
    """The names of all things."""
    return await ctx.store.read(names)


@resource("keepsake://one/{name}", complete={"name": complete_name})
async def keepsake_one(name: str, ctx: CallContext[Settings]) -> str:
    """One thing."""
    kept = await ctx.store.read(select, name)
    if kept is None:
        raise NotFound(f"There is no {name}.")
    return f"{kept['name']}: {kept.get('why', 'nobody knows why')}"


async def count(params: dict[str, Any], ctx: CallContext[Settings]) -> dict[str, Any]:
    """How many things there are whose names begin so."""
    start = params.get("start", "")
    return {"count": len([name for name in await ctx.store.read(names) if name.startswith(start)])}


@click.group("keepsake")
def command() -> None:
    """Look at the things that are kept."""


@command.command("list")
@click.pass_obj
def list_command(app: App) -> None:
    """Print the names."""

    async def run(plugin: PluginContext[Settings]) -> None:
        for name in await plugin.store.read(names):
            click.echo(f"{plugin.settings.owner}: {name}")

    app.run(run)


async def play(clients: Sequence[SceneClient], say: Say) -> None:
    """Keep something in one server and read it in another."""
    first, second = clients
    say((await first.call("keepsake_keep", keepsakeName="shell", why="the sea")).text)
    say(await second.read("keepsake://one/shell"))


@hookimpl
def agenthost_settings() -> type[Settings]:
    """See hookspecs."""
    return Settings


@hookimpl
def agenthost_storage() -> Schema:
    """See hookspecs."""
    return SCHEMA


@hookimpl
def agenthost_tools() -> list[Tool]:
    """See hookspecs."""
    return [keepsake_keep, keepsake_throw_away, keepsake_show, WAIT]


@hookimpl
def agenthost_prompts() -> list[Prompt]:
    """See hookspecs."""
    return [keepsake_remember]


@hookimpl
def agenthost_resources() -> list[Resource | ResourceTemplate]:
    """See hookspecs."""
    return [keepsake_all, keepsake_one]


@hookimpl
def agenthost_extensions() -> list[Extension]:
    """See hookspecs."""
    return [Extension("org.example/keepsake", {"since": 2026}, {"keepsake/count": count})]


@hookimpl
def agenthost_routes(plugin: PluginContext[Settings]) -> list[BaseRoute]:
    """See hookspecs."""
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    async def shelf(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("\n".join(await plugin.store.read(names)))

    return [Route("/", shelf)]


@hookimpl
def agenthost_instructions(plugin: PluginContext[Settings]) -> str:
    """See hookspecs."""
    return f"Keepsakes of {plugin.settings.owner}: begin with keepsake_keep."


@hookimpl
def agenthost_lifespan(plugin: PluginContext[Settings]) -> Any:
    """See hookspecs."""

    @asynccontextmanager
    async def serving() -> AsyncIterator[None]:
        def keepsake_now() -> str:
            """Tell that the plugin is being served."""
            return "served"

        late = tool(keepsake_now)
        plugin.tools.add(late)
        plugin.log.info("opened")
        yield
        plugin.tools.remove(late.name)

    return serving()


@hookimpl
def agenthost_commands() -> click.Command:
    """See hookspecs."""
    return command


@hookimpl
def agenthost_demo() -> Scene:
    """See hookspecs."""
    return Scene("A thing that stays", play, processes=2)
