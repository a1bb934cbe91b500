"""The merged surface before serving: everything that the wanted plugins would list, without starting them.

Reading it loads the plugins and vets what they contribute. No lifespan is entered, no database opened
and no folder made, so what a plugin adds while it is served is not here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agenthost.assembly import Assembly
from agenthost.catalog import Catalog, Route, Table
from agenthost.findings import Finding
from agenthost.instructions import merge_instructions
from agenthost.plugins import stdout_to_stderr
from agenthost.vetting import LEGACY, MODERN

BYTES_PER_TOKEN = 4
"""What a token is taken for in an estimate; the true number depends on the model."""

WAIT = "timeout_seconds"
"""The argument by which a waiting tool is told how long to wait; the host bounds it."""


@dataclass(frozen=True)
class Entry:
    """One contribution as clients get it.

    Attributes:
        name: the name or address that clients see.
        own: the name or address that the plugin gave it.
        plugin: the plugin's name.
        listed: what is listed, by protocol revision (`LEGACY` and `MODERN` of `agenthost.vetting`).
        time_limit: seconds that a call may take, if its author or the operator set a limit for it; a
            waiting tool, which takes `WAIT`, takes no longer than `[host] max_wait`.
    """

    name: str
    own: str
    plugin: str
    listed: Mapping[str, Mapping[str, Any]]
    time_limit: float | None = None

    @property
    def tokens(self) -> int:
        """About how many tokens the entry takes in a model's context."""
        return estimate_tokens(self.listed[MODERN])

    @property
    def description(self) -> str:
        """Its description; an empty text if it has none."""
        text: str = self.listed[MODERN].get("description", "")
        return text


@dataclass(frozen=True)
class Surface:
    """What all plugins together would list at start, in the order of the lists.

    Attributes:
        tools, prompts, resources, templates: the entries.
        instructions: each plugin's own text, by its name.
        merged: the instructions that clients get, or None.
        findings: what was renamed, quarantined or without effect.
    """

    tools: Sequence[Entry] = ()
    prompts: Sequence[Entry] = ()
    resources: Sequence[Entry] = ()
    templates: Sequence[Entry] = ()
    instructions: Mapping[str, str] = field(default_factory=dict)
    merged: str | None = None
    findings: Sequence[Finding] = ()


def read_surface(assembly: Assembly) -> Surface:
    """Vet and merge what the loaded plugins contribute."""
    with stdout_to_stderr():  # annotations are read here, and they are the plugin's code
        catalog = Catalog(assembly.plugins)
    for plugin in assembly.plugins:
        if plugin.context is not None:
            catalog.show(plugin)
    addresses = _entries(catalog.resources, assembly.settings.max_wait)
    parts = [(plugin.name, plugin.instructions) for plugin in assembly.plugins if plugin.context is not None]
    return Surface(
        tools=_entries(catalog.tools, assembly.settings.max_wait),
        prompts=_entries(catalog.prompts, assembly.settings.max_wait),
        resources=[entry for entry in addresses if "uri" in entry.listed[MODERN]],
        templates=[entry for entry in addresses if "uriTemplate" in entry.listed[MODERN]],
        instructions={name: text for name, text in parts if text is not None},
        merged=merge_instructions(parts),
        findings=catalog.findings,
    )


def estimate_tokens(listed: Any) -> int:
    """The bytes of the listed JSON in UTF-8, divided by `BYTES_PER_TOKEN` and rounded up."""
    size = len(json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode())
    return -(-size // BYTES_PER_TOKEN)


def _entries(table: Table[Any], max_wait: float) -> list[Entry]:
    return [
        Entry(
            route.exposed,
            route.item.key,
            route.plugin.name,
            {LEGACY: legacy, MODERN: modern},
            _explicit_limit(route, modern, max_wait),
        )
        for route, legacy, modern in zip(table.routes(), table.listed(LEGACY), table.listed(MODERN), strict=True)
    ]


def _explicit_limit(route: Route[Any], listed: Mapping[str, Any], max_wait: float) -> float | None:
    operators: float | None = route.plugin.part.time_limit
    limit = route.item.time_limit if operators is None else operators
    waits = WAIT in listed.get("inputSchema", {}).get("properties", {})
    return limit if limit is None or not waits else min(limit, max_wait)
