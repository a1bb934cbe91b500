"""D: descriptions and instructions that are cut, missing or never seen."""

from __future__ import annotations

from collections.abc import Iterator

from agenthost.instructions import units
from agenthost.profiles.rule import Client, Hit, rule


@rule("D01", cure="shorten it; say in the first sentence what the tool does and when to call it")
def cut_by_units(client: Client) -> Iterator[Hit]:
    """A description is too long, counted as JavaScript counts."""
    limit = client.fact.at_most
    detail = f"more than {limit} UTF-16 units"
    return client.tools("the description is long", lambda tool: units(tool.description) > limit, detail)


@rule("D02", cure="shorten it; say in the first sentence what the tool does and when to call it")
def cut_by_characters(client: Client) -> Iterator[Hit]:
    """A description is too long."""
    limit = client.fact.at_most
    detail = f"more than {limit} characters"
    return client.tools("the description is long", lambda tool: len(tool.description) > limit, detail)


@rule("D03", cure="write a description: what the tool does, when to call it, what to call next")
def no_description(client: Client) -> Iterator[Hit]:
    """There is no description."""
    return client.tools("there is no description", lambda tool: not tool.description.strip())


@rule("D04", cure="shorten what agenthost_instructions returns, or serve fewer plugins")
def cut_instructions(client: Client) -> Iterator[Hit]:
    """The plugins' instructions do not fit into what the client takes, so the host has cut them."""
    merged = client.surface.merged or ""
    for plugin, text in client.surface.instructions.items():
        if " ".join(text.split()) not in merged:
            what = f"with those of all plugins the instructions have more than {client.fact.at_most} UTF-16 units"
            yield Hit(what, "plugin", plugin, plugin)


@rule("D05", cure="make the first sentence of agenthost_instructions a short one that says the most important thing")
def late_point(client: Client) -> Iterator[Hit]:
    """The part that the client reads first does not hold a whole sentence of each plugin."""
    merged, limit = client.surface.merged or "", client.fact.at_most
    if len(merged) <= limit:
        return
    lines = merged[:limit].partition("\n\n")[0].splitlines()
    for plugin, text in client.surface.instructions.items():
        begins = next((line for line in lines if line.startswith(f"{plugin}: ")), None)
        if text.strip() and (begins is None or begins.endswith("…")):
            what = f"the first sentence of the instructions is not whole in the first {limit} characters"
            yield Hit(what, "plugin", plugin, plugin)


@rule("D06", cure="see that the description of a tool says all that is needed to use it")
def unread_instructions(client: Client) -> Iterator[Hit]:
    """There are instructions, and the client does not show them."""
    for plugin, text in client.surface.instructions.items():
        if text.strip():
            yield Hit("there are instructions", "plugin", plugin, plugin)
