"""The strategy that asks a model, against an endpoint of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agenthost import OperatorError
from agenthost_hardtoget.players import DetectiveTurn, WitnessTurn
from agenthost_hardtoget.players.chat import ChatStrategy, find_side, find_words

WITNESS = WitnessTurn(1, ("sea", "hot lava", "Mount Rain"), "sea", ("water", "hot water"))
DETECTIVE = DetectiveTurn(1, ("sea", "hot lava", "Mount Rain"), ("water", "fire"), "water")


class Endpoint:
    """A chat endpoint that says what it is told to, one thing after the other, and keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.url = ""

    def answer(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> tuple[int, Any] | None:
        self.asked.append(body)
        self.headers.append(headers)
        self.paths.append(path)
        status, answer = self.answers.pop(0)
        return None if answer is None else (status, answer)

    def says(self, *contents: Any) -> None:
        for content in contents:
            self.answers.append((200, {"choices": [{"message": {"role": "assistant", "content": content}}]}))


@pytest.fixture
def endpoint(chat_endpoint: Callable[..., str]) -> Iterator[Endpoint]:
    found = Endpoint()
    found.url = chat_endpoint(found.answer)
    yield found
    assert found.answers == []


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def chat(endpoint: Endpoint, notes: list[str]) -> Callable[..., ChatStrategy]:
    def chat(key: str | None = None) -> ChatStrategy:
        return ChatStrategy(endpoint.url, "some-model", key, note=notes.append, pause=lambda _: None)

    return chat


def test_the_model_is_asked_with_all_that_its_role_may_know(
    endpoint: Endpoint, chat: Callable[..., ChatStrategy], notes: list[str]
) -> None:
    endpoint.says('{"choice": "hot water"}', '{"eliminate": ["hot lava"]}')
    strategy = chat("the-key")
    assert strategy.choose_dilemma_side(WITNESS) == "hot water"
    assert strategy.choose_eliminations(DETECTIVE) == ["hot lava"]
    assert endpoint.paths == ["/v1/chat/completions"] * 2
    assert {headers["Authorization"] for headers in endpoint.headers} == {"Bearer the-key"}
    assert {body["model"] for body in endpoint.asked} == {"some-model"}
    system, question = endpoint.asked[0]["messages"]
    assert (system["role"], question["role"]) == ("system", "user")
    for fact in ("witness", '"sea"', '"water"', '"hot water"'):
        assert fact in question["content"]
    for fact in ("detective", '["sea", "hot lava", "Mount Rain"]', '"water" fits'):
        assert fact in endpoint.asked[1]["messages"][1]["content"]
    assert notes == []


def test_without_a_key_none_is_sent(endpoint: Endpoint, chat: Callable[..., ChatStrategy]) -> None:
    endpoint.says("water")
    chat().choose_dilemma_side(WITNESS)
    assert "Authorization" not in endpoint.headers[0]


def test_a_model_that_answers_nonsense_is_told_so_and_asked_again(
    endpoint: Endpoint, chat: Callable[..., ChatStrategy], notes: list[str]
) -> None:
    endpoint.says("Hm, both?", "water or hot water", '{"choice": "Water"}')
    assert chat().choose_dilemma_side(WITNESS) == "water"
    last = endpoint.asked[-1]["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert last[2]["content"] == "Hm, both?"
    assert "not one of the two options" in last[3]["content"]
    assert notes == []


def test_after_three_useless_answers_the_fallback_decides_and_a_note_says_so(
    endpoint: Endpoint, chat: Callable[..., ChatStrategy], notes: list[str]
) -> None:
    endpoint.says("I cannot", "", None)
    assert set(chat().choose_eliminations(DETECTIVE)) < set(DETECTIVE.board)
    assert notes == ["some-model gave 3 answers that are no moves; the strategy overlap decides this one"]


def test_a_busy_endpoint_is_asked_again(endpoint: Endpoint, chat: Callable[..., ChatStrategy]) -> None:
    endpoint.answers += [(429, {"error": {"message": "slow down"}}), (503, "busy")]
    endpoint.says([{"type": "text", "text": '{"choice":'}, {"type": "text", "text": ' "water"}'}])
    assert chat().choose_dilemma_side(WITNESS) == "water"


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([(401, {"error": {"message": "Incorrect API key", "type": "auth"}})], "HTTP 401, Incorrect API key"),
        ([(404, {"error": "model some-model not found"})], "HTTP 404, model some-model not found"),
        ([(500, "<html>oh\n no</html>")] * 3, "HTTP 500, <html>oh no</html>"),
        ([(200, "no JSON")], "does not answer like a chat endpoint: HTTP 200, no JSON"),
        ([(200, {"choices": []})], "does not answer like a chat endpoint"),
        ([(200, [])], "does not answer like a chat endpoint"),
        ([(200, None)] * 3, "broke off"),
    ],
)
def test_what_the_endpoint_refuses_is_one_sentence(
    endpoint: Endpoint, chat: Callable[..., ChatStrategy], answers: list[tuple[int, Any]], words: str
) -> None:
    endpoint.answers += answers
    with pytest.raises(OperatorError) as caught:
        chat().choose_dilemma_side(WITNESS)
    assert words in str(caught.value)
    assert endpoint.url in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_endpoint_that_is_not_there_is_one_sentence() -> None:
    strategy = ChatStrategy("http://127.0.0.1:9/v1/", "m", pause=lambda _: None)
    with pytest.raises(OperatorError, match=r"^http://127.0.0.1:9/v1/chat/completions cannot be reached"):
        strategy.choose_dilemma_side(WITNESS)


@pytest.mark.parametrize("url", ["", "localhost:8000", "file:///etc/passwd", "http://", "http://[::1", "ftp://host/x"])
def test_what_is_no_web_address_is_refused_before_anything_is_asked(url: str) -> None:
    with pytest.raises(OperatorError, match="is no web address"):
        ChatStrategy(url, "m")


@pytest.mark.parametrize(
    ("answer", "side"),
    [
        ("water", "water"),
        ("Hot  Water.", "hot water"),
        ('"hot water"', "hot water"),
        ('{"choice": "water"}', "water"),
        ('```json\n{"choice": "hot water"}\n```', "hot water"),
        ('{"reason": "not hot water", "choice": "water"}', "water"),
        ("I would say hot water fits better.", "hot water"),
        ("<think>water? hot water?</think>\nwater", "water"),
        ('<think>{"choice": "water"}</think>{"choice": "hot water"}', "hot water"),
        ("waterfall", None),
        ("water, not hot water", None),
        ("", None),
        ('{"choice": "fire"}', None),
        ('{"choice": ["water", "hot water"]}', None),
        ("{" * 5000, None),
        ('{"choice":' * 5000, None),
    ],
)
def test_a_side_is_found_in_what_models_write(answer: str, side: str | None) -> None:
    assert find_side(answer, ("water", "hot water")) == side


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ('{"eliminate": ["sea", "HOT LAVA"]}', ["sea", "hot lava"]),
        ('["sea"]', ["sea"]),
        ('Of ["sea", "hot lava", "Mount Rain"] I remove: {"eliminate": ["mount rain"]}', ["Mount Rain"]),
        ("- sea\n- Mount Rain", ["sea", "Mount Rain"]),
        ("1. sea\n2) `hot lava`", ["sea", "hot lava"]),
        ("sea, hot lava", ["sea", "hot lava"]),
        ('{"eliminate": ["sea", "sea", "moon", 3]}', ["sea"]),
        ("<think>sea</think>hot lava", ["hot lava"]),
        ("I remove the sea because it is wet.", None),
        ('{"eliminate": ["sea", "hot lava", "Mount Rain"]}', None),
        ('{"eliminate": []}', None),
        ('{"eliminate": "sea"}', ["sea"]),
        ("", None),
    ],
)
def test_words_are_found_in_what_models_write(answer: str, words: list[str] | None) -> None:
    assert find_words(answer, DETECTIVE.board) == words
