"""Plugins whose scene for `agenthost demo` works, fails, or is missing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from types import SimpleNamespace
from typing import Any

from agenthost import (
    PluginContext,
    Prompt,
    Resource,
    ResourceTemplate,
    Scene,
    SceneClient,
    Tool,
    ToolError,
    hookimpl,
    prompt,
    resource,
    tool,
)

Run = Callable[[Sequence[SceneClient], Callable[[str], None]], Awaitable[None]]


def offer(agenthost_demo: Callable[[], Any] | None) -> SimpleNamespace:
    """A plugin with two tools, a prompt, a resource and this hook."""

    @hookimpl
    def agenthost_tools(plugin: PluginContext[Any]) -> list[Tool]:
        own = plugin.name.replace("-", "_")

        @tool(name=f"{own}_greet")
        async def greet(name: str) -> str:
            return f"Good evening, {name}."

        @tool(name=f"{own}_refuse")
        async def refuse() -> str:
            raise ToolError("Not today.")

        return [greet, refuse]

    @hookimpl
    def agenthost_prompts(plugin: PluginContext[Any]) -> list[Prompt]:
        @prompt(name=f"{plugin.name.replace('-', '_')}_poem")
        async def poem(about: str) -> str:
            return f"Write a poem about {about}."

        return [poem]

    @hookimpl
    def agenthost_resources(plugin: PluginContext[Any]) -> list[Resource | ResourceTemplate]:
        @resource(f"evening://{plugin.name}", name="evening")
        async def evening() -> str:
            return "It is getting dark."

        return [evening]

    hooks = {
        "agenthost_tools": agenthost_tools,
        "agenthost_prompts": agenthost_prompts,
        "agenthost_resources": agenthost_resources,
    }
    if agenthost_demo is not None:
        hooks["agenthost_demo"] = hookimpl(agenthost_demo)
    return SimpleNamespace(**hooks)


async def play_good(clients: Sequence[SceneClient], say: Callable[[str], None]) -> None:
    first, second = clients
    say("Two guests arrive.")
    assert "good_scene_greet" in await first.tools()
    answer = await second.call("good_scene_greet", name="guest")
    assert answer.text == "Good evening, guest."
    refused = await first.call("good_scene_refuse")
    assert refused.is_error
    assert refused.text == "Not today."
    assert "good_scene_poem" in await first.prompts()
    assert await second.prompt("good_scene_poem", about="dusk") == "Write a poem about dusk."
    assert await first.read("evening://good-scene") == "It is getting dark."


async def play_bad(clients: Sequence[SceneClient], say: Callable[[str], None]) -> None:
    [client] = clients
    say("A guest arrives at the wrong door.")
    answer = await client.call("bad_scene_greet", name="guest")
    raise RuntimeError(f"expected another answer than {answer.text!r}")


async def play_impatient(clients: Sequence[SceneClient], say: Callable[[str], None]) -> None:
    [client] = clients
    await client.call("impatient_scene_nothing")


def fail() -> Scene:
    raise RuntimeError("has no scene today")


good_scene = offer(lambda: Scene("a good evening", play_good, processes=2))
bad_scene = offer(lambda: Scene("a bad evening", play_bad))
impatient_scene = offer(lambda: Scene("a tool that is not there", play_impatient))
no_scene = offer(None)
raises_demo = offer(fail)
