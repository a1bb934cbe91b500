"""`agenthost tools`: the tools that clients get, with their owners and sizes."""

from __future__ import annotations

from agenthost.cli.listing import list_command

command = list_command("tools", "tool")
