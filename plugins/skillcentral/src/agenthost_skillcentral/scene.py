"""The scene of skillcentral for `agenthost demo`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from agenthost import Say, Scene, SceneClient

T = TypeVar("T")

LOOKS = 30
"""How often the scene looks for a change, a third of a second apart."""

HOUSE_RULES = """\
id: house-rules
type: prompt
description: How we write code here.
tags: [python]
prompt: Prefer a plain function to a class, and say {{audience}} why.
arguments:
  - {name: audience, description: Who reads the code., required: true}
"""

RELEASE_NOTE = """\
id: release-note
type: tool
description: How a release note looks here.
inputSchema:
  type: object
  properties:
    version: {type: string, pattern: '^[0-9]+[.][0-9]+$'}
    audience: {type: string, enum: [users, developers]}
  required: [version, audience]
prompt: Write the note for version {{version}}, for {{audience}}, in at most five lines.
"""

CAREFUL_MIGRATION = """\
---
name: careful-migration
description: Change a table without losing a row.
metadata: {tags: python}
---
Copy first, switch later, delete last.
"""


def scene() -> Scene:
    """A project of its own in a temporary folder, and what happens in it."""
    folder = TemporaryDirectory(prefix="agenthost-skillcentral-")
    project = Path(folder.name)
    write(project / ".skills/01-global/house-rules.yaml", HOUSE_RULES)
    write(project / ".skills/02-workflows/release-note.yaml", RELEASE_NOTE)
    settings = {"project_root": folder.name, "user_config": str(project / "no-config.yaml")}
    return Scene("a team's skills, edited while they are served", partial(run, folder), settings=settings)


async def run(folder: TemporaryDirectory[str], clients: Sequence[SceneClient], say: Say) -> None:
    """Use a prompt and a tool, then add a skill, break one, and compose.

    Raises:
        RuntimeError: the server did not do what the scene tells.
    """
    [client] = clients
    project = Path(folder.name)
    with folder:
        say("A project keeps its skills in .skills: a prompt and a tool, each a small file.")
        _expect("house-rules" in await client.prompts(), "the prompt is listed")
        text = await client.prompt("house-rules", audience="newcomers")
        _expect("say newcomers why" in text, "the argument is in the text")

        say("The tool's arguments are checked against its schema, so a model can correct itself.")
        refused = await client.call("release-note", version="next", audience="users")
        _expect(refused.is_error and "version" in refused.text, "the fault is named")
        answer = await client.call("release-note", version="1.4", audience="users")
        _expect(not answer.is_error, answer.text)

        say("Somebody drops the folder of an Agent Skill into a layer. Nothing is restarted.")
        write(project / ".skills/03-domains/careful-migration/SKILL.md", CAREFUL_MIGRATION)
        await _until(client.prompts, lambda names: "careful-migration" in names, "the new skill is listed")

        say("An editor saves the house rules half-way. The last good version stays, and the registry tells the fault.")
        write(project / ".skills/01-global/house-rules.yaml", HOUSE_RULES.replace("type: prompt", "type: [prompt"))
        registry = await _until(
            lambda: client.read("skill://registry"),
            lambda text: bool(json.loads(text)["faults"]),
            "the broken file is reported",
        )
        say("In it: {file}, line {line}: {reason}".format(**json.loads(registry)["faults"][0]))
        text = await client.prompt("house-rules", audience="newcomers")
        _expect("say newcomers why" in text, "the last good version is served")

        say("All skills of a tag are one prompt, the most general first.")
        text = await client.prompt("skills_compose", tags="python", audience="newcomers")
        _expect(text.index("## house-rules") < text.index("## careful-migration"), "both are there, in order")


def write(path: Path, text: str) -> None:
    """Write a file, and the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


async def _until(look: Callable[[], Awaitable[T]], fulfilled: Callable[[T], bool], what: str) -> T:
    for _ in range(LOOKS):
        await asyncio.sleep(1 / 3)
        if fulfilled(seen := await look()):
            return seen
    raise RuntimeError(f"expected {what}")


def _expect(fulfilled: bool, what: str) -> None:
    if not fulfilled:
        raise RuntimeError(f"expected {what}")
