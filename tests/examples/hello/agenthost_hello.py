from agenthost import Tool, hookimpl, tool


@tool
def hello(name: str) -> str:
    """Greet someone by name."""
    return f"Hello, {name}!"


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [hello]
