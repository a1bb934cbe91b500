"""Prompts, resources, templates, completions and subscriptions of two plugins that meet, in both eras."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]


@pytest.fixture(scope="module", params=["legacy", "modern"])
def server(request: pytest.FixtureRequest, start_shared: StartServer) -> ServerProcess:
    server = start_shared("--plugins", "shelf,shelf-b", plugins=["shelves"])
    server.open(request.param)
    return server


def read(server: ServerProcess, uri: str) -> str:
    [contents] = server.request("resources/read", {"uri": uri})["result"]["contents"]
    assert contents["uri"] == uri
    return contents["text"]  # type: ignore[no-any-return]


def complete(server: ServerProcess, reference: dict[str, str], name: str, value: str) -> dict[str, Any]:
    answer = server.request("completion/complete", {"ref": reference, "argument": {"name": name, "value": value}})
    return answer["result"]["completion"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("shelf://books/first", "the first book, exactly"),
        ("shelf://books/second", "book 'second'"),
        ("shelf://books/a%20b%2F..%2F%C3%A9", "book 'a b/../é'"),
        ("shelf://books/..", "book '..'"),
        ("shelf://books/a/b", "anything 'books/a/b'"),
        ("shelf://else", "anything 'else'"),
        ("shelf-b://books/x", "shelf_b's book 'x'"),
    ],
)
def test_an_exact_address_goes_before_a_template_and_the_more_literal_template_before_the_other(
    server: ServerProcess, uri: str, text: str
) -> None:
    assert read(server, uri) == text


def test_of_equal_addresses_the_earlier_plugin_answers_and_the_other_is_reported(server: ServerProcess) -> None:
    assert read(server, "note://today") == "shelf's today"
    assert [entry["uri"] for entry in server.request("resources/list")["result"]["resources"]].count(
        "note://today"
    ) == 1
    assert "shelf-b: resource 'note://today'" in server.stderr


def test_separators_in_prompt_names_never_lead_to_another_plugin(server: ServerProcess) -> None:
    def text(name: str) -> str:
        [message] = server.request("prompts/get", {"name": name})["result"]["messages"]
        return message["content"]["text"]  # type: ignore[no-any-return]

    names = [entry["name"] for entry in server.request("prompts/list")["result"]["prompts"]]
    assert names == ["b__c", "c", "shelf-b_b__c"]
    assert [text(name) for name in names] == ["shelf: calm", "shelf_b: c", "shelf_b: b__c"]


def test_completions_are_the_authors_or_those_of_a_closed_set_and_cut_at_a_hundred(server: ServerProcess) -> None:
    tones = complete(server, {"type": "ref/prompt", "name": "b__c"}, "tone", "c")
    assert tones == {"values": ["calm", "cross"], "total": 2, "hasMore": False}
    titles = complete(server, {"type": "ref/resource", "uri": "shelf://books/{title}"}, "title", "t")
    assert titles["values"] == [f"t{number}" for number in range(100)]
    assert (titles["total"], titles["hasMore"]) == (250, True)


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("prompts/get", {"name": "nobody"}, "Unknown prompt: nobody"),
        ("prompts/get", {"name": "lent book"}, "Nobody has lent lent book."),
        ("resources/read", {"uri": "nobody://home"}, "nobody://home"),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "nobody"}}, "nobody"),
        ("completion/complete", {"ref": {"type": "ref/resource", "uri": "nobody://{x}"}}, "nobody://{x}"),
    ],
)
def test_what_nobody_serves_is_invalid_params_and_named_in_its_plugins_words_if_it_has_some(
    server: ServerProcess, method: str, params: dict[str, Any], named: str
) -> None:
    if method == "completion/complete":
        params = {**params, "argument": {"name": "x", "value": ""}}
    error = server.request(method, params)["error"]
    assert error["code"] == -32602
    assert named in error["message"]
    if method == "resources/read":
        assert error["data"] == {"uri": params["uri"]}


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_subscriber_hears_of_a_change_once_and_of_nothing_else(start: StartServer, era: Era) -> None:
    server = start("--plugins", "shelf", plugins=["shelves"])
    server.open(era)
    uri = "shelf://books/one"
    if era == "legacy":
        assert server.request("resources/subscribe", {"uri": uri})["result"] == {}
        assert server.request("resources/subscribe", {"uri": "nobody://home"})["error"]["code"] == -32602
    else:
        server.start_request("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri]}})
        server.wait_for_notification("notifications/subscriptions/acknowledged")
    assert server.text("shelf_touch", {"uri": "shelf://books/two"}) == "touched"
    assert server.text("shelf_touch", {"uri": uri}) == "touched"
    told = server.wait_for_notification("notifications/resources/updated")
    assert told["params"]["uri"] == uri
    if era == "legacy":
        assert server.request("resources/unsubscribe", {"uri": uri})["result"] == {}
        assert server.text("shelf_touch", {"uri": uri}) == "touched"
    server.tools()
    assert server.notifications == []


def test_every_line_of_a_json_log_is_an_object_that_names_its_plugin(start: StartServer) -> None:
    server = start("--plugins", "shelf,shelf-b", "--log-format", "json", "--log-level", "warning", plugins=["shelves"])
    server.open("legacy")
    server.close()
    lines = [json.loads(line) for line in server.stderr.splitlines()]
    assert {line["level"] for line in lines} == {"warning"}
    assert all(set(line) == {"time", "level", "message"} for line in lines)
    assert any(line["message"].startswith("shelf-b: resource 'note://today'") for line in lines)
