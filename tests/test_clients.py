"""The official Python client against the real command, in both eras and over both transports."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import warnings
from base64 import b64decode
from collections.abc import Awaitable, Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from agenthost.testing import ServerProcess

AGENTHOST = str(Path(sys.executable).with_name("agenthost"))
PATIENCE = 30.0

StartServer = Callable[..., ServerProcess]

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])
FIXTURES = ["conformance_tools", "conformance_texts"]
SERVED = ("--plugins", "conformance-tools,conformance-texts")
"""The plugins that the conformance suite talks to, which have something of every kind."""

VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


@pytest.fixture(params=["stdio", "http"])
def converse(request: pytest.FixtureRequest, places: Any, start: StartServer, tmp_path: Path) -> Callable[..., str]:
    """`converse(talk, *arguments, mode=, plugins=)`: run `await talk(client)` with `mcp.Client`; returns stderr."""

    def over_stdio(errlog: Any, arguments: tuple[str, ...], plugins: list[str]) -> Any:
        from mcp.client.stdio import StdioServerParameters, stdio_client

        parameters = StdioServerParameters(
            command=AGENTHOST,
            args=["serve", *arguments],
            env=places.environment(plugins, None),
            cwd=places.new("cwd"),
        )
        return stdio_client(parameters, errlog=errlog)

    def run(
        talk: Callable[[Any], Awaitable[None]], *arguments: str, mode: str, plugins: list[str], **options: Any
    ) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of the protocol that the client still speaks are deprecated
            from mcp import Client

            async def main(target: Any) -> None:
                async with asyncio.timeout(PATIENCE):
                    async with Client(target, mode=mode, **options) as client:
                        assert client.protocol_version == VERSIONS[mode]
                        await talk(client)

            if request.param == "http":
                server = start("--http", "0", *arguments, plugins=plugins)
                asyncio.run(main(server.url))
                return server.stderr
            with tempfile.TemporaryFile("w+", dir=tmp_path, encoding="utf-8") as errlog:
                asyncio.run(main(over_stdio(errlog, arguments, plugins)))
                errlog.seek(0)
                return errlog.read()

    return run


@MODES
def test_the_python_client_lists_and_calls_tools_of_several_plugins(converse: Callable[..., str], mode: str) -> None:
    async def talk(client: Any) -> None:
        assert client.server_info.name == "agenthost"
        assert client.server_capabilities.tools.list_changed is True
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["ping", "hello", "Universal"]
        assert (await client.call_tool("hello", {"name": "you"})).content[0].text == "Hello, you!"
        assert (await client.call_tool("ping")).content[0].text == "neighbour: ping"
        wrong = await client.call_tool("hello", {"nmae": "you"})
        assert wrong.is_error
        assert "did you mean 'name'?" in wrong.content[0].text

    stderr = converse(talk, "--plugins", "neighbour,hello,void", mode=mode, plugins=["puppets", "hello"])
    assert "Traceback" not in stderr


@MODES
def test_the_python_client_accepts_every_result_against_its_output_schema(
    converse: Callable[..., str], mode: str
) -> None:
    """The client checks `structuredContent` against the advertised schema, and raises if it does not match."""

    async def talk(client: Any) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        promising = {name for name, tool in listed.items() if tool.output_schema is not None}
        given = {name for name in promising if name.startswith("give_")}
        assert given == {
            "give_model", "give_dataclass", "give_typed_dict", "give_list", "give_optional", "give_number", "give_tree",
            "give_result", "give_error",
        }  # fmt: skip
        for name in sorted(given):
            variants: list[dict[str, Any]] = [{}]
            if name == "give_optional":
                variants = [{"there": True}, {"there": False}]
            if name == "give_typed_dict":
                variants = [{"remark": True}, {"remark": False}]
            for arguments in variants:
                result = await client.call_tool(name, arguments)
                assert result.is_error == (name == "give_error")
                assert result.structured_content is not None or result.is_error

    converse(talk, "--plugins", "typed", mode=mode, plugins=["calls"])


@MODES
def test_the_python_client_hears_of_a_change_and_sees_it(converse: Callable[..., str], mode: str) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()

    async def note(message: Any) -> None:
        if "ToolListChanged" in type(getattr(message, "root", message)).__name__:
            heard.put_nowait(message)

    async def change(client: Any) -> None:
        created = {"name": "live", "inputSchema": {"type": "object"}, "result": "fixed"}
        assert not (await client.call_tool("void_create_tool", created)).is_error

    async def talk(client: Any) -> None:
        assert "live" not in [tool.name for tool in (await client.list_tools()).tools]
        if mode == "auto":
            async with client.listen(tools_list_changed=True) as events:
                await change(client)
                await anext(aiter(events))
        else:
            await change(client)
            await heard.get()
        assert "live" in [tool.name for tool in (await client.list_tools()).tools]
        assert (await client.call_tool("live", {})).content[0].text == "fixed"

    converse(talk, "--plugins", "void", "--set=void.mutable=true", mode=mode, plugins=[], message_handler=note)


@MODES
def test_x01_the_python_client_lists_the_good_tools_among_bad_ones(converse: Callable[..., str], mode: str) -> None:
    definitions = [
        {"name": "boolean_property", "input_schema": {"type": "object", "properties": {"a": True}}},
        {"name": "null_required", "input_schema": {"type": "object", "required": None}},
        {"name": "array_output", "input_schema": {"type": "object"}, "output_schema": {"type": "array"}},
        {"name": "no_root", "input_schema": {}},
        {"name": "a:b", "input_schema": {"type": "object"}},
        {"name": "number_property", "input_schema": {"type": "object", "properties": {"a": 5}}},
    ]

    async def talk(client: Any) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["ping", "boolean_property", "null_required", "array_output"]
        assert (await client.call_tool("ping")).content[0].text == "alpha: ping"

    options = f"--set=alpha.definitions={json.dumps(json.dumps(definitions))}"
    converse(talk, "--plugins", "alpha", options, mode=mode, plugins=["puppets"])


@MODES
def test_progress_and_crashes_reach_the_python_client(converse: Callable[..., str], mode: str) -> None:
    async def talk(client: Any) -> None:
        steps: list[tuple[float, float | None, str | None]] = []

        async def progress(done: float, total: float | None, text: str | None) -> None:
            steps.append((done, total, text))

        result = await client.call_tool("report", {"steps": 3}, progress_callback=progress)
        assert result.content[0].text == "done"
        assert steps == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]
        crash = await client.call_tool("raises")
        assert crash.is_error
        assert "internal" not in crash.content[0].text

    converse(talk, "--plugins", "probe,crashing", mode=mode, plugins=["calls"])


@MODES
def test_log_messages_reach_the_python_client_when_it_asks_for_them(converse: Callable[..., str], mode: str) -> None:
    heard: list[tuple[str, Any]] = []

    async def note(message: Any) -> None:
        heard.append((message.level, message.data))

    async def talk(client: Any) -> None:
        assert (await client.call_tool("report", {"steps": 2})).content[0].text == "done"
        assert heard == ([] if mode == "auto" else [("info", "line 1"), ("info", "line 2")])
        heard.clear()
        if mode == "auto":
            wanted = {"io.modelcontextprotocol/logLevel": "info"}
            await client.call_tool("report", {"steps": 2}, meta=wanted)
            assert heard == [("info", "line 1"), ("info", "line 2")]
            heard.clear()
            await client.call_tool("report", {"steps": 2}, meta={"io.modelcontextprotocol/logLevel": "warning"})
        else:
            await client.set_logging_level("warning")
            await client.call_tool("report", {"steps": 2})
        assert heard == []

    converse(talk, "--plugins", "probe", mode=mode, plugins=["calls"], logging_callback=note)


@pytest.fixture(scope="module")
def answering() -> ModuleType:
    """The module of the test-only plugin whose tools answer by themselves."""
    source = Path(__file__).parent / "plugins/conformance_tools/agenthost_test_conformance_tools/answering.py"
    spec = spec_from_file_location("answering", source)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@MODES
def test_every_kind_of_content_reaches_the_python_client_whole(
    converse: Callable[..., str], answering: ModuleType, mode: str
) -> None:
    async def talk(client: Any) -> None:
        async def content(tool: str) -> list[Any]:
            return (await client.call_tool(tool)).content

        [image] = await content("test_image_content")
        assert (image.mime_type, b64decode(image.data)) == ("image/png", answering.PIXEL.data)
        [sound] = await content("test_audio_content")
        assert (sound.mime_type, b64decode(sound.data)) == ("audio/wav", answering.SILENCE.data)
        kinds = [block.type for block in await content("test_multiple_content_types")]
        assert kinds == ["text", "image", "resource"]
        [held] = await content("test_embedded_resource")
        assert (held.resource.uri, held.resource.mime_type) == ("test://embedded-resource", "text/plain")
        [binary] = (await client.read_resource("test://static-binary")).contents
        assert (binary.mime_type, b64decode(binary.blob)) == ("image/png", answering.PIXEL.data)
        prompt = await client.get_prompt("test_prompt_with_image")
        assert b64decode(prompt.messages[0].content.data) == answering.PIXEL.data

    converse(talk, *SERVED, mode=mode, plugins=FIXTURES)


@MODES
def test_the_python_client_has_arguments_and_addresses_completed_and_reads_them(
    converse: Callable[..., str], mode: str
) -> None:
    async def talk(client: Any) -> None:
        from mcp_types import PromptReference, ResourceTemplateReference

        prompt = PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        done = await client.complete(prompt, {"name": "arg1", "value": "testi"})
        assert done.completion.values == ["testimony"]
        assert (await client.complete(prompt, {"name": "arg2", "value": "testi"})).completion.values == []
        [template] = (await client.list_resource_templates()).resource_templates
        address = ResourceTemplateReference(type="ref/resource", uri=template.uri_template)
        done = await client.complete(address, {"name": "id", "value": "4"})
        assert done.completion.values[2] == "42"
        [read] = (await client.read_resource("test://template/42/data")).contents
        assert json.loads(read.text)["data"] == "Data for ID: 42"

    converse(talk, *SERVED, mode=mode, plugins=FIXTURES)


@MODES
def test_schemas_arrive_with_every_keyword_and_lists_with_their_hints(
    converse: Callable[..., str], answering: ModuleType, mode: str
) -> None:
    async def talk(client: Any) -> None:
        listed = await client.list_tools()
        schemas = {tool.name: tool.input_schema for tool in listed.tools}
        assert schemas["json_schema_2020_12_tool"] == answering.json_schema_2020_12_tool.input_schema
        assert schemas["test_x_mcp_header"]["properties"]["region"]["x-mcp-header"] == "Region"
        # The client sends this argument as a header too, in a coded form, and the server compares the two.
        answer = await client.call_tool("test_x_mcp_header", {"region": "Übersee, 東"})
        assert answer.content[0].text == "The region is Übersee, 東."
        if mode == "auto":
            read = await client.read_resource("test://static-text")
            assert {(result.ttl_ms, result.cache_scope) for result in (listed, read)} == {(0, "private")}

    converse(talk, *SERVED, mode=mode, plugins=FIXTURES)
