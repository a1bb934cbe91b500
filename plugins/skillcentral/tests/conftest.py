"""What the tests of skillcentral share: files as people write them, and skills without files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from agenthost_skillcentral.formats import read_skill
from agenthost_skillcentral.model import Fault, Layer, Skill

Read = Callable[..., tuple[Skill | None, tuple[Fault, ...]]]
MakeSkill = Callable[..., Skill]


@pytest.fixture
def layer(tmp_path: Path) -> Layer:
    return Layer("l", "l", tmp_path)


@pytest.fixture
def read(layer: Layer) -> Read:
    """Read a file's content, a text or bytes."""

    def read(content: str | bytes, name: str = "a.yaml") -> tuple[Skill | None, tuple[Fault, ...]]:
        data = dedent(content).encode() if isinstance(content, str) else content
        return read_skill(data, layer.path / name, layer)

    return read


@pytest.fixture
def make(layer: Layer) -> MakeSkill:
    """A skill without a file."""

    def make(skill_id: str = "s", kind: Any = "prompt", **members: Any) -> Skill:
        given = {"name": skill_id, "description": "", "source_format": "legacy", "layer": layer, **members}
        return Skill(id=skill_id, type=kind, source=given["layer"].path / f"{skill_id}.yaml", **given)

    return make
