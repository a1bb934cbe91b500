"""A hook that gives something else than routes."""

from __future__ import annotations

from agenthost import hookimpl


@hookimpl
def agenthost_routes() -> list[str]:
    return ["/path"]
