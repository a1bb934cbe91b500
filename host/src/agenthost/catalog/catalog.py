"""The catalog: one table per kind of contribution, and what is served of a plugin as a whole."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

from agenthost.catalog.kinds import PROMPTS, RESOURCES, TOOLS
from agenthost.catalog.methods import Methods
from agenthost.catalog.table import Route, Table
from agenthost.contributions import Prompt, Resource, ResourceTemplate, Tool
from agenthost.findings import Finding
from agenthost.plugins import Plugin

Changed = Literal["tools", "prompts", "resources"]
"""The lists that clients can be told about."""


class Catalog:
    """The merged contributions of all loaded plugins, in the order of the plugins and within each its own.

    Made once at start by `Catalog(plugins)`, whose remarks are in `findings`; changed later through
    the plugins' registries, from any thread. What a plugin contributes is seen once it is `show`n.

    Attributes:
        findings: what was renamed, quarantined or without effect.
        on_change: is called, in any thread, with the kind of a list that has changed.
        on_update: is called, in any thread, with the address of a resource whose contents have changed.
        tools, prompts, resources: the tables.
        methods: the request methods of extensions.
    """

    def __init__(self, plugins: Sequence[Plugin]) -> None:
        self.findings: list[Finding] = []
        self.on_change: Callable[[Changed], None] = lambda _: None
        self.on_update: Callable[[str], None] = lambda _: None
        lock = threading.RLock()
        loaded = [plugin for plugin in plugins if plugin.context is not None]
        self.tools: Table[Tool] = Table(TOOLS, loaded, lock, self.findings, lambda: self.on_change("tools"))
        self.prompts: Table[Prompt] = Table(PROMPTS, loaded, lock, self.findings, lambda: self.on_change("prompts"))
        self.resources: Table[Resource | ResourceTemplate] = Table(
            RESOURCES, loaded, lock, self.findings, lambda: self.on_change("resources")
        )
        self.methods = Methods(loaded, self.findings)
        for plugin in loaded:
            plugin.loaded.on_updated(partial(self._updated, plugin))

    def show(self, plugin: Plugin, *, tell: bool = True) -> None:
        """Serve what a plugin contributes from now on; `tell` that the lists have changed."""
        for table in (self.tools, self.prompts, self.resources):
            table.show(plugin, tell=tell)
        self.methods.show(plugin)

    def drop(self, plugin: Plugin) -> None:
        """Remove all that a plugin contributes; what it adds from now on is not served."""
        for table in (self.tools, self.prompts, self.resources):
            table.drop(plugin)
        self.methods.drop(plugin)

    def find_resource(self, uri: str) -> tuple[Route[Any], dict[str, Any]] | None:
        """The route that answers to an address, and the variables of its template.

        An exact address goes before a template, and of several templates the one with more literal
        characters; then the order of the plugins decides.
        """
        route = self.resources.find(uri)
        if route is not None and route.vetted.template is None:
            return route, {}
        best: tuple[Route[Any], dict[str, Any]] | None = None
        for candidate in self.resources.routes():
            template = candidate.vetted.template
            if template is None or (best and literals(candidate) <= literals(best[0])):
                continue
            if (variables := template.match(uri)) is not None:
                best = candidate, variables
        return best

    def listed_resources(self, version: str) -> list[dict[str, Any]]:
        """The resources with an address of their own, as on the wire of that revision."""
        return [entry for entry in self.resources.listed(version) if "uri" in entry]

    def listed_templates(self, version: str) -> list[dict[str, Any]]:
        """The resource templates, as on the wire of that revision."""
        return [entry for entry in self.resources.listed(version) if "uriTemplate" in entry]

    def _updated(self, plugin: Plugin, uri: str) -> None:
        found = self.find_resource(uri)
        if found is not None and found[0].plugin is plugin:
            self.on_update(uri)


def literals(route: Route[Any]) -> int:
    """How many characters of a template are literal."""
    depth, count = 0, 0
    for character in route.exposed:
        depth += (character == "{") - (character == "}")
        count += depth == 0 and character != "}"
    return count
