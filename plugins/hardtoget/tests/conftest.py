"""What the tests share: players of real server processes, each a raw client, and games of two of them."""

from __future__ import annotations

import itertools
import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


class Agent:
    """Calls the tools of one server process; every success is checked against the tool's output schema."""

    def __init__(self, server: ServerProcess, era: Era) -> None:
        self.server = server
        server.open(era)
        self._shapes = {tool["name"]: jsonschema.Draft202012Validator(tool["outputSchema"]) for tool in server.tools()}

    def result(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The whole result."""
        return self._checked(name, self.server.call(f"hardtoget_{name}", arguments)["result"])

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

    def start_call(self, name: str, **arguments: Any) -> tuple[str, int]:
        """Send a call without waiting; its name and number, for `collect`."""
        return name, self.server.start_request("tools/call", {"name": f"hardtoget_{name}", "arguments": arguments})

    def send_at_once(self, *calls: tuple[str, dict[str, Any]]) -> list[tuple[str, int]]:
        """Send many calls in one write; their names and request ids, for `collect`."""
        asked = [("tools/call", {"name": f"hardtoget_{name}", "arguments": arguments}) for name, arguments in calls]
        numbers = self.server.start_requests(*asked)
        return [(name, number) for (name, _), number in zip(calls, numbers, strict=True)]

    def collect(self, name: str, number: int) -> dict[str, Any]:
        """The result of a call that was sent."""
        return self._checked(name, self.server.answer(number)["result"])

    def read(self, uri: str) -> Any:
        """A resource that has to be there."""
        response = self.server.request("resources/read", {"uri": uri})
        assert "result" in response, response
        [part] = response["result"]["contents"]
        return json.loads(part["text"])

    def _checked(self, name: str, result: dict[str, Any]) -> dict[str, Any]:
        if not result.get("isError"):
            self._shapes[f"hardtoget_{name}"].validate(result["structuredContent"])
            [block] = result["content"]
            assert json.loads(block["text"]) == result["structuredContent"]
        return result


@dataclass
class Player:
    """A registered player: the agent it plays with, its secret, and its seat."""

    agent: Agent
    client_id: str
    game_id: str = ""
    joined: dict[str, Any] = field(default_factory=dict)

    def join(self, **arguments: Any) -> dict[str, Any]:
        self.joined = self.agent("join_game", client_id=self.client_id, **arguments)
        self.game_id = self.joined["game_id"]
        return self.joined

    @property
    def key(self) -> dict[str, str]:
        return {"game_id": self.game_id, "client_id": self.client_id}

    def state(self) -> dict[str, Any]:
        return self.agent("get_state", **self.key)

    def wait(self, **arguments: Any) -> dict[str, Any]:
        return self.agent("wait", **self.key, **arguments)

    def choose(self, option: int | str = 0) -> dict[str, Any]:
        choice = self.state()["dilemma"][option] if isinstance(option, int) else option
        return self.agent("witness_choice", **self.key, dilemma_choice=choice)

    def eliminate(self, *words: str) -> dict[str, Any]:
        return self.agent("detective_choice", **self.key, eliminated_words=list(words))

    def refused(self, name: str, **arguments: Any) -> str:
        return self.agent.refused(name, **self.key, **arguments)


@dataclass
class Table:
    """A witness and a detective."""

    witness: Player
    detective: Player

    @property
    def key_word(self) -> str:
        return self.witness.state()["key_word"]

    def others(self) -> list[str]:
        """The words left that are not the key word."""
        view = self.witness.state()
        return [word for word in view["board"] if word != view["key_word"]]

    def win(self) -> None:
        """Play to the end, in one round."""
        self.witness.choose()
        assert self.detective.eliminate(*self.others())["win"] is True


StartAgent = Callable[..., Agent]
"""`start(*options, state=FOLDER, era="modern", verbose=False)`: an agent with a server of its own."""


@contextmanager
def _agents(folder: Path) -> Iterator[StartAgent]:
    started: list[ServerProcess] = []

    def start(*options: str, state: str = "state", era: Era = "modern", verbose: bool = False) -> Agent:
        command = [sys.executable, "-m", "agenthost", "serve", "--strict", "--plugins", "hardtoget"]
        command += ["--log-level", "debug"] if verbose else []
        arguments = [argument for option in options for argument in ("--set", f"hardtoget.{option}")]
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
    """Two agents with a process each on one state folder."""
    return [start_shared_agent(era="modern"), start_shared_agent(era="legacy")]


@pytest.fixture(params=[0, 1], ids=["modern", "legacy"])
def agent(request: pytest.FixtureRequest, shared_agents: Sequence[Agent]) -> Agent:
    """An agent, in either era of the protocol."""
    return shared_agents[request.param]


@pytest.fixture
def pair(shared_agents: Sequence[Agent]) -> Sequence[Agent]:
    """Two agents with a process each on one state folder."""
    return shared_agents


@pytest.fixture
def register() -> Callable[..., Player]:
    """`register(agent, model_name="w")`: a new player at that agent."""

    def register(agent: Agent, model_name: str = "w") -> Player:
        return Player(agent, agent("register", model_name=model_name)["client_id"])

    return register


_seeds = itertools.count(1)


@pytest.fixture
def sit_down(register: Callable[..., Player]) -> Callable[..., Table]:
    """`sit_down(agent, other=agent, models=("w", "d"))`: a game that is ready, of two new players.

    It is dealt from a seed of its own, so that players of other tests who still wait are not met.
    """

    def sit_down(
        agent: Agent, other: Agent | None = None, models: tuple[str, str] = ("w", "d"), seed: int | None = None
    ) -> Table:
        dealt = next(_seeds) + 1_000_000 if seed is None else seed
        witness, detective = register(agent, models[0]), register(other or agent, models[1])
        witness.join(preferred_role="Witness", seed=dealt)
        assert detective.join(preferred_role="Detective", seed=dealt)["game_ready"] is True
        return Table(witness, detective)

    return sit_down


Answer = Callable[[str, dict[str, str], Any], tuple[int, Any] | None]
"""`answer(path, headers, body)`: the status and what is said, text as it is and all else as JSON; None: nothing."""


@pytest.fixture
def chat_endpoint() -> Iterator[Callable[[Answer], str]]:
    """`chat_endpoint(answer)`: the address of a chat endpoint that answers so."""
    opened: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def open_endpoint(answer: Answer) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answered = answer(self.path, dict(self.headers), body)
                if answered is None:
                    self.close_connection = True
                    return
                status, said = answered
                data = said.encode() if isinstance(said, str) else json.dumps(said).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        opened.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/v1"

    yield open_endpoint
    for server, thread in opened:
        server.shutdown()
        thread.join(PATIENCE)
        server.server_close()


@pytest.fixture
def seed() -> int:
    """A seed that no other test uses."""
    return next(_seeds)


@pytest.fixture
def patience() -> float:
    """Seconds that something which has to happen may take."""
    return PATIENCE
