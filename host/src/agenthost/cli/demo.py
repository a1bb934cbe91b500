"""`agenthost demo`: real servers as children, real clients, one short scene per plugin."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import click

from agenthost.assembly import assemble
from agenthost.cli import VERBS, host_options, selection_options
from agenthost.cli.app import HostApp
from agenthost.cli.client import cause, connect, written
from agenthost.errors import OperatorError
from agenthost.plugins import ask, expect
from agenthost.scenes import Answer, Scene, SceneClient
from agenthost.toml_text import inline

SCENE_LIMIT = 60.0
"""Seconds that one scene may take."""

WIDTH = 100
"""Characters of a value that are worth showing."""


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
            click.echo(f"\nThe server's stderr:\n{written(stderr)}", err=True)
            raise


class _ShowingClient:
    """A `SceneClient` that prints each call and its answer."""

    def __init__(self, client: Any, label: str) -> None:
        self._client = client
        self._label = label

    async def tools(self) -> list[str]:
        listed = await self._client.list_tools(cache_mode="bypass")
        names = [tool.name for tool in listed.tools]
        click.echo(f"  {self._label}tools/list\n    -> {', '.join(names)}")
        return names

    async def call(self, name: str, /, **arguments: Any) -> Answer:
        self._show_request(name, arguments)
        result = await self._client.call_tool(name, arguments)
        text = _text(result.content)
        _show_answer(text, "!!" if result.is_error else "->")
        return Answer(text, result.structured_content, bool(result.is_error))

    async def prompts(self) -> list[str]:
        listed = await self._client.list_prompts(cache_mode="bypass")
        names = [prompt.name for prompt in listed.prompts]
        click.echo(f"  {self._label}prompts/list\n    -> {', '.join(names)}")
        return names

    async def prompt(self, name: str, /, **arguments: str) -> str:
        self._show_request(f"prompt {name}", arguments)
        result = await self._client.get_prompt(name, arguments)
        text = _text([message.content for message in result.messages])
        _show_answer(text)
        return text

    async def read(self, uri: str) -> str:
        click.echo(f"  {self._label}read {uri}")
        result = await self._client.read_resource(uri, cache_mode="bypass")
        text = "\n".join(part.text for part in result.contents if hasattr(part, "text"))
        _show_answer(text)
        return text

    def _show_request(self, name: str, arguments: Mapping[str, Any]) -> None:
        shown = ", ".join(
            f"{key}={_shorten(json.dumps(value, ensure_ascii=False))}" for key, value in arguments.items()
        )
        click.echo(f"  {self._label}{name}({shown})")


def _text(content: Sequence[Any]) -> str:
    return "\n".join(block.text for block in content if block.type == "text")


def _show_answer(text: str, mark: str = "->") -> None:
    for line in text.splitlines() or [""]:
        click.echo(f"    {mark} {_shorten(line)}")


def _shorten(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _explain(error: BaseException) -> str:
    """What went wrong, without the groups that tasks put around it."""
    reason = cause(error)
    return f"{type(reason).__name__}: {reason}" if str(reason) else type(reason).__name__
