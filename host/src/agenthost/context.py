"""What the host gives a plugin: its context, the context of one call, and its registries."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, get_args

from agenthost.contributions import Prompt, Resource, ResourceTemplate, Tool
from agenthost.errors import ContributionRefused, ToolError
from agenthost.inputs import Inputs

if TYPE_CHECKING:
    from agenthost.storage import Store


class Keyed(Protocol):
    """Anything that is contributed under a name or an address."""

    @property
    def key(self) -> str:
        """What tells it apart from the plugin's others of its kind."""


KeyedT = TypeVar("KeyedT", bound=Keyed)
S = TypeVar("S")

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""The levels of MCP log messages, from RFC 5424, lowest first."""

LOG_LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)

_SHOWN = 128
"""Characters of a name that an error repeats; longer ones cannot be served."""


class Registry(Generic[KeyedT]):
    """What one plugin contributes of one kind, in its order, under its own names.

    Changes are synchronous, atomic and safe from any thread: either the whole change is accepted
    and served at once, or `ContributionRefused` is raised and nothing has changed. Clients are told
    about accepted changes by the host.
    """

    def __init__(self, kind: str, *types: type) -> None:
        self._kind = kind
        self._types = types
        self._items: tuple[KeyedT, ...] = ()
        self._lock = threading.RLock()
        self._accept: Callable[[tuple[KeyedT, ...], bool], None] | None = None
        self._served_name: Callable[[str], str | None] = lambda key: key
        self.explain_missing: Callable[[str], str | None] = lambda _: None
        """May be set by the plugin: words the answer for a name or address that nobody serves."""

    def bind(
        self, accept: Callable[[tuple[KeyedT, ...], bool], None], served_name: Callable[[str], str | None]
    ) -> None:
        """For the host: from now on ask `accept(items, explicit)` before every change.

        `accept` gets the whole new content and raises `ContributionRefused` to leave the old one;
        `explicit` says that the new items were added by name, one at a time. `served_name` answers
        the method of that name.
        """
        with self._lock:
            self._accept = accept
            self._served_name = served_name

    def __iter__(self) -> Iterator[KeyedT]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: str) -> KeyedT | None:
        """The contribution of this plugin with that own name or address, or None."""
        return next((item for item in self._items if item.key == key), None)

    def served_name(self, key: str) -> str | None:
        """The name by which clients see one of them, which a prefix or a collision may have changed.

        None if it is not served: unknown, switched off by the operator, or quarantined.
        """
        return self._served_name(key)

    def add(self, item: KeyedT) -> None:
        """Add one contribution at the end.

        Raises:
            ContributionRefused: its name is taken or not allowed, or it does not pass vetting.
        """
        with self._lock:
            self._change((*self._items, item), explicit=True)

    def remove(self, key: str) -> None:
        """Take one contribution away.

        Raises:
            ToolError: this plugin has none of that name or address.
        """
        with self._lock:
            kept = tuple(item for item in self._items if item.key != key)
            if len(kept) == len(self._items):
                raise ToolError(f"There is no {self._kind} {key[:_SHOWN]!r} to remove.")
            self._change(kept, explicit=False)

    def replace(self, items: Iterable[KeyedT]) -> None:
        """Exchange all contributions at once. Clients hear nothing when the served list stays equal.

        Raises:
            ContributionRefused: one of them is not accepted; the old ones stay.
        """
        with self._lock:
            self._change(tuple(items), explicit=False)

    def _change(self, items: tuple[KeyedT, ...], *, explicit: bool) -> None:
        seen: set[str] = set()
        for item in items:
            key = item.key if isinstance(item, self._types) else None
            if not isinstance(key, str):
                raise ContributionRefused(f"{item!r} was not added: it is no {self._kind}, or its name is no text.")
            if key in seen:
                raise ContributionRefused(f"There is already a {self._kind} {key!r}; choose another.")
            seen.add(key)
        if self._accept is not None:
            self._accept(items, explicit)
        self._items = items


@dataclass(eq=False)
class PluginContext(Generic[S]):
    """One plugin's view of the host, the same object in all its hooks and calls.

    Attributes:
        name: the plugin's name, as in `--plugins`.
        settings: the validated model of `agenthost_settings()`.
        base_dir: the folder of the config file, else the working directory; relative paths in
            settings start here.
        max_wait: seconds that a waiting tool may wait at most, whatever its caller asks for.
        wanted: names of all plugins that are to be served, this one included, in the operator's order; some may yet
            fail. In a plugin's own command: those that `agenthost serve` would serve.
        log: a standard logger; its lines appear on stderr with the plugin's name.
        tools, prompts, resources: what the plugin contributes, changeable while it is served;
            templates are among the resources.
    """

    name: str
    settings: S
    base_dir: Path
    log: logging.Logger
    _state_root: Path = field(repr=False)
    max_wait: float = 50.0
    wanted: tuple[str, ...] = ()
    tools: Registry[Tool] = field(default_factory=lambda: Registry("tool", Tool), repr=False)
    prompts: Registry[Prompt] = field(default_factory=lambda: Registry("prompt", Prompt), repr=False)
    resources: Registry[Resource | ResourceTemplate] = field(
        default_factory=lambda: Registry("resource", Resource, ResourceTemplate), repr=False
    )
    _tell_updated: Callable[[str], None] = field(default=lambda _: None, repr=False)
    _store: Store | None = field(default=None, repr=False)

    @property
    def store(self) -> Store:
        """The plugin's database, open from before its lifespan until after it; for `async def` code.

        Raises:
            RuntimeError: the plugin declares no `agenthost_storage`, or this is no code of the event loop.
        """
        if self._store is None:
            raise RuntimeError(f"plugin {self.name} has no store; declare its tables with agenthost_storage")
        import asyncio  # 40 ms, and `import agenthost` has to stay light

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise RuntimeError(
                "the store is for async def; make this function async, or pass it what it needs"
            ) from None
        return self._store

    def updated(self, uri: str) -> None:
        """Tell the subscribers of one of the plugin's resources that its contents have changed.

        Callable from any thread; changes of one address within a turn of the loop are told once.
        """
        self._tell_updated(uri)

    def on_updated(self, tell: Callable[[str], None]) -> None:
        """For the host: what `updated` does."""
        self._tell_updated = tell

    @property
    def state_dir(self) -> Path:
        """This plugin's own folder for durable files; made on first use, with mode 0700.

        Use it in lifespans and calls. Hooks are also called by commands that only report, which
        create no folders unless a hook asks for this one.
        """
        folder = self._state_root / self.name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder


@dataclass(frozen=True)
class Caller:
    """Who is calling.

    Attributes:
        principal: the authenticated name, or None; nobody is authenticated on stdio.
        client: the client program's own name (`clientInfo.name`), a mere claim, or None.
    """

    principal: str | None
    client: str | None


class CallChannel(Protocol):
    """Carries what a running call tells its client; callable from any thread."""

    def progress(self, done: float, total: float | None, text: str | None) -> None:
        """Queue a progress notice."""

    def log(self, level: LogLevel, text: str) -> None:
        """Queue a log message."""


@dataclass(frozen=True, eq=False)
class CallContext(Generic[S]):
    """The context of one call; a typed function receives it in the parameter annotated with it.

    Attributes:
        plugin: the plugin's context.
        caller: who is calling.
        client_capabilities: what the client declared, as in the protocol, for example
            `{"sampling": {}}`.
        protocol_version: the protocol revision spoken on this call, for example `2026-07-28`.
        inputs: the answers to an `InputRequired` that this call gave before; empty the first time.
        input_state: the `state` of that `InputRequired`; None the first time.
    """

    plugin: PluginContext[S]
    caller: Caller
    client_capabilities: Mapping[str, Any]
    protocol_version: str
    _channel: CallChannel = field(repr=False)
    inputs: Inputs = field(default_factory=Inputs)
    input_state: Any = None

    @property
    def settings(self) -> S:
        """The plugin's validated settings."""
        return self.plugin.settings

    @property
    def store(self) -> Store:
        """The plugin's database, for `async def` handlers; see `PluginContext.store`."""
        return self.plugin.store

    def progress(self, done: float, total: float | None = None, text: str | None = None) -> None:
        """Tell the client how far the call is; nothing is sent unless the client asked for it.

        Queued, in order, and delivered before the result; works in `def` and `async def`. Values
        have to grow; the host nudges one that does not.
        """
        self._channel.progress(done, total, text)

    def log(self, level: LogLevel, text: str) -> None:
        """Send the client a log message, if it listens for that level; queued like `progress`.

        Raises:
            ValueError: there is no such level.
        """
        if level not in LOG_LEVELS:
            raise ValueError(f"there is no log level {level!r}; there are {', '.join(LOG_LEVELS)}")
        self._channel.log(level, text)
