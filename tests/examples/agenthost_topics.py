from typing import Annotated, Any

from agenthost import CallContext, Tool, hookimpl, tool
from pydantic import Field


def recall_tool(topic: str, text: str) -> Tool:
    def recall(arguments: dict[str, Any], ctx: CallContext[Any]) -> str:
        return text

    return Tool(
        f"topics_recall_{topic}",
        recall,
        description=f"Recall what was said about {topic}.",
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    )


@tool
def topics_open(
    topic: Annotated[str, Field(pattern="^[a-z]{1,20}$", description="One lower-case word.")],
    text: str,
    ctx: CallContext[Any],
) -> str:
    """Remember a text under a topic. This makes a tool topics_recall_TOPIC."""
    ctx.plugin.tools.add(recall_tool(topic, text))
    return f"Call topics_recall_{topic} to get it back."


@tool
def topics_close(topic: str, ctx: CallContext[Any]) -> str:
    """Forget a topic and take its tool away."""
    ctx.plugin.tools.remove(f"topics_recall_{topic}")
    return f"{topic} is forgotten."


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [topics_open, topics_close]
