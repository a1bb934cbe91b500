from collections.abc import Callable, Sequence

from agenthost import Scene, SceneClient, Tool, hookimpl, tool


@tool
def echo_repeat(text: str, times: int = 2) -> str:
    """Repeat a text."""
    return " ".join([text] * times)


async def run(clients: Sequence[SceneClient], say: Callable[[str], None]) -> None:
    [client] = clients
    say("An agent shouts into the valley.")
    answer = await client.call("echo_repeat", text="Hello!", times=3)
    if answer.text != "Hello! Hello! Hello!":
        raise RuntimeError(f"the echo was {answer.text!r}")


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [echo_repeat]


@hookimpl
def agenthost_demo() -> Scene:
    return Scene("what you shout comes back", run)
