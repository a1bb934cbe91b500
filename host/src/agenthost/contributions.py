"""What a plugin contributes: plain data, without `mcp`.

Constructors never raise on a bad name or schema. Vetting reports those with plugin, tool and field,
and leaves the other contributions alone.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a prompt whose handler is raw."""

    name: str
    description: str | None = None
    required: bool = False
    title: str | None = None


Complete = Callable[..., Any]
"""`fn(value, arguments, ctx)` -> the texts that may follow, sync or async.

`value` is what was typed so far, `arguments` the other arguments that are known (`dict[str, str]`).
"""


class _Called:
    """What is made from a function can still be called like it."""

    handler: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the handler directly."""
        return self.handler(*args, **kwargs)


@dataclass(frozen=True)
class Tool(_Called):
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
        requires: what a client has to be able to do before the tool is called for it: `sampling`,
            `elicitation`, `elicitation.form`, `elicitation.url`, `roots`.
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
    requires: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What tells it apart from the plugin's other tools."""
        return self.name


@dataclass(frozen=True)
class Prompt(_Called):
    """One prompt. `@prompt` makes it from a function; the constructor may name its arguments.

    With `arguments=None` the handler is a typed function: its arguments are read from the signature
    and it is called with them by keyword. Prompt arguments are texts on the wire; `int`, `bool`,
    `Literal` and enumerations are read from them.

    With `arguments` the prompt is raw: the handler is called as `handler(arguments: dict, ctx)` once
    the required ones are there and no unknown ones.

    Attributes:
        name: 1 to 128 characters without control characters, no blanks at the ends.
        handler: returns `str | Message | list[Message] | PromptResult`; `def` runs in a thread of the plugin.
        description: what people read when they choose a prompt.
        arguments: the arguments in order, or None to read the signature.
        title: a name for people.
        meta: the prompt's `_meta`.
        open: arguments that are not declared are accepted and handed on; raw handlers only.
        complete: argument name -> completion function; `Literal` and enumerations complete by themselves.
        time_limit: seconds, as for tools.
        aliases: further names that are answered but never listed.
    """

    name: str
    handler: Callable[..., Any]
    description: str | None = None
    arguments: tuple[Argument, ...] | None = None
    title: str | None = None
    meta: Mapping[str, Any] | None = None
    open: bool = False
    complete: Mapping[str, Complete] = field(default_factory=dict)
    time_limit: float | None = None
    aliases: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What tells it apart from the plugin's other prompts."""
        return self.name


@dataclass(frozen=True)
class Resource(_Called):
    """One resource at a fixed address.

    Attributes:
        uri: its address, with a scheme, for example `note://today`.
        handler: takes nothing or a `CallContext`; returns `str | bytes | model | list[Contents]`.
        name: a short name; default: the function's.
        description: what it contains.
        title: a name for people.
        mime_type: the media type of its contents.
        size: bytes, if known.
        annotations: hints of the protocol, for example `{"audience": ["assistant"]}`.
        meta: the resource's `_meta`.
        time_limit: seconds, as for tools.
    """

    uri: str
    handler: Callable[..., Any]
    name: str
    description: str | None = None
    title: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] | None = None
    time_limit: float | None = None

    @property
    def key(self) -> str:
        """What tells it apart from the plugin's other resources."""
        return self.uri


@dataclass(frozen=True)
class ResourceTemplate(_Called):
    """A family of resources behind an RFC 6570 template, for example `note://{day}`.

    The handler gets the variables by keyword, percent-decoded. A value may be `..` or hold slashes:
    keeping it inside a folder is the handler's duty.

    Attributes:
        uri_template: the template.
        complete: variable name -> completion function.

    The other attributes are those of `Resource`.
    """

    uri_template: str
    handler: Callable[..., Any]
    name: str
    description: str | None = None
    title: str | None = None
    mime_type: str | None = None
    annotations: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] | None = None
    complete: Mapping[str, Complete] = field(default_factory=dict)
    time_limit: float | None = None

    @property
    def key(self) -> str:
        """What tells it apart from the plugin's other resources."""
        return self.uri_template

    def expand(self, **variables: str) -> str:
        """The address for these variables, each encoded as its place in the template needs it.

        Raises:
            ValueError: the template is not one, or a variable is missing.
        """
        from mcp.shared.uri_template import UriTemplate

        return UriTemplate.parse(self.uri_template).expand(variables)


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
    requires: tuple[str, ...] = (),
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
    return _decorate(Tool, function, name, description, options)


@overload
def prompt(function: Callable[..., Any], /) -> Prompt: ...


@overload
def prompt(
    *,
    name: str | None = None,
    description: str | None = None,
    title: str | None = None,
    meta: Mapping[str, Any] | None = None,
    complete: Mapping[str, Complete] = ...,
    time_limit: float | None = None,
    aliases: tuple[str, ...] = (),
) -> Callable[[Callable[..., Any]], Prompt]: ...


def prompt(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **options: Any,
) -> Prompt | Callable[[Callable[..., Any]], Prompt]:
    """Make a typed `Prompt` from a function, as `@prompt` or `@prompt(name=..., ...)`; see `tool`."""
    return _decorate(Prompt, function, name, description, options)


def resource(
    uri: str, *, name: str | None = None, description: str | None = None, **options: Any
) -> Callable[[Callable[..., Any]], Resource | ResourceTemplate]:
    """Make a `Resource` from a function, or a `ResourceTemplate` if `uri` holds `{variables}`.

    Name and description are the function's and its docstring unless given here; the other options
    are the attributes of the class.
    """
    kind: type[Resource | ResourceTemplate] = ResourceTemplate if "{" in uri else Resource

    def make(function: Callable[..., Any]) -> Resource | ResourceTemplate:
        label, text = _described(function, name, description)
        return kind(uri, function, label, text, **options)

    return make


def _decorate(
    kind: Callable[..., ItemT],
    function: Callable[..., Any] | None,
    name: str | None,
    description: str | None,
    options: dict[str, Any],
) -> ItemT | Callable[[Callable[..., Any]], ItemT]:
    def make(function: Callable[..., Any]) -> ItemT:
        label, text = _described(function, name, description)
        return kind(label, function, text, **options)

    return make if function is None else make(function)


def _described(function: Callable[..., Any], name: str | None, description: str | None) -> tuple[str, str | None]:
    """Name and description, taken from the function where they are not given."""
    while isinstance(function, functools.partial):
        function = function.func
    return (
        getattr(function, "__name__", "") if name is None else name,
        inspect.getdoc(function) if description is None else description,
    )
