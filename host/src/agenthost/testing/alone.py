"""The real host with one plugin and nothing else, on a state folder of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agenthost.testing.process import MODERN_VERSION, Era, ServerProcess

if TYPE_CHECKING:
    from agenthost.testing.clients import WatchingClient

Transport = Literal["memory", "stdio", "http"]


def clean_environment(folder: Path) -> dict[str, str]:
    """An environment in which nothing of the user's is found: home and state are in this folder."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGENTHOST_", "XDG_"))}
    return {**kept, "HOME": str(home), "AGENTHOST_STATE_DIR": str(folder / "state")}


class PluginUnderTest:
    """One plugin, served alone by as many servers as a test wants, all on one fresh state folder.

    Attributes:
        name: the plugin's name.
        folder: where everything of it is: the configuration file, `state`, an empty home.
    """

    def __init__(
        self, name: str, folder: Path, settings: Mapping[str, Any] | None = None, *, strict: bool = True
    ) -> None:
        """Make the folder.

        Args:
            name: the plugin's name.
            folder: an empty folder, or none yet.
            settings: the content of the table `[plugins.<name>]`; relative paths in it start at the folder.
            strict: whatever is to report about the plugin keeps a server from starting.
        """
        import tomli_w

        self.name = name
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.config = folder / "agenthost.toml"
        self.config.write_text(tomli_w.dumps({"plugins": {name: dict(settings or {})}}), encoding="utf-8")
        # -P: as for the installed command, nothing in the working directory takes the place of a package.
        self._command = [
            *(sys.executable, "-P", "-m", "agenthost", "serve"),
            *(f"--plugins={name}", f"--config={self.config}", *(["--strict"] if strict else [])),
        ]
        self._strict = strict
        self._started: list[ServerProcess] = []

    def start(self, era: Era = "legacy", *options: str) -> ServerProcess:
        """A server process over stdio in which the conversation has begun; a second one shares the first's state.

        `options` are further ones of `agenthost serve`.
        """
        server = self._start(*options)
        server.open(era)
        return server

    def start_http(self, *options: str) -> ServerProcess:
        """A server process over HTTP; clients of both eras connect to its `url`."""
        return self._start("--http", "0", *options)

    def _start(self, *options: str) -> ServerProcess:
        server = ServerProcess([*self._command, *options], env=clean_environment(self.folder), cwd=self.folder)
        self._started.append(server)
        return server

    @asynccontextmanager
    async def connect(
        self, era: Era = "modern", over: Transport | ServerProcess = "memory"
    ) -> AsyncIterator[WatchingClient]:
        """A client of the protocol's official SDK, connected to a server of its own.

        Args:
            era: whether it begins with the handshake (`legacy`) or speaks the revision 2026-07-28 (`modern`).
            over: `memory` serves in this process; or one server of `start_http`, to which many may connect.
        """
        from agenthost.testing.clients import WatchingClient, in_memory, innermost, over_stdio

        mode = "legacy" if era == "legacy" else MODERN_VERSION
        async with AsyncExitStack() as stack:
            target: Any
            if over == "memory":
                target = await stack.enter_async_context(
                    in_memory(self.name, self.config, self.folder / "state", strict=self._strict)
                )
            elif over == "stdio":
                stderr = stack.enter_context((self.folder / "stderr").open("a", encoding="utf-8"))
                target = over_stdio(self._command, clean_environment(self.folder), stderr)
            else:
                target = (self.start_http() if over == "http" else over).url
            try:
                client = WatchingClient(target, mode=mode)
                async with client:
                    yield client
            except BaseExceptionGroup as group:  # of the SDK's tasks; what went wrong in the block is inside
                raise innermost(group) from None

    def stop(self) -> None:
        """End every process that still runs; whatever any of them wrote to stdout has to be protocol."""
        for server in self._started:
            server.stop()
        for server in self._started:
            server.assert_only_json_rpc()


UsePlugin = Callable[..., PluginUnderTest]
"""`use(name, settings=None)`: see the fixture `agenthost_plugin`."""
