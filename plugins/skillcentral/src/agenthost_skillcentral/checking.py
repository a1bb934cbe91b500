"""Are these the arguments that a tool takes? JSON Schema, draft 2020-12, in words that a model can act on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agenthost_skillcentral.formats.problems import field_name

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_LIMITS = {
    "minLength": "has to have at least {limit} characters",
    "maxLength": "has to have at most {limit} characters",
    "minItems": "has to have at least {limit} items",
    "maxItems": "has to have at most {limit} items",
    "minProperties": "has to have at least {limit} members",
    "maxProperties": "has to have at most {limit} members",
    "minimum": "has to be at least {limit}",
    "maximum": "has to be at most {limit}",
    "exclusiveMinimum": "has to be more than {limit}",
    "exclusiveMaximum": "has to be less than {limit}",
    "multipleOf": "has to be a multiple of {limit}",
    "pattern": "has to match the pattern {limit}",
    "const": "has to be {limit}",
}


@dataclass(frozen=True)
class Checked:
    """What a check of arguments gave.

    Attributes:
        arguments: those to go on with: an optional one that is null, where null is nothing it can be, is left out.
        faults: one line for each, those of missing arguments first; nothing if all is right.
    """

    arguments: Mapping[str, Any]
    faults: tuple[str, ...] = ()


def check(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Checked:
    """Check the arguments of a call.

    Args:
        schema: the tool's, as advertised.
        arguments: as they came, JSON values by name.
    """
    from referencing.exceptions import Unresolvable

    validator = _validator(schema)
    required: Sequence[str] = schema.get("required") or ()
    properties = schema.get("properties") or {}
    try:
        given = {
            name: value
            for name, value in arguments.items()
            if value is not None or name not in properties or validator.evolve(schema=properties[name]).is_valid(None)
        }
        errors = list(validator.iter_errors(given))
    except Unresolvable as error:
        return Checked(arguments, (f"The schema of this tool cannot be used: {error.ref} leads nowhere",))
    except RecursionError:
        return Checked(arguments, ("The schema of this tool cannot be used: its references go in circles",))
    missing = [_missing(name) for name in required if name not in given]
    mistyped = {tuple(error.absolute_path) for error in errors if error.validator == "type"}
    told = [error for error in errors if error.validator == "type" or tuple(error.absolute_path) not in mistyped]
    wrong = sorted(told, key=lambda error: _rank(error, tuple(given)))
    return Checked(given, tuple(dict.fromkeys((*missing, *(line for error in wrong for line in _lines(error))))))


def _validator(schema: Mapping[str, Any]) -> Draft202012Validator:
    """A validator that fetches nothing from anywhere."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    return Draft202012Validator(schema, registry=Registry())


def _rank(error: ValidationError, given: Sequence[str]) -> tuple[bool, int]:
    """Wrong types before other faults, each in the order in which the arguments were given."""
    name = error.absolute_path[0] if error.absolute_path else None
    return error.validator != "type", given.index(name) if isinstance(name, str) and name in given else len(given)


def _lines(error: ValidationError) -> Iterable[str]:
    """What one error says."""
    keyword = str(error.validator)
    place = field_name(tuple(error.absolute_path))
    if describe := _WORDS.get(keyword):
        return describe(error, place)
    if keyword in _LIMITS:
        return [f"{_subject(place)} {_LIMITS[keyword].format(limit=_json(error.validator_value))}"]
    if error.schema is False:
        return [f"{_subject(place)}: {_json(error.instance)} is not allowed"]
    return [f"{_subject(place)}: {error.message}"]


def _subject(place: str | None) -> str:
    return f'Argument "{place}"' if place else "The arguments"


def _missing(name: str) -> str:
    return f'Missing required argument: "{name}"'


def _required(error: ValidationError, place: str | None) -> Iterable[str]:
    """The validator makes one error for each member; which it is, only its text tells."""
    names: Any = error.validator_value
    given: Any = error.instance
    absent = [name for name in names if name not in given and error.message.startswith(repr(name))]
    return [_missing(f"{place}.{name}" if place else name) for name in absent]


def _type(error: ValidationError, place: str | None) -> Iterable[str]:
    types: Any = error.validator_value
    expected = types if isinstance(types, str) else " or ".join(types)
    return [f"{_subject(place)} expected {expected}, got {kind_of(error.instance)}"]


def _enum(error: ValidationError, place: str | None) -> Iterable[str]:
    values: Any = error.validator_value
    expected = ", ".join(map(_json, values))
    return [f"{_subject(place)} expected one of {expected}, got {_json(error.instance)}"]


def _unknown(error: ValidationError, place: str | None) -> Iterable[str]:
    schema: Any = error.schema
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    given: Any = error.instance
    unknown = (name for name in given if name not in known and not any(re.search(part, name) for part in patterns))
    return [f'Unknown argument: "{place}.{name}"' if place else f'Unknown argument: "{name}"' for name in unknown]


def _alternatives(error: ValidationError, place: str | None) -> Iterable[str]:
    """What each alternative complains about, each complaint once."""
    told = dict.fromkeys(line for inner in error.context or () for line in _lines(inner))
    if not told:
        return [f"{_subject(place)} fits several alternatives, one is allowed"]
    return [f"{_subject(place)} fits no alternative: {'; '.join(told)}"]


_WORDS: dict[str, Callable[[ValidationError, str | None], Iterable[str]]] = {
    "required": _required,
    "type": _type,
    "enum": _enum,
    "additionalProperties": _unknown,
    "anyOf": _alternatives,
    "oneOf": _alternatives,
}


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:197]}..."


def kind_of(value: Any) -> str:
    """The type of a JSON value, as JSON Schema names it; integers are numbers."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int() | float():
            return "number"
        case list():
            return "array"
    return "object"
