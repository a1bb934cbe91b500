"""Templates that overlap, addresses with anything in them, completions, a word of its own for what is missing."""

from __future__ import annotations

from typing import Literal

from agenthost import (
    CallContext,
    PluginContext,
    Prompt,
    Resource,
    ResourceTemplate,
    Tool,
    hookimpl,
    prompt,
    resource,
    tool,
)


@resource(
    "shelf://books/{title}", complete={"title": lambda value, arguments, ctx: (f"{value}{n}" for n in range(250))}
)
def book(title: str) -> str:
    return f"book {title!r}"


@resource("shelf://{+path}")
def anything(path: str) -> str:
    return f"anything {path!r}"


@resource("shelf://books/first")
def first() -> str:
    return "the first book, exactly"


@resource("note://today")
def today() -> str:
    return "shelf's today"


@prompt(name="b__c")
def separated(tone: Literal["calm", "cross"] = "calm") -> str:
    return f"shelf: {tone}"


@tool
async def shelf_touch(uri: str, ctx: CallContext) -> str:
    """Say twice in one turn of the loop that the contents of a resource have changed."""
    ctx.plugin.updated(uri)
    ctx.plugin.updated(uri)
    return "touched"


def missing(name: str) -> str | None:
    return f"Nobody has lent {name}." if name.startswith("lent") else None


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [shelf_touch]


@hookimpl
def agenthost_prompts(plugin: PluginContext) -> list[Prompt]:
    plugin.prompts.explain_missing = missing
    return [separated]


@hookimpl
def agenthost_resources() -> list[Resource | ResourceTemplate]:
    return [anything, book, first, today]
