"""Daemon threads: as many as allowed, kept for the next function, a place taken until its function has returned."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from agenthost.threads import NoThreadFree, Threads

WAIT = 20.0
"""Seconds that a test waits for something that has to happen."""

TIMES = 20
"""How often a race is run."""


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Lets blocked threads go, at the latest at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def test_a_function_runs_in_a_named_daemon_thread_and_its_value_comes_back() -> None:
    threads = Threads("void", 2)
    thread = threads.submit(threading.current_thread).result(WAIT)
    assert thread is not threading.current_thread()
    assert thread.daemon
    assert thread.name.startswith("void-")


class OwnBase(BaseException):
    """What is no `Exception`."""


@pytest.mark.parametrize(
    "error", [ValueError("x"), SystemExit(3), KeyboardInterrupt(), StopIteration(1), OwnBase("x")], ids=repr
)
def test_whatever_a_function_raises_comes_back_and_the_thread_goes_on(error: BaseException) -> None:
    def fail() -> None:
        raise error

    threads = Threads("t", 1)
    for _ in range(3):
        assert threads.submit(fail).exception(WAIT) is error
    assert threads.submit(lambda: 5).result(WAIT) == 5


def test_a_thread_is_kept_for_the_next_function() -> None:
    threads = Threads("t", 5)
    used = {threads.submit(threading.get_ident).result(WAIT) for _ in range(20)}
    assert len(used) == 1


def test_no_more_functions_run_than_there_are_places(release: threading.Event) -> None:
    threads = Threads("t", 3)
    begun = threading.Semaphore(0)

    def block() -> str:
        begun.release()
        release.wait(WAIT)
        return "done"

    futures = [threads.submit(block) for _ in range(3)]
    for _ in range(3):
        assert begun.acquire(timeout=WAIT)
    for _ in range(5):
        with pytest.raises(NoThreadFree):
            threads.submit(lambda: "refused")
    release.set()
    assert [future.result(WAIT) for future in futures] == ["done"] * 3
    assert threads.submit(lambda: "free").result(WAIT) == "free"


def test_a_place_is_free_as_soon_as_the_value_is_there() -> None:
    threads = Threads("t", 1)
    for number in range(500):
        assert threads.submit(lambda number=number: number).result(WAIT) == number  # type: ignore[misc]


def test_a_function_that_nobody_waits_for_keeps_its_place_until_it_returns(release: threading.Event) -> None:
    threads = Threads("t", 1)
    begun, ended = threading.Event(), threading.Event()

    def block() -> None:
        begun.set()
        release.wait(WAIT)
        ended.set()

    future = threads.submit(block)
    assert begun.wait(WAIT)
    assert not future.cancel()
    with pytest.raises(NoThreadFree):
        threads.submit(lambda: None)
    release.set()
    future.result(WAIT)
    assert ended.is_set()
    threads.submit(lambda: None).result(WAIT)


def test_functions_begin_in_the_order_of_the_calls(release: threading.Event) -> None:
    threads = Threads("t", 1)
    order: list[int] = []
    for number in range(50):
        threads.submit(lambda number=number: order.append(number)).result(WAIT)  # type: ignore[misc]
    assert order == list(range(50))


@pytest.mark.parametrize("attempt", range(TIMES))
def test_a_function_that_was_cancelled_in_time_never_begins_and_frees_its_place(attempt: int) -> None:
    threads = Threads("t", 1)
    ran: list[bool] = []
    future = threads.submit(lambda: ran.append(True))
    if future.cancel():
        assert threads_free(threads)
        assert ran == []
    else:
        future.result(WAIT)
        assert ran == [True]


def threads_free(threads: Threads) -> bool:
    """Whether the only place becomes free."""
    for _ in range(100_000):
        try:
            return threads.submit(lambda: True).result(WAIT)
        except NoThreadFree:
            continue
    return False


@pytest.mark.parametrize("attempt", range(TIMES))
def test_many_callers_at_once_never_exceed_the_limit(attempt: int) -> None:
    threads = Threads("t", 4)
    barrier = threading.Barrier(12, timeout=WAIT)
    gate = threading.Event()
    running, most, lock = [0], [0], threading.Lock()
    refused: list[bool] = []

    def work() -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        gate.wait(WAIT)
        with lock:
            running[0] -= 1

    def ask() -> None:
        barrier.wait()
        try:
            futures.append(threads.submit(work))
        except NoThreadFree:
            refused.append(True)

    futures: list[object] = []
    callers = [threading.Thread(target=ask, daemon=True) for _ in range(12)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(WAIT)
    gate.set()
    for future in futures:
        future.result(WAIT)  # type: ignore[attr-defined]
    assert (len(futures), len(refused)) == (4, 8)
    assert most[0] <= 4


def test_a_thread_that_cannot_be_started_costs_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = Threads("t", 1)

    def fail(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises((RuntimeError, NoThreadFree)):
            threads.submit(lambda: None)
    assert threads.submit(lambda: 5).result(WAIT) == 5


def test_a_value_is_not_kept_by_the_thread_that_made_it() -> None:
    class Value:
        """Something that can be watched."""

    import weakref

    threads = Threads("t", 1)
    value = threads.submit(Value).result(WAIT)
    reference = weakref.ref(value)
    del value
    threads.submit(lambda: None).result(WAIT)
    assert reference() is None


def test_a_hanging_function_does_not_keep_the_process_alive() -> None:
    source = (
        "import threading\n"
        "from agenthost.threads import Threads\n"
        "begun = threading.Event()\n"
        "Threads('t', 1).submit(lambda: (begun.set(), threading.Event().wait()))\n"
        "begun.wait(20)\n"
    )
    assert subprocess.run([sys.executable, "-c", source], timeout=WAIT, check=False).returncode == 0


@pytest.mark.parametrize("attempt", range(TIMES))
def test_the_threads_of_a_pool_that_is_not_in_use_any_more_end(attempt: int) -> None:
    threads = Threads("t", 3)
    together = threading.Barrier(3, timeout=WAIT)
    futures = [threads.submit(lambda: (together.wait(), threading.current_thread())[1]) for _ in range(3)]
    started = [future.result(WAIT) for future in futures]
    assert len({*started}) == 3
    del threads
    for thread in started:
        thread.join(WAIT)
        assert not thread.is_alive()


def test_what_was_submitted_to_a_pool_that_is_not_in_use_any_more_is_still_done(release: threading.Event) -> None:
    threads = Threads("t", 1, queueing=True)
    futures = [threads.submit(lambda: release.wait(WAIT)), threads.submit(lambda: "done")]
    del threads
    release.set()
    assert futures[1].result(WAIT) == "done"
