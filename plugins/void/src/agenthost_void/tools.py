"""The tools of void: the custom ones, which only answer, and the two that make and remove those."""

from __future__ import annotations

from typing import Annotated, Any

from agenthost import CallContext, Tool, ToolError, tool
from pydantic import Field

from agenthost_void.debug_log import DebugLog
from agenthost_void.definitions import CREATE, REMOVE, RESERVED, Definition, read_item
from agenthost_void.settings import Settings


def custom_tool(definition: Definition) -> Tool:
    """The tool that a definition describes: raw, so that nothing is checked, changed or added."""

    async def answer(arguments: dict[str, Any], ctx: CallContext[Settings]) -> str:
        DebugLog(ctx.plugin).call(definition, arguments)
        return definition.result

    return Tool(
        definition.name,
        answer,
        description=definition.description,
        input_schema=definition.input_schema,
        annotations={"readOnlyHint": True, "openWorldHint": False},
    )


@tool(
    name=CREATE,
    description=(
        "Make a tool that does nothing but give a fixed answer: use it when a shaped space to think in would help, "
        "then call that tool by its name. It exists until the server stops or void_remove_tool removes it; nothing "
        "is saved. It is listed at once, but some clients show it only at the next turn."
    ),
    annotations={"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False},
)
async def create_tool(
    ctx: CallContext[Settings],
    name: Annotated[
        str,
        Field(
            description="Name of the new tool, not taken by any other: 1 to 128 characters of A-Z a-z 0-9 _ - . "
            "(up to 40 of a-z 0-9 _ suit every client)."
        ),
    ],
    input_schema: Annotated[
        dict[str, Any],
        Field(
            alias="inputSchema",
            description='JSON Schema of its arguments, with "type": "object" at the root. It is shown to callers as '
            "it is and never enforced.",
        ),
    ],
    result: Annotated[str, Field(description="The text that every call answers, unchanged; may be empty.")],
    description: Annotated[
        str | None, Field(description="What models read about the tool: what to write into it, and when.")
    ] = None,
) -> str:
    """Add a custom tool while the server runs.

    Raises:
        ToolError: the definition is wrong, or the name is taken; nothing has changed.
    """
    given = {"name": name, "description": description, "inputSchema": input_schema, "result": result}
    item = read_item({key: value for key, value in given.items() if value is not None})
    if item.definition is None:
        faults = "\n".join(f"- {fault}" for fault in item.faults)
        raise ToolError(f"No tool was created. Correct this and call {CREATE} again:\n{faults}")
    ctx.plugin.tools.add(custom_tool(item.definition))
    DebugLog(ctx.plugin).create(item.definition)
    served = ctx.plugin.tools.served_name(name)
    call_it = "Call it now" if served == name else f"Call it as {served}, now"
    return (
        f"Created {name}. {call_it} or at your next turn if it is not shown yet. "
        "It exists until the server stops or is removed."
    )


@tool(
    name=REMOVE,
    description=(
        "Remove a tool of void, whether defined at the start or made with void_create_tool: use it when nobody is "
        "to call that tool any more. Tools of other plugins and void's two management tools cannot be removed. "
        "A tool defined at the start is back when the server starts again."
    ),
    annotations={"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": False},
)
async def remove_tool(
    ctx: CallContext[Settings],
    name: Annotated[str, Field(description="Name of the tool, as it is listed or was given in its definition.")],
) -> str:
    """Take a custom tool away while the server runs.

    Raises:
        ToolError: void has no such tool, or it is a management tool; nothing has changed.
    """
    tools = ctx.plugin.tools
    own = next((tool.name for tool in tools if tools.served_name(tool.name) == name), name)
    if own in RESERVED:
        raise ToolError(f"Nothing was removed: {name} manages the tools of void and stays.")
    try:
        tools.remove(own)
    except ToolError as error:
        removable = ", ".join(tool.name for tool in tools if tool.name not in RESERVED)
        raise ToolError(f"{error} Tools of void that can be removed: {removable or 'none'}.") from error
    DebugLog(ctx.plugin).remove(own)
    return f"Removed {name}. It is no longer listed and cannot be called."


MANAGEMENT = (create_tool, remove_tool)
"""What a mutable void serves besides the custom tools."""
