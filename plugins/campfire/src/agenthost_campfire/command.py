"""The command `agenthost campfire`: what a person wants to see of the fires in a terminal."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable
from typing import Any, TypeVar

import click
from agenthost import App, OperatorError, PluginContext, Store

from agenthost_campfire import transcript
from agenthost_campfire.addresses import FIRE, address
from agenthost_campfire.rules.duel import next_step, phase
from agenthost_campfire.rules.texts import BadText, clean_fire_id
from agenthost_campfire.shapes import DuelRecord, Message, News, Plan
from agenthost_campfire.store import access, duels, feed, messages, overview, plans, records
from agenthost_campfire.store.feed import Feed
from agenthost_campfire.store.fires import UnknownFire

R = TypeVar("R")

EVERYTHING = 1 << 30
"""As a limit: no limit."""

PAGE = 500


@click.group("campfire")
def command() -> None:
    """Look at the fires at which agents plan together."""


@command.command("list")
@click.pass_obj
def list_fires(app: App) -> None:
    """List all fires: phase, newest number, when it was made, id."""

    async def run(plugin: PluginContext[Any]) -> None:
        found = await access.read(plugin.store, overview.listed, None, EVERYTHING)
        if not found["fires"]:
            click.echo("There are no fires yet. Agents make them with campfire_get_or_create_fire.")
        for fire in found["fires"]:
            made = fire["createdAt"][:16].replace("T", " ")
            click.echo(f"{fire['state']:<23} {fire['lastSeq']:>7}  {made}  {transcript.plain(fire['id'])}")

    app.run(run)


@command.command("show")
@click.argument("fire")
@click.option("-n", "--last", type=click.IntRange(0), default=20, show_default=True, help="How many things to show.")
@click.pass_obj
def show(app: App, fire: str, last: int) -> None:
    """Show where FIRE stands: its phase, its plan and the last things that happened."""

    async def run(plugin: PluginContext[Any]) -> None:
        fire_id = _fire_id(fire)
        found = await _known(fire_id, access.read(plugin.store, feed.newest, fire_id, last, EVERYTHING))
        plan: Plan = await plugin.store.read(plans.get, fire_id)
        click.echo(f"Fire {transcript.plain(fire_id)}: {phase(found.duel)}, newest number {found.last_seq}.")
        click.echo(transcript.plain(next_step(found.duel)))
        if plan["content"] is not None:
            click.echo(f"\nThe plan, revision {plan['revision']}:\n{_indented(plan['content'])}")
        _print(found.items)

    app.run(run)


@command.command("watch")
@click.argument("fire")
@click.option("-n", "--last", type=click.IntRange(0), default=5, show_default=True, help="How many old things to show.")
@click.pass_obj
def watch(app: App, fire: str, last: int) -> None:
    """Follow FIRE live: everything that happens there, whoever does it, until you press Ctrl-C."""

    async def run(plugin: PluginContext[Any]) -> None:
        fire_id = _fire_id(fire)
        await _known(fire_id, access.read(plugin.store, overview.get, fire_id))
        async for found in follow(plugin.store, fire_id, last):
            _print(found.items)

    app.run(run)


@command.command("export")
@click.argument("fire")
@click.option(
    "--format", "form", type=click.Choice(["md", "json"]), default="md", show_default=True, help="Markdown or JSON."
)
@click.pass_obj
def export(app: App, fire: str, form: str) -> None:
    """Write all of FIRE to standard output: messages, every revision of the plan, every duel."""

    async def run(plugin: PluginContext[Any]) -> None:
        fire_id = _fire_id(fire)
        await _known(fire_id, access.read(plugin.store, overview.get, fire_id))
        if form == "json":
            click.echo(json.dumps(await _everything(plugin.store, fire_id), indent=2, ensure_ascii=False))
            return
        found = await access.read(plugin.store, feed.after, fire_id, 0, PAGE, EVERYTHING)
        click.echo(transcript.heading(fire_id, found.duel, found.last_seq), nl=False)
        while found.items:
            click.echo(transcript.entries(found.items), nl=False)
            found = await plugin.store.read(feed.after, fire_id, found.items[-1]["seq"], PAGE, EVERYTHING)

    app.run(run)


async def follow(store: Store, fire_id: str, last: int) -> AsyncIterator[Feed]:
    """The last things that happened at a fire, then what happens, as soon as it does; endless."""
    topic = address(FIRE, fire_id)
    number = await store.number(topic)
    found = await access.read(store, feed.newest, fire_id, last, EVERYTHING)
    seen = found.last_seq
    while True:
        yield found
        seen = found.items[-1]["seq"] if found.items else seen
        if seen >= found.last_seq:
            number = await store.wait(topic, number)
        found = await access.read(store, feed.after, fire_id, seen, PAGE, EVERYTHING)


async def _everything(store: Store, fire_id: str) -> dict[str, Any]:
    posted: list[Message] = []
    while True:
        query = messages.Query(after=posted[-1]["seq"] if posted else 0, limit=PAGE)
        page = await store.read(messages.page, fire_id, query, EVERYTHING)
        posted += page["messages"]
        if not page["hasMore"]:
            break
    fought: list[DuelRecord] = [
        await store.read(records.record, fire_id, row.id) for row in await store.read(duels.newest, fire_id, EVERYTHING)
    ]
    newest: Plan = await store.read(plans.get, fire_id)
    revisions: list[Plan] = [
        await store.read(plans.get, fire_id, revision) for revision in range(1, newest["lastRevision"] + 1)
    ]
    return {
        "fire": await access.read(store, overview.get, fire_id),
        "messages": posted,
        "plan": [{key: plan[key] for key in ("revision", "content", "updatedAt")} for plan in revisions],
        "duels": [{"duel": record["duel"], "transcript": record["transcript"]} for record in fought],
    }


def _print(items: list[News]) -> None:
    for item in items:
        click.echo(f"\n{item['seq']} {transcript.label(item)} ({item['createdAt']})\n{_indented(item['text'])}")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in transcript.plain(text).splitlines())


def _fire_id(given: str) -> str:
    try:
        return clean_fire_id(given)
    except BadText as error:
        raise OperatorError(f"FIRE: {error}") from None


async def _known(fire_id: str, found: Awaitable[R]) -> R:
    try:
        return await found
    except UnknownFire:
        raise OperatorError(f"there is no fire {fire_id!r}; agenthost campfire list shows all") from None
