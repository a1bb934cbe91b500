"""Plugins, catalogs and calls made by hand: the host's parts without a process or a transport."""

from __future__ import annotations

import logging
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from agenthost import Tool
from agenthost.catalog import Catalog
from agenthost.context import PluginContext
from agenthost.plugins import Plugin
from agenthost.settings import HostPart

# Machines that are shared are slow at times, and nobody looks into a folder of examples.
hypothesis.settings.register_profile(
    "agenthost",
    deadline=None,
    database=None,
    max_examples=50,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("agenthost")


@pytest.fixture
def raw() -> Callable[..., Tool]:
    """`raw("name")`: a raw tool that answers with its own name; `raw("name", handler, description=...)`."""

    def make(name: str, handler: Callable[..., Any] | None = None, **members: Any) -> Tool:
        members.setdefault("input_schema", {"type": "object"})
        return Tool(name, handler or (lambda arguments, ctx: name), **members)

    return make


@pytest.fixture
def make_plugin(tmp_path: Path) -> Callable[..., Plugin]:
    """`make_plugin("name", tool, tool, prefix="x_", ...)`: a loaded plugin; the keywords are the host's settings."""

    def make(name: str, *tools: Tool, **part: Any) -> Plugin:
        context: PluginContext[Any] = PluginContext(
            name, None, tmp_path, logging.getLogger(f"agenthost.{name}"), tmp_path / "state"
        )
        context.tools.replace(tools)
        return Plugin(name, None, context=context, part=HostPart.model_validate(part))

    return make


@pytest.fixture
def serve() -> Callable[..., Catalog]:
    """`serve(plugin, plugin)`: a catalog that shows these plugins."""

    def make(*plugins: Plugin) -> Catalog:
        catalog = Catalog(plugins)
        for plugin in plugins:
            if plugin.context is not None:
                catalog.show(plugin)
        return catalog

    return make


@pytest.fixture
def installed(tmp_path: Path, agenthost_environment: dict[str, str]) -> Callable[..., dict[str, str]]:
    """`installed(hello="its source", ...)`: an environment that has these plugins, as distribution `agenthost-made`."""

    def install(**sources: str) -> dict[str, str]:
        folder = tmp_path / "packages"
        metadata = folder / "agenthost_made-1.0.dist-info"
        metadata.mkdir(parents=True)
        for name, source in sources.items():
            (folder / f"made_{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        points = "".join(f"{name} = made_{name}\n" for name in sources)
        (metadata / "entry_points.txt").write_text(f"[agenthost]\n{points}", encoding="utf-8")
        (metadata / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: agenthost-made\nVersion: 1.0\nRequires-Dist: agenthost-core>=0.1\n",
            encoding="utf-8",
        )
        return {**agenthost_environment, "PYTHONPATH": str(folder)}

    return install
