"""Boards to write on, in a store that processes share and in memory; and tools and resources that come later."""

from __future__ import annotations

from typing import Any, Literal

from agenthost import (
    CallContext,
    PluginContext,
    Resource,
    ResourceTemplate,
    Schema,
    Step,
    Tool,
    Transaction,
    hookimpl,
    resource,
    tool,
)

PATTERN = "board://{name}"
MEMORY = {"text": ""}
LEVELS: tuple[Literal["debug", "info", "warning", "error"], ...] = ("debug", "info", "warning", "error")


def write(tx: Transaction, name: str, text: str) -> None:
    tx.execute(
        "INSERT INTO boards (name, text) VALUES (:name, :text) ON CONFLICT (name) DO UPDATE SET text = excluded.text",
        {"name": name, "text": text},
    )
    tx.changed(f"board://{name}")


def read(tx: Transaction, name: str) -> str:
    found = tx.one("SELECT text FROM boards WHERE name = :name", {"name": name})
    return "" if found is None else str(found["text"])


@tool
async def board_write(name: str, text: str, ctx: CallContext[Any]) -> str:
    """Write on a board."""
    await ctx.store.write(write, name, text)
    return "Written."


@tool
def board_think(text: str, ctx: CallContext[Any]) -> str:
    """Write on the board in memory, from a thread."""
    MEMORY["text"] = text
    ctx.plugin.updated("memory://board")
    return "Thought."


@tool
def board_offer(name: str, ctx: CallContext[Any]) -> str:
    """Offer one more tool, from a thread."""
    ctx.plugin.tools.add(Tool(name, lambda arguments, ctx: name, name, {"type": "object"}))
    return "Offered."


@tool
async def board_shelve(name: str, ctx: CallContext[Any]) -> str:
    """Serve a board at an address that nobody has served so far."""

    async def shelved(ctx: CallContext[Any]) -> str:
        return await ctx.store.read(read, name)

    ctx.plugin.resources.add(Resource(f"shelved://{name}", shelved, name))
    return "Shelved."


@tool
async def board_touch(uri: str, ctx: CallContext[Any], times: int = 1) -> str:
    """Say that something has changed in the store."""
    for _ in range(times):
        await ctx.store.write(lambda tx: tx.changed(uri))
    return "Touched."


@tool
def board_log(ctx: CallContext[Any]) -> str:
    """Log something of every level."""
    for level in LEVELS:
        ctx.log(level, f"a {level}")
    return "Logged."


@resource(PATTERN)
async def board(name: str, ctx: CallContext[Any]) -> str:
    """What is written on a board."""
    return await ctx.store.read(read, name)


@resource("memory://board")
def memory() -> str:
    """What was thought last."""
    return MEMORY["text"]


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [board_write, board_think, board_offer, board_shelve, board_touch, board_log]


@hookimpl
def agenthost_resources(plugin: PluginContext[Any]) -> list[Resource | ResourceTemplate]:
    return [board, memory]


@hookimpl
def agenthost_storage() -> Schema:
    return Schema((Step("boards", ("CREATE TABLE boards (name TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL)",)),))
