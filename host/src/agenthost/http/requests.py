"""The requests in flight: whatever happens to one, it is answered, also when the server ends."""

from __future__ import annotations

import asyncio
import logging
import secrets

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agenthost.http.answers import refusal

log = logging.getLogger("agenthost")

FAREWELL = 0.1
"""Seconds in which streams that were told to end may send their last message."""

LETTING_GO = 0.3
"""Seconds that cancelled requests get to leave."""


class Requests:
    """The outermost ASGI application: knows every request in flight, and how each ends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        task = asyncio.current_task()
        assert task is not None
        response = _Response(scope, send)
        self._tasks.add(task)
        try:
            await self._app(scope, receive, response.send)
        except asyncio.CancelledError:
            if not self._ending:
                raise
            await response.finish(503, "the server is ending")
        except Exception:
            reference = secrets.token_hex(4)
            log.exception("%s %s failed (reference %s)", scope.get("method", ""), scope["path"], reference)
            await response.finish(500, f"the server failed; its log has the details under {reference}")
        finally:
            self._tasks.discard(task)

    async def end(self) -> None:
        """End all requests: those that were told to end finish, the others are cancelled."""
        self._ending = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=FAREWELL)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LETTING_GO)


class _Response:
    """How far the answer to one request has come."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._started = False
        self._complete = False

    async def send(self, message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            self._started = True
        elif message["type"] in ("http.response.body", "websocket.close"):
            self._complete = not message.get("more_body", False)
        await self._send(message)

    async def finish(self, status: int, text: str) -> None:
        """End it properly, however far it is: as a whole answer, or as the end of a stream."""
        if self._complete:
            return
        if self._scope["type"] == "websocket":
            await self.send({"type": "websocket.close", "code": 1012 if status == 503 else 1011, "reason": text[:100]})
        elif self._started:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            await refusal(status, text)(self._scope, _nothing, self.send)


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
