"""Everything about one name: whose it is, how it is served and why so, what it costs, who would not take it."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agenthost.assembly import Assembly
from agenthost.catalog import Catalog, Route, Table
from agenthost.catalog.kinds import PROMPTS, RESOURCES, TOOLS, Kind
from agenthost.contributions import ResourceTemplate
from agenthost.findings import Finding
from agenthost.plugins import Plugin, stdout_to_stderr
from agenthost.profiles import Remark, lint, load_profiles
from agenthost.surface import Surface, read_surface
from agenthost.vetting import MODERN

State = Literal["served", "hidden", "quarantined"]
"""Clients get it; the operator's settings keep it off; it is not safe on the wire or its name is taken."""


@dataclass(frozen=True)
class Explanation:
    """One contribution that answers to a name.

    Attributes:
        asked: the name that was asked for.
        kind: `tool`, `prompt`, `resource` or `template`.
        state: whether clients get it.
        name: the name or address that clients see, or None.
        own: the name or address that the plugin gave it.
        plugin, distribution, version: whose it is.
        why: how the name came about, or why there is none, in sentences.
        setting: what to write into the settings to have it otherwise.
        listed: what is listed, for clients of the newest protocol; None if it is not served.
        variables: those of a template, if an address was asked for.
        remarks: what single clients would not take.
    """

    asked: str
    kind: str
    state: State
    name: str | None
    own: str
    plugin: str
    distribution: str
    version: str
    why: Sequence[str]
    setting: str
    listed: Mapping[str, Any] | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    remarks: Sequence[Remark] = ()

    @property
    def size(self) -> int | None:
        """The bytes of what is listed, as JSON in UTF-8; None if it is not served."""
        if self.listed is None:
            return None
        return len(json.dumps(self.listed, ensure_ascii=False, separators=(",", ":")).encode())


@dataclass(frozen=True)
class Names:
    """All that could have been asked for: names and addresses, those of what is not served too."""

    known: Sequence[str]
    explanations: Sequence[Explanation]


def explain(name: str, assembly: Assembly) -> Names:
    """What answers to `name` among the loaded plugins, by the name clients see, the plugin's own or an alias."""
    with stdout_to_stderr():  # annotations are read here, and they are the plugin's code
        catalog = Catalog(assembly.plugins)
    for plugin in assembly.plugins:
        if plugin.context is not None:
            catalog.show(plugin)
    tables: list[tuple[Kind[Any], Table[Any]]] = [
        (TOOLS, catalog.tools),
        (PROMPTS, catalog.prompts),
        (RESOURCES, catalog.resources),
    ]
    known: dict[str, None] = {}
    found: list[Explanation] = []
    for kind, table in tables:
        routes = {(route.plugin.name, route.item.key): route for route in table.routes()}
        for plugin in assembly.plugins:
            if plugin.context is None:
                continue
            for item in kind.registry(plugin.context):
                route = routes.get((plugin.name, item.key))
                names = [item.key] if route is None else [route.exposed, item.key, *route.aliases]
                known |= dict.fromkeys(names)
                if name in names:
                    found.append(_explain(name, kind, plugin, item, route, catalog.findings))
    if not found and (match := catalog.find_resource(name)) is not None:
        route, variables = match
        found = [_explain(name, RESOURCES, route.plugin, route.item, route, catalog.findings, variables)]
    if any(explanation.listed is not None for explanation in found):
        found = _with_remarks(found, read_surface(assembly))
    return Names(tuple(known), found)


def _with_remarks(found: Sequence[Explanation], surface: Surface) -> list[Explanation]:
    remarks = lint(surface, load_profiles())
    return [
        replace(
            explanation,
            remarks=[
                remark
                for remark in remarks
                if (remark.word, remark.name) == (explanation.kind, explanation.name)
                and remark.plugin in {None, explanation.plugin}
            ],
        )
        for explanation in found
    ]


def _explain(
    asked: str,
    kind: Kind[Any],
    plugin: Plugin,
    item: Any,
    route: Route[Any] | None,
    findings: Iterable[Finding],
    variables: Mapping[str, Any] | None = None,
) -> Explanation:
    wanted = plugin.part.prefix + item.key if kind.prefixed else item.key
    about = [
        finding
        for finding in findings
        if (finding.plugin, finding.word) == (plugin.name, kind.word) and finding.name in {item.key, wanted}
    ]
    pattern = _hiding_pattern(kind, plugin, item.key)
    state: State = "served" if route is not None else "quarantined" if pattern is None else "hidden"
    table = f"[plugins.{plugin.name}] {kind.member}"
    return Explanation(
        asked=asked,
        kind="template" if isinstance(item, ResourceTemplate) else kind.word,
        state=state,
        name=None if route is None else route.exposed,
        own=item.key,
        plugin=plugin.name,
        distribution=plugin.found.distribution if plugin.found else "",
        version=plugin.found.version if plugin.found else "",
        why=list(_reasons(asked, kind, plugin, item.key, route, about, pattern)),
        setting=_setting(table, item.key, state, pattern),
        listed=None if route is None else {kind.identity(item): route.exposed, **route.vetted.wire[MODERN]},
        variables=variables or {},
    )


def _hiding_pattern(kind: Kind[Any], plugin: Plugin, key: str) -> str | None:
    """The setting that keeps one off: `deny` with its pattern, or `allow`; None if nothing does."""
    globs = kind.globs(plugin.part)
    for pattern in globs.deny:
        if fnmatch.fnmatchcase(key, pattern):
            return f'deny has "{pattern}"'
    if globs.allow is not None and not any(fnmatch.fnmatchcase(key, pattern) for pattern in globs.allow):
        return f"allow has only {', '.join(globs.allow) or 'nothing'}"
    return None


def _reasons(
    asked: str,
    kind: Kind[Any],
    plugin: Plugin,
    key: str,
    route: Route[Any] | None,
    findings: Sequence[Finding],
    pattern: str | None,
) -> Iterator[str]:
    if route is None and pattern is not None:
        yield f"the settings keep it off: [plugins.{plugin.name}] {kind.member}.{pattern}"
    elif route is not None and asked in route.aliases and asked != route.exposed:
        yield f"{asked} is an alias of it: answered, and never listed"
    renamed = any(finding.kind == "renamed" for finding in findings)
    if route is not None and not renamed:
        if route.exposed == key:
            yield "the name is the one that the plugin gave it"
        else:
            yield f'the name has the prefix of the settings: [plugins.{plugin.name}] prefix = "{plugin.part.prefix}"'
    for finding in findings:
        if finding.kind in {"renamed", "quarantined"}:
            yield f"{finding.kind}: {finding.text}"


def _setting(table: str, key: str, state: State, pattern: str | None) -> str:
    if state == "served":
        return f'to hide it: {table}.deny = ["{key}"]'
    if pattern is not None:
        return f"to show it: change {table}.{pattern.split()[0]}"
    return f'no setting shows it as it is; to have it no longer reported: {table}.deny = ["{key}"]'
