"""Load the wanted plugins one at a time; what one does wrong stays its own."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from agenthost.context import PluginContext, Registry
from agenthost.contributions import Prompt, Resource, ResourceTemplate, Tool
from agenthost.errors import OperatorError
from agenthost.extensions import Extension
from agenthost.findings import Finding
from agenthost.migrations import Schema
from agenthost.plugins.containment import GivenUpOn, bounded, explain_failure, stdout_to_stderr
from agenthost.plugins.found import Found, explain_not_installed, why_incompatible
from agenthost.plugins.hooks import call_hook, expect, iterated, model_class, shorten
from agenthost.plugins.selection import Selection
from agenthost.settings import HOST_KEYS, Config, HostPart, HostSettings, state_root
from agenthost.trust import known_keys

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from agenthost.storage import Store

State = Literal["loaded", "failed", "not wanted", "not installed"]


@dataclass
class Plugin:
    """A plugin that was asked for, with what loading it gave.

    Attributes:
        name: the name asked for.
        found: its metadata, or None if nothing of that name is installed.
        state: how far it came.
        reason: why it is not served, for people; None while it is fine.
        context: what its hooks and calls receive; None unless loaded.
        part: the host's keys of its settings table.
        instructions: its part of the server's instructions.
        lifespan: the context manager to enter when serving.
        schema: the tables of its store, to be opened before.
        routes: what it answers over HTTP.
        extensions: the extensions of the protocol that it serves.
    """

    name: str
    found: Found | None
    state: State = "loaded"
    reason: str | None = None
    context: PluginContext[Any] | None = None
    part: HostPart = field(default_factory=lambda: HostPart.model_validate({}))
    instructions: str | None = None
    lifespan: contextlib.AbstractAsyncContextManager[Any] | None = None
    schema: Schema | None = None
    routes: Sequence[BaseRoute] = ()
    extensions: Sequence[Extension] = ()

    @property
    def loaded(self) -> PluginContext[Any]:
        """The context of a plugin that is loaded."""
        assert self.context is not None
        return self.context

    def fail(self, reason: str) -> Finding:
        """Mark it as not served, and say so."""
        self.state, self.reason = "failed", reason
        return Finding("failed", self.name, reason)


def load_plugins(
    selection: Selection,
    config: Config,
    settings: HostSettings,
    found: Mapping[str, Found],
    *,
    over_http: bool = False,
    wanted: Sequence[str] | None = None,
) -> tuple[list[Plugin], list[Finding]]:
    """Load what is wanted, in order; a failing plugin never takes another down.

    `over_http`: they are asked for their routes too. `wanted`: the names that they are told, if not those selected.
    """
    wanted = selection.names if wanted is None else wanted
    plugins: list[Plugin] = []
    findings: list[Finding] = []
    for name in selection.names:
        plugin = Plugin(name, found.get(name))
        plugins.append(plugin)
        findings += load_plugin(plugin, config, settings, found, over_http=over_http, wanted=wanted)
    for table in config.plugins:
        if table not in found and table not in selection.names:
            findings.append(Finding("unused", table, f"{config.origin(table)}: {explain_not_installed(table, found)}"))
    return plugins, findings


def load_plugin(
    plugin: Plugin,
    config: Config,
    settings: HostSettings,
    found: Mapping[str, Found],
    *,
    over_http: bool = False,
    wanted: Sequence[str] = (),
) -> list[Finding]:
    """Import one plugin and call its declarative hooks, in a thread that may be given up on.

    Whatever goes wrong is this plugin's failure. Nothing it prints reaches stdout.
    """
    if plugin.found is None:
        finding = plugin.fail(explain_not_installed(plugin.name, found))
        plugin.state = "not installed"
        return [finding]
    if plugin.found.problem:
        return [plugin.fail(plugin.found.problem)]
    if reason := why_incompatible(plugin.found):
        return [plugin.fail(reason)]
    loading = _Loading(plugin.found, config, settings, over_http=over_http, wanted=wanted)
    try:
        with stdout_to_stderr():
            loaded = bounded(loading.run, settings.start_limit)
    except GivenUpOn as error:
        return [plugin.fail(f"{loading.stage} {error} (setting host.start_limit)")]
    except Exception as error:  # noqa: BLE001  (the boundary: a plugin's failure is reported, not raised)
        return [plugin.fail(explain_failure(loading.stage, error))]
    # Only here, in the thread that waited: what was given up on may still finish, and must not count.
    plugin.context, plugin.part = loaded.context, loaded.part
    plugin.instructions, plugin.lifespan, plugin.schema = loaded.instructions, loaded.lifespan, loaded.schema
    plugin.routes, plugin.extensions = loaded.routes, loaded.extensions
    return loaded.findings


@dataclass(frozen=True)
class _Loaded:
    """What loading a plugin gave."""

    context: PluginContext[Any]
    part: HostPart
    instructions: str | None
    lifespan: contextlib.AbstractAsyncContextManager[Any] | None
    schema: Schema | None
    routes: Sequence[BaseRoute]
    extensions: Sequence[Extension]
    findings: list[Finding]


class _Loading:
    """The steps of loading one plugin; `stage` says where it is, for whoever waits outside."""

    def __init__(
        self, found: Found, config: Config, settings: HostSettings, *, over_http: bool, wanted: Sequence[str]
    ) -> None:
        self.stage = f"importing {found.entry_point.value}"
        self._found = found
        self._config = config
        self._settings = settings
        self._over_http = over_http
        self._wanted = tuple(wanted)

    def run(self) -> _Loaded:
        name, config = self._found.name, self._config
        self._hooks = self._found.load_hooks()
        part = config.host_part(name)
        settings = config.plugin_settings(name, self._settings_model())
        schema = self._call("agenthost_storage", "a Schema", expect(Schema))
        folder = state_root(self._settings, config.base_dir)
        context: PluginContext[Any] = PluginContext(
            name,
            settings,
            config.base_dir,
            logging.getLogger(f"agenthost.{name}"),
            folder,
            max_wait=self._settings.max_wait,
            wanted=self._wanted,
            _store=None if schema is None else _make_store(name, folder),
        )
        findings = [
            *self._fill(context, context.tools, "agenthost_tools", (Tool,)),
            *self._fill(context, context.prompts, "agenthost_prompts", (Prompt,)),
            *self._fill(context, context.resources, "agenthost_resources", (Resource, ResourceTemplate)),
        ]
        extensions = self._extensions(context)
        instructions = self._call("agenthost_instructions", "a text", expect(str), plugin=context)
        lifespan = self._call(
            "agenthost_lifespan",
            "an async context manager",
            expect(contextlib.AbstractAsyncContextManager),
            plugin=context,
        )
        routes = self._routes(context) if self._over_http else ()
        return _Loaded(context, part, instructions, lifespan, schema, routes, extensions, findings)

    def _extensions(self, context: PluginContext[Any]) -> Sequence[Extension]:
        hook = "agenthost_extensions"
        extensions = self._call(hook, "an iterable of Extension", iterated, plugin=context) or []
        for position, extension in enumerate(extensions, start=1):
            if not isinstance(extension, Extension):
                raise OperatorError(f"item {position} of {hook} is {shorten(extension)}, not an Extension")
        return extensions

    def _routes(self, context: PluginContext[Any]) -> Sequence[BaseRoute]:
        from starlette.routing import BaseRoute  # 80 ms, over HTTP alone

        routes = self._call("agenthost_routes", "an iterable of Starlette routes", iterated, plugin=context) or []
        for position, route in enumerate(routes, start=1):
            if not isinstance(route, BaseRoute):
                raise OperatorError(f"item {position} of agenthost_routes is {shorten(route)}, not a Starlette route")
        return routes

    def _fill(
        self, context: PluginContext[Any], registry: Registry[Any], hook: str, kinds: tuple[type, ...]
    ) -> list[Finding]:
        wanted = f"an iterable of {' or '.join(kind.__name__ for kind in kinds)}"
        returned = self._call(hook, wanted, iterated, plugin=context) or []
        items, findings = _sort_out(context.name, hook, kinds, [*registry, *returned])
        registry.replace(items)
        return findings

    def _settings_model(self) -> type[BaseModel]:
        model = self._call("agenthost_settings", "a pydantic model class", model_class) or BaseModel
        if clash := sorted(HOST_KEYS & {*model.model_fields, *known_keys(model, [])}):
            raise OperatorError(
                f"agenthost_settings: the field names {', '.join(clash)} belong to the host; rename them"
            )
        return type(
            model.__name__, (model,), {"model_config": ConfigDict(extra="forbid"), "__module__": model.__module__}
        )

    def _call(self, hook: str, wanted: str, check: Callable[[Any], Any], **arguments: Any) -> Any:
        self.stage = hook
        return call_hook(self._hooks, hook, wanted, check, **arguments)


def _make_store(name: str, folder: Path) -> Store:
    """The store of a plugin that declares tables, not yet open; sqlite3 is imported for those alone."""
    from agenthost.storage import SqliteEngine, Store

    return Store(name, SqliteEngine(folder / f"{name}.db"))


def _sort_out(plugin: str, hook: str, kinds: tuple[type, ...], items: Iterable[Any]) -> tuple[list[Any], list[Finding]]:
    """Keep the contributions that can be told apart; the rest is quarantined item by item."""
    kept: dict[str, Any] = {}
    findings: list[Finding] = []
    for position, item in enumerate(items, start=1):
        is_one = isinstance(item, kinds)
        if not is_one:
            names = " or ".join(kind.__name__ for kind in kinds)
            decorator = names.split(" ")[0].lower()
            fault = f"item {position} of {hook} is {shorten(item)}, not a {names}; is @{decorator} missing?"
        elif not isinstance(item.key, str):
            fault = f"item {position} of {hook}: {shorten(item.key)} is no name, since it is not a text"
        elif item.key in kept:
            fault = f"item {position} of {hook} repeats {item.key!r}; rename one"
        else:
            kept[item.key] = item
            continue
        findings.append(Finding("quarantined", plugin, fault, kinds[0].__name__.lower()))
    return list(kept.values()), findings
