from agenthost import CallContext, Tool, hookimpl, tool
from pydantic import BaseModel, Field


class Settings(BaseModel):
    greeting: str = Field("Hello", min_length=1, description="What stands before the name.")


@tool
def greeter_greet(name: str, ctx: CallContext[Settings]) -> str:
    """Greet someone by name, as the operator likes it."""
    return f"{ctx.settings.greeting}, {name}!"


@hookimpl
def agenthost_settings() -> type[Settings]:
    return Settings


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [greeter_greet]
