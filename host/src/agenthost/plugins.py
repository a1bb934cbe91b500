"""Plugins: find them by entry point, check them from metadata, load the wanted ones one at a time."""

from __future__ import annotations

import contextlib
import inspect
import logging
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import pluggy
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from pydantic import BaseModel, ConfigDict

import agenthost
from agenthost import hookspecs
from agenthost.context import PluginContext, Registry
from agenthost.contributions import Prompt, Resource, ResourceTemplate, Tool
from agenthost.errors import AgenthostError, OperatorError
from agenthost.findings import Finding
from agenthost.migrations import Schema
from agenthost.settings import HOST_KEYS, Config, HostPart, HostSettings, did_you_mean, state_root
from agenthost.trust import known_keys

if TYPE_CHECKING:
    from agenthost.storage import Store

log = logging.getLogger("agenthost")

R = TypeVar("R")

GROUP = "agenthost"
"""The entry-point group in which plugins are announced."""

NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")

RESERVED = frozenset(
    # The commands of the host, those announced for later included, so that no plugin can come to hide one.
    "backup call config demo doctor explain init install new plugins prompts resources serve tools "
    # The host's own table in the configuration, and its paths on HTTP.
    "host mcp healthz metrics".split()
)
"""Names that no plugin may have."""

State = Literal["loaded", "failed", "not wanted", "not installed"]


@dataclass(frozen=True)
class Found:
    """An installed plugin, as its distribution's metadata tells; nothing is imported.

    Attributes:
        name: the entry point's name.
        distribution: name of the distribution that offers it, or several joined by `, `.
        version: that distribution's version.
        summary: that distribution's one-line description.
        entry_point: what to import.
        problem: why it can never be loaded, or None.
    """

    name: str
    distribution: str
    version: str
    summary: str
    entry_point: EntryPoint
    problem: str | None = None

    def load_hooks(self) -> pluggy.PluginManager:
        """Import the plugin and register its hook implementations.

        Each plugin has a manager of its own, so that a hook call has one owner and an import that
        was given up on cannot disturb the others later.

        Raises:
            OperatorError: it implements a hook that does not exist, or with arguments that do not.
            Exception: whatever the import raises.
        """
        hooks = pluggy.PluginManager(GROUP)
        hooks.add_hookspecs(hookspecs)
        known = list(vars(hooks.hook))
        module = self.entry_point.load()
        try:
            hooks.register(module, name=self.name)
        except pluggy.PluginValidationError as error:
            raise OperatorError(" ".join(str(error).split())) from error
        if unknown := [name for name in vars(hooks.hook) if name not in known and not _is_optional(hooks, name)]:
            raise OperatorError(f"there is no hook {unknown[0]}{did_you_mean(unknown[0], known)}")
        return hooks


def _is_optional(hooks: pluggy.PluginManager, hook: str) -> bool:
    """Whether the plugin says itself that this hook may be unknown here: `hookimpl(optionalhook=True)`."""
    return all(implementation.optionalhook for implementation in getattr(hooks.hook, hook).get_hookimpls())


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

    @property
    def loaded(self) -> PluginContext[Any]:
        """The context of a plugin that is loaded."""
        assert self.context is not None
        return self.context

    def fail(self, reason: str) -> Finding:
        """Mark it as not served, and say so."""
        self.state, self.reason = "failed", reason
        return Finding("failed", self.name, reason)


@dataclass(frozen=True)
class Selection:
    """The plugins asked for, in order, and whether they were named on the command line."""

    names: tuple[str, ...]
    explicit: bool


def find_plugins() -> dict[str, Found]:
    """All installed plugins by name, in the order of their names."""
    by_name: dict[str, list[EntryPoint]] = {}
    for entry_point in entry_points(group=GROUP):
        by_name.setdefault(entry_point.name, []).append(entry_point)
    return {name: _describe(name, points) for name, points in sorted(by_name.items())}


def select(option: str | None, settings: HostSettings, found: Mapping[str, Found]) -> Selection:
    """Decide who is wanted: `--plugins a,b`, else `[host] plugins`, else every installed plugin.

    Raises:
        OperatorError: `--plugins` names something that is not installed.
    """
    if option is None:
        names = found if settings.plugins is None else settings.plugins
        return Selection(tuple(dict.fromkeys(names)), explicit=False)
    names = [name.strip() for name in option.split(",") if name.strip()]
    if missing := [_unknown(name, found) for name in names if name not in found]:
        raise OperatorError("\n".join(f"--plugins: {text}" for text in missing))
    return Selection(tuple(dict.fromkeys(names)), explicit=True)


def load_plugins(
    selection: Selection, config: Config, settings: HostSettings, found: Mapping[str, Found]
) -> tuple[list[Plugin], list[Finding]]:
    """Load what is wanted, in order; a failing plugin never takes another down."""
    plugins: list[Plugin] = []
    findings: list[Finding] = []
    for name in selection.names:
        plugin = Plugin(name, found.get(name))
        plugins.append(plugin)
        findings += load_plugin(plugin, config, settings, found)
    for table in config.plugins:
        if table not in found and table not in selection.names:
            findings.append(Finding("unused", table, f"{config.origin(table)}: {_unknown(table, found)}"))
    return plugins, findings


def load_plugin(plugin: Plugin, config: Config, settings: HostSettings, found: Mapping[str, Found]) -> list[Finding]:
    """Import one plugin and call its declarative hooks, in a thread that may be given up on.

    Whatever goes wrong is this plugin's failure. Nothing it prints reaches stdout.
    """
    if plugin.found is None:
        finding = plugin.fail(_unknown(plugin.name, found))
        plugin.state = "not installed"
        return [finding]
    if plugin.found.problem:
        return [plugin.fail(plugin.found.problem)]
    if reason := _incompatible(plugin.found):
        return [plugin.fail(reason)]
    loading = _Loading(plugin.found, config, settings)
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
    return loaded.findings


ASK_LIMIT = 10.0
"""Seconds for importing a plugin that is asked something outside of serving."""


def ask(found: Found, hook: str, wanted: str, check: Callable[[Any], R]) -> R | None:
    """Import one plugin, wanted or not, and call one hook that takes no arguments; see `call_hook`.

    Raises:
        OperatorError: names the plugin and why it could not answer.
    """
    if found.problem:
        raise OperatorError(f"{found.name}: {found.problem}")
    stage = f"importing {found.entry_point.value}"
    try:
        with stdout_to_stderr():
            hooks = bounded(found.load_hooks, ASK_LIMIT)
            stage = hook
            return bounded(lambda: call_hook(hooks, hook, wanted, check), ASK_LIMIT)  # type: ignore[no-any-return]
    except Exception as error:
        raise OperatorError(f"{found.name}: {explain_failure(stage, error)}") from error


def bounded(function: Callable[[], R], limit: float) -> R:
    """Run `function()` in a daemon thread and wait at most `limit` seconds.

    Raises:
        GivenUpOn: it has not returned; the thread is left behind.
        Escaped: it raised `SystemExit` or the like, which would end this process.
        Exception: it raised that.
    """
    future: Future[R] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except Exception as error:  # noqa: BLE001  (raised again where it is waited for)
            future.set_exception(error)
        except BaseException as error:  # noqa: BLE001
            escaped = Escaped()
            escaped.__cause__ = error
            future.set_exception(escaped)

    threading.Thread(target=run, name="load", daemon=True).start()
    if not wait([future], limit).done:
        raise GivenUpOn(f"did not return within {limit:g} s and has been given up on")
    return future.result()


class GivenUpOn(Exception):
    """Plugin code did not return in time."""


class Escaped(Exception):
    """Plugin code raised what is no `Exception`; `__cause__` is what it raised."""


def explain_failure(stage: str, error: BaseException) -> str:
    """A failure of plugin code for the operator: short for what is meant for people, else with its place."""
    if isinstance(error, AgenthostError):
        return str(error)
    if isinstance(error, Escaped) and error.__cause__ is not None:
        error = error.__cause__
    while isinstance(error, BaseExceptionGroup):  # as task groups raise; the first cause says most
        error = error.exceptions[0]
    log.debug("%s failed", stage, exc_info=error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{stage} failed with {text}{place}"


@contextlib.contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send what is printed in the block, also by C code and children, to stderr."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


@dataclass(frozen=True)
class _Loaded:
    """What loading a plugin gave."""

    context: PluginContext[Any]
    part: HostPart
    instructions: str | None
    lifespan: contextlib.AbstractAsyncContextManager[Any] | None
    schema: Schema | None
    findings: list[Finding]


class _Loading:
    """The steps of loading one plugin; `stage` says where it is, for whoever waits outside."""

    def __init__(self, found: Found, config: Config, settings: HostSettings) -> None:
        self.stage = f"importing {found.entry_point.value}"
        self._found = found
        self._config = config
        self._settings = settings

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
            _store=None if schema is None else _make_store(name, folder),
        )
        findings = [
            *self._fill(context, context.tools, "agenthost_tools", (Tool,)),
            *self._fill(context, context.prompts, "agenthost_prompts", (Prompt,)),
            *self._fill(context, context.resources, "agenthost_resources", (Resource, ResourceTemplate)),
        ]
        instructions = self._call("agenthost_instructions", "a text", expect(str), plugin=context)
        lifespan = self._call(
            "agenthost_lifespan",
            "an async context manager",
            expect(contextlib.AbstractAsyncContextManager),
            plugin=context,
        )
        return _Loaded(context, part, instructions, lifespan, schema, findings)

    def _fill(
        self, context: PluginContext[Any], registry: Registry[Any], hook: str, kinds: tuple[type, ...]
    ) -> list[Finding]:
        wanted = f"an iterable of {' or '.join(kind.__name__ for kind in kinds)}"
        returned = self._call(hook, wanted, _iterated, plugin=context) or []
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


def call_hook(
    hooks: pluggy.PluginManager, hook: str, wanted: str, check: Callable[[Any], Any], **arguments: Any
) -> Any:
    """Call one hook of one plugin; None if it is not implemented or gives nothing.

    Args:
        hooks: the plugin's manager.
        hook: the hook's name.
        wanted: what it has to return, in words.
        check: returns the value to use, or raises `WrongKind`; see `expect`.
        arguments: the hook's arguments.

    Raises:
        OperatorError: it returned something else.
        Exception: whatever it raised.
    """
    results = getattr(hooks.hook, hook)(**arguments)
    if not results:
        return None
    [value] = results
    if inspect.iscoroutine(value):
        value.close()
        raise OperatorError(f"{hook} has to be a plain function (def), not async def")
    try:
        return check(value)
    except WrongKind:
        raise OperatorError(f"{hook} has to return {wanted}, not {_short(value)}") from None


class WrongKind(Exception):
    """A hook returned something of another kind."""


def expect(kind: type[R]) -> Callable[[Any], R]:
    """A check for `call_hook`: the value is an instance of `kind`."""

    def check(value: Any) -> R:
        if not isinstance(value, kind):
            raise WrongKind
        return value

    return check


def _iterated(value: Any) -> list[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise WrongKind
    return list(value)


def model_class(value: Any) -> type[BaseModel]:
    """A check for `call_hook`: the value is a pydantic model class."""
    if not (inspect.isclass(value) and issubclass(value, BaseModel)):
        raise WrongKind
    return value


def _sort_out(plugin: str, hook: str, kinds: tuple[type, ...], items: Iterable[Any]) -> tuple[list[Any], list[Finding]]:
    """Keep the contributions that can be told apart; the rest is quarantined item by item."""
    kept: dict[str, Any] = {}
    findings: list[Finding] = []
    for position, item in enumerate(items, start=1):
        is_one = isinstance(item, kinds)
        if not is_one:
            names = " or ".join(kind.__name__ for kind in kinds)
            decorator = names.split(" ")[0].lower()
            fault = f"item {position} of {hook} is {_short(item)}, not a {names}; is @{decorator} missing?"
        elif not isinstance(item.key, str):
            fault = f"item {position} of {hook}: {_short(item.key)} is no name, since it is not a text"
        elif item.key in kept:
            fault = f"item {position} of {hook} repeats {item.key!r}; rename one"
        else:
            kept[item.key] = item
            continue
        findings.append(Finding("quarantined", plugin, fault, kinds[0].__name__.lower()))
    return list(kept.values()), findings


def _describe(name: str, points: Sequence[EntryPoint]) -> Found:
    owners = {
        f"{point.dist.metadata['Name']} {point.dist.version}" if point.dist else "an unknown distribution": point
        for point in points
    }
    point = points[0]
    problem = None
    if len(owners) > 1:
        problem = f"{' and '.join(sorted(owners))} both offer a plugin of this name; uninstall one"
    elif len(points) > 1:
        problem = f"{' '.join(owners)} offers two plugins of this name; its author has to rename one"
    elif not NAME.fullmatch(name):
        problem = (
            "the name has to be a lower-case letter and up to 39 of a-z, 0-9, _ and -; its author has to rename it"
        )
    elif name in RESERVED:
        problem = "the name is reserved by agenthost; its author has to rename it"
    return Found(
        name,
        ", ".join(sorted({point.dist.metadata["Name"] for point in points if point.dist})),
        point.dist.version if point.dist else "",
        (point.dist.metadata["Summary"] or "") if point.dist else "",
        point,
        problem,
    )


def _incompatible(found: Found) -> str | None:
    """Why the plugin's distribution does not go with this host, read from its metadata."""
    distribution = found.entry_point.dist
    for line in (distribution.requires if distribution else None) or ():
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if canonicalize_name(requirement.name) != "agenthost-core" or not applies:
            continue
        if not requirement.specifier.contains(agenthost.__version__, prereleases=True):
            return (
                f"{found.distribution} {found.version} needs {requirement}, and this is agenthost-core "
                f"{agenthost.__version__}; install matching versions, for example with "
                f"pip install --upgrade agenthost-core {found.distribution}"
            )
    return None


def _unknown(name: str, found: Mapping[str, Found]) -> str:
    return (
        f"no plugin {name!r} is installed{did_you_mean(name, found)}. "
        f"Installed: {', '.join(found) or 'none'}. To install it: pip install agenthost-{name}"
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
