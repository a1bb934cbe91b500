"""Asks its client and its user: by tools of every kind, by a prompt and by a resource."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from agenthost import (
    CallContext,
    Elicit,
    InputRequired,
    Prompt,
    Resource,
    ResourceTemplate,
    Roots,
    Sample,
    Tool,
    hookimpl,
    prompt,
    resource,
    tool,
)

FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
NAME = Elicit("What is your name?", FORM)
COLOUR = Elicit("Which colour?", {"type": "object", "properties": {"colour": {"type": "string"}}})
RUNS = {"entered": 0, "cancelled": 0}


@tool
async def greet(greeting: str, ctx: CallContext[Any]) -> str | InputRequired:
    """Ask for a name, on the loop."""
    answer = ctx.inputs.elicited("name")
    if answer is None:
        return InputRequired({"name": NAME})
    return f"{greeting}, {answer.content['name']}!" if answer.accepted else f"{answer.action}: nobody to greet"


@tool
def greet_in_thread(ctx: CallContext[Any], greeting: str = "Hello") -> str | InputRequired:
    """Ask for a name, in a thread."""
    answer = ctx.inputs.elicited("name")
    return f"{greeting}, {answer.content['name']}!" if answer else InputRequired({"name": NAME})


def greet_raw(arguments: dict[str, Any], ctx: CallContext[Any]) -> str | InputRequired:
    answer = ctx.inputs.elicited("name")
    return f"{arguments}, {answer.content['name']}!" if answer else InputRequired({"name": NAME})


@tool
async def steps(ctx: CallContext[Any]) -> dict[str, Any] | InputRequired:
    """Ask twice, and remember the first answer in the state."""
    state = ctx.input_state or {}
    if "name" not in state:
        if (answer := ctx.inputs.elicited("name")) is None:
            return InputRequired({"name": NAME}, {"asked": 1})
        return InputRequired({"colour": COLOUR}, {"name": answer.content["name"]})
    if (answer := ctx.inputs.elicited("colour")) is None:
        return InputRequired({"colour": COLOUR}, state)
    return {"name": state["name"], "colour": answer.content["colour"]}


@tool
async def everything(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask for three things at once; what is missing is asked for again."""
    wanted = {"name": NAME, "poem": Sample("Write a poem.", max_tokens=50, system_prompt="Short."), "roots": Roots()}
    missing = {key: ask for key, ask in wanted.items() if key not in ctx.inputs}
    if missing:
        return InputRequired(missing)
    name, poem, roots = ctx.inputs.elicited("name"), ctx.inputs.sampled("poem"), ctx.inputs.roots("roots")
    assert name
    assert poem
    assert roots is not None
    return f"{name.content['name']} | {poem.text} by {poem.model} | {', '.join(root.uri for root in roots)}"


@tool
async def visit(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask to visit a page."""
    answer = ctx.inputs.elicited("page")
    return answer.action if answer else InputRequired({"page": Elicit("Please log in.", url="https://example.org/in")})


@tool
async def state_only(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask for nothing but to be called again."""
    count = ctx.input_state or 0
    return f"done after {count}" if count >= 3 else InputRequired(state=count + 1)


@tool
async def never_enough(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask for ever."""
    return InputRequired({"name": NAME})


@tool(time_limit=0.5)
async def hurried(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask, with half a second for its own work."""
    RUNS["entered"] += 1
    answer = ctx.inputs.elicited("name")
    return f"Hello, {answer.content['name']}!" if answer else InputRequired({"name": NAME})


@tool(requires=("sampling",))
async def needs_sampling() -> str:
    """Work only with clients that sample."""
    return "called"


@tool(requires=("elicitation.url", "roots"))
async def needs_much() -> str:
    """Work only with clients that show pages and have roots."""
    return "called"


@tool
async def careful(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask only what the client can do."""
    can = ctx.client_capabilities
    asks = {"poem": Sample("Hello", max_tokens=5)} if "sampling" in can else {"name": NAME}
    return InputRequired(asks, "careful")


@tool
async def nonsense(kind: str, ctx: CallContext[Any]) -> InputRequired:
    """Ask for what nobody can answer."""
    return {
        "nothing": lambda: InputRequired(),
        "nested": lambda: InputRequired(
            {"x": Elicit("?", {"type": "object", "properties": {"a": {"type": "object"}}})}
        ),
        "both": lambda: InputRequired({"x": Elicit("?", {"type": "object", "properties": {}}, url="https://x.org")}),
        "text": lambda: InputRequired({"x": "What?"}),  # type: ignore[dict-item]
        "state": lambda: InputRequired({"name": NAME}, state=object()),
        "huge": lambda: InputRequired({"name": NAME}, state="x" * 1_000_000),
        "tokens": lambda: InputRequired({"x": Sample("?", max_tokens=0)}),
    }[kind]()


@tool
async def reporting(ctx: CallContext[Any]) -> str | InputRequired:
    """Tell something before and after the question."""
    if "name" not in ctx.inputs:
        ctx.progress(1, 2, "before")
        return InputRequired({"name": NAME})
    ctx.progress(2, 2, "after")
    return "told"


@tool
async def slow_after(ctx: CallContext[Any]) -> str | InputRequired:
    """Wait without end once there is an answer."""
    if "name" not in ctx.inputs:
        return InputRequired({"name": NAME})
    try:
        await asyncio.Event().wait()
    finally:
        RUNS["cancelled"] += 1
    return "never"


@tool
async def whoami(ctx: CallContext[Any]) -> str:
    """The principal."""
    return str(ctx.caller.principal)


@tool
async def runs() -> dict[str, int]:
    """How often what ran."""
    return RUNS


@prompt
async def letter(to: str, ctx: CallContext[Any]) -> str | InputRequired:
    """A letter, once its topic is known."""
    answer = ctx.inputs.elicited("topic")
    if answer is None:
        return InputRequired({"topic": NAME}, state={"to": to})
    assert ctx.input_state == {"to": to}
    return f"Write to {to} about {answer.content['name']}."


def raw_letter(arguments: dict[str, str], ctx: CallContext[Any]) -> str | InputRequired:
    answer = ctx.inputs.elicited("topic")
    return f"About {answer.content['name']}." if answer else InputRequired({"topic": NAME})


@resource("asks://secret")
async def secret(ctx: CallContext[Any]) -> str | InputRequired:
    """Shown once the user agrees."""
    answer = ctx.inputs.elicited("agree")
    return InputRequired({"agree": NAME}) if answer is None else f"secret for {answer.content['name']}"


@resource("asks://rooms/{room}")
def room(room: str, ctx: CallContext[Any]) -> str | InputRequired:
    """A room, once the user agrees."""
    answer = ctx.inputs.elicited("agree")
    return InputRequired({"agree": NAME}) if answer is None else f"{room} for {answer.content['name']}"


@hookimpl
def agenthost_tools() -> Iterator[Tool]:
    yield from (greet, greet_in_thread, steps, everything, visit, state_only, never_enough, hurried)
    yield from (needs_sampling, needs_much, careful, nonsense, reporting, slow_after, whoami, runs)
    yield Tool("greet_raw", greet_raw, "Ask for a name, raw.", {"type": "object"})


@hookimpl
def agenthost_prompts() -> list[Prompt]:
    return [letter, Prompt("raw_letter", raw_letter, "A raw letter.", ())]


@hookimpl
def agenthost_resources() -> list[Resource | ResourceTemplate]:
    return [secret, room]
