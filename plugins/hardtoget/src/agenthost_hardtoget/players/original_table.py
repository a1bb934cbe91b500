"""A player's connection over the API of the original: moves by HTTP, events by Socket.IO."""

from __future__ import annotations

import queue
import time
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from agenthost import OperatorError

from agenthost_hardtoget.players import web
from agenthost_hardtoget.players.table import MoveRefused, Seat
from agenthost_hardtoget.players.turns import DetectiveTurn, Ended, WitnessTurn

PATIENCE = 30.0
"""Seconds that the server may take for one answer."""

LOOK = 1.0
"""Seconds between two looks whether the connection is still there."""

AGAIN = 5.0
"""Seconds in which the end of a game has to be told again, if there was one."""

EVENTS = ("witness_turn", "detective_turn", "game_ended")


class OriginalTable:
    """Implements `Table`. It enters its rooms before it joins a game, so that it misses no event."""

    def __init__(self, url: str, token: str | None = None) -> None:
        try:
            import socketio
        except ImportError:
            raise OperatorError(
                "playing over the original's API needs one more package: pip install 'agenthost-hardtoget[socketio]'; "
                "or give an address that ends in /mcp"
            ) from None
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._events: queue.SimpleQueue[tuple[str, dict[str, Any]]] = queue.SimpleQueue()
        self._rooms: dict[str, str] = {}
        self._board: tuple[str, ...] = ()
        self._last_round = 0
        self._errors = socketio.exceptions.SocketIOError
        self._socket = socketio.Client()
        self._socket.on("connect", self._enter)
        for name in EVENTS:
            self._socket.on(name, partial(self._take, name))

    def register(self, model: str) -> None:
        """See `Table`."""
        self._rooms = {"client_id": str(self._post("register", model_name=model)["client_id"])}
        parts = urlsplit(self._url)
        try:
            self._socket.connect(
                f"{parts.scheme}://{parts.netloc}",
                headers=self._headers,
                socketio_path=f"{parts.path.strip('/')}/socket.io",
                wait_timeout=PATIENCE,
            )
        except self._errors as error:
            raise OperatorError(f"{self._url} answers, but not over Socket.IO ({error})") from None

    def join(self, role: str | None) -> Seat:
        """See `Table`."""
        wanted = {} if role is None else {"preferred_role": role}
        joined = self._post("join_game", client_id=self._rooms["client_id"], **wanted)
        self._board = tuple(joined["board"])
        self._last_round = 0
        self._rooms["game_id"] = joined["game_id"]
        self._enter()
        return Seat(joined["game_id"], joined["role"], joined["game_ready"])

    def next_turn(self) -> WitnessTurn | DetectiveTurn | Ended:
        """See `Table`."""
        game_id = self._rooms["game_id"]
        while True:
            name, data = self._event()
            if data.get("game_id", game_id) != game_id or data.get("round", self._last_round + 1) <= self._last_round:
                continue  # of the game before, or told again
            match name, data:
                case "witness_turn", {"round": int(number), "key_word": str(key_word), "dilemma": [first, second]}:
                    self._last_round = number
                    return WitnessTurn(number, self._board, key_word, (first, second))
                case "detective_turn", {
                    "round": int(number),
                    "witness_choice": str(choice),
                    "dilemma": [first, second],
                }:
                    self._last_round = number
                    return DetectiveTurn(number, self._board, (first, second), choice)
                case "game_ended", _:
                    return _end(data)
                case _:
                    raise OperatorError(f"{self._url} sent an event {name} that is none of the game's: {data!r}")

    def over(self) -> Ended | None:
        """See `Table`; the server is asked for its events again."""
        self._enter()
        deadline = time.monotonic() + AGAIN
        while (left := deadline - time.monotonic()) > 0:
            with suppress(queue.Empty):
                name, data = self._events.get(timeout=left)
                if name == "game_ended" and data.get("game_id") == self._rooms["game_id"]:
                    return _end(data)
        return None

    def choose_side(self, side: str) -> None:
        """See `Table`."""
        self._move("witness_choice", dilemma_choice=side)

    def eliminate(self, words: list[str]) -> None:
        """See `Table`."""
        self._board = tuple(self._move("detective_choice", eliminated_words=words)["remaining_words"])

    def leave(self) -> None:
        """See `Table`; the original knows no way to, so the game ends by its deadline."""

    def close(self) -> None:
        """See `Table`."""
        self._socket.disconnect()

    def _enter(self) -> None:
        """Ask for the events of this player and its game, also after every reconnection."""
        self._socket.emit("join", dict(self._rooms))

    def _event(self) -> tuple[str, dict[str, Any]]:
        """The next event, as long as there is a connection or may be one again."""
        silent = 0.0
        while silent < PATIENCE:
            with suppress(queue.Empty):
                return self._events.get(timeout=LOOK)
            silent = 0.0 if self._socket.connected else silent + LOOK
        raise OperatorError(f"the connection to {self._url} is lost, and did not come back within {PATIENCE:g} s")

    def _take(self, name: str, data: Any) -> None:
        self._events.put((name, data if isinstance(data, dict) else {}))

    def _move(self, path: str, **body: Any) -> dict[str, Any]:
        try:
            return self._post(path, **self._rooms, **body)
        except _Refused as error:
            raise MoveRefused(str(error)) from None

    def _post(self, path: str, **body: Any) -> dict[str, Any]:
        reply = web.post(f"{self._url}/{path}", body, self._headers, PATIENCE)
        match reply.json():
            case {"error": str(text)}:
                raise _Refused(f"{self._url} refused {path}: {text}")
            case dict(answer) if reply.status == 200:
                return answer
        raise OperatorError(
            f"{self._url} does not answer like a hardtoget server (HTTP {reply.status}); "
            "agenthost hardtoget serve --port 5000 starts one at http://127.0.0.1:5000"
        )


def _end(data: dict[str, Any]) -> Ended:
    won = data.get("win")
    return Ended("win" if won is True else "loss" if won is False else "abandoned", data.get("key_word"))


class _Refused(OperatorError):
    """The server answered with an error of its own."""
