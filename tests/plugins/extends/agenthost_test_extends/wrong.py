"""Returns something that is no extension."""

from __future__ import annotations

from agenthost import hookimpl


@hookimpl
def agenthost_extensions() -> list[str]:
    return ["org.example/text"]
