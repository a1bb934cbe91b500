"""Arguments of typed tools: checked strictly as JSON before any plugin code runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agenthost.errors import ToolError
from agenthost.settings import did_you_mean
from agenthost.signatures import Signature

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a pair has no form in UTF-8; the transport replaces it the same way."""

_TOO_DEEP = "the arguments are nested too deeply"

_JSON_TYPES: dict[type, str] = {dict: "object", list: "array", bool: "boolean", int: "integer", float: "number"}


def check_arguments(tool: str, signature: Signature, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments for the tool's function.

    Raises:
        ToolError: names every fault, the nearest right name for an unknown one, and what is wanted.
    """
    schema = signature.schema
    try:
        fitted = {name: _fit(value, schema["properties"].get(name, {}), schema) for name, value in arguments.items()}
        text = LONE_SURROGATE.sub("\ufffd", json.dumps(fitted, ensure_ascii=False))
        checked = signature.arguments.model_validate_json(text, strict=True)
    except ValidationError as error:
        # In the order of the parameters, what is unknown last; pydantic's own order differs between its versions.
        places = {name: place for place, name in enumerate(schema["properties"])}
        found = sorted(
            error.errors(include_url=False), key=lambda details: places.get(str(*details["loc"][:1]), len(places))
        )
        faults = [_explain(details, schema) for details in found]
        raise ToolError(_refusal(tool, faults, schema)) from None
    except (ValueError, RecursionError):
        raise ToolError(_refusal(tool, [_TOO_DEEP], schema)) from None
    return {parameter: getattr(checked, name) for name, parameter in signature.parameters.items()}


def _fit(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Undo what models and clients do to values: `"[1]"` for `[1]`, `"true"` for `true`, `2.0` for `2`.

    Text is only read as JSON where no text is allowed and the JSON is exactly of a wanted type.
    """
    schema = _resolve(schema, root)
    wanted = _wanted_types(schema, root)
    if isinstance(value, str) and wanted and "string" not in wanted:
        parsed = _parse(value)
        kind = _JSON_TYPES.get(type(parsed))
        if kind in wanted or (kind == "integer" and "number" in wanted) or _is_whole(parsed, wanted):
            value = parsed
    if _is_whole(value, wanted):
        return int(value)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", {})
        return {name: _fit(item, properties.get(name, others), root) for name, item in value.items()}
    if isinstance(value, list):
        first, rest = schema.get("prefixItems", []), schema.get("items", {})
        return [_fit(item, first[place] if place < len(first) else rest, root) for place, item in enumerate(value)]
    return value


def _resolve(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(schema, Mapping):
        return {}
    if "$ref" in schema:
        return _resolve(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    return schema


def _wanted_types(schema: Mapping[str, Any], root: Mapping[str, Any]) -> set[str]:
    """The JSON types that a schema names; empty if it allows any."""
    if isinstance(branches := schema.get("anyOf"), list):
        kinds = [_wanted_types(_resolve(branch, root), root) for branch in branches]
        return set().union(*kinds) if all(kinds) else set()
    kind = schema.get("type")
    return {kind} if isinstance(kind, str) else set()


def _is_whole(value: Any, wanted: Iterable[str]) -> bool:
    return isinstance(value, float) and value.is_integer() and "integer" in wanted and "number" not in wanted


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _explain(details: ErrorDetails, schema: Mapping[str, Any]) -> str:
    if details["type"] == "json_invalid":
        return _TOO_DEEP
    name = ".".join(str(part) for part in details["loc"])
    if details["type"] == "missing":
        return f"{name}: missing"
    if details["type"] == "extra_forbidden":
        near = did_you_mean(name, schema["properties"]) if len(details["loc"]) == 1 else ""
        return f"{name}: there is no such argument{near}"
    shown = json.dumps(details["input"], ensure_ascii=False, default=str)
    return f"{name}: {details['msg']}, not {shown if len(shown) <= 80 else shown[:77] + '...'}"


def _refusal(tool: str, faults: Iterable[str], schema: Mapping[str, Any]) -> str:
    required = schema.get("required", [])
    known = [
        f"{name} ({_in_words(_resolve(sub, schema), schema)}{'' if name in required else ', optional'})"
        for name, sub in schema["properties"].items()
    ]
    lines = [f"{tool} was not called, because its arguments are wrong:", *(f"- {fault}" for fault in faults)]
    return "\n".join([*lines, f"Arguments: {', '.join(known) or 'none'}."])


def _in_words(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    return " or ".join(sorted(_wanted_types(schema, root))) or "any"
