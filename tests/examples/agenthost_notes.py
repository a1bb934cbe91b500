"""An example plugin: it keeps notes that every client and every server on the machine sees."""

from __future__ import annotations

from agenthost import CallContext, Schema, Step, Tool, Transaction, hookimpl, tool


def put(tx: Transaction, title: str, text: str) -> None:
    tx.execute(
        "INSERT INTO notes (title, text) VALUES (:title, :text) ON CONFLICT (title) DO UPDATE SET text = excluded.text",
        {"title": title, "text": text},
    )
    tx.changed("notes")


def get(tx: Transaction, title: str) -> str | None:
    row = tx.one("SELECT text FROM notes WHERE title = :title", {"title": title})
    return None if row is None else row["text"]


@tool
async def notes_write(title: str, text: str, ctx: CallContext) -> str:
    """Keep a text under a title; an older one of that title is replaced."""
    await ctx.store.write(put, title, text)
    return "Kept."


@tool
async def notes_read(title: str, ctx: CallContext) -> str:
    """Read the text under a title."""
    return await ctx.store.read(get, title) or "There is no note of that title; notes_write makes one."


@hookimpl
def agenthost_storage() -> Schema:
    return Schema((Step("notes by title", ("CREATE TABLE notes (title TEXT PRIMARY KEY, text TEXT NOT NULL)",)),))


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [notes_write, notes_read]
