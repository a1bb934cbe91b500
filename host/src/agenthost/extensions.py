"""What an extension of the protocol is: request methods that a plugin adds; plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Extension:
    """An extension of the protocol, declared to clients and answered by the plugin.

    Attributes:
        id: its identifier, a domain and a name: `org.example/almanac`.
        settings: what clients are told about it, JSON-able; each extension says what that means.
        methods: request method -> `async fn(params, ctx) -> dict`. `params` are the request's members
            without `_meta`, unchecked; the dict is the result's members.
    """

    id: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    methods: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """One method of an extension, as the host calls it."""

    name: str
    handler: Callable[..., Any]
    time_limit: float | None = None
    requires: tuple[str, ...] = ()
