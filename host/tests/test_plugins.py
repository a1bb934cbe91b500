"""Plugins: found from metadata, selected, checked before importing, loaded so that every failure has one owner."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import types
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import asynccontextmanager
from dataclasses import replace
from email.message import Message
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import agenthost
import pytest
from agenthost import Prompt, Resource, Tool, hookimpl, prompt, resource, tool
from agenthost.cli import VERBS
from agenthost.errors import OperatorError, ToolError
from agenthost.findings import Finding
from agenthost.plugins import (
    RESERVED,
    Found,
    Plugin,
    Selection,
    bounded,
    bundled_distributions,
    find_plugins,
    keep_bundled,
    load_plugin,
    load_plugins,
    select,
    stdout_to_stderr,
)
from agenthost.settings import Config, HostSettings
from pydantic import BaseModel, ConfigDict, Field, RootModel

Load = Callable[..., tuple[Plugin, list[Finding]]]

STAGES = ["import", "settings", "tools", "prompts", "resources", "instructions", "lifespan"]
"""Where loading a plugin can go wrong, in order."""

WAIT = 20.0
"""Seconds that a test waits for something that has to happen."""


class FakeDistribution:
    """What `Found` reads of a distribution."""

    def __init__(self, name: str, version: str = "1.0", requires: list[str] | None = None, summary: str = "") -> None:
        self.metadata = Message()
        self.metadata["Name"] = name
        if summary:
            self.metadata["Summary"] = summary
        self.version = version
        self.requires = requires


class FakeEntryPoint:
    """An entry point that gives `plugin`, or calls it if it is a plain function."""

    def __init__(self, name: str, plugin: Any = None, dist: Any = None) -> None:
        self.name = name
        self.value = f"fake_{name}"
        self.dist = dist
        self._plugin = plugin

    def load(self) -> Any:
        return self._plugin() if isinstance(self._plugin, types.FunctionType) else self._plugin


def hooks(**implementations: Any) -> types.SimpleNamespace:
    """A plugin object with these hooks: `hooks(tools=lambda: [...])`."""
    plugin = types.SimpleNamespace()
    for name, function in implementations.items():
        setattr(plugin, f"agenthost_{name}", hookimpl(function))
    return plugin


def found(name: str, plugin: Any = None, *, problem: str | None = None, requires: list[str] | None = None) -> Found:
    entry_point: Any = FakeEntryPoint(name, plugin, FakeDistribution(f"agenthost-{name}", requires=requires))
    return Found(name, f"agenthost-{name}", "1.0", "A summary.", entry_point, problem)


def configured(tables: dict[str, dict[str, Any]] | None = None) -> Config:
    return Config(None, None, {}, tables or {})


@pytest.fixture
def load() -> Load:
    """`load(plugin, settings={...}, limit=1.0)`: load the plugin object under the name `p`."""

    def run(plugin: Any, settings: dict[str, Any] | None = None, limit: float = WAIT, **more: Any) -> Any:
        installed = {"p": found("p", plugin, **more)}
        asked = Plugin("p", installed["p"])
        findings = load_plugin(asked, configured({"p": settings or {}}), HostSettings(start_limit=limit), installed)
        return asked, findings

    return run


def failure(loaded: tuple[Plugin, list[Finding]]) -> str:
    """The reason of the plugin's only finding, which has to be that it failed."""
    plugin, findings = loaded
    assert [finding.kind for finding in findings] == ["failed"]
    assert plugin.state == "failed"
    assert plugin.context is None
    assert plugin.reason == findings[0].text
    assert str(findings[0]) == f"p: {plugin.reason}"
    return findings[0].text


@tool
def greet(name: str) -> str:
    """Greet someone."""
    return f"Hello, {name}!"


@prompt
def ask(question: str) -> str:
    """Ask something."""
    return question


@resource("note://today")
def today() -> str:
    """The day."""
    return "a day"


@resource("note://{day}")
def note(day: str) -> str:
    """A note."""
    return day


# Finding


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Found]]:
    def run(*points: Any) -> dict[str, Found]:
        monkeypatch.setattr(
            "agenthost.plugins.found.entry_points", lambda group: points if group == "agenthost" else ()
        )
        return find_plugins()

    return run


def test_a_distribution_without_a_summary_is_found_also_where_absent_metadata_raise(
    install: Callable[..., dict[str, Found]],
) -> None:
    class Strict(Message):
        """As the metadata of importlib_metadata 8, which takes the place of the standard library's once loaded."""

        def __getitem__(self, name: str) -> Any:
            if name not in self:
                raise KeyError(name)
            return super().__getitem__(name)

    distribution = FakeDistribution("agenthost-zebra", "2.1")
    distribution.metadata = Strict()
    distribution.metadata["Name"] = "agenthost-zebra"
    assert install(FakeEntryPoint("zebra", dist=distribution))["zebra"].summary == ""


def test_installed_plugins_are_found_from_metadata_in_the_order_of_their_names(install: Any) -> None:
    def never() -> None:
        raise AssertionError("imported")

    zebra, ape = FakeDistribution("agenthost-zebra", "2.1", summary="Stripes."), FakeDistribution("other", "3")
    installed = install(FakeEntryPoint("zebra", never, zebra), FakeEntryPoint("ape", never, ape))
    assert list(installed) == ["ape", "zebra"]
    plugin = installed["zebra"]
    assert (plugin.name, plugin.distribution, plugin.version) == ("zebra", "agenthost-zebra", "2.1")
    assert (plugin.summary, plugin.problem) == ("Stripes.", None)
    assert installed["ape"].summary == ""


def test_an_entry_point_without_a_distribution_is_found_all_the_same(install: Any) -> None:
    plugin = install(FakeEntryPoint("ape"))["ape"]
    assert (plugin.distribution, plugin.version, plugin.summary, plugin.problem) == ("", "", "", None)


def test_two_distributions_offering_one_name_are_both_named_and_neither_is_loaded(install: Any, load: Load) -> None:
    plugin = install(
        FakeEntryPoint("ape", dist=FakeDistribution("two", "2")),
        FakeEntryPoint("ape", dist=FakeDistribution("one", "1")),
    )["ape"]
    assert plugin.problem == "one 1 and two 2 both offer a plugin of this name; uninstall one"
    assert plugin.distribution == "one, two"


def test_one_distribution_offering_a_name_twice_is_told_as_what_it_is(install: Any) -> None:
    dist = FakeDistribution("one", "1")
    problem = install(FakeEntryPoint("ape", dist=dist), FakeEntryPoint("ape", dist=dist))["ape"].problem
    assert problem is not None
    assert "one 1" in problem
    assert "both" not in problem
    assert "uninstall one" not in problem


@pytest.mark.parametrize("name", ["Void", "1st", "_x", "a b", "ä", "", "a.b", "x" * 41, "void\n"])
def test_a_name_outside_the_pattern_is_never_loaded(install: Any, name: str) -> None:
    problem = install(FakeEntryPoint(name))[name].problem
    assert problem is not None
    assert "lower-case letter" in problem
    assert "author" in problem


@pytest.mark.parametrize("name", ["a", "void", "x" * 40, "my-plugin", "my_plugin2"])
def test_a_name_inside_the_pattern_has_no_problem(install: Any, name: str) -> None:
    assert install(FakeEntryPoint(name))[name].problem is None


@pytest.mark.parametrize("name", sorted({*VERBS, "host", "mcp", "healthz", "metrics"}))
def test_a_reserved_name_is_never_loaded(install: Any, name: str) -> None:
    assert (
        install(FakeEntryPoint(name))[name].problem == "the name is reserved by agenthost; its author has to rename it"
    )


def test_every_command_of_the_host_is_reserved() -> None:
    assert set(VERBS) <= RESERVED


def test_the_plugins_that_are_really_installed_are_found() -> None:
    for name, plugin in find_plugins().items():
        assert plugin.name == name
        assert isinstance(plugin.entry_point, EntryPoint)
        assert plugin.problem is None


# Selecting


INSTALLED = {name: found(name) for name in ("ape", "bee", "campfire")}


def test_without_a_word_every_installed_plugin_is_wanted_by_name() -> None:
    assert select(None, HostSettings(), INSTALLED) == Selection(("ape", "bee", "campfire"), explicit=False)


def test_the_setting_decides_the_plugins_and_their_order() -> None:
    settings = HostSettings(plugins=["bee", "nosuch", "ape", "bee"])
    assert select(None, settings, INSTALLED) == Selection(("bee", "nosuch", "ape"), explicit=False)
    assert select(None, HostSettings(plugins=[]), INSTALLED) == Selection((), explicit=False)


def test_the_command_line_wins_over_the_setting() -> None:
    settings = HostSettings(plugins=["ape"])
    assert select(" campfire, bee,,campfire ", settings, INSTALLED) == Selection(("campfire", "bee"), explicit=True)


@pytest.mark.parametrize("option", ["", " ", ",", " , "])
def test_an_empty_choice_on_the_command_line_is_none_at_all(option: str) -> None:
    assert select(option, HostSettings(plugins=["ape"]), INSTALLED) == Selection((), explicit=True)


def test_every_unknown_name_on_the_command_line_is_told_with_the_nearest_and_the_install_line() -> None:
    with pytest.raises(OperatorError) as caught:
        select("campfir,bee,zzz", HostSettings(), INSTALLED)
    first, second = str(caught.value).splitlines()
    assert first.startswith("--plugins: no plugin 'campfir' is installed (did you mean 'campfire'?)")
    assert "Installed: ape, bee, campfire." in first
    assert "pip install agenthost-campfir" in first
    assert second.startswith("--plugins: no plugin 'zzz' is installed. ")
    with pytest.raises(OperatorError, match="Installed: none"):
        select("zzz", HostSettings(), {})


def test_safe_keeps_a_plugin_by_its_distribution_not_by_its_name() -> None:
    names = (("void", "Agenthost_Void"), ("campfire", "other-campfire"))
    installed = {name: replace(found(name), distribution=distribution) for name, distribution in names}
    kept, others = keep_bundled(select(None, HostSettings(), installed), installed, bundled_distributions())
    assert kept == Selection(("void",), explicit=False)
    assert others == ("campfire",)


def test_what_comes_with_the_host_is_what_its_extra_all_installs() -> None:
    plugins = ("campfire", "hardtoget", "skillcentral", "void")
    assert bundled_distributions() == {f"agenthost-{name}" for name in plugins}


def test_safe_says_so_when_the_host_runs_without_being_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agenthost.plugins.found.HOST", "agenthost-core-elsewhere")
    with pytest.raises(OperatorError, match="--safe reads from the metadata"):
        bundled_distributions()


# Loading


def test_a_plugin_without_hooks_loads_and_contributes_nothing(load: Load) -> None:
    plugin, findings = load(types.ModuleType("empty"))
    assert findings == []
    assert (plugin.state, plugin.reason, plugin.instructions, plugin.lifespan) == ("loaded", None, None, None)
    assert plugin.context is not None
    assert list(plugin.context.tools) == []
    assert plugin.context.settings.model_dump() == {}


def test_every_hook_contributes_and_all_get_the_same_context(load: Load, tmp_path: Path) -> None:
    class Settings(BaseModel):
        word: str = "hi"

    seen: list[Any] = []

    @asynccontextmanager
    async def life() -> AsyncIterator[None]:
        yield

    def tools(plugin: Any) -> Any:
        seen.append(plugin)
        return [greet, Tool(plugin.settings.word, lambda arguments, ctx: "", input_schema={"type": "object"})]

    def prompts(plugin: Any) -> Any:
        seen.append(plugin)
        return [ask]

    def instructions(plugin: Any) -> str:
        seen.append(plugin)
        return "Do it."

    def lifespan(plugin: Any) -> Any:
        seen.append(plugin)
        return life()

    plugin, findings = load(
        hooks(
            settings=lambda: Settings,
            tools=tools,
            prompts=prompts,
            resources=lambda plugin: [today, note],
            instructions=instructions,
            lifespan=lifespan,
        ),
        {"word": "hello", "prefix": "x_", "time_limit": 3, "tools": {"deny": ["no*"]}},
    )
    assert findings == []
    assert [item.name for item in plugin.context.tools] == ["greet", "hello"]  # type: ignore[union-attr]
    assert list(plugin.context.prompts) == [ask]  # type: ignore[union-attr]
    assert list(plugin.context.resources) == [today, note]  # type: ignore[union-attr]
    assert plugin.instructions == "Do it."
    assert isinstance(plugin.lifespan, contextlib.AbstractAsyncContextManager)
    assert (plugin.part.prefix, plugin.part.time_limit, plugin.part.tools.deny) == ("x_", 3, ["no*"])
    assert seen == [plugin.context] * 4
    assert plugin.context.name == "p"  # type: ignore[union-attr]
    assert plugin.context.log.name == "agenthost.p"  # type: ignore[union-attr]


def test_hooks_may_leave_out_arguments_and_return_nothing(load: Load) -> None:
    plugin, findings = load(
        hooks(settings=lambda: None, tools=lambda: None, instructions=lambda: None, lifespan=lambda: None)
    )
    assert (plugin.state, findings) == ("loaded", [])


def test_tools_may_come_from_a_generator(load: Load) -> None:
    def tools() -> Iterator[Tool]:
        yield greet

    plugin, findings = load(hooks(tools=tools))
    assert (list(plugin.context.tools), findings) == ([greet], [])  # type: ignore[union-attr]


def test_an_object_may_be_the_plugin(load: Load) -> None:
    class Both:
        @hookimpl
        def agenthost_tools(self) -> list[Tool]:
            return [greet]

    plugin, findings = load(Both())
    assert (list(plugin.context.tools), findings) == ([greet], [])  # type: ignore[union-attr]


def test_a_tool_that_a_hook_adds_itself_is_not_lost(load: Load) -> None:
    other = Tool("other", lambda arguments, ctx: "", input_schema={"type": "object"})

    def tools(plugin: Any) -> Any:
        plugin.tools.add(other)
        return [greet]

    plugin, findings = load(hooks(tools=tools))
    assert findings or {item.name for item in plugin.context.tools} == {"greet", "other"}  # type: ignore[union-attr]


def test_a_plugin_that_is_not_installed_is_told_with_the_nearest_name() -> None:
    plugin = Plugin("campfir", None)
    [finding] = load_plugin(plugin, configured(), HostSettings(), INSTALLED)
    assert plugin.state == "not installed"
    assert finding.kind == "failed"
    assert "did you mean 'campfire'?" in finding.text


def test_a_plugin_with_a_problem_is_never_imported(load: Load) -> None:
    def never() -> None:
        raise AssertionError("imported")

    assert failure(load(never, problem="the name is reserved")) == "the name is reserved"


@pytest.mark.parametrize(
    "requirement",
    ["agenthost-core>=99", "Agenthost_Core<0.0.1", "agenthost.core (==99)", "agenthost-core>=99; python_version>'3'"],
)
def test_a_plugin_for_another_host_is_never_imported(load: Load, requirement: str) -> None:
    def never() -> None:
        raise AssertionError("imported")

    text = failure(load(never, requires=["pydantic", requirement]))
    assert text.startswith("agenthost-p 1.0 needs ")
    assert f"this is agenthost-core {agenthost.__version__}" in text
    assert "pip install --upgrade agenthost-core agenthost-p" in text


@pytest.mark.parametrize(
    "requirement",
    [
        f"agenthost-core=={agenthost.__version__}",
        "agenthost-core",
        "agenthost-core>=99; python_version<'3'",
        "agenthost-core>=99; extra=='later'",
        "agenthost-core @ file:///somewhere",
        "agenthost-core-extras>=99",
        "this is ?? no requirement",
    ],
)
def test_requirements_that_do_not_forbid_this_host_do_not_matter(load: Load, requirement: str) -> None:
    assert load(hooks(), requires=[requirement])[1] == []


class OwnBase(BaseException):
    """What is no `Exception`."""


RAISED = [
    RuntimeError("kaboom"),
    ImportError("no module named x"),
    TimeoutError("the database does not answer"),
    FutureTimeoutError("a future of its own"),
    SystemExit(3),
    SystemExit("bye"),
    KeyboardInterrupt(),
    asyncio.CancelledError(),
    GeneratorExit(),
    StopIteration(1),
    RecursionError("too deep"),
    OwnBase("odd"),
    ToolError("for people"),
]


@pytest.mark.parametrize("error", RAISED, ids=repr)
@pytest.mark.parametrize("stage", STAGES)
def test_whatever_a_plugin_raises_while_loading_is_its_own_failure_with_that_reason(
    load: Load, stage: str, error: BaseException
) -> None:
    def fail() -> None:
        raise error

    text = failure(load(fail if stage == "import" else hooks(**{stage: fail})))
    assert str(error) in text
    assert "did not return within" not in text
    if isinstance(error, ToolError):
        assert text == "for people"
    else:
        assert type(error).__name__ in text
        assert ("importing fake_p" if stage == "import" else f"agenthost_{stage}") in text
        assert Path(__file__).name in text


def test_a_generator_that_raises_half_way_is_the_plugins_failure(load: Load) -> None:
    def tools() -> Iterator[Tool]:
        yield greet
        raise TypeError("half way")

    text = failure(load(hooks(tools=tools)))
    assert "TypeError: half way" in text
    assert Path(__file__).name in text


@pytest.mark.parametrize(
    ("hook", "value", "wanted"),
    [
        ("settings", "text", "a pydantic model class"),
        ("settings", dict, "a pydantic model class"),
        ("settings", RootModel, "root"),
        ("tools", 5, "an iterable of Tool"),
        ("tools", "text", "an iterable of Tool"),
        ("tools", b"bytes", "an iterable of Tool"),
        ("tools", {"greet": greet}, "an iterable of Tool"),
        ("tools", greet, "an iterable of Tool"),
        ("prompts", 5, "an iterable of Prompt"),
        ("prompts", {"a": ask}, "an iterable of Prompt"),
        ("resources", ask, "an iterable of Resource or ResourceTemplate"),
        ("instructions", 5, "a text"),
        ("instructions", ["text"], "a text"),
        ("lifespan", 5, "an async context manager"),
        ("lifespan", contextlib.nullcontext, "an async context manager"),
        ("lifespan", iter([]), "an async context manager"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_rubbish_from_a_hook_is_told_with_what_was_wanted(load: Load, hook: str, value: Any, wanted: str) -> None:
    text = failure(load(hooks(**{hook: lambda: value})))
    assert f"agenthost_{hook}" in text
    assert wanted in text
    assert len(text) < 400


@pytest.mark.parametrize("hook", STAGES[1:])
def test_a_coroutine_hook_is_told_to_be_a_plain_function(load: Load, hook: str) -> None:
    async def implementation() -> None: ...

    text = failure(load(hooks(**{hook: implementation})))
    assert text == f"agenthost_{hook} has to be a plain function (def), not async def"


def test_an_async_generator_hook_is_refused(load: Load) -> None:
    async def tools() -> AsyncIterator[Tool]:
        yield greet

    assert "an iterable of Tool" in failure(load(hooks(tools=tools)))


def test_a_misspelt_hook_is_told_with_the_nearest_one(load: Load) -> None:
    text = failure(load(hooks(tool=lambda: None)))
    assert text.startswith("there is no hook agenthost_tool ")
    assert "did you mean 'agenthost_tools'?" in text


def test_a_hook_for_a_later_host_may_be_marked_as_optional(load: Load) -> None:
    plugin = types.SimpleNamespace(agenthost_later=hookimpl(optionalhook=True)(lambda: None))
    assert load(plugin)[1] == []


def test_an_argument_that_a_hook_does_not_have_is_told_with_those_that_it_has(load: Load) -> None:
    def tools(context: Any) -> list[Tool]:
        return []

    def settings(plugin: Any) -> None: ...

    assert failure(load(hooks(tools=tools))) == "agenthost_tools takes plugin, and there is no 'context'"
    text = failure(load(hooks(tools=lambda plugin, more=1: [], settings=settings)))
    assert text == "agenthost_settings takes no arguments, and there is no 'plugin'"


def test_a_function_with_the_name_of_a_hook_that_is_not_marked_as_one_is_told(load: Load) -> None:
    plugin = hooks(tools=lambda: [greet])
    plugin.agenthost_prompts = lambda: [ask]
    assert failure(load(plugin)) == "agenthost_prompts is not marked as a hook; write @hookimpl above it"


def test_a_hook_may_be_implemented_under_another_name_than_its_own(load: Load) -> None:
    plugin = types.SimpleNamespace(mine=hookimpl(specname="agenthost_tools")(lambda: [greet]), agenthost_demo="a text")
    loaded, findings = load(plugin)
    assert (list(loaded.loaded.tools), findings) == ([greet], [])


def test_what_a_text_names_is_the_same_in_every_run(load: Load) -> None:
    assert failure(load(hooks(tools=lambda: greet))).endswith("an iterable of Tool, not the Tool 'greet'")


@pytest.mark.parametrize("stage", STAGES)
def test_a_plugin_that_blocks_while_loading_is_given_up_on_for_good(load: Load, stage: str) -> None:
    release, late = threading.Event(), threading.Event()

    def block() -> Any:
        release.wait(WAIT)
        return types.ModuleType("late") if stage == "import" else None

    class Watched(Plugin):
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if release.is_set():
                late.set()

    installed = {"p": found("p", block if stage == "import" else hooks(**{stage: block}))}
    plugin = Watched("p", installed["p"])
    findings = load_plugin(plugin, configured(), HostSettings(start_limit=0.05), installed)
    named = "importing fake_p" if stage == "import" else f"agenthost_{stage}"
    text = failure((plugin, findings))
    assert text.startswith(f"{named} did not return within 0.05 s")
    assert "host.start_limit" in text
    release.set()
    assert not late.wait(0.3), "the plugin that was given up on was changed afterwards"
    assert plugin.context is None


def test_a_plugin_that_is_given_up_on_does_not_disturb_the_next_one() -> None:
    release = threading.Event()
    installed = {
        "slow": found("slow", hooks(tools=lambda: release.wait(WAIT) and [])),
        "good": found("good", hooks(tools=lambda: [greet])),
    }
    plugins, findings = load_plugins(
        Selection(("slow", "good"), explicit=True), configured(), HostSettings(start_limit=0.2), installed
    )
    release.set()
    assert [plugin.state for plugin in plugins] == ["failed", "loaded"]
    assert [finding.plugin for finding in findings] == ["slow"]
    assert list(plugins[1].context.tools) == [greet]  # type: ignore[union-attr]


def test_waiting_for_a_plugin_is_bounded_and_its_value_or_error_comes_back() -> None:
    assert bounded(lambda: 5, WAIT) == 5
    with pytest.raises(ZeroDivisionError):
        bounded(lambda: 1 / 0, WAIT)


def test_what_is_printed_while_loading_goes_to_stderr(
    load: Load, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tools() -> list[Tool]:
        print("from python")  # noqa: T201
        os.write(1, b"from the descriptor\n")
        os.system("echo from a child")  # noqa: S605
        return []

    with open(1, "w", encoding="utf-8", closefd=False) as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        assert load(hooks(tools=tools))[1] == []
    out, err = capfd.readouterr()
    assert out == ""
    for text in ("from python", "from the descriptor", "from a child"):
        assert text in err


def test_stdout_is_back_after_the_block_also_when_it_raises(capfd: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(ZeroDivisionError), stdout_to_stderr():
        os.write(1, b"inside ")
        _ = 1 / 0
    os.write(1, b"outside")
    out, err = capfd.readouterr()
    assert (out, err) == ("outside", "inside ")


# Contributions that cannot be told apart


def test_items_that_are_no_tools_and_repeated_names_are_quarantined_alone(load: Load) -> None:
    def plain() -> None: ...

    first, second = (Tool("same", lambda arguments, ctx: "", input_schema={"type": "object"}) for _ in range(2))
    plugin, findings = load(hooks(tools=lambda: [greet, plain, first, second, Tool(5, plain), None, Tool([], plain)]))  # type: ignore[arg-type]
    assert list(plugin.context.tools) == [greet, first]  # type: ignore[union-attr]
    assert plugin.state == "loaded"
    assert {finding.kind for finding in findings} == {"quarantined"}
    texts = [finding.text for finding in findings]
    for position, text in zip((2, 4, 5, 6, 7), texts, strict=True):
        assert f"item {position} of agenthost_tools" in text
    assert texts[0] == "item 2 of agenthost_tools is the function plain, not a Tool; is @tool missing?"
    assert "'same'" in texts[1]
    assert "repeats" in texts[1]
    assert "None" in texts[3]
    assert "not a text" in texts[2]
    assert "not a text" in texts[4]


@pytest.mark.parametrize(
    ("hook", "good", "rubbish"),
    [
        ("prompts", [ask], [greet, today, "text", Prompt(5, ask.handler), ask]),  # type: ignore[arg-type]
        ("resources", [today, note], [greet, ask, None, Resource(None, today.handler, "x"), note]),  # type: ignore[arg-type]
    ],
)
def test_rubbish_among_prompts_and_resources_is_quarantined_alone(
    load: Load, hook: str, good: list[Any], rubbish: list[Any]
) -> None:
    plugin, findings = load(hooks(**{hook: lambda: [*good, *rubbish]}))
    assert plugin.state == "loaded"
    assert list(getattr(plugin.context, hook)) == good
    assert [finding.kind for finding in findings] == ["quarantined"] * len(rubbish)
    assert all(f"agenthost_{hook}" in finding.text for finding in findings)


def test_a_long_value_is_shortened_in_a_text(load: Load) -> None:
    [finding] = load(hooks(tools=lambda: ["x" * 1000]))[1]
    assert len(finding.text) < 200


@pytest.mark.parametrize("name", [5, None, ["x"], object()], ids=str)
def test_what_has_no_text_for_a_name_cannot_be_added_by_a_hook_either(load: Load, name: Any) -> None:
    def instructions(plugin: Any) -> None:
        plugin.tools.add(Tool(name, lambda arguments, ctx: ""))

    plugin, findings = load(hooks(instructions=instructions))
    assert [finding.plugin for finding in findings] == ["p"]
    assert plugin.context is None or list(plugin.context.tools) == []


# Settings of a plugin


class Lenient(BaseModel):
    model_config = ConfigDict(extra="allow")

    word: str = "hi"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int = Field(ge=1)


def test_unknown_keys_are_refused_even_when_the_model_allows_them(load: Load) -> None:
    text = failure(load(hooks(settings=lambda: Lenient), {"wrod": "x"}))
    assert "[plugins.p] wrod: unknown key (did you mean 'word'?)" in text
    assert Lenient(wrod="x").model_extra == {"wrod": "x"}  # type: ignore[call-arg]  # the author's class is left alone


def test_a_plugin_without_settings_refuses_every_key(load: Load) -> None:
    text = failure(load(hooks(), {"word": "x", "prefix": "p_"}))
    assert "[plugins.p] word: unknown key" in text


def test_the_settings_are_an_instance_of_the_plugins_own_model(load: Load) -> None:
    plugin, findings = load(hooks(settings=lambda: Strict), {"number": 3})
    assert findings == []
    assert isinstance(plugin.context.settings, Strict)  # type: ignore[union-attr]
    assert type(plugin.context.settings).__name__ == "Strict"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("settings", "fault"), [({}, "number"), ({"number": 0}, "number = 0"), ({"number": "x"}, "number = 'x'")]
)
def test_wrong_settings_are_the_plugins_failure_with_key_and_value(load: Load, settings: Any, fault: str) -> None:
    text = failure(load(hooks(settings=lambda: Strict), settings))
    assert f"[plugins.p] {fault}" in text
    assert Path(__file__).name not in text


def test_wrong_host_keys_in_a_plugins_table_are_that_plugins_failure(load: Load) -> None:
    assert "[plugins.p] prefix = 5" in failure(load(hooks(), {"prefix": 5}))


@pytest.mark.parametrize("names", [["prefix"], ["tools", "prompts"], ["resources"], ["time_limit"]])
def test_field_names_that_belong_to_the_host_are_refused(load: Load, names: list[str]) -> None:
    model = type("Model", (BaseModel,), {"__annotations__": dict.fromkeys(names, Any)})
    text = failure(load(hooks(settings=lambda: model)))
    assert f"agenthost_settings: the field names {', '.join(sorted(names))} belong to the host" in text


def test_an_alias_that_belongs_to_the_host_is_refused(load: Load) -> None:
    class Model(BaseModel):
        before: str = Field("", alias="prefix")

    assert "prefix" in failure(load(hooks(settings=lambda: Model)))


# Several plugins


def test_every_failure_has_one_owner_and_the_rest_is_loaded_in_order() -> None:
    def bad_import() -> None:
        raise SystemExit(3)

    def bad_hook() -> None:
        raise RuntimeError("hook")

    installed = {
        "a": found("a", hooks(tools=lambda: [greet])),
        "b": found("b", bad_import),
        "c": found("c", hooks(tools=bad_hook)),
        "d": found("d", hooks(instructions=lambda: "D.")),
    }
    plugins, findings = load_plugins(
        Selection(("d", "b", "nosuch", "c", "a"), explicit=False), configured(), HostSettings(), installed
    )
    assert [(plugin.name, plugin.state) for plugin in plugins] == [
        ("d", "loaded"),
        ("b", "failed"),
        ("nosuch", "not installed"),
        ("c", "failed"),
        ("a", "loaded"),
    ]
    assert [(finding.kind, finding.plugin) for finding in findings] == [
        ("failed", "b"),
        ("failed", "nosuch"),
        ("failed", "c"),
    ]


def test_what_is_not_wanted_is_never_imported() -> None:
    def never() -> None:
        raise AssertionError("imported")

    installed = {"a": found("a", hooks()), "b": found("b", never)}
    plugins, findings = load_plugins(Selection(("a",), explicit=False), configured(), HostSettings(), installed)
    assert ([plugin.name for plugin in plugins], findings) == (["a"], [])


def test_every_plugin_is_told_the_names_of_all_that_are_wanted_in_the_order_of_the_operator() -> None:
    told: dict[str, tuple[str, ...]] = {}

    def tools(plugin: Any) -> None:
        told[plugin.name] = plugin.wanted

    def fails() -> Any:
        raise RuntimeError("at import")

    installed = {name: found(name, hooks(tools=tools)) for name in ("a", "b", "off")} | {"bad": found("bad", fails)}
    load_plugins(Selection(("b", "bad", "a"), explicit=False), configured(), HostSettings(), installed)
    assert told == {"a": ("b", "bad", "a"), "b": ("b", "bad", "a")}


def test_a_table_for_a_plugin_that_is_not_installed_is_reported_once_with_the_nearest_name() -> None:
    installed = {"campfire": found("campfire", hooks()), "quiet": found("quiet", hooks())}
    tables: dict[str, dict[str, Any]] = {"campfir": {"x": 1}, "campfire": {}, "quiet": {}, "gone": {}}
    _, findings = load_plugins(
        Selection(("campfire", "gone"), explicit=False), configured(tables), HostSettings(), installed
    )
    assert [(finding.kind, finding.plugin) for finding in findings] == [("failed", "gone"), ("unused", "campfir")]
    assert "did you mean 'campfire'?" in findings[1].text


def test_loading_creates_no_folder_unless_a_hook_asks_for_it(load: Load, tmp_path: Path) -> None:
    installed = {"p": found("p", hooks(tools=lambda: [greet]))}
    settings = HostSettings(state_dir=tmp_path / "state")
    plugin = Plugin("p", installed["p"])
    assert load_plugin(plugin, configured(), settings, installed) == []
    assert not (tmp_path / "state").exists()
    assert plugin.context is not None
    folder = plugin.context.state_dir
    assert folder == tmp_path / "state" / "p"
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert plugin.context.state_dir == folder


def test_a_plugin_in_a_real_file_is_loaded_through_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "from agenthost import hookimpl, tool\n@tool\ndef hi() -> str:\n    'Say hi.'\n    return 'hi'\n"
    (tmp_path / "agenthost_unit_real.py").write_text(
        f"{source}\n@hookimpl\ndef agenthost_tools():\n    return [hi]\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("real", "agenthost_unit_real", "agenthost")
    installed = {"real": Found("real", "x", "1", "", point)}
    plugin = Plugin("real", installed["real"])
    try:
        assert load_plugin(plugin, configured(), HostSettings(), installed) == []
    finally:
        sys.modules.pop("agenthost_unit_real", None)
    assert plugin.context is not None
    assert [item.name for item in plugin.context.tools] == ["hi"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def broken(:\n", "SyntaxError"),
        ("import no_such_module_at_all\n", "no_such_module_at_all"),
        ("1 / 0\n", "ZeroDivisionError"),
    ],
)
def test_a_file_that_cannot_be_imported_is_told_with_the_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    (tmp_path / "agenthost_unit_broken.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    installed = {"broken": Found("broken", "x", "1", "", EntryPoint("broken", "agenthost_unit_broken", "agenthost"))}
    plugin = Plugin("broken", installed["broken"])
    [finding] = load_plugin(plugin, configured(), HostSettings(), installed)
    assert said in finding.text
    assert "agenthost_unit_broken" in finding.text
    assert "line 1" in finding.text
