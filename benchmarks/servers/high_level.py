"""What most people write: the SDK's `MCPServer`, with tools made from functions.

Usage: `python high_level.py DEFINITIONS.json [--http PORT]`
"""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from mcp.server import MCPServer
from mcp.types import ToolAnnotations


def make_tool(result: str) -> Callable[[str, str, str | None], Awaitable[str]]:
    """A tool that answers with a fixed text."""

    async def answer(form: str, artefact: str, reaction: str | None = None) -> str:  # noqa: ARG001  (its schema is made from them)
        return result

    return answer


# Its log tells of every request, which the other servers do not do.
server = MCPServer("high-level", log_level="WARNING")
for item in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
    server.add_tool(
        make_tool(item["result"]),
        name=item["name"],
        description=item["description"],
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
        structured_output=False,
    )
if "--http" in sys.argv:
    import uvicorn

    uvicorn.run(server.streamable_http_app(), port=int(sys.argv[-1]), access_log=False)
else:
    server.run("stdio")
