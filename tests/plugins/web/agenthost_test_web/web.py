"""Routes of every kind: answers, a stream, a websocket, and all the ways to fail."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from agenthost import CallContext, PluginContext, Tool, hookimpl, tool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket


@tool
def web_who(ctx: CallContext[Any]) -> str:
    """Tell who is calling."""
    return str(ctx.caller.principal)


async def who(request: Request) -> Response:
    user = request.scope.get("user")
    return JSONResponse({"user": user and user.display_name, "path": request.url.path, "at": request.path_params["at"]})


async def count(request: Request) -> Response:
    return JSONResponse({"bytes": len(await request.body())})


async def fail(request: Request) -> Response:
    match request.path_params["how"]:
        case "http":
            raise HTTPException(418, "a teapot")
        case "crash":
            raise RuntimeError("secret detail")
        case "exit":
            raise SystemExit(3)
        case "interrupt":
            raise KeyboardInterrupt
        case "cancelled":
            raise asyncio.CancelledError
        case "cancels":
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(60)
        case "nothing":
            return None  # type: ignore[return-value]
        case "stop":
            asyncio.get_running_loop().stop()
            await asyncio.sleep(0)
        case "task":
            asyncio.get_running_loop().create_task(leave())
            await asyncio.sleep(0.05)
        case "block":
            time.sleep(1.5)  # noqa: ASYNC251
    return JSONResponse({"survived": True})


async def leave() -> None:
    raise SystemExit(4)


async def stream(request: Request) -> Response:
    async def lines() -> AsyncIterator[bytes]:
        yield b"first\n"
        if request.path_params["how"] == "crash":
            raise RuntimeError("secret detail")
        while request.path_params["how"] == "endless":
            yield b"x" * 65536
        await asyncio.sleep(60)

    return StreamingResponse(lines())


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    while True:
        text = await websocket.receive_text()
        if text == "crash":
            raise RuntimeError("secret detail")
        await websocket.send_text(text.upper())


@hookimpl
def agenthost_tools() -> list[Tool]:
    return [web_who]


@hookimpl
def agenthost_routes(plugin: PluginContext[Any]) -> list[BaseRoute]:
    plugin.log.info("asked for routes")
    return [
        Route("/who/{at}", who),
        Route("/count", count, methods=["POST"]),
        Route("/fail/{how}", fail),
        Route("/stream/{how}", stream),
        WebSocketRoute("/echo", echo),
        Mount("/deeper", routes=[Route("/who/{at}", who)]),
    ]
