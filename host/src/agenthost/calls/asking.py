"""What plugin code asks the client or its user for, as requests on the wire, and the answers back from it."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agenthost.calls.results import content_block
from agenthost.content import Audio, Content, Image, Message, Text
from agenthost.errors import InvalidParams
from agenthost.inputs import Answer, Ask, Elicit, Elicited, InputRequired, Inputs, Root, Roots, Sample, Sampled
from agenthost.vetting import MODERN

MAX_STATE = 256 * 1024
"""Characters of a state as JSON; it travels to the client and back with every round."""

_FORM_TYPES = ("string", "number", "integer", "boolean", "array")


@dataclass(frozen=True)
class Asked:
    """An `InputRequired`, ready to be sent.

    Attributes:
        requests: the requests on the wire, by key.
        state: the plugin's state as JSON, or None.
        needs: what the client has to be able to do for them, by the names of `abilities.py`.
    """

    requests: dict[str, dict[str, Any]]
    state: str | None
    needs: frozenset[str]

    def to_wire(self) -> dict[str, Any]:
        """The members of the result that asks a modern client."""
        wire: dict[str, Any] = {"resultType": "input_required"}
        if self.requests:
            wire["inputRequests"] = self.requests
        if self.state is not None:
            wire["requestState"] = self.state
        return wire


def asked(required: InputRequired) -> Asked:
    """Check and convert what plugin code asks for.

    Raises:
        TypeError, ValueError: it is nothing that can be asked for.
    """
    requests, needs = {}, set()
    for key, ask in required.requests.items():
        if not isinstance(key, str) or not key:
            raise TypeError(f"{key!r} is no key: use a text")
        requests[key], need = _request(ask)
        needs.add(need)
    if not requests and required.state is None:
        raise ValueError("an InputRequired has to ask for something, or to have a state")
    state = None if required.state is None else json.dumps(required.state, ensure_ascii=False, allow_nan=False)
    if state is not None and len(state) > MAX_STATE:
        raise ValueError(f"the state has {len(state)} characters as JSON, at most {MAX_STATE}")
    json.dumps(requests, ensure_ascii=False, allow_nan=False).encode()
    if requests:
        _check(requests)
    return Asked(requests, state, frozenset(needs))


def answers(given: Mapping[str, Mapping[str, Any]]) -> Inputs:
    """The client's answers, from their form on the wire, which the SDK has checked.

    Raises:
        InvalidParams: one of them cannot be read.
    """
    return Inputs({key: answer(key, value) for key, value in given.items()})


def answer(key: str, wire: Mapping[str, Any]) -> Answer:
    """One answer; its members tell what it answers.

    Raises:
        InvalidParams: it cannot be read.
    """
    if "action" in wire:
        content = wire.get("content") if wire["action"] == "accept" else None
        return Elicited(wire["action"], dict(content or {}))
    if "roots" in wire:
        return tuple(Root(root["uri"], root.get("name")) for root in wire["roots"])
    blocks = wire["content"] if isinstance(wire["content"], Sequence) else [wire["content"]]
    content = tuple(_content(key, block) for block in blocks)
    return Sampled(content, wire["model"], wire["role"], wire.get("stopReason"))


def with_identity(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request as the handshake era wants it: there, each page to visit has an identity of its own."""
    params = request.get("params", {})
    if params.get("mode") != "url":
        return dict(request)
    return {**request, "params": {**params, "elicitationId": secrets.token_urlsafe(16)}}


def _check(requests: Mapping[str, Any]) -> None:
    """Let the SDK look at them now, while it is known whose they are.

    Raises:
        ValueError: a member is not what the protocol says.
    """
    from mcp_types.methods import serialize_server_result

    serialize_server_result("tools/call", MODERN, {"resultType": "input_required", "inputRequests": requests})


def _request(ask: Ask) -> tuple[dict[str, Any], str]:
    """A request on the wire, and what it needs."""
    match ask:
        case Elicit(str(text), None, str(url)):
            return _elicit({"mode": "url", "message": text, "url": url}), "elicitation.url"
        case Elicit(str(text), Mapping() as schema, None):
            return _elicit({"mode": "form", "message": text, "requestedSchema": _form(schema)}), "elicitation.form"
        case Elicit():
            raise TypeError(f"{ask!r} has to have a text, and either a schema or a url")
        case Sample():
            return {"method": "sampling/createMessage", "params": _sampling(ask)}, "sampling"
        case Roots():
            return {"method": "roots/list"}, "roots"
        case _:
            raise TypeError(f"{ask!r} is no Elicit, Sample or Roots")


def _elicit(params: dict[str, Any]) -> dict[str, Any]:
    return {"method": "elicitation/create", "params": params}


def _form(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a form, if it is one that clients can show: flat, with simple members."""
    properties = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, Mapping):
        raise TypeError('the schema of a form has to be {"type": "object", "properties": {...}}')
    for name, member in properties.items():
        if not isinstance(member, Mapping) or member.get("type") not in _FORM_TYPES:
            raise TypeError(f"the form's member {name!r} has to be one of {', '.join(_FORM_TYPES)}")
        if member["type"] == "array" and not isinstance(member.get("items"), Mapping):
            raise TypeError(f"the form's member {name!r} has to say its items, which are choices")
    return {**schema, "properties": dict(properties)}


def _sampling(ask: Sample) -> dict[str, Any]:
    if isinstance(ask.max_tokens, bool) or not isinstance(ask.max_tokens, int) or ask.max_tokens < 1:
        raise TypeError(f"max_tokens is {ask.max_tokens!r}, and has to be a positive number")
    given = [ask.messages] if isinstance(ask.messages, (str, Message)) else list(ask.messages)
    params: dict[str, Any] = {"messages": [_message(item) for item in given], "maxTokens": ask.max_tokens}
    if ask.system_prompt is not None:
        params["systemPrompt"] = ask.system_prompt
    if ask.temperature is not None:
        params["temperature"] = ask.temperature
    if ask.stop_sequences:
        params["stopSequences"] = list(ask.stop_sequences)
    if ask.model_preferences is not None:
        params["modelPreferences"] = dict(ask.model_preferences)
    return params


def _message(item: str | Message) -> dict[str, Any]:
    message = Message(item) if isinstance(item, str) else item
    content = Text(message.content) if isinstance(message.content, str) else message.content
    if not isinstance(content, (Text, Image, Audio)):
        raise TypeError(f"{content!r} cannot be shown to a client's model; use Text, Image or Audio")
    return {"role": message.role, "content": content_block(content)}


def _content(key: str, block: Mapping[str, Any]) -> Content:
    try:
        match block["type"]:
            case "text":
                return Text(block["text"])
            case "image":
                return Image(base64.b64decode(block["data"], validate=True), block["mimeType"])
            case "audio":
                return Audio(base64.b64decode(block["data"], validate=True), block["mimeType"])
    except binascii.Error:
        raise InvalidParams(f"inputResponses: the answer {key!r} holds data that is no base64") from None
    raise InvalidParams(f"inputResponses: the answer {key!r} holds a block of an unknown type {block['type']!r}")
