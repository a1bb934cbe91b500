"""`agenthost demo`: real servers as children, real clients, one short scene per plugin."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
import textwrap
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import click

from agenthost.assembly import assemble
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.cli.client import cause, connect, written
from agenthost.cli.text import terminal_width
from agenthost.errors import OperatorError
from agenthost.plugins import ask, expect
from agenthost.scenes import Answer, Scene, SceneClient
from agenthost.toml_text import inline

SCENE_LIMIT = 60.0
"""Seconds that one scene may take."""

WIDTH = 100
"""Characters of an argument that are worth showing."""

LINES = 8
"""Lines of an answer that are worth showing."""


@click.command("demo", help=VERBS["demo"])
@selection_options
@host_options
@click.pass_obj
def command(app: HostApp) -> int:
    assembly = assemble(app.options)
    if assembly.findings:
        raise OperatorError("\n".join(str(finding) for finding in assembly.findings))
    names = [plugin.name for plugin in assembly.plugins]
    asked = {name: ask(assembly.found[name], "agenthost_demo", "a Scene", expect(Scene)) for name in names}
    scenes = {name: scene for name, scene in asked.items() if scene is not None}
    if not scenes:
        raise OperatorError("no plugin with a scene is installed; for example: pip install agenthost-void")
    for name, scene in scenes.items():
        click.echo(f"\n== {name}: {scene.title}")
        try:
            asyncio.run(_play(name, scene, names))
        except Exception as error:
            raise OperatorError(f"the scene of {name} failed: {_explain(error)}") from error
    click.echo(f"\nEverything worked: {len(scenes)} of {len(scenes)} scenes.")
    return 0


async def _play(name: str, scene: Scene, plugins: Sequence[str]) -> None:
    """Run one scene on fresh servers that share one temporary state directory."""
    with tempfile.TemporaryDirectory(prefix="agenthost-demo-") as folder:
        async with AsyncExitStack() as stack:
            clients: list[SceneClient] = []
            for number in range(scene.processes):
                label = f"client {number + 1}: " if scene.processes > 1 else ""
                client = await stack.enter_async_context(_connect(Path(folder), number, name, scene, plugins))
                clients.append(_ShowingClient(client, label))
            async with asyncio.timeout(SCENE_LIMIT):
                await scene.run(clients, lambda text: click.echo(f"\n{text}"))


@asynccontextmanager
async def _connect(folder: Path, number: int, name: str, scene: Scene, plugins: Sequence[str]) -> AsyncIterator[Any]:
    """A server process of its own and an official MCP client connected to it."""
    config = folder / "agenthost.toml"
    config.write_text("", encoding="utf-8")
    arguments = ["--strict", f"--config={config}", f"--state-dir={folder / 'state'}", f"--plugins={','.join(plugins)}"]
    settings = [f"--set={name}.{key}={inline(value)}" for key, value in scene.settings.items()]
    with (folder / f"stderr-{number}").open("w+", encoding="utf-8") as stderr:
        try:
            async with connect([*arguments, *settings], stderr) as client:
                yield client
        except BaseException:
            task = asyncio.current_task()
            if task is None or not task.cancelling():  # Ctrl-C says nothing about the server
                click.echo(f"\nThe server's stderr:\n{written(stderr)}", err=True)
            raise


class _ShowingClient:
    """A `SceneClient` that prints each call and its answer."""

    asked: _ShowingClient | None = None
    """Whose request was printed last; an answer to another one has to say whose it is."""

    def __init__(self, client: Any, label: str) -> None:
        self._client = client
        self._label = label

    async def tools(self) -> list[str]:
        self._ask("tools/list")
        listed = await self._client.list_tools(cache_mode="bypass")
        return self._show_names([tool.name for tool in listed.tools])

    async def call(self, name: str, /, **arguments: Any) -> Answer:
        self._ask(f"{name}({_arguments(arguments)})")
        result = await self._client.call_tool(name, arguments)
        text = _text(result.content)
        self._show(text, "!!" if result.is_error else "->")
        return Answer(text, result.structured_content, bool(result.is_error))

    async def prompts(self) -> list[str]:
        self._ask("prompts/list")
        listed = await self._client.list_prompts(cache_mode="bypass")
        return self._show_names([prompt.name for prompt in listed.prompts])

    async def prompt(self, name: str, /, **arguments: str) -> str:
        self._ask(f"prompt {name}({_arguments(arguments)})")
        result = await self._client.get_prompt(name, arguments)
        return self._show(_text([message.content for message in result.messages]))

    async def read(self, uri: str) -> str:
        self._ask(f"read {uri}")
        result = await self._client.read_resource(uri, cache_mode="bypass")
        return self._show("\n".join(part.text for part in result.contents if hasattr(part, "text")))

    def _ask(self, request: str) -> None:
        _ShowingClient.asked = self
        click.echo(f"  {self._label}{request}")

    def _show(self, text: str, mark: str = "->") -> str:
        self._print(_worth_showing(text), mark)
        return text

    def _show_names(self, names: list[str]) -> list[str]:
        self._print(_wrap(", ".join(names)), "->")
        return names

    def _print(self, lines: Sequence[str], mark: str) -> None:
        if _ShowingClient.asked is not self:
            _ShowingClient.asked = self
            click.echo(f"  {self._label}is answered")
        for line in lines:
            click.echo(f"    {mark} {line}")


def _arguments(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={_shorten(json.dumps(value, ensure_ascii=False))}" for key, value in arguments.items())


def _text(content: Sequence[Any]) -> str:
    return "\n".join(block.text for block in content if block.type == "text")


def _worth_showing(text: str) -> list[str]:
    """The lines of an answer, as many as are worth showing; JSON without its indentation."""
    with contextlib.suppress(ValueError):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    lines = [part for line in text.splitlines() or [""] for part in _wrap(line) or [""]]
    more = len(lines) - LINES
    return [*lines[:LINES], *([f"… ({more} more line{'s' * (more > 1)})"] if more > 0 else [])]


def _wrap(line: str) -> list[str]:
    return textwrap.wrap(line, terminal_width() - len("    -> "), break_on_hyphens=False)


def _shorten(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _explain(error: BaseException) -> str:
    """What went wrong, without the groups that tasks put around it."""
    reason = cause(error)
    return f"{type(reason).__name__}: {reason}" if str(reason) else type(reason).__name__
