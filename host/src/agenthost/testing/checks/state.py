"""State: is it the same for every connection, and after a restart?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from typing import Any

from mcp import MCPError

from agenthost.testing.checks.calls import arguments_of
from agenthost.testing.checks.offers import Offers, read_offers
from agenthost.testing.checks.serving import talk
from agenthost.testing.checks.trial import Trial, one_line
from agenthost.testing.clients import WatchingClient
from agenthost.testing.process import ServerProcess

CHECK = "state"

Look = Mapping[str, str]
"""What a client sees: the lists, what the resources say, what the tools answer that only read."""


async def check_state(trial: Trial, server: ServerProcess, offers: Offers) -> None:
    """Look from two connections of different eras, and again after a restart; what is there has to stay.

    What differs between two looks from one connection changes by itself, and is not compared.
    """
    async with talk(trial, server, "modern") as client:
        one, again = await _look(trial, client, offers), await _look(trial, client, offers)
    steady = {key: seen for key, seen in one.items() if again.get(key) == seen and key not in trial.changing}
    async with talk(trial, server, "legacy") as client:
        other = await _look(trial, client, offers)
    for key, seen in steady.items():
        if other.get(key) != seen:
            trial.fault(CHECK, f"{_named(key)} depends on the connection: {_difference(seen, other.get(key))}")
            trial.changing |= {key}
    server.process.terminate()
    await asyncio.to_thread(server.wait)
    async with talk(trial, trial.plugin.start_http(), "modern") as client:
        after = await _look(trial, client, offers)
    for key, seen in steady.items():
        if key not in trial.changing and after.get(key) != seen:
            trial.fault(CHECK, f"{_named(key)} does not survive a restart: {_difference(seen, after.get(key))}")


async def _look(trial: Trial, client: WatchingClient, offers: Offers) -> Look:
    names = (await read_offers(trial, "modern", client)).names()
    seen = {kind: json.dumps(names[kind]) for kind in names}
    for resource in offers.resources:
        if (uri := str(resource.uri)) not in trial.hanging:
            seen[uri] = await _answer(client.read_resource(uri))
    for tool in offers.tools:
        given = arguments_of(trial, tool)
        if given is not None and tool.annotations is not None and tool.annotations.read_only_hint:
            seen[tool.name] = await _answer(client.call_tool(tool.name, given))
    return seen


async def _answer(call: Coroutine[Any, Any, Any]) -> str:
    try:
        result = await call
    except (MCPError, RuntimeError, ValueError) as error:
        return str(error)
    dumped: str = result.model_dump_json(include={"contents", "content", "structured_content"}, by_alias=True)
    return dumped


def _named(key: str) -> str:
    if key in Offers().names():
        return f"the list of {key}"
    return f"resource {key}" if "://" in key else f"tool {key}"


def _difference(before: str, after: str | None) -> str:
    return f"{one_line(before, 120)} becomes {one_line(after or 'nothing', 120)}"
