"""Clients of the official SDK for one plugin, in memory or over a transport, with bounded waits for changes.

Imports the SDK, so it is itself imported when a client is wanted.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import IO, Any

import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import ResourceUpdated

from agenthost.assembly import Options, assemble, require_start
from agenthost.catalog import Catalog
from agenthost.findings import Finding
from agenthost.server import HostServer
from agenthost.serving import CLEAN_UP, make_server
from agenthost.testing.process import LIST_CHANGED, PATIENCE, UPDATED, Kind


class Changes:
    """What a client is told of changes from some moment on."""

    def __init__(self, hear: Callable[[], Awaitable[str]]) -> None:
        self._hear = hear
        self._heard: list[str] = []

    async def of_list(self, kind: Kind = "tools", within: float = PATIENCE) -> None:
        """Wait until the list of this kind has changed.

        Raises:
            TimeoutError: nobody told so.
        """
        await self._wait_for(LIST_CHANGED.format(kind), within)

    async def of_resource(self, uri: str, within: float = PATIENCE) -> None:
        """Wait until this resource, which is watched, has changed; errors as for lists."""
        await self._wait_for(uri, within)

    async def _wait_for(self, wanted: str, within: float) -> None:
        try:
            async with asyncio.timeout(within):
                while wanted not in self._heard:
                    self._heard.append(await self._hear())
        except TimeoutError:
            told = ", ".join(self._heard) or "nothing"
            raise TimeoutError(f"no notice of {wanted} within {within:g} s, but of {told}") from None
        self._heard.remove(wanted)


class WatchingClient(Client):
    """The SDK's client, which can also wait for changes. It remembers no list and no resource."""

    def __init__(self, server: Any, *, mode: str, patience: float = PATIENCE) -> None:
        self._told: asyncio.Queue[str] = asyncio.Queue()
        super().__init__(server, mode=mode, message_handler=self._hear, cache=None, read_timeout_seconds=patience)

    @asynccontextmanager
    async def watch(self, *uris: str) -> AsyncIterator[Changes]:
        """Be told from here on of changes of all lists and of these resources, in either era."""
        if self.mode == "legacy":
            for uri in uris:
                # Not by the client's own method, which warns that it is of the handshake era.
                wanted = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
                await self.session.send_request(wanted, types.EmptyResult)
            yield Changes(self._told.get)
            return
        async with self.listen(
            tools_list_changed=True,
            prompts_list_changed=True,
            resources_list_changed=True,
            resource_subscriptions=uris,
        ) as events:

            async def hear() -> str:
                event = await anext(events)
                return event.uri if isinstance(event, ResourceUpdated) else _LISTS[type(event).__name__]

            yield Changes(hear)

    async def _hear(self, message: Any) -> None:
        method = getattr(message, "method", "")
        if method == UPDATED:
            self._told.put_nowait(str(message.params.uri))
        elif method in _LISTS.values():
            self._told.put_nowait(method)


_LISTS = {f"{kind.title()}ListChanged": LIST_CHANGED.format(kind) for kind in ("tools", "prompts", "resources")}
"""The SDK's events and the notices of the handshake era that say the same."""


@asynccontextmanager
async def in_memory(name: str, config: Path, state_dir: Path, *, strict: bool = True) -> AsyncIterator[HostServer]:
    """The real host with one plugin in this process, its lifespan entered; `Client(server)` connects to it.

    Raises:
        OperatorError: there is something to report about the plugin, or it fails although that is not `strict`.
    """
    assembly = assemble(Options(config=config, state_dir=state_dir, strict=strict), alone=name)
    catalog = Catalog(assembly.plugins)
    require_start(assembly, [*assembly.findings, *catalog.findings])
    failures: list[Finding] = []
    server, lifespans = make_server(assembly, catalog, failures.append)
    lifespans.start()
    try:
        await lifespans.ready()
        require_start(assembly, failures)
        yield server
    finally:
        server.audience.close()
        await lifespans.stop(CLEAN_UP)


def over_stdio(command: Sequence[str], env: Mapping[str, str], stderr: IO[str]) -> AbstractAsyncContextManager[Any]:
    """A server process as a transport for the SDK's client; its stderr goes to a real file."""
    program, *arguments = command
    # Any real file will do for stderr.
    return stdio_client(StdioServerParameters(command=program, args=arguments, env=dict(env)), errlog=stderr)  # type: ignore[arg-type]


def innermost(error: BaseException) -> BaseException:
    """The error inside of exception groups that hold a single one, as task groups raise them."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        [error] = error.exceptions
    return error
