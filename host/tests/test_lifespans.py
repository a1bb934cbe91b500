"""Plugins come up together, each within its limit, and go down together; what fails takes nobody with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import agenthost.lifespans
import anyio
import pytest
from agenthost import Tool
from agenthost.catalog import Catalog
from agenthost.findings import Finding
from agenthost.lifespans import Lifespans
from agenthost.plugins import Plugin
from agenthost.vetting import MODERN

R = TypeVar("R")

WAIT = 20.0
"""Seconds that a test waits for something that has to happen."""


def run(scenario: Callable[[], Coroutine[Any, Any, R]]) -> R:
    async def bounded() -> R:
        async with asyncio.timeout(WAIT):
            return await scenario()

    return asyncio.run(bounded())


class Stage:
    """Plugins with one tool each, their catalog, and what was reported. Made on the loop."""

    def __init__(self, plugins: list[Plugin], limit: float) -> None:
        self.catalog = Catalog(plugins)
        self.failures: list[Finding] = []
        self.changes: list[str] = []
        self.catalog.on_change = self.changes.append  # type: ignore[assignment]
        self.lifespans = Lifespans(self.catalog, plugins, limit, self.failures.append)

    @property
    def names(self) -> list[str]:
        return [entry["name"] for entry in self.catalog.tools.listed(MODERN)]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that the plugins bring about; `run` bounds it."""
        while not condition():
            await asyncio.sleep(0.001)


Build = Callable[..., Stage]


@pytest.fixture
def build(make_plugin: Callable[..., Plugin], raw: Callable[..., Tool]) -> Build:
    """`build(first=manager, second=None, limit=...)`: plugins in that order with these lifespans."""

    def make(limit: float = WAIT, **lifespans: Any) -> Stage:
        plugins = []
        for name, lifespan in lifespans.items():
            plugin = make_plugin(name, raw(f"{name}_tool"))
            plugin.lifespan = lifespan
            plugins.append(plugin)
        return Stage(plugins, limit)

    return make


def recorded(steps: list[str], name: str) -> Any:
    """A lifespan that notes what happens to it."""

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        steps.append(f"enter {name}")
        try:
            yield
        finally:
            steps.append(f"leave {name}")

    return lifespan()


def test_plugins_without_a_lifespan_are_served_at_once(build: Build) -> None:
    async def scenario() -> None:
        stage = build(a=None, b=None)
        assert stage.names == []
        stage.lifespans.start()
        assert stage.names == ["a_tool", "b_tool"]
        await stage.lifespans.ready()
        await stage.lifespans.stop(WAIT)
        assert stage.failures == []

    run(scenario)


def test_a_server_without_plugins_is_ready(build: Build) -> None:
    async def scenario() -> None:
        stage = build()
        stage.lifespans.start()
        await stage.lifespans.ready()
        await stage.lifespans.stop(WAIT)

    run(scenario)


def test_a_plugin_is_served_from_the_moment_its_lifespan_is_entered_until_the_end(build: Build) -> None:
    steps: list[str] = []

    async def scenario() -> None:
        stage = build(a=recorded(steps, "a"), b=None)
        stage.lifespans.start()
        assert stage.names == ["b_tool"]
        await stage.lifespans.ready()
        assert stage.names == ["a_tool", "b_tool"]
        assert steps == ["enter a"]
        await stage.lifespans.stop(WAIT)
        assert steps == ["enter a", "leave a"]
        assert stage.failures == []

    run(scenario)


def test_all_are_entered_and_left_at_once_each_in_a_task_of_its_own(build: Build) -> None:
    tasks: dict[str, list[asyncio.Task[Any] | None]] = {}

    def meeting(
        name: str, arrived: list[str], all_here: asyncio.Event, leaving: list[str], all_leave: asyncio.Event
    ) -> Any:
        @asynccontextmanager
        async def lifespan() -> AsyncIterator[None]:
            tasks[name] = [asyncio.current_task()]
            arrived.append(name)
            if len(arrived) == 3:
                all_here.set()
            await all_here.wait()
            yield
            tasks[name].append(asyncio.current_task())
            leaving.append(name)
            if len(leaving) == 3:
                all_leave.set()
            await all_leave.wait()

        return lifespan()

    async def scenario() -> None:
        shared: tuple[Any, ...] = ([], asyncio.Event(), [], asyncio.Event())
        stage = build(**{name: meeting(name, *shared) for name in "abc"})
        stage.lifespans.start()
        await stage.lifespans.ready()
        assert stage.names == ["a_tool", "b_tool", "c_tool"]
        await stage.lifespans.stop(WAIT)
        assert stage.failures == []

    run(scenario)
    assert all(entered is left for entered, left in tasks.values())
    assert len({id(entered) for entered, _ in tasks.values()}) == 3


def test_a_lifespan_may_hold_a_task_group_and_a_cancel_scope(build: Build) -> None:
    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep_forever)
            yield
            group.cancel_scope.cancel()

    async def scenario() -> None:
        stage = build(a=lifespan())
        stage.lifespans.start()
        await stage.lifespans.ready()
        assert stage.names == ["a_tool"]
        await stage.lifespans.stop(WAIT)
        assert stage.failures == []

    run(scenario)


# Patience


def blocked(release: asyncio.Event) -> Any:
    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        await release.wait()
        yield

    return lifespan()


def test_lists_wait_for_slow_plugins_and_no_longer_than_the_patience_lasts(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agenthost.lifespans, "PATIENCE", 0.05)

    async def scenario() -> None:
        release = asyncio.Event()
        stage = build(slow=blocked(release), quick=recorded([], "quick"))
        stage.lifespans.start()
        waiting = [asyncio.create_task(stage.lifespans.ready()) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)
        await asyncio.gather(*waiting)
        assert stage.names == ["quick_tool"]
        await stage.lifespans.ready()
        assert stage.changes == []  # nobody had a list before
        release.set()
        await stage.until(lambda: len(stage.names) == 2)
        assert stage.names == ["slow_tool", "quick_tool"]
        assert stage.changes == ["tools"]
        await stage.lifespans.stop(WAIT)

    run(scenario)


def test_lists_go_on_as_soon_as_everyone_has_started_or_failed(build: Build) -> None:
    @asynccontextmanager
    async def failing() -> AsyncIterator[None]:
        await release.wait()
        raise RuntimeError("no database")
        yield

    release = asyncio.Event()

    async def scenario() -> None:
        stage = build(slow=blocked(release), bad=failing())
        stage.lifespans.start()
        waiting = asyncio.create_task(stage.lifespans.ready())
        await asyncio.sleep(0.01)
        assert not waiting.done()
        release.set()
        await waiting
        assert stage.names == ["slow_tool"]
        await stage.lifespans.stop(WAIT)

    run(scenario)


# Failing at the start


class OwnBase(BaseException):
    """What is no `Exception`."""


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("no database"),
        SystemExit(3),
        KeyboardInterrupt("no database"),
        asyncio.CancelledError("no database"),
        OwnBase("no database"),
        TimeoutError("no database"),
        StopAsyncIteration("no database"),
    ],
    ids=repr,
)
def test_a_plugin_that_fails_at_the_start_is_not_served_and_the_others_are(build: Build, error: BaseException) -> None:
    class Lifespan(contextlib.AbstractAsyncContextManager[None]):
        async def __aenter__(self) -> None:
            raise error

        async def __aexit__(self, *exc_info: object) -> None:
            raise AssertionError("left without having been entered")

    async def scenario() -> None:
        stage = build(bad=Lifespan(), good=recorded([], "good"))
        stage.lifespans.start()
        await stage.lifespans.ready()
        assert stage.names == ["good_tool"]
        [finding] = stage.failures
        assert (finding.kind, finding.plugin) == ("failed", "bad")
        assert "lifespan" in finding.text
        assert type(error).__name__ in finding.text
        assert "host.start_limit" not in finding.text
        assert stage.catalog.tools.find("bad_tool") is None
        await stage.lifespans.stop(WAIT)
        assert len(stage.failures) == 1

    run(scenario)


@pytest.mark.parametrize("error", [None, RuntimeError("x"), SystemExit(3)], ids=repr)
def test_a_plugin_that_takes_too_long_is_cancelled_and_told_with_the_setting(
    build: Build, error: BaseException | None
) -> None:
    steps: list[str] = []

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        try:
            await asyncio.sleep(WAIT)
        except asyncio.CancelledError:
            steps.append("cancelled")
            raise error or asyncio.CancelledError from None
        yield

    async def scenario() -> None:
        stage = build(bad=lifespan(), good=None, limit=0.05)
        stage.lifespans.start()
        await stage.lifespans.ready()
        assert stage.names == ["good_tool"]
        assert steps == ["cancelled"]
        [finding] = stage.failures
        assert "took longer than 0.05 s" in finding.text
        assert "host.start_limit" in finding.text
        await stage.lifespans.stop(WAIT)

    run(scenario)


def test_a_plugin_that_ignores_being_late_is_not_served_either(build: Build) -> None:
    left: list[bool] = []

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(WAIT)
        try:
            yield
        finally:
            left.append(True)

    async def scenario() -> None:
        stage = build(bad=lifespan(), limit=0.05)
        stage.lifespans.start()
        await stage.lifespans.ready()
        await stage.until(lambda: bool(stage.failures))
        assert stage.names == []
        assert left == [True]
        assert "took longer than 0.05 s" in stage.failures[0].text
        await stage.lifespans.stop(WAIT)

    run(scenario)


def test_the_limit_is_for_entering_only(build: Build) -> None:
    async def scenario() -> None:
        stage = build(a=recorded([], "a"), limit=0.05)
        stage.lifespans.start()
        await stage.lifespans.ready()
        await asyncio.sleep(0.15)
        assert stage.names == ["a_tool"]
        assert stage.failures == []
        await stage.lifespans.stop(WAIT)

    run(scenario)


# Dying later


def test_a_plugin_whose_task_group_dies_is_removed_and_told_with_the_cause(build: Build) -> None:
    die = asyncio.Event()

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async def work() -> None:
            await die.wait()
            raise RuntimeError("the watcher died")

        async with asyncio.TaskGroup() as group:
            group.create_task(work())
            yield

    async def scenario() -> None:
        stage = build(bad=lifespan(), good=recorded([], "good"))
        stage.lifespans.start()
        await stage.lifespans.ready()
        assert stage.names == ["bad_tool", "good_tool"]
        stage.changes.clear()
        die.set()
        await stage.until(lambda: bool(stage.failures))
        assert stage.names == ["good_tool"]
        assert stage.changes == ["tools"]
        [finding] = stage.failures
        assert (finding.kind, finding.plugin) == ("failed", "bad")
        assert "its lifespan" in finding.text
        assert "the watcher died" in finding.text
        await stage.lifespans.stop(WAIT)
        assert len(stage.failures) == 1

    run(scenario)


def test_a_lifespan_that_ends_by_itself_is_told_as_that(build: Build) -> None:
    die = asyncio.Event()

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:

            async def work() -> None:
                await die.wait()
                group.cancel_scope.cancel()

            group.start_soon(work)
            yield

    async def scenario() -> None:
        stage = build(bad=lifespan())
        stage.lifespans.start()
        await stage.lifespans.ready()
        die.set()
        await stage.until(lambda: bool(stage.failures))
        assert "ended by itself" in stage.failures[0].text
        assert stage.names == []
        await stage.lifespans.stop(WAIT)

    run(scenario)


# The end


def test_a_lifespan_that_takes_too_long_to_leave_is_cancelled_and_named(
    build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    steps: list[str] = []

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        yield
        try:
            await asyncio.sleep(WAIT)
        finally:
            steps.append("cancelled")

    async def scenario() -> None:
        stage = build(slow=lifespan(), quick=recorded(steps, "quick"))
        stage.lifespans.start()
        await stage.lifespans.ready()
        await stage.lifespans.stop(0.05)
        await stage.until(lambda: "cancelled" in steps)

    with caplog.at_level(logging.WARNING, "agenthost"):
        run(scenario)
    assert steps == ["enter quick", "leave quick", "cancelled"]
    assert "lifespan slow did not end within 0.05 s and was cancelled" in caplog.text


@pytest.mark.parametrize("error", [RuntimeError("x"), SystemExit(3), KeyboardInterrupt(), OwnBase("x")], ids=repr)
def test_a_plugin_that_fails_while_leaving_does_not_disturb_the_others(build: Build, error: BaseException) -> None:
    steps: list[str] = []

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        yield
        raise error

    async def scenario() -> None:
        stage = build(bad=lifespan(), good=recorded(steps, "good"))
        stage.lifespans.start()
        await stage.lifespans.ready()
        await stage.lifespans.stop(WAIT)
        assert steps == ["enter good", "leave good"]
        [finding] = stage.failures
        assert "leaving its lifespan" in finding.text
        assert type(error).__name__ in finding.text

    run(scenario)


def test_an_end_that_comes_while_plugins_start_lets_them_end_in_order(build: Build) -> None:
    steps: list[str] = []
    release = asyncio.Event()

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        await release.wait()
        steps.append("entered")
        yield
        steps.append("left")

    async def scenario() -> None:
        stage = build(a=lifespan())
        stage.lifespans.start()
        await asyncio.sleep(0)
        stopping = asyncio.create_task(stage.lifespans.stop(WAIT))
        await asyncio.sleep(0)
        release.set()
        await stopping
        assert steps == ["entered", "left"]
        assert stage.failures == []

    run(scenario)


def test_a_plugin_that_was_not_loaded_is_left_out(build: Build, make_plugin: Callable[..., Plugin]) -> None:
    failed = Plugin("bad", None, state="failed", lifespan=recorded([], "bad"))

    async def scenario() -> None:
        lifespans = Lifespans(Catalog([failed]), [failed], WAIT, lambda finding: None)
        lifespans.start()
        await lifespans.ready()
        await lifespans.stop(WAIT)

    run(scenario)
