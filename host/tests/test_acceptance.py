"""assert_plugin_ok tells everything that is wrong with a plugin, and nothing about one that is fine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agenthost.testing import assert_plugin_ok

pytestmark = pytest.mark.timeout(300)  # each check starts servers

Install = Callable[[str], str]
"""`install(source)`: a plugin with this source is installed, here and for child processes; its name is returned."""

HEAD = """
import asyncio, subprocess, threading, time
from contextlib import asynccontextmanager
from typing import Annotated, Any
from agenthost import CallContext, Prompt, Resource, Schema, Step, Tool, hookimpl, prompt, resource, tool
from pydantic import Field
"""

GOOD = '''
URI = "made://notes"
TABLE = "CREATE TABLE notes (number BIGINT PRIMARY KEY NOT NULL, text TEXT NOT NULL)"

def put(tx: Any, text: str) -> None:
    number = tx.one("SELECT COUNT(*) AS n FROM notes")["n"]
    tx.execute("INSERT INTO notes (number, text) VALUES (:number, :text)", {"number": number, "text": text})

def texts(tx: Any) -> list[str]:
    return [row["text"] for row in tx.all("SELECT text FROM notes ORDER BY number")]

@tool
async def made_keep(text: Annotated[str, Field(min_length=3)], ctx: CallContext[Any]) -> str:
    """Keep a text."""
    await ctx.store.write(put, text)
    return "Kept."

@tool(annotations={"readOnlyHint": True})
async def made_find(ctx: CallContext[Any]) -> list[str]:
    """All texts."""
    return await ctx.store.read(texts)

@tool(annotations={"readOnlyHint": True})
async def made_wait(ctx: CallContext[Any], timeout_seconds: float = 25) -> str:
    """Wait."""
    await asyncio.sleep(timeout_seconds)
    return "Nothing happened."

@tool
async def made_ask(name: str, ctx: CallContext[Any]) -> str:
    """Take one's time, and end when one is told to."""
    await asyncio.Event().wait()
    return "Never."

@prompt
def made_prompt(topic: str) -> str:
    """A prompt."""
    return topic

@resource(URI)
async def made_notes(ctx: CallContext[Any]) -> list[str]:
    """All texts."""
    return await ctx.store.read(texts)

@hookimpl
def agenthost_storage() -> Schema:
    return Schema((Step("notes", (TABLE,)),))

@hookimpl
def agenthost_tools() -> list[Tool]:
    return [made_keep, made_find, made_wait, made_ask]

@hookimpl
def agenthost_prompts() -> list[Prompt]:
    return [made_prompt]

@hookimpl
def agenthost_resources() -> list[Resource]:
    return [made_notes]
'''

BAD = '''
print("imported")
KEPT = []

@tool(name="bad name")
def made_named() -> str:
    """Has a name that no client takes."""
    return ""

odd_schema = Tool(
    "made_odd_schema",
    lambda arguments, ctx: "",
    input_schema={"type": "object", "properties": {"a": {"type": "strange"}}},
)
odd_result = Tool(
    "made_odd_result",
    lambda arguments, ctx: {"number": "three"},
    input_schema={"type": "object"},
    output_schema={"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
)

@tool
def made_crash(a: int) -> str:
    """Crashes."""
    return str(1 / a)

@tool
def made_pattern(word: Annotated[str, Field(pattern="^[0-9]{5}$")]) -> str:
    """Wants what nobody can guess."""
    return word

@tool
def made_print() -> str:
    """Prints."""
    print("called")
    return ""

@tool
def made_child() -> str:
    """Has a child that prints."""
    subprocess.run(["echo", "child"], check=True)
    return ""

@tool
async def made_block() -> str:
    """Blocks."""
    time.sleep(1.5)
    return ""

@tool
def made_thread() -> str:
    """Never ends."""
    threading.Event().wait()
    return ""

@tool
async def made_deaf() -> str:
    """Never ends, on the loop."""
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass

@tool
async def made_late(timeout_seconds: float = 25) -> str:
    """Waits as long as it likes."""
    await asyncio.sleep(60)
    return ""

@tool
def made_keep() -> str:
    """Remembers in memory alone."""
    KEPT.append("x")
    return ""

@tool(annotations={"readOnlyHint": True})
def made_count() -> int:
    """What is remembered."""
    return len(KEPT)

@prompt
def made_prompt() -> str:
    """Crashes too."""
    raise KeyError("topic")

@resource("made://who")
def made_who(ctx: CallContext[Any]) -> str:
    """Depends on who asks."""
    return ctx.protocol_version

@hookimpl
def agenthost_tools() -> list[Tool]:
    return [
        made_named, odd_schema, odd_result, made_crash, made_pattern, made_print, made_child, made_block, made_thread,
        made_deaf, made_late, made_keep, made_count,
    ]

@hookimpl
def agenthost_prompts() -> list[Prompt]:
    return [made_prompt]

@hookimpl
def agenthost_resources() -> list[Resource]:
    return [made_who]

@asynccontextmanager
async def living() -> Any:
    yield
    raise ValueError("I want to stay")

@hookimpl
def agenthost_lifespan() -> Any:
    return living()
'''

STUCK = '''
@tool
async def made_hang() -> str:
    """Never gives the loop back."""
    time.sleep(600)
    return ""

@tool
def made_crash() -> str:
    """Crashes."""
    raise ValueError("no")

@hookimpl
def agenthost_tools() -> list[Tool]:
    return [made_hang, made_crash]

@asynccontextmanager
async def living() -> Any:
    yield
    time.sleep(600)

@hookimpl
def agenthost_lifespan() -> Any:
    return living()
'''

WILFUL = '''
from pydantic import BaseModel

KEPT = []

class Settings(BaseModel):
    word: str = "good"

@tool
def made_crash() -> str:
    """Is not to be called."""
    raise ValueError("never")

@tool
def made_learn(word: Annotated[str, Field(pattern="^(good|bad)$", examples=["good"])], ctx: CallContext[Any]) -> str:
    """Learn a word."""
    if word != ctx.settings.word:
        raise ValueError(word)
    KEPT.append(word)
    return word

@tool(annotations={"readOnlyHint": True})
def made_count() -> int:
    """What this process has learnt."""
    return len(KEPT)

@hookimpl
def agenthost_settings() -> type[Settings]:
    return Settings

@hookimpl
def agenthost_tools() -> list[Tool]:
    return [made_crash, made_learn, made_count]
'''

FAULTS = [
    r"start: made: .*bad name.*",
    r"names and schemas: tool made_odd_schema: inputSchema at /properties/a/type is no valid JSON Schema: 'strange' .*",
    r"results: tool made_odd_result gives what the official client refuses: .*",
    r'results: tool made_crash, called with {"a": 0}, crashes: ZeroDivisionError: division by zero',
    r"results: nobody knows what to call tool made_pattern with; say it: arguments={'made_pattern': {...}}",
    r"results: prompt made_prompt crashes: KeyError: 'topic'",
    r"event loop: made_block blocks it for more than a second; make it def, or await",
    r"time limit: tool made_thread is a def and still runs after 3 s; make it async def, or split the work",
    r"time limit: made_deaf does not end when it is cancelled after 3 s",
    r'time limit: tool made_late, called with {"timeout_seconds": 0}, waits longer than it was told to',
    r"state: resource made://who depends on the connection: .*2026-07-28.* becomes .*2025-11-25.*",
    r"state: tool made_count does not survive a restart: .* becomes .*",
    r"end: made: leaving its lifespan failed with ValueError: I want to stay .*",
    r"stdout: the import prints 9 bytes: 'imported'",
    r"stdout: a call of made_print prints 7 bytes: 'called'",
    r"stdout: a call of made_child prints 6 bytes: 'child'",
]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    metadata = tmp_path / "agenthost_made.dist-info"
    metadata.mkdir()
    requires = "Metadata-Version: 2.1\nName: agenthost-made\nVersion: 1.0\nRequires-Dist: agenthost-core>=0.1\n"
    (metadata / "METADATA").write_text(requires, encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[agenthost]\nmade = agenthost_made\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def install(source: str) -> str:
        (tmp_path / "agenthost_made.py").write_text(HEAD + source, encoding="utf-8")
        return "made"

    return install


def faults(name: str, **options: object) -> list[str]:
    with pytest.raises(AssertionError) as caught:
        assert_plugin_ok(name, **options)  # type: ignore[arg-type]
    head, *lines = str(caught.value).splitlines()
    assert head == f"plugin {name} is not ok:"
    return [line.removeprefix("- ") for line in lines]


def test_a_plugin_that_is_fine_passes(install: Install) -> None:
    assert_plugin_ok(install(GOOD), time_limit=4)


def test_every_check_fails_on_what_it_is_for_and_all_are_told_together(install: Install) -> None:
    told = faults(install(BAD), time_limit=3)
    for fault in FAULTS:
        assert [line for line in told if re.fullmatch(fault, line)], f"nobody told {fault}:\n" + "\n".join(told)
    assert len(told) == len(FAULTS), "\n".join(told)


def test_what_ends_never_is_told_and_keeps_nothing_else_from_being_checked(install: Install) -> None:
    told = faults(install(STUCK), time_limit=1)
    assert told == [
        "event loop: tool made_hang blocks it for ever; make it def, or await",
        "results: tool made_crash crashes: ValueError: no",
        "end: leaving the lifespan does not return",
    ]


def test_a_plugin_that_does_not_start_says_why(install: Install) -> None:
    [told] = faults(install("raise ValueError('not today')"))
    assert re.fullmatch(r"start: made: importing agenthost_made failed with ValueError: not today \(.*\)", told)


def test_the_author_says_what_changes_and_what_is_never_called(install: Install) -> None:
    name = install(WILFUL)
    assert_plugin_ok(name, {"word": "good"}, arguments={"made_crash": None}, changing={"made_count"})
    assert faults(name, arguments={"made_learn": {"word": "bad"}}, changing={"made_count"}) == [
        "results: tool made_crash crashes: ValueError: never",
        'results: tool made_learn, called with {"word": "bad"}, crashes: ValueError: bad',
    ]
