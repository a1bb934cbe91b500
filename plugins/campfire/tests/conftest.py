"""What the tests share: agents at a fire, each a raw client of a real server process."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hypothesis
import jsonschema
import pytest
from agenthost.testing import PATIENCE, Era, ServerProcess, clean_environment

# Machines that are shared are slow at times, and nobody looks into a folder of examples.
hypothesis.settings.register_profile(
    "agenthost", deadline=None, database=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("agenthost")

JSON_TEXT = {
    "campfire_get_or_create_fire",
    "campfire_list_fires",
    "campfire_post_message",
    "campfire_speak_to_party",
    "campfire_throw_gauntlet",
    "campfire_strike_argument",
    "campfire_hold_the_line",
    "campfire_deliver_verdict",
    "campfire_get_duel",
    "campfire_list_duels",
    "campfire_get_battle_plan",
}
"""Tools whose text is their structure as JSON."""


class Agent:
    """Calls the tools of one server process; every success is checked against the tool's output schema."""

    def __init__(self, server: ServerProcess, era: Era) -> None:
        self.server = server
        server.open(era)
        self._shapes = {tool["name"]: jsonschema.Draft202012Validator(tool["outputSchema"]) for tool in server.tools()}

    def result(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The whole result."""
        return self._checked(name, self.server.call(f"campfire_{name}", arguments)["result"])

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The structure of a call that has to succeed."""
        result = self.result(name, **arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refused(self, name: str, **arguments: Any) -> str:
        """The text of a call that has to be refused."""
        result = self.result(name, **arguments)
        assert result.get("isError"), result
        [block] = result["content"]
        return block["text"]

    def at_once(self, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """Send many calls in one write and return their results in the order of the calls."""
        sent = self.send_at_once(*calls)
        return [self.collect(name, number) for name, number in sent]

    def send_at_once(self, *calls: tuple[str, dict[str, Any]]) -> list[tuple[str, int]]:
        """Send many calls in one write; their names and request ids, for `collect`."""
        asked = [("tools/call", {"name": f"campfire_{name}", "arguments": arguments}) for name, arguments in calls]
        numbers = self.server.start_requests(*asked)
        return [(name, number) for (name, _), number in zip(calls, numbers, strict=True)]

    def collect(self, name: str, number: int) -> dict[str, Any]:
        """The result of a call that was sent."""
        return self._checked(name, self.server.answer(number)["result"])

    def read(self, uri: str) -> Any:
        """A resource that has to be there; JSON is decoded."""
        response = self.server.request("resources/read", {"uri": uri})
        assert "result" in response, response
        [part] = response["result"]["contents"]
        return json.loads(part["text"]) if part["mimeType"] == "application/json" else part["text"]

    def _checked(self, name: str, result: dict[str, Any]) -> dict[str, Any]:
        if not result.get("isError"):
            full = f"campfire_{name}"
            self._shapes[full].validate(result["structuredContent"])
            if full in JSON_TEXT:
                [block] = result["content"]
                assert block["text"] == json.dumps(json.loads(block["text"]), indent=2, ensure_ascii=False)
                assert json.loads(block["text"]) == result["structuredContent"]
        return result


StartAgent = Callable[..., Agent]
"""`start(*options, state=FOLDER, era="modern")`: an agent with a server of its own."""


@contextmanager
def _agents(folder: Path) -> Iterator[StartAgent]:
    started: list[ServerProcess] = []

    def start(*options: str, state: str = "state", era: Era = "modern") -> Agent:
        command = [sys.executable, "-m", "agenthost", "serve", "--strict", "--plugins", "campfire"]
        arguments = [argument for option in options for argument in ("--set", f"campfire.{option}")]
        env = {**clean_environment(folder), "AGENTHOST_STATE_DIR": str(folder / state)}
        server = ServerProcess([*command, *arguments], env=env, cwd=folder)
        started.append(server)
        return Agent(server, era)

    yield start
    for server in started:
        server.stop()
    for server in started:
        server.assert_only_json_rpc()


@pytest.fixture
def start_agent(tmp_path: Path) -> Iterator[StartAgent]:
    """Start servers for one test, by default on one state folder."""
    with _agents(tmp_path) as start:
        yield start


@pytest.fixture(scope="session")
def start_shared_agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartAgent]:
    """Start servers that all tests share."""
    with _agents(tmp_path_factory.mktemp("shared")) as start:
        yield start


@pytest.fixture(scope="session")
def shared_agents(start_shared_agent: StartAgent) -> Sequence[Agent]:
    """Two agents with a process each on one state folder; the tests use fires of their own."""
    return [start_shared_agent(era="modern"), start_shared_agent(era="legacy")]


@pytest.fixture(params=[0, 1], ids=["modern", "legacy"])
def agent(request: pytest.FixtureRequest, shared_agents: Sequence[Agent]) -> Agent:
    """An agent, in either era of the protocol."""
    return shared_agents[request.param]


@pytest.fixture
def pair(shared_agents: Sequence[Agent]) -> Sequence[Agent]:
    """Two agents with a process each on one state folder."""
    return shared_agents


_fires = itertools.count(1)


@pytest.fixture
def fire() -> str:
    """The id of a fire that no other test uses."""
    return f"fire-{next(_fires)}"


@pytest.fixture
def patience() -> float:
    """Seconds that something which has to happen may take."""
    return PATIENCE
