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

ENDING = "the server is ending"

INTERNAL_ERROR = 1011
"""Why a websocket is closed: its handler failed."""

SERVICE_RESTART = 1012
"""Why a websocket is closed: the server ends."""


class Requests:
    """The outermost ASGI application: knows every request in flight, and how each ends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; nothing is raised."""
        task = asyncio.current_task()
        assert task is not None
        reply = Reply(scope, send)
        if self._ending:
            await reply.finish(503, ENDING)
            return
        self._tasks.add(task)
        try:
            await self._app(scope, receive, reply.send)
        except BaseException as error:  # noqa: BLE001  (nobody is there who could handle it)
            if self._ending and isinstance(error, asyncio.CancelledError):
                await reply.finish(503, ENDING)
            else:
                await reply.fail(log, f"{scope.get('method', 'websocket')} {scope['path']}", error)
        finally:
            self._tasks.discard(task)

    async def farewell(self) -> None:
        """Take no further request, and give those that were told to end a moment for it."""
        self._ending = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=FAREWELL)

    async def end(self) -> None:
        """Cancel all that are left, and give them a moment to leave."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LETTING_GO)


class Reply:
    """How far the answer to one request has come."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._started = False
        self._complete = False

    async def send(self, message: Message) -> None:
        """Send the next part of the answer."""
        match message["type"]:
            case "http.response.start" | "websocket.accept" | "websocket.http.response.start":
                self._started = True
            case "http.response.body" | "websocket.http.response.body":
                self._complete = not message.get("more_body", False)
            case "websocket.close":
                self._complete = True
        await self._send(message)

    async def fail(self, logger: logging.Logger, what: str, error: BaseException) -> None:
        """End it because of `error`, of which the client is told no more than where the log has it."""
        reference = secrets.token_hex(4)
        logger.error("%s failed (reference %s)", what, reference, exc_info=error)
        await self.finish(500, f"this failed here; the server's log has the details under {reference}")

    async def finish(self, status: int, text: str) -> None:
        """End it properly, however far it is: as a whole answer, or as the end of a stream."""
        if self._complete:
            return
        if not self._started:
            await refusal(status, text)(self._scope, _nothing, self.send)
        elif self._scope["type"] == "websocket":
            code = SERVICE_RESTART if status == 503 else INTERNAL_ERROR
            await self.send({"type": "websocket.close", "code": code, "reason": text})
        else:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
