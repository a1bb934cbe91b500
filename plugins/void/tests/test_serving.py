"""What clients see of fixed definitions, through a real server and in both eras of the protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess, StartServer

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])

UNUSUAL: dict[str, Any] = {
    "type": "object",
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "日本語 é \U0001f300",
    "properties": {"k": {"$ref": "#/$defs/k"}, "n": {"type": "number", "default": None}},
    "required": ["k"],
    "additionalProperties": False,
    "$defs": {"k": {"type": "string", "pattern": "^\\p{L}+$", "x-b": [1, 2.5, 10**30, None]}},
    "oneOf": [{"required": ["k"]}, {"$ref": "nowhere"}],
    "x-a": {"examples": True},
    "examples": [{"k": "ü", "n": 1e-7}],
}
VERBATIM = "line 1\r\nline 2\n\n\t\u2028 {{x}} $& $1 %s \\n \U0001f300 e\u0301 \x00 trailing   "


def define(name: str, result: str = "", schema: Any = None, **members: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": schema or {"type": "object"}, "result": result, **members}


def definitions(*sources: str | list[dict[str, Any]]) -> str:
    """The option value that sets the sources: texts as they are, lists as inline arrays."""
    inline = [source if isinstance(source, str) else json.dumps(source) for source in sources]
    return f"void.definitions={json.dumps(inline)}"


def serve(start: StartServer, *options: str, **how: Any) -> ServerProcess:
    arguments = [argument for option in options for argument in ("--set", option)]
    return start("--plugins", "void", *arguments, **how)


def refused(server: ServerProcess) -> str:
    """The start is refused before anything is said on stdout; returns stderr."""
    assert server.wait() == 2
    assert server.lines == []
    return server.stderr


@ERAS
def test_v01_v02_v03_v10_tools_are_listed_as_they_were_defined_in_the_order_of_their_sources(
    agenthost_server: StartServer, tmp_path: Path, era: Era
) -> None:
    (tmp_path / "a.json").write_text(json.dumps([define("z"), define("y", description="")]), encoding="utf-8")
    (tmp_path / "c.json").write_text(json.dumps([define("x")], ensure_ascii=False), encoding="utf-8")
    inline = [define("unusual", schema=UNUSUAL, description="Ünüsual")]
    server = serve(agenthost_server, definitions(str(tmp_path / "a.json"), inline, str(tmp_path / "c.json")))
    server.open(era)
    listed = server.tools()
    assert [tool["name"] for tool in listed] == ["z", "y", "unusual", "x"]
    assert [tool.get("description", "absent") for tool in listed] == ["absent", "", "Ünüsual", "absent"]
    assert listed[2]["inputSchema"] == UNUSUAL
    assert all("outputSchema" not in tool for tool in listed)


@ERAS
def test_v04_v05_v06_v08_v09_every_call_gets_the_configured_text_whatever_its_arguments(
    agenthost_server: StartServer, era: Era
) -> None:
    strict = {
        "type": "object",
        "properties": {"k": {"type": "string"}},
        "required": ["k"],
        "additionalProperties": False,
    }
    server = serve(
        agenthost_server,
        definitions([define("t", "RESULT", strict), define("empty", "", strict), define("verbatim", VERBATIM, strict)]),
    )
    server.open(era)
    deep: dict[str, Any] = {}
    for _ in range(50):
        deep = {"deeper": [deep]}
    given: list[Any] = [{"k": "v"}, {}, {"k": 5}, {"k": "v", "extra": [None]}, {"k": "x" * 100_000}, deep, {"": "\x00"}]
    for arguments in given:
        result = server.call("t", arguments)["result"]
        assert result["content"] == [{"type": "text", "text": "RESULT"}]
        assert not result.get("isError")
        assert "structuredContent" not in result
    assert server.text("t") == "RESULT"
    assert server.request("tools/call", {"name": "t", "arguments": None})["result"]["content"][0]["text"] == "RESULT"
    assert server.text("empty", {"k": "v"}) == ""
    assert server.text("verbatim", {"k": "v"}) == VERBATIM


@ERAS
def test_v07_v31_arguments_that_are_no_object_and_tools_that_are_not_there_are_protocol_errors(
    agenthost_server: StartServer, era: Era
) -> None:
    server = serve(agenthost_server, definitions([define("t", "r")]))
    server.open(era)
    assert server.call("t", [])["error"]["code"] == -32602
    error = server.call("void_create_tool", {"name": "n", "inputSchema": {"type": "object"}, "result": ""})["error"]
    assert error["code"] == -32602
    assert "void_create_tool" in error["message"]
    assert server.text("t", {}) == "r"


def test_v11_v12_v15_v16_v18_v19_v20_v21_v22_every_fault_of_every_source_is_told_before_anything_is_served(
    agenthost_server: StartServer, tmp_path: Path
) -> None:
    twice = tmp_path / "twice.json"
    twice.write_text(json.dumps([define("t"), define("u"), define("u")]), encoding="utf-8")
    server = serve(
        agenthost_server,
        definitions(
            [define("t"), define("a b"), define("s", schema={"type": "array"})],
            str(twice),
            [define("p", schema={"type": "object", "properties": {"a": 5}}), define("void_create_tool")],
            [{"name": "n", "inputSchema": {"type": "object"}, "result": None, "input_schema": {}}],
            "{}",
            str(tmp_path),
            "missing.json",
            "example:nothing",
        ),
        "void.mutable=true",
    )
    stderr = refused(server)
    for line in (
        "definition 1 (inline) [1].name: must be 1 to 128 characters",
        'definition 1 (inline) [2].inputSchema.type: must be exactly "object"',
        f"{twice} [0].name: t is already defined in definition 1 (inline) [0]",
        f"{twice} [2].name: u is already defined in {twice} [1]",
        'definition 3 (inline) [0].inputSchema.properties.a: 5 is not of types "boolean", "object"',
        "definition 3 (inline) [1].name: void_create_tool is reserved",
        "definition 4 (inline) [0].input_schema: unknown key, did you mean inputSchema?",
        "definition 4 (inline) [0].result: must be a text",
        "definition 5 (inline): must be an array of definitions, not an object",
        f"{tmp_path}: cannot be read: Is a directory",
        "missing.json: cannot be read: No such file or directory",
        "example:nothing: there is no such example. There is: example:anything, example:universal",
    ):
        assert line in stderr


def test_v13_an_empty_list_of_definitions_is_refused_when_nothing_could_ever_be_served(
    agenthost_server: StartServer,
) -> None:
    assert "there is nothing to serve" in refused(serve(agenthost_server, "void.definitions=[]"))


def test_v17_unusual_names_of_the_allowed_characters_can_be_called(agenthost_server: StartServer) -> None:
    names = ["x" * 128, ".", "-", "_", "A.b-c_1", "a", "A"]
    server = serve(agenthost_server, definitions([define(name, f"I am {name}") for name in names]))
    server.open()
    assert [tool["name"] for tool in server.tools()] == names
    assert [server.text(name) for name in names] == [f"I am {name}" for name in names]


def test_an_empty_array_as_the_only_source_is_served_and_lists_nothing(agenthost_server: StartServer) -> None:
    server = serve(agenthost_server, definitions([]))
    server.open()
    assert server.tools() == []


def test_without_settings_the_example_universal_is_served_and_explained(agenthost_server: StartServer) -> None:
    server = serve(agenthost_server)
    opened = server.open("modern")
    [tool] = server.tools()
    assert tool["name"] == "Universal"
    assert server.text("Universal", {"form": "a list", "artefact": "1. ..."})
    assert "Tools that do nothing but give you a shaped space to think in." in opened["instructions"]


def test_relative_paths_in_a_config_file_start_at_its_folder(agenthost_server: StartServer, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "tools.json").write_text(json.dumps([define("t", "from the project")]), encoding="utf-8")
    (folder / "agenthost.toml").write_text('[plugins.void]\ndefinitions = ["tools.json"]\n', encoding="utf-8")
    server = agenthost_server("--plugins", "void", "--config", str(folder / "agenthost.toml"))
    server.open()
    assert server.text("t") == "from the project"


def test_a_config_file_that_was_only_found_may_not_name_a_debug_log(
    agenthost_server: StartServer, tmp_path: Path
) -> None:
    (tmp_path / "agenthost.toml").write_text('[plugins.void]\ndebug_log = "log.jsonl"\n', encoding="utf-8")
    stderr = refused(serve(agenthost_server, cwd=tmp_path))
    assert "debug_log may not be set by a file that was only found in the working directory" in stderr
    assert not (tmp_path / "log.jsonl").exists()
