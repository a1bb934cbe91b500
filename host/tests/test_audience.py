"""Who hears about changes, in both eras, through the SDK's own client; and the server's answers around that."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import agenthost.audience
import httpx2
import mcp_types as types
import pytest
from agenthost import (
    Argument,
    CallContext,
    Prompt,
    ProtocolError,
    Resource,
    Tool,
    prompt,
    resource,
    tool,
)
from agenthost.audience import Audience
from agenthost.calls import MAX_COMPLETIONS, Calls
from agenthost.catalog import Catalog
from agenthost.plugins import Plugin
from agenthost.server import HostServer
from agenthost.vetting import LEGACY, MODERN
from agenthost.watches import Watches
from mcp import Client, MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.routing import Route, Router

R = TypeVar("R")

WAIT = 20.0
"""Seconds that a test waits for something that has to happen."""

TIMES = 20
"""How often a race is run."""

MODES = pytest.mark.parametrize("mode", ["legacy", MODERN])


def run(scenario: Callable[[], Coroutine[Any, Any, R]]) -> R:
    async def bounded() -> R:
        async with asyncio.timeout(WAIT):
            return await scenario()

    return asyncio.run(bounded())


class House:
    """A served plugin, and clients that remember what they are told. Made on the loop."""

    def __init__(self, plugin: Plugin, serve: Callable[..., Catalog]) -> None:
        self.plugin = plugin
        self.catalog = serve(plugin)
        self.readiness = asyncio.Event()
        self.readiness.set()
        self.server = HostServer(
            self.catalog, Calls(self.catalog, WAIT), "Do it well.", self.readiness.wait, Path("no key is needed")
        )

    @asynccontextmanager
    async def connect(
        self, mode: str = "legacy", told: list[Any] | None = None, **options: Any
    ) -> AsyncIterator[Client]:
        """A client whose handshake is over; `told` gets its notifications."""

        async def hear(message: Any) -> None:
            if told is not None:
                told.append(message)

        known = len(self.server.audience._listeners)
        async with Client(self.server, mode=mode, message_handler=hear, **options) as client:
            while mode == "legacy" and len(self.server.audience._listeners) == known:
                await asyncio.sleep(0.001)
            yield client

    async def settle(self, client: Client) -> None:
        """All that was told before is heard when an answer to a later question is there."""
        for _ in range(3):
            await asyncio.sleep(0.005)
            await client.list_tools(cache_mode="bypass")


Build = Callable[..., House]


@pytest.fixture
def build(make_plugin: Callable[..., Plugin], serve: Callable[..., Catalog]) -> Build:
    """`build(tool, prompt, resource, ...)`: a server with one plugin that contributes these."""

    def make(*items: Any) -> House:
        plugin = make_plugin("p", *[item for item in items if isinstance(item, Tool)])
        plugin.loaded.prompts.replace([item for item in items if isinstance(item, Prompt)])
        plugin.loaded.resources.replace([item for item in items if not isinstance(item, (Tool, Prompt))])
        return House(plugin, serve)

    return make


def make_tool(name: str) -> Tool:
    return Tool(name, lambda arguments, ctx: name, input_schema={"type": "object"})


def make_prompt(name: str) -> Prompt:
    return Prompt(name, lambda arguments, ctx: name, arguments=())


def make_resource(uri: str) -> Resource:
    return Resource(uri, lambda: uri, "name")


def methods(told: list[Any]) -> list[str]:
    return [message.method for message in told]


LISTS: dict[str, tuple[str, Callable[[Plugin, int], None]]] = {
    "tools": ("notifications/tools/list_changed", lambda plugin, n: plugin.loaded.tools.add(make_tool(f"t{n}"))),
    "prompts": (
        "notifications/prompts/list_changed",
        lambda plugin, n: plugin.loaded.prompts.add(make_prompt(f"p{n}")),
    ),
    "resources": (
        "notifications/resources/list_changed",
        lambda plugin, n: plugin.loaded.resources.add(make_resource(f"note://{n}")),
    ),
}


# The private parts of the SDK that we rely on


def test_the_private_attributes_of_the_sdk_that_are_used_are_still_there() -> None:
    seen: dict[str, Any] = {}

    async def remember(ctx: ServerRequestContext[Any, Any], call_next: Any) -> Any:
        connection = ctx.session._connection
        seen.setdefault(ctx.method, connection.initialize_accepted)
        if ctx.method == "tools/list":
            seen["stack"] = connection.exit_stack
            seen["same"] = connection is ctx.session._connection
            connection.state["agenthost/test"] = "kept"
            connection.exit_stack.callback(lambda: seen.update(ended=True))
        if ctx.method == "prompts/list":
            seen["state"] = connection.state.get("agenthost/test")
        return await call_next(ctx)

    async def nothing(ctx: Any, params: Any) -> Any:
        return types.ListToolsResult(tools=[]) if ctx.method == "tools/list" else types.ListPromptsResult(prompts=[])

    async def scenario() -> None:
        server: Server[Any] = Server("x", on_list_tools=nothing, on_list_prompts=nothing)
        assert [type(middleware).__name__ for middleware in server.middleware] == ["OpenTelemetryMiddleware"]
        server.middleware.append(remember)
        async with Client(server, mode="legacy") as client:
            await client.list_tools()
            await client.list_prompts()
            assert "ended" not in seen

    run(scenario)
    assert isinstance(seen["stack"], AsyncExitStack)
    assert seen["same"]
    assert seen["state"] == "kept"
    assert seen["ended"]
    assert seen["tools/list"] is True
    assert "notifications/initialized" in seen


# Handshake era


@pytest.mark.parametrize("kind", LISTS)
def test_a_client_is_told_once_about_all_changes_of_a_turn(build: Build, kind: str) -> None:
    method, change = LISTS[kind]

    async def scenario() -> None:
        house = build()
        told: list[Any] = []
        async with house.connect(told=told) as client:
            await house.settle(client)
            assert told == []
            for number in range(5):
                change(house.plugin, number)
            await house.settle(client)
            assert methods(told) == [method]
            change(house.plugin, 9)
            await house.settle(client)
            assert methods(told) == [method] * 2

    run(scenario)


def test_every_kind_that_changes_in_a_turn_is_told(build: Build) -> None:
    async def scenario() -> None:
        house = build()
        told: list[Any] = []
        async with house.connect(told=told) as client:
            for _, change in LISTS.values():
                change(house.plugin, 1)
            await house.settle(client)
            assert sorted(methods(told)) == sorted(method for method, _ in LISTS.values())

    run(scenario)


def test_every_client_is_told_and_one_that_has_left_is_forgotten(build: Build) -> None:
    async def scenario() -> None:
        house = build()
        told: list[list[Any]] = [[], [], []]
        async with house.connect(told=told[0]) as stays:
            async with house.connect(told=told[1]), house.connect(told=told[2]):
                house.plugin.loaded.tools.add(make_tool("a"))
                await house.settle(stays)
            house.plugin.loaded.tools.add(make_tool("b"))
            await house.settle(stays)
            assert [len(each) for each in told] == [2, 1, 1]
            assert len(house.server.audience._listeners) == 1
        house.plugin.loaded.tools.add(make_tool("c"))
        await asyncio.sleep(0.01)
        assert house.server.audience._listeners == {}

    run(scenario)


@pytest.mark.parametrize("attempt", range(TIMES))
def test_changes_from_many_threads_are_told_and_the_list_is_complete(build: Build, attempt: int) -> None:
    async def scenario() -> None:
        house = build()
        told: list[Any] = []
        async with house.connect(told=told) as client:
            barrier = threading.Barrier(5, timeout=WAIT)

            def change(number: int) -> None:
                barrier.wait()
                house.plugin.loaded.tools.add(make_tool(f"t{number}"))

            await asyncio.gather(*(asyncio.to_thread(change, number) for number in range(5)))
            await house.settle(client)
            assert 1 <= len(told) <= 5
            listed = await client.list_tools(cache_mode="bypass")
            assert len(listed.tools) == 5

    run(scenario)


def test_a_change_after_the_loop_has_closed_is_harmless(build: Build) -> None:
    houses: list[House] = []

    async def scenario() -> None:
        houses.append(build())

    run(scenario)
    houses[0].plugin.loaded.tools.add(make_tool("late"))
    houses[0].plugin.loaded.updated("note://x")
    assert [item.name for item in houses[0].plugin.loaded.tools] == ["late"]
    assert [entry["name"] for entry in houses[0].catalog.tools.listed(LEGACY)] == ["late"]


@pytest.mark.filterwarnings("ignore:resources/.*is removed as of 2026-07-28")  # it is of the handshake era
def test_subscribers_are_told_about_their_resources_and_no_others(build: Build) -> None:
    async def scenario() -> None:
        house = build(make_resource("note://a"), make_resource("note://b"))
        told: list[Any] = []
        silent: list[Any] = []
        async with house.connect(told=told) as client, house.connect(told=silent):
            await client.subscribe_resource("note://a")
            for _ in range(3):
                house.plugin.loaded.updated("note://a")
                house.plugin.loaded.updated("note://b")
                house.plugin.loaded.updated("note://nowhere")
            await house.settle(client)
            assert [(message.method, message.params.uri) for message in told] == [
                ("notifications/resources/updated", "note://a")
            ]
            await client.unsubscribe_resource("note://a")
            house.plugin.loaded.updated("note://a")
            await house.settle(client)
            assert len(told) == 1
            await client.unsubscribe_resource("note://a")
            with pytest.raises(MCPError) as caught:
                await client.subscribe_resource("note://c")
            assert caught.value.error.code == types.INVALID_PARAMS
            assert caught.value.error.data == {"uri": "note://c"}
        assert silent == []

    run(scenario)


class StuckSession:
    """A session of a client that does not read until it is let go."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.reads = asyncio.Event()

    async def _send(self, name: str) -> None:
        await self.reads.wait()
        self.sent.append(name)

    async def send_tool_list_changed(self) -> None:
        await self._send("tools")

    async def send_prompt_list_changed(self) -> None:
        await self._send("prompts")


def test_equal_notices_wait_as_one_for_a_client_that_does_not_read(build: Build) -> None:
    async def scenario() -> None:
        house = build()
        audience = house.server.audience
        session: Any = StuckSession()
        connection: Any = type("Connection", (), {"exit_stack": AsyncExitStack()})()
        session._connection = connection
        ctx: Any = type("Context", (), {"session": session, "method": "notifications/initialized"})()

        async def call_next(_: Any) -> None:
            return None

        await audience.remember(ctx, call_next)
        for number in range(10):
            house.plugin.loaded.tools.add(make_tool(f"t{number}"))
            house.plugin.loaded.prompts.add(make_prompt(f"p{number}"))
            await asyncio.sleep(0.001)
        session.reads.set()
        while len(session.sent) < 3:
            await asyncio.sleep(0.001)
        assert sorted(session.sent) == ["prompts", "tools", "tools"]
        await connection.exit_stack.aclose()
        house.plugin.loaded.tools.add(make_tool("more"))
        await asyncio.sleep(0.01)
        assert len(session.sent) == 3

    run(scenario)


def test_a_client_is_told_nothing_before_it_has_said_that_it_is_initialized(build: Build) -> None:
    async def scenario() -> None:
        house = build()
        session: Any = StuckSession()
        session.reads.set()
        session._connection = type("Connection", (), {"exit_stack": AsyncExitStack()})()
        ctx: Any = type("Context", (), {"session": session, "method": "initialize"})()

        async def call_next(_: Any) -> str:
            return "result"

        assert await house.server.audience.remember(ctx, call_next) == "result"
        house.plugin.loaded.tools.add(make_tool("a"))
        await asyncio.sleep(0.01)
        assert session.sent == []

    run(scenario)


# Modern era


def test_a_modern_listener_hears_what_it_asked_for(build: Build) -> None:
    async def scenario() -> None:
        house = build(make_resource("note://a"), make_resource("note://b"))
        async with (
            house.connect(MODERN) as client,
            client.listen(
                tools_list_changed=True, resources_list_changed=True, resource_subscriptions=["note://a"]
            ) as heard,
        ):
            for _, change in LISTS.values():
                change(house.plugin, 1)
            house.plugin.loaded.updated("note://b")
            house.plugin.loaded.updated("note://a")
            house.plugin.loaded.updated("note://a")
            events = [await anext(aiter(heard)) for _ in range(3)]
            assert sorted(type(event).__name__ for event in events) == [
                "ResourceUpdated",
                "ResourcesListChanged",
                "ToolsListChanged",
            ]
            house.server.audience.close()
            with contextlib.suppress(StopAsyncIteration):
                pytest.fail(f"heard {await anext(aiter(heard))}")

    run(scenario)


def test_closing_ends_all_modern_streams_in_an_orderly_way(build: Build) -> None:
    async def scenario() -> None:
        house = build()
        async with house.connect(MODERN) as client, client.listen(tools_list_changed=True) as heard:
            house.server.audience.close()
            assert [event async for event in heard] == []

    run(scenario)


# What the server answers


def test_both_eras_are_told_who_serves_what_can_change_and_how_to_use_it(build: Build) -> None:
    async def scenario() -> None:
        for mode in ("legacy", "auto"):
            async with build().connect(mode) as client:
                capabilities = client.server_capabilities
                assert client.instructions == "Do it well."
                assert client.server_info is not None
                assert (client.server_info.name, client.server_info.title) == ("agenthost", "agenthost")
                for part in (capabilities.tools, capabilities.prompts, capabilities.resources):
                    assert part is not None
                    assert part.list_changed is True
                assert capabilities.resources is not None
                assert capabilities.resources.subscribe is True
                assert capabilities.completions is not None

    run(scenario)


@MODES
def test_everything_is_listed_on_one_page(build: Build, mode: str) -> None:
    @resource("note://{day}")
    def note(day: str) -> str:
        return day

    async def scenario() -> None:
        house = build(*(make_tool(f"t{n}") for n in range(300)), make_prompt("ask"), make_resource("note://a"), note)
        async with house.connect(mode) as client:
            lists = [
                await client.list_tools(),
                await client.list_prompts(),
                await client.list_resources(),
                await client.list_resource_templates(),
            ]
            assert all(each.next_cursor is None for each in lists)
            assert [each.name for each in lists[0].tools] == [f"t{n}" for n in range(300)]  # type: ignore[union-attr]
            assert [each.name for each in lists[1].prompts] == ["ask"]  # type: ignore[union-attr]
            assert [each.uri for each in lists[2].resources] == ["note://a"]  # type: ignore[union-attr]
            assert [each.uri_template for each in lists[3].resource_templates] == ["note://{day}"]  # type: ignore[union-attr]
            with pytest.raises(MCPError) as caught:
                await client.list_tools(cursor="more")
            assert caught.value.error.code == types.INVALID_PARAMS
            assert "more" in caught.value.error.message

    run(scenario)


@MODES
def test_each_era_gets_its_own_form_of_a_tool(build: Build, mode: str) -> None:
    schema = {"type": "object", "properties": {"any": True}}
    item = Tool("t", lambda a, c: "", input_schema=schema, output_schema={"type": "array"})

    async def scenario() -> None:
        async with build(item).connect(mode) as client:
            [listed] = (await client.list_tools()).tools
            assert listed.input_schema["properties"] == {"any": {} if mode == "legacy" else True}
            assert listed.output_schema == (None if mode == "legacy" else {"type": "array"})

    run(scenario)


@MODES
def test_lists_and_calls_wait_until_the_plugins_are_ready(build: Build, mode: str) -> None:
    async def scenario() -> None:
        house = build(make_tool("t"))
        house.readiness.clear()
        async with house.connect(mode) as client:
            asked = [asyncio.create_task(client.list_tools()), asyncio.create_task(client.call_tool("t", {}))]
            await asyncio.sleep(0.05)
            assert not any(task.done() for task in asked)
            house.readiness.set()
            await asyncio.gather(*asked)

    run(scenario)


@MODES
def test_calls_prompts_and_reads_are_answered(build: Build, mode: str) -> None:
    @tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    @prompt
    def ask(name: str) -> str:
        """Ask."""
        return f"Who is {name}?"

    async def scenario() -> None:
        async with build(add, ask, make_resource("note://a")).connect(mode) as client:
            result = await client.call_tool("add", {"a": 1, "b": 2})
            assert result.structured_content == {"result": 3}
            got = await client.get_prompt("ask", {"name": "it"})
            assert (got.description, got.messages[0].content.text) == ("Ask.", "Who is it?")  # type: ignore[union-attr]
            contents = (await client.read_resource("note://a")).contents
            assert contents[0].text == "note://a"  # type: ignore[union-attr]

    run(scenario)


@MODES
def test_errors_have_the_codes_of_the_protocol_and_name_what_was_asked_for(build: Build, mode: str) -> None:
    def fail(arguments: Any, ctx: Any) -> None:
        raise ProtocolError(-32000, "own", {"a": 1})

    item = Tool("t", fail, input_schema={"type": "object"})

    async def scenario() -> None:
        async with build(item, make_prompt("ask")).connect(mode) as client:
            for act, code, named in (
                (lambda: client.call_tool("x", {}), types.INVALID_PARAMS, "Unknown tool: x"),
                (lambda: client.get_prompt("x", {}), types.INVALID_PARAMS, "Unknown prompt: x"),
                (lambda: client.get_prompt("ask", {"b": "c"}), types.INVALID_PARAMS, "'b'"),
                (lambda: client.read_resource("note://x"), types.INVALID_PARAMS, "Unknown resource: note://x"),
                (lambda: client.call_tool("t", {}), -32000, "own"),
            ):
                with pytest.raises(MCPError) as caught:
                    await act()
                assert caught.value.error.code == code
                assert named in caught.value.error.message
            assert caught.value.error.data == {"a": 1}

    run(scenario)


@MODES
def test_a_fault_of_the_host_itself_is_told_without_its_text(
    build: Build, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    async def fail(*_: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(Calls, "call_tool", fail)

    async def scenario() -> None:
        async with build(make_tool("t")).connect(mode) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("t", {})
            assert caught.value.error.code == types.INTERNAL_ERROR
            assert "secret" not in caught.value.error.message

    run(scenario)
    assert "secret detail" in caplog.text


@MODES
def test_completions_are_cut_to_what_the_protocol_allows_and_say_so(build: Build, mode: str) -> None:
    counts = {"few": 3, "many": 250}

    def function(value: str, arguments: dict[str, str], ctx: Any) -> list[str]:
        return [f"{arguments.get('other', '')}{n}" for n in range(counts[value])]

    item = Prompt("ask", lambda a, c: "x", arguments=(Argument("who"), Argument("other")), complete={"who": function})

    @resource("note://{day}", complete={"day": lambda value, arguments, ctx: [value]})
    def note(day: str) -> str:
        return day

    async def scenario() -> None:
        async with build(item, note).connect(mode) as client:
            ref = types.PromptReference(name="ask")
            few = (await client.complete(ref, {"name": "who", "value": "few"}, {"other": "o"})).completion
            assert (few.values, few.total, few.has_more) == (["o0", "o1", "o2"], 3, False)
            many = (await client.complete(ref, {"name": "who", "value": "many"})).completion
            assert (len(many.values), many.total, many.has_more) == (MAX_COMPLETIONS, 250, True)
            other = await client.complete(
                types.ResourceTemplateReference(uri="note://{day}"), {"name": "day", "value": "mon"}
            )
            assert other.completion.values == ["mon"]
            with pytest.raises(MCPError, match="no argument 'wo'"):
                await client.complete(ref, {"name": "wo", "value": ""})

    run(scenario)


def test_log_messages_respect_the_level_that_a_handshake_client_sets(build: Build) -> None:
    @tool
    def talk(ctx: CallContext) -> None:
        for level in ("debug", "info", "error"):
            ctx.log(level, level)  # type: ignore[arg-type]

    async def scenario() -> None:
        heard: list[str] = []

        async def listen(params: Any) -> None:
            heard.append(params.data)

        async with build(talk).connect(logging_callback=listen) as client:
            await client.call_tool("talk", {})
            assert heard == ["info", "error"]
            heard.clear()
            with pytest.warns(Warning, match="deprecated"):
                await client.set_logging_level("error")
            await client.call_tool("talk", {})
            assert heard == ["error"]
            heard.clear()
            with pytest.warns(Warning, match="deprecated"):
                await client.set_logging_level("debug")
            await client.call_tool("talk", {})
            assert heard == ["debug", "info", "error"]

    run(scenario)


def test_log_messages_are_sent_to_a_modern_client_that_asks_for_them(build: Build) -> None:
    @tool
    async def talk(ctx: CallContext) -> None:
        for level in ("debug", "info", "error"):
            ctx.log(level, level)  # type: ignore[arg-type]

    async def scenario() -> None:
        for level, expected in ((None, []), ("info", ["info", "error"]), ("debug", ["debug", "info", "error"])):
            heard: list[str] = []

            async def listen(params: Any, heard: list[str] = heard) -> None:
                heard.append(params.data)

            async with build(talk).connect(MODERN, logging_callback=listen, log_level=level) as client:
                await client.call_tool("talk", {})
                assert heard == expected

    run(scenario)


def test_progress_is_sent_to_a_client_that_asks_for_it(build: Build) -> None:
    @tool
    async def work(ctx: CallContext) -> None:
        ctx.progress(1, 3, "one")
        ctx.progress(2, 3)

    async def scenario() -> None:
        heard: list[Any] = []

        async def listen(done: float, total: float | None, text: str | None) -> None:
            heard.append((done, total, text))

        async with build(work).connect() as client:
            await client.call_tool("work", {}, progress_callback=listen)
            assert heard == [(1, 3, "one"), (2, 3, None)]
            await client.call_tool("work", {})
            assert len(heard) == 2

    run(scenario)


@MODES
def test_a_tool_knows_its_caller(build: Build, mode: str) -> None:
    @tool
    def who(ctx: CallContext) -> dict[str, Any]:
        return {
            "client": ctx.caller.client,
            "principal": ctx.caller.principal,
            "version": ctx.protocol_version,
            "capabilities": sorted(ctx.client_capabilities),
        }

    async def scenario() -> None:
        async def roots(_: Any) -> Any:
            return types.ListRootsResult(roots=[])

        info = types.Implementation(name="tests", version="1")
        async with build(who).connect(mode, client_info=info, list_roots_callback=roots) as client:
            structured = (await client.call_tool("who", {})).structured_content
            assert structured == {
                "client": "tests",
                "principal": None,
                "version": LEGACY if mode == "legacy" else MODERN,
                "capabilities": ["roots"],
            }

    run(scenario)


@pytest.mark.filterwarnings("ignore:resources/.*is removed as of 2026-07-28")  # it is of the handshake era
@MODES
def test_a_client_can_watch_so_many_resources_and_no_more(
    build: Build, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agenthost.audience, "MAX_SUBSCRIPTIONS", 3)
    uris = [f"note://{number}" for number in range(4)]

    async def scenario() -> None:
        async with build(*map(make_resource, uris)).connect(mode) as client:
            if mode == MODERN:
                with pytest.raises(MCPError, match="3 resources at once") as raised:
                    async with client.listen(resource_subscriptions=uris):
                        pass
            else:
                for uri in [*uris[:3], uris[0]]:
                    await client.subscribe_resource(uri)
                with pytest.raises(MCPError, match="3 resources at once") as raised:
                    await client.subscribe_resource(uris[3])
                await client.unsubscribe_resource(uris[1])
                await client.subscribe_resource(uris[3])
            assert raised.value.error.code == types.INVALID_PARAMS

    run(scenario)


def test_sessions_over_http_are_forgotten_when_they_end(build: Build) -> None:
    opening = {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }

    async def scenario() -> None:
        house = build(make_resource("note://a"))
        manager = StreamableHTTPSessionManager(house.server)
        app = Router([Route("/mcp", StreamableHTTPASGIApp(manager))])
        transport = httpx2.ASGITransport(app)
        accept = {"Accept": "application/json, text/event-stream"}
        async with manager.run(), httpx2.AsyncClient(transport=transport, base_url="http://h", headers=accept) as http:

            async def session() -> None:
                message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}
                opened = await http.post("/mcp", json=message)
                name = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
                await http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=name)
                message = {"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": {"uri": "note://a"}}
                assert (await http.post("/mcp", json=message, headers=name)).status_code == 200
                house.catalog.on_change("tools")
                assert (await http.delete("/mcp", headers=name)).status_code == 200

            for _ in range(10):
                await asyncio.gather(*(session() for _ in range(20)))
            while house.server.audience._listeners or house.server.audience._telling:
                await asyncio.sleep(0.001)
            assert house.server.audience._watches._wanted == {}

    run(scenario)


def test_an_audience_without_clients_tells_nobody_and_fails_nowhere(serve: Callable[..., Catalog]) -> None:
    async def scenario() -> None:
        audience = Audience(Watches(serve()))
        for kind in ("tools", "prompts", "resources"):
            audience.list_changed(kind)  # type: ignore[arg-type]
        audience.resource_updated("note://a")
        await asyncio.sleep(0.01)
        audience.close()

    run(scenario)
