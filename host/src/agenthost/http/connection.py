"""One connection: no client holds it for long with nothing, neither by sending slowly nor by not reading."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

import h11
from pydantic_core import to_json
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 20.0
"""What a client may take to send the head of a request, from its first byte or from the connection."""

BODY_SECONDS = 60.0
"""What a client may take to send a body: the largest one over a line of 0.6 Mbit/s."""

REST_SECONDS = 20.0
"""What a client may take to send the rest of a body that is refused; it is thrown away."""

UNREAD_SECONDS = 60.0
"""How long a client may read nothing of what waits for it."""


class Connection(H11Protocol):
    """uvicorn's protocol with limits in time, which it does not have."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._waits_for: str | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._fresh = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """A client has sent something."""
        self._fresh = False
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """A request is answered."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has left."""
        self._wait_for(None, 0)
        self.resume_writing()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """The connection becomes somebody else's."""
        self._wait_for(None, 0)
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It does again."""
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """What came is not HTTP."""
        self._refuse(HTTPStatus.BAD_REQUEST, "this is not HTTP/1.1, or its head is too large")

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        """Answer by ourselves, if no answer has begun, and close; whoever works on one is told that the client left."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = to_json({"error": text})
            headers = [
                ("Content-Type", "application/json"),
                ("Content-Length", str(len(body))),
                ("Connection", "close"),
            ]
            response = h11.Response(status_code=status, headers=headers, reason=status.phrase)
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def _give_up(self) -> None:
        if self._waits_for == "body":
            text = f"the body of a request has to arrive within {BODY_SECONDS:g} s"
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, text)
        else:
            self.transport.abort()

    def _look(self) -> None:
        """Find out what the client owes us."""
        if self.transport.is_closing():
            self._wait_for(None, 0)
        elif self.conn.their_state is h11.IDLE and (self._fresh or self.conn.trailing_data[0]):
            self._wait_for("head", HEAD_SECONDS)
        elif self.conn.their_state is h11.SEND_BODY:
            if self.conn.our_state is h11.DONE:
                self._wait_for("rest", REST_SECONDS)
            else:
                self._wait_for("body", BODY_SECONDS)
        else:
            self._wait_for(None, 0)

    def _wait_for(self, what: str | None, seconds: float) -> None:
        """Wait for something, from now on unless it is what is waited for already."""
        if what == self._waits_for:
            return
        self._waits_for = what
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if what is not None:
            self._deadline = self.loop.call_later(seconds, self._give_up)
