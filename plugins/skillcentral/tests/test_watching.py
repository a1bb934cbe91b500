"""What is served at the start and while the files change, without a server around it."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from agenthost import PluginContext
from agenthost_skillcentral.service import Service, service_of
from agenthost_skillcentral.settings import Settings
from agenthost_skillcentral.watching import watching


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    """The folder of the only layer, with two skills in it."""
    folder = tmp_path / "skills"
    for skill_id in ("a", "b"):
        write(folder, skill_id)
    return folder


def write(layer: Path, skill_id: str, text: str = "first") -> None:
    layer.mkdir(exist_ok=True)
    (layer / f"{skill_id}.yaml").write_text(f"id: {skill_id}\ntype: prompt\nprompt: {text}\n", encoding="utf-8")


def context(layer: Path) -> PluginContext[Settings]:
    layers = [{"name": "skills", "path": layer.name, "priority": 1}]
    settings = Settings(project_root=layer.parent, user_config=layer.parent / "none.yaml", extra_layers=layers)
    return PluginContext("skillcentral", settings, layer.parent, logging.getLogger("skillcentral"), layer.parent)


def texts(service: Service) -> dict[str, str | None]:
    return {skill.id: skill.prompt for skill in service.snapshot.prompts}


def prompts(plugin: PluginContext[Settings]) -> dict[str, Any]:
    return {prompt.name: prompt for prompt in plugin.prompts}


def test_what_changed_between_reading_the_files_and_watching_them_is_served_from_the_start(layer: Path) -> None:
    plugin = context(layer)
    service = service_of(plugin)
    plugin.prompts.replace(service.prompts())
    before = prompts(plugin)
    size = (layer / "a.yaml").stat().st_size
    write(layer, "a", "other")  # as long as the first
    assert (layer / "a.yaml").stat().st_size == size
    write(layer, "c")

    async def start() -> None:
        async with watching(plugin):
            assert texts(service) == {"a": "other", "b": "first", "c": "first"}
            assert prompts(plugin).keys() - before.keys() == {"c"}
            assert prompts(plugin)["a"] is not before["a"]
            assert prompts(plugin)["b"] is before["b"]

    asyncio.run(start())


def test_what_goes_between_reading_the_files_and_watching_them_is_not_served(layer: Path) -> None:
    plugin = context(layer)
    service = service_of(plugin)
    plugin.prompts.replace(service.prompts())
    (layer / "a.yaml").unlink()

    async def start() -> None:
        async with watching(plugin):
            assert texts(service) == {"b": "first"}
            assert "a" not in prompts(plugin)

    asyncio.run(start())
