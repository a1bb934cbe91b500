"""What the tests of the whole share: the real command, plugins made for tests, servers started with them.

The distributions under `tests/plugins` are never installed where the tests run, since most of them
would break everything else. Each is built and unpacked into a folder of its own; a process that
is to see some of them gets those folders as PYTHONPATH, where their entry points are found.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from agenthost.testing import ServerProcess, clean_environment

SOURCES = Path(__file__).parent / "plugins"

AGENTHOST = str(Path(sys.executable).with_name("agenthost"))
"""The command as pip installs it."""

BUILD = """
import contextlib, pathlib, sys, hatchling.build
for source in map(pathlib.Path, sys.argv[2:]):
    with contextlib.chdir(source):
        print(hatchling.build.build_wheel(sys.argv[1]))
"""

PluginPath = Callable[..., str]
"""`plugin_path("hello", "trouble")`: the PYTHONPATH on which these test-only distributions are installed."""

RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]
"""`run_agenthost(*arguments, plugins=(), config=None, env=None, cwd=None)`: run the command to its end."""

StartServer = Callable[..., ServerProcess]
"""`start(*arguments, plugins=(), config=None, env=None, cwd=None, command=None)`: start `agenthost serve`."""


@pytest.fixture(scope="session")
def plugin_path(tmp_path_factory: pytest.TempPathFactory) -> PluginPath:
    """Build the distributions of `tests/plugins`, and tell where any of them can be imported from."""
    folder = tmp_path_factory.mktemp("plugins")
    sources = sorted(path.parent for path in SOURCES.glob("*/pyproject.toml"))
    command = [sys.executable, "-c", BUILD, str(folder), *map(str, sources)]
    built = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout.split()
    for source, wheel in zip(sources, built, strict=True):
        with zipfile.ZipFile(folder / wheel) as archive:
            archive.extractall(folder / source.name)

    def path(*distributions: str) -> str:
        assert {*distributions} <= {source.name for source in sources}
        return os.pathsep.join(str(folder / name) for name in distributions)

    return path


class Places:
    """A folder for one scope of tests: a home without settings, a state folder, working directories."""

    def __init__(self, folder: Path, plugin_path: PluginPath) -> None:
        self._folder = folder
        self._plugin_path = plugin_path
        self._numbers = iter(range(10_000))
        self.home = folder / "home"
        self.home.mkdir()

    def new(self, name: str) -> Path:
        """An empty folder."""
        folder = self._folder / f"{name}-{next(self._numbers)}"
        folder.mkdir()
        return folder

    def environment(self, plugins: Sequence[str], extra: Mapping[str, str] | None) -> dict[str, str]:
        """The developer's environment without the developer's settings, seeing only the plugins named."""
        return {**clean_environment(self._folder), "PYTHONPATH": self._plugin_path(*plugins), **(extra or {})}

    def options(self, config: str | None) -> list[str]:
        """`--config` with a file of this text."""
        if config is None:
            return []
        file = self.new("config") / "agenthost.toml"
        file.write_text(config, encoding="utf-8")
        return ["--config", str(file)]


@contextmanager
def _servers(places: Places) -> Iterator[StartServer]:
    started: list[ServerProcess] = []

    def start(
        *arguments: str,
        plugins: Sequence[str] = (),
        config: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        command: Sequence[str] = (AGENTHOST, "serve"),
    ) -> ServerProcess:
        server = ServerProcess(
            [*command, *arguments, *places.options(config)],
            env=places.environment(plugins, env),
            cwd=cwd or places.new("cwd"),
        )
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()
    for server in started:
        server.assert_only_json_rpc()


@pytest.fixture
def places(tmp_path: Path, plugin_path: PluginPath) -> Places:
    """The folders of one test."""
    return Places(tmp_path, plugin_path)


@pytest.fixture
def start(places: Places) -> Iterator[StartServer]:
    """Start servers for one test; afterwards each is ended and its stdout checked to be JSON-RPC alone (V36)."""
    with _servers(places) as start:
        yield start


@pytest.fixture(scope="module")
def shared_places(tmp_path_factory: pytest.TempPathFactory, plugin_path: PluginPath) -> Places:
    """The folders that the tests of a module share."""
    return Places(tmp_path_factory.mktemp("shared"), plugin_path)


@pytest.fixture(scope="module")
def start_shared(shared_places: Places) -> Iterator[StartServer]:
    """Start servers that the tests of a module share."""
    with _servers(shared_places) as start:
        yield start


@pytest.fixture
def run_agenthost(places: Places) -> RunAgenthost:
    """Run the command `agenthost` to its end and return what it printed, as text."""

    def run(
        *arguments: str,
        plugins: Sequence[str] = (),
        config: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [AGENTHOST, *arguments, *places.options(config)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=places.environment(plugins, env),
            cwd=cwd or places.new("cwd"),
        )

    return run


@pytest.fixture
def plugin_rows(run_agenthost: RunAgenthost) -> Callable[..., dict[str, dict[str, object]]]:
    """`plugin_rows(...)`: what `agenthost plugins --json` says with those options, by plugin name, in its order."""

    def rows(*arguments: str, **options: object) -> dict[str, dict[str, object]]:
        done = run_agenthost("plugins", "--json", *arguments, **options)
        assert done.returncode == 0, done.stderr
        return {row["name"]: row for row in json.loads(done.stdout)}

    return rows
