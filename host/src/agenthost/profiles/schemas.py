"""S: schemas that clients refuse, or of which they drop a part."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

from agenthost.profiles.rule import Client, Hit, rule, tool_hit
from agenthost.schemas import map_subschemas
from agenthost.surface import Entry


@rule("S02", "S03", "S04", cure="move it into a property, or make a tool of each alternative")
def root_keywords(client: Client) -> Iterator[Hit]:
    """The root of the arguments is more than an object with properties."""
    for tool in client.surface.tools:
        if found := _keys(client.schema(tool)) & {*client.fact.keywords}:
            yield tool_hit(f"the schema of the arguments has {_listing(found)} at its root", tool)


@rule("S05", cure="give each property one type")
def any_keywords(client: Client) -> Iterator[Hit]:
    """There are alternatives anywhere in the schema."""
    for tool in client.surface.tools:
        if found := _used(subschemas(client.schema(tool)), client.fact.keywords):
            yield tool_hit(f"the schema of the arguments has {_listing(found)}", tool)


@rule("S09", cure="give items to it, {} if anything may be in it")
def arrays_without_items(client: Client) -> Iterator[Hit]:
    """A list does not say what is in it."""

    def lacks_items(node: Any) -> bool:
        return "array" in _types(node) and "items" not in node

    return client.tools("an array has no items", lambda tool: any(map(lacks_items, subschemas(client.schema(tool)))))


@rule("S10", cure="write one type, and leave the property out of required instead of allowing null")
def lists_of_types(client: Client) -> Iterator[Hit]:
    """Something has several types."""

    def has_several(node: Any) -> bool:
        return isinstance(node, Mapping) and isinstance(node.get("type"), list)

    return client.tools('a type is a list, like ["string", "null"]', lambda tool: any(map(has_several, subschemas(client.schema(tool)))))


@rule("S11", cure="write the levels out as far as they are needed, or take a text")
def recursion(client: Client) -> Iterator[Hit]:
    """The schema holds itself."""
    return client.tools("a $ref leads back to itself", lambda tool: is_recursive(client.schema(tool)))


@rule("S12", cure="write out what it refers to")
def references(client: Client) -> Iterator[Hit]:
    """A part of the schema is somewhere else."""

    def refers(tool: Entry) -> object:
        return _used(subschemas(client.schema(tool)), ["$ref", "$defs", "definitions"])

    return client.tools("the schema of the arguments has $ref or $defs", refers)


@rule("S13", "S14", cure="keep to what draft-07 and 2020-12 have in common")
def invalid_schemas(client: Client) -> Iterator[Hit]:
    """The schema is none in the client's dialect."""
    from jsonschema.validators import validator_for

    [dialect] = client.fact.keywords
    validator = validator_for({"$schema": dialect})
    for tool in client.surface.tools:
        schema = client.schema(tool)
        error = next(validator(validator.META_SCHEMA).iter_errors(schema), None)
        if error is not None:
            place = ".".join(map(str, error.absolute_path)) or "its root"
            yield tool_hit(f"the schema of the arguments is not valid by {dialect} at {place}", tool)


@rule("S15", cure="say the limits in the description of the property")
def unsaid_limits(client: Client) -> Iterator[Hit]:
    """A limit is in the schema, and nothing in words tells the model."""
    for tool in client.surface.tools:
        unsaid: set[str] = set()
        waiting: list[tuple[Any, str]] = [(client.schema(tool), tool.description)]
        while waiting:
            node, said = waiting.pop()
            if not isinstance(node, Mapping):
                continue
            said = f"{said} {node.get('description', '')}"
            unsaid |= {key for key in _keys(node) & {*client.fact.keywords} if not _is_said(node[key], said)}
            map_subschemas(node, partial(_push, waiting, said))
        if unsaid:
            yield tool_hit(f"no description tells what {_listing(unsaid)} in the schema asks for", tool)


@rule("S16", cure="use anyOf with a type in each branch, or one type")
def inner_keywords(client: Client) -> Iterator[Hit]:
    """A property has alternatives of a kind, or a schema that is true or false."""
    for tool in client.surface.tools:
        _, *inner = subschemas(client.schema(tool))
        found = _used(inner, client.fact.keywords) | {"true or false" for node in inner if isinstance(node, bool)}
        if found:
            yield tool_hit(f"a property's schema has {_listing(found)}", tool)


@rule("S17", cure="add the property, or take its name out of required")
def unknown_required(client: Client) -> Iterator[Hit]:
    """Something is required that is not described."""

    def lacks(node: Any) -> bool:
        if not isinstance(node, Mapping) or not isinstance(required := node.get("required"), list):
            return False
        return "properties" in node and not {*map(str, required)} <= _keys(node["properties"])

    return client.tools("required names a property that is not there", lambda tool: any(map(lacks, subschemas(client.schema(tool)))))


@rule("S18", cure="take texts, and say in the description what they mean")
def enums_of_others(client: Client) -> Iterator[Hit]:
    """A choice is not one of texts."""

    def has_others(node: Any) -> bool:
        enum = node.get("enum") if isinstance(node, Mapping) else None
        return isinstance(enum, list) and not all(isinstance(value, str) for value in enum)

    return client.tools("an enum has other values than texts", lambda tool: any(map(has_others, subschemas(client.schema(tool)))))


@rule("S20", cure="leave $schema out of the output schema")
def dialect_of_results(client: Client) -> Iterator[Hit]:
    """The output schema is written in an older dialect."""

    def is_older(tool: Entry) -> bool:
        schema = client.schema(tool, "outputSchema")
        dialect = schema.get("$schema") if isinstance(schema, Mapping) else None
        return dialect is not None and "2020-12" not in str(dialect)

    return client.tools("the output schema names another dialect than 2020-12", is_older)


def subschemas(schema: Any) -> list[Any]:
    """The schema, and every schema inside of it."""
    found, waiting = [], [schema]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if isinstance(node, Mapping):
            map_subschemas(node, waiting.append)
    return found


def is_recursive(schema: Any) -> bool:
    """Whether following the schema's own references comes back to where it began."""
    done: set[str] = set()

    def comes_back(reference: str, way: frozenset[str]) -> bool:
        if reference in way:
            return True
        if reference in done:
            return False
        inner = [node for node in subschemas(_at(schema, reference)) if isinstance(node, Mapping)]
        found = any(comes_back(str(node["$ref"]), way | {reference}) for node in inner if "$ref" in node)
        done.add(reference)
        return found

    nodes = [node for node in subschemas(schema) if isinstance(node, Mapping)]
    return any(comes_back(str(node["$ref"]), frozenset()) for node in nodes if "$ref" in node)


def _at(schema: Any, reference: str) -> Any:
    """What a reference into the schema itself points at; None for any other."""
    if not reference.startswith("#"):
        return None
    for part in filter(None, reference[1:].split("/")):
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, Mapping) and name in schema:
            schema = schema[name]
        elif isinstance(schema, list) and name.isdigit() and int(name) < len(schema):
            schema = schema[int(name)]
        else:
            return None
    return schema


def _push(waiting: list[tuple[Any, str]], said: str, node: Any) -> None:
    waiting.append((node, said))


def _is_said(value: Any, said: str) -> bool:
    """Whether words tell of a limit: its number; or any words of a format or a pattern. 0 and 1 go without saying."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return bool(said.strip())
    if value in (0, 1):
        return True
    numbers = {float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", said.replace(",", ""))}
    return float(value) in numbers or float(-value) in numbers


def _types(node: Any) -> list[Any]:
    kind = node.get("type") if isinstance(node, Mapping) else None
    return kind if isinstance(kind, list) else [kind]


def _keys(node: Any) -> set[str]:
    return {*node} if isinstance(node, Mapping) else set()


def _used(nodes: Collection[Any], keywords: Collection[str]) -> set[str]:
    return {key for node in nodes for key in _keys(node) & {*keywords}}


def _listing(keywords: Collection[str]) -> str:
    return ", ".join(sorted(keywords))
