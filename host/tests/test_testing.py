"""The test kit boots the real host with one plugin, in every way in which clients reach it."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import Era, PluginUnderTest, Transport, UsePlugin

LIMIT = 60.0

KEEPER = '''
from typing import Any
from agenthost import CallContext, PluginContext, Resource, Schema, Step, Tool, Transaction, hookimpl, resource, tool

URI = "keeper://notes"

def write(tx: Transaction, text: str) -> None:
    tx.execute("INSERT INTO notes (text) VALUES (:text)", {"text": text})
    tx.changed(URI)

def read(tx: Transaction) -> list[str]:
    return [row["text"] for row in tx.all("SELECT text FROM notes ORDER BY text")]

@tool
async def keeper_keep(text: str, ctx: CallContext[Any]) -> str:
    """Keep a text."""
    await ctx.store.write(write, text)
    return "Kept."

@tool
async def keeper_learn(name: str, ctx: CallContext[Any]) -> str:
    """Learn one more tool."""
    ctx.plugin.tools.add(Tool(name, lambda arguments, ctx: name, input_schema={"type": "object"}))
    return "Learnt."

@resource(URI)
async def keeper_notes(ctx: CallContext[Any]) -> list[str]:
    """All texts."""
    return await ctx.store.read(read)

@hookimpl
def agenthost_storage() -> Schema:
    return Schema((Step("the notes", ("CREATE TABLE notes (text TEXT PRIMARY KEY NOT NULL)",)),))

@hookimpl
def agenthost_tools() -> list[Tool]:
    return [keeper_keep, keeper_learn]

@hookimpl
def agenthost_resources() -> list[Resource]:
    return [keeper_notes]
'''

Install = Callable[..., str]
"""`install(source)`: a plugin with this source is installed, here and for child processes; its name is returned."""

in_both_eras = pytest.mark.parametrize("era", ["legacy", "modern"])
over_every_transport = pytest.mark.parametrize("over", ["memory", "stdio", "http"])


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    folder = tmp_path / "installed"
    metadata = folder / "agenthost_made.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: agenthost-made\nVersion: 1.0\nRequires-Dist: agenthost-core>=0.1\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))

    def install(source: str) -> str:
        (folder / "agenthost_made.py").write_text(textwrap.dedent(source), encoding="utf-8")
        (metadata / "entry_points.txt").write_text("[agenthost]\nmade = agenthost_made\n", encoding="utf-8")
        return "made"

    yield install
    sys.modules.pop("agenthost_made", None)


@pytest.fixture
def keeper(install: Install, agenthost_plugin: UsePlugin) -> PluginUnderTest:
    return agenthost_plugin(install(KEEPER))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, LIMIT))


@in_both_eras
@over_every_transport
def test_the_official_client_meets_the_plugin_alone(keeper: PluginUnderTest, era: Era, over: Transport) -> None:
    async def scenario() -> None:
        async with keeper.connect(era, over) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["keeper_keep", "keeper_learn"]
            kept = await client.call_tool("keeper_keep", {"text": over})
            assert not kept.is_error

    run(scenario())


@in_both_eras
@over_every_transport
def test_a_client_waits_for_a_list_change_and_for_an_update(keeper: PluginUnderTest, era: Era, over: Transport) -> None:
    async def scenario() -> None:
        async with keeper.connect(era, over) as client, client.watch("keeper://notes") as changes:
            await client.call_tool("keeper_keep", {"text": "a"})
            await changes.of_resource("keeper://notes")
            await client.call_tool("keeper_learn", {"name": "sing"})
            await changes.of_list("tools")
            with pytest.raises(TimeoutError, match=r"no notice of notifications/prompts/list_changed within 0\.05 s"):
                await changes.of_list("prompts", within=0.05)

    run(scenario())


@in_both_eras
def test_a_second_process_is_on_the_same_state(keeper: PluginUnderTest, era: Era) -> None:
    one, other = keeper.start(era), keeper.start(era)
    other.watch("keeper://notes")
    one.text("keeper_keep", {"text": "shared"})
    other.wait_for_update("keeper://notes")
    [contents] = other.request("resources/read", {"uri": "keeper://notes"})["result"]["contents"]
    assert "shared" in contents["text"]
    other.text("keeper_learn", {"name": "sing"})
    other.wait_for_list_change("tools")


def test_clients_of_both_eras_meet_in_one_process_over_http(keeper: PluginUnderTest) -> None:
    async def scenario() -> None:
        server = keeper.start_http()
        async with keeper.connect("legacy", server) as one, keeper.connect("modern", server) as other:
            await one.call_tool("keeper_keep", {"text": "shared"})
            read = await other.read_resource("keeper://notes")
            assert "shared" in str(read.contents[0])

    run(scenario())


def test_every_plugin_under_test_begins_with_nothing(keeper: PluginUnderTest, agenthost_plugin: UsePlugin) -> None:
    keeper.start().text("keeper_keep", {"text": "old"})
    fresh = agenthost_plugin(keeper.name).start()
    [contents] = fresh.request("resources/read", {"uri": "keeper://notes"})["result"]["contents"]
    assert contents["text"] == "[]"


def test_settings_are_given_and_what_is_wrong_with_them_keeps_it_from_starting(
    keeper: PluginUnderTest, agenthost_plugin: UsePlugin
) -> None:
    from agenthost import OperatorError

    async def scenario() -> None:
        async with agenthost_plugin(keeper.name, {"colour": "red"}).connect():
            pass

    with pytest.raises(OperatorError, match="colour"):
        run(scenario())
