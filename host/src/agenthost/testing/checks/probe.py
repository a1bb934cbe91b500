"""A process in which the plugin is imported, served and called, and all that is printed lands in one file.

It notes before each step how much has been printed so far: `python -m agenthost.testing.checks.probe
NAME CONFIG FOLDER`, with stdout a file.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import sys
from pathlib import Path

from agenthost.plugins import find_plugins


def main(name: str, config: Path, folder: Path) -> None:
    """Go through all steps, and tell the file `steps` in the folder before each."""
    calls = json.loads((folder / "calls.json").read_text(encoding="utf-8"))

    def step(text: str) -> None:
        sys.stdout.flush()
        ctypes.CDLL(None).fflush(None)
        with (folder / "steps").open("a", encoding="utf-8") as steps:
            steps.write(json.dumps({"step": text, "printed": os.fstat(1).st_size}) + "\n")

    async def serve() -> None:
        from agenthost.testing.clients import WatchingClient, in_memory
        from agenthost.testing.process import MODERN_VERSION

        async with in_memory(name, config, folder / "state", strict=False) as server:
            async with WatchingClient(server, mode=MODERN_VERSION) as client:
                await client.list_tools()
                for tool, given in calls.items():
                    step(f"a call of {tool}")
                    with contextlib.suppress(Exception):
                        await client.call_tool(tool, given)
                for resource in (await client.list_resources()).resources:
                    step(f"a reading of {resource.uri}")
                    with contextlib.suppress(Exception):
                        await client.read_resource(str(resource.uri))
            step("leaving the lifespan")
        step("the end")

    step("the import")
    with contextlib.suppress(BaseException):  # loading it again tells what is wrong with it
        find_plugins()[name].entry_point.load()
    step("starting")
    asyncio.run(serve())
    os._exit(0)  # threads that the plugin has left are not waited for, as when serving


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
