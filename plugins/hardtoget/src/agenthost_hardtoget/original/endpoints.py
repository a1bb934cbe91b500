"""The HTTP endpoints of the original. Whatever is sent, the answer is JSON, and what is wrong is no success."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from agenthost import StorageError
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agenthost_hardtoget import errors
from agenthost_hardtoget.games import Games

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


def make_endpoints(games: Games) -> list[Route]:
    """The routes of the original. Each answers the keys that the original answers, and no others."""

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
        _post("/register", Registration, register, ("client_id", "status")),
        _post("/join_game", Joining, join, ("game_id", "role", "game_ready", "board")),
        _post("/witness_choice", Choice, witness, ("status",)),
        _post("/detective_choice", Elimination, detective, eliminated),
    ]


def _post(path: str, body: type[B], act: Callable[[B], Awaitable[Mapping[str, Any]]], keys: tuple[str, ...]) -> Route:
    async def endpoint(request: Request) -> Response:
        try:
            answer = await act(await _read(request, body))
        except errors.Refused as error:
            status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 409)
            raise HTTPException(status, str(error)) from None
        except StorageError as error:
            raise HTTPException(503, str(error)) from None
        return JSONResponse({key: answer[key] for key in keys})

    return Route(path, endpoint, methods=["POST"])


async def _read(request: Request, body: type[B]) -> B:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise HTTPException(415, "send the body as JSON, with the header Content-Type: application/json")
    try:
        return body.model_validate_json(await request.body())
    except ValidationError as error:
        raise HTTPException(400, _first_fault(error)) from None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in fault["loc"]) or "the body"
    return f"{where} is missing" if fault["type"] == "missing" else f"{where}: {fault['msg']}"
