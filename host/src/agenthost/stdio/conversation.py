"""The transport: both directions on one event loop, and the decision when the conversation is over.

The SDK's own transport answers nothing that is malformed, dies on a lone surrogate, drops answers at
the end of the input and grows without bound for a client that does not read; this one does not.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Self

import anyio
from mcp.shared.dispatcher import as_request_id, coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from agenthost.messages import Refusal
from agenthost.stdio.lines import Lines
from agenthost.stdio.messages import decode, encode
from agenthost.wire import Hangups, Input, Output, Wire

log = logging.getLogger("agenthost")

UNSENT_LIMIT = 4 * 1024 * 1024
"""Bytes waiting for a client to read them beyond which no further message of it is taken."""

FLUSH_SECONDS = 0.5
"""How long a transport that closes waits for what is already queued to be written."""


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
