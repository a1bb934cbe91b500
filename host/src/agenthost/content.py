"""What functions of plugins give back, and what it is made of: plain data, without `mcp`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

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
"""One block of a tool result or of a prompt's message."""


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


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt; a `str` as content is taken as `Text`."""

    content: Content | str
    role: Literal["user", "assistant"] = "user"


@dataclass(frozen=True, slots=True)
class PromptResult:
    """What a prompt gives where its description depends on the arguments.

    Attributes:
        messages: as a prompt's function may return them.
        description: instead of the prompt's own.
    """

    messages: Message | str | list[Message | str]
    description: str


@dataclass(frozen=True, slots=True)
class Contents:
    """One part of what a resource contains: `str` is sent as text, `bytes` as a blob.

    Attributes:
        data: the contents.
        uri: the part's own address; None is the address that was read.
        mime_type: None is the resource's, else `text/plain` or `application/octet-stream`.
    """

    data: str | bytes
    uri: str | None = None
    mime_type: str | None = None
