"""S: schemas that clients refuse, or of which they drop a part."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
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
            yield tool_hit(
                "the schema of the arguments is more than an object with properties",
                tool,
                f"{_listing(found)} at its root",
            )


@rule("S05", cure="give each property one type")
def any_keywords(client: Client) -> Iterator[Hit]:
    """There are alternatives anywhere in the schema."""
    for tool in client.surface.tools:
        if found := _used(subschemas(client.schema(tool)), client.fact.keywords):
            yield tool_hit("the schema of the arguments has alternatives", tool, _listing(found))


@rule("S09", cure="give items to it, {} if anything may be in it")
def arrays_without_items(client: Client) -> Iterator[Hit]:
    """A list does not say what is in it."""

    def lacks_items(node: Any) -> bool:
        return "array" in _types(node) and "items" not in node

    return _holding(client, "an array has no items", lacks_items)


@rule("S10", cure="write one type, and leave the property out of required instead of allowing null")
def lists_of_types(client: Client) -> Iterator[Hit]:
    """Something has several types."""

    def has_several(node: Any) -> bool:
        return isinstance(node, Mapping) and isinstance(node.get("type"), list)

    return _holding(client, 'a type is a list, like ["string", "null"]', has_several)


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
    from jsonschema import Draft7Validator, Draft202012Validator

    dialect = client.fact.dialect
    validator = {"draft-07": Draft7Validator, "2020-12": Draft202012Validator}[dialect or "2020-12"]
    # Without its formats: a regular expression of JavaScript need not be one of Python.
    check = validator(validator.META_SCHEMA)
    for tool in client.surface.tools:
        if (error := next(check.iter_errors(client.schema(tool)), None)) is not None:
            place = ".".join(map(str, error.absolute_path)) or "its root"
            yield tool_hit(f"the schema of the arguments is not valid at {place}", tool, f"not valid in {dialect}")


@rule("S15", cure="say the limits in the description of the property")
def unsaid_limits(client: Client) -> Iterator[Hit]:
    """A limit is in the schema, and nothing in words tells the model."""
    for tool in client.surface.tools:
        unsaid: set[str] = set()
        waiting: list[tuple[Any, str]] = [(client.schema(tool), "")]
        while waiting:
            node, said = waiting.pop()
            if isinstance(node, Mapping):
                said = f"{said} {node.get('description', '')}".strip()
                limits = _keys(node) & {*client.fact.keywords}
                unsaid |= {key for key in limits if not _is_said(node[key], said, tool.description)}
                map_subschemas(node, partial(_push, waiting, said))
        if unsaid:
            yield tool_hit("a limit is in the schema, and no description tells it", tool, _listing(unsaid))


@rule("S16", cure="use anyOf with a type in each branch, or one type")
def inner_keywords(client: Client) -> Iterator[Hit]:
    """A property has alternatives of a kind, or a schema that is true or false."""
    for tool in client.surface.tools:
        _, *inner = subschemas(client.schema(tool))
        found = _used(inner, client.fact.keywords) | {"true or false" for node in inner if isinstance(node, bool)}
        if found:
            yield tool_hit("a property's schema is of an unusual kind", tool, _listing(found))


@rule("S17", cure="add the property, or take its name out of required")
def unknown_required(client: Client) -> Iterator[Hit]:
    """Something is required that is not described."""

    def lacks(node: Any) -> bool:
        if not isinstance(node, Mapping) or not isinstance(required := node.get("required"), list):
            return False
        return "properties" in node and not {*map(str, required)} <= _keys(node["properties"])

    return _holding(client, "required names a property that is not there", lacks)


@rule("S18", cure="take texts, and say in the description what they mean")
def enums_of_others(client: Client) -> Iterator[Hit]:
    """A choice is not one of texts."""

    def has_others(node: Any) -> bool:
        enum = node.get("enum") if isinstance(node, Mapping) else None
        return isinstance(enum, list) and not all(isinstance(value, str) for value in enum)

    return _holding(client, "an enum has other values than texts", has_others)


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
    leads_to: dict[str, set[str]] = {}
    waiting = list(_references(schema))
    while waiting:
        reference = waiting.pop()
        if reference not in leads_to:
            leads_to[reference] = _references(_at(schema, reference))
            waiting += leads_to[reference]
    # What leads nowhere is no part of a circle; what is left when all such are gone is one.
    while ends := {reference for reference, others in leads_to.items() if not others & leads_to.keys()}:
        leads_to = {reference: others for reference, others in leads_to.items() if reference not in ends}
    return bool(leads_to)


def _holding(client: Client, what: str, is_meant: Callable[[Any], bool]) -> Iterator[Hit]:
    """A hit for each tool in whose arguments a schema is meant."""
    return client.tools(what, lambda tool: any(map(is_meant, subschemas(client.schema(tool)))))


def _references(schema: Any) -> set[str]:
    return {str(node["$ref"]) for node in subschemas(schema) if isinstance(node, Mapping) and "$ref" in node}


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


def _is_said(value: Any, said: str, about_tool: str) -> bool:
    """Whether words tell of a limit: its number; or any words at all of a format or a pattern.

    0 and 1 go without saying.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return bool(said)
    numbers = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", f"{said} {about_tool}".replace(",", ""))}
    return value in (0, 1) or abs(value) in numbers


def _types(node: Any) -> list[Any]:
    kind = node.get("type") if isinstance(node, Mapping) else None
    return kind if isinstance(kind, list) else [kind]


def _keys(node: Any) -> set[str]:
    return {*node} if isinstance(node, Mapping) else set()


def _used(nodes: Collection[Any], keywords: Collection[str]) -> set[str]:
    return {key for node in nodes for key in _keys(node) & {*keywords}}


def _listing(keywords: Collection[str]) -> str:
    return ", ".join(sorted(keywords))
