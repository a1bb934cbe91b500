"""The gate: is this one contribution safe on the wire, in both eras? If not, it alone is kept out.

One bad tool makes official clients refuse the whole list, and the SDK answer -32603 for it
(sdk.md 1.2, clients.md A.0), so every contribution is tried alone before it may join a list.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from agenthost.contributions import Tool
from agenthost.signatures import Signature, read_signature

LEGACY, MODERN = "2025-11-25", "2026-07-28"
"""The revisions whose shapes stand for the handshake era and for the modern one."""

TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
MAX_DESCRIPTION = 64 * 1024
"""Characters of a description."""
MAX_MEMBER = 512 * 1024
"""Bytes of one member of a contribution, as JSON."""


class VettingError(Exception):
    """A contribution cannot be served; `str()` is `field: reason`."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")


@dataclass(frozen=True)
class VettedTool:
    """A tool that may be listed.

    Attributes:
        tool: the contribution.
        signature: what its typed function says; None for a raw tool.
        wire: the tool without its name, as listed in each era, by protocol revision.
    """

    tool: Tool
    signature: Signature | None
    wire: Mapping[str, Mapping[str, Any]]


def vet_tool(tool: Tool, exposed: str) -> VettedTool:
    """Check a tool under the name it would be served by.

    Raises:
        VettingError: names the field and what is wrong with it.
    """
    if not isinstance(exposed, str) or not TOOL_NAME.fullmatch(exposed):
        raise VettingError("name", f"{exposed!r} is not 1 to 128 characters of A-Z a-z 0-9 _ - .")
    _check_fields(tool)
    signature = None
    if tool.input_schema is None:
        try:
            signature = read_signature(tool.handler)
        except Exception as error:
            raise VettingError("handler", str(error)) from error
    described = _describe(tool, signature)
    _check_text(described)
    wire = {MODERN: described, LEGACY: _handshake_form(described)}
    for version, form in wire.items():
        _try_alone(exposed, form, version)
    return VettedTool(tool, signature, wire)


def _check_fields(tool: Tool) -> None:
    if not callable(tool.handler):
        raise VettingError("handler", f"{tool.handler!r} cannot be called")
    if tool.input_schema is not None and not takes_two(tool.handler):
        raise VettingError("handler", "a tool with an input_schema is called as handler(arguments, ctx)")
    for field in ("description", "title"):
        value = getattr(tool, field)
        if value is not None and not isinstance(value, str):
            raise VettingError(field, f"{value!r} is not a text")
        if value is not None and len(value) > MAX_DESCRIPTION:
            raise VettingError(field, f"{len(value)} characters are too many; at most {MAX_DESCRIPTION}")
    for field in ("input_schema", "output_schema", "annotations", "meta"):
        value = getattr(tool, field)
        if value is not None and not isinstance(value, Mapping):
            raise VettingError(field, f"{value!r} is not an object")
    limit = tool.time_limit
    if limit is not None and not (isinstance(limit, (int, float)) and math.isfinite(limit) and limit > 0):
        raise VettingError("time_limit", f"{limit!r} is not a positive number of seconds")
    if not isinstance(tool.aliases, tuple):
        raise VettingError("aliases", f"{tool.aliases!r} is not a tuple of names")
    for alias in tool.aliases:
        if not isinstance(alias, str) or not TOOL_NAME.fullmatch(alias):
            raise VettingError("aliases", f"{alias!r} is not 1 to 128 characters of A-Z a-z 0-9 _ - .")


def takes_two(handler: Any) -> bool:
    """Whether `handler(arguments, ctx)` fits the handler's signature."""
    try:
        inspect.signature(handler).bind({}, None)
    except TypeError:
        return False
    except ValueError:  # a callable without a readable signature: it will show when called
        return True
    return True


def _describe(tool: Tool, signature: Signature | None) -> dict[str, Any]:
    """The tool as listed, without its name; absent members stay absent."""
    output = tool.output_schema
    if output is None and signature is not None:
        output = signature.returns.schema
    members: dict[str, Any] = {
        "title": tool.title,
        "description": tool.description,
        "inputSchema": signature.schema if signature is not None else tool.input_schema,
        "outputSchema": output,
        "annotations": tool.annotations,
        "_meta": tool.meta,
    }
    described = {key: value for key, value in members.items() if value is not None}
    # A null member makes TypeScript clients refuse the whole list (clients.md S06, S08).
    for key in ("inputSchema", "outputSchema", "annotations", "_meta"):
        if key in described:
            described[key] = {name: value for name, value in described[key].items() if value is not None}
    return described


def _check_text(described: Mapping[str, Any]) -> None:
    for field, value in described.items():
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise VettingError(field, f"cannot be written as JSON: {error}") from error
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            raise VettingError(field, "holds half of a surrogate pair, which JSON in UTF-8 cannot carry") from error
        if size > MAX_MEMBER:
            raise VettingError(field, f"{size} bytes as JSON are too many; at most {MAX_MEMBER}")


def _handshake_form(described: Mapping[str, Any]) -> dict[str, Any]:
    """The form for clients of the handshake era, whose parsers refuse more (clients.md S07, S19)."""
    form = dict(described)
    if form.get("outputSchema", {"type": "object"}).get("type") != "object":
        del form["outputSchema"]
    for key in ("inputSchema", "outputSchema"):
        schema = form.get(key)
        if schema and isinstance(properties := schema.get("properties"), Mapping):
            form[key] = {
                **schema,
                "properties": {
                    name: ({} if value else {"not": {}}) if isinstance(value, bool) else value
                    for name, value in properties.items()
                },
            }
    return form


def _try_alone(exposed: str, form: Mapping[str, Any], version: str) -> None:
    """Put the tool alone through the SDK's own serialiser, which the whole list will go through."""
    from mcp_types.methods import serialize_server_result

    result: dict[str, Any] = {"tools": [{"name": exposed, **form}]}
    if version == MODERN:
        result.update(resultType="complete", ttlMs=0, cacheScope="private")
    try:
        listed = serialize_server_result("tools/list", version, result)["tools"][0]
    except ValidationError as error:
        faults = {
            f"{'.'.join(str(part) for part in details['loc'][2:])}: {details['msg']}" for details in error.errors()
        }
        field, _, reason = min(faults).partition(": ")
        raise VettingError(field or "tool", reason) from error
    lost = sorted(form.keys() - listed.keys())
    if lost:
        raise VettingError(lost[0], "would be dropped by the protocol's serialiser")
