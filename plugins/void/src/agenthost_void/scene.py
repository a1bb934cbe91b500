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

    say("An agent is asked whether to rewrite a parser, and wants to think before it answers.")
    answer = await client.call(
        "Universal",
        form="a letter from next year's maintainer",
        artefact="You rewrote me in a week. I have spent a year on the cases that the old parser knew and you did not.",
    )
    _expect_success(answer)
    say("It writes a letter into Universal. Nothing happens to the letter; what comes back is always the same:")
    say(f"  {answer.text}")

    say("The letter asks for a list of those cases, and for that no space is shaped. The agent makes one:")
    _expect_success(
        await client.call(
            "void_create_tool",
            name="old_cases",
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
    _expect("old_cases" in tools, f"old_cases is listed among {tools}")
    say(f"  The server now lists: {', '.join(tools)}")

    answer = await client.call("old_cases", case="a comment inside a string", evidence="the test of 2019")
    _expect_success(answer)
    _expect(answer.text == "And which case stands behind that one?", "the new tool gives the answer it was made with")
    say(f"  old_cases answers: {answer.text}")

    _expect_success(await client.call("void_remove_tool", name="old_cases"))
    tools = await client.tools()
    _expect("old_cases" not in tools, f"old_cases is no longer listed among {tools}")
    say("Done thinking, it removes the tool again. Nothing was stored, and the thoughts are in its own transcript.")


def _expect_success(answer: Answer) -> None:
    _expect(not answer.is_error, f"a success instead of: {answer.text}")


def _expect(fulfilled: bool, what: str) -> None:
    if not fulfilled:
        raise RuntimeError(f"expected {what}")


SCENE = Scene(
    "void: a tool that does nothing, and what it is good for",
    run,
    settings={"definitions": ["example:universal"], "mutable": True},
)
