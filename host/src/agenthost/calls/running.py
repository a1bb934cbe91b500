"""One run of plugin code for one request, from its first call to what it gave at last."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from agenthost.abilities import capabilities, lacking
from agenthost.calls.asking import Asked, asked
from agenthost.calls.channel import Channel, SendLog, SendProgress
from agenthost.calls.guard import Guard, crash
from agenthost.calls.meter import Called, Meter, Outcome
from agenthost.catalog import Route
from agenthost.context import CallContext, Caller
from agenthost.errors import MISSING_CAPABILITY, CallFailed, ProtocolError, ToolError
from agenthost.inputs import InputRequired, Inputs
from agenthost.tracing import tell_trace

W = TypeVar("W")

AskClient = Callable[[Asked], Awaitable[Inputs]]
"""Asks a client while its call goes on, as in the handshake era."""

ANSWER_LIMIT = 600.0
"""Seconds that a person has for an answer while the call goes on."""

MAX_ROUNDS = 16
"""How often one call may ask a client of the handshake era for more."""


@dataclass(frozen=True)
class Request:
    """What a call knows of the request it answers.

    Attributes:
        caller: who asks.
        client_capabilities: what the client declared.
        protocol_version: the revision spoken.
        send_progress: sends a progress notice; None if the client did not ask for progress.
        send_log: sends a log message, if the client wants that level.
        inputs: the answers that came with the request.
        input_state: the state that came with it, as JSON.
        ask: asks the client for more; None if the result does that (modern era).
    """

    caller: Caller
    client_capabilities: Mapping[str, Any]
    protocol_version: str
    send_progress: SendProgress | None
    send_log: SendLog
    inputs: Inputs = field(default_factory=Inputs)
    input_state: str | None = None
    ask: AskClient | None = None


class Run:
    """One run of plugin code for one request; its messages to the client end with it.

    Attributes:
        outcome: how it ends, as far as is known.
    """

    def __init__(self, guard: Guard, meter: Meter, route: Route[Any], request: Request, time_limit: float) -> None:
        self.outcome: Outcome = "ok"
        self._began = time.monotonic()
        self._guard = guard
        self._meter = meter
        self._route = route
        self._request = request
        self._channel = Channel(request.send_progress, request.send_log)
        item, plugin = route.item, route.plugin
        # The operator's word wins over the author's, and the author's over the host's default.
        self._limit = plugin.part.time_limit or item.time_limit or time_limit
        self.label = f"{type(item).__name__} {route.exposed} (plugin {plugin.name})"
        self.context: CallContext[Any] = CallContext(
            plugin.loaded,
            request.caller,
            request.client_capabilities,
            request.protocol_version,
            self._channel,
            request.inputs,
            None if request.input_state is None else json.loads(request.input_state),
        )

    async def __aenter__(self) -> Run:
        tell_trace(self._route.plugin.name)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.outcome = "error" if issubclass(kind, Exception) else "cancelled"
        route = self._route
        called = Called(type(route.item).__name__.lower(), route.plugin.name, route.exposed)
        self._meter.count(called, self.outcome, time.monotonic() - self._began)
        if kind is None or issubclass(kind, Exception):
            await self._channel.close()
        self._channel.abandon()

    async def run(self, arguments: dict[str, Any]) -> Any:
        """Call the contribution's handler; again with the answers, if it asks a client that can be asked at once.

        Returns:
            What it gave; `Asked` if the client has to be asked by the result.

        Raises:
            ToolError: the client cannot answer, or is asked again and again.
            ProtocolError: the client cannot answer (modern era).
        """
        for rounds in range(MAX_ROUNDS + 1):
            value = await self._run_once(arguments)
            if not isinstance(value, InputRequired):
                return value
            wanted = self.convert(asked, value)
            self.require(wanted.needs)
            if self._request.ask is None:
                return wanted
            if rounds < MAX_ROUNDS:
                inputs = await self._answers(self._request.ask, wanted)
                state = None if wanted.state is None else json.loads(wanted.state)
                self.context = replace(self.context, inputs=inputs, input_state=state)
        raise CallFailed(
            f"{self.label} has asked {MAX_ROUNDS} times for more and is still not done. Call it again with all that "
            "it asked for in the arguments, if it takes them there; else tell the operator."
        )

    def require(self, needs: Iterable[str]) -> None:
        """Go on only if the client can do all that.

        Raises:
            ProtocolError: it cannot (modern era).
            ToolError: it cannot (handshake era, which has no code for it).
        """
        if not (missing := lacking(needs, self._request.client_capabilities)):
            return
        text = f"{self.label} needs a client that offers {', '.join(missing)}, which this one does not declare."
        if self._request.ask is None:
            raise ProtocolError(MISSING_CAPABILITY, text, {"requiredCapabilities": capabilities(missing)})
        raise ToolError(f"{text} Do without it, or have the user take another client.")

    async def _answers(self, ask: AskClient, wanted: Asked) -> Inputs:
        """Ask the client at once. Meanwhile nothing of the plugin runs, and its time limit does not count."""
        await self._channel.flush()
        asking = asyncio.ensure_future(ask(wanted))
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())  # heard, also if nobody waits
        if not await self._guard.attend(self.label, asking, ANSWER_LIMIT, self._channel.beat):
            raise CallFailed(f"Nobody answered within {ANSWER_LIMIT:g} s what {self.label} asked. Ask the user.")
        return asking.result()

    async def _run_once(self, arguments: dict[str, Any]) -> Any:
        signature, handler = self._route.vetted.signature, self._route.item.handler
        if signature is None:
            return await self.run_function(handler, dict(arguments), self.context)
        if signature.context is None:
            return await self.run_function(handler, **arguments)
        return await self.run_function(handler, **arguments, **{signature.context: self.context})

    async def run_function(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Any:
        """Call a function of the plugin: on the loop if it is async, else in one of the plugin's threads."""
        call = partial(function, *arguments, **keywords)
        beat, limit = self._channel.beat, self._limit
        if _is_async(function):
            return await self._guard.run_coroutine(self.label, call, limit, beat)
        value = await self._guard.run_function(self._route.plugin.name, self.label, call, limit, beat)
        if inspect.iscoroutine(value):  # an async function behind a plain decorator
            value = await self._guard.run_coroutine(self.label, lambda: value, limit, beat)
        return value

    def convert(self, conversion: Callable[..., W], value: Any, *rest: Any) -> W:
        """Convert what the plugin gave; what cannot be sent is the plugin's fault."""
        try:
            return conversion(value, *rest)
        except BaseException as error:  # noqa: BLE001  (a value's own code runs here; whatever it does is the plugin's)
            raise crash(self.label, error) from None


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004  (the method is inspected, not the ability to call)
