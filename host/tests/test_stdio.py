"""MCP over real pipes, sockets and terminals: what a client sees, whatever it does."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import MODERN_VERSION, PATIENCE, Era, ServerProcess

MAX_LINE = 2_000_000
MIB = 1024 * 1024

SERVER = """
import sys
from agenthost.wire import claim

def start(arguments):
    global options, wire
    options = json.loads(arguments)
    print(end=options.get("print", ""))
    wire = claim()
    atexit.register(print, "NOISE atexit")
    anyio.run(main)

import asyncio, atexit, json, os, resource, subprocess
import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.message import SessionMessage
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
import agenthost.stdio.conversation
from agenthost.stdio import StdioTransport

def say(text):
    print(text, file=sys.stderr, flush=True)

async def echo(ctx, text=""):
    return text

async def big(ctx, size):
    return "x" * size

async def ended(ctx):
    await input_ended.wait()
    await asyncio.sleep(0.1)
    return "finished after the end of the input"

async def forever(ctx):
    await asyncio.Event().wait()

async def broken_text(ctx):
    params = {"key \\ud800": {"deep \\ud800": ["half \\ud800 of a pair", float("nan")]}}
    await to_client.send(SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method="test/broken", params=params)))
    return {"text": "\\udfff!", "number": float("nan"), "more": [float("inf"), "\\ud83d\\ude00"]}

async def noise(ctx):
    print("NOISE print")
    os.write(1, b"NOISE os.write\\n")
    subprocess.run(["sh", "-c", "echo NOISE child; cat"], check=True)
    child = os.fork()
    if not child:
        print("NOISE fork", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    return repr(sys.stdin.read())

async def fork(ctx, fifo):
    if not os.fork():
        open(fifo).read()
        os._exit(0)
    return "forked"

async def peak(ctx):
    unit = 1 if sys.platform == "darwin" else 1024
    return str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)

async def last_words(ctx):
    async def speak(number):
        await ctx.session.report_progress(number, None, "x" * 100_000)
    global spoken
    spoken = [asyncio.ensure_future(speak(number)) for number in range(20)]
    def cancel():
        everything.cancel()
        say("cancelled")
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(cancel)
    return "last words"

async def stop(ctx):
    everything.cancel()

TOOLS = {tool.__name__: tool for tool in (echo, big, ended, forever, broken_text, noise, fork, peak, last_words, stop)}

async def call_tool(ctx, params):
    say("begin " + params.name)
    answer = await TOOLS[params.name](ctx, **(params.arguments or {}))
    if isinstance(answer, dict):
        return types.CallToolResult(content=[], structured_content=answer)
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(answer))])

async def list_tools(ctx, params):
    return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema={"type": "object"})])

async def no_json(ctx, params):
    return {"value": object()}  # results of methods that are not the protocol's own reach the transport unchecked

server = Server(
    "test", on_call_tool=call_tool, on_list_tools=list_tools, get_tool_input_schema=lambda name: None,
    on_subscriptions_listen=ListenHandler(InMemorySubscriptionBus()),
)
server.add_request_handler("test/no-json", types.RequestParams, no_json)

def input_end():
    input_ended.set()
    say("input ended")

async def main():
    global input_ended, everything, to_client
    input_ended, everything = asyncio.Event(), anyio.CancelScope()
    agenthost.stdio.conversation.FLUSH_SECONDS = options.get("flush", agenthost.stdio.conversation.FLUSH_SECONDS)
    transport = StdioTransport(
        wire, max_line_bytes=2_000_000, drain_seconds=options.get("drain", 2),
        on_input_end=input_end, on_client_gone=lambda: say("client gone"),
    )
    with everything:
        async with transport.open() as (from_client, to_client):
            say("serving")
            await server.run(from_client, to_client, server.create_initialization_options())
"""

NURSERY = """
import gc, select, socket
gc.freeze()  # or every child takes most of a second to take apart what it has inherited
listener = socket.socket(fileno=int(sys.argv[1]))
while True:
    connection, _ = listener.accept()
    if os.fork():
        connection.close()
        continue
    arguments, descriptors, _, _ = socket.recv_fds(connection, 65536, 3)
    child = os.fork()
    if not child:
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        os.closerange(3, 64)
        start(arguments)
        sys.exit()
    for descriptor in descriptors:
        os.close(descriptor)
    killed = False
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if not killed and select.select([connection], [], [], 0.01)[0]:
            os.kill(child, 9)
            killed = True
    if not killed:
        connection.send(str(os.waitstatus_to_exitcode(ended[1])).encode())
    os._exit(0)
"""

STAND_IN = """
import os, socket, sys
nursery = socket.socket(socket.AF_UNIX)
nursery.connect(sys.argv[1])
socket.send_fds(nursery, [sys.argv[2].encode()], [0, 1, 2])
os.closerange(0, 3)
os._exit(int(nursery.recv(10) or 255))
"""


@pytest.fixture(scope="module")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The command that starts a server, without its arguments as JSON.

    Importing the SDK takes a second. One process does so and forks a server for each stand-in that hands
    over its stdin, stdout and stderr; the stand-in ends as the server does, and takes it with it if killed.
    """
    with socket.socket(socket.AF_UNIX) as listener:
        path = str(tmp_path_factory.mktemp("n") / "socket")
        listener.bind(path)
        listener.listen()
        command = [sys.executable, "-c", SERVER + NURSERY, str(listener.fileno())]
        env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], env=env)
    yield [sys.executable, "-I", "-S", "-c", STAND_IN, path]
    process.kill()
    process.wait(PATIENCE)


class Client(ServerProcess):
    """A client of the script above that may refuse to read."""

    def __init__(self, command: list[str], *, reads: bool = True, **options: Any) -> None:
        self.cut_off = False
        """The server is expected to give up in the middle of a message."""
        self._reads = threading.Event()
        if reads:
            self._reads.set()
        super().__init__([*command, json.dumps(options)])

    def assert_only_json_rpc(self) -> None:
        if self.cut_off and self.lines and not self.lines[-1].endswith(b"\n"):
            self.lines.pop()
        super().assert_only_json_rpc()

    def _read_stdout(self) -> None:
        assert self.process.stdout is not None
        self._reads.wait(10 * PATIENCE)
        if self.process.stdout.closed:
            self._inbox.put(None)
        else:
            super()._read_stdout()

    def read(self) -> None:
        """Begin to read."""
        self._reads.set()

    def leave(self) -> None:
        """Close the reading end without having read."""
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._reads.set()

    def begun(self, tool: str) -> int:
        """How many calls of the tool have reached their handler."""
        return self.stderr.count(f"begin {tool}\n")


StartClient = Callable[..., Client]


@pytest.fixture
def start(nursery: list[str]) -> Iterator[StartClient]:
    clients: list[Client] = []

    def start_client(**options: Any) -> Client:
        clients.append(Client(nursery, **options))
        return clients[-1]

    yield start_client
    for client in clients:
        client.read()
        client.stop()
        client.assert_only_json_rpc()


@pytest.fixture(scope="module")
def server(nursery: list[str]) -> Iterator[Client]:
    """One handshake-era server for all tests that leave it as it was."""
    client = Client(nursery)
    client.open("legacy")
    yield client
    try:
        assert client.close() == 0
        assert "Traceback" not in client.stderr
        client.assert_only_json_rpc()
    finally:
        client.stop()


def call(request_id: Any, tool: str, era: Era = "legacy", **arguments: Any) -> bytes:
    params: dict[str, Any] = {"name": tool, "arguments": arguments}
    if era == "modern":
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}).encode() + b"\n"


def text(response: dict[str, Any]) -> str:
    [block] = response["result"]["content"]
    return str(block["text"])


def eventually(condition: Callable[[], bool], what: str) -> None:
    """Poll for a state that nothing announces; fails after PATIENCE seconds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"never happened: {what}"
        time.sleep(0.01)


def settled(number: Callable[[], int]) -> int:
    """Wait until a number has not changed for 0.4 s and return it."""
    end = time.monotonic() + PATIENCE
    seen, since = number(), time.monotonic()
    while time.monotonic() - since < 0.4:
        assert time.monotonic() < end, "it never settled"
        time.sleep(0.02)
        if number() != seen:
            seen, since = number(), time.monotonic()
    return seen


# ---------------------------------------------------------------------------------------------------------- input


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_client_of_either_era_is_served_until_it_ends_its_input(era: Era) -> None:
    client = Client([sys.executable, "-c", SERVER + "start(sys.argv[1])"])  # a start as in life, imports and all
    try:
        client.open(era)
        assert [tool["name"] for tool in client.tools()] == ["echo"]
        assert client.text("echo", {"text": "hello"}) == "hello"
        assert client.close() == 0
        assert client.stderr.count("input ended") == 1
        assert "Traceback" not in client.stderr
    finally:
        client.stop()
    client.assert_only_json_rpc()


@pytest.mark.parametrize(
    ("line", "code", "request_id", "says"),
    [
        (b"hello\n", -32700, None, "one line of JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"\n', -32700, None, "one line of JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0"}\n', -32700, None, "one line of JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"\x00"}\n', -32700, None, "one line of JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}\n', -32700, None, "NaN is not JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":-Infinity}}\n', -32700, None, "not JSON"),
        (b'{"id":' + b"9" * 5000 + b"}\n", -32700, None, "JSON"),
        (b"[" * 100_000 + b"]" * 100_000 + b"\n", -32700, None, "nested"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + b"[" * 300 + b"]" * 300 + b"}}\n",
         -32700, None, "nested"),
        (b"Content-Length: 40\r\n", -32700, None, "Content-Length"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}Content-Length: 40\r\n', -32700, None, "Content-Length"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600, None, "batches"),
        (b"7\n", -32600, None, "object"),
        (b'{"id":3,"method":"ping"}\n', -32600, 3, '"jsonrpc"'),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}\n', -32600, "a", '"jsonrpc"'),
        (b'{"jsonrpc":"2.0","id":4}\n', -32600, 4, '"method"'),
        (b'{"jsonrpc":"2.0","id":4,"method":5}\n', -32600, 4, '"method"'),
        (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}\n', -32600, 5, '"params"'),
        (b'{"jsonrpc":"2.0","id":"6","method":"ping","params":"x"}\n', -32600, "6", '"params"'),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}\n', -32600, None, '"params"'),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600, None, '"id"'),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', -32600, None, '"id"'),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600, None, '"id"'),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}\n', -32600, None, '"id"'),
        # The id of a response is one of the server's: an error with it would hit a request of the client.
        (b'{"jsonrpc":"2.0","id":7,"result":[]}\n', -32600, None, "response"),
        (b'{"jsonrpc":"2.0","id":7,"error":"no"}\n', -32600, None, "response"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_message_is_answered_with_one_error_and_the_next_line_is_served(
    server: Client, line: bytes, code: int, request_id: Any, says: str
) -> None:
    server.send(line)
    answer = server.receive()
    assert (answer["id"], answer["error"]["code"]) == (request_id, code)
    assert says in answer["error"]["message"]
    server.send(call("next", "echo", text="still here"))
    assert text(server.receive()) == "still here"


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (call("r", "echo", text="x").replace(b"\n", b"\r\n"), "x"),
        (b"\n \r\n\t\n" + call("r", "echo", text="x"), "x"),
        (b" " + call("r", "echo", text="x"), "x"),
        (call("r", "echo", text="\u0000\u2028\x85"), "\u0000\u2028\x85"),
        (call("r", "echo", text="@").replace(b"@", "\u2028\U0001f600".encode()), "\u2028\U0001f600"),
        (call("r", "echo", text="@").replace(b"@", b"\xff\xfe"), "\ufffd\ufffd"),
        (call("r", "echo", text="\U0001f600"), "\U0001f600"),
        (call("r", "echo", text="a\ud800b\udc00\ud800"), "a\ufffdb\ufffd\ufffd"),
        (call("r", "echo", text="@").replace(b'"@"', b'"first","text":"last"'), "last"),
        (call("r", "echo", text=10**40), str(10**40)),
        (call("r", "echo", text="x" * (MAX_LINE - 200)), "x" * (MAX_LINE - 200)),
        (call("r", "echo", text="x").replace(b'"id": "r"', b'"id": 0, "id": "r"'), "x"),
    ],
    ids=["crlf", "blank lines", "leading blank", "escapes", "raw U+2028", "not UTF-8", "pair", "lone surrogates",
         "double key", "huge int", "long line", "double id"],
)  # fmt: skip
def test_an_unusual_line_that_is_a_message_is_served(server: Client, sent: bytes, expected: str) -> None:
    server.send(sent)
    assert text(server.answer("r")) == expected


def test_messages_are_served_however_they_are_cut_into_writes(server: Client) -> None:
    sent = call("a", "echo", text="1") + call("b", "echo", text="2") + call("c", "echo", text="3")
    for position in range(0, len(sent), 7):
        server.send(sent[position : position + 7])
    assert [text(server.answer(request_id)) for request_id in "abc"] == ["1", "2", "3"]


def test_a_line_that_is_too_long_is_refused_while_it_arrives_and_is_not_kept(server: Client) -> None:
    before = int(server.text("peak"))
    for _ in range(32):
        server.send(b"x" * 2 * MIB)
    answer = server.receive()  # the line is not finished yet
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    assert f"longer than {MAX_LINE} bytes" in answer["error"]["message"]
    assert "host.max_line_bytes" in answer["error"]["message"]
    server.send(b"x\n" + call("next", "peak"))
    assert int(text(server.receive())) - before < 16 * MIB


def test_a_last_line_without_line_feed_is_a_message(start: StartClient) -> None:
    client = start()
    client.send(call(1, "echo", "modern", text="last").rstrip(b"\n"))
    client.close_stdin()
    assert text(client.answer(1)) == "last"
    assert client.wait() == 0


def test_a_pipeline_gets_every_answer_twenty_times_of_twenty(nursery: list[str]) -> None:
    lines = b"".join(call(number, "big", "modern", size=number * 3000) for number in range(8))
    for _ in range(20):
        done = subprocess.run([*nursery, "{}"], input=lines, capture_output=True, timeout=PATIENCE, check=True)
        assert sorted(json.loads(line)["id"] for line in done.stdout.splitlines()) == list(range(8))


# --------------------------------------------------------------------------------------------------------- output


def test_what_json_or_utf_8_cannot_carry_is_replaced_in_results_and_notifications(server: Client) -> None:
    structured = server.call("broken_text")["result"]["structuredContent"]
    assert structured == {"text": "\ufffd!", "number": None, "more": [None, "\ufffd\ufffd"]}
    params = server.wait_for_notification("test/broken")["params"]
    assert params == {"key \ufffd": {"deep \ufffd": ["half \ufffd of a pair", None]}}


def test_a_result_that_has_no_json_form_is_an_internal_error_of_that_request(start: StartClient) -> None:
    client = start()
    client.open("modern")
    error = client.request("test/no-json")["error"]
    assert error["code"] == -32603
    assert "object" not in error["message"]  # details are for the log
    assert client.text("echo", {"text": "still here"}) == "still here"
    assert client.close() == 0


def test_stray_output_lands_on_stderr_and_stray_input_is_empty(start: StartClient) -> None:
    client = start(print="NOISE before\n")
    client.open()
    assert client.text("noise") == "''"
    assert client.close() == 0
    for source in ("before", "print", "os.write", "child", "fork", "atexit"):
        assert client.stderr.count(f"NOISE {source}") == 1, source
    client.assert_only_json_rpc()


def test_answers_are_written_in_the_order_in_which_they_are_sent(server: Client) -> None:
    ids = [f"o{number}" for number in range(300)]
    server.send(
        b"".join(call(request_id, "echo", text="x" * (number % 7) * 2000) for number, request_id in enumerate(ids))
    )
    assert [server.receive()["id"] for _ in ids] == ids


def test_a_client_that_does_not_read_stops_being_read_and_gets_every_answer_later(start: StartClient) -> None:
    client = start(reads=False)
    client.era = "modern"
    client.send(call("before", "peak", "modern"))
    for number in range(300):
        client.send(call(number, "big", "modern", size=1_000_000))
    client.send(call("after", "peak", "modern"))
    client.wait_for_stderr("begin big")
    assert settled(lambda: client.begun("big")) < 30  # not all of the 300: memory is bounded by what is read
    client.read()
    before = int(text(client.answer("before")))
    for number in range(300):
        assert len(text(client.answer(number))) == 1_000_000
    assert int(text(client.answer("after"))) - before < 60 * MIB
    assert client.close() == 0


# ------------------------------------------------------------------------------------------------------- the end


def test_a_request_in_flight_at_the_end_of_the_input_is_answered(start: StartClient) -> None:
    client = start(drain=PATIENCE)
    client.open()
    request_id = client.start_request("tools/call", {"name": "ended"})
    client.close_stdin()
    assert text(client.answer(request_id)) == "finished after the end of the input"
    assert client.wait(PATIENCE / 2) == 0  # and not after the whole drain time


def test_a_request_that_does_not_finish_is_given_up_after_the_drain_time(start: StartClient) -> None:
    client = start(drain=0.3)
    client.open()
    request_id = client.start_request("tools/call", {"name": "forever"})
    client.close_stdin()
    assert client.answer(request_id)["error"]["code"] == -32000
    assert client.wait() == 0


def test_cancelled_requests_and_listen_streams_are_not_waited_for(start: StartClient) -> None:
    client = start(drain=10 * PATIENCE)
    client.open("modern")
    client.listen()
    request_id = client.start_request("tools/call", {"name": "forever"})
    client.wait_for_stderr("begin forever")
    # Some clients turn ids into strings: "7" cancels 7.
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": str(request_id)}})
    assert client.close() == 0


def test_a_client_that_stops_reading_is_noticed_while_nothing_is_written(start: StartClient) -> None:
    client = start(reads=False)
    client.wait_for_stderr("serving")
    client.leave()
    assert client.wait() == 0  # although its input is still open
    assert client.stderr.count("client gone") == 1
    assert "input ended" not in client.stderr
    assert "Traceback" not in client.stderr


def test_a_client_that_leaves_in_the_middle_of_an_answer_leaves_no_traceback(start: StartClient) -> None:
    client = start(reads=False)
    for number in range(20):
        client.send(call(number, "big", "modern", size=1_000_000))
    client.send(call("f", "forever", "modern"))
    client.wait_for_stderr("begin big")
    client.leave()
    assert client.wait() == 0
    assert client.stderr.count("client gone") == 1
    assert "Traceback" not in client.stderr


def test_a_cancelled_conversation_ends_although_a_write_is_stuck(start: StartClient) -> None:
    client = start(reads=False)
    client.cut_off = True
    client.send(call(1, "big", "modern", size=1_000_000) + call(2, "forever", "modern") + call(3, "stop", "modern"))
    client.wait_for_stderr("begin stop")
    begin = time.monotonic()
    assert client.process.wait(PATIENCE) == 0
    assert time.monotonic() - begin < 6  # the SDK gives its last answers 1 s, the transport 0.5 s
    assert "Traceback" not in client.stderr


def test_what_is_queued_when_the_conversation_is_cancelled_is_still_written(start: StartClient) -> None:
    client = start(reads=False, flush=PATIENCE)  # in life 0.5 s, which a busy machine may need for itself
    client.era = "modern"
    request_id = client.start_request("tools/call", {"name": "last_words", "_meta": {"progressToken": 1}})
    client.wait_for_stderr("cancelled")
    client.read()
    assert text(client.answer(request_id)) == "last words"
    assert [message["params"]["progress"] for message in client.notifications] == list(range(20))
    assert client.wait() == 0


# ------------------------------------------------------------------------------- what stdin and stdout can be


class Channel:
    """A server on given descriptors, spoken to over others; for what is not a pipe."""

    def __init__(self, command: list[str], stdin: Any, stdout: Any, **options: Any) -> None:
        self.process = subprocess.Popen(
            [*command, json.dumps(options)], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE
        )
        self._rest = b""
        self._errors = b""

    def wait_for_stderr(self, line: bytes, times: int = 1) -> None:
        """Wait until stderr has said a line that often."""
        assert self.process.stderr is not None
        while self._errors.splitlines().count(line) < times:
            assert select.select([self.process.stderr], [], [], PATIENCE)[0], self._errors
            chunk = os.read(self.process.stderr.fileno(), 65536)
            assert chunk, self._errors
            self._errors += chunk

    def receive(self, descriptor: int) -> dict[str, Any] | None:
        """The next message from `descriptor`; None at its end."""
        while b"\n" not in self._rest:
            assert select.select([descriptor], [], [], PATIENCE)[0], "nothing came"
            chunk = os.read(descriptor, 65536)
            if not chunk:
                return None
            self._rest += chunk
        line, self._rest = self._rest.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def finish(self, *, reads: bool = True) -> str:
        """End the input, wait for the end with exit code 0; returns what was said on stderr."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        assert self.process.stderr is not None
        if reads and self.process.stdout is not None:
            assert self.receive(self.process.stdout.fileno()) is None
        code = self.process.wait(PATIENCE)
        errors = (self._errors + self.process.stderr.read()).decode()
        assert code == 0, errors
        assert "Traceback" not in errors
        return errors

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def test_sockets_are_served_and_a_half_closed_one_is_not_taken_for_gone(nursery: list[str]) -> None:
    # Node starts servers with two socket pairs and may close its own sending direction of the second.
    theirs_in, ours_in = socket.socketpair()
    theirs_out, ours_out = socket.socketpair()
    with theirs_in, theirs_out:
        with ours_in, ours_out:
            channel = Channel(nursery, ours_in, ours_out)
        with channel:
            theirs_out.shutdown(socket.SHUT_WR)
            for request_id, size in ((1, 1), (2, 3_000_000), (3, 1)):
                theirs_in.sendall(call(request_id, "big", "modern", size=size))
                answer = channel.receive(theirs_out.fileno())
                assert answer is not None
                assert (answer["id"], len(text(answer))) == (request_id, size)
            theirs_in.sendall(b"".join(call(number, "big", "modern", size=3000) for number in range(300)))
            channel.wait_for_stderr(b"begin big", 303)  # the answers are more than the socket holds
            for number in range(300):
                answer = channel.receive(theirs_out.fileno())
                assert answer is not None
                assert (answer["id"], len(text(answer))) == (number, 3000)
            theirs_in.shutdown(socket.SHUT_WR)
            assert channel.receive(theirs_out.fileno()) is None
            assert "client gone" not in channel.finish()


def test_one_socket_may_be_both_stdin_and_stdout(nursery: list[str]) -> None:
    theirs, ours = socket.socketpair()
    with theirs:
        with ours:
            channel = Channel(nursery, ours, ours)
        with channel:
            theirs.sendall(call(1, "ended", "modern"))
            theirs.shutdown(socket.SHUT_WR)
            answer = channel.receive(theirs.fileno())
            assert answer is not None
            assert text(answer) == "finished after the end of the input"
            channel.finish()


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_the_end_of_the_input_is_noticed_although_the_client_reads_nothing(nursery: list[str], kind: str) -> None:
    ours, theirs = os.pipe() if kind == "pipe" else (end.detach() for end in socket.socketpair())
    os.set_blocking(theirs, False)
    with (
        Channel(nursery, ours, subprocess.PIPE, drain=0.5) as channel,
        os.fdopen(theirs, "wb", buffering=0) as requests,
    ):
        os.close(ours)
        # Until the server, which cannot get rid of its answers, has stopped reading.
        while select.select([], [requests], [], 1)[1]:
            requests.write(call(1, "big", "modern", size=1_000_000))
        if kind == "pipe":
            requests.close()
        else:
            with socket.socket(fileno=os.dup(theirs)) as half:
                half.shutdown(socket.SHUT_WR)
        assert channel.finish(reads=False).count("input ended") == 1


def test_a_client_that_reads_slowly_after_the_end_of_its_input_gets_every_answer(nursery: list[str]) -> None:
    with Channel(nursery, subprocess.PIPE, subprocess.PIPE, drain=1) as channel:
        assert channel.process.stdin is not None
        assert channel.process.stdout is not None
        channel.process.stdin.write(b"".join(call(number, "big", "modern", size=1_000_000) for number in range(24)))
        channel.process.stdin.close()
        for number in range(24):
            answer = channel.receive(channel.process.stdout.fileno())
            assert answer is not None
            assert answer["id"] == number
            time.sleep(0.1)  # all of it takes longer than the drain time
        assert channel.process.wait(PATIENCE) == 0


def test_a_client_that_closes_its_socket_is_noticed_while_nothing_is_written(nursery: list[str]) -> None:
    theirs, ours = socket.socketpair()
    with ours:
        channel = Channel(nursery, subprocess.PIPE, ours)
    with channel:
        channel.wait_for_stderr(b"serving")
        theirs.close()
        assert channel.process.wait(PATIENCE) == 0  # although its input is still open
        assert channel.finish().count("client gone") == 1


def test_a_file_and_the_null_device_are_served_as_input(nursery: list[str], tmp_path: Path) -> None:
    requests = tmp_path / "requests"
    requests.write_bytes(b"".join(call(number, "echo", "modern", text="x" * 2000) for number in range(200)))
    with requests.open("rb") as file, Channel(nursery, file, subprocess.PIPE) as channel:
        assert channel.process.stdout is not None
        answers = [channel.receive(channel.process.stdout.fileno()) for _ in range(200)]
        assert [answer["id"] for answer in answers if answer] == list(range(200))
        channel.finish()
    with Channel(nursery, subprocess.DEVNULL, subprocess.PIPE) as channel:
        assert "input ended" in channel.finish()


def test_answers_may_go_to_a_file(nursery: list[str], tmp_path: Path) -> None:
    target = tmp_path / "answers"
    with target.open("wb") as file, Channel(nursery, subprocess.PIPE, file) as channel:
        assert channel.process.stdin is not None
        channel.process.stdin.write(call(1, "echo", "modern", text="x"))
        channel.finish()
    assert json.loads(target.read_bytes())["id"] == 1


def test_a_terminal_is_served_until_end_of_file_is_typed(nursery: list[str]) -> None:
    keyboard, terminal = pty.openpty()
    try:
        with Channel(nursery, terminal, subprocess.PIPE) as channel:
            assert channel.process.stdout is not None
            os.write(keyboard, call(1, "echo", "modern", text="typed"))
            answer = channel.receive(channel.process.stdout.fileno())
            assert answer is not None
            assert text(answer) == "typed"
            os.write(keyboard, b"\x04")
            assert "input ended" in channel.finish()
    finally:
        os.close(keyboard)
        os.close(terminal)


def test_descriptors_that_somebody_else_made_non_blocking_are_served(nursery: list[str]) -> None:
    (from_client, to_server), (from_server, to_client) = os.pipe(), os.pipe()
    os.set_blocking(from_client, False)
    os.set_blocking(to_client, False)
    try:
        with Channel(nursery, from_client, to_client) as channel:
            os.close(from_client)
            os.close(to_client)
            for request_id, size in ((1, 3_000_000), (2, 1)):
                os.write(to_server, call(request_id, "big", "modern", size=size))
                answer = channel.receive(from_server)
                assert answer is not None
                assert (answer["id"], len(text(answer))) == (request_id, size)
            os.close(to_server)
            channel.finish()
    finally:
        os.close(from_server)


def test_a_forked_child_that_lives_on_does_not_hold_the_conversation_open(start: StartClient, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    hold = os.open(fifo, os.O_RDWR)  # the child waits until this is closed
    try:
        client = start()
        client.open()
        assert client.text("fork", {"fifo": str(fifo)}) == "forked"
        client.close_stdin()
        with pytest.raises(EOFError):
            client.receive()
        assert client.process.wait(PATIENCE) == 0
    finally:
        os.close(hold)


@pytest.mark.parametrize(("closed", "name"), [(0, "stdin"), (1, "stdout")])
def test_a_closed_stdin_or_stdout_is_reported_to_the_operator(closed: int, name: str) -> None:
    script = f"import os; os.close({closed}); from agenthost.wire import claim; claim()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert f"OperatorError: {name} is closed, but `serve` speaks MCP on stdin and stdout" in done.stderr


def test_without_stderr_stray_output_vanishes_and_no_file_takes_its_number() -> None:
    script = """
import os, sys
os.close(2)
from agenthost.wire import claim
wire = claim()
print("stray")
facts = [os.fstat(2).st_rdev == os.stat(os.devnull).st_rdev, os.get_inheritable(2), min(wire.input, wire.output) > 2,
         os.get_inheritable(wire.input), os.get_inheritable(wire.output)]
os.write(wire.output, str(facts).encode())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "[True, True, True, False, False]"
