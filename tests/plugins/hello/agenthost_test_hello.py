"""The smallest plugin, word for word as the design and the guide show it."""

from agenthost import hookimpl, tool


@tool
def hello(name: str) -> str:
    """Greet someone by name."""
    return f"Hello, {name}!"


@hookimpl
def agenthost_tools():  # noqa: ANN201  (as a person writes it who has never heard of annotations)
    return [hello]
