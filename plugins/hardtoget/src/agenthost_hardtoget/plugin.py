"""The plugin `hardtoget`: its hooks."""

from __future__ import annotations

from agenthost import hookimpl

from agenthost_hardtoget.settings import Settings


@hookimpl
def agenthost_settings() -> type[Settings]:
    """The schema of `[plugins.hardtoget]`."""
    return Settings
