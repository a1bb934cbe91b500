"""Bodies of requests: whole and of a bounded size, before anything reads them; `connection` sees to the time."""

from __future__ import annotations

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

MAX_BYTES = 4 * 1024 * 1024
"""The largest body of a request; the SDK's own limit is the same."""


class BodyTooLarge(Exception):
    """The body is longer than `MAX_BYTES`."""


async def whole_body(declared: list[str], receive: Receive) -> Receive:
    """Wait for the body of a request; returns what to receive it from, in one piece.

    Args:
        declared: the values of its Content-Length header.
        receive: where it comes from.

    Raises:
        BodyTooLarge: it is longer than allowed, by its declared length or by what came.
        ClientDisconnect: it will never come.
    """
    if any(length.isdecimal() and int(length) > MAX_BYTES for length in declared):
        raise BodyTooLarge
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    if message.get("more_body", False):
        body = bytearray(message["body"])
        while message.get("more_body", False):
            if len(body) > MAX_BYTES:
                raise BodyTooLarge
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
        message = {"type": "http.request", "body": bytes(body), "more_body": False}
    if len(message["body"]) > MAX_BYTES:
        raise BodyTooLarge
    return replay(message, receive)


def replay(message: Message, receive: Receive) -> Receive:
    """A `receive` that gives this message first."""
    first: Message | None = message

    async def receive_again() -> Message:
        nonlocal first
        if first is None:
            return await receive()
        given, first = first, None
        return given

    return receive_again
