"""Calls: plugin code gets what it asked for, and nothing it does can end, block or garble more than its own call."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import enum
import functools
import gc
import itertools
import logging
import math
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Annotated, Any, Literal, TypeVar

import agenthost.calls.channel
import agenthost.calls.guard
import agenthost.calls.running
import agenthost.calls.watch
import pytest
from agenthost import (
    Argument,
    CallContext,
    Caller,
    Elicit,
    Elicited,
    InputRequired,
    Inputs,
    InvalidParams,
    Message,
    NotFound,
    Prompt,
    ProtocolError,
    Resource,
    Result,
    StorageError,
    Text,
    Tool,
    ToolError,
    prompt,
    resource,
    tool,
)
from agenthost.calls import Calls, Request
from agenthost.calls.channel import Channel
from agenthost.calls.watch import LoopWatch
from agenthost.catalog import Catalog
from agenthost.context import LOG_LEVELS
from agenthost.plugins import Plugin
from pydantic import BaseModel, Field

R = TypeVar("R")

WAIT = 20.0
"""Seconds that a test waits for something that has to happen."""

TIMES = 20
"""How often a race is run."""

INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603


def run(scenario: Callable[[], Coroutine[Any, Any, R]]) -> R:
    """Run a scenario on a loop of its own, bounded; no task may be left over that failed."""
    unhandled: list[dict[str, Any]] = []

    async def bounded() -> R:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
        async with asyncio.timeout(WAIT):
            return await scenario()

    result = asyncio.run(bounded())
    assert unhandled == []
    return result


class Client:
    """Who calls: remembers the notices it gets, in order."""

    def __init__(self, *, wants_progress: bool = True) -> None:
        self.notices: list[tuple[Any, ...]] = []
        self.request = Request(
            Caller(None, "tests"), {"sampling": {}}, "2025-11-25", self._progress if wants_progress else None, self._log
        )

    async def _progress(self, done: float, total: float | None, text: str | None) -> None:
        await asyncio.sleep(0)
        self.notices.append(("progress", done, total, text))

    async def _log(self, level: str, text: str) -> None:
        await asyncio.sleep(0)
        self.notices.append(("log", level, text))

    @property
    def progress(self) -> list[float]:
        return [notice[1] for notice in self.notices if notice[0] == "progress"]


Make = Callable[..., Calls]


@pytest.fixture
def calls(make_plugin: Callable[..., Plugin], serve: Callable[..., Catalog]) -> Make:
    """`calls(item, ..., limit=5.0, **part)`: answers for a plugin `p` with these contributions."""

    def make(*items: Any, limit: float = WAIT, **part: Any) -> Calls:
        plugin = make_plugin("p", *[item for item in items if isinstance(item, Tool)], **part)
        plugin.loaded.prompts.replace([item for item in items if isinstance(item, Prompt)])
        plugin.loaded.resources.replace([item for item in items if not isinstance(item, (Tool, Prompt))])
        catalog = serve(plugin)
        assert [str(finding) for finding in catalog.findings] == []
        return Calls(catalog, limit)

    return make


Call = Callable[..., dict[str, Any]]


@pytest.fixture
def call(calls: Make) -> Call:
    """`call(handler, arguments, client=..., **tool members)`: call one raw tool and return the result."""

    def once(handler: Callable[..., Any], arguments: Any = None, client: Client | None = None, **members: Any) -> Any:
        limit = members.pop("limit", WAIT)
        members.setdefault("input_schema", {"type": "object"})
        item = Tool("t", handler, **members)
        return run(lambda: calls(item, limit=limit).call_tool("t", arguments, (client or Client()).request))

    return once


def text_of(result: dict[str, Any]) -> str:
    [block] = result["content"]
    text: str = block["text"]
    return text


def in_both_ways(body: Callable[[dict[str, Any], CallContext], Any]) -> list[Callable[..., Any]]:
    """`def` and `async def` handlers with the same body."""

    def plain(arguments: dict[str, Any], ctx: CallContext) -> Any:
        return body(arguments, ctx)

    async def awaited(arguments: dict[str, Any], ctx: CallContext) -> Any:
        return body(arguments, ctx)

    return [plain, awaited]


# What handlers get


def test_a_raw_handler_gets_the_arguments_unchecked_and_the_context(call: Call) -> None:
    for given, expected in ((None, {}), ({}, {}), ({"a": [1, "2"], "ü": None}, {"a": [1, "2"], "ü": None})):
        for handler in in_both_ways(lambda arguments, ctx: arguments):
            assert call(handler, given)["structuredContent"] == expected


def test_a_handler_may_change_the_arguments_that_it_gets(call: Call) -> None:
    given = {"a": 1}
    call(lambda arguments, ctx: arguments.clear() or "x", given)
    assert given == {"a": 1}


def test_a_typed_handler_gets_checked_arguments_by_name(call: Call) -> None:
    def plain(fire_id: Annotated[str, Field(alias="fireId")], *, count: int = 1) -> list[Any]:
        return [fire_id, count]

    async def awaited(count: int, fire_id: Annotated[str, Field(alias="fireId")]) -> list[Any]:
        return [fire_id, count]

    for handler in (plain, awaited):
        result = call(handler, {"fireId": "f", "count": "2"}, input_schema=None)
        assert result["structuredContent"] == {"result": ["f", 2]}


def test_wrong_arguments_never_reach_a_typed_handler(call: Call) -> None:
    def handler(a: int) -> str:
        raise AssertionError("called")

    for arguments in (None, {}, {"a": "x"}, {"a": 1, "b": 2}):
        result = call(handler, arguments, input_schema=None)
        assert result["isError"] is True
        assert text_of(result).startswith("t was not called, because its arguments are wrong:")


def test_the_context_says_who_calls_and_gives_the_plugins_own(call: Call) -> None:
    seen: list[CallContext] = []

    def first(ctx: CallContext) -> None:
        seen.append(ctx)

    async def last(a: int = 0, *, context: CallContext[Any]) -> None:
        seen.append(context)

    for handler in (first, last):
        assert text_of(call(handler, input_schema=None)) == "Done."
    for handler in in_both_ways(lambda arguments, ctx: seen.append(ctx) or "done"):
        call(handler)
    for ctx in seen:
        assert ctx.plugin.name == "p"
        assert ctx.settings is ctx.plugin.settings
        assert ctx.caller == Caller(None, "tests")
        assert ctx.client_capabilities == {"sampling": {}}
        assert ctx.protocol_version == "2025-11-25"
    assert len({id(ctx) for ctx in seen}) == 4


def test_plain_functions_run_in_threads_and_coroutines_on_the_loop(call: Call) -> None:
    threads: list[threading.Thread] = []
    for handler in in_both_ways(lambda arguments, ctx: threads.append(threading.current_thread()) or ""):
        call(handler)
    assert threads[0] is not threading.main_thread()
    assert threads[0].daemon
    assert "p" in threads[0].name
    assert threads[1] is threading.main_thread()


class Awaitable_:  # noqa: N801  (the plain word is taken by collections.abc)
    async def __call__(self, arguments: Any, ctx: Any) -> str:
        return threading.current_thread().name

    async def method(self, arguments: Any, ctx: Any) -> str:
        return threading.current_thread().name


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


@pytest.mark.parametrize(
    "handler",
    [Awaitable_(), Awaitable_().method, functools.partial(Awaitable_().method), decorated(Awaitable_().method)],
    ids=["object", "method", "partial", "decorated"],
)
def test_async_code_runs_on_the_loop_in_whatever_it_is_wrapped(call: Call, handler: Callable[..., Any]) -> None:
    assert text_of(call(handler)) == threading.main_thread().name


def test_an_unknown_tool_is_not_found(calls: Make) -> None:
    answers = calls(Tool("greet", lambda a, c: "x", input_schema={"type": "object"}, aliases=("hi",)))
    for name, said in (
        ("gret", "Unknown tool: gret (did you mean 'greet'?)"),
        ("", "Unknown tool: "),
        ("zzz", "Unknown tool: zzz"),
    ):
        with pytest.raises(NotFound) as caught:
            run(lambda name=name: answers.call_tool(name, {}, Client().request))
        assert str(caught.value) == said
        assert caught.value.code == INVALID_PARAMS
    assert text_of(run(lambda: answers.call_tool("hi", {}, Client().request))) == "x"


# What handlers give and raise


def test_errors_for_the_model_become_results_that_it_reads(call: Call) -> None:
    def fail(arguments: Any, ctx: Any) -> None:
        raise ToolError("Not now. Try later.", {"later": True})

    for handler in in_both_ways(fail):
        assert call(handler) == {
            "content": [{"type": "text", "text": "Not now. Try later."}],
            "isError": True,
            "structuredContent": {"later": True},
        }


@pytest.mark.parametrize(
    "error",
    [ProtocolError(-32000, "no", {"a": 1}), InvalidParams("no", {"a": 1}), NotFound("no", {"a": 1})],
    ids=lambda error: type(error).__name__,
)
def test_errors_for_the_client_pass_as_they_are(call: Call, error: ProtocolError) -> None:
    def fail(arguments: Any, ctx: Any) -> None:
        raise error

    for handler in in_both_ways(fail):
        with pytest.raises(type(error)) as caught:
            call(handler)
        assert caught.value is error


def test_a_fault_of_the_storage_is_told_to_the_model_and_logged(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    def fail(arguments: Any, ctx: Any) -> None:
        raise StorageError("The database is held by process 5.")

    for handler in in_both_ways(fail):
        assert call(handler) == {
            "content": [{"type": "text", "text": "The database is held by process 5."}],
            "isError": True,
        }
    assert caplog.text.count("Tool t (plugin p): The database is held by process 5.") == 2


class Careless(ToolError):
    def __init__(self) -> None:
        """Forgets `super().__init__`."""


class Unprintable(ToolError):
    def __str__(self) -> str:
        raise RuntimeError("secret detail")


class CarelessProtocol(ProtocolError):
    def __init__(self) -> None:
        """Forgets `super().__init__`."""


@pytest.mark.parametrize(
    "make",
    [
        lambda: ToolError("no", {"a": math.nan}),
        lambda: ToolError("no", {"a": object()}),
        lambda: ToolError("no", [1]),
        lambda: ToolError("no", "secret detail"),
        lambda: ToolError(5),
        Careless,
        lambda: Unprintable("no"),
    ],
)
def test_an_error_that_cannot_be_sent_is_still_a_result(call: Call, make: Callable[[], Exception]) -> None:
    def fail(arguments: Any, ctx: Any) -> None:
        raise make()

    for handler in in_both_ways(fail):
        result = call(handler)
        assert result["isError"] is True
        assert "secret detail" not in text_of(result)


def test_a_protocol_error_without_its_base_has_a_code_all_the_same(call: Call) -> None:
    def fail(arguments: Any, ctx: Any) -> None:
        raise CarelessProtocol

    for handler in in_both_ways(fail):
        with pytest.raises(ProtocolError) as caught:
            call(handler)
        assert (caught.value.code, caught.value.data) == (INTERNAL_ERROR, None)


class OwnBase(BaseException):
    """What is no `Exception`."""


def recurse(depth: int = 0) -> int:
    return recurse(depth + 1)


def raising(error: BaseException) -> Callable[..., Any]:
    def body(arguments: Any, ctx: Any) -> None:
        raise error

    return body


CRASHES = {
    "exception": raising(RuntimeError("secret detail")),
    "exit": raising(SystemExit("secret detail")),
    "interrupt": raising(KeyboardInterrupt("secret detail")),
    "own base": raising(OwnBase("secret detail")),
    "generator exit": raising(GeneratorExit("secret detail")),
    "stop": raising(StopIteration("secret detail")),
    "stop async": raising(StopAsyncIteration("secret detail")),
    "cancelled": raising(asyncio.CancelledError("secret detail")),
    "timeout": raising(TimeoutError("secret detail")),
    "group": raising(ExceptionGroup("secret detail", [ToolError("secret detail")])),
    "base group": raising(BaseExceptionGroup("secret detail", [SystemExit(3)])),
    "recursion": lambda arguments, ctx: recurse(),
    "surrogate": raising(RuntimeError("secret detail \ud800")),
    "object": lambda arguments, ctx: object(),
    "nothing": lambda arguments, ctx: None,
    "nan": lambda arguments, ctx: {"a": math.nan},
    "bytes": lambda arguments, ctx: b"\xff",
    "bad block": lambda arguments, ctx: Text(5),  # type: ignore[arg-type]
    "bad result": lambda arguments, ctx: Result(5),  # type: ignore[arg-type]
    "bad iterator": lambda arguments, ctx: bad_iterator(SystemExit(3)),
    "interrupting iterator": lambda arguments, ctx: bad_iterator(KeyboardInterrupt()),
    "bad key": lambda arguments, ctx: {object(): 1},
}


def bad_iterator(error: BaseException) -> Iterator[int]:
    yield 1
    raise error


def assert_crashed(text: str, caplog: pytest.LogCaptureFixture) -> None:
    """The text and the only error in the log share a reference, and only the log has the details."""
    reference = re.search(r"\(reference ([0-9a-f]{8})\)", text)
    assert reference, text
    assert "Tool t (plugin p)" in text
    assert "secret detail" not in text
    assert "Traceback" not in text
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 1
    assert f"[reference {reference[1]}]" in errors[0].getMessage()
    assert "Tool t (plugin p)" in errors[0].getMessage()
    assert errors[0].exc_info


@pytest.mark.parametrize("way", [0, 1], ids=["def", "async"])
@pytest.mark.parametrize("kind", CRASHES)
def test_whatever_else_happens_is_a_crash_of_that_call_alone(
    calls: Make, caplog: pytest.LogCaptureFixture, kind: str, way: int
) -> None:
    bad = Tool("t", in_both_ways(CRASHES[kind])[way], input_schema={"type": "object"})
    good = Tool("good", in_both_ways(lambda arguments, ctx: "fine")[way], input_schema={"type": "object"})
    answers = calls(bad, good)

    async def scenario() -> list[Any]:
        client = Client()
        return await asyncio.gather(
            answers.call_tool("good", {}, client.request),
            answers.call_tool("t", {}, client.request),
            answers.call_tool("good", {}, client.request),
        )

    before, result, after = run(scenario)
    assert text_of(before) == text_of(after) == "fine"
    assert result["isError"] is True
    assert_crashed(text_of(result), caplog)


async def leak_raise() -> None:
    raise asyncio.CancelledError


async def leak_child() -> None:
    child = asyncio.ensure_future(asyncio.sleep(WAIT))
    await asyncio.sleep(0)
    child.cancel()
    await child


async def leak_own_task() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(WAIT)


@pytest.mark.parametrize("leak", [leak_raise, leak_child, leak_own_task])
def test_a_cancellation_that_a_plugin_leaks_is_a_crash_of_its_call(
    call: Call, caplog: pytest.LogCaptureFixture, leak: Callable[[], Awaitable[None]]
) -> None:
    async def handler(arguments: Any, ctx: Any) -> str:
        await leak()
        return "never"

    result = call(handler)
    assert result["isError"] is True
    assert_crashed(text_of(result), caplog)
    assert "cancellation" in caplog.text


def test_two_crashes_have_different_references(call: Call) -> None:
    texts = {text_of(call(CRASHES["exception"])) for _ in range(3)}
    assert len(texts) == 3


# Time limits and cancellation


def forever(arguments: Any, ctx: Any) -> str:
    """Blocks its thread until the test ends."""
    RELEASE.wait(WAIT)
    return "late"


RELEASE = threading.Event()


@pytest.fixture(autouse=True)
def release() -> Iterator[threading.Event]:
    """What blocks threads, and lets them go at the end of the test."""
    RELEASE.clear()
    yield RELEASE
    RELEASE.set()


async def sleeping(arguments: Any, ctx: Any) -> str:
    await asyncio.sleep(WAIT)
    return "late"


@pytest.mark.parametrize("handler", [forever, sleeping])
def test_a_call_that_takes_too_long_is_told_with_its_limit_and_what_became_of_it(
    call: Call, handler: Callable[..., Any]
) -> None:
    result = call(handler, time_limit=0.05)
    assert result["isError"] is True
    text = text_of(result)
    assert text.startswith("Tool t (plugin p) did not finish within 0.05 s.")
    assert ("still running" if handler is forever else "ended") in text
    assert "time_limit" in text


@pytest.mark.parametrize(
    ("host", "author", "operator", "effective"),
    [
        (0.05, None, None, "0.05"),
        (9, 0.05, None, "0.05"),
        (9, 9, 0.05, "0.05"),
        (0.03, 0.05, None, "0.05"),
        (0.03, 0.04, 0.05, "0.05"),
    ],
)
def test_the_operators_limit_goes_before_the_authors_and_that_before_the_hosts(
    calls: Make, host: float, author: float | None, operator: float | None, effective: str
) -> None:
    part = {} if operator is None else {"time_limit": operator}
    answers = calls(Tool("t", sleeping, input_schema={"type": "object"}, time_limit=author), limit=host, **part)
    assert f"within {effective} s" in text_of(run(lambda: answers.call_tool("t", {}, Client().request)))


def test_a_coroutine_that_is_ended_may_clean_up_first(call: Call) -> None:
    steps: list[str] = []

    async def handler(arguments: Any, ctx: Any) -> str:
        try:
            await asyncio.sleep(WAIT)
        finally:
            steps.append("cancelled")
            await asyncio.sleep(0.01)
            steps.append("cleaned up")
        return "late"

    assert call(handler, time_limit=0.05)["isError"] is True
    assert steps == ["cancelled", "cleaned up"]


def test_a_coroutine_that_swallows_its_cancellation_is_left_behind_and_named(
    calls: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(agenthost.calls.guard, "GRACE", 0.05)
    ended: list[bool] = []

    async def handler(arguments: Any, ctx: Any) -> str:
        while not RELEASE.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        ended.append(True)
        return "late"

    async def scenario() -> dict[str, Any]:
        result = await calls(Tool("t", handler, input_schema={"type": "object"}, time_limit=0.05)).call_tool(
            "t", {}, Client().request
        )
        assert not ended
        RELEASE.set()
        while not ended:
            await asyncio.sleep(0.001)
        return result

    result = run(scenario)
    assert "did not finish within 0.05 s" in text_of(result)
    assert "Tool t (plugin p) does not react to being cancelled" in caplog.text


@pytest.mark.parametrize("outcome", ["returns", "raises", "exits"])
def test_what_comes_after_the_limit_is_not_heard_of_again(
    call: Call, caplog: pytest.LogCaptureFixture, outcome: str
) -> None:
    async def handler(arguments: Any, ctx: Any) -> str:
        try:
            await asyncio.sleep(WAIT)
        except asyncio.CancelledError:
            if outcome == "raises":
                raise RuntimeError("late") from None
            if outcome == "exits":
                raise SystemExit(3) from None
        return "late"

    assert "did not finish within 0.05 s" in text_of(call(handler, time_limit=0.05))
    assert "late" not in caplog.text


def test_a_real_cancellation_reaches_the_plugin_and_then_the_caller(calls: Make) -> None:
    steps: list[str] = []
    started = asyncio.Event()

    async def handler(arguments: Any, ctx: Any) -> str:
        started.set()
        try:
            await asyncio.sleep(WAIT)
        except asyncio.CancelledError:
            steps.append("plugin")
            await asyncio.sleep(0.01)
            steps.append("cleaned up")
            raise
        return "late"

    async def scenario() -> None:
        answers = calls(Tool("t", handler, input_schema={"type": "object"}))
        task = asyncio.create_task(answers.call_tool("t", {}, Client().request))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        steps.append("caller")

    run(scenario)
    assert steps == ["plugin", "cleaned up", "caller"]


def test_a_real_cancellation_is_not_lost_when_the_plugin_swallows_it(calls: Make) -> None:
    started = asyncio.Event()

    async def handler(arguments: Any, ctx: Any) -> str:
        started.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(WAIT)
        return "late"

    async def scenario() -> None:
        answers = calls(Tool("t", handler, input_schema={"type": "object"}))
        task = asyncio.create_task(answers.call_tool("t", {}, Client().request))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(scenario)


# Threads


@pytest.fixture
def two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agenthost.calls.guard, "THREADS_PER_PLUGIN", 2)


def test_a_plugin_whose_threads_are_all_taken_is_busy_and_others_are_not(
    two_threads: None, make_plugin: Callable[..., Plugin], serve: Callable[..., Catalog]
) -> None:
    begun = [threading.Event(), threading.Event()]
    number = itertools.count()

    def block(arguments: Any, ctx: Any) -> str:
        begun[next(number)].set()
        RELEASE.wait(WAIT)
        return "released"

    def raw(name: str, handler: Callable[..., Any]) -> Tool:
        return Tool(name, handler, input_schema={"type": "object"})

    quick = lambda arguments, ctx: "quick"  # noqa: E731
    catalog = serve(
        make_plugin("p", raw("block", block), raw("quick", quick), raw("awaited", sleeping_not)),
        make_plugin("q", raw("other", quick)),
    )

    async def scenario() -> None:
        answers = Calls(catalog, WAIT)
        ask = lambda name: answers.call_tool(name, {}, Client().request)  # noqa: E731
        blocked = [asyncio.create_task(ask("block")) for _ in range(2)]
        await asyncio.to_thread(lambda: [event.wait(WAIT) for event in begun])
        busy = await ask("quick")
        assert busy["isError"] is True
        assert "Plugin p is busy" in text_of(busy)
        assert "Try again" in text_of(busy)
        assert text_of(await ask("awaited")) == "quick"
        assert text_of(await ask("other")) == "quick"
        RELEASE.set()
        assert [text_of(await task) for task in blocked] == ["released"] * 2
        assert text_of(await ask("quick")) == "quick"

    run(scenario)


async def sleeping_not(arguments: Any, ctx: Any) -> str:
    return "quick"


@pytest.mark.parametrize("how", ["cancelled", "timed out"])
def test_a_thread_keeps_its_place_until_its_function_really_returns(two_threads: None, calls: Make, how: str) -> None:
    ended: list[int] = []

    def block(arguments: Any, ctx: Any) -> str:
        if arguments["wait"]:
            begun.release()
            RELEASE.wait(WAIT)
            ended.append(1)
        return "quick"

    begun = threading.Semaphore(0)
    limit = 0.05 if how == "timed out" else WAIT

    async def scenario() -> None:
        answers = calls(Tool("t", block, input_schema={"type": "object"}, time_limit=limit))
        ask = lambda wait: answers.call_tool("t", {"wait": wait}, Client().request)  # noqa: E731
        tasks = [asyncio.create_task(ask(True)) for _ in range(2)]
        await asyncio.to_thread(lambda: [begun.acquire(timeout=WAIT) for _ in range(2)])
        if how == "cancelled":
            for task in tasks:
                task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            assert (
                isinstance(result, asyncio.CancelledError) if how == "cancelled" else "still running" in text_of(result)
            )  # type: ignore[arg-type]
        assert not ended
        assert "is busy" in text_of(await ask(False))
        RELEASE.set()
        while "busy" in text_of(await ask(False)):
            await asyncio.sleep(0.001)
        assert len(ended) >= 1

    run(scenario)


def test_calls_reach_the_plugin_in_the_order_in_which_they_arrive(calls: Make) -> None:
    for way in (0, 1):
        seen: list[int] = []
        handler = in_both_ways(lambda arguments, ctx, seen=seen: seen.append(arguments["n"]) or "")[way]
        answers = calls(Tool("t", handler, input_schema={"type": "object"}))

        async def scenario(answers: Calls = answers) -> None:
            await asyncio.gather(*(answers.call_tool("t", {"n": n}, Client().request) for n in range(10)))

        run(scenario)
        assert sorted(seen) == list(range(10))
        if way == 1:
            assert seen == list(range(10))


def test_calls_of_one_plugin_run_side_by_side(calls: Make) -> None:
    barrier = threading.Barrier(3, timeout=WAIT)
    event = asyncio.Event()
    waiting: list[int] = []

    async def together(arguments: Any, ctx: Any) -> str:
        waiting.append(1)
        if len(waiting) == 3:
            event.set()
        await event.wait()
        return "met"

    answers = calls(
        Tool("def", lambda arguments, ctx: f"met {barrier.wait() < 3}", input_schema={"type": "object"}),
        Tool("async", together, input_schema={"type": "object"}),
    )

    async def scenario() -> list[dict[str, Any]]:
        return await asyncio.gather(*(answers.call_tool(name, {}, Client().request) for name in ("def", "async") * 3))

    assert {text_of(result) for result in run(scenario)} == {"met", "met True"}


# Messages of a call


def test_progress_and_log_messages_arrive_in_order_before_the_result(call: Call) -> None:
    def body(arguments: Any, ctx: CallContext) -> str:
        for number in range(20):
            ctx.progress(number, 20, f"step {number}")
            ctx.log("info", f"log {number}")
        return "done"

    for handler in in_both_ways(body):
        client = Client()
        call(handler, client=client)
        assert client.notices == [
            notice for n in range(20) for notice in (("progress", n, 20, f"step {n}"), ("log", "info", f"log {n}"))
        ]


def test_messages_arrive_also_when_the_call_fails(call: Call) -> None:
    def body(arguments: Any, ctx: CallContext) -> str:
        ctx.log("error", "before")
        raise RuntimeError

    for handler in in_both_ways(body):
        client = Client()
        assert call(handler, client=client)["isError"] is True
        assert client.notices == [("log", "error", "before")]


def test_messages_arrive_while_the_call_still_runs(calls: Make) -> None:
    heard, go_on = asyncio.Event(), threading.Event()

    def handler(arguments: Any, ctx: CallContext) -> str:
        ctx.log("info", "hello")
        go_on.wait(WAIT)
        return "done"

    async def send_log(level: str, text: str) -> None:
        heard.set()

    async def scenario() -> None:
        answers = calls(Tool("t", handler, input_schema={"type": "object"}))
        request = Request(Caller(None, None), {}, "2025-11-25", None, send_log)
        task = asyncio.create_task(answers.call_tool("t", {}, request))
        await heard.wait()
        assert not task.done()
        go_on.set()
        await task

    run(scenario)


def test_without_a_token_no_progress_is_sent(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agenthost.calls.guard, "HEARTBEAT", 0.01)

    async def handler(arguments: Any, ctx: CallContext) -> str:
        ctx.progress(1, 2, "half")
        await asyncio.sleep(0.05)
        return "done"

    client = Client(wants_progress=False)
    call(handler, client=client)
    assert client.notices == []


def assert_growing(values: list[float]) -> None:
    assert all(earlier < later for earlier, later in itertools.pairwise(values)), values


@pytest.mark.parametrize(
    "values",
    [
        [0, 0, 0],
        [5, 3, 1, 2],
        [-5, -7, -6],
        [1e300, 1e300, 1],
        [0.1, math.nan, 0.2],
        [1, math.inf, 2, 3],
        [-math.inf, -math.inf, 0],
        [10**30, 10**30],
        [True, False],
    ],
    ids=str,
)
def test_progress_always_grows(call: Call, values: list[float]) -> None:
    def body(arguments: Any, ctx: CallContext) -> str:
        for value in values:
            ctx.progress(value)
        return "done"

    for handler in in_both_ways(body):
        client = Client()
        assert text_of(call(handler, client=client)) == "done"
        assert_growing(client.progress)
        assert all(math.isfinite(value) for value in client.progress)


class Slow(float):
    """A number during whose comparison another thread gets its turn, if it is let."""

    meeting: threading.Barrier

    def __gt__(self, other: object) -> bool:
        result = super().__gt__(other)  # type: ignore[operator]
        with contextlib.suppress(threading.BrokenBarrierError):
            self.meeting.wait(0.02)
        return bool(result)


@pytest.mark.parametrize("attempt", range(TIMES))
def test_progress_grows_also_when_two_threads_report_at_once(attempt: int) -> None:
    client = Client()
    values = [Slow(1), Slow(2)][:: 1 if attempt % 2 else -1]
    Slow.meeting = threading.Barrier(2)

    async def scenario() -> None:
        channel = Channel(client.request.send_progress, client.request.send_log)
        await asyncio.gather(*(asyncio.to_thread(channel.progress, value, None, None) for value in values))
        await asyncio.sleep(0)
        await channel.close()

    run(scenario)
    assert len(client.progress) == 2
    assert_growing(client.progress)


def test_a_call_with_a_token_shows_signs_of_life(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agenthost.calls.guard, "HEARTBEAT", 0.01)
    client = Client()

    def enough() -> bool:
        return len(client.progress) >= 4

    def plain(arguments: Any, ctx: CallContext) -> str:
        while not enough():
            time.sleep(0.001)
        ctx.progress(0.0005, 1, "own")
        return "done"

    async def awaited(arguments: Any, ctx: CallContext) -> str:
        while not enough():
            await asyncio.sleep(0.001)
        ctx.progress(0.0005, 1, "own")
        return "done"

    for handler in (plain, awaited):
        client.notices.clear()
        assert text_of(call(handler, client=client)) == "done"
        assert_growing(client.progress)
        assert client.notices[0][3] == "still working"
        assert client.notices[-1][2:] == (1, "own")


def test_only_the_newest_messages_are_kept_for_a_client_that_does_not_read(calls: Make) -> None:
    backlog = agenthost.calls.channel.BACKLOG
    read = asyncio.Event()
    heard: list[str] = []

    async def send_log(level: str, text: str) -> None:
        await read.wait()
        heard.append(text)

    async def handler(arguments: Any, ctx: CallContext) -> str:
        for number in range(3 * backlog):
            ctx.log("info", str(number))
            await asyncio.sleep(0)
        read.set()
        return "done"

    async def scenario() -> None:
        answers = calls(Tool("t", handler, input_schema={"type": "object"}))
        await answers.call_tool("t", {}, Request(Caller(None, None), {}, "2025-11-25", None, send_log))

    run(scenario)
    assert backlog <= len(heard) <= backlog + 1
    assert heard[1:] == [str(number) for number in range(2 * backlog, 3 * backlog)]


@pytest.mark.parametrize("how", ["answered", "cancelled"])
def test_messages_of_a_call_that_is_over_are_dropped(calls: Make, how: str) -> None:
    contexts: list[CallContext] = []
    client = Client()
    begun = asyncio.Event()

    async def handler(arguments: Any, ctx: CallContext) -> str:
        contexts.append(ctx)
        begun.set()
        if how == "cancelled":
            ctx.log("info", "never sent")
            await asyncio.sleep(WAIT)
        return "done"

    async def scenario() -> None:
        answers = calls(Tool("t", handler, input_schema={"type": "object"}))
        task = asyncio.create_task(answers.call_tool("t", {}, client.request))
        await begun.wait()
        if how == "cancelled":
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        client.notices.clear()
        contexts[0].log("info", "late")
        contexts[0].progress(1)
        await asyncio.to_thread(contexts[0].log, "info", "late")
        await asyncio.sleep(0.01)

    run(scenario)
    assert client.notices == []


def test_what_the_loop_had_no_turn_to_send_is_dropped_with_a_cancelled_call_and_sent_with_an_answered_one() -> None:
    client = Client()

    async def scenario() -> None:
        cancelled = Channel(None, client.request.send_log)
        cancelled.log("info", "never sent")
        cancelled.abandon()
        await asyncio.sleep(0.01)
        assert client.notices == []
        answered = Channel(None, client.request.send_log)
        answered.log("info", "sent")
        await answered.close()
        assert client.notices == [("log", "info", "sent")]

    run(scenario)


def test_a_message_that_cannot_be_sent_does_not_cost_the_answer_nor_the_other_messages(
    calls: Make, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []

    async def send_log(level: str, text: str) -> None:
        if text == "bad":
            raise ValueError("cannot be sent")
        heard.append(text)

    async def handler(arguments: Any, ctx: CallContext) -> str:
        for text in ("first", "bad", "last"):
            ctx.log("info", text)
        return "done"

    answers = calls(Tool("t", handler, input_schema={"type": "object"}))
    request = Request(Caller(None, None), {}, "2025-11-25", None, send_log)
    assert text_of(run(lambda: answers.call_tool("t", {}, request))) == "done"
    assert heard == ["first", "last"]
    assert "cannot be sent" in caplog.text


def test_all_levels_of_the_protocol_can_be_logged_and_no_others(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    client = Client()

    def body(arguments: Any, ctx: CallContext) -> str:
        for level in LOG_LEVELS:
            ctx.log(level, level)
        ctx.log("loud", "x")  # type: ignore[arg-type]
        return "never"

    result = call(in_both_ways(body)[0], client=client)
    assert client.notices == [("log", level, level) for level in LOG_LEVELS]
    assert result["isError"] is True
    assert "there is no log level 'loud'" in caplog.text
    assert len(LOG_LEVELS) == 8


# Asking a client of the handshake era while the call goes on


def asking(client: Client, ask: Callable[[Any], Awaitable[Inputs]]) -> Request:
    return dataclasses.replace(client.request, client_capabilities={"elicitation": {}}, ask=ask)


def make_asker() -> Tool:
    @tool
    async def asker(ctx: CallContext) -> str | InputRequired:
        answer = ctx.inputs.elicited("x")
        form = {"type": "object", "properties": {"x": {"type": "string"}}}
        return f"{answer.content['x']}, {ctx.input_state}" if answer else InputRequired({"x": Elicit("x?", form)}, [1])

    return asker


def test_an_answer_that_never_comes_ends_the_call(calls: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agenthost.calls.running, "ANSWER_LIMIT", 0.05)
    cancelled: list[bool] = []

    async def ask(_: Any) -> Inputs:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(True)
        raise AssertionError

    async def scenario() -> None:
        result = await calls(make_asker()).call_tool("asker", {}, asking(Client(), ask))
        assert result["isError"] is True
        assert "Nobody answered within 0.05 s" in result["content"][0]["text"]

    run(scenario)
    assert cancelled == [True]


def test_signs_of_life_go_out_while_a_person_thinks(calls: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agenthost.calls.guard, "HEARTBEAT", 0.01)
    client = Client()

    async def ask(wanted: Any) -> Inputs:
        assert list(wanted.requests) == ["x"]
        while len(client.progress) < 3:
            await asyncio.sleep(0.001)
        return Inputs({"x": Elicited("accept", {"x": "here"})})

    async def scenario() -> None:
        result = await calls(make_asker(), limit=1.0).call_tool("asker", {}, asking(client, ask))
        assert result["content"] == [{"type": "text", "text": "here, [1]"}]

    run(scenario)
    assert client.progress == sorted(set(client.progress))


def test_a_call_that_is_cancelled_while_its_client_fails_leaves_nothing_unheard(calls: Make) -> None:
    asked = asyncio.Event()

    async def ask(_: Any) -> Inputs:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise ToolError("the connection is closed")

    async def scenario() -> None:
        task = asyncio.create_task(calls(make_asker()).call_tool("asker", {}, asking(Client(), ask)))
        await asked.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        del task
        gc.collect()

    run(scenario)


# The loop watch


class Alarm(logging.Handler):
    """Sets an event when a text is logged."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.heard = threading.Event()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
        if self.text in self.messages[-1]:
            self.heard.set()


@pytest.fixture
def alarm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Alarm]:
    monkeypatch.setattr(agenthost.calls.watch, "LIMIT", 0.05)
    handler = Alarm("is blocking the event loop")
    logger = logging.getLogger("agenthost")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def test_a_tool_that_blocks_the_loop_is_named_while_it_blocks_and_after(call: Call, alarm: Alarm) -> None:
    async def handler(arguments: Any, ctx: Any) -> str:
        await asyncio.sleep(0)
        return str(alarm.heard.wait(WAIT))

    assert text_of(call(handler)) == "True"
    named = [text for text in alarm.messages if text.startswith("Tool t (plugin p)")]
    assert len(named) == 2
    assert "is blocking the event loop" in named[0]
    assert re.search(r"blocked the event loop for \d+\.\d s", named[1])


def test_a_tool_that_waits_without_blocking_is_not_named(call: Call, alarm: Alarm) -> None:
    async def handler(arguments: Any, ctx: Any) -> str:
        await asyncio.sleep(0.2)
        return "done"

    call(handler)
    assert alarm.messages == []


def test_only_the_tool_that_blocks_is_named_while_others_wait(calls: Make, alarm: Alarm) -> None:
    waiting = asyncio.Event()

    async def patient(arguments: Any, ctx: Any) -> str:
        waiting.set()
        await done.wait()
        return "done"

    async def blocking(arguments: Any, ctx: Any) -> str:
        await waiting.wait()
        alarm.heard.wait(WAIT)
        done.set()
        return "done"

    done = asyncio.Event()
    answers = calls(*(Tool(each.__name__, each, input_schema={"type": "object"}) for each in (patient, blocking)))

    async def scenario() -> None:
        await asyncio.gather(*(answers.call_tool(name, {}, Client().request) for name in ("patient", "blocking")))

    run(scenario)
    assert alarm.messages
    assert all("Tool blocking" in text for text in alarm.messages)


def test_the_watch_passes_everything_through() -> None:
    watch = LoopWatch()
    steps: list[str] = []

    async def coroutine(*, swallow: bool) -> str:
        try:
            await asyncio.sleep(WAIT)
        except asyncio.CancelledError:
            steps.append("cancelled")
            if not swallow:
                raise
        return "result"

    async def scenario() -> None:
        assert await watch.run("x", asyncio.sleep(0, "value")) == "value"
        for swallow in (True, False):
            task = asyncio.create_task(watch.run("x", coroutine(swallow=swallow)))
            await asyncio.sleep(0)
            task.cancel()
            if swallow:
                assert await task == "result"
            else:
                with pytest.raises(asyncio.CancelledError):
                    await task
        with pytest.raises(ZeroDivisionError):
            await watch.run("x", failing())

    async def failing() -> None:
        await asyncio.sleep(0)
        _ = 1 / 0

    run(scenario)
    assert steps == ["cancelled", "cancelled"]


def test_the_thread_of_a_watch_that_is_not_in_use_any_more_ends() -> None:
    async def scenario() -> list[threading.Thread]:
        others = {*threading.enumerate()}
        watch = LoopWatch()
        await watch.run("x", asyncio.sleep(0))
        return [thread for thread in threading.enumerate() if thread not in others]

    [thread] = run(scenario)
    thread.join(WAIT)
    assert not thread.is_alive()


# Prompts


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


Get = Callable[..., dict[str, Any]]


@pytest.fixture
def get(calls: Make) -> Get:
    def once(item: Prompt, arguments: Any = None, name: str = "ask", **options: Any) -> Any:
        return run(lambda: calls(item, **options).get_prompt(name, arguments, Client().request))

    return once


def refusal(act: Callable[[], Any], code: int = INVALID_PARAMS) -> str:
    with pytest.raises(ProtocolError) as caught:
        act()
    assert caught.value.code == code
    return str(caught.value)


def test_a_typed_prompt_gets_its_arguments_read_from_texts(get: Get) -> None:
    @prompt
    def ask(
        name: str, times: int, loud: bool, colour: Colour, kind: Literal["a", "b"] = "a", ctx: CallContext | None = None
    ) -> str:
        """Ask."""
        assert ctx is not None
        return f"{name!r} {times!r} {loud!r} {colour!r} {kind!r} {ctx.plugin.name}"

    result = get(ask, {"name": "5", "times": "3", "loud": "true", "colour": "red"})
    assert result == {
        "description": "Ask.",
        "messages": [{"role": "user", "content": {"type": "text", "text": "'5' 3 True <Colour.RED: 'red'> 'a' p"}}],
    }


def test_a_raw_prompt_gets_its_arguments_as_they_are(get: Get) -> None:
    def handler(arguments: dict[str, str], ctx: CallContext) -> list[Message]:
        return [Message(str(arguments)), Message(ctx.plugin.name, "assistant")]

    item = Prompt("ask", handler, arguments=(Argument("a", required=True), Argument("b")))
    result = get(item, {"a": "1"})
    assert [message["content"]["text"] for message in result["messages"]] == ["{'a': '1'}", "p"]
    assert "description" not in result


def test_an_open_prompt_takes_arguments_that_it_does_not_declare(get: Get) -> None:
    item = Prompt("ask", lambda arguments, ctx: str(arguments), arguments=(Argument("a", required=True),), open=True)
    assert get(item, {"a": "1", "z": "2"})["messages"][0]["content"]["text"] == "{'a': '1', 'z': '2'}"
    assert "'a' is missing" in refusal(lambda: get(item, {"z": "2"}))


def typed_prompt() -> Prompt:
    @prompt(name="ask", aliases=("old",))
    def ask(colour: str, times: int = 1) -> str:
        return colour * times

    return ask


def raw_prompt() -> Prompt:
    return Prompt(
        "ask",
        lambda arguments, ctx: "x",
        arguments=(Argument("colour", required=True), Argument("times")),
        aliases=("old",),
    )


@pytest.mark.parametrize("make", [typed_prompt, raw_prompt])
def test_missing_and_unknown_prompt_arguments_are_invalid_params_that_name_them(
    get: Get, make: Callable[[], Prompt]
) -> None:
    for arguments in (None, {}, {"times": "1"}):
        text = refusal(lambda arguments=arguments: get(make(), arguments))  # type: ignore[misc]
        assert "the required argument 'colour' is missing" in text
        assert "Prompt ask" in text
        assert "Arguments: colour, times." in text
    text = refusal(lambda: get(make(), {"color": "red", "colour": "red"}))
    assert "there is no argument 'color' (did you mean 'colour'?)" in text
    assert "missing" not in text


def test_a_prompt_argument_that_cannot_be_read_is_named(get: Get) -> None:
    text = refusal(lambda: get(typed_prompt(), {"colour": "red", "times": "many"}))
    assert "times: " in text


def test_a_prompt_answers_to_its_alias_and_an_unknown_one_is_not_found(get: Get) -> None:
    assert get(typed_prompt(), {"colour": "red"}, "old")["messages"]
    assert refusal(lambda: get(typed_prompt(), {}, "asc")) == "Unknown prompt: asc (did you mean 'ask'?)"


def failing_prompt(error: BaseException) -> Prompt:
    def handler(arguments: Any, ctx: Any) -> str:
        raise error

    return Prompt("ask", handler, arguments=())


def test_what_a_model_would_read_goes_to_the_client_of_a_prompt(get: Get) -> None:
    with pytest.raises(InvalidParams) as caught:
        get(failing_prompt(ToolError("no such fire", {"fire": 1})))
    assert (str(caught.value), caught.value.data) == ("no such fire", {"fire": 1})
    with pytest.raises(ProtocolError) as raised:
        get(failing_prompt(ProtocolError(-32000, "own", [1])))
    assert (raised.value.code, str(raised.value), raised.value.data) == (-32000, "own", [1])


@pytest.mark.parametrize(
    "error", [RuntimeError("secret detail"), SystemExit(3), asyncio.CancelledError("secret detail")], ids=repr
)
def test_a_crash_of_a_prompt_is_an_internal_error_with_a_reference(
    get: Get, caplog: pytest.LogCaptureFixture, error: BaseException
) -> None:
    text = refusal(lambda: get(failing_prompt(error)), INTERNAL_ERROR)
    reference = re.search(r"\(reference ([0-9a-f]{8})\)", text)
    assert reference
    assert "Prompt ask (plugin p)" in text
    assert "secret detail" not in text
    assert f"[reference {reference[1]}]" in caplog.text


@pytest.mark.parametrize("value", [None, 5, [None], Message("x", "system")], ids=repr)  # type: ignore[arg-type]
def test_a_prompt_that_gives_no_messages_is_a_crash(get: Get, value: Any) -> None:
    item = Prompt("ask", lambda arguments, ctx: value, arguments=())
    refusal(lambda: get(item), INTERNAL_ERROR)


def test_a_prompt_that_takes_too_long_is_an_internal_error(get: Get) -> None:
    item = Prompt("ask", sleeping, arguments=(), time_limit=0.05)
    assert "Prompt ask (plugin p) did not finish within 0.05 s" in refusal(lambda: get(item), INTERNAL_ERROR)


# Resources


Read = Callable[..., dict[str, Any]]


@pytest.fixture
def read(calls: Make) -> Read:
    def once(uri: str, *items: Any) -> Any:
        return run(lambda: calls(*items).read_resource(uri, Client().request))

    return once


def test_a_resource_is_read_by_functions_of_both_kinds(read: Read) -> None:
    @resource("note://plain", mime_type="text/markdown")
    def plain() -> str:
        return "# x"

    @resource("note://awaited")
    async def awaited(ctx: CallContext) -> dict[str, str]:
        return {"plugin": ctx.plugin.name}

    assert read("note://plain", plain, awaited) == {
        "contents": [{"uri": "note://plain", "text": "# x", "mimeType": "text/markdown"}]
    }
    [part] = read("note://awaited", plain, awaited)["contents"]
    assert part["text"] == '{\n  "plugin": "p"\n}'


def test_a_template_gives_its_variables_decoded_and_typed(read: Read) -> None:
    @resource("note://{day}/{number}")
    def note(number: int, day: str, more: str = "x") -> str:
        return f"{day!r} {number!r} {more!r}"

    [part] = read("note://a%20%2F..%20b/5", note)["contents"]
    assert part["text"] == "'a /.. b' 5 'x'"
    assert part["uri"] == "note://a%20%2F..%20b/5"
    text = refusal(lambda: read("note://a/many", note))
    assert "number" in text
    assert "Unknown resource" in text


def test_an_unknown_resource_is_not_found_with_its_address(read: Read) -> None:
    @resource("note://today")
    def today() -> str:
        return ""

    with pytest.raises(NotFound) as caught:
        read("note://tody", today)
    assert caught.value.data == {"uri": "note://tody"}
    assert str(caught.value) == "Unknown resource: note://tody (did you mean 'note://today'?)"


def test_errors_of_a_resource_are_those_of_a_prompt(read: Read, caplog: pytest.LogCaptureFixture) -> None:
    def failing(error: BaseException) -> Resource:
        def handler() -> str:
            raise error

        return Resource("note://x", handler, "x")

    assert refusal(lambda: read("note://x", failing(ToolError("gone")))) == "gone"
    assert refusal(lambda: read("note://x", failing(NotFound("gone")))) == "gone"
    text = refusal(lambda: read("note://x", failing(SystemExit("secret detail"))), INTERNAL_ERROR)
    assert "Resource note://x (plugin p)" in text
    assert "secret detail" not in text
    assert "secret detail" in caplog.text


# Completions


Complete = Callable[..., list[str]]


@pytest.fixture
def complete(calls: Make) -> Complete:
    def once(item: Any, name: str, value: str = "", arguments: Any = None, reference: str | None = None) -> Any:
        kind: Any = "prompt" if isinstance(item, Prompt) else "template"
        key = item.key if reference is None else reference
        return run(lambda: calls(item).complete(kind, key, name, value, arguments or {}, Client().request))

    return once


def completing(function: Callable[..., Any]) -> Prompt:
    return Prompt(
        "ask", lambda arguments, ctx: "x", arguments=(Argument("who"), Argument("why")), complete={"who": function}
    )


def test_a_completion_function_gets_what_is_typed_what_is_known_and_the_context(complete: Complete) -> None:
    def plain(value: str, arguments: dict[str, str], ctx: CallContext) -> list[str]:
        return [value, str(arguments), ctx.plugin.name]

    async def awaited(value: str, arguments: dict[str, str], ctx: CallContext) -> tuple[str, ...]:
        return (value, str(arguments), ctx.plugin.name)

    def generating(value: str, arguments: dict[str, str], ctx: CallContext) -> Iterator[str]:
        yield from plain(value, arguments, ctx)

    for function in (plain, awaited, generating):
        assert complete(completing(function), "who", "a", {"why": "b"}) == ["a", "{'why': 'b'}", "p"]


def test_choices_complete_by_themselves(complete: Complete) -> None:
    @prompt
    def ask(
        kind: Literal["apple", "avocado", "pear"],
        colour: Colour,
        one: Literal["only"],
        number: Literal[10, 11, 20],
        text: str = "",
    ) -> str:
        return ""

    assert complete(ask, "kind", "a") == ["apple", "avocado"]
    assert complete(ask, "kind") == ["apple", "avocado", "pear"]
    assert complete(ask, "kind", "zzz") == []
    assert complete(ask, "colour", "b") == ["blue"]
    assert complete(ask, "one") == ["only"]
    assert complete(ask, "number", "1") == ["10", "11"]
    assert complete(ask, "text", "a") == []

    @resource("note://{kind}")
    def note(kind: Literal["a", "b"]) -> str:
        return ""

    assert complete(note, "kind") == ["a", "b"]


def test_an_optional_choice_completes_as_well(complete: Complete) -> None:
    @prompt
    def ask(kind: Literal["a", "b"] | None = None, colour: Colour = Colour.RED) -> str:
        return ""

    assert complete(ask, "kind") == ["a", "b"]
    assert complete(ask, "colour") == ["red", "blue"]


def test_an_argument_without_a_completion_has_no_values(complete: Complete) -> None:
    assert complete(completing(lambda *_: ["x"]), "why", "x") == []


def test_completing_something_unknown_is_told_with_the_right_word(complete: Complete) -> None:
    item = completing(lambda *_: [])
    assert "ask has no argument 'wo' (did you mean 'who'?)" in refusal(lambda: complete(item, "wo"))
    assert refusal(lambda: complete(item, "who", reference="asc")) == "Unknown prompt: asc (did you mean 'ask'?)"

    @resource("note://{day}")
    def note(day: str) -> str:
        return day

    text = refusal(lambda: complete(note, "day", reference="note://{dya}"))
    assert text.startswith("Unknown resource: note://{dya}")


def test_a_prompt_and_a_template_of_one_name_are_not_mixed_up(calls: Make) -> None:
    @resource("note:{day}", complete={"day": lambda *_: ["template"]})
    def note(day: str) -> str:
        return day

    item = Prompt("note:{day}", lambda a, c: "x", arguments=(Argument("day"),), complete={"day": lambda *_: ["prompt"]})
    answers = calls(item, note)
    for kind in ("prompt", "template"):
        assert run(lambda kind=kind: answers.complete(kind, "note:{day}", "day", "", {}, Client().request)) == [kind]  # type: ignore[misc]


def exits_half_way() -> Iterator[str]:
    yield "a"
    raise SystemExit(3)


@pytest.mark.parametrize("value", ["text", b"x", None, 5, [5], [None], {"a": 1}.values(), exits_half_way], ids=str)
def test_a_completion_that_gives_no_texts_is_a_crash(complete: Complete, value: Any) -> None:
    given = value() if callable(value) else value
    text = refusal(lambda: complete(completing(lambda *_: given), "who"), INTERNAL_ERROR)
    assert "reference" in text


@pytest.mark.parametrize("error", [RuntimeError("secret detail"), SystemExit("secret detail")], ids=repr)
def test_a_completion_that_crashes_is_an_internal_error(complete: Complete, error: BaseException) -> None:
    def function(value: str, arguments: Any, ctx: Any) -> list[str]:
        raise error

    text = refusal(lambda: complete(completing(function), "who"), INTERNAL_ERROR)
    assert "secret detail" not in text


# Typed results, through the whole way


class Item(BaseModel):
    name: str
    note: str | None = None


def test_a_typed_result_is_sent_as_promised_and_a_broken_promise_is_a_crash(call: Call) -> None:
    async def good() -> Item:
        return Item(name="x")

    def bad() -> Item:
        return {"nam": "x"}  # type: ignore[return-value]

    assert call(good, input_schema=None)["structuredContent"] == {"name": "x", "note": None}
    assert "reference" in text_of(call(bad, input_schema=None))


def test_the_decorated_function_is_what_is_called(calls: Make) -> None:
    @tool
    async def greet(name: str) -> str:
        """Greet."""
        return f"Hello, {name}!"

    assert text_of(run(lambda: calls(greet).call_tool("greet", {"name": "you"}, Client().request))) == "Hello, you!"


def test_an_async_generator_is_a_crash_and_leaves_nothing_behind(call: Call) -> None:
    async def handler(arguments: Any, ctx: Any) -> AsyncIterator[str]:
        yield "x"

    assert "reference" in text_of(call(handler))
