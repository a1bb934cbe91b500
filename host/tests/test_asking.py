"""What plugins ask for is what the protocol says, in both eras, or their own fault; answers are read without trust."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest
from agenthost import (
    Audio,
    Elicit,
    Elicited,
    EmbeddedResource,
    Image,
    InputRequired,
    Inputs,
    InvalidParams,
    Message,
    Root,
    Roots,
    Sample,
    Sampled,
    Text,
)
from agenthost.abilities import ABILITIES, capabilities, lacking
from agenthost.calls import answers
from agenthost.calls.asking import MAX_STATE, asked, with_identity
from agenthost.vetting import MODERN
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.methods import serialize_server_result

FORM = {
    "type": "object",
    "title": "A form",
    "properties": {
        "text": {"type": "string", "format": "email", "maxLength": 9, "default": "a@b.c"},
        "number": {"type": "number", "minimum": 0.5},
        "whole": {"type": "integer", "default": 3},
        "sure": {"type": "boolean", "title": "Sure?"},
        "one": {"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]},
        "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
        "some": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1},
    },
    "required": ["text"],
}

FULL = Sample(
    [
        "Hello",
        Message("Hi.", role="assistant"),
        Message(Image(b"\x00", "image/png")),
        Message(Audio(b"\x01", "audio/wav")),
    ],
    max_tokens=5,
    system_prompt="Be kind.",
    temperature=0.5,
    stop_sequences=("END",),
    model_preferences={"hints": [{"name": "small"}], "costPriority": 1},
)

ASKS: dict[str, Any] = {
    "form": Elicit("Fill it in", FORM),
    "page": Elicit("Visit", url="https://example.org/a?b=c"),
    "text": Sample("One", max_tokens=1),
    "full": FULL,
    "roots": Roots(),
}


@pytest.mark.parametrize("key", ASKS)
def test_every_request_reaches_a_modern_client_as_it_is(key: str) -> None:
    wire = asked(InputRequired({key: ASKS[key]}, {"a": 1})).to_wire()
    sent = serialize_server_result("tools/call", MODERN, wire)
    request, expected = sent["inputRequests"][key], dict(wire["inputRequests"][key])
    if key == "form":
        # What the protocol has no place for is left out at the root of a form, never inside.
        expected["params"]["requestedSchema"].pop("title")
    assert request == expected
    assert (sent["requestState"], sent["resultType"]) == ('{"a": 1}', "input_required")


@pytest.mark.parametrize("key", ASKS)
def test_every_request_can_be_made_of_a_client_of_the_handshake_era(key: str) -> None:
    request = with_identity(asked(InputRequired({key: ASKS[key]})).requests[key])
    kind = {
        "elicitation/create": types.ElicitRequest,
        "sampling/createMessage": types.CreateMessageRequest,
        "roots/list": types.ListRootsRequest,
    }[request["method"]]
    sent = kind.model_validate(request).model_dump(by_alias=True, mode="json", exclude_none=True)
    assert sent == request


def test_each_page_has_an_identity_of_its_own() -> None:
    request = asked(InputRequired({"x": ASKS["page"]})).requests["x"]
    identities = {with_identity(request)["params"]["elicitationId"] for _ in range(50)}
    assert len(identities) == 50
    assert "elicitationId" not in request["params"]


@pytest.mark.parametrize(
    "required",
    [
        InputRequired(),
        InputRequired({"": Roots()}),
        InputRequired({3: Roots()}),  # type: ignore[dict-item]
        InputRequired({"x": None}),  # type: ignore[dict-item]
        InputRequired({"x": Elicit("?")}),
        InputRequired({"x": Elicit("?", FORM, url="https://example.org")}),
        InputRequired({"x": Elicit(3, FORM)}),  # type: ignore[arg-type]
        InputRequired({"x": Elicit("half \ud800", FORM)}),
        InputRequired({"x": Elicit("?", {"type": "string"})}),
        InputRequired({"x": Elicit("?", {"type": "object"})}),
        InputRequired({"x": Elicit("?", {"type": "object", "properties": {"a": {"type": "object"}}})}),
        InputRequired({"x": Elicit("?", {"type": "object", "properties": {"a": {"type": "array"}}})}),
        InputRequired({"x": Elicit("?", {"type": "object", "properties": {"a": True}})}),
        InputRequired({"x": Elicit("?", {"type": "object", "properties": {}, "required": "a"})}),
        InputRequired({"x": Sample("?", max_tokens=0)}),
        InputRequired({"x": Sample("?", max_tokens=True)}),
        InputRequired({"x": Sample("?", max_tokens=1, temperature="hot")}),  # type: ignore[arg-type]
        InputRequired({"x": Sample("?", max_tokens=1, model_preferences={"hints": "small"})}),
        InputRequired({"x": Sample(Message("?", role="system"), max_tokens=1)}),  # type: ignore[arg-type]
        InputRequired({"x": Sample(Message(EmbeddedResource("a:b", "c")), max_tokens=1)}),
        InputRequired({"x": Roots()}, state=object()),
        InputRequired({"x": Roots()}, state=float("nan")),
        InputRequired({"x": Roots()}, state="x" * MAX_STATE),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_refused_at_once(required: InputRequired) -> None:
    with pytest.raises((TypeError, ValueError)):
        asked(required)


@given(st.sets(st.sampled_from(sorted(ABILITIES))))
def test_a_client_that_declares_what_is_required_lacks_nothing(needs: set[str]) -> None:
    declared = capabilities(needs)
    assert lacking(needs, declared) == []
    assert lacking(needs, {}) == sorted(needs)


@pytest.mark.parametrize(
    ("declared", "missing"),
    [
        ({}, ["elicitation", "elicitation.form", "elicitation.url"]),
        ({"elicitation": {}}, ["elicitation.url"]),
        ({"elicitation": {"form": {}}}, ["elicitation.url"]),
        ({"elicitation": {"url": {}}}, ["elicitation.form"]),
        ({"elicitation": {"form": {}, "url": {}}}, []),
    ],
)
def test_elicitation_without_more_means_forms(declared: dict[str, Any], missing: list[str]) -> None:
    assert lacking(["elicitation", "elicitation.form", "elicitation.url"], declared) == missing


def test_answers_are_read_by_their_kind() -> None:
    inputs = answers(
        {
            "yes": {"action": "accept", "content": {"a": 1, "b": ["x"]}},
            "no": {"action": "decline", "content": {"a": 1}},
            "text": {
                "role": "assistant",
                "model": "m",
                "content": {"type": "text", "text": "Hi"},
                "stopReason": "endTurn",
            },
            "more": {
                "role": "user",
                "model": "m",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image", "data": "AA==", "mimeType": "image/png"},
                    {"type": "audio", "data": "AQ==", "mimeType": "audio/wav"},
                    {"type": "text", "text": "b"},
                ],
            },
            "roots": {"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]},
            "none": {"roots": []},
        }
    )
    assert inputs["yes"] == Elicited("accept", {"a": 1, "b": ["x"]})
    assert inputs["no"] == Elicited("decline", {})
    assert inputs["text"] == Sampled((Text("Hi"),), "m", "assistant", "endTurn")
    more = inputs.sampled("more")
    assert more is not None
    assert more.content == (Text("a"), Image(b"\x00", "image/png"), Audio(b"\x01", "audio/wav"), Text("b"))
    assert more.text == "ab"
    assert inputs.roots("roots") == (Root("file:///a", "A"), Root("file:///b"))
    assert inputs.roots("none") == ()
    assert sorted(inputs) == ["more", "no", "none", "roots", "text", "yes"]
    assert len(inputs) == 6


def test_an_answer_of_another_kind_or_none_is_none() -> None:
    inputs = Inputs({"roots": (), "form": Elicited("accept")})
    assert (inputs.elicited("roots"), inputs.sampled("roots"), inputs.roots("form"), inputs.roots("x")) == (None,) * 4
    assert "Elicited" in repr(inputs)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "data": "???", "mimeType": "image/png"},
        {"type": "audio", "data": "A", "mimeType": "audio/wav"},
        {"type": "tool_use", "id": "1", "name": "x", "input": {}},
    ],
)
def test_an_answer_that_cannot_be_read_is_refused_by_its_key(block: dict[str, Any]) -> None:
    with pytest.raises(InvalidParams, match="'poem'"):
        answers({"poem": {"role": "assistant", "model": "m", "content": block}})
