"""The floor: a lowlevel SDK server on the SDK's own transports, with prebuilt tools.

Usage: `python bare.py DEFINITIONS.json [--http PORT]`
"""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server import Server
from mcp.server.stdio import stdio_server

DEFINITIONS = {item["name"]: item for item in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))}
TOOLS = [
    types.Tool(
        name=item["name"],
        description=item["description"],
        input_schema=item["inputSchema"],
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )
    for item in DEFINITIONS.values()
]


async def list_tools(_ctx: Any, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """List all tools."""
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(_ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Answer with the fixed text of a tool."""
    if params.name not in DEFINITIONS:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
    return types.CallToolResult(content=[types.TextContent(text=DEFINITIONS[params.name]["result"])])


SERVER = Server(
    "bare",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    get_tool_input_schema=lambda _: None,
)


async def main() -> None:
    """Serve on stdio until the client leaves."""
    async with stdio_server() as (reading, writing):
        await SERVER.run(reading, writing, SERVER.create_initialization_options())


if "--http" in sys.argv:
    import uvicorn

    uvicorn.run(SERVER.streamable_http_app(), port=int(sys.argv[-1]), access_log=False)
else:
    anyio.run(main)
