"""X01, X12: one bad tool among nine good ones is missing alone, in both eras, and the operator reads why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]

OBJECT: dict[str, Any] = {"type": "object"}
GOOD = [f"good_{number}" for number in range(9)]

DEEP: dict[str, Any] = {"type": "object"}
for _ in range(400):
    DEEP = {"type": "object", "properties": {"below": DEEP}}

QUARANTINED: dict[str, tuple[dict[str, Any], str]] = {
    # what is wrong: the tool, the field that the operator has to read
    "colon": ({"name": "a:b"}, "name"),
    "blank": ({"name": "a b"}, "name"),
    "slash": ({"name": "a/b"}, "name"),
    "empty": ({"name": ""}, "name"),
    "chinese": ({"name": "工具"}, "name"),
    "line feed": ({"name": "a\n"}, "name"),
    "200 characters": ({"name": "a" * 200}, "name"),
    "S01 no root": ({"name": "s01_empty", "input_schema": {}}, "inputSchema"),
    "S01 root list": ({"name": "s01_list", "input_schema": {"type": ["object"]}}, "inputSchema"),
    "S01 root array": ({"name": "s01_array", "input_schema": {"type": "array"}}, "inputSchema"),
    "S01 only anyOf": ({"name": "s01_any", "input_schema": {"anyOf": [OBJECT]}}, "inputSchema"),
    "S01 boolean": ({"name": "s01_true", "input_schema": True}, "input_schema"),
    "S06 required text": ({"name": "s06_text", "input_schema": OBJECT | {"required": "a"}}, "inputSchema"),
    "S06 required numbers": ({"name": "s06_number", "input_schema": OBJECT | {"required": [1]}}, "inputSchema"),
    "properties list": ({"name": "p_list", "input_schema": OBJECT | {"properties": [1]}}, "inputSchema"),
    "property number": ({"name": "p_number", "input_schema": OBJECT | {"properties": {"a": 5}}}, "inputSchema"),
    "property text": ({"name": "p_text", "input_schema": OBJECT | {"properties": {"a": "b"}}}, "inputSchema"),
    "surrogate in schema": ({"name": "u1", "input_schema": OBJECT | {"title": "\ud800"}}, "inputSchema"),
    "surrogate in key": ({"name": "u2", "input_schema": OBJECT | {"\udfff": 1}}, "inputSchema"),
    "surrogate in description": ({"name": "u3", "description": "half \ud83d"}, "description"),
    "description number": ({"name": "d1", "description": 5}, "description"),
    "description too long": ({"name": "d2", "description": "a" * 70_000}, "description"),
    "schema too large": ({"name": "l1", "input_schema": OBJECT | {"x": "a" * 600_000}}, "inputSchema"),
    "schema too deep": ({"name": "l2", "input_schema": DEEP}, "inputSchema"),
    "output list": ({"name": "o1", "output_schema": [1]}, "output_schema"),
    "output property number": ({"name": "o2", "output_schema": OBJECT | {"properties": {"a": 5}}}, "outputSchema"),
    "annotation of another type": ({"name": "a1", "annotations": {"readOnlyHint": "perhaps"}}, "annotations"),
    "meta text": ({"name": "m1", "meta": "text"}, "meta"),
    "time limit": ({"name": "t1", "time_limit": -1}, "time_limit"),
}

ADAPTED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    # what is unusual: the tool, its members in the handshake era, its members in the modern one
    "S07 boolean properties": (
        {"input_schema": OBJECT | {"properties": {"a": True, "b": False, "c": {}}}},
        {"inputSchema": OBJECT | {"properties": {"a": {}, "b": {"not": {}}, "c": {}}}},
        {"inputSchema": OBJECT | {"properties": {"a": True, "b": False, "c": {}}}},
    ),
    "S07 boolean properties of the output": (
        {"input_schema": OBJECT, "output_schema": OBJECT | {"properties": {"a": True}}},
        {"inputSchema": OBJECT, "outputSchema": OBJECT | {"properties": {"a": {}}}},
        {"inputSchema": OBJECT, "outputSchema": OBJECT | {"properties": {"a": True}}},
    ),
    "S06 null members of a schema": (
        {"input_schema": OBJECT | {"properties": None, "required": None, "x-own": 1}},
        {"inputSchema": OBJECT | {"x-own": 1}},
        {"inputSchema": OBJECT | {"x-own": 1}},
    ),
    "S08 null members of a tool": (
        {"input_schema": OBJECT, "title": None, "description": None, "annotations": None, "meta": None},
        {"inputSchema": OBJECT},
        {"inputSchema": OBJECT},
    ),
    "S08 null hints": (
        {"input_schema": OBJECT, "annotations": {"readOnlyHint": None, "title": "t"}, "meta": {"k": None, "l": 1}},
        {"inputSchema": OBJECT, "annotations": {"title": "t"}, "_meta": {"l": 1}},
        {"inputSchema": OBJECT, "annotations": {"title": "t"}, "_meta": {"l": 1}},
    ),
    "S19 output with another root": (
        {"input_schema": OBJECT, "output_schema": {"type": "array", "items": {"type": "string"}}},
        {"inputSchema": OBJECT},
        {"inputSchema": OBJECT, "outputSchema": {"type": "array", "items": {"type": "string"}}},
    ),
    "S19 output without a root": (
        {"input_schema": OBJECT, "output_schema": {"anyOf": [OBJECT, OBJECT]}},
        {"inputSchema": OBJECT},
        {"inputSchema": OBJECT, "outputSchema": {"anyOf": [OBJECT, OBJECT]}},
    ),
    "everything verbatim": (
        {
            "input_schema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "$defs": {"d": {"const": 1.50}},
                "oneOf": [{"required": ["ü"]}, {}],
                "properties": {
                    "ü": {"$ref": "#/$defs/d"},
                    "n": {"type": ["string", "null"], "examples": [None]},
                    "a": {},
                },
                "additionalProperties": False,
                "x-a": {"b": [None, 1e3, 1, 1.0, 10**30]},
            },
            "title": "",
            "description": "",
        },
        {},
        {},
    ),
}

BAD_TOOLS = {
    "unannotated_parameter": ("handler", "parameter count has no annotation"),
    "nameless_parameters": ("handler", "*counts"),
    "nameless_keywords": ("handler", "**counts"),
    "positional_parameter": ("handler", "count"),
    "undescribable_parameter": ("handler", "lock"),
    "undescribable_result": ("handler", "return"),
    "unresolvable_parameter": ("handler", "Nowhere"),
    "no_handler": ("handler", "None cannot be called"),
    "deaf_handler": ("handler", "handler(arguments, ctx)"),
    "unwritable_schema": ("inputSchema", "lock"),
    "endless_number": ("inputSchema", ""),
    "circular_schema": ("inputSchema", ""),
    "text_aliases": ("aliases", "abc"),
    "bad_alias": ("aliases", "a b"),
    "set_annotations": ("annotations", "readOnlyHint"),
}
"""Tools of the plugin bad-tools: the field and part of the reason that the operator has to read."""

DEFINITIONS = [
    *({"input_schema": OBJECT, **definition} for definition, _ in QUARANTINED.values()),
    *({"name": f"adapted_{number}", **definition} for number, (definition, _, _) in enumerate(ADAPTED.values())),
]


@pytest.fixture(scope="module")
def servers(start_shared: StartServer) -> dict[Era, ServerProcess]:
    """One server an era, with nine good tools and one of every fault."""
    config = f"""
    [plugins.alpha]
    names = {json.dumps(GOOD)}
    definitions = {json.dumps(json.dumps(DEFINITIONS))}
    """
    opened: dict[Era, ServerProcess] = {}
    for era in ("legacy", "modern"):
        server = start_shared("--plugins", "alpha,bad-tools", plugins=["puppets", "trouble"], config=config)
        server.open(era)
        server.wait_for_stderr("serving alpha, bad-tools")  # said after all that is to be reported
        opened[era] = server
    return opened


@pytest.fixture(params=["legacy", "modern"])
def server(request: pytest.FixtureRequest, servers: dict[Era, ServerProcess]) -> ServerProcess:
    return servers[request.param]


def test_x01_x12_the_good_tools_are_all_listed_and_callable_among_one_of_each_fault(server: ServerProcess) -> None:
    names = [tool["name"] for tool in server.tools()]
    assert names[:9] == GOOD
    assert names[9:] == [f"adapted_{number}" for number in range(len(ADAPTED))] + ["good_typed"]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,128}", name) for name in names)
    assert server.text("good_0") == "alpha: good_0"
    assert server.text("good_typed") == "served"


@pytest.mark.parametrize("fault", QUARANTINED)
def test_x01_a_diagnostic_names_plugin_tool_and_field(servers: dict[Era, ServerProcess], fault: str) -> None:
    definition, field = QUARANTINED[fault]
    start = f"agenthost: warning: alpha: tool {definition['name']!r}: {field}"
    for server in servers.values():
        [line] = [line for line in server.stderr.splitlines() if line.startswith(start)]
        assert len(line) < 1000


@pytest.mark.parametrize("name", BAD_TOOLS)
def test_x01_a_diagnostic_says_what_is_wrong_with_a_function(servers: dict[Era, ServerProcess], name: str) -> None:
    field, reason = BAD_TOOLS[name]
    start = f"agenthost: warning: bad-tools: tool {name!r}: {field}: "
    for server in servers.values():
        [line] = [line for line in server.stderr.splitlines() if line.startswith(start)]
        assert reason in line


def test_x01_nothing_is_reported_about_the_good_ones(servers: dict[Era, ServerProcess]) -> None:
    for server in servers.values():
        reported = [line for line in server.stderr.splitlines() if ": warning: " in line]
        assert not [line for line in reported if "good" in line or "adapted" in line]
        [line] = [line for line in reported if "item 17 of agenthost_tools" in line]
        assert "b'bytes'" in line
        assert "Traceback" not in server.stderr


@pytest.mark.parametrize("fault", QUARANTINED)
def test_x01_a_quarantined_tool_is_not_callable(server: ServerProcess, fault: str) -> None:
    assert server.call(QUARANTINED[fault][0]["name"])["error"]["code"] == -32602


@pytest.mark.parametrize("what", ADAPTED)
def test_x01_what_some_clients_refuse_is_served_to_them_in_a_form_they_take(server: ServerProcess, what: str) -> None:
    definition, legacy, modern = ADAPTED[what]
    name = f"adapted_{list(ADAPTED).index(what)}"
    verbatim = {"inputSchema": definition["input_schema"], "title": "", "description": ""}
    expected = {"name": name, **((legacy if server.era == "legacy" else modern) or verbatim)}
    [tool] = [tool for tool in server.tools() if tool["name"] == name]
    assert tool == expected
    # The form of numbers is part of verbatim, and so is the order of properties, in which models read them.
    assert json.dumps(tool["inputSchema"], sort_keys=True) == json.dumps(expected["inputSchema"], sort_keys=True)
    assert list(tool["inputSchema"].get("properties", ())) == list(expected["inputSchema"].get("properties") or ())
    assert server.text(name) == f"alpha: {name}"
