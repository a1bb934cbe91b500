"""Tools that ask the user, the user's model or the client before they answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agenthost import CallContext, Elicit, Elicited, InputRequired, Roots, Sample, Tool, tool

Schema = Mapping[str, Any]


def form(**fields: Schema) -> Schema:
    """A form in which every field is required."""
    return {"type": "object", "properties": fields, "required": [*fields]}


def optional(**fields: Schema) -> Schema:
    """A form in which no field is required."""
    return {"type": "object", "properties": fields}


def told(answer: Elicited) -> str:
    """What the user did with a form."""
    return f"action={answer.action}, content={json.dumps(dict(answer.content))}"


ASK_NAME = Elicit("What is your name?", form(name={"type": "string"}))
ASK_CONSENT = Elicit("Please confirm", form(ok={"type": "boolean"}))

ASK_WITH_DEFAULTS = Elicit(
    "Please look at the defaults.",
    optional(
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    ),
)

TITLED = [{"const": "value1", "title": "First choice"}, {"const": "value2", "title": "Second choice"}]
ASK_FOR_CHOICES = Elicit(
    "Please choose.",
    optional(
        untitledSingle={"type": "string", "enum": ["option1", "option2", "option3"]},
        titledSingle={"type": "string", "oneOf": TITLED},
        legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option one", "Option two"]},
        untitledMulti={"type": "array", "items": {"type": "string", "enum": ["option1", "option2"]}},
        titledMulti={"type": "array", "items": {"anyOf": TITLED}},
    ),
)


@tool
async def test_sampling(prompt: str, ctx: CallContext[Any]) -> str | InputRequired:
    """Have the client's model answer a prompt."""
    written = ctx.inputs.sampled("written")
    if written is None:
        return InputRequired({"written": Sample(prompt, max_tokens=100)})
    return f"LLM response: {written.text}"


@tool
async def test_elicitation(message: str, ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user for a name and an address."""
    answer = ctx.inputs.elicited("user")
    if answer is None:
        fields = form(
            username={"type": "string", "description": "User's response"},
            email={"type": "string", "description": "User's email address"},
        )
        return InputRequired({"user": Elicit(message, fields)})
    return f"User response: {told(answer)}"


@tool
async def test_elicitation_sep1034_defaults(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user with a form whose fields have defaults of every primitive type."""
    answer = ctx.inputs.elicited("user")
    return InputRequired({"user": ASK_WITH_DEFAULTS}) if answer is None else f"Elicitation completed: {told(answer)}"


@tool
async def test_elicitation_sep1330_enums(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user with a form that offers choices in all five ways."""
    answer = ctx.inputs.elicited("user")
    return InputRequired({"user": ASK_FOR_CHOICES}) if answer is None else f"Elicitation completed: {told(answer)}"


def greet(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask for a name, then greet."""
    answer = ctx.inputs.elicited("user_name")
    return InputRequired({"user_name": ASK_NAME}) if answer is None else f"Hello, {answer.content.get('name')}!"


@tool
async def test_streaming_elicitation(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user for a name; the suite watches what else the answer's stream carries."""
    return greet(ctx)


@tool(requires=("sampling",))
async def test_missing_capability() -> str:
    """Be of use only to clients with a model."""
    return "The client has a model."


@tool
async def test_input_required_result_elicitation(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user for a name."""
    return greet(ctx)


@tool
async def test_input_required_result_sampling(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the client's model for a capital."""
    written = ctx.inputs.sampled("capital_question")
    if written is None:
        return InputRequired({"capital_question": Sample("What is the capital of France?", max_tokens=100)})
    return f"The model says: {written.text}"


@tool
async def test_input_required_result_list_roots(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the client for its roots."""
    roots = ctx.inputs.roots("client_roots")
    if roots is None:
        return InputRequired({"client_roots": Roots()})
    return f"The roots are {', '.join(root.uri for root in roots)}."


@tool
async def test_input_required_result_request_state(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user to confirm, and want its own state back."""
    if ctx.input_state == "asked" and ctx.inputs.elicited("confirm"):
        return "state-ok"
    return InputRequired({"confirm": ASK_CONSENT}, state="asked")


@tool
async def test_input_required_result_tampered_state(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user to confirm, with a state that nobody may change on the way."""
    return "state-ok" if ctx.input_state == "asked" else InputRequired({"confirm": ASK_CONSENT}, state="asked")


@tool
async def test_input_required_result_multiple_inputs(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user, the model and the client at once."""
    wanted = {
        "user_name": ASK_NAME,
        "greeting": Sample("Generate a greeting", max_tokens=50),
        "client_roots": Roots(),
    }
    return "All answers are there." if wanted.keys() <= ctx.inputs.keys() else InputRequired(wanted, state="asked")


@tool
async def test_input_required_result_multi_round(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask the user for a name and then, knowing it, for a colour."""
    name, colour = ctx.inputs.elicited("step1"), ctx.inputs.elicited("step2")
    if colour and ctx.input_state:
        return f"{ctx.input_state['name']} likes {colour.content.get('color')}."
    if name:
        question = Elicit("Step 2: What is your favorite color?", form(color={"type": "string"}))
        return InputRequired({"step2": question}, state={"name": name.content.get("name")})
    question = Elicit("Step 1: What is your name?", form(name={"type": "string"}))
    return InputRequired({"step1": question}, state={})


@tool
async def test_input_required_result_capabilities(ctx: CallContext[Any]) -> str | InputRequired:
    """Ask only for what the client can do."""
    asked: dict[str, Elicit | Sample] = {}
    if "sampling" in ctx.client_capabilities:
        asked["sample"] = Sample("Say hello", max_tokens=50)
    if "elicitation" in ctx.client_capabilities:
        asked["ask"] = ASK_NAME
    return InputRequired(asked) if asked.keys() - ctx.inputs.keys() else "Nothing more to ask."


TOOLS = tuple(value for value in globals().values() if isinstance(value, Tool))
