"""Tools that answer by themselves: every kind of content, progress, logging, errors, schemas that have to be kept."""

from __future__ import annotations

import asyncio
import base64
from typing import Annotated, Any

from agenthost import Audio, CallContext, EmbeddedResource, Image, Text, Tool, ToolError, tool
from pydantic import Field

PIXEL = Image(
    base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4n8YAAAPNAWb9kSz2AAAAAElFTkSuQmCC"),
    "image/png",
)
SILENCE = Audio(
    base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA=="),
    "audio/wav",
)

BETWEEN_STEPS = 0.05
"""Seconds; the suite wants to see that notices arrive while a call runs."""


@tool
async def test_simple_text() -> str:
    """Answer with a text."""
    return "This is a simple text response for testing."


@tool
async def test_image_content() -> Image:
    """Answer with a picture."""
    return PIXEL


@tool
async def test_audio_content() -> Audio:
    """Answer with a sound."""
    return SILENCE


@tool
async def test_embedded_resource() -> EmbeddedResource:
    """Answer with a resource inside the result."""
    return EmbeddedResource("test://embedded-resource", "This is an embedded resource content.", "text/plain")


@tool
async def test_multiple_content_types() -> list[Text | Image | EmbeddedResource]:
    """Answer with a text, a picture and a resource."""
    mixed = EmbeddedResource("test://mixed-content-resource", '{"test": "data", "value": 123}', "application/json")
    return [Text("Multiple content types test:"), PIXEL, mixed]


@tool
async def test_tool_with_logging(ctx: CallContext[Any]) -> str:
    """Send three log messages, one after the other."""
    ctx.log("info", "Tool execution started")
    await asyncio.sleep(BETWEEN_STEPS)
    ctx.log("info", "Tool processing data")
    await asyncio.sleep(BETWEEN_STEPS)
    ctx.log("info", "Tool execution completed")
    return "Three messages were sent."


@tool
async def test_logging_tool(ctx: CallContext[Any]) -> str:
    """Send one log message."""
    ctx.log("info", "One message")
    return "One message was sent."


@tool
async def test_tool_with_progress(ctx: CallContext[Any]) -> str:
    """Report progress three times, one after the other."""
    for done in (0, 50, 100):
        ctx.progress(done, 100, f"{done} of 100")
        await asyncio.sleep(BETWEEN_STEPS)
    return "All of it is done."


@tool
async def test_error_handling() -> str:
    """Fail with a text."""
    raise ToolError("This tool intentionally returns an error for testing")


@tool
async def test_reconnection() -> str:
    """Answer. The suite would like it to close its stream before, which nothing in a plugin can know of."""
    return "Nothing was closed."


@tool
async def test_x_mcp_header(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """Answer with an argument that HTTP clients send as a header too."""
    return f"The region is {region}."


async def _keep(arguments: dict[str, Any], ctx: CallContext[Any]) -> str:
    return "The schema is what matters."


json_schema_2020_12_tool = Tool(
    "json_schema_2020_12_tool",
    _keep,
    "Keep every keyword of its schema.",
    input_schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
)

TOOLS = (
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_tool_with_logging,
    test_logging_tool,
    test_tool_with_progress,
    test_error_handling,
    test_reconnection,
    test_x_mcp_header,
    json_schema_2020_12_tool,
)
