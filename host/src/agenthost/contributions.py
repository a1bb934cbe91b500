"""What a plugin contributes (`Tool`) and what its functions give back: plain data, without `mcp`.

Constructors never raise on a bad name or schema. Vetting reports those with plugin, tool and field,
and leaves the other contributions alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Text:
    """A block of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: raw bytes and their media type, for example `image/png`."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Audio:
    """A sound: raw bytes and their media type, for example `audio/wav`."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class EmbeddedResource:
    """The contents of a resource inside a result: `str` is sent as text, `bytes` as a blob."""

    uri: str
    contents: str | bytes
    mime_type: str | None = None


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A pointer to a resource that the client may read; `size` is in bytes."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None


Content = Text | Image | Audio | EmbeddedResource | ResourceLink
"""One block of a tool result."""


class Result(Generic[T]):
    """A tool result whose text and structure differ, or that carries `is_error` or `meta`.

    Annotate the function `-> Result[T]` to advertise the output schema of `T`. Without content
    blocks the text is `structured` as JSON. Both must tell the same facts: some clients show the
    model only the one, some only the other.

    Args:
        content: blocks in order; a `str` is taken as `Text`.
        structured: becomes `structuredContent`; a model, dataclass, TypedDict or dict.
        is_error: the call failed and the text says what to do next.
        meta: the result's `_meta`, JSON-able.
    """

    __slots__ = ("content", "is_error", "meta", "structured")

    def __init__(
        self,
        *content: Content | str,
        structured: T | None = None,
        is_error: bool = False,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.content: tuple[Content, ...] = tuple(Text(block) if isinstance(block, str) else block for block in content)
        self.structured = structured
        self.is_error = is_error
        self.meta = meta


@dataclass(frozen=True)
class Tool:
    """One tool. `@tool` makes it from a function; the constructor takes a raw schema.

    With `input_schema=None` the handler is a typed function: its schema is derived from the
    signature, its arguments are checked by the host, and it is called with them by keyword.

    With an `input_schema` the tool is raw: the schema is advertised as given, and the handler is
    called as `handler(arguments: dict, ctx: CallContext)` with unchecked arguments.

    Attributes:
        name: what clients call, `^[A-Za-z0-9_.-]{1,128}$`; at most 40 of `[a-z0-9_]` suits all clients.
        handler: `async def` runs on the event loop, `def` in a thread of the plugin.
        description: what models read; the first sentence says what it does and when.
        input_schema: a JSON Schema with the root `"type": "object"`, or None for a typed handler.
        output_schema: a JSON Schema for `structuredContent`; None derives it for typed handlers.
        title: a name for people.
        annotations: hints of the protocol, for example `{"readOnlyHint": True}`.
        meta: the tool's `_meta`.
        time_limit: seconds until a call is ended, instead of the plugin's or host's setting.
        aliases: further names that are answered but never listed.
    """

    name: str
    handler: Callable[..., Any]
    description: str | None = None
    input_schema: Mapping[str, Any] | None = None
    output_schema: Mapping[str, Any] | None = None
    title: str | None = None
    annotations: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] | None = None
    time_limit: float | None = None
    aliases: tuple[str, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the handler directly, as if it were not a tool."""
        return self.handler(*args, **kwargs)


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    title: str | None = None,
    annotations: Mapping[str, Any] | None = None,
    meta: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    aliases: tuple[str, ...] = (),
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **options: Any,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a typed `Tool` from a function, as `@tool` or `@tool(name=..., ...)`.

    The name is the function's and the description its docstring unless given here. A parameter's
    wire name is its own or that of `Annotated[str, Field(alias="fireId")]`; a parameter annotated
    `CallContext` receives the call's context and is not advertised. The other options are the
    attributes of `Tool`.
    """

    def make(function: Callable[..., Any]) -> Tool:
        return Tool(
            name if name is not None else getattr(function, "__name__", ""),
            function,
            description if description is not None else inspect.getdoc(function),
            **options,
        )

    return make if function is None else make(function)
