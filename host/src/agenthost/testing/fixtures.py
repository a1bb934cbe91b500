"""The fixtures that pytest finds: real servers, in an environment in which nothing of the user's is found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agenthost.testing.alone import PluginUnderTest, UsePlugin, clean_environment
from agenthost.testing.process import ServerProcess

StartServer = Callable[..., ServerProcess]
"""`start(*arguments, command=None, env=None, cwd=None)`: see `agenthost_server`."""


@pytest.fixture
def agenthost_environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing of the user's is found: own home, config and state."""
    return clean_environment(tmp_path)


@pytest.fixture
def agenthost_server(agenthost_environment: dict[str, str], tmp_path: Path) -> Iterator[StartServer]:
    """Start servers: `agenthost_server("--plugins", "void")` runs `agenthost serve --plugins void`.

    With `"--http", "0"` it serves at the returned server's `url` instead of speaking on its stdin and stdout.
    `command=[...]` runs another program with those arguments, `env={...}` adds variables, `cwd=...`
    sets the working directory (default: an empty one). All are ended when the test ends.
    """
    started: list[ServerProcess] = []
    empty = tmp_path / "cwd"
    empty.mkdir()

    def start(
        *arguments: str,
        command: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | str | None = None,
    ) -> ServerProcess:
        program = [sys.executable, "-m", "agenthost", "serve"] if command is None else list(command)
        server = ServerProcess([*program, *arguments], env={**agenthost_environment, **(env or {})}, cwd=cwd or empty)
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()
    for server in started:
        server.assert_only_json_rpc()


@pytest.fixture
def agenthost_plugin(tmp_path: Path) -> Iterator[UsePlugin]:
    """Boot the real host with one plugin alone: `agenthost_plugin("void", {"mutable": True})`.

    Gives a `PluginUnderTest` on a fresh state folder. Its servers are ended when the test ends.
    """
    used: list[PluginUnderTest] = []

    def use(name: str, settings: Mapping[str, Any] | None = None) -> PluginUnderTest:
        used.append(PluginUnderTest(name, tmp_path / f"plugin-{len(used)}", settings))
        return used[-1]

    yield use
    for plugin in used:
        plugin.stop()
