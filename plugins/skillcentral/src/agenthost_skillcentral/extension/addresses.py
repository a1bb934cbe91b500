"""Addresses of skills and their files: `skill://<place>/<path>`, where the place is a layer or a plugin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from agenthost_skillcentral.model import Layer

RESERVED = frozenset({"registry", "skill", "session", "workflow", "bundle"})
"""First segments of addresses that mean something else."""


def places(layers: Iterable[Layer]) -> Mapping[str, str]:
    """The first segment of the addresses of each layer, by the layer's id.

    It is the layer's id in small letters, digits and hyphens, since it stands where other addresses have a host, whose
    case does not count. That of a plugin is its name. What is reserved or taken gets a number.
    """
    found: dict[str, str] = {}
    taken = set(RESERVED)
    for layer in sorted(layers, key=lambda layer: layer.plugin is None):  # a plugin's name goes first
        place = wanted = layer.plugin or _slug(layer.id)
        number = 1
        while place in taken:
            number += 1
            place = f"{wanted}-{number}"
        taken.add(place)
        found[layer.id] = place
    return found


def address(place: str, path: str) -> str:
    """The address of a file or folder; every character that may mean something is encoded."""
    return f"skill://{place}/{quote(path, safe='/')}"


def _slug(layer_id: str) -> str:
    """`~/.claude/skills` is `home-claude-skills`."""
    return re.sub(r"[^a-z0-9]+", "-", layer_id.casefold().replace("~", "home")).strip("-") or "layer"
