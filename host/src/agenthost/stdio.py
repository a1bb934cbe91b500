"""MCP over stdin and stdout: one JSON-RPC message a line, both directions on one event loop.

The SDK's own transport answers nothing that is malformed, dies on a lone surrogate, drops answers at
the end of the input and grows without bound for a client that does not read; this one does not.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import logging
import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NoReturn, Self

import anyio
from mcp.shared.dispatcher import as_request_id, coerce_request_id
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from agenthost.wire import Hangups, Input, Output, Wire

log = logging.getLogger(__name__)

UNSENT_LIMIT = 4 * 1024 * 1024
"""Bytes waiting for a client to read them beyond which no further message of it is taken."""

MAX_DEPTH = 200
"""Levels of nesting in a message: the limit of pydantic's parser, kept on the slow way too."""

FLUSH_SECONDS = 0.5
"""How long a transport that closes waits for what is already queued to be written."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTENT_LENGTH = re.compile(rb"^\s*content-length\s*:|\}\s*content-length\s*:\s*\d+\s*$", re.IGNORECASE)


class Refusal(Exception):
    """A line that is not served; `error` is the JSON-RPC error that answers it."""

    def __init__(self, code: int, text: str, request_id: RequestId | None = None) -> None:
        super().__init__(text)
        self.error = JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=text))


class Lines:
    """Cuts a stream of bytes into lines; keeps at most about `max_bytes` of an unfinished one.

    Attributes:
        ready: finished lines without their line feed, in order, the empty ones left out; None stands for a line
            that was too long and is dropped.
    """

    def __init__(self, max_bytes: int) -> None:
        self.ready: deque[bytes | None] = deque()
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._extend(end)
            self.finish()
        self._extend(rest)

    def finish(self) -> None:
        """End the current line, also one without a line feed at the end of the stream."""
        if self._parts:
            self.ready.append(b"".join(self._parts))
            self._parts.clear()
        self._size = 0

    def _extend(self, part: bytes) -> None:
        if not part or self._size > self._max_bytes:
            return
        self._size += len(part)
        if self._size > self._max_bytes:
            self._parts.clear()
            self.ready.append(None)
        else:
            self._parts.append(part)


def decode(line: bytes) -> JSONRPCMessage | None:
    """Read one line; None for a blank one.

    Bytes that are not UTF-8 and escaped lone surrogates become U+FFFD. Of equal keys the last one counts.

    Raises:
        Refusal: the line is not a JSON-RPC message.
    """
    try:
        value = from_json(line, allow_inf_nan=False)
    except ValueError:
        if not line.strip():
            return None
        value = _parse_leniently(line)
    # Choosing the shape by its keys is twice as fast as offering the line to the SDK's union of all four
    # (five times with large arguments), and that union takes a request with an unusable id for a notification.
    if not isinstance(value, dict):
        _refuse(value)
    shape: type[JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError]
    if value.get("method") is not None:
        shape = JSONRPCRequest if "id" in value else JSONRPCNotification
    else:
        shape = JSONRPCResponse if value.get("error") is None else JSONRPCError
    try:
        return shape.model_validate(value, by_name=False)
    except ValidationError:
        _refuse(value)


def _parse_leniently(line: bytes) -> Any:
    try:
        value = json.loads(line.decode("utf-8", "replace"), parse_constant=_refuse_constant)
        return _replace_surrogates(value)
    except RecursionError:
        raise Refusal(PARSE_ERROR, f"Parse error: the message is nested more than {MAX_DEPTH} levels deep") from None
    except ValueError:
        if _CONTENT_LENGTH.search(line):
            text = (
                "this server reads one message a line and no Content-Length headers; "
                "send each message as one line of JSON that ends with a line feed"
            )
        else:
            text = "the line is not JSON; send each message as one line of JSON that ends with a line feed"
        raise Refusal(PARSE_ERROR, f"Parse error: {text}") from None


def _refuse_constant(name: str) -> NoReturn:
    raise Refusal(PARSE_ERROR, f"Parse error: {name} is not JSON; send null or a string")


def _refuse(value: Any) -> NoReturn:
    """Say what is wrong with a JSON value that is not a message."""
    request_id: RequestId | None = None
    if isinstance(value, list):
        text = "MCP has no batches; send each message as a line of its own"
    elif not isinstance(value, dict):
        text = "a message has to be an object"
    else:
        is_response = "result" in value or "error" in value
        if value.get("method") is not None or not is_response:
            # The id of a response is one of ours: an error under it would hit an unrelated call of the client.
            request_id = as_request_id(value.get("id"))
        if value.get("jsonrpc") != "2.0":
            text = '"jsonrpc" has to be "2.0"'
        elif "id" in value and as_request_id(value["id"]) is None:
            text = '"id" has to be a string or an integer; a notification has none'
        elif is_response:
            text = 'a response needs "id" and an object "result" or "error"'
        elif not isinstance(value.get("method"), str):
            text = '"method" has to be a string'
        else:
            text = '"params" has to be an object'
    raise Refusal(INVALID_REQUEST, f"Invalid Request: {text}", request_id)


def _replace_surrogates(value: Any, depth: int = 0) -> Any:
    """Copy a JSON value with U+FFFD for every surrogate that stands alone: UTF-8 cannot carry it.

    Raises:
        RecursionError: the value is nested more than `MAX_DEPTH` levels deep.
    """
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(member, depth + 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_surrogates(member, depth + 1) for member in value]
    return value


def encode(message: JSONRPCMessage) -> bytes:
    """Write one line, with its line feed.

    Surrogates that stand alone become U+FFFD; NaN and the infinities become null.

    Raises:
        MCPError: the message holds something that has no JSON form; the log has the details.
    """
    try:
        try:
            # Straight to bytes: `model_dump_json().encode()` takes twice the time for a large result.
            line = message.__pydantic_serializer__.to_json(message, by_alias=True, exclude_unset=True)
        except ValueError:
            value = _replace_surrogates(message.model_dump(by_alias=True, exclude_unset=True))
            line = to_json(value, inf_nan_mode="null")
    except (ValueError, TypeError, RecursionError) as error:
        log.exception("a message to the client has no JSON form")
        raise MCPError(code=INTERNAL_ERROR, message="the answer has no JSON form") from error
    return line + b"\n"


class StdioTransport:
    """Serves one client over the process's stdin and stdout.

    Args:
        wire: what `claim` returned.
        max_line_bytes: a longer message is answered with an error and dropped while it arrives.
        drain_seconds: how long requests in flight may go on after the input has ended, and how long a
            client that has ended its input may leave everything unread.
        on_input_end: is called once, on the loop, when the last message of the client was handed over.
        on_client_gone: is called once, on the loop, when the client does not read any more.
    """

    def __init__(
        self,
        wire: Wire,
        *,
        max_line_bytes: int,
        drain_seconds: float = 2.0,
        on_input_end: Callable[[], None] | None = None,
        on_client_gone: Callable[[], None] | None = None,
    ) -> None:
        self.wire = wire
        self.max_line_bytes = max_line_bytes
        self.drain_seconds = drain_seconds
        self.on_input_end = on_input_end
        self.on_client_gone = on_client_gone

    @asynccontextmanager
    async def open(self) -> AsyncIterator[tuple[Conversation, MessageWriter]]:
        """Begin the conversation; on leaving, what is queued is written if that takes at most `FLUSH_SECONDS`.

        The read stream ends when the input has ended and every request is answered (or `drain_seconds`
        are over), and at once when the client is gone.
        """
        conversation = Conversation(self)
        try:
            yield conversation, MessageWriter(conversation)
        finally:
            await conversation.close()


class Conversation:
    """The SDK's read stream: the client's messages; here is decided when the conversation is over."""

    def __init__(self, transport: StdioTransport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._lines = Lines(transport.max_line_bytes)
        self._in_flight: Counter[RequestId] = Counter()
        self._changed = asyncio.Event()
        self._deadline: asyncio.TimerHandle | None = None
        self._read_to_end = False
        self._hung_up = False
        self._input_ended = False
        self._over = False
        wire = transport.wire
        self._input = Input(wire.input, self._arrived, self._loop)
        self._output = Output(wire.output, self._advance, self._client_gone, self._loop)
        self._hangups = Hangups(wire, self._input_hung_up, self._output_closed, self._loop)
        self._input.resume()

    async def receive(self) -> SessionMessage:
        """The next message; waits while too much is unsent, so that what waits in memory stays bounded.

        Raises:
            anyio.EndOfStream: the conversation is over.
        """
        if self._lines.ready:
            await asyncio.sleep(0)  # the handler of the message before begins first, and may fill the output
        while not self._over:
            if self._lines.ready and self._output.unsent <= UNSENT_LIMIT:
                message = self._take()
                if message is not None:
                    return SessionMessage(message)
                await asyncio.sleep(0)
                continue
            self._changed.clear()
            self._advance()
            await self._changed.wait()
        raise anyio.EndOfStream

    async def aclose(self) -> None:
        """Hand over no further message."""
        self.end()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        self.end()

    async def send(self, message: JSONRPCMessage) -> None:
        """Write a message; returns when it is written. Raises as `MessageWriter.send`."""
        data = encode(message)
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._settle(message.id)
        written = self._output.write(data)
        if written is not None:
            if not await written:
                raise anyio.BrokenResourceError
        elif isinstance(message, JSONRPCResponse | JSONRPCError):
            self._advance()
        else:
            await asyncio.sleep(0)  # a handler that reports in a tight loop lets others in

    def end(self) -> None:
        """Hand over no further message."""
        self._over = True
        self._input.pause()
        if self._deadline is not None:
            self._deadline.cancel()
        self._changed.set()

    async def close(self) -> None:
        """End, and give what is queued a moment to be written."""
        self.end()
        with anyio.move_on_after(FLUSH_SECONDS, shield=True):
            while self._output.unsent:
                self._changed.clear()
                await self._changed.wait()
        self._hangups.close()
        self._output.abandon()

    def _take(self) -> JSONRPCMessage | None:
        """The next line as a message; None if it was blank or was answered with an error."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        line = self._lines.ready.popleft()
        try:
            if line is None:
                limit = self._transport.max_line_bytes
                text = f"the line is longer than {limit} bytes; send less at once, or raise host.max_line_bytes"
                raise Refusal(INVALID_REQUEST, f"Invalid Request: {text}")
            message = decode(line)
        except Refusal as refusal:
            with contextlib.suppress(anyio.BrokenResourceError):
                self._output.write(encode(refusal.error))
            return None
        if isinstance(message, JSONRPCRequest):
            if message.method != "subscriptions/listen":  # stays open until the client leaves: nothing to wait for
                self._in_flight[coerce_request_id(message.id)] += 1
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle(as_request_id((message.params or {}).get("requestId")))
        return message

    def _settle(self, request_id: RequestId | None) -> None:
        """Wait no longer for that request (one of those with that id)."""
        if request_id is None:
            return
        key = coerce_request_id(request_id)
        if self._in_flight[key] > 1:
            self._in_flight[key] -= 1
        else:
            del self._in_flight[key]

    def _arrived(self, chunk: bytes) -> None:
        if self._lines.ready:
            self._input.pause()  # there is a chunk that nobody has taken yet
        if chunk:
            self._lines.feed(chunk)
        else:
            self._lines.finish()
            self._read_to_end = True
        self._advance()

    def _input_hung_up(self) -> None:
        self._hung_up = True
        self._advance()

    def _output_closed(self) -> None:
        self._output.fail(BrokenPipeError(errno.EPIPE, "stdout has no reader"))

    def _client_gone(self, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError | ConnectionResetError):
            log.error("writing to the client failed: %s", error)
        self.end()
        if self._transport.on_client_gone is not None:
            self._transport.on_client_gone()

    def _advance(self) -> None:
        """Do what follows from the state of both directions; called after every change."""
        if self._over:
            self._changed.set()
        elif self._lines.ready:
            if self._output.unsent <= UNSENT_LIMIT:
                self._changed.set()
            if self._deadline is None and (self._read_to_end or self._hung_up):
                # Every message taken stops this clock: a client that reads slowly gets all its answers.
                self._deadline = self._loop.call_later(self._transport.drain_seconds, self._give_up)
        elif not self._read_to_end:
            self._input.resume()
        else:
            if not self._input_ended:
                self._deadline = self._loop.call_later(self._transport.drain_seconds, self.end)
                self._end_input()
            if not self._in_flight and not self._output.unsent:
                self.end()

    def _end_input(self) -> None:
        self._input_ended = True
        if self._transport.on_input_end is not None:
            self._transport.on_input_end()

    def _give_up(self) -> None:
        """End, if it is the client that holds things up: its input is at the end and it takes no output."""
        if not self._output.unsent:
            self._deadline = None
            self._advance()
            return
        self._end_input()
        self.end()


class MessageWriter:
    """The SDK's write stream: messages to the client, written in the order in which they are sent."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._closed = False

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message; returns when it is written.

        Raises:
            anyio.ClosedResourceError: the stream is closed.
            anyio.BrokenResourceError: the client does not read any more.
            MCPError: the message has no JSON form.
        """
        if self._closed:
            raise anyio.ClosedResourceError
        await self._conversation.send(item.message)

    async def aclose(self) -> None:
        """Write no more; what is queued is still written."""
        self._closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._closed = True
