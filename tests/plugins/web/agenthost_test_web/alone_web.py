"""A plugin that serves itself over HTTP, at the root."""

from __future__ import annotations

import click
from agenthost import App, hookimpl
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route


async def here(request: Request) -> Response:
    return JSONResponse({"path": request.url.path})


@click.command()
@click.argument("http")
@click.pass_obj
def command(app: App, http: str) -> None:
    """Serve at HTTP."""
    app.serve(http=http, mount_at_root=True)


@hookimpl
def agenthost_commands() -> click.Command:
    return command


@hookimpl
def agenthost_routes() -> list[BaseRoute]:
    return [Route("/here", here), Route("/deep/{rest:path}", here), Route("/mcp", here), Route("/healthz", here)]
