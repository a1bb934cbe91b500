"""The smallest arguments that a schema allows, to call a tool of which nothing else is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WAIT = "timeout_seconds"
"""The argument by which a waiting tool is told how long to wait."""

TEXTS = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "email": "nobody@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""A text of each format."""


def arguments_for(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool with this input schema has to be given, and no more; a waiting tool is not to wait."""
    made: dict[str, Any] = sample({**schema, "type": "object"}, schema)
    waits = schema.get("properties", {}).get(WAIT)
    return made if waits is None else {**made, WAIT: sample(_without_default(waits), schema)}


def sample(schema: Any, root: Mapping[str, Any]) -> Any:
    """A small value of a schema; `root` is where its references lead. Patterns are not understood."""
    if not isinstance(schema, Mapping):
        schema = {}
    if branches := [schema[key][0] for key in ("anyOf", "oneOf", "allOf") if schema.get(key)]:
        return sample(branches[0], root)
    if "$ref" in schema:
        return sample(_resolve(schema["$ref"], root), root)
    given = [*schema.get("examples", ()), *schema.get("enum", ()), schema.get("const"), schema.get("default")]
    chosen = next((value for value in given if value is not None), None)
    return _smallest(schema, root) if chosen is None else chosen


def _smallest(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    kind = schema.get("type", "string")
    match kind if isinstance(kind, str) else kind[0]:
        case "object":
            properties = schema.get("properties", {})
            smallest: Any = {name: sample(properties.get(name), root) for name in schema.get("required", ())}
        case "array":
            smallest = [sample(schema.get("items"), root)] * schema.get("minItems", 0)
        case "integer" | "number":
            above = schema.get("exclusiveMinimum")
            least = schema.get("minimum", 0 if above is None else above + 1)
            smallest = min(least, schema.get("maximum", least))
        case "boolean":
            smallest = False
        case "null":
            smallest = None
        case _:
            smallest = TEXTS.get(schema.get("format", ""), "x" * max(schema.get("minLength", 1), 1))
    return smallest


def _without_default(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("default", "examples")}


def _resolve(reference: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")] if part else found
    return found
