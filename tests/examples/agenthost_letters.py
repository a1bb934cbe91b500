from collections.abc import Mapping
from typing import Annotated, Any, Literal

from agenthost import CallContext, Message, Prompt, hookimpl, prompt
from pydantic import Field

FRIENDS = ("Ada", "Alan", "Grace")


def friends(value: str, arguments: Mapping[str, str], ctx: CallContext[Any]) -> list[str]:
    return [name for name in FRIENDS if name.lower().startswith(value.lower())]


@prompt(title="Write a letter", complete={"to": friends})
def letters_write(
    to: Annotated[str, Field(description="Who gets the letter.")], tone: Literal["warm", "plain"] = "plain"
) -> list[Message]:
    """Write a letter to someone, and show a draft first."""
    return [
        Message(f"Write a letter to {to} in a {tone} tone. Ask me what it is about."),
        Message("What is the letter about, and what should they do when they have read it?", role="assistant"),
    ]


@hookimpl
def agenthost_prompts() -> list[Prompt]:
    return [letters_write]
