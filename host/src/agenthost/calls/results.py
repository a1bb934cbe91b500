"""What a plugin's function returns, as the members of a result on the wire."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from agenthost.calls.arguments import LONE_SURROGATE
from agenthost.content import (
    Audio,
    Content,
    Contents,
    EmbeddedResource,
    Image,
    Message,
    PromptResult,
    ResourceLink,
    Result,
    Text,
)
from agenthost.errors import ToolError
from agenthost.signatures import Returns

_CONTENT = (Text, Image, Audio, EmbeddedResource, ResourceLink)
_ANY = Returns()


def result_to_wire(value: Any, returns: Returns | None) -> dict[str, Any]:
    """Convert a return value.

    Text and structure always tell the same facts, since some clients show models only the one and
    some only the other.

    Args:
        value: what the handler gave back.
        returns: what its annotation promises; None for a raw tool.

    Raises:
        TypeError, ValueError, pydantic.ValidationError: it is nothing that can be sent.
    """
    promised = returns or _ANY
    if isinstance(value, Result):
        return _full_result(value, promised)
    if promised.nothing or (promised.optional and value is None):
        if value is not None:
            raise TypeError(f"the tool is annotated -> None and returned {type(value).__name__}")
        return _text_result("Done.")
    if promised.adapter is None:
        if isinstance(value, str):
            return _text_result(value)
        if isinstance(value, _CONTENT):
            return {"content": [content_block(value)]}
        is_blocks = isinstance(value, (list, tuple)) and all(isinstance(item, _CONTENT) for item in value)
        if is_blocks and (value or promised.content):
            return {"content": [content_block(item) for item in value]}
    structured, text = _structure(value, promised)
    return {**_text_result(text), "structuredContent": structured}


def error_to_wire(error: ToolError) -> dict[str, Any]:
    """A `ToolError` as a result that the model reads."""
    wire = {**_text_result(str(error)), "isError": True}
    if error.structured is not None:
        wire["structuredContent"] = _as_object(error.structured)
    return wire


def prompt_to_wire(value: Any, description: str | None) -> dict[str, Any]:
    """Convert what a prompt gave back; `description` is the prompt's own.

    Raises:
        TypeError: it is no text, no message and no list of those.
    """
    if isinstance(value, PromptResult):
        if not isinstance(value.description, str):
            raise TypeError(f"a prompt's description has to be a text, not {type(value.description).__name__}")
        value, description = value.messages, value.description
    items = value if isinstance(value, (list, tuple)) else [value]
    messages = [_message(item) for item in items]
    return _without_none(description=description, messages=messages)


def contents_to_wire(value: Any, uri: str, mime_type: str | None) -> dict[str, Any]:
    """Convert what a resource gave back: text, bytes, something JSON-able, or a list of `Contents`.

    Raises:
        TypeError, ValueError: it is nothing that can be sent.
    """
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, Contents) for item in value):
        return {"contents": [_part(item, uri, mime_type) for item in value]}
    if isinstance(value, Contents):
        return {"contents": [_part(value, uri, mime_type)]}
    if not isinstance(value, (str, bytes)):
        _, value = _structure(value, _ANY)
        mime_type = mime_type or "application/json"
    return {"contents": [_part(Contents(value), uri, mime_type)]}


def members_to_wire(value: Any) -> dict[str, Any]:
    """Convert what an extension's method gave back.

    Raises:
        TypeError, ValueError: it is no object, or none that can be sent.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"a method has to give a dict, not {type(value).__name__}")
    plain, _ = _structure(dict(value), _ANY)
    return plain


def _message(item: Any) -> dict[str, Any]:
    message = Message(item) if isinstance(item, str) else item
    if not isinstance(message, Message) or message.role not in ("user", "assistant"):
        raise TypeError(f"{item!r} is no message")
    content = Text(message.content) if isinstance(message.content, str) else message.content
    return {"role": message.role, "content": content_block(content)}


def _part(contents: Contents, uri: str, mime_type: str | None) -> dict[str, Any]:
    is_text = isinstance(contents.data, str)
    kind = contents.mime_type or mime_type or ("text/plain" if is_text else "application/octet-stream")
    block = content_block(EmbeddedResource(contents.uri or uri, contents.data, kind))
    return block["resource"]  # type: ignore[no-any-return]


def _full_result(result: Result[Any], promised: Returns) -> dict[str, Any]:
    wire: dict[str, Any] = {"content": [content_block(block) for block in result.content]}
    if result.structured is not None:
        returns = _ANY if result.is_error else promised
        wire["structuredContent"], text = _structure(result.structured, returns)
        wire["content"] = wire["content"] or [content_block(Text(text))]
    elif promised.adapter is not None and not result.is_error:
        raise TypeError("the tool promises structured content, and its Result has none")
    if result.is_error:
        wire["isError"] = True
    if result.meta is not None:
        wire["_meta"] = _as_object(result.meta)
    return wire


def _structure(value: Any, promised: Returns) -> tuple[dict[str, Any], str]:
    """The value as a JSON object, and as text: 2 spaces, non-ASCII kept."""
    if promised.adapter is not None:
        checked = promised.adapter.validate_python(value, by_alias=True, by_name=True)
        plain = promised.adapter.dump_python(checked, mode="json", by_alias=True)
    elif value is None:
        raise TypeError("the tool returned None; return a text, or annotate it -> None")
    else:
        plain = to_jsonable_python(value, by_alias=True, inf_nan_mode="constants")
    text = json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False)
    if LONE_SURROGATE.search(text):
        text = LONE_SURROGATE.sub("\ufffd", text)
        plain = json.loads(text)
    return plain if isinstance(plain, dict) and not promised.wrapped else {"result": plain}, text


def _as_object(value: Mapping[str, Any]) -> dict[str, Any]:
    plain = to_jsonable_python(dict(value), by_alias=True)
    json.dumps(plain, allow_nan=False)
    return plain  # type: ignore[no-any-return]


def _text_result(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def content_block(block: Content) -> dict[str, Any]:
    """A content block as on the wire; absent members stay absent."""
    match block:
        case Text(str(text)):
            members: dict[str, Any] = {"type": "text", "text": text}
        case Image(bytes(data), str(mime_type)):
            members = {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": mime_type}
        case Audio(bytes(data), str(mime_type)):
            members = {"type": "audio", "data": base64.b64encode(data).decode(), "mimeType": mime_type}
        case EmbeddedResource(str(uri), str(text), str() | None as mime_type):
            members = {"type": "resource", "resource": _without_none(uri=uri, text=text, mimeType=mime_type)}
        case EmbeddedResource(str(uri), bytes(data), str() | None as mime_type):
            blob = base64.b64encode(data).decode()
            members = {"type": "resource", "resource": _without_none(uri=uri, blob=blob, mimeType=mime_type)}
        case ResourceLink(
            str(uri),
            str(name),
            str() | None as title,
            str() | None as description,
            str() | None as mime_type,
            int() | None as size,
        ):
            members = _without_none(
                type="resource_link",
                uri=uri,
                name=name,
                title=title,
                description=description,
                mimeType=mime_type,
                size=size,
            )
        case _:
            raise TypeError(f"{block!r} is no content block with values of the right types")
    return members


def _without_none(**members: Any) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value is not None}
