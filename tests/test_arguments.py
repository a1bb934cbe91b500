"""Typed tools: arguments are checked before plugin code runs, and results keep what the signature promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess
from agenthost.testing.samples import arguments_for

StartServer = Callable[..., ServerProcess]


@pytest.fixture(scope="module")
def server(start_shared: StartServer) -> ServerProcess:
    server = start_shared("--plugins", "typed,probe,void", plugins=["calls"])
    server.open("modern")
    return server


def reached(server: ServerProcess) -> int:
    """How many calls reached the code of the plugin `typed`."""
    count: int = server.call("count")["result"]["structuredContent"]["reached"]
    return count


ACCEPTED: list[tuple[str, Any, Any]] = [
    # argument, what is sent, what the function gets (with the type's name)
    ("text", "ü\n\u0000🎉", "ü\n\u0000🎉"),
    ("text", "[1]", "[1]"),
    ("text", "5", "5"),
    ("whole", 5, 5),
    ("whole", 2.0, 2),
    ("whole", "5", 5),
    ("whole", "-5", -5),
    ("whole", 10**30, 10**30),
    ("number", 1, 1.0),
    ("number", 1.5, 1.5),
    ("number", "1.5", 1.5),
    ("number", "1", 1.0),
    ("flag", True, True),
    ("flag", "true", True),
    ("flag", "false", False),
    ("items", [1, 2], [1, 2]),
    ("items", "[1, 2]", [1, 2]),
    ("items", [1.0, "2"], [1, 2]),
    ("items", [], []),
    ("items", None, None),
    ("options", {"a": 1}, {"a": 1}),
    ("options", '{"a": 1}', {"a": 1}),
    ("colour", "blue", "blue"),
    ("size", "large", "large"),
    ("place", {"x": 1, "placeLabel": "l"}, {"x": 1, "y": 0, "label": "l"}),
    ("place", {"x": 1.0, "placeLabel": None}, {"x": 1, "y": 0, "label": None}),
    ("place", '{"x": 1, "y": "2"}', {"x": 1, "y": 2, "label": None}),
    ("either", 5, 5),
    ("either", "5", "5"),
    ("maybe", None, None),
    ("maybe", 7, 7),
    ("anything", [{"a": None}], [{"a": None}]),
    ("anything", "[1]", "[1]"),
    ("anything", None, None),
]

REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    # arguments, what the model has to read about each fault
    ({"text": 1}, ["text: ", "not 1"]),
    ({"text": None}, ["text: ", "not null"]),
    ({"whole": 2.5}, ["whole: ", "not 2.5"]),
    ({"whole": "2.5"}, ["whole: ", 'not "2.5"']),
    ({"whole": True}, ["whole: ", "not true"]),
    ({"whole": "true"}, ["whole: ", 'not "true"']),
    ({"whole": None}, ["whole: ", "not null"]),
    ({"whole": [1]}, ["whole: ", "not [1]"]),
    ({"number": "NaN"}, ["number: "]),
    ({"number": "1e999"}, ["number: "]),
    ({"flag": 1}, ["flag: ", "not 1"]),
    ({"flag": "yes"}, ["flag: ", 'not "yes"']),
    ({"items": "1"}, ["items: ", 'not "1"']),
    ({"items": '{"a": 1}'}, ["items: "]),
    ({"items": [1, "x", 2.5]}, ["items.1: ", "items.2: "]),
    ({"items": "[1, 2"}, ["items: "]),
    ({"options": []}, ["options: ", "not []"]),
    ({"options": {"a": "x"}}, ["options.a: "]),
    ({"colour": "green"}, ["colour: ", "red", "blue", 'not "green"']),
    ({"size": "Large"}, ["size: ", "small", "large"]),
    ({"place": {"y": 1}}, ["place.x: missing"]),
    ({"place": {"x": "far"}}, ["place.x: "]),
    ({"colr": "red"}, ["colr: there is no such argument (did you mean 'colour'?)"]),
    ({"Text": "a"}, ["Text: there is no such argument (did you mean 'text'?)"]),
    ({"": 1}, ["there is no such argument"]),
    ({"ctx": 1, "self": 1}, ["ctx: there is no such argument", "self: there is no such argument"]),
    (
        {"whole": "x", "items": ["y"], "texd": 1},
        ["whole: ", "items.0: ", "texd: there is no such argument (did you mean 'text'?)"],
    ),
]


@pytest.mark.parametrize(("name", "sent", "got"), ACCEPTED)
def test_an_argument_of_the_right_kind_reaches_the_function_as_its_type(
    server: ServerProcess, name: str, sent: Any, got: Any
) -> None:
    result = server.call("kinds", {name: sent})["result"]
    assert not result.get("isError"), result
    assert result["structuredContent"][name] == got
    types = {"colour": "Colour", "place": "Place"}
    assert result["structuredContent"]["types"][name] == types.get(name, type(got).__name__)


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_x06_a_wrong_argument_never_reaches_the_plugin_and_the_text_names_every_fault(
    server: ServerProcess, arguments: dict[str, Any], said: list[str]
) -> None:
    before = reached(server)
    result = server.call("kinds", arguments)["result"]
    assert result["isError"] is True
    [block] = result["content"]
    assert block["text"].startswith("kinds was not called")
    for text in said:
        assert text in block["text"]
    assert "pydantic" not in block["text"]
    assert len(block["text"]) < 2000
    assert reached(server) == before


def test_x06_a_missing_argument_is_named_with_all_that_there_are(server: ServerProcess) -> None:
    [block] = server.call("search", {"max_results": 51})["result"]["content"]
    assert "query: missing" in block["text"]
    assert "max_results: there is no such argument (did you mean 'maxResults'?)" in block["text"]
    assert "query (string)" in block["text"]
    assert "maxResults (integer, optional)" in block["text"]
    [block] = server.call("search", {"query": "a", "maxResults": 51})["result"]["content"]
    assert "maxResults: " in block["text"]
    assert "50" in block["text"]


def test_x06_a_refusal_names_no_end_of_a_long_value(server: ServerProcess) -> None:
    before = reached(server)
    [block] = server.call("kinds", {"whole": "9" * 5000 + "x", "colour": "x" * 100_000})["result"]["content"]
    assert len(block["text"]) < 2000
    deep: Any = []
    for _ in range(150):
        deep = [deep]
    [block] = server.call("kinds", {"items": deep})["result"]["content"]
    assert "items" in block["text"]
    assert reached(server) == before


def test_x06_v05_a_raw_tool_gets_its_arguments_unchecked_in_the_same_server(server: ServerProcess) -> None:
    answers = [server.call("Universal", arguments) for arguments in ({"form": 5}, {"no": "such"}, {}, None)]
    assert len({str(answer["result"]["content"]) for answer in answers}) == 1
    assert not any(answer["result"].get("isError") for answer in answers)


@pytest.mark.parametrize("params", [{}, {"arguments": None}, {"arguments": {}}], ids=["absent", "null", "empty"])
def test_x11_a_call_without_arguments_is_accepted_where_none_is_required(
    server: ServerProcess, params: dict[str, Any]
) -> None:
    for name in ("nothing_needed", "kinds", "give_list", "modules", "state_dir"):
        answer = server.request("tools/call", {"name": name, **params})
        assert "result" in answer
        assert answer["result"].get("isError", False) == (name == "modules")


@pytest.mark.parametrize("arguments", [[], "text", 5, True, [1]])
def test_arguments_that_are_no_object_are_refused_by_the_protocol(server: ServerProcess, arguments: Any) -> None:
    error = server.request("tools/call", {"name": "nothing_needed", "arguments": arguments})["error"]
    assert error["code"] == -32602


def test_a_tools_alias_and_a_parameters_alias_work_together(server: ServerProcess) -> None:
    for name in ("search", "find", "query"):
        assert server.text(name, {"query": "a", "maxResults": "5"}) == "a (5)"
    assert not {"find", "query"} & {tool["name"] for tool in server.tools()}


def test_a_parameter_may_have_any_name(server: ServerProcess) -> None:
    arguments = {"schema": "1", "model_config": "2", "self": "3", "_hidden": "4", "kwargs": "5", "cls": "6"}
    assert server.text("odd_names", arguments) == "1 2 3 4 5 6"


def test_schemas_are_closed_and_plain(server: ServerProcess) -> None:
    schemas = {tool["name"]: tool["inputSchema"] for tool in server.tools() if tool["name"] != "Universal"}
    assert schemas["search"] == {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "maxResults": {"type": "integer", "default": 10, "minimum": 1, "maximum": 50},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    assert schemas["nothing_needed"] == {"type": "object", "properties": {}, "additionalProperties": False}
    kinds = schemas["kinds"]["properties"]
    assert kinds["items"] == {"type": "array", "items": {"type": "integer"}}
    assert kinds["maybe"] == {"type": "integer"}
    assert kinds["colour"] == {"type": "string", "enum": ["red", "blue"], "default": "red"}
    assert kinds["place"]["type"] == "object"
    for schema in schemas.values():
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert "title" not in str(schema)
        assert "$ref" not in str(schema)


RESULTS: dict[str, tuple[str, Any]] = {
    # tool: its text, its structured content
    "give_model": ('{\n  "x": 1,\n  "y": 0,\n  "placeLabel": "here"\n}', {"x": 1, "y": 0, "placeLabel": "here"}),
    "give_dataclass": ('{\n  "name": "Zoë",\n  "age": 36\n}', {"name": "Zoë", "age": 36}),
    "give_typed_dict": ('{\n  "points": 3\n}', {"points": 3}),
    "give_list": ("[\n  1,\n  2,\n  3\n]", {"result": [1, 2, 3]}),
    "give_number": ("2.5", {"result": 2.5}),
    "give_plain": ('{\n  "a": [\n    1,\n    "ü"\n  ]\n}', {"a": [1, "ü"]}),
    "give_result": ("Three points.", {"points": 3}),
    "give_nothing": ("Done.", None),
}


@pytest.mark.parametrize("name", RESULTS)
def test_text_and_structure_tell_the_same(server: ServerProcess, name: str) -> None:
    text, structured = RESULTS[name]
    result = server.call(name)["result"]
    assert result["content"] == [{"type": "text", "text": text}]
    assert result.get("structuredContent") == structured
    assert "isError" not in result


def test_optional_results_and_keys_are_there_or_absent(server: ServerProcess) -> None:
    def structure(name: str, arguments: dict[str, Any]) -> Any:
        return server.call(name, arguments)["result"]["structuredContent"]

    assert structure("give_typed_dict", {"remark": True}) == {"points": 3, "note": "well"}
    assert structure("give_optional", {"there": True}) == {"result": {"name": "Zoë", "age": 36}}
    assert structure("give_optional", {"there": False}) == {"result": None}


def test_an_error_result_needs_no_structure_and_meta_is_passed_on(server: ServerProcess) -> None:
    result = server.call("give_error")["result"]
    assert result["isError"] is True
    assert result["content"] == [{"type": "text", "text": "No points: ask later."}]
    assert server.call("give_result")["result"]["_meta"]["k"] == 1


def test_every_kind_of_content_block_is_sent_without_null_members(server: ServerProcess) -> None:
    assert server.call("give_blocks")["result"]["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image", "data": "AP8=", "mimeType": "image/png"},
        {"type": "audio", "data": "AQ==", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "note://a", "text": "text", "mimeType": "text/plain"}},
        {"type": "resource", "resource": {"uri": "note://b", "blob": "Ag=="}},
        {"type": "resource_link", "uri": "note://c", "name": "c", "size": 3},
    ]
    assert server.call("give_empty_list_of_blocks")["result"]["content"] == []


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_sdk_has_nothing_to_add_to_the_answer_of_a_plain_call(start: StartServer, era: Era) -> None:
    """With a member more in its params a call goes the SDK's way, which reads arguments and results once more."""
    server = start("--plugins", "typed", plugins=["calls"])
    server.open(era)
    calls: list[tuple[str, Any]] = [
        *((tool["name"], arguments_for(tool["inputSchema"])) for tool in server.tools() if tool["name"] != "count"),
        ("kinds", {"anything": [None, {"a": None}]}),
        ("give_nothing", None),
        ("give_tree", {"unknown": 1}),
        ("no such tool", {}),
        ("give_tree", [1]),
    ]
    for name, arguments in calls:
        plain, other = server.call(name, arguments), server.call(name, arguments, unknown=1)
        assert {**plain, "id": 0} == {**other, "id": 0}


@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
@pytest.mark.parametrize("meta", [5, {"progressToken": []}])
def test_a_meta_that_is_none_is_refused(start: StartServer, method: str, meta: Any) -> None:
    server = start("--plugins", "typed", plugins=["calls"])
    server.open("legacy")
    params = {"name": "give_number", "_meta": meta} if method == "tools/call" else {"_meta": meta}
    assert server.request(method, params)["error"]["code"] == -32602
    assert server.tools()
