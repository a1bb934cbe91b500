"""The one route table: which name is answered by which contribution of which plugin.

Names are looked up, never parsed. Lists, calls and everything else go through the same table, so
what is off is off everywhere, and two equal names are never listed.
"""

from __future__ import annotations

import fnmatch
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agenthost.context import PluginContext
from agenthost.contributions import Tool
from agenthost.errors import ContributionRefused
from agenthost.findings import Finding
from agenthost.plugins import Plugin
from agenthost.settings import Globs, did_you_mean
from agenthost.vetting import LEGACY, MODERN, TOOL_NAME, VettedTool, VettingError, vet_tool


@dataclass(frozen=True)
class Route:
    """One served tool.

    Attributes:
        exposed: the name clients see.
        plugin: its owner.
        vetted: the contribution, its signature and its wire forms.
    """

    exposed: str
    plugin: Plugin
    vetted: VettedTool

    @property
    def tool(self) -> Tool:
        return self.vetted.tool

    @property
    def answers_to(self) -> tuple[str, ...]:
        """All names of the route: the listed one, then its aliases."""
        return (self.exposed, *(self.plugin.part.prefix + alias for alias in self.tool.aliases))


@dataclass(frozen=True)
class _Entry:
    """A plugin's tool with its route, or None if it is off by globs or quarantined."""

    tool: Tool
    route: Route | None


class Catalog:
    """The merged tools of all loaded plugins, in the order of the plugins and within each its own.

    Made once at start by `Catalog(plugins)`, whose remarks are in `findings`; changed later through
    the plugins' registries, from any thread. A plugin's tools are seen once it is `show`n.
    """

    def __init__(self, plugins: Sequence[Plugin]) -> None:
        self.findings: list[Finding] = []
        self.on_change: Callable[[], None] = lambda: None
        self._lock = threading.RLock()
        self._plugins = [plugin for plugin in plugins if plugin.context is not None]
        self._entries: dict[str, tuple[_Entry, ...]] = {}
        self._routes: dict[str, Route] = {}
        self._shown: set[str] = set()
        self._lists: dict[str, list[dict[str, Any]]] = {}
        self._merge()
        for plugin in self._plugins:
            self._bind(plugin)

    def tools(self, *, modern: bool) -> list[dict[str, Any]]:
        """The tools to list, as on the wire of that era; not to be changed by the caller."""
        version = MODERN if modern else LEGACY
        with self._lock:
            listed = self._lists.get(version)
            if listed is None:
                listed = [{"name": route.exposed, **route.vetted.wire[version]} for route in self.routes()]
                self._lists[version] = listed
            return listed

    def routes(self) -> list[Route]:
        """The listed routes, in order."""
        with self._lock:
            return [
                entry.route
                for plugin in self._plugins
                if plugin.name in self._shown
                for entry in self._entries[plugin.name]
                if entry.route is not None
            ]

    def find_tool(self, name: str) -> Route | None:
        """The route that answers to `name`, by its listed name or an alias."""
        with self._lock:
            route = self._routes.get(name)
            return route if route is not None and route.plugin.name in self._shown else None

    def explain_unknown_tool(self, name: str) -> str:
        """What to tell a client that asked for a tool that is not served."""
        with self._lock:
            route = self._routes.get(name)
            known = [route.exposed for route in self.routes()]
        if route is not None and route.plugin.name not in self._shown:
            return f"Unknown tool: {name} (its plugin {route.plugin.name} is still starting; try again in a few seconds)"
        return f"Unknown tool: {name}{did_you_mean(name, known)}"

    def show(self, plugin: Plugin) -> None:
        """Serve a plugin's tools from now on."""
        with self._lock:
            self._shown.add(plugin.name)
            self._changed(bool(self._entries[plugin.name]))

    def drop(self, plugin: Plugin) -> None:
        """Remove all of a plugin's tools; what it adds from now on is not served."""
        with self._lock:
            was_shown = plugin.name in self._shown
            self._shown.discard(plugin.name)
            self._entries[plugin.name] = ()
            self._routes = {name: route for name, route in self._routes.items() if route.plugin is not plugin}
            self._changed(was_shown)

    def _changed(self, visible: bool) -> None:
        self._lists.clear()
        if visible:
            self.on_change()

    # Merging at start

    def _merge(self) -> None:
        candidates = [(plugin, vetted, exposed) for plugin in self._plugins for vetted, exposed in self._vet_all(plugin)]
        # Whoever is named by a tool's name owns that name, wherever it stands in the order.
        candidates.sort(key=lambda candidate: not _is_named_after(candidate[0], candidate[2]))
        routes: dict[tuple[str, str], Route] = {}
        for plugin, vetted, exposed in candidates:
            if (name := self._settle_name(plugin, exposed)) is not None:
                route = Route(name, plugin, vetted)
                self._routes[name] = route
                routes[plugin.name, vetted.tool.name] = route
        for plugin in self._plugins:
            self._entries[plugin.name] = tuple(
                _Entry(tool, routes.get((plugin.name, tool.name))) for tool in _context(plugin).tools
            )
        for route in routes.values():
            self._claim_aliases(route)

    def _vet_all(self, plugin: Plugin) -> Iterable[tuple[VettedTool, str]]:
        tools = list(_context(plugin).tools)
        self._report_idle_globs(plugin, [tool.name for tool in tools])
        for tool in tools:
            if not _is_allowed(plugin.part.tools, tool.name):
                continue
            exposed = plugin.part.prefix + tool.name
            try:
                yield vet_tool(tool, exposed), exposed
            except VettingError as error:
                self._quarantine(plugin, tool.name, str(error))

    def _settle_name(self, plugin: Plugin, exposed: str) -> str | None:
        """The name to serve a tool by: its own, else one made unique, else None and a finding."""
        holder = self._routes.get(exposed)
        if holder is None:
            return exposed
        cure = f"set [plugins.{plugin.name}] prefix, or deny it"
        if _is_named_after(plugin, exposed):
            self._quarantine(plugin, exposed, f"name: plugin {holder.plugin.name} already serves it; {cure}")
            return None
        renamed = f"{plugin.name}_{exposed}"
        if renamed in self._routes or not TOOL_NAME.fullmatch(renamed):
            why = "is taken as well" if renamed in self._routes else "is too long"
            self._quarantine(
                plugin, exposed, f"name: plugin {holder.plugin.name} already serves it, and {renamed!r} {why}; {cure}"
            )
            return None
        self.findings.append(
            Finding(
                "renamed",
                plugin.name,
                f"tool {exposed!r} is already served by plugin {holder.plugin.name}, so this one is served as "
                f"{renamed!r}; to choose another name {cure}",
            )
        )
        return renamed

    def _claim_aliases(self, route: Route) -> None:
        for alias in route.answers_to[1:]:
            holder = self._routes.setdefault(alias, route)
            if holder is not route:
                self._quarantine(
                    route.plugin,
                    route.exposed,
                    f"aliases: {alias!r} is already answered by {holder.exposed!r} of plugin {holder.plugin.name}; "
                    "the tool is served without it",
                )

    def _quarantine(self, plugin: Plugin, name: str, reason: str) -> None:
        self.findings.append(Finding("quarantined", plugin.name, f"tool {name!r}: {reason}"))

    def _report_idle_globs(self, plugin: Plugin, names: list[str]) -> None:
        globs = plugin.part.tools
        for key, patterns in (("allow", globs.allow or []), ("deny", globs.deny)):
            for pattern in patterns:
                if not any(fnmatch.fnmatchcase(name, pattern) for name in names):
                    there = ", ".join(names) or "none"
                    self.findings.append(
                        Finding(
                            "unused",
                            plugin.name,
                            f"[plugins.{plugin.name}] tools.{key}: {pattern!r} matches no tool"
                            f"{did_you_mean(pattern, names)}. Its tools: {there}.",
                        )
                    )

    # Changes at run time

    def _bind(self, plugin: Plugin) -> None:
        _context(plugin).tools.bind(lambda tools, explicit: self._replace(plugin, tools, explicit))

    def _replace(self, plugin: Plugin, tools: tuple[Tool, ...], explicit: bool) -> None:
        """Serve `tools` instead of what the plugin has now, or refuse them all and change nothing."""
        with self._lock:
            if plugin.state != "loaded":
                return
            old = {entry.tool.name: entry for entry in self._entries[plugin.name]}
            routes = {name: route for name, route in self._routes.items() if route.plugin is not plugin}
            entries: list[_Entry] = []
            for tool in tools:
                entry = old.get(tool.name)
                if entry is None or entry.tool is not tool:
                    entry = _Entry(tool, self._admit(plugin, tool, entry, explicit))
                entries.append(entry)
            new = [entry.route for entry in entries if entry.route is not None]
            for route in new:
                _claim(route, route.exposed, routes)
            for route in new:
                # An alias that was refused at start stays unanswered; only a new tool must get all of its own.
                for alias in route.answers_to[1:]:
                    if route.tool.name not in old or alias not in routes:
                        _claim(route, alias, routes)
            before = [_listed(entry) for entry in self._entries[plugin.name]]
            self._entries[plugin.name] = tuple(entries)
            self._routes = routes
            changed = before != [_listed(entry) for entry in entries]
            self._changed(changed and plugin.name in self._shown)

    def _admit(self, plugin: Plugin, tool: Tool, replaced: _Entry | None, explicit: bool) -> Route | None:
        if not isinstance(tool, Tool) or not isinstance(tool.name, str):
            raise ContributionRefused(f"{tool!r} was not added: it is no Tool with a name that is a text.")
        if not _is_allowed(plugin.part.tools, tool.name):
            if explicit:
                raise ContributionRefused(
                    f"Tool {tool.name!r} was not added: the operator's settings for plugin {plugin.name} "
                    "([plugins.*] tools) keep that name off. Choose another name."
                )
            return None
        exposed = plugin.part.prefix + tool.name
        if replaced is not None and replaced.route is not None:
            exposed = replaced.route.exposed
        try:
            return Route(exposed, plugin, vet_tool(tool, exposed))
        except VettingError as error:
            raise ContributionRefused(f"Tool {tool.name!r} was not added: {error}.") from error


def _claim(route: Route, name: str, routes: dict[str, Route]) -> None:
    holder = routes.setdefault(name, route)
    if holder is not route:
        raise ContributionRefused(
            f"Tool {route.tool.name!r} was not added: the name {name!r} is taken by plugin {holder.plugin.name}. "
            "Choose another name."
        )


def _listed(entry: _Entry) -> tuple[str, Mapping[str, Any]] | None:
    return None if entry.route is None else (entry.route.exposed, entry.route.vetted.wire)


def _is_named_after(plugin: Plugin, name: str) -> bool:
    """Whether a tool's name begins with its plugin's name, as a word of its own."""
    return name.startswith(plugin.name) and name[len(plugin.name) :][:1] in ("", "_", "-", ".")


def _is_allowed(globs: Globs, name: str) -> bool:
    def matches(patterns: Iterable[str]) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)

    return (globs.allow is None or matches(globs.allow)) and not matches(globs.deny)


def _context(plugin: Plugin) -> PluginContext[Any]:
    assert plugin.context is not None
    return plugin.context
