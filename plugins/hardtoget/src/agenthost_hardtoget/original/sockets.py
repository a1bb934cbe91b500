"""The events of the original over Socket.IO: who has joined is told where its game is, and whatever changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from itertools import chain
from typing import Any

import socketio
from agenthost import StorageError
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.types import Receive, Scope, Send

from agenthost_hardtoget import errors
from agenthost_hardtoget.games import Games
from agenthost_hardtoget.original.events import public_events, turn_events
from agenthost_hardtoget.shapes import Spectated, View

WAIT = 600.0
"""Seconds after which a wait for a change begins anew."""

PAUSE = 1.0
"""Seconds before the storage is asked again after it has failed."""

MAX_PACKETS = 64 * 1024
"""Bytes that a client may send at once."""

MAX_ROOMS = 32
"""Players and games that one connection can follow."""


class Rooms(BaseModel):
    """What a client sends with `join`."""

    model_config = ConfigDict(strict=True, extra="ignore")

    client_id: str | None = None
    game_id: str | None = None


class _Connection:
    """What one client follows.

    Attributes:
        games: the games whose public events it has asked for.
        told: the events it was told, by game, name and round.
        tasks: what looks for new ones, by room.
        lock: keeps the events of a game in their order.
    """

    def __init__(self) -> None:
        self.games: set[str] = set()
        self.told: set[tuple[str, str, int]] = set()
        self.tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self.lock = asyncio.Lock()

    def forget_what_is_over(self) -> None:
        """Drop the games that have ended, so that a connection may follow any number of them, one after the other."""
        self.tasks = {room: task for room, task in self.tasks.items() if not task.done()}
        over = self.games - {name for kind, name in self.tasks if kind == "game"}
        self.games -= over
        self.told = {one for one in self.told if one[0] not in over}


class Sockets:
    """The Socket.IO server. A connection may join the room of a player, if it knows the player's id, and of any game.

    An event is derived from what is stored, not from the request that changed it. So it makes no difference who made
    the change: a client of this API, an MCP client, or another process.
    """

    def __init__(self, games: Games, log: logging.Logger) -> None:
        self._games = games
        self._log = log
        self._connections: dict[str, _Connection] = {}
        # Origins are the host's business, which has looked at them before: [] switches the library's own rules off.
        quiet = _quiet(log)
        self._server = socketio.AsyncServer(
            async_mode="asgi",
            cors_allowed_origins=[],
            max_http_buffer_size=MAX_PACKETS,
            logger=quiet,
            engineio_logger=quiet,
        )
        self._server.on("connect", self._connect)
        self._server.on("join", self._join)
        self._server.on("disconnect", self._disconnect)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or serve one websocket."""
        await self._server.handle_request(scope, receive, send)

    async def close(self) -> None:
        """Follow nothing any more."""
        connections, self._connections = self._connections, {}
        tasks = [task for connection in connections.values() for task in connection.tasks.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._server.shutdown()

    async def _connect(self, sid: str, _environ: dict[str, Any], _auth: Any = None) -> None:
        self._connections[sid] = _Connection()

    async def _disconnect(self, sid: str, *_reason: Any) -> None:
        connection = self._connections.pop(sid, None)
        for task in connection.tasks.values() if connection else ():
            task.cancel()

    async def _join(self, sid: str, data: Any = None, *_more: Any) -> dict[str, str]:
        """Enter the rooms that are named; the answer is for clients that ask for an acknowledgement."""
        try:
            wanted = Rooms.model_validate(data)
        except ValidationError:
            wanted = Rooms()
        client_id, game_id = wanted.client_id, wanted.game_id
        if client_id is None and game_id is None:
            return {"error": 'join takes {"client_id": "...", "game_id": "..."}, or one of the two'}
        try:
            playing = None if client_id is None else await self._games.game_of(client_id)
            game_id = None if game_id is None else (await self._games.spectate(game_id))["game_id"]
        except (errors.Refused, StorageError) as error:
            return {"error": str(error)}
        except Exception:  # noqa: BLE001 - logged here, since the library's own log is cut short
            self._log.exception("a client could not join")
            return {"error": "this should not have happened; the server's log says more"}
        connection = self._connections.get(sid)
        if connection is None:
            return {"error": "the connection is closed"}
        connection.forget_what_is_over()
        rooms = {("player", client_id), ("game", game_id)} - {("player", None), ("game", None)}
        if len(connection.tasks.keys() | rooms) > MAX_ROOMS:
            return {"error": f"one connection can be in {MAX_ROOMS} rooms; open another one"}
        connection.told -= {one for one in connection.told if one[0] in (playing, game_id)}  # to be told it again
        if game_id is not None:
            connection.games.add(game_id)
            self._follow(sid, ("game", game_id), lambda: self._follow_game(sid, game_id))
        if client_id is not None:
            self._follow(sid, ("player", client_id), lambda: self._follow_player(sid, client_id))
        return {"status": "joined"}

    def _follow(self, sid: str, room: tuple[str, str], follow: Callable[[], Awaitable[None]]) -> None:
        tasks = self._connections[sid].tasks
        if room in tasks:
            tasks[room].cancel()
        tasks[room] = asyncio.create_task(self._keep_on(follow), name=f"hardtoget follows a {room[0]}")

    async def _keep_on(self, follow: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                return await follow()
            except StorageError as error:
                self._log.warning("the events of a game come late: %s", error)
            except Exception:  # noqa: BLE001 - logged; whoever waits for events goes on waiting
                self._log.exception("the events of a game come late")
            await asyncio.sleep(PAUSE)

    async def _follow_game(self, sid: str, game_id: str) -> None:
        game: Spectated | None = await self._games.spectate(game_id)
        seq = 0
        while True:
            if game is not None:
                await self._tell(sid, game, None)
                if game["phase"] == "finished":
                    return
                seq = game["seq"]
            game = await self._games.wait_spectating(game_id, seq, WAIT)

    async def _follow_player(self, sid: str, client_id: str) -> None:
        while True:
            game_id = await self._games.wait_for_game(client_id, WAIT)
            if game_id is None:
                continue
            view = await self._games.view(game_id, client_id)
            await self._tell(sid, view, view)
            while view["phase"] != "finished":
                view = (await self._games.wait(game_id, client_id, view["seq"], WAIT))["view"]
                await self._tell(sid, view, view)

    async def _tell(self, sid: str, game: View | Spectated, view: View | None) -> None:
        """Send the events that are the case and were not told yet."""
        connection = self._connections.get(sid)
        if connection is None:
            return
        public = public_events(game) if game["game_id"] in connection.games else ()
        async with connection.lock:
            for event in chain(public, turn_events(view) if view else ()):
                key = (game["game_id"], event.name, event.round)
                if key not in connection.told:
                    connection.told.add(key)
                    await self._server.emit(event.name, event.data, to=sid)


def _quiet(log: logging.Logger) -> logging.Logger:
    """A logger for the library: one line for a packet that it cannot read, and nothing else.

    Otherwise it would log whole packets, with the secrets in them, and a traceback for every wrong one.
    """

    def shorten(record: logging.LogRecord) -> bool:
        if not record.exc_info or record.exc_info[0] is None:
            return False
        record.msg, record.args = "a client sent a packet that is none (%s)", (record.exc_info[0].__name__,)
        record.exc_info = None
        return True

    quiet = log.getChild("socketio")
    quiet.setLevel(logging.ERROR)
    quiet.addFilter(shorten)
    return quiet
