"""Bodies of requests: whole, of a bounded size and in time, before anything reads them."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

MAX_BYTES = 4 * 1024 * 1024
"""The largest body of a request; the SDK's own limit is the same."""

SECONDS = 60.0
"""What a body may take to arrive: the largest one over a line of 0.6 Mbit/s."""


class BodyTooLarge(Exception):
    """The body is longer than `MAX_BYTES`."""


class BodyTooSlow(Exception):
    """The body has not arrived within `SECONDS`."""


async def whole_body(scope: Scope, receive: Receive) -> Receive:
    """Wait for the body of a request; returns what to receive it from, in one piece.

    Raises:
        BodyTooLarge: it is longer than allowed, by its declared length or by what came.
        BodyTooSlow: it did not come in time.
        ClientDisconnect: it will never come.
    """
    declared = Headers(scope=scope).get("content-length", "")
    if declared.isdecimal() and int(declared) > MAX_BYTES:
        raise BodyTooLarge
    body = bytearray()
    more = True
    try:
        async with asyncio.timeout(SECONDS):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > MAX_BYTES:
                    raise BodyTooLarge
    except TimeoutError:
        raise BodyTooSlow from None
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": bytes(body), "more_body": False}

    return replay
