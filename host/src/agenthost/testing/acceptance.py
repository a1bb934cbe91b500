"""What every plugin has to hold, in one assertion."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from agenthost.testing.alone import PluginUnderTest


def assert_plugin_ok(
    name: str,
    settings: Mapping[str, Any] | None = None,
    *,
    arguments: Mapping[str, Mapping[str, Any] | None] | None = None,
    changing: Collection[str] = (),
    time_limit: float = 10.0,
) -> None:
    """Boot the real host with one plugin alone, on fresh state folders, and check what every plugin has to hold.

    Every tool is called, several times. What is called with is the smallest that its schema allows,
    so most tools refuse it, and that is fine. docs/testing.md tells each check.

    Args:
        name: the plugin's name.
        settings: its settings, the table `[plugins.<name>]`.
        arguments: what to call a tool with instead; None as its arguments: it is never called.
        changing: what differs by itself from one look to the next: names of tools that only read,
            addresses of resources, or `tools`, `prompts`, `resources` for a list.
        time_limit: seconds that a call may take; the plugin's setting of that name.

    Raises:
        AssertionError: tells all that is wrong, a line each.
    """
    from agenthost.testing.checks import Trial, check

    with tempfile.TemporaryDirectory(prefix="agenthost-") as folder:
        plugin = PluginUnderTest(name, Path(folder), {**(settings or {}), "time_limit": time_limit}, strict=False)
        try:
            faults = asyncio.run(check(Trial(plugin, dict(arguments or {}), frozenset(changing), time_limit)))
        finally:
            plugin.stop()
    if faults:
        raise AssertionError("\n".join([f"plugin {name} is not ok:", *(f"- {fault}" for fault in faults)]))
