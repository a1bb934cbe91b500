"""A server in memory whose spans are recorded; prints them as JSON: name, attributes and whether it is an error."""

from __future__ import annotations

# ruff: noqa: T201  (its stdout is how it answers)
import asyncio
import json
import logging
from pathlib import Path
from typing import Any

from agenthost import PluginContext, ToolError, tool
from agenthost.calls import Calls
from agenthost.catalog import Catalog
from agenthost.plugins import Plugin
from agenthost.server import HostServer
from mcp.client import Client
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

EXPORTER = InMemorySpanExporter()


@tool
async def greet() -> str:
    """Greet."""
    with trace.get_tracer("the plugin").start_as_current_span("inside"):
        return "hello"


@tool
def refuse() -> str:
    """Refuse."""
    raise ToolError("no")


async def main() -> None:
    """Call both tools, and print what was recorded."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(EXPORTER))
    trace.set_tracer_provider(provider)
    context: PluginContext[Any] = PluginContext("greeter", None, Path(), logging.getLogger(), Path("state"))
    context.tools.replace([greet, refuse])
    plugin = Plugin("greeter", None, context=context)
    catalog = Catalog([plugin])
    catalog.show(plugin)

    async def ready() -> None:
        pass

    server = HostServer(catalog, Calls(catalog, 10.0), None, ready, Path("no key is needed"))
    async with Client(server) as client:
        await client.call_tool("greet", {})
        await client.call_tool("refuse", {})
    spans = EXPORTER.get_finished_spans()
    names = {span.context.span_id: span.name for span in spans if span.context}
    told = [
        {
            "name": span.name,
            "kind": span.kind.name,
            "attributes": dict(span.attributes or {}),
            "status": span.status.status_code.name,
            "parent": names.get(span.parent.span_id) if span.parent else None,
        }
        for span in spans
    ]
    print(json.dumps(told))


asyncio.run(main())
