"""Two extensions that are fine, with functions of every temper."""

from __future__ import annotations

from typing import Any

from agenthost import (
    CallContext,
    Elicit,
    Extension,
    InputRequired,
    NotFound,
    PluginContext,
    ProtocolError,
    ToolError,
    hookimpl,
)


async def echo(params: dict[str, Any], ctx: CallContext[Any]) -> dict[str, Any]:
    ctx.progress(1, 1, "echoing")
    return {"params": params, "client": ctx.caller.client, "version": ctx.protocol_version}


async def cached(params: dict[str, Any], ctx: CallContext[Any]) -> dict[str, Any]:
    return {"ttlMs": 60_000, "cacheScope": "public"}


async def fail(params: dict[str, Any], ctx: CallContext[Any]) -> Any:
    errors: dict[str, BaseException] = {
        "not found": NotFound("There is no such thing."),
        "tool error": ToolError("Try another one."),
        "protocol error": ProtocolError(-32099, "Mine.", {"a": 1}),
        "crash": RuntimeError("secret detail"),
        "exit": SystemExit(3),
    }
    if params["kind"] in errors:
        raise errors[params["kind"]]
    form = {"type": "object", "properties": {"a": {"type": "string"}}}
    return {"list": [1], "nan": {"x": float("nan")}, "asks": InputRequired({"x": Elicit("?", form)})}[params["kind"]]


@hookimpl
def agenthost_extensions(plugin: PluginContext[Any]) -> list[Extension]:
    return [
        Extension("org.example/echo", {"loud": False}, {"echo/say": echo, "echo/cached": cached, "echo/fail": fail}),
        Extension("org.example/silent"),
    ]
