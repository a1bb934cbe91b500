"""A plugin asks its client or its user in the middle of a call: one form of writing it, both eras, both transports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from agenthost.testing import LEGACY_VERSION, Era, ServerProcess

StartServer = Callable[..., ServerProcess]

ABLE = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
"""The capabilities of a client that can do everything."""

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

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
