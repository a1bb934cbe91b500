"""`agenthost tools`, `prompts`, `resources` and `call`, as people type them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from agenthost.cli.call import describe, read_value
from agenthost.cli.text import columns, cut, printable, table
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult, TextContent

Installed = Callable[..., dict[str, str]]
Run = Callable[..., subprocess.CompletedProcess[str]]

SHELF = '''
    from agenthost import Audio, Content, EmbeddedResource, Image, Prompt, Resource, ResourceLink, Result, Text, Tool
    from agenthost import hookimpl, prompt, resource, tool

    @tool
    def shelf_find(words: str, most: int = 3, tags: list[str] = []) -> str:
        """Find books by words. The rest of this is not in the table."""
        return f"{words!r} {most!r} {tags!r}"

    @tool
    def show_all(kind: str = "text") -> list[Content]:
        """Show a block of each kind."""
        print("printed while calling")
        return [
            Text("a text"),
            Image(b"1234", "image/png"),
            Audio(b"12", "audio/wav"),
            ResourceLink("shelf://b1", "Book 1"),
            EmbeddedResource("shelf://b2", "its text"),
            EmbeddedResource("shelf://b3", b"123", "application/pdf"),
        ]

    @tool
    def count() -> Result[dict[str, int]]:
        """Count."""
        return Result("Two books.", structured={"books": 2})

    @tool
    def fail() -> str:
        """Fail."""
        raise RuntimeError("fails on purpose")

    def echo(arguments, ctx):
        return repr(arguments)

    @prompt
    def sum_up(topic: str) -> str:
        """Sum a topic up."""
        return topic

    @resource("shelf://{book}/pages/{page}", description="One page of one book.")
    def page(book: str, page: str) -> str:
        return page

    @resource("shelf://today", description="What is read \\x1b[31mtoday.")
    def today() -> str:
        return "x"

    SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "any": {}}}

    @hookimpl
    def agenthost_tools(plugin):
        return [
            shelf_find, show_all, count, fail,
            Tool("echo", echo, input_schema=SCHEMA, aliases=("say",)),
            Tool("bad name", echo, input_schema=SCHEMA),
        ]

    @hookimpl
    def agenthost_prompts():
        return [sum_up]

    @hookimpl
    def agenthost_resources():
        return [page, today]
'''

OTHER = '''
    from agenthost import hookimpl, tool

    @tool
    def count() -> str:
        """Count in another way."""
        return "many"

    @hookimpl
    def agenthost_tools():
        return [count]
'''

STATEFUL = '''
    import os
    from contextlib import asynccontextmanager
    from agenthost import CallContext, hookimpl, tool

    @tool
    async def kept(text: str, ctx: CallContext) -> str:
        """Keep a text, and tell all that are kept."""
        file = ctx.plugin.state_dir / "kept.txt"
        with file.open("a") as stream:
            stream.write(text)
        return file.read_text()

    @hookimpl
    def agenthost_tools():
        return [kept]

    @hookimpl
    def agenthost_lifespan(plugin):
        @asynccontextmanager
        async def entered():
            (plugin.state_dir / "entered").touch()
            yield
        return entered()
'''


@pytest.fixture
def shelf(installed: Installed) -> dict[str, str]:
    return installed(shelf=SHELF, other=OTHER, broken="raise RuntimeError('broken on purpose')")


# Lists


def test_the_table_of_tools_tells_owner_size_and_own_name_and_what_is_not_served(
    run: Run, shelf: dict[str, str]
) -> None:
    done = run("tools", "--plugins", "shelf,other", env={**shelf, "COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["NAME", "PLUGIN", "TOKENS", "DESCRIPTION"]
    rows = {line.split()[0]: line.split(maxsplit=3)[1:] for line in lines[1:7]}
    assert list(rows) == ["shelf_find", "show_all", "count", "fail", "echo", "other_count"]
    assert rows["shelf_find"][0] == "shelf"
    assert rows["shelf_find"][2] == "Find books by words."
    assert rows["other_count"][2] == "(its own name: count) Count in another way."
    total = sum(int(row[1]) for row in rows.values())
    assert lines[7] == f"6 tools of 2 plugins, about {total} tokens"
    reported = " ".join(" ".join(lines[8:]).split())
    assert "quarantined: shelf: tool 'bad name': name:" in reported
    assert "renamed: other: tool 'count' is already served by plugin shelf" in reported
    assert max(map(len, lines)) <= 80


def test_tools_as_json_are_what_a_client_is_listed(run: Run, shelf: dict[str, str]) -> None:
    done = run("tools", "--json", "--plugins", "other,shelf", env=shelf)
    assert done.returncode == 0
    entries = {entry["name"]: entry for entry in json.loads(done.stdout)}
    assert list(entries) == ["count", "shelf_find", "show_all", "shelf_count", "fail", "echo"]
    assert entries["shelf_count"]["own_name"] == "count"
    assert entries["shelf_count"]["plugin"] == "shelf"
    assert entries["shelf_count"]["listed"]["name"] == "shelf_count"
    assert entries["shelf_count"]["listed"]["outputSchema"]["type"] == "object"
    listed = json.dumps(entries["echo"]["listed"], separators=(",", ":"))
    assert entries["echo"]["tokens"] == -(-len(listed) // 4)
    assert "'bad name'" in done.stderr


def test_prompts_are_listed_without_what_concerns_only_tools(run: Run, shelf: dict[str, str]) -> None:
    done = run("prompts", env=shelf)
    assert "sum_up  shelf" in done.stdout
    assert "1 prompt of 1 plugin" in done.stdout
    assert "bad name" not in done.stdout
    assert "failed: broken: importing made_broken" in done.stdout


def test_resources_and_then_templates_are_listed_with_whole_addresses(run: Run, shelf: dict[str, str]) -> None:
    done = run("resources", "--plugins", "shelf", env=shelf)
    [_, first, second, total] = done.stdout.splitlines()
    assert first.startswith("shelf://today")
    assert first.endswith("What is read �[31mtoday.")
    assert second.split() == ["shelf://{book}/pages/{page}", "shelf", "25", "One", "page", "of", "one", "book."]
    assert total.startswith("2 resources of 1 plugin, about ")
    entries = json.loads(run("resources", "--json", "--plugins", "shelf", env=shelf).stdout)
    assert [next(iter(entry["listed"])) for entry in entries] == ["uri", "uriTemplate"]


def test_a_list_without_anything_says_so(run: Run, installed: Installed) -> None:
    env = installed()
    done = run("tools", "--plugins", "", env=env)
    assert (done.returncode, done.stdout) == (0, "No tools.\n")
    assert json.loads(run("tools", "--json", "--plugins", "", env=env).stdout) == []


def test_a_list_ends_as_serve_would(run: Run, shelf: dict[str, str]) -> None:
    assert run("tools", env=shelf).returncode == 0
    named = run("tools", "--plugins", "broken,other", env=shelf)
    assert named.returncode == 2
    assert "count  other" in named.stdout
    strict = run("prompts", "--strict", "--plugins", "shelf", env=shelf)
    assert strict.returncode == 2


def test_lists_start_nothing_and_leave_nothing_behind(run: Run, installed: Installed, tmp_path: Path) -> None:
    env = installed(stateful=STATEFUL)
    for verb in ("tools", "prompts", "resources"):
        assert run(verb, env=env).returncode == 0
    assert not (tmp_path / "state").exists()
    assert [path.name for path in (tmp_path / "home").rglob("*")] == []


def imported(*arguments: str, env: Mapping[str, str]) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "agenthost", *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}


@pytest.mark.parametrize("verb", ["tools", "prompts", "resources"])
def test_lists_do_without_the_sdk(verb: str, installed: Installed) -> None:
    modules = imported(verb, env=installed(other=OTHER))
    assert "mcp_types" in modules
    assert "mcp" not in modules


@pytest.mark.parametrize("verb", ["--help", "tools --help", "call --help", "config", "init --help", "doctor --help"])
def test_help_and_settings_do_without_the_protocols_types(verb: str, installed: Installed) -> None:
    modules = imported(*verb.split(), env=installed(other=OTHER))
    assert not modules & {"mcp", "jsonschema"}
    if verb in ("--help", "config"):
        assert "mcp_types" not in modules


# Calls


def test_a_call_prints_the_text_of_the_result(run: Run, shelf: dict[str, str]) -> None:
    done = run("call", "shelf_find", "--arg", "words=reeds", "--plugins", "shelf", env=shelf)
    assert (done.returncode, done.stdout, done.stderr) == (0, "'reeds' 3 []\n", "")


def test_arguments_are_read_as_what_the_tool_wants(run: Run, shelf: dict[str, str]) -> None:
    typed = ["words=7", "most=2", 'tags=["a", "b"]']
    done = run("call", "shelf_find", *(f"--arg={pair}" for pair in typed), "--plugins", "shelf", env=shelf)
    assert done.stdout == "'7' 2 ['a', 'b']\n"
    raw = ["n=1", "s=1", "any=1", "other=a=b"]
    done = run("call", "echo", *(f"--arg={pair}" for pair in raw), "--plugins", "shelf", env=shelf)
    assert done.stdout == "{'n': 1, 's': '1', 'any': '1', 'other': 'a=b'}\n"


def test_json_gives_all_arguments_and_arg_wins(run: Run, shelf: dict[str, str]) -> None:
    done = run("call", "echo", "--json", '{"n": 1, "s": "x"}', "--arg", "n=2", "--plugins", "shelf", env=shelf)
    assert done.stdout == "{'n': 2, 's': 'x'}\n"


def test_every_kind_of_block_is_shown_readably(run: Run, shelf: dict[str, str]) -> None:
    done = run("call", "show_all", "--plugins", "shelf", env=shelf)
    assert done.stdout.splitlines() == [
        "a text",
        "[image: image/png, 4 bytes]",
        "[audio: audio/wav, 2 bytes]",
        "[link: Book 1, shelf://b1]",
        "[resource: shelf://b2]",
        "its text",
        "[resource: shelf://b3, application/pdf, 3 bytes]",
    ]


def test_structured_content_is_shown_where_it_says_more(run: Run, shelf: dict[str, str]) -> None:
    done = run("call", "count", "--plugins", "shelf", env=shelf)
    assert done.stdout == 'Two books.\n\nstructured content:\n{\n  "books": 2\n}\n'


def test_an_alias_is_answered_too(run: Run, shelf: dict[str, str]) -> None:
    assert run("call", "say", "--arg", "s=x", "--plugins", "shelf", env=shelf).stdout == "{'s': 'x'}\n"


def test_wrong_arguments_are_the_tools_error_and_exit_code_1(run: Run, shelf: dict[str, str]) -> None:
    done = run("call", "shelf_find", "--arg", "wrds=x", "--plugins", "shelf", env=shelf)
    assert done.returncode == 1
    assert "there is no such argument (did you mean 'words'?)" in done.stdout
    assert done.stderr == ""


def test_a_crash_shows_what_the_server_wrote_during_the_call(run: Run, shelf: dict[str, str]) -> None:
    done = run("call", "fail", "--plugins", "shelf", env=shelf)
    assert done.returncode == 1
    assert "reference" in done.stdout
    assert done.stderr.startswith("The server's stderr:\n")
    assert "RuntimeError: fails on purpose" in done.stderr
    assert "serving shelf" not in done.stderr


def test_an_unknown_tool_is_exit_code_2_with_the_nearest_name(run: Run, shelf: dict[str, str]) -> None:
    done = run("call", "shelf_fnd", "--plugins", "shelf", env=shelf)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Unknown tool: shelf_fnd (did you mean 'shelf_find'?)" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--arg", "words"], "write KEY=VALUE"),
        (["--arg", "=x"], "write KEY=VALUE"),
        (["--arg", "a=1", "--arg", "a=2"], "'a' is there twice"),
        (["--json", "[1]"], "has to be an object"),
        (["--json", "{"], "is not JSON"),
        (["--json", "[" * 100_000], "is not JSON"),
    ],
)
def test_wrong_options_are_exit_code_2_and_start_nothing(
    run: Run, arguments: list[str], text: str, installed: Installed
) -> None:
    done = run("call", "any", *arguments, env=installed())
    assert done.returncode == 2
    assert text in done.stderr


def test_a_server_that_does_not_start_says_why(run: Run, shelf: dict[str, str]) -> None:
    done = run("call", "count", "--plugins", "broken", env=shelf)
    assert (done.returncode, done.stdout) == (2, "")
    assert "broken on purpose" in done.stderr
    assert "agenthost: error: the server did not start" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_call_uses_the_operators_settings_and_data(run: Run, installed: Installed, tmp_path: Path) -> None:
    env = installed(stateful=STATEFUL)
    state = tmp_path / "mine"
    for expected in ("x", "xx"):
        done = run("--state-dir", str(state), "call", "kept", "--arg", "text=x", env=env)
        assert done.stdout == f"{expected}\n"
    assert (state / "stateful" / "kept.txt").read_text(encoding="utf-8") == "xx"
    (tmp_path / "a.toml").write_text('[plugins.stateful]\nprefix = "my_"\n', encoding="utf-8")
    done = run("call", "my_kept", "--arg", "text=x", "--config", "a.toml", env=env, cwd=tmp_path)
    assert done.stdout == "x\n"


def test_nothing_in_the_working_directory_takes_the_place_of_a_package(shelf: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "mcp_types.py").write_text("raise SystemExit('taken from the working directory')", encoding="utf-8")
    code = "import sys; sys.path.pop(0); from agenthost.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "call", "count", "--plugins", "other"],
        env=shelf,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "many\n"), done.stderr


# Parts


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("1", {"type": "integer"}, 1),
        ("1.5", {"type": "number"}, 1.5),
        ("true", {"type": "boolean"}, True),
        ("true", {"type": "integer"}, "true"),
        ("1", {"type": "boolean"}, "1"),
        ("x", {"type": "integer"}, "x"),
        ("[1]", {"type": "array"}, [1]),
        ("{}", {"type": "object"}, {}),
        ("null", {"type": ["integer", "null"]}, None),
        ("1", {"type": ["integer", "string"]}, "1"),
        ("1", {"anyOf": [{"type": "integer"}]}, "1"),
        ("1", {}, "1"),
        ("1", True, "1"),
        ("1", None, "1"),
        ("[" * 100_000, {"type": "array"}, "[" * 100_000),
    ],
)
def test_a_text_is_json_only_where_the_tool_wants_no_text(text: str, schema: Any, value: Any) -> None:
    read = read_value(text, schema)
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("texts", "structured", "says_more"),
    [
        (["[1]"], {"result": [1]}, False),
        (['{"a": 1}'], {"a": 1}, False),
        (["seven"], {"result": "seven"}, False),
        (["seven"], {"result": 7}, True),
        ([], {"a": 1}, True),
        (["x"], None, False),
    ],
)
def test_structured_content_that_repeats_a_text_is_not_shown(
    texts: list[str], structured: Any, says_more: bool
) -> None:
    result = CallToolResult(content=[TextContent(text=text) for text in texts], structured_content=structured)
    assert (describe(result) != texts) is says_more


@given(st.text(max_size=60), st.integers(min_value=1, max_value=40))
def test_a_cut_text_fits_and_holds_nothing_that_controls_a_terminal(text: str, room: int) -> None:
    shown = cut(printable(text), room)
    assert columns(shown) <= room
    assert shown.isprintable()


@given(st.lists(st.tuples(*[st.text("ab汉 {}", max_size=60).map(printable)] * 3), min_size=1, max_size=5))
def test_a_table_holds_every_first_cell_whole(rows: list[tuple[str, ...]]) -> None:
    lines = table(rows)
    assert len(rows) <= len(lines) <= 2 * len(rows)
    for row in rows:
        assert any(line.startswith(row[0].rstrip()) for line in lines)
