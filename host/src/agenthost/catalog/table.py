"""The table of one kind: merging at start by fixed rules, changing at run time by refusal."""

from __future__ import annotations

import fnmatch
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from agenthost.catalog.kinds import Kind
from agenthost.errors import ContributionRefused
from agenthost.findings import Finding
from agenthost.plugins import Plugin
from agenthost.settings import Globs, did_you_mean
from agenthost.vetting import Vetted, VettingError

C = TypeVar("C")


@dataclass(frozen=True)
class Route(Generic[C]):
    """One served contribution.

    Attributes:
        exposed: the name or address clients see.
        plugin: its owner.
        vetted: the contribution, its signature and its wire forms.
    """

    exposed: str
    plugin: Plugin
    vetted: Vetted[C]

    @property
    def item(self) -> C:
        """The contribution."""
        return self.vetted.item

    @property
    def aliases(self) -> tuple[str, ...]:
        """Further names that it answers to, as clients write them."""
        return tuple([self.plugin.part.prefix + alias for alias in self.vetted.aliases])


@dataclass(frozen=True)
class _Entry(Generic[C]):
    """A plugin's contribution with its route, or None if it is off by globs or quarantined."""

    item: C
    route: Route[C] | None


class Table(Generic[C]):
    """All contributions of one kind.

    Args:
        kind: the rules of the kind.
        plugins: the loaded plugins, in order.
        lock: shared by all tables of a catalog.
        findings: where remarks of the merge go.
        on_change: is called when the served list has become another one.
    """

    def __init__(
        self,
        kind: Kind[C],
        plugins: Sequence[Plugin],
        lock: threading.RLock,
        findings: list[Finding],
        on_change: Callable[[], None],
    ) -> None:
        self._kind = kind
        self._plugins = plugins
        self._lock = lock
        self._findings = findings
        self._on_change = on_change
        self._entries: dict[str, tuple[_Entry[C], ...]] = {}
        self._routes: dict[str, Route[C]] = {}
        self._shown: set[str] = set()
        self._dropped: set[str] = set()
        self._lists: dict[str, list[dict[str, Any]]] = {}
        with lock:
            # Bound first: what a plugin's thread adds meanwhile waits for the lock, and is not lost.
            for plugin in plugins:
                kind.registry(plugin.loaded).bind(partial(self._replace, plugin), partial(self.served_name, plugin))
            self._merge()

    def listed(self, version: str) -> list[dict[str, Any]]:
        """What to list, as on the wire of that revision; not to be changed by the caller."""
        with self._lock:
            listed = self._lists.get(version)
            if listed is None:
                identity = self._kind.identity
                listed = [
                    {identity(route.item): route.exposed, **route.vetted.wire[version]} for route in self.routes()
                ]
                self._lists[version] = listed
            return listed

    def routes(self) -> list[Route[C]]:
        """The listed routes, in order."""
        with self._lock:
            return [
                entry.route
                for plugin in self._plugins
                if plugin.name in self._shown
                for entry in self._entries[plugin.name]
                if entry.route is not None
            ]

    def find(self, name: str) -> Route[C] | None:
        """The route that answers to `name`, by its listed name or an alias."""
        with self._lock:
            route = self._routes.get(name)
            return route if route is not None and route.plugin.name in self._shown else None

    def served_name(self, plugin: Plugin, key: str) -> str | None:
        """The name or address by which clients see one of a plugin's own, or None if it is off."""
        with self._lock:
            entries = {_key(entry.item): entry for entry in self._entries[plugin.name]}
            entry = entries.get(key)
            return entry.route.exposed if entry is not None and entry.route is not None else None

    def explain_unknown(self, name: str) -> str:
        """What to tell a client that asked for something that is not served."""
        with self._lock:
            route = self._routes.get(name)
            known = [route.exposed for route in self.routes()]
            shown = [plugin for plugin in self._plugins if plugin.name in self._shown]
        for plugin in shown:
            if explanation := _explain(plugin, self._kind, name):
                return explanation
        unknown = f"Unknown {self._kind.word}: {name}"
        if route is not None and route.plugin.name not in self._shown:
            return f"{unknown} (its plugin {route.plugin.name} is still starting; try again in a few seconds)"
        return f"{unknown}{did_you_mean(name, known)}"

    def show(self, plugin: Plugin, *, tell: bool = True) -> None:
        """Serve a plugin's contributions from now on; `tell` that the list has changed."""
        with self._lock:
            if plugin.name not in self._shown:
                self._shown.add(plugin.name)
                self._changed(tell and any(entry.route for entry in self._entries[plugin.name]))

    def drop(self, plugin: Plugin) -> None:
        """Remove a plugin's contributions; what it adds from now on is not served and takes no names."""
        with self._lock:
            self._dropped.add(plugin.name)
            was_seen = plugin.name in self._shown and any(entry.route for entry in self._entries[plugin.name])
            self._shown.discard(plugin.name)
            self._entries[plugin.name] = ()
            self._routes = {name: route for name, route in self._routes.items() if route.plugin is not plugin}
            self._changed(was_seen)

    def _changed(self, visible: bool) -> None:
        self._lists.clear()
        if visible:
            self._on_change()

    # Merging at start

    def _merge(self) -> None:
        candidates = [
            (plugin, vetted, exposed) for plugin in self._plugins for vetted, exposed in self._vet_all(plugin)
        ]
        # Whoever is named by a name owns it, wherever it stands in the order.
        candidates.sort(key=lambda candidate: not self._kind.owns(candidate[0], candidate[2]))
        routes: dict[tuple[str, str], Route[C]] = {}
        for plugin, vetted, exposed in candidates:
            if (name := self._settle_name(plugin, exposed)) is not None:
                route = Route(name, plugin, vetted)
                self._routes[name] = route
                routes[plugin.name, _key(vetted.item)] = route
        for plugin in self._plugins:
            self._entries[plugin.name] = tuple(
                _Entry(item, routes.get((plugin.name, item.key))) for item in self._kind.registry(plugin.loaded)
            )
        for route in routes.values():
            self._claim_aliases(route)

    def _vet_all(self, plugin: Plugin) -> Iterable[tuple[Vetted[C], str]]:
        items = list(self._kind.registry(plugin.loaded))
        globs = self._kind.globs(plugin.part)
        self._report_idle_globs(plugin, globs, [item.key for item in items])
        for item in items:
            if not _is_allowed(globs, item.key):
                continue
            exposed = self._expose(plugin, item.key)
            try:
                yield self._vet(item, exposed), exposed
            except VettingError as error:
                self._quarantine(plugin, item.key, str(error))

    def _vet(self, item: C, exposed: str) -> Vetted[C]:
        try:
            return self._kind.vet(item, exposed)
        except VettingError:
            raise
        except Exception as error:
            # Whatever stops the check is in what was contributed, and costs that alone.
            raise VettingError("contribution", f"cannot be checked: {type(error).__name__}") from error

    def _expose(self, plugin: Plugin, key: str) -> str:
        return plugin.part.prefix + key if self._kind.prefixed else key

    def _settle_name(self, plugin: Plugin, exposed: str) -> str | None:
        """The name to serve one by: its own, else one made unique, else None and a finding."""
        holder = self._routes.get(exposed)
        if holder is None:
            return exposed
        member, word = self._kind.member, self._kind.word
        cure = f"deny it with [plugins.{plugin.name}] {member}.deny"
        if self._kind.prefixed:
            cure = f"set [plugins.{plugin.name}] prefix, or {cure}"
        taken = f"plugin {holder.plugin.name} already serves it"
        renamed = None if self._kind.owns(plugin, exposed) else self._kind.rename(plugin, exposed)
        if renamed is None:
            self._quarantine(plugin, exposed, f"{taken}; {cure}")
        elif renamed in self._routes:
            self._quarantine(plugin, exposed, f"{taken}, and {renamed!r} is taken as well; {cure}")
        elif not self._kind.fits(renamed):
            self._quarantine(plugin, exposed, f"{taken}, and {renamed!r} is too long; {cure}")
        else:
            text = (
                f"{word} {exposed!r} is already served by plugin {holder.plugin.name}, so this one is served as "
                f"{renamed!r}; to choose otherwise {cure}"
            )
            self._findings.append(Finding("renamed", plugin.name, text, word, exposed))
            return renamed
        return None

    def _claim_aliases(self, route: Route[C]) -> None:
        for alias in route.aliases:
            holder = self._routes.setdefault(alias, route)
            if holder is not route:
                self._quarantine(
                    route.plugin,
                    route.exposed,
                    f"aliases: {alias!r} is already answered by {holder.exposed!r} of plugin {holder.plugin.name}; "
                    f"the {self._kind.word} is served without it",
                )

    def _quarantine(self, plugin: Plugin, name: str, reason: str) -> None:
        text = f"{self._kind.word} {name!r}: {reason}"
        self._findings.append(Finding("quarantined", plugin.name, text, self._kind.word, name))

    def _report_idle_globs(self, plugin: Plugin, globs: Globs, names: list[str]) -> None:
        for key, patterns in (("allow", globs.allow or []), ("deny", globs.deny)):
            for pattern in patterns:
                if not any(fnmatch.fnmatchcase(name, pattern) for name in names):
                    text = (
                        f"[plugins.{plugin.name}] {self._kind.member}.{key}: {pattern!r} matches no {self._kind.word}"
                        f"{did_you_mean(pattern, names)}. There are: {', '.join(names) or 'none'}."
                    )
                    self._findings.append(Finding("unused", plugin.name, text, self._kind.word))

    # Changes at run time

    def _replace(self, plugin: Plugin, items: tuple[Any, ...], explicit: bool) -> None:
        """Serve `items` instead of what the plugin has now, or refuse them all and change nothing."""
        with self._lock:
            if plugin.name in self._dropped:
                return
            old = {_key(entry.item): entry for entry in self._entries[plugin.name]}
            routes = {name: route for name, route in self._routes.items() if route.plugin is not plugin}
            entries: list[_Entry[C]] = []
            for item in items:
                entry = old.get(item.key)
                if entry is None or entry.item is not item:
                    entry = _Entry(item, self._admit(plugin, item, entry, explicit))
                entries.append(entry)
            before, new = _routes_of(self._entries[plugin.name]), _routes_of(entries)
            for route in new:
                self._claim(route, route.exposed, routes)
            for route in new:
                # An alias that was refused at start stays unanswered; only a new one must get all of its own.
                for alias in route.aliases:
                    if _key(route.item) not in old or alias not in routes:
                        self._claim(route, alias, routes)
            self._entries[plugin.name] = tuple(entries)
            self._routes = routes
            self._changed(plugin.name in self._shown and not _are_listed_alike(before, new))

    def _admit(self, plugin: Plugin, item: Any, replaced: _Entry[C] | None, explicit: bool) -> Route[C] | None:
        refused = f"{self._kind.word.capitalize()} {item.key!r} was not added:"
        if not _is_allowed(self._kind.globs(plugin.part), item.key):
            if explicit:
                raise ContributionRefused(
                    f"{refused} the operator's settings ([plugins.{plugin.name}] {self._kind.member}) keep that off. "
                    "Choose another."
                )
            return None
        exposed = self._expose(plugin, item.key)
        if replaced is not None and replaced.route is not None:
            exposed = replaced.route.exposed
        try:
            return Route(exposed, plugin, self._vet(item, exposed))
        except VettingError as error:
            raise ContributionRefused(f"{refused} {error}.") from error

    def _claim(self, route: Route[C], name: str, routes: dict[str, Route[C]]) -> None:
        holder = routes.setdefault(name, route)
        if holder is not route:
            raise ContributionRefused(
                f"{self._kind.word.capitalize()} {_key(route.item)!r} was not added: {name!r} is taken by plugin "
                f"{holder.plugin.name}. Choose another."
            )


def _key(item: Any) -> str:
    key: str = item.key
    return key


def _routes_of(entries: Iterable[_Entry[C]]) -> list[Route[C]]:
    return [entry.route for entry in entries if entry.route is not None]


def _are_listed_alike(before: Sequence[Route[Any]], after: Sequence[Route[Any]]) -> bool:
    return len(before) == len(after) and all(
        old is new or (old.exposed, old.vetted.wire) == (new.exposed, new.vetted.wire)
        for old, new in zip(before, after, strict=True)
    )


def _explain(plugin: Plugin, kind: Kind[Any], name: str) -> str | None:
    """The plugin's own words for something missing; whatever goes wrong there, the usual ones do."""
    try:
        explanation = kind.registry(plugin.loaded).explain_missing(name)
    except BaseException:
        plugin.loaded.log.exception("explain_missing failed for %r", name)
        return None
    return explanation if isinstance(explanation, str) else None


def _is_allowed(globs: Globs, name: str) -> bool:
    def matches(patterns: Iterable[str]) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)

    return (globs.allow is None or matches(globs.allow)) and not matches(globs.deny)
