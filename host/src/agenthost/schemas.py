"""JSON Schemas in the plain form that every client accepts.

pydantic's schemas are right but rich: titles, `$ref`s, `anyOf` with null. Several clients drop, rename
or refuse those, so what can be said plainly is said plainly here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_MAPS_OF_SCHEMAS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS_OF_SCHEMAS = ("anyOf", "allOf", "oneOf", "prefixItems", "items")  # items: draft-07's tuples
_SCHEMAS = (
    *("items", "additionalItems", "unevaluatedItems", "additionalProperties", "unevaluatedProperties"),
    *("not", "contains", "propertyNames", "if", "then", "else"),
)


def map_subschemas(schema: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """A copy of `schema` in which `change` was applied to every direct subschema."""
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _MAPS_OF_SCHEMAS and isinstance(value, Mapping):
            copy[key] = {name: change(sub) for name, sub in value.items()}
        elif key in _LISTS_OF_SCHEMAS and isinstance(value, list):
            copy[key] = [change(sub) for sub in value]
        elif key in _SCHEMAS and isinstance(value, Mapping):
            copy[key] = change(value)
        else:
            copy[key] = value
    return copy


def plain_schema(schema: Mapping[str, Any], *, keep_null: bool = False) -> dict[str, Any]:
    """The plain form of a schema that pydantic made: refs inlined, titles and null branches gone.

    What may be null (`int | None`) has its plain type here; null is accepted at run time all the
    same. Only a recursive type keeps its `$ref` and the `$defs` it needs.

    Args:
        schema: what pydantic made.
        keep_null: say what may be null, as an output schema must: results are checked against it.
    """
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    recursive: set[str] = set()

    def plain(node: Any, inside: tuple[str, ...]) -> Any:
        if not isinstance(node, Mapping):
            return node
        if (ref := node.get("$ref")) is not None:
            name = ref.removeprefix("#/$defs/")
            if name in inside:
                recursive.add(name)
                return dict(node)
            beside = {key: value for key, value in node.items() if key != "$ref"}
            return plain({**definitions[name], **beside}, (*inside, name))
        kept = {key: value for key, value in node.items() if key not in ("title", "$defs")}
        if kept.get("additionalProperties") is True:
            del kept["additionalProperties"]
        if kept.get("type") == "array":
            kept.setdefault("items", {})  # without it a whole request fails in VS Code (rule S09)
        if kept.pop("discriminator", None) is not None:
            kept["anyOf"] = kept.pop("oneOf")  # the branches exclude each other by their own constants
        if "default" in kept and kept["default"] is None:
            del kept["default"]
        if isinstance(branches := kept.get("anyOf"), list):
            branches = [branch for branch in branches if keep_null or branch != {"type": "null"}]
            if len(branches) == 1:
                del kept["anyOf"]
                return plain({**branches[0], **kept}, inside)
            kept["anyOf"] = branches
        return map_subschemas(kept, lambda sub: plain(sub, inside))

    result: dict[str, Any] = plain(schema, ())
    if recursive:
        result["$defs"] = {name: plain(definitions[name], (name,)) for name in sorted(recursive)}
    return result
