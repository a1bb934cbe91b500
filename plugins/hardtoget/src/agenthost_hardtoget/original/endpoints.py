"""The HTTP endpoints of the original. Whatever is sent, the answer is JSON, and what is wrong is no success."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from agenthost import StorageError
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from agenthost_hardtoget import errors
from agenthost_hardtoget.games import Games

MAX_BODY = 64 * 1024
"""Bytes; the longest move is sixteen words."""

STATUS: Mapping[type[errors.Refused], int] = {
    errors.BadArgument: 400,
    errors.NotOnOffer: 400,
    errors.NotOnBoard: 400,
    errors.UnknownClient: 403,
    errors.NotAPlayer: 403,
    errors.WrongRole: 403,
    errors.UnknownGame: 404,
}
"""Everything else that is refused is a conflict with where the game is: 409."""


class _Body(BaseModel):
    """Types are not converted; keys that the original does not know are passed over, as it does."""

    model_config = ConfigDict(strict=True, extra="ignore")


class Registration(_Body):
    """The body of `/register`."""

    model_name: str = "unknown"


class Joining(_Body):
    """The body of `/join_game`."""

    client_id: str
    preferred_role: str | None = None


class Choice(_Body):
    """The body of `/witness_choice`."""

    game_id: str
    client_id: str
    dilemma_choice: str


class Elimination(_Body):
    """The body of `/detective_choice`."""

    game_id: str
    client_id: str
    eliminated_words: list[str]


B = TypeVar("B", bound=_Body)


class _Unacceptable(Exception):
    """The request cannot be understood."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Endpoint(Generic[B]):
    """An ASGI application that takes one kind of body by POST."""

    def __init__(
        self,
        body: type[B],
        act: Callable[[B], Awaitable[Mapping[str, Any]]],
        keys: tuple[str, ...],
        log: logging.Logger,
    ) -> None:
        """Prepare.

        Args:
            body: what is expected.
            act: does it.
            keys: what the original answers of what `act` gives.
            log: for what should never happen.
        """
        self._body = body
        self._act = act
        self._keys = keys
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        try:
            answer = await self._act(await self._read(request))
        except _Unacceptable as error:
            allow = {"Allow": "POST"} if error.status == 405 else None
            return _error(error.status, str(error), allow)
        except errors.Refused as error:
            return _error(next((code for kind, code in STATUS.items() if isinstance(error, kind)), 409), str(error))
        except StorageError as error:
            self._log.warning("%s was not done: %s", request.url.path, error)
            return _error(503, str(error))
        except ClientDisconnect:
            raise
        except Exception:  # noqa: BLE001 - the client gets JSON, whatever happens
            reference = secrets.token_hex(4)
            self._log.exception("%s failed (reference %s)", request.url.path, reference)
            return _error(500, f"this should not have happened; the server's log says more under {reference}")
        return JSONResponse({key: answer[key] for key in self._keys})

    async def _read(self, request: Request) -> B:
        if request.method != "POST":
            raise _Unacceptable(405, f"use POST with a JSON body, not {request.method}")
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json" and not (
            media_type.startswith("application/") and media_type.endswith("+json")
        ):
            raise _Unacceptable(415, "send the body as JSON, with the header Content-Type: application/json")
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY:
                raise _Unacceptable(413, f"the body is longer than {MAX_BODY} bytes")
        try:
            return self._body.model_validate_json(body)
        except ValidationError as error:
            raise _Unacceptable(400, _first_fault(error)) from None


def make_endpoints(games: Games, log: logging.Logger) -> list[Route]:
    """The routes of the original."""

    async def register(body: Registration) -> Mapping[str, Any]:
        return await games.register(body.model_name)

    async def join(body: Joining) -> Mapping[str, Any]:
        return await games.join(body.client_id, body.preferred_role)

    async def witness(body: Choice) -> Mapping[str, Any]:
        return await games.witness_choice(body.game_id, body.client_id, body.dilemma_choice)

    async def detective(body: Elimination) -> Mapping[str, Any]:
        return await games.detective_choice(body.game_id, body.client_id, body.eliminated_words)

    eliminated = ("status", "game_over", "win", "remaining_words", "key_word_eliminated")
    return [
        Route("/register", Endpoint(Registration, register, ("client_id", "status"), log)),
        Route("/join_game", Endpoint(Joining, join, ("game_id", "role", "game_ready", "board"), log)),
        Route("/witness_choice", Endpoint(Choice, witness, ("status",), log)),
        Route("/detective_choice", Endpoint(Elimination, detective, eliminated, log)),
    ]


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "missing":
        return f"{where} is missing"
    return f"{where}: {fault['msg']}" if where else f"the body: {fault['msg']}"


def _error(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": text}, status, headers)
