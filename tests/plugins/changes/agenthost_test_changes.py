"""A plugin that changes its tools while it is served, on request, in every way there is."""

from __future__ import annotations

import threading
from typing import Any

from agenthost import CallContext, Prompt, Resource, Tool, hookimpl, tool


def made(name: str, **fields: Any) -> Tool:
    """A tool that answers with its own name."""

    async def answer(arguments: dict[str, Any], ctx: CallContext[Any]) -> str:
        return f"made {name}"

    return Tool(name, answer, **{"input_schema": {"type": "object"}, **fields})


@tool
async def add(names: list[str], ctx: CallContext[Any], schema: dict[str, Any] | None = None) -> str:
    """Add tools one by one, in one turn of the loop."""
    for name in names:
        ctx.plugin.tools.add(made(name, **({"input_schema": schema} if schema is not None else {})))
    return "added"


@tool
async def remove(names: list[str], ctx: CallContext[Any]) -> str:
    """Remove tools one by one, in one turn of the loop."""
    for name in names:
        ctx.plugin.tools.remove(name)
    return "removed"


@tool
async def describe(name: str, text: str, ctx: CallContext[Any]) -> str:
    """Exchange a tool for one of the same name with another description, at the same place."""
    ctx.plugin.tools.replace([made(name, description=text) if own.name == name else own for own in ctx.plugin.tools])
    return "described"


@tool
async def replace_with_equal(ctx: CallContext[Any]) -> str:
    """Replace all tools by equal ones, each made anew."""
    kept = [
        made(own.name, description=own.description) if own.name.startswith("t") else own for own in ctx.plugin.tools
    ]
    ctx.plugin.tools.replace(kept)
    return "replaced"


@tool
async def replace_with(names: list[str], ctx: CallContext[Any]) -> str:
    """Replace what was made by tools of these names; the tools that make the changes stay."""
    ctx.plugin.tools.replace([*OWN, *map(made, names)])
    return "replaced"


@tool
async def come_and_go(name: str, ctx: CallContext[Any]) -> str:
    """Add a tool and remove it again, in one turn of the loop."""
    ctx.plugin.tools.add(made(name))
    ctx.plugin.tools.remove(name)
    return "came and went"


@tool
def add_from_threads(names: list[str], ctx: CallContext[Any]) -> str:
    """Add every name from a thread of its own, all at once."""
    together = threading.Barrier(len(names))

    def add_one(name: str) -> None:
        together.wait(10)
        ctx.plugin.tools.add(made(name))

    threads = [threading.Thread(target=add_one, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return "added"


@tool
def race_for(name: str, rivals: int, ctx: CallContext[Any]) -> dict[str, int]:
    """Let threads add a tool of the same name all at once; tells how many were accepted."""
    together = threading.Barrier(rivals)
    accepted: list[bool] = []

    def try_to_add() -> None:
        together.wait(10)
        try:
            ctx.plugin.tools.add(made(name))
        except Exception:  # noqa: BLE001  (only their number counts)
            return
        accepted.append(True)

    threads = [threading.Thread(target=try_to_add) for _ in range(rivals)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"accepted": len(accepted)}


@tool
async def registered(ctx: CallContext[Any]) -> dict[str, list[str]]:
    """The names in the plugin's own registry."""
    return {"names": [own.name for own in ctx.plugin.tools]}


@tool
async def add_prompts(names: list[str], ctx: CallContext[Any]) -> str:
    """Add prompts one by one, in one turn of the loop."""
    for name in names:
        ctx.plugin.prompts.add(Prompt(name, lambda arguments, ctx: "asked", arguments=()))
    return "added"


@tool
async def add_resources(uris: list[str], ctx: CallContext[Any]) -> str:
    """Add resources one by one, in one turn of the loop."""
    for uri in uris:
        ctx.plugin.resources.add(Resource(uri, lambda: "read", uri))
    return "added"


@tool
async def clear(ctx: CallContext[Any]) -> str:
    """Take all prompts and resources away."""
    ctx.plugin.prompts.replace([])
    ctx.plugin.resources.replace([])
    return "cleared"


OWN = [
    add,
    remove,
    describe,
    replace_with_equal,
    replace_with,
    come_and_go,
    add_from_threads,
    race_for,
    registered,
    add_prompts,
    add_resources,
    clear,
]
"""The tools that make the changes."""


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [*OWN, made("t0")]
