"""The contract: every hook is documented, and a plugin made for this test exercises every one of them."""

from __future__ import annotations

import asyncio
import inspect
import types
import typing
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import click
import pluggy
import pytest
from agenthost import (
    PluginContext,
    Prompt,
    Resource,
    Scene,
    Tool,
    hookimpl,
    hookspecs,
    prompt,
    resource,
    tool,
)
from agenthost.catalog import Catalog
from agenthost.findings import Finding
from agenthost.instructions import merge_instructions
from agenthost.lifespans import Lifespans
from agenthost.plugins import Found, Plugin, load_plugin
from agenthost.settings import Config, HostSettings
from pydantic import BaseModel

SPECS: dict[str, Callable[..., Any]] = {
    name: function for name, function in vars(hookspecs).items() if name.startswith("agenthost_")
}

WAIT = 20.0
"""Seconds that a test waits for something that has to happen."""


def test_there_are_hooks_and_nothing_else_with_that_prefix() -> None:
    manager = pluggy.PluginManager("agenthost")
    manager.add_hookspecs(hookspecs)
    assert SPECS.keys() == vars(manager.hook).keys()
    assert {"agenthost_settings", "agenthost_tools"} <= SPECS.keys()


@pytest.mark.parametrize("name", SPECS)
def test_every_hook_says_what_it_is_for_and_what_it_returns(name: str) -> None:
    function = SPECS[name]
    text = inspect.getdoc(function) or ""
    assert text.split("\n")[0].endswith((".", ";", ":")) or len(text.split("\n")[0]) > 20
    assert "call" in text.lower()
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert "None" in str(signature.return_annotation)
    assert list(signature.parameters) in ([], ["plugin"])
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty


@pytest.mark.parametrize("name", SPECS)
def test_no_hook_has_a_body(name: str) -> None:
    arguments = [None] * len(inspect.signature(SPECS[name]).parameters)
    assert SPECS[name](*arguments) is None


def test_the_marker_leaves_the_function_usable() -> None:
    @hookimpl
    def agenthost_tools() -> list[Tool]:
        return []

    assert agenthost_tools() == []


class Settings(BaseModel):
    word: str = "hello"


class Everything:
    """A plugin that implements every hook; `asked` notes which were called."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.steps: list[str] = []
        self.plugin: PluginContext[Settings] | None = None

    def note(self, name: str, plugin: Any = None) -> None:
        self.asked.append(name)
        if plugin is not None:
            assert self.plugin in (None, plugin)
            self.plugin = plugin

    @hookimpl
    def agenthost_settings(self) -> type[BaseModel]:
        self.note("settings")
        return Settings

    @hookimpl
    def agenthost_tools(self, plugin: PluginContext[Settings]) -> list[Tool]:
        self.note("tools", plugin)

        @tool
        def say() -> str:
            """Say the word."""
            return plugin.settings.word

        return [say]

    @hookimpl
    def agenthost_prompts(self, plugin: PluginContext[Settings]) -> list[Prompt]:
        self.note("prompts", plugin)

        @prompt
        def ask(name: str) -> str:
            """Ask."""
            return name

        return [ask]

    @hookimpl
    def agenthost_resources(self, plugin: PluginContext[Settings]) -> list[Any]:
        self.note("resources", plugin)

        @resource("everything://word")
        def word() -> str:
            """The word."""
            return plugin.settings.word

        return [word]

    @hookimpl
    def agenthost_instructions(self, plugin: PluginContext[Settings]) -> str:
        self.note("instructions", plugin)
        return f"Say {plugin.settings.word}."

    @hookimpl
    def agenthost_lifespan(self, plugin: PluginContext[Settings]) -> Any:
        self.note("lifespan", plugin)

        @asynccontextmanager
        async def lifespan() -> AsyncIterator[None]:
            self.steps.append("up")
            yield
            self.steps.append("down")

        return lifespan()

    @hookimpl
    def agenthost_commands(self) -> click.Command:
        self.note("commands")
        return click.Command("everything")

    @hookimpl
    def agenthost_demo(self) -> Scene:
        self.note("demo")

        async def run(clients: Any, say: Any) -> None: ...

        return Scene("Everything", run)


def implemented(plugin: object) -> set[str]:
    return {name for name in dir(plugin) if name.startswith("agenthost_")}


COVERED_ELSEWHERE = {
    "agenthost_storage",  # test_storage.py and the plugins that have a store
    "agenthost_routes",
    "agenthost_extensions",  # tests/test_extensions.py
}
"""Hooks whose results need more than a loaded plugin to be seen."""


def test_the_plugin_of_this_test_implements_every_hook() -> None:
    assert implemented(Everything()) | (COVERED_ELSEWHERE & SPECS.keys()) == SPECS.keys()


def test_every_hook_that_serving_needs_is_called_once_in_order_and_has_its_effect() -> None:
    everything = Everything()
    entry_point: Any = types.SimpleNamespace(value="everything", dist=None, load=lambda: everything)
    found = Found("everything", "x", "1", "", entry_point)
    plugin = Plugin("everything", found)
    config = Config(None, None, {}, {"everything": {"word": "hi"}})
    assert load_plugin(plugin, config, HostSettings(), {"everything": found}) == []
    assert everything.asked == ["settings", "tools", "prompts", "resources", "instructions", "lifespan"]
    assert plugin.context is everything.plugin

    failures: list[Finding] = []

    async def serve() -> None:
        catalog = Catalog([plugin])
        lifespans = Lifespans(catalog, [plugin], WAIT, failures.append)
        lifespans.start()
        await lifespans.ready()
        assert everything.steps == ["up"]
        for table, name in ((catalog.tools, "say"), (catalog.prompts, "ask"), (catalog.resources, "everything://word")):
            route = table.find(name)  # type: ignore[attr-defined]
            assert route is not None
            assert route.item.handler("x") == "x" if name == "ask" else route.item.handler() == "hi"
        await lifespans.stop(WAIT)
        assert everything.steps == ["up", "down"]

    asyncio.run(serve())
    assert failures == []
    assert "everything: Say hi." in str(merge_instructions([(plugin.name, plugin.instructions)]))


def test_the_hooks_of_commands_are_called_only_for_them() -> None:
    everything = Everything()
    entry_point: Any = types.SimpleNamespace(value="everything", dist=None, load=lambda: everything)
    hooks = Found("everything", "x", "1", "", entry_point).load_hooks()
    assert everything.asked == []
    [command] = hooks.hook.agenthost_commands()
    [scene] = hooks.hook.agenthost_demo()
    assert isinstance(command, click.Command)
    assert (scene.title, scene.processes, scene.settings) == ("Everything", 1, {})
    assert everything.asked == ["commands", "demo"]


def test_a_resource_of_the_contract_is_what_the_decorator_makes() -> None:
    made = Everything().agenthost_resources(typing.cast("Any", types.SimpleNamespace(settings=Settings())))
    assert isinstance(made[0], Resource)
