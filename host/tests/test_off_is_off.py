"""Off is off: whatever is switched off, by whatever means, answers on no path; whatever is on is missing on none."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from agenthost import Message, Prompt, Resource, ResourceTemplate, Tool
from agenthost.calls import Calls
from agenthost.catalog import Catalog
from agenthost.context import PluginContext
from agenthost.plugins import Plugin
from agenthost.server import HostServer
from agenthost.settings import HostPart
from agenthost.vetting import MODERN
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client, MCPError

PLUGINS = ("one", "two", "three")
PARTS = ("a", "b", "c")
KINDS = ("tools", "prompts", "resources")

WAYS = st.sampled_from(["on", "on", "deny", "not allowed", "removed"])
"""How one part of a plugin is switched off, if it is."""

PLANS = st.fixed_dictionaries(
    {
        plugin: st.fixed_dictionaries(
            {
                "state": st.sampled_from(["on", "on", "on", "not wanted", "dropped", "starting"]),
                **{kind: st.fixed_dictionaries(dict.fromkeys(PARTS, WAYS)) for kind in KINDS},
            }
        )
        for plugin in PLUGINS
    }
)
"""For every plugin whether it is served, and for each of its parts whether it is on."""


def raw_tool(arguments: dict[str, Any], ctx: Any) -> str:
    ran.append("tool")
    return "tool"


def raw_prompt(arguments: dict[str, str], ctx: Any) -> Message:
    ran.append("prompt")
    return Message("prompt")


def read() -> str:
    ran.append("resource")
    return "resource"


def read_template(day: str) -> str:
    ran.append("template")
    return "template"


def days(value: str, arguments: dict[str, str], ctx: Any) -> list[str]:
    ran.append("completion")
    return ["monday"]


ran: list[str] = []
"""What plugin code has run."""


def key(kind: str, plugin: str, part: str) -> str:
    return f"{plugin}://{part}" if kind == "resources" else f"{plugin}_{part}"


def globs(kind: str, plugin: str, ways: dict[str, str]) -> dict[str, Any]:
    allowed = [key(kind, plugin, part) for part in PARTS if ways[part] != "not allowed"]
    templates = [f"{plugin}://{part}/{{day}}" for part in PARTS if ways[part] != "not allowed"]
    denied = [f"{key(kind, plugin, part)}*" for part in PARTS if ways[part] == "deny"]
    return {"allow": [*allowed, *templates], "deny": denied}


def make_plugin(name: str, plan: dict[str, Any]) -> Plugin:
    context: PluginContext[Any] = PluginContext(name, None, Path("/"), logging.getLogger("agenthost.test"), Path("/"))
    context.tools.replace([Tool(f"{name}_{part}", raw_tool, input_schema={"type": "object"}) for part in PARTS])
    context.prompts.replace([Prompt(f"{name}_{part}", raw_prompt, arguments=()) for part in PARTS])
    context.resources.replace(
        [Resource(f"{name}://{part}", read, part) for part in PARTS]
        + [ResourceTemplate(f"{name}://{part}/{{day}}", read_template, part, complete={"day": days}) for part in PARTS]
    )
    part = HostPart.model_validate({kind: globs(kind, name, plan[kind]) for kind in KINDS})
    return Plugin(name, None, context=context, part=part)


def build(plan: dict[str, Any]) -> Catalog:
    """A catalog to which all that the plan says has happened."""
    plugins = {name: make_plugin(name, plan[name]) for name in PLUGINS if plan[name]["state"] != "not wanted"}
    catalog = Catalog(list(plugins.values()))
    for name, plugin in plugins.items():
        if plan[name]["state"] != "starting":
            catalog.show(plugin)
        for kind in KINDS:
            registry = getattr(plugin.loaded, kind)
            for part in PARTS:
                if plan[name][kind][part] == "removed":
                    registry.remove(key(kind, name, part))
                    if kind == "resources":
                        registry.remove(f"{name}://{part}/{{day}}")
        if plan[name]["state"] == "dropped":
            catalog.drop(plugin)
    return catalog


async def answers(call: Callable[[], Awaitable[Any]]) -> bool:
    """Whether a request is answered; if it is not, then with -32602, and no plugin code has run."""
    before = len(ran)
    try:
        await call()
    except MCPError as error:
        assert error.error.code == types.INVALID_PARAMS
        assert len(ran) == before
        return False
    return True


async def walk(client: Client, *, modern: bool) -> dict[str, set[str]]:
    """Everything that answers, by the path on which it was asked for."""
    found: dict[str, set[str]] = {
        "tools/list": {tool.name for tool in (await client.list_tools()).tools},
        "prompts/list": {prompt.name for prompt in (await client.list_prompts()).prompts},
        "resources/list": {str(resource.uri) for resource in (await client.list_resources()).resources},
        "resources/templates/list": {
            template.uri_template for template in (await client.list_resource_templates()).resource_templates
        },
    }
    paths = ["tools/call", "prompts/get", "resources/read", "read template", "complete", "resources/subscribe"]
    found |= {path: set() for path in paths}
    for plugin in PLUGINS:
        for part in PARTS:
            name, uri = f"{plugin}_{part}", f"{plugin}://{part}"
            template = types.ResourceTemplateReference(type="ref/resource", uri=f"{uri}/{{day}}")
            asked: dict[str, tuple[str, Callable[[], Awaitable[Any]]]] = {
                "tools/call": (name, lambda name=name: client.call_tool(name, {})),
                "prompts/get": (name, lambda name=name: client.get_prompt(name)),
                "resources/read": (uri, lambda uri=uri: client.read_resource(uri)),
                "read template": (f"{uri}/{{day}}", lambda uri=uri: client.read_resource(f"{uri}/monday")),
                "complete": (
                    f"{uri}/{{day}}",
                    lambda template=template: client.complete(template, {"name": "day", "value": "m"}),
                ),
            }
            if not modern:
                asked["resources/subscribe"] = (uri, lambda uri=uri: client.subscribe_resource(uri))
            for path, (told, call) in asked.items():
                if await answers(call):
                    found[path].add(told)
    return found


@pytest.mark.parametrize("mode", ["legacy", MODERN])
@settings(max_examples=25)
@given(plan=PLANS)
@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_nothing_that_is_off_answers_and_nothing_that_is_on_is_missing(mode: str, plan: dict[str, Any]) -> None:
    served = [plugin for plugin in PLUGINS if plan[plugin]["state"] == "on"]
    on = {
        kind: {(plugin, part) for plugin in served for part in PARTS if plan[plugin][kind][part] == "on"}
        for kind in KINDS
    }
    tools = {f"{plugin}_{part}" for plugin, part in on["tools"]}
    prompts = {f"{plugin}_{part}" for plugin, part in on["prompts"]}
    resources = {f"{plugin}://{part}" for plugin, part in on["resources"]}
    templates = {f"{plugin}://{part}/{{day}}" for plugin, part in on["resources"]}

    async def scenario() -> dict[str, set[str]]:
        catalog = build(plan)

        async def ready() -> None:
            pass

        server = HostServer(catalog, Calls(catalog, 20.0), None, ready, Path("no key is needed"))
        async with asyncio.timeout(60), Client(server, mode=mode) as client:
            return await walk(client, modern=mode == MODERN)

    assert asyncio.run(scenario()) == {
        "tools/list": tools,
        "tools/call": tools,
        "prompts/list": prompts,
        "prompts/get": prompts,
        "resources/list": resources,
        "resources/read": resources,
        "resources/templates/list": templates,
        "read template": templates,
        "complete": templates,
        "resources/subscribe": resources if mode == "legacy" else set(),
    }
