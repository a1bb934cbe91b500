"""Skills that plugins bring along, found in the metadata of their distributions; no plugin is imported for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from agenthost_skillcentral.model import Layer, Shipped

GROUP = "agenthost.skills"
"""The entry-point group: name = the plugin's, value = `package:folder`, a folder in its package."""

_VALUE = re.compile(r"(\w+):(\w+)")


def shipped_skills(wanted: Iterable[str]) -> tuple[Shipped, ...]:
    """The skills of these plugins, in their order; of those that bring some."""
    owners = {entry.name: _distribution(entry) for entry in entry_points(group="agenthost")}
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, []).append(entry)
    return tuple(_shipped(name, found[name], owners.get(name, "")) for name in wanted if name in found)


def shipped_layers(shipped: Iterable[Shipped]) -> list[Layer]:
    """A layer for each; all other layers go before them, and the earlier plugin before the later."""
    return [
        Layer(
            id=f"plugin:{one.plugin}",
            name=f"plugin:{one.plugin}",
            path=one.folder,
            priority=1 - rank / 1000,
            scope="org",
            writable=False,
            plugin=one.plugin,
        )
        for rank, one in enumerate(shipped, start=1)
        if one.folder is not None
    ]


def _shipped(name: str, entries: list[EntryPoint], owner: str) -> Shipped:
    """The skills of a plugin, as its own distribution announces them; nobody else can."""
    own = [entry for entry in entries if _distribution(entry) == owner]
    others = sorted({_distribution(entry) for entry in entries} - {owner})
    problem = f"what {', '.join(others)} announces for it is left out, since it is of {owner}" if others else None
    if not own:
        return Shipped(name, problem=problem)
    if len(own) > 1:
        return Shipped(name, problem=f"{owner} announces {len(own)} folders, and one is possible")
    matched = _VALUE.fullmatch(own[0].value)
    if matched is None:
        return Shipped(name, problem=f'"{own[0].value}" is not a package, a colon and a folder in the package')
    package, folder = matched.groups()
    place = _place(package)
    if place is None:
        return Shipped(name, problem=f"there is no package {package}")
    return Shipped(name, place / folder, problem)


def _place(package: str) -> Path | None:
    """The folder of a package that lies in no other, so that finding it imports nothing."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    places = spec.submodule_search_locations if spec is not None else None
    return Path(places[0]) if places else None


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.metadata["Name"] if entry.dist is not None else ""
