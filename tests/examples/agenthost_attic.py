from typing import Any

from agenthost import CallContext, Elicit, InputRequired, Sample, Tool, ToolError, hookimpl, tool

THINGS = {"lamp": "It flickers.", "map": "Half of it is missing."}

SURE = {
    "type": "object",
    "properties": {"sure": {"type": "boolean", "title": "Yes, throw it away"}},
    "required": ["sure"],
}


@tool(annotations={"destructiveHint": True})
async def attic_throw_away(thing: str, ctx: CallContext[Any]) -> str | InputRequired:
    """Throw a thing of the attic away. The user is asked first."""
    if thing not in THINGS:
        raise ToolError(f"There is no {thing} in the attic. There are: {', '.join(THINGS)}.")
    answer = ctx.inputs.elicited("sure")
    if answer is None:
        return InputRequired({"sure": Elicit(f"Throw the {thing} away?", SURE)})
    if not answer.accepted or answer.content.get("sure") is not True:
        return f"The {thing} stays."
    del THINGS[thing]
    return f"The {thing} is gone."


def form(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


@tool
async def attic_store(ctx: CallContext[Any]) -> str | InputRequired:
    """Put something into the attic. The user is asked what it is, and then how it is."""
    thing = ctx.input_state
    if thing is None:
        what = ctx.inputs.elicited("what")
        if what is None:
            return InputRequired({"what": Elicit("What do you bring?", form("thing"))})
        if not what.accepted:
            return "Nothing was stored."
        thing = str(what.content["thing"])
    how = ctx.inputs.elicited("how")
    if how is None:
        return InputRequired({"how": Elicit(f"How is the {thing}?", form("state"))}, state=thing)
    THINGS[thing] = str(how.content.get("state", "Nobody knows."))
    return f"The {thing} is in the attic."


@tool(requires=("sampling",))
async def attic_praise(thing: str, ctx: CallContext[Any]) -> str | InputRequired:
    """Praise a thing of the attic, in the words of the client's own model."""
    praise = ctx.inputs.sampled("praise")
    if praise is None:
        known = THINGS.get(thing, "Nothing is known about it.")
        return InputRequired({"praise": Sample(f"Praise this {thing} in one sentence. {known}", max_tokens=100)})
    return praise.text


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [attic_throw_away, attic_store, attic_praise]
