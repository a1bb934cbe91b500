"""A plugin asks its client or its user in the middle of a call: one form of writing it, both eras, both transports."""

from __future__ import annotations

import asyncio
import json
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from agenthost.testing import LEGACY_VERSION, MODERN_VERSION, Era, ServerProcess
from mcp.client import Client as McpClient

StartServer = Callable[..., ServerProcess]

ABLE = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
"""The capabilities of a client that can do everything."""

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

KEY = Path("host", "request-state.key")
TIMES = 20
"""How often a race is run."""

INVALID_PARAMS, MISSING_CAPABILITY = -32602, -32021


def accept(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


def wrote(text: str) -> dict[str, Any]:
    return {"role": "assistant", "model": "parrot", "content": {"type": "text", "text": text}}


class Client:
    """A client that answers what it is asked, in either era.

    Attributes:
        asked: the requests of the last exchange, in order, as on the wire.
    """

    def __init__(self, server: ServerProcess, era: Era, capabilities: dict[str, Any]) -> None:
        self.server = server
        self.era = era
        self.capabilities = capabilities
        self.asked: list[dict[str, Any]] = []
        server.era = era
        if era == "legacy":
            client = {"name": "tests", "version": "1"}
            opening = {"protocolVersion": LEGACY_VERSION, "capabilities": capabilities, "clientInfo": client}
            assert "result" in server.request("initialize", opening)
            server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, params: dict[str, Any], meta: dict[str, Any] | None = None) -> dict[str, Any]:
        """One request and its response, in the modern era with the client's capabilities."""
        declared = {CAPABILITIES: self.capabilities} if self.era == "modern" else {}
        return self.server.request(method, {**params, "_meta": {**declared, **(meta or {})}})

    def exchange(self, method: str, params: dict[str, Any], *answers: dict[str, Any]) -> dict[str, Any]:
        """A request, the answers to what it asks for, and its response at last."""
        self.asked = []
        left = list(answers)
        if self.era == "legacy":
            return self._live(method, params, left)
        sent = params
        while (result := (response := self.request(method, sent)).get("result", {})).get(
            "resultType"
        ) == "input_required":
            requests = result.get("inputRequests", {})
            self.asked += requests.values()
            sent = {**params, "inputResponses": {key: left.pop(0) for key in requests}}
            if "requestState" in result:
                sent["requestState"] = result["requestState"]
        return response

    def _live(self, method: str, params: dict[str, Any], left: list[dict[str, Any]]) -> dict[str, Any]:
        request_id = self.server.start_request(method, params)
        while True:
            message = self.server.receive()
            if "method" not in message:
                assert message["id"] == request_id
                return message
            if "id" in message:
                self.asked.append({"method": message["method"], "params": message.get("params", {})})
                self.server.send({"jsonrpc": "2.0", "id": message["id"], "result": left.pop(0)})

    def call(self, name: str, arguments: dict[str, Any] | None = None, *answers: dict[str, Any]) -> dict[str, Any]:
        return self.exchange("tools/call", {"name": name, "arguments": arguments or {}}, *answers)

    def text(self, name: str, arguments: dict[str, Any] | None = None, *answers: dict[str, Any]) -> str:
        """The text of a call that has to succeed."""
        response = self.call(name, arguments, *answers)
        assert not response["result"].get("isError"), response
        text: str = response["result"]["content"][0]["text"]
        return text

    def refused(self, name: str, arguments: dict[str, Any] | None = None, *answers: dict[str, Any]) -> str:
        """The text of a call that has to fail."""
        result = self.call(name, arguments, *answers)["result"]
        assert result["isError"] is True, result
        text: str = result["content"][0]["text"]
        return text


@pytest.fixture(scope="module")
def clients(start_shared: StartServer) -> dict[tuple[Era, bool], Client]:
    """Clients of both eras, able and unable."""
    return {
        (era, able): Client(start_shared("--plugins", "asks", plugins=["asks"]), era, ABLE if able else {})
        for era in ("legacy", "modern")
        for able in (True, False)
    }


@pytest.fixture(params=["legacy", "modern"])
def client(request: pytest.FixtureRequest, clients: dict[tuple[Era, bool], Client]) -> Client:
    return clients[request.param, True]


@pytest.fixture(params=["legacy", "modern"])
def unable(request: pytest.FixtureRequest, clients: dict[tuple[Era, bool], Client]) -> Client:
    return clients[request.param, False]


@pytest.fixture
def modern(clients: dict[tuple[Era, bool], Client]) -> Client:
    return clients["modern", True]


@pytest.fixture
def legacy(clients: dict[tuple[Era, bool], Client]) -> Client:
    return clients["legacy", True]


# One form for all


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("greet", {"greeting": "Hi"}, "Hi, Ada!"),
        ("greet_in_thread", {}, "Hello, Ada!"),
        ("greet_raw", {"a": 1}, "{'a': 1}, Ada!"),
    ],
    ids=["async", "def", "raw"],
)
def test_a_tool_of_any_kind_asks_and_is_called_again_with_the_answer(
    client: Client, tool: str, arguments: dict[str, Any], text: str
) -> None:
    assert client.text(tool, arguments, accept(name="Ada")) == text
    [asked] = client.asked
    assert asked["method"] == "elicitation/create"
    assert asked["params"]["message"] == "What is your name?"
    assert asked["params"]["requestedSchema"] == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_user_who_says_no_is_an_answer_too(client: Client, action: str) -> None:
    assert client.text("greet", {"greeting": "Hi"}, {"action": action}) == f"{action}: nobody to greet"


def test_a_second_question_knows_the_first_answer_by_the_state(client: Client) -> None:
    response = client.call("steps", {}, accept(name="Ada"), accept(colour="red"))
    assert response["result"]["structuredContent"] == {"name": "Ada", "colour": "red"}
    assert [asked["params"]["message"] for asked in client.asked] == ["What is your name?", "Which colour?"]


def test_several_things_are_asked_for_at_once(client: Client) -> None:
    roots = {"roots": [{"uri": "file:///home/ada"}, {"uri": "file:///tmp", "name": "scratch"}]}
    text = client.text("everything", {}, accept(name="Ada"), wrote("Roses."), roots)
    assert text == "Ada | Roses. by parrot | file:///home/ada, file:///tmp"
    assert [asked["method"] for asked in client.asked] == ["elicitation/create", "sampling/createMessage", "roots/list"]
    sampling = client.asked[1]["params"]
    assert sampling["messages"] == [{"role": "user", "content": {"type": "text", "text": "Write a poem."}}]
    assert (sampling["maxTokens"], sampling["systemPrompt"]) == (50, "Short.")


def test_a_user_is_sent_to_a_page(client: Client) -> None:
    assert client.text("visit", {}, {"action": "accept"}) == "accept"
    [asked] = client.asked
    assert (asked["params"]["mode"], asked["params"]["url"]) == ("url", "https://example.org/in")
    assert ("elicitationId" in asked["params"]) is (client.era == "legacy")


def test_a_state_alone_makes_the_call_again(client: Client) -> None:
    assert client.text("state_only") == "done after 3"
    assert client.asked == []


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [("letter", {"to": "Bob"}, "Write to Bob about tea."), ("raw_letter", {}, "About tea.")],
    ids=["typed", "raw"],
)
def test_a_prompt_asks_too(client: Client, name: str, arguments: dict[str, str], text: str) -> None:
    response = client.exchange("prompts/get", {"name": name, "arguments": arguments}, accept(name="tea"))
    assert response["result"]["messages"] == [{"role": "user", "content": {"type": "text", "text": text}}]


@pytest.mark.parametrize(
    ("uri", "text"),
    [("asks://secret", "secret for Ada"), ("asks://rooms/blue", "blue for Ada")],
    ids=["resource", "template"],
)
def test_a_resource_asks_too(client: Client, uri: str, text: str) -> None:
    response = client.exchange("resources/read", {"uri": uri}, accept(name="Ada"))
    assert response["result"]["contents"] == [{"uri": uri, "mimeType": "text/plain", "text": text}]


# Clients that cannot


@pytest.mark.parametrize(
    ("tool", "capabilities"),
    [
        ("needs_sampling", {"sampling": {}}),
        ("needs_much", {"elicitation": {"url": {}}, "roots": {}}),
        ("greet_in_thread", {"elicitation": {"form": {}}}),
        ("visit", {"elicitation": {"url": {}}}),
        ("everything", {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}),
    ],
)
def test_a_client_that_cannot_is_told_what_it_lacks(unable: Client, tool: str, capabilities: dict[str, Any]) -> None:
    response = unable.call(tool)
    if unable.era == "modern":
        assert response["error"]["code"] == MISSING_CAPABILITY
        assert response["error"]["data"] == {"requiredCapabilities": capabilities}
        text = response["error"]["message"]
    else:
        assert response["result"]["isError"] is True
        text = response["result"]["content"][0]["text"]
    assert tool in text
    assert next(iter(capabilities)) in text


def test_a_prompt_that_asks_a_client_that_cannot_is_an_error(unable: Client) -> None:
    error = unable.exchange("prompts/get", {"name": "raw_letter"})["error"]
    assert error["code"] == (MISSING_CAPABILITY if unable.era == "modern" else INVALID_PARAMS)
    assert "elicitation.form" in error["message"]


def test_what_a_tool_requires_changes_no_list(client: Client, clients: dict[tuple[Era, bool], Client]) -> None:
    able = client.request("tools/list", {})["result"]["tools"]
    assert able == clients[client.era, False].request("tools/list", {})["result"]["tools"]
    assert "needs_sampling" in [tool["name"] for tool in able]


def test_a_client_that_can_calls_a_tool_that_requires_it(client: Client) -> None:
    assert client.text("needs_sampling") == "called"
    assert client.text("needs_much") == "called"


def test_a_client_that_shows_pages_only_is_asked_for_no_form(start: StartServer) -> None:
    client = Client(start("--plugins", "asks", plugins=["asks"]), "modern", {"elicitation": {"url": {}}})
    assert client.text("visit", {}, {"action": "accept"}) == "accept"
    error = client.call("greet_in_thread")["error"]
    assert error["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}


def test_a_client_that_declares_elicitation_without_more_is_asked_for_forms(start: StartServer) -> None:
    client = Client(start("--plugins", "asks", plugins=["asks"]), "legacy", {"elicitation": {}})
    assert client.text("greet_in_thread", {}, accept(name="Ada")) == "Hello, Ada!"
    assert "elicitation.url" in client.refused("visit")


def test_a_plugin_asks_by_what_the_client_declared(start: StartServer) -> None:
    client = Client(start("--plugins", "asks", plugins=["asks"]), "modern", {"sampling": {}})
    result = client.request("tools/call", {"name": "careful", "arguments": {}})["result"]
    assert [request["method"] for request in result["inputRequests"].values()] == ["sampling/createMessage"]


# Answers that are not what was asked for


def test_an_answer_that_is_missing_is_asked_for_again(modern: Client) -> None:
    params = {"name": "everything", "arguments": {}, "inputResponses": {"poem": wrote("Roses.")}}
    result = modern.request("tools/call", params)["result"]
    assert sorted(result["inputRequests"]) == ["name", "roots"]


def test_answers_that_nobody_asked_for_are_ignored(modern: Client) -> None:
    answers = {"name": accept(name="Ada"), "extra": accept(x=1), "more": wrote("?")}
    params = {"name": "greet_in_thread", "arguments": {}, "inputResponses": answers}
    assert modern.request("tools/call", params)["result"]["content"][0]["text"] == "Hello, Ada!"


def test_an_answer_of_another_kind_is_no_answer(modern: Client) -> None:
    params = {"name": "greet_in_thread", "arguments": {}, "inputResponses": {"name": {"roots": []}}}
    assert modern.request("tools/call", params)["result"]["resultType"] == "input_required"


@pytest.mark.parametrize("answer", [12345, "text", None, {}, {"action": "maybe"}, {"action": "accept", "content": 3}])
def test_an_answer_that_is_none_is_refused_before_the_plugin_runs(modern: Client, answer: Any) -> None:
    params = {"name": "greet_in_thread", "arguments": {}, "inputResponses": {"name": answer}}
    assert modern.request("tools/call", params)["error"]["code"] == INVALID_PARAMS


def test_a_picture_that_is_no_base64_is_refused(modern: Client) -> None:
    picture = {"role": "assistant", "model": "m", "content": {"type": "image", "data": "%%%", "mimeType": "image/png"}}
    params = {"name": "everything", "arguments": {}, "inputResponses": {"poem": picture}}
    error = modern.request("tools/call", params)["error"]
    assert error["code"] == INVALID_PARAMS
    assert "poem" in error["message"]


@pytest.mark.parametrize("kind", ["nothing", "nested", "both", "text", "state", "huge", "tokens"])
def test_what_nobody_can_answer_is_the_plugins_fault(client: Client, kind: str) -> None:
    assert "fault of the plugin" in client.refused("nonsense", {"kind": kind})
    assert client.asked == []
    assert client.text("greet", {"greeting": "Hi"}, accept(name="Ada")) == "Hi, Ada!"


# The sealed state


def begun(client: Client, **arguments: Any) -> str:
    """The sealed state of a first round of `letter` or `steps`."""
    state: str = client.request("tools/call", {"name": "steps", "arguments": arguments})["result"]["requestState"]
    return state


def resumed(client: Client, state: Any, **params: Any) -> dict[str, Any]:
    answer = {"name": accept(name="Ada")}
    return client.request(
        "tools/call", {"name": "steps", "arguments": {}, "inputResponses": answer, "requestState": state, **params}
    )


def test_a_state_is_sealed_and_says_nothing(modern: Client) -> None:
    state = resumed(modern, begun(modern))["result"]["requestState"]
    assert "Ada" not in state
    assert state != resumed(modern, begun(modern))["result"]["requestState"]


@pytest.mark.parametrize(
    "change", [lambda s: s + "x", lambda s: s[:-2], lambda s: s.swapcase(), lambda s: "", lambda s: "{}"]
)
def test_a_state_that_was_changed_is_refused_with_a_text_that_helps(
    modern: Client, change: Callable[[str], str]
) -> None:
    error = resumed(modern, change(begun(modern)))["error"]
    assert error["code"] == INVALID_PARAMS
    assert "Make the call again without it" in error["message"]


def test_a_state_is_good_for_its_own_call_only(modern: Client) -> None:
    state = begun(modern)
    for params in ({"name": "state_only"}, {"arguments": {"other": 1}}):
        assert resumed(modern, state, **params)["error"]["code"] == INVALID_PARAMS
    prompt = {"name": "steps", "requestState": state}
    assert modern.request("prompts/get", prompt)["error"]["code"] == INVALID_PARAMS
    assert resumed(modern, state)["result"]["resultType"] == "input_required"


def modern_client(server: ServerProcess) -> Client:
    return Client(server, "modern", ABLE)


def test_a_sealed_state_outlives_the_server_and_is_good_in_another(start: StartServer, tmp_path: Path) -> None:
    options = ["--plugins", "asks", "--state-dir", str(tmp_path / "state")]
    first = modern_client(start(*options, plugins=["asks"]))
    assert first.text("greet", {"greeting": "Hi"}, accept(name="Ada")) == "Hi, Ada!"
    assert not (tmp_path / "state").exists()  # there was no state to seal
    state = begun(first)
    assert stat.S_IMODE((tmp_path / "state" / KEY).stat().st_mode) == 0o600
    second = modern_client(start(*options, plugins=["asks"]))
    state = resumed(second, state)["result"]["requestState"]
    for client in (first, second):
        client.server.process.kill()
        client.server.wait()
    third = modern_client(start(*options, plugins=["asks"]))
    result = resumed(third, state, inputResponses={"colour": accept(colour="red")})["result"]
    assert result["structuredContent"] == {"name": "Ada", "colour": "red"}


def test_a_state_of_another_state_folder_is_refused(start: StartServer, tmp_path: Path) -> None:
    here, there = (
        modern_client(start("--plugins", "asks", "--state-dir", str(tmp_path / name), plugins=["asks"]))
        for name in ("here", "there")
    )
    begun(there)
    assert resumed(there, begun(here))["error"]["code"] == INVALID_PARAMS


def test_a_client_of_the_handshake_era_leaves_no_key_behind(start: StartServer, tmp_path: Path) -> None:
    server = start("--plugins", "asks", "--state-dir", str(tmp_path / "state"), plugins=["asks"])
    client = Client(server, "legacy", ABLE)
    assert client.call("steps", {}, accept(name="Ada"), accept(colour="red"))["result"]["structuredContent"]
    assert not (tmp_path / "state").exists()


# Asked live


def asked_live(client: Client, name: str, count: int = 1, **arguments: Any) -> list[tuple[Any, Any]]:
    """Begin calls that ask; for each the id of its request and of the question."""
    begun = [client.server.start_request("tools/call", {"name": name, "arguments": arguments}) for _ in range(count)]
    return [(request_id, client.server.wait_for_notification("elicitation/create")["id"]) for request_id in begun]


def reply(client: Client, question: Any, **content: Any) -> None:
    client.server.send({"jsonrpc": "2.0", "id": question, "result": accept(**content)})


def test_a_person_may_take_longer_than_the_tools_time_limit(legacy: Client) -> None:
    [(request_id, question)] = asked_live(legacy, "hurried")
    time.sleep(1.5)  # three times the tool's limit
    reply(legacy, question, name="Ada")
    assert legacy.server.answer(request_id)["result"]["content"][0]["text"] == "Hello, Ada!"


def test_calls_that_wait_for_people_hold_no_place_of_the_plugin(legacy: Client) -> None:
    waiting = asked_live(legacy, "greet_in_thread", 50)
    assert legacy.text("greet_in_thread", {}, accept(name="Eve")) == "Hello, Eve!"
    for _, question in waiting:
        reply(legacy, question, name="Ada")
    for request_id, _ in waiting:
        assert legacy.server.answer(request_id)["result"]["content"][0]["text"] == "Hello, Ada!"


def test_a_cancelled_call_takes_its_question_back(legacy: Client) -> None:
    for _ in range(TIMES):
        [(request_id, question)] = asked_live(legacy, "greet_in_thread")
        legacy.server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}})
        taken_back = legacy.server.wait_for_notification("notifications/cancelled")
        assert taken_back["params"]["requestId"] == question
        reply(legacy, question, name="Ada")  # too late, and ignored
    assert legacy.text("greet_in_thread", {}, accept(name="Eve")) == "Hello, Eve!"


def test_a_cancellation_reaches_the_code_that_runs_after_the_answer(legacy: Client) -> None:
    before = legacy.call("runs")["result"]["structuredContent"]["cancelled"]
    [(request_id, question)] = asked_live(legacy, "slow_after")
    reply(legacy, question, name="Ada")
    legacy.text("runs")  # the answer was read before this was
    legacy.server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}})
    deadline = time.monotonic() + 20
    while legacy.call("runs")["result"]["structuredContent"]["cancelled"] == before:
        assert time.monotonic() < deadline


def test_a_client_that_answers_with_an_error_ends_the_call_with_a_text(legacy: Client) -> None:
    [(request_id, question)] = asked_live(legacy, "greet_in_thread")
    error = {"code": -1, "message": "User rejected it"}
    legacy.server.send({"jsonrpc": "2.0", "id": question, "error": error})
    result = legacy.server.answer(request_id)["result"]
    assert result["isError"] is True
    assert "User rejected it (code -1)" in result["content"][0]["text"]


@pytest.mark.parametrize("answer", [{"foo": 1}, {"action": "perhaps"}, {"action": "accept", "content": [1]}])
def test_a_client_that_answers_with_nonsense_ends_the_call_with_a_text(legacy: Client, answer: dict[str, Any]) -> None:
    [(request_id, question)] = asked_live(legacy, "greet_in_thread")
    legacy.server.send({"jsonrpc": "2.0", "id": question, "result": answer})
    result = legacy.server.answer(request_id)["result"]
    assert result["isError"] is True
    assert "not what the protocol says" in result["content"][0]["text"]


def test_a_tool_that_asks_for_ever_is_stopped(legacy: Client) -> None:
    text = legacy.refused("never_enough", {}, *[accept(name="Ada")] * 16)
    assert "asked 16 times" in text
    assert len(legacy.asked) == 16


def test_what_a_call_reported_before_its_question_comes_before_it(legacy: Client) -> None:
    params = {"name": "reporting", "arguments": {}, "_meta": {"progressToken": "p"}}
    request_id = legacy.server.start_request("tools/call", params)
    assert legacy.server.receive()["params"]["message"] == "before"
    reply(legacy, legacy.server.receive()["id"], name="Ada")
    assert legacy.server.receive()["params"]["message"] == "after"
    assert legacy.server.receive()["id"] == request_id


def test_a_client_that_leaves_while_it_is_asked_ends_the_server_in_time(start: StartServer) -> None:
    client = Client(start("--plugins", "asks", plugins=["asks"]), "legacy", ABLE)
    asked_live(client, "greet_in_thread", 3)
    assert client.server.close() == 0
    assert "Traceback" not in client.server.stderr


# Over HTTP


@pytest.fixture(scope="module")
def http(start_shared: StartServer) -> ServerProcess:
    return start_shared("--http", "0", "--plugins", "asks", plugins=["asks"])


@pytest.mark.filterwarnings("ignore:.*deprecated")  # sampling and roots are, and still served
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_over_http_is_asked_like_any_other(http: ServerProcess, mode: Any) -> None:
    async def elicit(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        if isinstance(params, types.ElicitRequestURLParams):
            return types.ElicitResult(action="cancel")
        name = next(iter(params.requested_schema["properties"]))
        return types.ElicitResult(action="accept", content={name: f"my {name}"})

    async def sample(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        content = types.TextContent(type="text", text="Roses.")
        return types.CreateMessageResult(role="assistant", model="parrot", content=content)

    async def roots(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///home/ada")])

    async def talk() -> None:
        async with McpClient(
            http.url, mode=mode, elicitation_callback=elicit, sampling_callback=sample, list_roots_callback=roots
        ) as client:

            async def text(name: str, **arguments: Any) -> str:
                result = await client.call_tool(name, arguments)
                assert not result.is_error, result
                return result.content[0].text

            assert await text("greet", greeting="Hi") == "Hi, my name!"
            assert await text("greet_in_thread") == "Hello, my name!"
            assert await text("everything") == "my name | Roses. by parrot | file:///home/ada"
            assert await text("visit") == "cancel"
            assert await text("state_only") == "done after 3"
            structured = (await client.call_tool("steps", {})).structured_content
            assert structured == {"name": "my name", "colour": "my colour"}
            prompt = await client.get_prompt("letter", {"to": "Bob"})
            assert prompt.messages[0].content.text == "Write to Bob about my name."
            read = await client.read_resource("asks://rooms/blue")
            assert read.contents[0].text == "blue for my name"
            greetings = await asyncio.gather(*(text("greet", greeting=str(number)) for number in range(TIMES)))
            assert greetings == [f"{number}, my name!" for number in range(TIMES)]

    asyncio.run(asyncio.wait_for(talk(), 60))


def test_a_state_is_good_for_the_caller_who_got_it_only(start: StartServer, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"ada:{'a' * 40}\nbob:{'b' * 40}\n", encoding="utf-8")
    tokens.chmod(0o600)
    server = start("--http", "0", "--plugins", "asks", "--token-file", str(tokens), plugins=["asks"])

    def steps(token: str, **params: Any) -> dict[str, Any]:
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
            CAPABILITIES: ABLE,
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        }
        headers = {
            "Authorization": f"Bearer {token * 40}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN_VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": "steps",
        }
        params = {"name": "steps", "arguments": {}, "_meta": meta, **params}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        response = httpx2.post(server.url, json=message, headers=headers, timeout=20)
        text = response.text
        return json.loads(text if text.startswith("{") else text[text.index("{") :])  # type: ignore[no-any-return]

    state = steps("a")["result"]["requestState"]
    answer = {"inputResponses": {"name": accept(name="Ada")}, "requestState": state}
    assert steps("b", **answer)["error"]["code"] == INVALID_PARAMS
    assert steps("a", **answer)["result"]["resultType"] == "input_required"
