"""Results, time limits and the event loop: everything is called, and what comes of it is judged."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import mcp_types as types
from mcp import MCPError

from agenthost.testing.checks.offers import Offers
from agenthost.testing.checks.trial import MARGIN, Hanging, Trial
from agenthost.testing.clients import WatchingClient
from agenthost.testing.process import ServerProcess
from agenthost.testing.samples import WAIT, arguments_for

RESULTS, TIME, LOOP = "results", "time limit", "event loop"

CRASH = re.compile(r"failed \(reference (\w+)\)")
LATE = re.compile(r"did not finish within [\d.]+ s\. (It was ended|It is still running)")
WRONG = " was not called, because its arguments are wrong:"
_LABEL = r"^agenthost: warning: (?:Tool|Prompt|Resource\w*) (\S+) \(plugin \S+\) "
BLOCKED = _LABEL + "(?:blocked|is blocking) the event loop"
DEAF = _LABEL + "does not react to being cancelled"


async def call_everything(trial: Trial, client: WatchingClient, server: ServerProcess, offers: Offers) -> None:
    """Call every tool, get every prompt and read every resource, with as little as each wants.

    Raises:
        Hanging: the server does not answer any more.
    """
    for tool in offers.tools:
        if (given := arguments_of(trial, tool)) is not None:
            called = partial(client.call_tool, tool.name, given)
            await _attempt(trial, server, _Attempt("tool", tool.name, given, called))
    for prompt in offers.prompts:
        texts = {argument.name: "x" for argument in prompt.arguments or () if argument.required}
        got = partial(client.get_prompt, prompt.name, texts)
        await _attempt(trial, server, _Attempt("prompt", prompt.name, texts, got))
    for resource in offers.resources:
        read = partial(client.read_resource, resource.uri)
        await _attempt(trial, server, _Attempt("resource", resource.uri, {}, read))


def arguments_of(trial: Trial, tool: Any) -> dict[str, Any] | None:
    """What to call a tool with; None if it is not to be called."""
    if tool.name in trial.hanging:
        return None
    given = trial.arguments.get(tool.name, {})
    if given is None:
        return None
    return dict(given) if tool.name in trial.arguments else arguments_for(tool.input_schema)


@dataclass(frozen=True)
class _Attempt:
    """One call of one contribution."""

    kind: str
    name: str
    given: Mapping[str, Any]
    call: Callable[[], Coroutine[Any, Any, Any]]

    def __str__(self) -> str:
        called = f", called with {json.dumps(self.given)}," if self.given else ""
        return f"{self.kind} {self.name}{called}"


async def _attempt(trial: Trial, server: ServerProcess, attempt: _Attempt) -> None:
    if attempt.name in trial.hanging:
        return
    try:
        async with asyncio.timeout(trial.time_limit + MARGIN):
            text = _complaint(await attempt.call())
    except TimeoutError:
        trial.hanging.add(attempt.name)
        await asyncio.to_thread(server.stop)
        if attempt.name in blocking(server.stderr):
            trial.fault(LOOP, f"{attempt} blocks it for ever; make it def, or await")
        else:
            trial.fault(TIME, f"{attempt} was not answered within {trial.time_limit + MARGIN:g} s")
        raise Hanging from None
    except MCPError as error:
        text = error.message if error.code == types.INTERNAL_ERROR else ""
    except (RuntimeError, ValueError) as error:  # what the official client does not take
        trial.fault(RESULTS, f"{attempt} gives what the official client refuses: {error}")
        return
    if crash := CRASH.search(text):
        trial.fault(RESULTS, f"{attempt} crashes: {await asyncio.to_thread(_cause, server, crash[1])}")
    elif late := LATE.search(text):
        _judge_late(trial, attempt, thread=late[1] == "It is still running")
    elif WRONG in text and attempt.name not in trial.arguments:
        wanted = f"arguments={{{attempt.name!r}: {{...}}}}"
        trial.fault(RESULTS, f"nobody knows what to call {attempt.kind} {attempt.name} with; say it: {wanted}")


def _complaint(result: Any) -> str:
    """The text of a tool's error; empty if it is none."""
    if not isinstance(result, types.CallToolResult) or not result.is_error:
        return ""
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def _judge_late(trial: Trial, attempt: _Attempt, *, thread: bool) -> None:
    if thread:
        trial.hanging.add(attempt.name)
        limit = f"{trial.time_limit:g} s"
        trial.fault(TIME, f"{attempt} is a def and still runs after {limit}; make it async def, or split the work")
    elif WAIT in attempt.given:
        trial.fault(TIME, f"{attempt} waits longer than it was told to")


def note_deaf(trial: Trial, stderr: str) -> None:
    """What was left behind, as the server says on stderr, since it did not end when it was cancelled."""
    for name in re.findall(DEAF, stderr, re.MULTILINE):
        trial.hanging.add(name)
        trial.fault(TIME, f"{name} does not end when it is cancelled after {trial.time_limit:g} s")


def blocking(stderr: str) -> set[str]:
    """The names of all that has blocked the event loop, as the server says on stderr."""
    return set(re.findall(BLOCKED, stderr, re.MULTILINE))


def _cause(server: ServerProcess, reference: str) -> str:
    """The last line of the traceback that is logged under this reference; the answer may be here before the log is."""
    _, _, rest = server.wait_for_stderr(f"[reference {reference}]").partition(f"[reference {reference}]\n")
    lines = rest.partition("\nagenthost: ")[0].strip().splitlines()
    return lines[-1] if lines else "the server's log does not tell why"
