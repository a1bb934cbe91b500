"""The documents say what the programs do: hooks, settings, options, modules, examples and output are compared."""

from __future__ import annotations

import inspect
import json
import logging
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import httpx2
import pytest
from agenthost import hookspecs
from agenthost.cli import VERBS, agenthost_command
from agenthost.errors import INVALID_PARAMS, MISSING_CAPABILITY
from agenthost.plugins import call_hook, find_plugins
from agenthost.settings import Globs, HostPart, HostSettings, load_config
from agenthost.testing import Era, ServerProcess
from agenthost.trust import Trusted
from pydantic import BaseModel

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
EXAMPLES = Path(__file__).parent / "examples"
HELLO = EXAMPLES / "hello"
PLUGINS = sorted(path.stem.removeprefix("agenthost_") for path in EXAMPLES.glob("agenthost_*.py"))
PATIENCE = 60.0

HOOKS = [name for name in vars(hookspecs) if name.startswith("agenthost_")]
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
READMES = [ROOT / "CONTRIBUTING.md", ROOT / "host" / "README.md", *sorted(ROOT.glob("plugins/*/README.md"))]

FENCE = re.compile(
    r"^(?:<!-- (?P<mark>example|output): (?P<source>[^\n]+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ROW = re.compile(r"^\| `([^`]+)` \| (.+) \|$", re.MULTILINE)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a document; `mark` and `source` are those of the comment above it."""

    page: Path
    language: str
    text: str
    mark: str | None
    source: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {self.text.splitlines()[0] if self.text else '(empty)'}"


def blocks(*pages: Path) -> Iterator[Block]:
    for page in pages:
        for found in FENCE.finditer(page.read_text(encoding="utf-8")):
            yield Block(page, found["language"], found["text"], found["mark"], found["source"] or "")


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def section(page: Path, heading: str) -> str:
    """The text below a heading of the second level, up to the next one."""
    _, _, rest = page.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    assert rest, f"{page.name} has no heading {heading!r}"
    return rest.partition("\n## ")[0]


def rows(text: str) -> dict[str, list[str]]:
    """The rows of the tables in `text` that begin with code, by that code."""
    return {key: cells.split(" | ") for key, cells in ROW.findall(text)}


every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
every_document = pytest.mark.parametrize("page", [*PAGES, *READMES], ids=lambda page: str(page.relative_to(ROOT)))
every_hook = pytest.mark.parametrize("hook", HOOKS)


# The example plugins, installed


@dataclass(frozen=True)
class Environment:
    """A virtual environment that has all of ours and the example plugins, and a home of its own."""

    folder: Path
    packages: Path
    variables: dict[str, str]

    def run(self, *arguments: str, cwd: Path | None = None, patience: float = PATIENCE) -> str:
        """Run the environment's Python; returns what it printed, and fails if it fails."""
        done = subprocess.run(
            [str(self.folder / "bin" / "python"), *arguments],
            cwd=cwd or self.folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=patience,
            check=False,
        )
        output = done.stdout.decode()
        assert done.returncode == 0, output
        return output

    def serve(self, *arguments: str, era: Era = "legacy") -> ServerProcess:
        """A server as a child, asked to begin."""
        command = [str(self.folder / "bin" / "python"), "-m", "agenthost", "serve", *arguments]
        server = ServerProcess(command, env=self.variables, cwd=self.folder)
        server.open(era)
        return server


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The example plugins, installed: `hello` by pip, as the guide tells, the others by their metadata."""
    folder = tmp_path_factory.mktemp("examples")
    venv.create(folder / "venv")
    [packages] = (folder / "venv").glob("lib/python*/site-packages")
    ours = sysconfig.get_path("purelib")
    (packages / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n{EXAMPLES}\n", encoding="utf-8")
    metadata = packages / "agenthost_examples-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: agenthost-examples\nVersion: 1.0\nRequires-Dist: agenthost-core>=0.1\n",
        encoding="utf-8",
    )
    points = "".join(f"{name} = agenthost_{name}\n" for name in PLUGINS)
    (metadata / "entry_points.txt").write_text(f"[agenthost]\n{points}", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGENTHOST_", "XDG_", "PYTEST"))}
    made = Environment(folder / "venv", packages, {**kept, "HOME": str(folder)})
    made.run("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", str(HELLO))
    return made


@pytest.fixture(scope="module")
def server(environment: Environment) -> Iterator[ServerProcess]:
    """One server with all examples, and nothing at all to report about them."""
    started = environment.serve("--strict", "--plugins", ",".join(["hello", *PLUGINS]))
    yield started
    assert started.close() == 0
    started.assert_only_json_rpc()
    started.stop()


# Hooks


def written_signature(function: Any) -> str:
    """The signature as in the source: annotations are texts there, because the module defers them."""
    signature = inspect.signature(function)
    parameters = ", ".join(f"{parameter.name}: {parameter.annotation}" for parameter in signature.parameters.values())
    return f"{function.__name__}({parameters}) -> {signature.return_annotation}"


@every_hook
def test_a_hook_has_a_page_whose_heading_is_its_signature(hook: str) -> None:
    heading, *_ = (DOCS / "hooks" / f"{hook}.md").read_text(encoding="utf-8").splitlines()
    assert heading == f"# `{written_signature(getattr(hookspecs, hook))}`"


@every_hook
def test_a_hooks_page_tells_each_argument_and_shows_a_plugin_that_has_the_hook(hook: str) -> None:
    page = DOCS / "hooks" / f"{hook}.md"
    for parameter in inspect.signature(getattr(hookspecs, hook)).parameters:
        assert f"\n- `{parameter}`: " in section(page, "Arguments")
    assert [block for block in blocks(page) if block.mark == "example" and f"def {hook}(" in block.text]


@every_hook
@pytest.mark.parametrize("page", ["README.md", "writing-plugins.md"])
def test_the_lists_of_hooks_leave_none_out(hook: str, page: str) -> None:
    assert f"[{hook}](hooks/{hook}.md)" in (DOCS / page).read_text(encoding="utf-8")


def test_every_page_under_hooks_is_about_a_hook() -> None:
    assert sorted(page.stem for page in (DOCS / "hooks").iterdir()) == sorted(HOOKS)


# Settings, options, modules


def in_words(value: Any) -> str:
    """A default as the documents write it: a TOML value, or that there is none."""
    if value is None:
        return "not set"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"`{json.dumps(value)}`"


def keys(model: type[BaseModel], prefix: str = "") -> dict[str, tuple[str, bool]]:
    """Each key of a settings model: its default in words, and whether it is marked as trusted."""
    found: dict[str, tuple[str, bool]] = {}
    for name, field in model.model_fields.items():
        if field.annotation is Globs:
            found |= keys(Globs, f"{name}.")
        else:
            found[prefix + name] = (in_words(field.get_default(call_default_factory=True)), Trusted in field.metadata)
    return found


@pytest.mark.parametrize(
    ("heading", "model"),
    [("The `[host]` table", HostSettings), ("Keys of the host in `[plugins.<name>]`", HostPart)],
    ids=["host", "plugins"],
)
def test_every_setting_is_documented_with_its_default_and_its_trust(heading: str, model: type[BaseModel]) -> None:
    table = rows(section(DOCS / "settings.md", heading))
    documented = {key: (default, "Trusted." in meaning) for key, (_, default, meaning) in table.items()}
    assert documented == keys(model)


def test_every_option_of_every_command_is_in_the_guide_for_users() -> None:
    context = click.Context(agenthost_command)
    commands = [agenthost_command, *(agenthost_command.get_command(context, verb) for verb in VERBS)]
    options = {
        text
        for command in commands
        if command is not None
        for parameter in command.get_params(click.Context(command, **agenthost_command.context_settings))
        for text in parameter.opts
        if text.startswith("-")
    }
    guide = section(DOCS / "using.md", "The commands")
    documented = {text for line in guide.splitlines() for text in re.findall(r"`(--?[a-z-]+)", line.split(" | ")[0])}
    assert documented == options


def test_every_command_is_in_the_guide_for_users() -> None:
    guide = section(DOCS / "using.md", "The commands")
    named = set(re.findall(r"agenthost [a-z]+", " ".join(line.split(" | ")[0] for line in guide.splitlines())))
    assert {f"agenthost {verb}" for verb in VERBS} <= named


def test_the_architecture_names_every_module_and_no_other() -> None:
    package = ROOT / "host" / "src" / "agenthost"
    modules = {path.relative_to(package).as_posix() for path in package.rglob("*.py")}
    assert rows(section(DOCS / "architecture.md", "The modules")).keys() == modules


def test_the_architecture_shows_the_layers_that_import_linter_holds() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = [
        contract for contract in settings["tool"]["importlinter"]["contracts"] if contract["type"] == "layers"
    ]
    [shown] = [
        block.text.splitlines() for block in blocks(DOCS / "architecture.md") if block.text.startswith("__main__\n")
    ]
    assert shown == contract["layers"]


def test_the_readme_has_the_two_commands() -> None:
    commands = [block.text for block in blocks(ROOT / "README.md") if block.language == "console"]
    assert (
        "python3 -m venv .venv && .venv/bin/pip install -q -r requirements-dev.txt && .venv/bin/agenthost demo\n"
    ) in commands
    assert ".venv/bin/nox\n" in commands


# Links


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_document
def test_every_link_into_the_repository_leads_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(prose(page)):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_page_is_reached_from_the_index() -> None:
    linked = {(DOCS / link).resolve() for link in LINK.findall(prose(DOCS / "README.md"))}
    assert {page for page in DOCS.rglob("*.md") if page != DOCS / "README.md"} - linked == set()


# Command lines, configuration files, entries of clients


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch, environment: Environment) -> Iterator[None]:
    """The example plugins are installed in this process too, for the time of a test."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(environment.packages))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    for name in set(sys.modules) - before:
        if name.startswith("agenthost_"):
            del sys.modules[name]


@pytest.fixture
def parse(monkeypatch: pytest.MonkeyPatch, importable: None) -> Iterator[Callable[[list[str]], None]]:
    """Parse the arguments of an `agenthost` command line without running the command."""
    monkeypatch.setattr(click.Command, "invoke", lambda *_: None)
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)  # an option must not take pytest's handlers away
    level = logging.getLogger("agenthost").level

    def parse(arguments: list[str]) -> None:
        agenthost_command.main(arguments, prog_name="agenthost", standalone_mode=False)

    yield parse
    logging.getLogger("agenthost").setLevel(level)


def command_lines(page: Path) -> Iterator[list[str]]:
    """The arguments of each `agenthost ...` in the console blocks and in the running text of a page."""
    for block in blocks(page):
        if block.language == "console":
            for line in block.text.replace("\\\n", " ").splitlines():
                yield from arguments_of(line)
    for text in re.findall(r"`((?:\S*/)?agenthost [^`\n]+)`", prose(page)):
        if "..." not in text and "<" not in text:
            yield from arguments_of(text)


def arguments_of(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if set(word) <= set("&|;"):
            if words and Path(words[0]).name in ("agenthost", "void-mcp"):
                yield ["void", *words[1:]] if Path(words[0]).name == "void-mcp" else words[1:]
            words = []
        else:
            words.append(word)


@every_document
def test_every_command_line_in_a_document_is_one(page: Path, parse: Callable[[list[str]], None]) -> None:
    for arguments in command_lines(page):
        parse(arguments)


@every_page
def test_every_configuration_file_in_a_document_is_accepted(page: Path, tmp_path: Path, importable: None) -> None:
    for block in blocks(page):
        if block.language != "toml":
            continue
        if tomllib.loads(block.text).keys() & {"host", "plugins"}:
            file = tmp_path / "agenthost.toml"
            file.write_text(block.text, encoding="utf-8")
            config = load_config(file=file, environment={})
            config.host_settings()
            found = find_plugins()
            for name in config.plugins:
                config.host_part(name)
                model = call_hook(found[name].load_hooks(), "agenthost_settings", "a model", lambda value: value)
                config.plugin_settings(name, type("Settings", (model or BaseModel,), {}, extra="forbid"))


def entries(value: Any) -> Iterator[dict[str, Any]]:
    """Every object with a `command` inside a client's configuration."""
    if isinstance(value, dict):
        if "command" in value:
            yield value
        for member in value.values():
            yield from entries(member)


@every_page
def test_every_entry_for_a_client_starts_the_server_by_an_absolute_path(
    page: Path, parse: Callable[[list[str]], None]
) -> None:
    for block in blocks(page):
        documents: list[Any] = []
        if block.language == "json":
            documents.append(json.loads(block.text))
        elif block.language == "toml":
            documents.append(tomllib.loads(block.text))
        elif block.language == "console":
            documents += [json.loads(text) for text in re.findall(r"'(\{.*\})'", block.text)]
        for entry in entries(documents and {"": documents[0]}):
            assert Path(entry["command"]).is_absolute()
            assert Path(entry["command"]).name == "agenthost"
            assert entry["args"][0] == "serve"
            parse(entry["args"])


# Examples


@every_page
def test_every_python_block_in_a_document_is_cut_from_an_example(page: Path) -> None:
    for block in blocks(page):
        if block.mark == "example":
            file = (EXAMPLES / block.source).read_text(encoding="utf-8")
            assert f"\n{block.text}" in f"\n{file}", f"{block} is not in {block.source}"
        else:
            assert block.language != "python", f"{block} needs a comment above it that names an example"


def test_every_example_is_shown_in_a_document() -> None:
    shown = {block.source for block in blocks(*PAGES) if block.mark == "example"}
    there = {
        path.relative_to(EXAMPLES).as_posix() for pattern in ("*.py", "*.toml") for path in EXAMPLES.rglob(pattern)
    }
    assert shown == there


CALLS: dict[str, list[tuple[str, dict[str, Any], str]]] = {
    "hello": [("hello", {"name": "Ada"}, r"Hello, Ada!")],
    "clock": [("clock_tell_time", {}, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")],
    "diary": [("diary_write_entry", {"day": "2026-12-01", "text": "Sun."}, r"Written\. .*")],
    "echo": [("echo_repeat", {"text": "la", "times": "3"}, r"la la la")],
    "greeter": [("greeter_greet", {"name": "Ada"}, r"Hello, Ada!")],
    "jotter": [("jotter_add_note", {"note": "a note"}, r"Kept\.")],
    "notes": [
        ("notes_write", {"title": "a", "text": "b"}, r"Kept\."),
        ("notes_read", {"title": "a"}, r"b"),
        ("notes_read", {"title": "c"}, r"There is no note .*"),
    ],
    "pulse": [("pulse_count", {}, r"\d+")],
    "shelf": [
        ("shelf_get_book", {"bookId": "b1"}, r'\{\n  "id": "b1",(?s:.*)\}'),
        ("shelf.get", {"bookId": "b2"}, r'\{\n  "id": "b2",(?s:.*)\}'),
        ("shelf_lend_book", {"bookId": "b1", "to": "Ada"}, r"The Wind in the Reeds .* lent to Ada\."),
        ("shelf_count", {}, r'\{\n  "books": 2,\n  "lent": 1\n\}'),
    ],
    "tally": [("tally_vote", {"choice": "tea"}, r"tea has \d+ so far\.")],
    "topics": [
        ("topics_open", {"topic": "rain", "text": "It is wet."}, r"Call topics_recall_rain .*"),
        ("topics_recall_rain", {}, r"It is wet\."),
        ("topics_close", {"topic": "rain"}, r"rain is forgotten\."),
    ],
}
"""For each example plugin with tools: a tool, arguments, and a pattern of the text that answers them."""


def test_every_example_plugin_is_called_by_a_test() -> None:
    assert sorted([*CALLS, "almanac", "attic", "letters"]) == sorted(["hello", *PLUGINS])


@pytest.mark.parametrize("plugin", CALLS)
def test_an_example_plugin_answers_as_its_documents_say(plugin: str, server: ServerProcess) -> None:
    for name, arguments, pattern in CALLS[plugin]:
        text = server.text(name, arguments)
        assert re.fullmatch(pattern, text), text


def test_the_example_of_routes_shows_the_votes_in_a_browser(environment: Environment) -> None:
    command = [str(environment.folder / "bin" / "python"), "-m", "agenthost", "serve", "--plugins", "tally"]
    over_http = ServerProcess([*command, "--http", "0"], env=environment.variables, cwd=environment.folder)
    try:
        response = httpx2.get(over_http.url.replace("/mcp", "/tally/"), timeout=PATIENCE)
        assert (response.status_code, response.text) == (200, "")
    finally:
        over_http.stop()


def test_the_refusal_that_the_guide_shows_is_what_a_model_gets(server: ServerProcess) -> None:
    arguments = {"words": "reeds", "order": "yr", "x": 1}
    refusal = server.call("shelf_find_books", arguments)["result"]["content"][0]["text"]
    assert f"{refusal}\n" in [block.text for block in blocks(DOCS / "writing-plugins.md")]


def test_the_guides_example_of_blocks_is_a_text_and_a_picture(server: ServerProcess) -> None:
    content = server.call("shelf_show_cover", {"bookId": "b2"})["result"]["content"]
    assert [block["type"] for block in content] == ["text", "image"]


def test_the_guides_example_of_progress_tells_every_book(server: ServerProcess) -> None:
    answer = server.call("shelf_dust", _meta={"progressToken": "dusting"})
    assert answer["result"]["content"][0]["text"] == "2 books are clean."
    for title in ("The Wind in the Reeds", "Reeds and Rushes"):
        assert server.wait_for_notification("notifications/progress")["params"]["message"] == title
    assert server.wait_for_notification("notifications/message")["params"]["data"] == "the duster needs washing"


def test_the_example_of_prompts_is_listed_completed_and_given(server: ServerProcess) -> None:
    [listed] = server.request("prompts/list")["result"]["prompts"]
    assert [(argument["name"], argument["required"]) for argument in listed["arguments"]] == [
        ("to", True),
        ("tone", False),
    ]
    given = server.request("prompts/get", {"name": "letters_write", "arguments": {"to": "Ada"}})["result"]
    assert [message["role"] for message in given["messages"]] == ["user", "assistant"]
    assert "Ada in a plain tone" in given["messages"][0]["content"]["text"]
    refused = server.request("prompts/get", {"name": "letters_write", "arguments": {"tone": "plain"}})
    assert refused["error"]["code"] == INVALID_PARAMS
    for argument, value, proposed in (("to", "a", ["Ada", "Alan"]), ("tone", "w", ["warm"])):
        reference = {"ref": {"type": "ref/prompt", "name": "letters_write"}}
        completed = server.request("completion/complete", {**reference, "argument": {"name": argument, "value": value}})
        assert completed["result"]["completion"]["values"] == proposed


def test_the_example_of_resources_is_listed_completed_read_and_subscribed_to(server: ServerProcess) -> None:
    [listed] = server.request("resources/list")["result"]["resources"]
    [template] = server.request("resources/templates/list")["result"]["resourceTemplates"]
    assert (listed["uri"], template["uriTemplate"]) == ("diary://days", "diary://day/{day}")
    day = "diary://day/2026-11-30"
    assert server.request("resources/read", {"uri": day})["result"]["contents"] == [
        {"uri": day, "mimeType": "text/plain", "text": "Snow."}
    ]
    [days] = server.request("resources/read", {"uri": "diary://days"})["result"]["contents"]
    assert days["mimeType"] == "application/json"
    assert "2026-11-29" in json.loads(days["text"])
    missing = server.request("resources/read", {"uri": "diary://day/1999-12-31"})["error"]
    assert missing["code"] == INVALID_PARAMS
    assert "Read diary://days" in missing["message"]
    reference = {"ref": {"type": "ref/resource", "uri": "diary://day/{day}"}}
    completed = server.request("completion/complete", {**reference, "argument": {"name": "day", "value": "2026-11-2"}})
    assert completed["result"]["completion"]["values"] == ["2026-11-29"]
    server.request("resources/subscribe", {"uri": day})
    server.text("diary_write_entry", {"day": "2026-11-30", "text": "Snow, and then sun."})
    assert server.wait_for_notification("notifications/resources/updated")["params"]["uri"] == day


def test_the_example_of_an_extension_is_declared_and_answers(environment: Environment) -> None:
    server = environment.serve("--plugins", "almanac", era="modern")
    declared = server.request("server/discover")["result"]["capabilities"]["extensions"]
    assert declared == {"org.example/almanac": {"month": 12}}
    assert server.request("almanac/day", {"date": "12-13"})["result"]["saint"] == "Lucy"
    assert server.request("almanac/day", {"date": "12-24"})["error"]["code"] == INVALID_PARAMS
    assert server.close() == 0
    server.stop()


def test_the_example_of_user_input_asks_and_goes_on_with_the_answers(environment: Environment) -> None:
    server = environment.serve("--plugins", "attic", era="modern")
    able = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "sampling": {}}}

    def call(name: str, arguments: dict[str, Any], *rounds: dict[str, Any]) -> str:
        result = server.call(name, arguments, _meta=able)["result"]
        for answers in rounds:
            assert list(result["inputRequests"]) == list(answers)
            state = {"requestState": result["requestState"]} if "requestState" in result else {}
            result = server.call(name, arguments, _meta=able, inputResponses=answers, **state)["result"]
        text: str = result["content"][0]["text"]
        return text

    def accept(**content: Any) -> dict[str, Any]:
        return {"action": "accept", "content": content}

    assert call("attic_throw_away", {"thing": "sofa"}) == "There is no sofa in the attic. There are: lamp, map."
    assert call("attic_throw_away", {"thing": "lamp"}, {"sure": {"action": "cancel"}}) == "The lamp stays."
    assert call("attic_throw_away", {"thing": "lamp"}, {"sure": accept(sure=False)}) == "The lamp stays."
    assert call("attic_throw_away", {"thing": "lamp"}, {"sure": accept(sure=True)}) == "The lamp is gone."
    rounds = {"what": accept(thing="harp")}, {"how": accept(state="It sings.")}
    assert call("attic_store", {}, *rounds) == "The harp is in the attic."
    written = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "What a harp!"}}
    assert call("attic_praise", {"thing": "harp"}, {"praise": written}) == "What a harp!"
    assert server.call("attic_praise", {"thing": "harp"})["error"]["code"] == MISSING_CAPABILITY
    assert server.close() == 0
    server.stop()


@pytest.mark.timeout(300)
def test_the_guides_test_of_a_plugin_passes(environment: Environment) -> None:
    options = ("-q", "--noconftest", "-p", "no:cacheprovider", f"--rootdir={HELLO}")
    environment.run("-m", "pytest", *options, str(HELLO), patience=280)


@pytest.mark.timeout(300)  # one of these files starts ten servers
@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("kit/*.py")), ids=lambda file: file.stem)
def test_the_guides_tests_with_the_test_kit_pass(file: Path, environment: Environment) -> None:
    options = ("-q", "-Werror", "--noconftest", "-p", "no:cacheprovider", f"--rootdir={file.parent}")
    environment.run("-m", "pytest", *options, str(file), patience=280)


def test_the_example_of_a_command_prints_what_its_tool_has_kept(
    server: ServerProcess, environment: Environment
) -> None:
    for note in ("the last but one", "the last"):
        server.text("jotter_add_note", {"note": note})
    assert environment.run("-m", "agenthost", "jotter", "--last", "1") == "the last\n"


# What is shown as output


def outputs() -> dict[str, list[Block]]:
    """The blocks that show what a command prints, by that command."""
    found: dict[str, list[Block]] = {}
    for block in blocks(*PAGES):
        if block.mark == "output":
            found.setdefault(block.source, []).append(block)
    return found


@pytest.mark.parametrize("command", outputs())
def test_a_command_prints_what_the_documents_show(command: str, environment: Environment) -> None:
    program, verb, *arguments = shlex.split(command)
    assert program == "agenthost"
    if verb == "serve":
        server = environment.serve(*arguments)
        server.tools()  # answered when all plugins have started
        assert server.close() == 0
        server.stop()
        printed = server.stderr
    else:
        printed = environment.run("-m", "agenthost", verb, *arguments)
    for block in outputs()[command]:
        left = [line.split() for line in printed.splitlines()]
        for line in block.text.splitlines():
            if line == "...":
                continue
            assert line.split() in left, f"{command} does not print {line!r} there, but:\n{printed}"
            del left[: left.index(line.split()) + 1]
