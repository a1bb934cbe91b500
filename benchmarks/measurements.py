"""The rounds: every subject once a round, in an order that rotates, in short turns."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from conversation import ERAS, BenchmarkError, Conversation, Era
from http_conversation import HttpConversation
from subjects import ARGUMENTS, Workshop, definitions

C = TypeVar("C")

Kind = Literal["start", "cpu", "call", "pipelined", "list", "memory", "http"]
KINDS: tuple[Kind, ...] = ("start", "cpu", "call", "pipelined", "list", "memory", "http")

SIZES = (1, 10, 100, 1000)
"""Numbers of tools: with one tool calls are measured, with more of them lists."""

ENDS = (1, 1000)
"""Numbers of tools with which start and memory are measured."""

WARMING = (1, 10)
"""Numbers of tools in the round that does not count; with ten void reads a file, as with more."""

HTTP_SIZES = (10, 1000)
"""Numbers of tools with which calls over HTTP are measured."""

LISTS_EVERY = 3
"""Servers with more than one tool are started in every so manieth round."""

WINDOW = 32
"""Requests in flight in the kind `pipelined`."""


@dataclass(frozen=True)
class Measure:
    """What was measured: milliseconds, or MiB for `memory`.

    Attributes:
        kind: `start` is from spawning the process to its first list, `cpu` what it computed meanwhile, which
            other programs disturb less; `pipelined` is the time per call, `http` a call over HTTP.
        tools: how many tools the server has.
        era: the protocol revision spoken; None where it makes no difference, and both are counted.
    """

    kind: Kind
    tools: int
    era: Era | None = None


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        rounds: new processes of every subject.
        turns: how often the subjects take turns in a round.
        kinds: what is measured.
    """

    rounds: int
    turns: int
    kinds: Sequence[Kind]


@dataclass
class Samples:
    """One value a round for each measure and subject, and the machine's load meanwhile."""

    values: dict[Measure, dict[str, list[float]]] = field(default_factory=dict)
    loads: list[float] = field(default_factory=list)

    def add_all(self, measure: Measure, values: Mapping[str, float]) -> None:
        """Note the values of a round, by subject."""
        for subject, value in values.items():
            self.add(measure, subject, value)

    def add(self, measure: Measure, subject: str, value: float | None) -> None:
        """Note the value of a round, if there is one: some can be had on Linux only."""
        if value is not None:
            self.values.setdefault(measure, {}).setdefault(subject, []).append(value)


def measure_all(workshop: Workshop, plan: Plan, say: Callable[[str], None]) -> Samples:
    """Run all rounds; a first one, whose only purpose is that everything is compiled and cached, is forgotten.

    Raises:
        BenchmarkError: a server did not do its part.
    """
    say("warming up")
    for tools in WARMING:
        _measure_round(workshop, replace(plan, turns=1), Samples(), workshop.subjects, tools, ERAS[0])
    samples = Samples()
    for number in range(plan.rounds):
        say(f"round {number + 1} of {plan.rounds}")
        for tools in SIZES if set(plan.kinds) != {"http"} else ():
            # Only the start is measured once a process; of the rest a few processes tell enough.
            if tools > 1 and (number % LISTS_EVERY or {"start", "cpu", "list", "memory"}.isdisjoint(plan.kinds)):
                continue
            for era in ERAS:
                samples.loads.append(os.getloadavg()[0])
                _measure_round(workshop, plan, samples, rotated(workshop.subjects, number), tools, era)
        if "http" in plan.kinds and number % LISTS_EVERY == 0:
            for tools in HTTP_SIZES:
                samples.loads.append(os.getloadavg()[0])
                _measure_http_round(workshop, plan, samples, rotated(workshop.subjects, number), tools)
    return samples


def rotated(order: Sequence[str], number: int) -> list[str]:
    """The same order, begun somewhere else."""
    start = number % len(order)
    return [*order[start:], *order[:start]]


def _measure_round(
    workshop: Workshop, plan: Plan, samples: Samples, order: Sequence[str], tools: int, era: Era
) -> None:
    with ExitStack() as stack:
        servers: dict[str, Conversation] = {}
        for subject in order:
            began = time.perf_counter()
            server = stack.enter_context(workshop.start(subject, tools, era))
            server.handshake()
            answers = server.ask([server.request("tools/list", {})])
            taken, computed = (time.perf_counter() - began) * 1000, server.computed()
            [result] = server.parse(*answers)
            if len(result["tools"]) != tools:
                raise BenchmarkError(f"{subject} lists {len(result['tools'])} tools, not {tools}")
            servers[subject] = server
            if tools in ENDS:
                samples.add(Measure("start", tools), subject, taken)
                samples.add(Measure("cpu", tools), subject, computed)
        if tools == 1:
            call = {"name": definitions(1)[0]["name"], "arguments": ARGUMENTS}
            if "call" in plan.kinds:
                times = _take_turns(servers, plan.turns, lambda server: _one_by_one(server, "tools/call", call, 50))
                samples.add_all(Measure("call", tools, era), times)
            if "pipelined" in plan.kinds:
                times = _take_turns(servers, plan.turns, lambda server: _pipelined(server, "tools/call", call, 200))
                samples.add_all(Measure("pipelined", tools, era), times)
        elif "list" in plan.kinds:
            count = 3 if tools == 1000 else 20
            times = _take_turns(servers, plan.turns, lambda server: _one_by_one(server, "tools/list", {}, count))
            samples.add_all(Measure("list", tools, era), times)
        if tools in ENDS:
            for subject, server in servers.items():
                samples.add(Measure("memory", tools), subject, server.peak_memory())


def _measure_http_round(workshop: Workshop, plan: Plan, samples: Samples, order: Sequence[str], tools: int) -> None:
    call = {"name": definitions(tools)[0]["name"], "arguments": ARGUMENTS}
    with ExitStack() as stack:
        servers = {subject: stack.enter_context(workshop.start_http(subject, tools)) for subject in order}
        for era in ERAS:
            clients = {name: stack.enter_context(HttpConversation(server, era)) for name, server in servers.items()}
            for client in clients.values():
                client.handshake()
            times = _take_turns(clients, plan.turns, lambda client: _over_http(client, "tools/call", call, 50))
            samples.add_all(Measure("http", tools, era), times)


def _take_turns(servers: Mapping[str, C], turns: int, ask: Callable[[C], list[float]]) -> dict[str, float]:
    """The median of what each server's turns gave; one turn more does not count, for first requests are slower."""
    taken: dict[str, list[float]] = {subject: [] for subject in servers}
    for turn in range(turns + 1):
        for subject in rotated(list(servers), turn):
            times = ask(servers[subject])
            taken[subject] += times if turn else ()
    return {subject: statistics.median(times) for subject, times in taken.items()}


def _one_by_one(server: Conversation, method: str, params: Mapping[str, Any], count: int) -> list[float]:
    """Milliseconds of each round trip."""
    requests = [server.request(method, params) for _ in range(count)]
    times, answers = [], []
    for request in requests:
        began = time.perf_counter()
        answers += server.ask([request])
        times.append((time.perf_counter() - began) * 1000)
    server.parse(*answers)
    return times


def _over_http(client: HttpConversation, method: str, params: Mapping[str, Any], count: int) -> list[float]:
    """Milliseconds of each round trip."""
    requests = [client.request(method, params) for _ in range(count)]
    times, answers = [], []
    for request in requests:
        began = time.perf_counter()
        answers.append(client.ask(request))
        times.append((time.perf_counter() - began) * 1000)
    for answer in answers:
        client.parse(answer)
    return times


def _pipelined(server: Conversation, method: str, params: Mapping[str, Any], count: int) -> list[float]:
    """Milliseconds per request, with `WINDOW` of them in flight."""
    requests = [server.request(method, params) for _ in range(count)]
    began = time.perf_counter()
    answers = server.ask(requests, WINDOW)
    taken = (time.perf_counter() - began) * 1000
    server.parse(*answers)
    return [taken / count]
