"""Whether an `inputSchema` may be advertised: an object at the root, valid against its metaschema.

A list with one schema of another root is refused as a whole by official clients, so this is decided
before a tool exists. Being valid includes what the wire asks of `properties` and `required`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from agenthost_void.strict_json import Fault, Place, type_name

DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema"
DIALECTS = {
    DEFAULT_DIALECT: "Draft202012Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
    "http://json-schema.org/draft-04/schema": "Draft4Validator",
}
"""Values of `$schema` and the class of `jsonschema_rs` that knows the metaschema."""

_MAX_MESSAGE = 200
"""Characters of a message of the validator, which may quote a large part of the schema."""


def schema_faults(schema: Any, place: Place) -> list[Fault]:
    """Everything that keeps a schema from being advertised unchanged."""
    if not isinstance(schema, dict):
        return [Fault(place, f"must be an object, a JSON Schema, not {type_name(schema)}")]
    faults = []
    if schema.get("type") != "object":
        faults.append(Fault((*place, "type"), 'must be exactly "object" at the root, or clients refuse the whole list'))
    faults += [
        Fault((*place, key), "is null at the root and would be lost on the wire; leave the key out")
        for key, value in schema.items()
        if value is None
    ]
    dialect = schema.get("$schema", DEFAULT_DIALECT)
    if isinstance(dialect, str) and dialect.removesuffix("#") not in DIALECTS:
        known = ", ".join(DIALECTS)
        faults.append(Fault((*place, "$schema"), f"is not a dialect known here. Leave it out, or use one of {known}"))
    named = {fault.place for fault in faults}
    return faults + [fault for fault in _metaschema_faults(schema, dialect, place) if fault.place not in named]


def _metaschema_faults(schema: dict[str, Any], dialect: Any, place: Place) -> list[Fault]:
    """What the metaschema of the dialect, or that of the default one, says; each thing once."""
    uri = dialect.removesuffix("#") if isinstance(dialect, str) else DEFAULT_DIALECT
    uri = uri if uri in DIALECTS else DEFAULT_DIALECT
    errors = _metaschema(uri).iter_errors(schema)
    found = dict.fromkeys((tuple(error.instance_path), _message(error)) for error in errors)
    return [Fault((*place, *inner), text) for inner, text in found]


@cache
def _metaschema(uri: str) -> Any:
    """The validator of a dialect's schemas; making one takes a millisecond."""
    import jsonschema_rs  # 15 ms, and a server with the shipped examples alone never needs it

    # The metaschemas come with the library; a validator made from `$schema` itself would fetch unknown ones.
    return getattr(jsonschema_rs, DIALECTS[uri])({"$ref": uri})


def _message(error: Any) -> str:
    """The validator's message; where several schemas were tried, what each says, since its own says little."""
    branches = getattr(error.kind, "context", ())
    text = ", and ".join(dict.fromkeys(inner.message for branch in branches for inner in branch)) or error.message
    return text if len(text) <= _MAX_MESSAGE else f"{text[: _MAX_MESSAGE - 3]}..."
