"""Is this tool safe on the wire?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agenthost.abilities import ABILITIES
from agenthost.contributions import Tool
from agenthost.signatures import Signature
from agenthost.vetting.gate import (
    LEGACY,
    MODERN,
    Vetted,
    VettingError,
    as_json,
    check_handler,
    check_members,
    check_names,
    present,
    shown,
    signature_of,
    try_alone,
)

TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_RULE = "1 to 128 characters of A-Z a-z 0-9 _ - ."


def vet_tool(tool: Tool, exposed: str) -> Vetted[Tool]:
    """Check a tool under the name it would be served by.

    Raises:
        VettingError: names the field and what is wrong with it.
    """
    if not isinstance(exposed, str) or not TOOL_NAME.fullmatch(exposed):
        raise VettingError("name", f"{shown(exposed)} is not {_RULE}")
    is_raw = tool.input_schema is not None
    check_handler(tool.handler, ({}, None) if is_raw else None, "handler(arguments, ctx)")
    check_members(tool, ("description", "title"), ("input_schema", "output_schema", "annotations", "meta"))
    check_names("aliases", tool.aliases, TOOL_NAME, _RULE)
    _check_requires(tool.requires)
    signature = None
    if not is_raw:
        signature = signature_of(tool.handler)
    modern = as_json(_describe(tool, signature))
    forms = {MODERN: modern, LEGACY: _handshake_form(modern)}
    wire = try_alone("tools/list", "tools", {"name": exposed}, forms, verbatim=("inputSchema", "outputSchema"))
    return Vetted(tool, wire, signature, tool.aliases, _headers(modern["inputSchema"]))


def _check_requires(requires: Any) -> None:
    if not isinstance(requires, tuple):
        raise VettingError("requires", f"{shown(requires)} is not a tuple of names")
    for name in requires:
        if name not in ABILITIES:
            raise VettingError("requires", f"{shown(name)} is none of {', '.join(ABILITIES)}")


def _headers(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema, if some of its arguments have to come as HTTP headers too.

    Raises:
        VettingError: an annotation is one that clients refuse, with the tool or even the whole list.
    """
    if '"x-mcp-header"' not in json.dumps(schema):
        return None
    from mcp.shared.inbound import find_invalid_x_mcp_header, x_mcp_header_map

    if (reason := find_invalid_x_mcp_header(schema)) is not None:
        raise VettingError("input_schema", reason)
    return schema if x_mcp_header_map(schema) else None


def _describe(tool: Tool, signature: Signature | None) -> dict[str, Any]:
    output = tool.output_schema
    if output is None and signature is not None:
        output = signature.returns.schema
    return present(
        {
            "title": tool.title,
            "description": tool.description,
            "inputSchema": signature.schema if signature is not None else tool.input_schema,
            "outputSchema": output,
            "annotations": tool.annotations,
            "_meta": tool.meta,
        }
    )


def _handshake_form(modern: Mapping[str, Any]) -> dict[str, Any]:
    """The form for clients of the handshake era, whose parsers refuse more.

    Raises:
        VettingError: a property's schema is none.
    """
    form = dict(modern)
    if form.get("outputSchema", {"type": "object"}).get("type") != "object":
        del form["outputSchema"]
    for key in ("inputSchema", "outputSchema"):
        schema = form.get(key)
        if schema and isinstance(properties := schema.get("properties"), Mapping):
            for name, value in properties.items():
                if not isinstance(value, (bool, Mapping)):  # the SDK takes 0, 1 and "no" for booleans, clients do not
                    raise VettingError(f"{key}.properties.{name}", "a property's schema has to be an object")
            form[key] = {
                **schema,
                "properties": {
                    name: ({} if value else {"not": {}}) if isinstance(value, bool) else value
                    for name, value in properties.items()
                },
            }
    return form
