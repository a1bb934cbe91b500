"""Plugin code outside of serving: run within a limit, kept off stdout, and its failure told in a line."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import TypeVar

from agenthost.errors import AgenthostError

log = logging.getLogger("agenthost")

R = TypeVar("R")


def bounded(function: Callable[[], R], limit: float) -> R:
    """Run `function()` in a daemon thread and wait at most `limit` seconds.

    Raises:
        GivenUpOn: it has not returned; the thread is left behind.
        Escaped: it raised `SystemExit` or the like, which would end this process.
        Exception: it raised that.
    """
    future: Future[R] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except Exception as error:  # noqa: BLE001  (raised again where it is waited for)
            future.set_exception(error)
        except BaseException as error:  # noqa: BLE001
            escaped = Escaped()
            escaped.__cause__ = error
            future.set_exception(escaped)

    threading.Thread(target=run, name="load", daemon=True).start()
    if not wait([future], limit).done:
        raise GivenUpOn(f"did not return within {limit:g} s and has been given up on")
    return future.result()


class GivenUpOn(Exception):
    """Plugin code did not return in time."""


class Escaped(Exception):
    """Plugin code raised what is no `Exception`; `__cause__` is what it raised."""


def explain_failure(stage: str, error: BaseException) -> str:
    """A failure of plugin code for the operator: short for what is meant for people, else with its place."""
    if isinstance(error, AgenthostError):
        return str(error)
    if isinstance(error, Escaped) and error.__cause__ is not None:
        error = error.__cause__
    while isinstance(error, BaseExceptionGroup):  # as task groups raise; the first cause says most
        error = error.exceptions[0]
    log.debug("%s failed", stage, exc_info=error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{stage} failed with {text}{place}"


@contextlib.contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send what is printed in the block, also by C code and children, to stderr."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
