"""L: lists that are too long or too short."""

from __future__ import annotations

from collections.abc import Iterator

from agenthost.profiles.rule import Client, Hit, rule


@rule("L01", "L03", "L04", "L05", cure="serve fewer plugins (--plugins), or deny tools ([plugins.NAME] tools.deny)")
def many_tools(client: Client) -> Iterator[Hit]:
    """There are more tools than the client takes of all its servers."""
    count = len(client.surface.tools)
    if count > client.fact.at_most:
        yield Hit(f"there are {count}", "list", "of tools", detail=f"more than {client.fact.at_most}")


@rule("L02", cure="shorten descriptions, serve fewer plugins (--plugins), or deny tools ([plugins.NAME] tools.deny)")
def many_words(client: Client) -> Iterator[Hit]:
    """All descriptions together are longer than the client takes of all its servers."""
    total = sum(len(tool.description) for tool in client.surface.tools)
    if total > client.fact.at_most:
        what = f"the descriptions have {total} characters together"
        yield Hit(what, "list", "of tools", detail=f"more than {client.fact.at_most}")


@rule("L07", cure="serve at least one plugin that offers something")
def nothing(client: Client) -> Iterator[Hit]:
    """There is nothing at all."""
    surface = client.surface
    if not (surface.tools or surface.prompts or surface.resources or surface.templates):
        yield Hit("nothing is served", "list", "of tools")
