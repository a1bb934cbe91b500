"""The scene of void for `agenthost demo`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agenthost import Answer, Scene, SceneClient


async def run(clients: Sequence[SceneClient], say: Callable[[str], None]) -> None:
    """Think in a space that is there, make another, use it, remove it.

    Raises:
        RuntimeError: the server did not do what the scene tells.
    """
    [client] = clients

    say("An agent is to decide whether to rewrite a parser, and thinks before it answers.")
    answer = await client.call(
        "Universal",
        form="a letter from next year's maintainer",
        artefact="You rewrote me in a week. It took a year to find the cases that the old one knew and you did not.",
    )
    _expect_success(answer)

    say("Nothing has happened to the letter. But it asks for those cases, so the agent shapes a space for them.")
    _expect_success(
        await client.call(
            "void_create_tool",
            name="old_case",
            description="Use it to name one case that the old code handles, and how you know.",
            inputSchema={
                "type": "object",
                "properties": {"case": {"type": "string"}, "evidence": {"type": "string"}},
                "required": ["case", "evidence"],
            },
            result="And which case stands behind that one?",
        )
    )
    tools = await client.tools()
    _expect("old_case" in tools, f"old_case is listed among {tools}")

    answer = await client.call("old_case", case="a comment inside a string", evidence="a test that nobody explained")
    _expect_success(answer)
    _expect(answer.text == "And which case stands behind that one?", "the new tool gives the answer it was made with")

    say("Done thinking, it removes the space. What it thought stands in its own transcript, and nowhere else.")
    _expect_success(await client.call("void_remove_tool", name="old_case"))
    tools = await client.tools()
    _expect("old_case" not in tools, f"old_case is no longer listed among {tools}")


def _expect_success(answer: Answer) -> None:
    _expect(not answer.is_error, f"a success instead of: {answer.text}")


def _expect(fulfilled: bool, what: str) -> None:
    if not fulfilled:
        raise RuntimeError(f"expected {what}")


SCENE = Scene(
    "a tool that does nothing, and what it is good for",
    run,
    settings={"definitions": ["example:universal"], "mutable": True},
)
