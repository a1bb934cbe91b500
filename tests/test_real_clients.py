"""The official clients on Node against the real command: the Inspector, and the TypeScript SDKs of both eras.

What a client of the SDKs does is written in `clients/conversation.mjs`; each test looks at one part of what it told.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import ServerProcess

AGENTHOST = str(Path(sys.executable).with_name("agenthost"))
SCRIPTS = Path(__file__).parent / "clients"

RunNode = Callable[..., subprocess.CompletedProcess[str]]
Inspect = Callable[..., tuple[int, Any]]
StartServer = Callable[..., ServerProcess]


@pytest.fixture(scope="session")
def run_node(tmp_path_factory: pytest.TempPathFactory) -> RunNode:
    """`run_node(script, *arguments, env=, cwd=)`: run a script of `clients`, or one of the installed packages."""
    if "AGENTHOST_NODE" not in os.environ:
        pytest.skip("needs Node and its packages: nox -s together")
    folder = tmp_path_factory.mktemp("clients")
    for script in SCRIPTS.glob("*.mjs"):
        shutil.copy(script, folder)
    (folder / "node_modules").symlink_to(os.environ["AGENTHOST_NODE_MODULES"])

    def run(script: str, *arguments: str, env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [os.environ["AGENTHOST_NODE"], str(folder / script), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=env,
            cwd=cwd,
        )

    return run


# The Inspector, which a person runs to look at a server


@pytest.fixture
def inspect(run_node: RunNode, places: Any) -> Inspect:
    """`inspect(target, *method)`: the exit code of the Inspector, and what it printed."""

    def run(target: list[str], *method: str) -> tuple[int, Any]:
        script = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
        env = places.environment([], {"HOME": str(places.new("inspector-home"))})
        done = run_node(script, "--cli", *target, *method, "--format", "json", "-q", env=env, cwd=places.new("cwd"))
        printed = done.stdout if done.returncode in (0, 5) and done.stdout.strip() else done.stderr
        return done.returncode, json.loads(printed.strip().splitlines()[-1])

    return run


@pytest.fixture
def on_stdio(places: Any) -> Callable[..., list[str]]:
    """`on_stdio(*serve_arguments, plugins=())`: the command line of a server, for the Inspector to start."""

    def target(*arguments: str, plugins: Sequence[str] = ()) -> list[str]:
        # TypeScript clients hand over a few variables only, and these are none of them.
        wanted = ("PYTHONPATH", "AGENTHOST_STATE_DIR")
        env = [f"{name}={value}" for name, value in places.environment(plugins, None).items() if name in wanted]
        return ["env", *env, AGENTHOST, "serve", *arguments]

    return target


@pytest.fixture(scope="module")
def shared_url(start_shared: StartServer) -> str:
    """The address of a server with campfire and void."""
    return start_shared("--http", "0", "--plugins", "campfire,void").url


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_lists_calls_asks_and_reads(
    inspect: Inspect, on_stdio: Callable[..., list[str]], request: pytest.FixtureRequest, transport: str, era: str
) -> None:
    served = on_stdio("--plugins", "campfire,void")
    target = served if transport == "stdio" else [request.getfixturevalue("shared_url")]

    def told(*method: str) -> Any:
        code, printed = inspect(target, *method, "--protocol-era", era)
        assert code == 0, printed
        return printed["result"]

    names = [tool["name"] for tool in told("--method", "tools/list")["tools"]]
    assert names[0] == "campfire_get_or_create_fire"
    assert names[-1] == "Universal"
    call = ("--method", "tools/call", "--tool-name", "campfire_get_or_create_fire", "--tool-args-json")
    assert told(*call, json.dumps({"fireId": f"of {era}"}))["structuredContent"]["id"] == f"of {era}"
    prompt = ("--method", "prompts/get", "--prompt-name", "campfire_catch_up", "--prompt-args", f"fireId=of {era}")
    assert f"'of {era}'" in told(*prompt)["messages"][0]["content"]["text"]
    read = told("--method", "resources/read", "--uri", "campfire://fires")["contents"][0]
    assert f"of {era}" in read["text"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_x01_the_inspector_lists_the_good_tools_among_bad_ones(
    inspect: Inspect, on_stdio: Callable[..., list[str]], era: str
) -> None:
    """TypeScript clients refuse the whole list for one null, boolean or array where they expect an object."""
    definitions = [
        {"name": "boolean_property", "input_schema": {"type": "object", "properties": {"a": True, "b": False}}},
        {"name": "null_required", "input_schema": {"type": "object", "required": None, "properties": None}},
        {"name": "null_hint", "input_schema": {"type": "object"}, "annotations": {"readOnlyHint": None}},
        {"name": "array_output", "input_schema": {"type": "object"}, "output_schema": {"type": "array"}},
        {"name": "any_output", "input_schema": {"type": "object"}, "output_schema": {"anyOf": [{"type": "object"}]}},
        {"name": "no_root", "input_schema": {}},
    ]
    option = f"--set=alpha.definitions={json.dumps(json.dumps(definitions))}"
    target = on_stdio("--plugins", "alpha,typed", option, plugins=["puppets", "calls"])
    code, listed = inspect(target, "--method", "tools/list", "--protocol-era", era)
    assert code == 0, listed
    names = [tool["name"] for tool in listed["result"]["tools"]]
    assert names[:6] == ["ping", *(str(definition["name"]) for definition in definitions[:5])]
    assert "give_result" in names


def test_the_inspector_reads_a_crash_as_an_error_result(inspect: Inspect, on_stdio: Callable[..., list[str]]) -> None:
    call = ["--method", "tools/call", "--tool-name", "raises", "--tool-args-json", "{}"]
    code, called = inspect(on_stdio("--plugins", "crashing", plugins=["calls"]), *call)
    assert code == 5
    assert "(reference " in json.dumps(called)
    assert "internal" not in json.dumps(called)


# The SDKs, with which clients are made


@dataclass(frozen=True)
class Conversation:
    """What a client told about the server, and what the server wrote to stderr meanwhile."""

    said: dict[str, Any]
    stderr: str


CLIENTS = {
    "sdk 1": ("sdk_1.mjs", {}),
    "client 2": ("client_2.mjs", {"mode": {"pin": "2026-07-28"}}),
}


@pytest.fixture(scope="module", params=[(client, transport) for client in CLIENTS for transport in ("stdio", "http")])
def conversation(
    request: pytest.FixtureRequest, run_node: RunNode, shared_places: Any, start_shared: StartServer
) -> Conversation:
    """A whole conversation of one client with a server of its own, over one transport."""
    client, transport = request.param
    script, options = CLIENTS[client]
    plugins = ["calls", "conformance_tools"]
    arguments = ["--plugins", "campfire,void,probe,conformance-tools", "--set", "void.mutable=true"]
    state = {"AGENTHOST_STATE_DIR": str(shared_places.new("state"))}
    env = shared_places.environment(plugins, state)
    if transport == "http":
        server = start_shared("--http", "0", *arguments, plugins=plugins, env=state)
        target: dict[str, Any] = {"url": server.url}
    else:
        cwd = str(shared_places.new("cwd"))
        target = {"command": AGENTHOST, "args": ["serve", *arguments], "env": env, "cwd": cwd}
    done = run_node(script, json.dumps({**options, **target}), env=env, cwd=shared_places.new("cwd"))
    assert done.returncode == 0, done.stderr
    stderr = server.wait_for_stderr("cancelled while holding") if transport == "http" else done.stderr
    return Conversation(json.loads(done.stdout), stderr)


def test_an_sdk_lists_tools_of_several_plugins_and_calls_them(conversation: Conversation) -> None:
    said = conversation.said
    assert said["server"] == "agenthost"
    assert {"campfire_ping", "Universal", "hold_async", "test_simple_text"} <= set(said["tools"])
    assert said["called"]["id"] == "f"
    assert said["wrong"]["isError"]
    assert "did you mean 'fireId'?" in said["wrong"]["content"][0]["text"]


def test_an_sdk_gets_a_prompt_reads_a_resource_and_has_an_address_completed(conversation: Conversation) -> None:
    said = conversation.said
    assert "campfire_catch_up" in said["prompts"]
    assert "the campfire fire 'f'" in said["prompt"][0]["content"]["text"]
    assert said["resources"] == ["campfire://fires"]
    assert "campfire://fires/{fireId}" in said["templates"]
    assert said["read"]["id"] == "f"
    assert said["completed"] == ["f"]


def test_an_sdk_hears_of_changes_while_it_is_subscribed_and_once_of_a_new_tool(conversation: Conversation) -> None:
    """That updates of the two fires came is what let the conversation go on."""
    said = conversation.said
    assert said["updatesAfterwards"] == 0
    assert said["added"]
    assert said["made"] == "I was made"
    assert said["changes"] == 1


def test_an_sdk_cancels_a_call_and_the_server_really_ends_it(conversation: Conversation) -> None:
    assert conversation.said["cancelled"]
    assert "cancelled while holding g" in conversation.stderr
    assert conversation.said["afterwards"].startswith("pong")


def test_an_sdk_asks_its_user_its_model_and_itself(conversation: Conversation) -> None:
    said = conversation.said
    assert "action=accept" in said["accepted"]
    assert "ann@example.org" in said["accepted"]
    assert "action=decline" in said["declined"]
    assert said["sampled"] == "LLM response: I was asked: say something"
    assert said["roots"] == "The roots are file:///srv/project."
    assert said["rounds"] == "ann likes blue."


def test_a_conversation_leaves_no_traceback(conversation: Conversation) -> None:
    assert "Traceback" not in conversation.stderr
