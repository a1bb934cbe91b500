"""`agenthost call`: one tool call through a real server, with the operator's own settings and data."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import IO, Any

import click

from agenthost.assembly import Options
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.cli.client import cause, connect, serve_arguments, written
from agenthost.cli.text import safe
from agenthost.errors import INVALID_PARAMS, OperatorError

log = logging.getLogger("agenthost")

TOOL_FAILED = 1
"""Exit code when the tool reports an error, or the server fails to answer."""

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


@click.command(
    "call",
    help=f"""{VERBS["call"]}

    The server is started for this call and ended after it. It uses your settings and your data:
    what the tool does is real. Exit code 1: the tool reported an error.""",
)
@click.argument("name")
@click.option(
    "--arg",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    help="One argument: a text, or JSON where the tool wants something else. May be repeated.",
)
@click.option("--json", "text", metavar="OBJECT", help="All arguments as one JSON object; --arg wins over it.")
@selection_options
@host_options
@click.pass_obj
def command(app: HostApp, name: str, pairs: tuple[str, ...], text: str | None) -> int:
    given = read_object(text)
    texts = read_pairs(pairs)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stderr:
        return asyncio.run(_call(app.options, name, given, texts, stderr))


def read_object(text: str | None) -> dict[str, Any]:
    """The value of `--json`.

    Raises:
        click.BadParameter: it is no JSON object.
    """
    try:
        value = {} if text is None else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"is not JSON: {error}", param_hint="--json") from error
    if not isinstance(value, dict):
        raise click.BadParameter('has to be an object, for example {"name": "Ada"}', param_hint="--json")
    return value


def read_pairs(pairs: Sequence[str]) -> dict[str, str]:
    """The values of `--arg`, each as a text.

    Raises:
        click.BadParameter: one is no `KEY=VALUE`, or a key is there twice.
    """
    texts: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise click.BadParameter(f"{pair!r}: write KEY=VALUE", param_hint="--arg")
        if key in texts:
            raise click.BadParameter(f"{key!r} is there twice", param_hint="--arg")
        texts[key] = value
    return texts


def read_value(text: str, schema: Any) -> Any:
    """A text as what its schema wants: JSON where a text is not wanted and the JSON is, else the text.

    Only a plain `type` is looked at. Otherwise the text is sent, and the server reads it.
    """
    named = schema.get("type") if isinstance(schema, Mapping) else None
    wanted = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    if not wanted or "string" in wanted:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    is_wanted = any(
        isinstance(value, _TYPES.get(kind, ())) and (not isinstance(value, bool) or kind == "boolean")
        for kind in wanted
    )
    return value if is_wanted else text


async def _call(options: Options, name: str, given: dict[str, Any], texts: Mapping[str, str], stderr: IO[str]) -> int:
    """Start the server, call, show the result.

    Raises:
        OperatorError: the server did not start, or refuses the request.
    """
    from mcp import MCPError

    is_open, before = False, 0
    try:
        async with connect(serve_arguments(options), stderr) as client:
            is_open = True
            schema: Mapping[str, Any] = {}
            if texts:
                listed = await client.list_tools()
                schema = next((tool.input_schema for tool in listed.tools if tool.name == name), {})
            properties = schema.get("properties", {})
            values = {key: read_value(text, properties.get(key)) for key, text in texts.items()}
            before = os.fstat(stderr.fileno()).st_size
            result = await client.call_tool(name, {**given, **values})
    except Exception as error:
        reason = cause(error)
        if not is_open:
            _show_stderr(written(stderr))
            raise OperatorError(f"the server did not start: {reason}") from error
        if isinstance(reason, MCPError) and reason.code == INVALID_PARAMS:
            _show_stderr("\n".join(_reported(written(stderr))))
            raise OperatorError(f"{reason}; agenthost tools lists what there is") from error
        _show_stderr(written(stderr, before))
        log.error("%s: %s", name, reason)
        return TOOL_FAILED
    for line in describe(result):
        click.echo(safe(line) if sys.stdout.isatty() else line)
    if result.is_error:
        _show_stderr(written(stderr, before))
        return TOOL_FAILED
    return 0


def describe(result: Any) -> list[str]:
    """A result as texts to print, block by block; the structured content only if it says more than they do."""
    shown = [_describe_block(block) for block in result.content]
    texts = [block.text for block in result.content if block.type == "text"]
    if _says_more(result.structured_content, texts):
        structured = json.dumps(result.structured_content, indent=2, ensure_ascii=False)
        shown += [structured] if not shown else ["", "structured content:", structured]
    return shown


def _describe_block(block: Any) -> str:
    match block.type:
        case "text":
            text: str = block.text
            return text
        case "image" | "audio":
            return f"[{block.type}: {block.mime_type}, {_size(block.data)} bytes]"
        case "resource_link":
            return f"[link: {block.name}, {block.uri}]"
        case _:
            contents = block.resource
            if hasattr(contents, "text"):
                return f"[resource: {contents.uri}]\n{contents.text}"
            return f"[resource: {contents.uri}, {contents.mime_type}, {_size(contents.blob)} bytes]"


def _size(data: str) -> int:
    return len(base64.b64decode(data))


def _says_more(structured: Any, texts: Sequence[str]) -> bool:
    if structured is None:
        return False
    for text in texts:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = text
        if structured in (value, {"result": value}, {"result": text}):
            return False
    return True


def _reported(text: str) -> list[str]:
    """What a server has to report, of all that it wrote: a tool may be unknown because its plugin failed."""
    return [line for line in text.splitlines() if line.startswith(("agenthost: warning:", "agenthost: error:"))]


def _show_stderr(text: str) -> None:
    if text.strip():
        click.echo(f"The server's stderr:\n{text.rstrip()}", err=True)
