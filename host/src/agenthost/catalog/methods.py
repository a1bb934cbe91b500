"""The request methods that plugins add by extensions: which of them is answered by whom."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agenthost.catalog.table import Route
from agenthost.extensions import Extension, Method
from agenthost.findings import Finding
from agenthost.plugins import Plugin
from agenthost.vetting import Vetted

IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*/[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?")
METHOD = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)+")
"""Letters, a slash and more; what has none, and what begins so, is the protocol's own."""

RESERVED = ("notifications/", "rpc.")


class Methods:
    """The extensions of all loaded plugins, in their order. One with a fault is left out whole, alone."""

    def __init__(self, plugins: Sequence[Plugin], findings: list[Finding]) -> None:
        self._extensions: dict[str, tuple[Plugin, Extension]] = {}
        self._routes: dict[str, Route[Method]] = {}
        self._shown: set[str] = set()
        self._dropped: set[str] = set()
        for plugin in plugins:
            for extension in plugin.extensions:
                if (fault := self._fault(extension)) is None:
                    self._accept(plugin, extension)
                else:
                    text = f"extension {extension.id!r}: {fault}"
                    findings.append(Finding("quarantined", plugin.name, text, "extension", str(extension.id)))

    def show(self, plugin: Plugin) -> None:
        """Answer the methods of a plugin from now on."""
        self._shown.add(plugin.name)

    def drop(self, plugin: Plugin) -> None:
        """Know the plugin's methods and extensions no longer."""
        self._dropped.add(plugin.name)

    def names(self) -> list[str]:
        """All methods, whether they are answered by now or not."""
        return list(self._routes)

    def find(self, name: str) -> Route[Method] | None:
        """The route of a method that is answered."""
        route = self._routes.get(name)
        return route if route is not None and route.plugin.name in self._shown - self._dropped else None

    def declared(self) -> dict[str, dict[str, Any]]:
        """The extensions that clients are told of, with their settings."""
        return {
            identifier: dict(extension.settings)
            for identifier, (plugin, extension) in self._extensions.items()
            if plugin.name not in self._dropped
        }

    def _accept(self, plugin: Plugin, extension: Extension) -> None:
        self._extensions[extension.id] = plugin, extension
        for name, handler in extension.methods.items():
            self._routes[name] = Route(name, plugin, Vetted(Method(name, handler), {}))

    def _fault(self, extension: Extension) -> str | None:
        """Why it cannot be served, or None."""
        if not isinstance(extension.id, str) or not IDENTIFIER.fullmatch(extension.id):
            return "its id has to be a domain and a name, for example org.example/almanac"
        if extension.id in self._extensions:
            return f"the plugin {self._extensions[extension.id][0].name} serves it already; leave one of them out"
        try:
            if not isinstance(extension.settings, Mapping):
                raise TypeError("they are no object")
            json.dumps(dict(extension.settings), allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError) as error:
            return f"its settings cannot be written as JSON: {error}"
        if not isinstance(extension.methods, Mapping):
            return "its methods have to be a mapping of names to functions"
        return next(filter(None, map(self._method_fault, extension.methods, extension.methods.values())), None)

    def _method_fault(self, name: Any, handler: Any) -> str | None:
        from mcp_types.methods import SPEC_CLIENT_METHODS

        if not isinstance(name, str) or not METHOD.fullmatch(name) or len(name) > 128:
            return f"the method {name!r} is no name like almanac/day"
        if name in SPEC_CLIENT_METHODS or name.startswith(RESERVED):
            return f"the method {name} is the protocol's own"
        if name in self._routes:
            return f"the method {name} is answered by the plugin {self._routes[name].plugin.name} already"
        if not inspect.iscoroutinefunction(handler):
            return f"the function of the method {name} has to be async def"
        try:
            inspect.signature(handler).bind({}, None)
        except (TypeError, ValueError):
            return f"the function of the method {name} is called as fn(params, ctx), and does not take that"
        return None
