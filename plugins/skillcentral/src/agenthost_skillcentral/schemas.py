"""Is this a JSON Schema of draft 2020-12? Asked for every tool when it is loaded, so without a validator's own start.

It refuses what the draft's metaschema refuses, and more: references that lead nowhere, since no call could be checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

from agenthost_skillcentral.formats.problems import Path, shown

_TYPES = {"array", "boolean", "integer", "null", "number", "object", "string"}

Found = Iterator[tuple[Path, str]]
Check = Callable[[Any, Path], Found]


def faults_of(schema: Any) -> list[tuple[Path, str]]:
    """Where a schema is none, and why; nothing if it is one."""
    found = list(_schema(schema, ()))
    return found or list(_references(schema))


def _schema(value: Any, path: Path) -> Found:
    if isinstance(value, bool):
        return
    if not isinstance(value, dict):
        yield path, f"has to be a schema, not {shown(value)}"
        return
    for keyword, content in value.items():
        check = _KEYWORDS.get(keyword)
        if check:
            yield from check(content, (*path, keyword))


def _schemas(value: Any, path: Path) -> Found:
    """A list of schemas, at least one."""
    if not isinstance(value, list) or not value:
        yield path, "has to be a list of schemas"
        return
    for index, item in enumerate(value):
        yield from _schema(item, (*path, index))


def _named_schemas(value: Any, path: Path) -> Found:
    if not isinstance(value, dict):
        yield path, f"has to be an object of schemas, not {shown(value)}"
        return
    for name, item in value.items():
        yield from _schema(item, (*path, name))


def _pattern_schemas(value: Any, path: Path) -> Found:
    yield from _named_schemas(value, path)
    if isinstance(value, dict):
        for name in value:
            yield from _pattern(name, (*path, name))


def _dependencies(value: Any, path: Path) -> Found:
    """Of older drafts: schemas or lists of names."""
    if not isinstance(value, dict):
        yield path, f"has to be an object, not {shown(value)}"
        return
    for name, item in value.items():
        yield from (_names if isinstance(item, list) else _schema)(item, (*path, name))


def _named_names(value: Any, path: Path) -> Found:
    if not isinstance(value, dict):
        yield path, f"has to be an object of lists of names, not {shown(value)}"
        return
    for name, item in value.items():
        yield from _names(item, (*path, name))


def _names(value: Any, path: Path) -> Found:
    is_list = isinstance(value, list) and all(isinstance(name, str) for name in value)
    if not is_list or len(set(value)) < len(value):
        yield path, "has to be a list of different names"


def _type(value: Any, path: Path) -> Found:
    listed = value if isinstance(value, list) else [value]
    unknown = [name for name in listed if not isinstance(name, str) or name not in _TYPES]
    if unknown:
        yield path, f"{shown(unknown[0])} is not one of {', '.join(sorted(_TYPES))}"
    elif not listed or len(set(listed)) < len(listed):
        yield path, "has to name at least one type, each once"


def _text(value: Any, path: Path) -> Found:
    if not isinstance(value, str):
        yield path, f"has to be a text, not {shown(value)}"


def _pattern(value: Any, path: Path) -> Found:
    if not isinstance(value, str):
        yield path, f"has to be a text, not {shown(value)}"
        return
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        yield path, f"{shown(value)} is not a regular expression: {error}"


def _reference(value: Any, path: Path) -> Found:
    if not isinstance(value, str):
        yield path, f"has to be a text, not {shown(value)}"
    elif not value.startswith("#"):
        yield path, f'{shown(value)} is somewhere else; only references within the schema ("#...") are followed'


def _identifier(value: Any, path: Path) -> Found:
    if not isinstance(value, str) or value.rstrip("#").count("#"):
        yield path, "has to be an address without a fragment"


def _anchor(value: Any, path: Path) -> Found:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][-A-Za-z0-9._]*", value):
        yield path, f"{shown(value)} is not the name of an anchor"


def _boolean(value: Any, path: Path) -> Found:
    if not isinstance(value, bool):
        yield path, f"has to be true or false, not {shown(value)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any, path: Path) -> Found:
    if not _is_number(value):
        yield path, f"has to be a number, not {shown(value)}"


def _positive(value: Any, path: Path) -> Found:
    if not _is_number(value) or value <= 0:
        yield path, f"has to be a number above 0, not {shown(value)}"


def _count(value: Any, path: Path) -> Found:
    if not _is_number(value) or value < 0 or value != int(value):
        yield path, f"has to be a whole number from 0 on, not {shown(value)}"


def _list(value: Any, path: Path) -> Found:
    if not isinstance(value, list):
        yield path, f"has to be a list, not {shown(value)}"


def _vocabulary(value: Any, path: Path) -> Found:
    if not isinstance(value, dict) or not all(isinstance(wanted, bool) for wanted in value.values()):
        yield path, "has to be an object of true and false"


_KEYWORDS: dict[str, Check] = {
    **dict.fromkeys(
        "additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems "
        "unevaluatedProperties".split(),
        _schema,
    ),
    **dict.fromkeys("allOf anyOf oneOf prefixItems".split(), _schemas),
    **dict.fromkeys("$defs definitions dependentSchemas properties".split(), _named_schemas),
    "patternProperties": _pattern_schemas,
    "dependencies": _dependencies,
    "dependentRequired": _named_names,
    "required": _names,
    "type": _type,
    **dict.fromkeys("$comment $schema contentEncoding contentMediaType description format title".split(), _text),
    "pattern": _pattern,
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef"), _reference),
    "$id": _identifier,
    **dict.fromkeys(("$anchor", "$dynamicAnchor", "$recursiveAnchor"), _anchor),
    **dict.fromkeys("deprecated readOnly uniqueItems writeOnly".split(), _boolean),
    **dict.fromkeys("exclusiveMaximum exclusiveMinimum maximum minimum".split(), _number),
    "multipleOf": _positive,
    **dict.fromkeys(
        "maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties".split(), _count
    ),
    **dict.fromkeys(("enum", "examples"), _list),
    "$vocabulary": _vocabulary,
}


def _references(schema: Any) -> Found:
    """References that lead nowhere."""
    if not isinstance(schema, dict):
        return
    keywords = list(_texts_under(schema, ()))
    if any(path[-1] == "$id" and len(path) > 1 for path, _ in keywords):
        return  # references below it are relative to it; a call will tell
    anchors = {text for path, text in keywords if path[-1] in {"$anchor", "$dynamicAnchor"}}
    for path, reference in keywords:
        if path[-1] in {"$ref", "$dynamicRef", "$recursiveRef"}:
            pointer = unquote(reference[1:])
            leads = not pointer or pointer in anchors or (pointer[0] == "/" and _leads_to_schema(schema, pointer))
            if not leads:
                yield path, f"{shown(reference)} leads nowhere"


def _texts_under(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text in a schema that is no example of a value, with the way to it."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for keyword, content in value.items():
            if keyword not in {"const", "default", "enum", "examples"}:
                yield from _texts_under(content, (*path, keyword))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts_under(item, (*path, index))


def _leads_to_schema(schema: Any, pointer: str) -> bool:
    place = schema
    for step in pointer[1:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, dict) and name in place:
            place = place[name]
        elif isinstance(place, list) and name.isdecimal() and int(name) < len(place):
            place = place[int(name)]
        else:
            return False
    return isinstance(place, dict | bool)
