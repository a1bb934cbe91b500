"""N: names that clients refuse, cut, change or mix up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agenthost.profiles.profile import SERVER_KEY
from agenthost.profiles.rule import Client, Hit, rule, tool_hit
from agenthost.surface import Entry


@rule("N01", "N02", cure="name it with letters, digits and _ only")
def characters(client: Client) -> Iterator[Hit]:
    """A tool's name has a character that the client does not take."""
    pattern = client.fact.pattern or ""
    return client.tools(
        "the name has other characters than letters, digits, _ and -", lambda tool: not re.fullmatch(pattern, tool.name)
    )


@rule("N03", cure="rename one, or set a prefix for its plugin")
def folded_names(client: Client) -> Iterator[Hit]:
    """Two names become one when a client writes `_` for what it does not take, or ignores case."""
    by_folded: dict[str, list[Entry]] = {}
    for tool in client.surface.tools:
        by_folded.setdefault(re.sub(r"[^A-Za-z0-9_]", "_", tool.name).lower(), []).append(tool)
    for tools in by_folded.values():
        for tool in tools[1:]:
            yield tool_hit(f"to some clients the name is the same as {tools[0].name!r}", tool)


SHORTEN = "shorten it; up to 40 characters suit every client"


@rule("N04", "N05", "N06", "N07", "N08", "N09", "N10", "N11", "N12", cure=SHORTEN)
def length(client: Client) -> Iterator[Hit]:
    """A tool's name is too long, with what the client puts before it."""
    form, limit = client.fact.form, client.fact.at_most
    counted = form.format(server=SERVER_KEY, tool="NAME")
    detail = f"more than {limit} characters{'' if counted == 'NAME' else f' as {counted}'}"
    return client.tools(
        "the name is long", lambda tool: len(form.format(server=SERVER_KEY, tool=tool.name)) > limit, detail
    )


@rule("N13", cure="use one _ between words, and none at the beginning")
def underscores(client: Client) -> Iterator[Hit]:
    """A tool's name looks like one that already has a prefix."""
    looks_prefixed = re.compile(r"_|.*__")
    return client.tools("the name begins with _ or has __ in it", lambda tool: looks_prefixed.match(tool.name))


@rule("N17", cure="name it with letters, digits, _ and - only")
def prompt_characters(client: Client) -> Iterator[Hit]:
    """A prompt's name cannot be a slash command."""
    for prompt in client.surface.prompts:
        if not re.fullmatch(client.fact.pattern or "", prompt.name):
            yield Hit("the name has characters that a slash command cannot have", "prompt", prompt.name, prompt.plugin)
