"""A connection over HTTP is given up on when its client sends too slowly or does not read."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from agenthost.http import connection
from agenthost.http.admission import Admission
from agenthost.http.doors import Doors
from agenthost.http.requests import Requests
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

PATIENCE = 20.0
LIMIT = 0.2
"""Seconds that the limits are set to here."""

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "REST_SECONDS", "UNREAD_SECONDS"):
        monkeypatch.setattr(connection, name, LIMIT)


ENDED: list[str] = []
"""What has happened to endless answers."""


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    request = Request(scope, receive)
    if scope["path"] == "/endless":

        async def endless() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield b"x" * 65536
                    await asyncio.sleep(0)
            finally:
                ENDED.append("endless")

        await StreamingResponse(endless())(scope, receive, send)
    else:
        await PlainTextResponse(f"{len(await request.body())} bytes")(scope, receive, send)


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """A server in this loop; its port."""
    doors = Doors(application, Admission(frozenset(), frozenset()), None)
    config = uvicorn.Config(
        Requests(doors),
        port=0,
        http=connection.Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
    )
    server = uvicorn.Server(config)
    server.capture_signals = quietly  # type: ignore[method-assign]
    running = asyncio.create_task(server.serve())
    async with asyncio.timeout(PATIENCE):
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield server.servers[0].sockets[0].getsockname()[1]
        finally:
            server.should_exit = True
            await running


class quietly:  # noqa: N801  (a context manager in the place of a method)
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


async def exchange(*parts: bytes | float) -> bytes:
    """Send these parts, or wait for these seconds; everything that comes until the connection ends."""
    async with serving() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for part in parts:
                if isinstance(part, bytes):
                    writer.write(part)
                    await writer.drain()
                else:
                    await asyncio.sleep(part)
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            await leave(writer)


async def leave(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


def run(*parts: bytes | float) -> bytes:
    return asyncio.run(exchange(*parts))


@pytest.mark.parametrize(
    "parts",
    [(), (b"GET / HT",), (b"GET / HTTP/1.1\r\nHost: localhost\r\n",), (b"G", 0.1, b"E", 0.05, b"T")],
    ids=["nothing", "half a line", "half a head", "bit by bit"],
)
def test_a_head_that_does_not_come_ends_the_connection(parts: tuple[Any, ...]) -> None:
    assert run(*parts) == b""


def test_a_second_head_has_to_come_in_time_too() -> None:
    received = run(GET, 0.1, b"GET / ")
    assert received.count(b"HTTP/1.1 200") == 1


def test_a_connection_that_is_kept_for_later_is_no_slow_head() -> None:
    received = run(GET, 2 * LIMIT, GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    assert received.count(b"HTTP/1.1 200") == 2


def test_a_body_that_does_not_come_is_answered_with_408() -> None:
    received = run(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345")
    assert received.startswith(b"HTTP/1.1 408 Request Timeout")
    assert b"has to arrive within" in received


def test_a_slow_body_in_time_is_read() -> None:
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 4\r\n\r\n"
    assert run(head, b"12", 0.05, b"34").endswith(b"4 bytes")


def test_the_rest_of_a_refused_body_has_to_come_in_time() -> None:
    received = run(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n12345")
    assert received.startswith(b"HTTP/1.1 413")


def test_a_client_that_reads_nothing_is_given_up_on() -> None:
    async def stare() -> None:
        ENDED.clear()
        async with serving() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            writer.write(GET.replace(b"/ ", b"/endless ", 1))
            await writer.drain()
            async with asyncio.timeout(PATIENCE):
                while not ENDED:
                    await asyncio.sleep(0.01)
            await leave(writer)
            with pytest.raises((ConnectionError, asyncio.LimitOverrunError, ValueError)):
                await reader.readuntil(b"never")

    asyncio.run(stare())
    assert ENDED == ["endless"]
