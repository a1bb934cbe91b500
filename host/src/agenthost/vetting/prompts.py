"""Is this prompt safe on the wire?"""

from __future__ import annotations

import re
from typing import Any

from agenthost.contributions import Argument, Prompt
from agenthost.signatures import Signature
from agenthost.vetting.gate import (
    LEGACY,
    MODERN,
    Vetted,
    VettingError,
    as_json,
    check_handler,
    check_members,
    check_names,
    present,
    shown,
    signature_of,
    try_alone,
)

PROMPT_NAME = re.compile(r"(?!\s)[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,128}(?<!\s)")
_RULE = "1 to 128 characters without control characters, and no blanks at the ends"


def vet_prompt(prompt: Prompt, exposed: str) -> Vetted[Prompt]:
    """Check a prompt under the name it would be served by.

    Raises:
        VettingError: names the field and what is wrong with it.
    """
    if not isinstance(exposed, str) or not PROMPT_NAME.fullmatch(exposed):
        raise VettingError("name", f"{shown(exposed)} is not {_RULE}")
    is_raw = prompt.arguments is not None
    check_handler(prompt.handler, ({}, None) if is_raw else None, "handler(arguments, ctx)")
    check_members(prompt, ("description", "title"), ("meta", "complete"))
    check_names("aliases", prompt.aliases, PROMPT_NAME, _RULE)
    if prompt.open and not is_raw:
        raise VettingError("open", "a typed function cannot take arguments that it does not name; declare arguments")
    signature = None
    if not is_raw:
        signature = signature_of(prompt.handler)
        for name, schema in signature.schema["properties"].items():
            if schema.get("type") in ("array", "object"):
                raise VettingError("handler", f"parameter {name} is an {schema['type']}; prompt arguments are texts")
    arguments = _arguments(prompt, signature)
    known = {argument["name"] for argument in arguments}
    for name, function in prompt.complete.items():
        if name not in known or not callable(function):
            raise VettingError("complete", f"{shown(name)} has to be an argument, and its value a function")
    listed = as_json(
        present(
            {
                "title": prompt.title,
                "description": prompt.description,
                "arguments": arguments or None,
                "_meta": prompt.meta,
            }
        )
    )
    wire = try_alone("prompts/list", "prompts", {"name": exposed}, {MODERN: listed, LEGACY: listed})
    return Vetted(prompt, wire, signature, prompt.aliases)


def _arguments(prompt: Prompt, signature: Signature | None) -> list[dict[str, Any]]:
    if signature is not None:
        required = signature.schema.get("required", [])
        return [
            present({"name": name, "description": schema.get("description"), "required": name in required})
            for name, schema in signature.schema["properties"].items()
        ]
    if not isinstance(prompt.arguments, tuple):
        raise VettingError("arguments", f"{shown(prompt.arguments)} is not a tuple of Argument")
    listed: list[dict[str, Any]] = []
    for argument in prompt.arguments:
        if not isinstance(argument, Argument) or not isinstance(argument.name, str):
            raise VettingError("arguments", f"{shown(argument)} is not an Argument with a name")
        if any(other["name"] == argument.name for other in listed):
            raise VettingError("arguments", f"{shown(argument.name)} is there twice")
        listed.append(
            present(
                {
                    "name": argument.name,
                    "title": argument.title,
                    "description": argument.description,
                    "required": bool(argument.required),
                }
            )
        )
    return listed
