"""Prompts, resources and completions that the official conformance suite asks for, from the public contract alone."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from agenthost import (
    CallContext,
    Elicit,
    EmbeddedResource,
    Image,
    InputRequired,
    Message,
    Prompt,
    Resource,
    ResourceTemplate,
    hookimpl,
    prompt,
    resource,
)

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4n8YAAAPNAWb9kSz2AAAAAElFTkSuQmCC")

WORDS = ("tent", "test", "testament", "testimony")


def complete_word(value: str, _arguments: Mapping[str, str], _ctx: CallContext[Any]) -> list[str]:
    return [word for word in WORDS if word.startswith(value)]


@prompt
def test_simple_prompt() -> str:
    """Give one message."""
    return "This is a simple prompt for testing."


@prompt(complete={"arg1": complete_word})
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Repeat two arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@prompt
def test_prompt_with_embedded_resource(resourceUri: str) -> list[Message]:  # noqa: N803  (the suite's name)
    """Give a message that holds a resource."""
    held = EmbeddedResource(resourceUri, "Embedded resource content for testing.", "text/plain")
    return [Message(held), Message("Please process the embedded resource above.")]


@prompt
def test_prompt_with_image() -> list[Message]:
    """Give a message that holds a picture."""
    return [Message(Image(PIXEL, "image/png")), Message("Please analyze the image above.")]


@prompt
async def test_input_required_result_prompt(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user for the context before it answers."""
    answer = ctx.inputs.elicited("user_context")
    if answer is None:
        schema = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
        return InputRequired({"user_context": Elicit("What context should the prompt use?", schema)})
    return f"Use this context: {answer.content.get('context')}"


@resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text that stays."""
    return "This is the content of the static text resource."


@resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """A picture that stays."""
    return PIXEL


@resource("test://watched-resource", mime_type="text/plain")
def watched_resource() -> str:
    """A text to subscribe to."""
    return "Watched resource content."


def complete_id(value: str, _arguments: Mapping[str, str], _ctx: CallContext[Any]) -> list[str]:
    return [f"{value}{digit}" for digit in range(10)]


@resource("test://template/{id}/data", mime_type="application/json", complete={"id": complete_id})
def template_data(id: str) -> str:  # noqa: A002  (the suite's name)
    """The data of one number."""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


@hookimpl
def agenthost_prompts() -> list[Prompt]:
    return [
        test_simple_prompt,
        test_prompt_with_arguments,
        test_prompt_with_embedded_resource,
        test_prompt_with_image,
        test_input_required_result_prompt,
    ]


@hookimpl
def agenthost_resources() -> list[Resource | ResourceTemplate]:
    return [static_text, static_binary, watched_resource, template_data]
