"""What many people write too: a server of the library FastMCP, with tools made from functions.

It runs on the Python of an environment of its own, in which `fastmcp` is installed.

Usage: `python fast_mcp.py DEFINITIONS.json [--http PORT]`
"""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from fastmcp import FastMCP


def make_tool(result: str) -> Callable[[str, str, str | None], Awaitable[str]]:
    """A tool that answers with a fixed text."""

    async def answer(form: str, artefact: str, reaction: str | None = None) -> str:  # noqa: ARG001  (its schema is made from them)
        return result

    return answer


server = FastMCP("fast")
for item in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
    server.tool(
        make_tool(item["result"]),
        name=item["name"],
        description=item["description"],
        annotations={"readOnlyHint": True, "openWorldHint": False},
        output_schema=None,
    )
if "--http" in sys.argv:
    # Its log tells of every request, which the other servers do not do.
    quiet = {"access_log": False}
    server.run("http", show_banner=False, port=int(sys.argv[-1]), path="/mcp", log_level="info", uvicorn_config=quiet)
else:
    server.run("stdio", show_banner=False, log_level="warning")
