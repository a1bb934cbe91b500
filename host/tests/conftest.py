"""Plugins, catalogs and calls made by hand: the host's parts without a process or a transport."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from agenthost import Tool
from agenthost.catalog import Catalog
from agenthost.context import PluginContext
from agenthost.plugins import Plugin
from agenthost.settings import HostPart

# Machines that are shared are slow at times, and nobody looks into a folder of examples.
hypothesis.settings.register_profile(
    "agenthost",
    deadline=None,
    database=None,
    max_examples=50,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("agenthost")


@pytest.fixture
def raw() -> Callable[..., Tool]:
    """`raw("name")`: a raw tool that answers with its own name; `raw("name", handler, description=...)`."""

    def make(name: str, handler: Callable[..., Any] | None = None, **members: Any) -> Tool:
        members.setdefault("input_schema", {"type": "object"})
        return Tool(name, handler or (lambda arguments, ctx: name), **members)

    return make


@pytest.fixture
def make_plugin(tmp_path: Path) -> Callable[..., Plugin]:
    """`make_plugin("name", tool, tool, prefix="x_", ...)`: a loaded plugin; the keywords are the host's settings."""

    def make(name: str, *tools: Tool, **part: Any) -> Plugin:
        context: PluginContext[Any] = PluginContext(
            name, None, tmp_path, logging.getLogger(f"agenthost.{name}"), tmp_path / "state"
        )
        context.tools.replace(tools)
        return Plugin(name, None, context=context, part=HostPart.model_validate(part))

    return make


@pytest.fixture
def serve() -> Callable[..., Catalog]:
    """`serve(plugin, plugin)`: a catalog that shows these plugins."""

    def make(*plugins: Plugin) -> Catalog:
        catalog = Catalog(plugins)
        for plugin in plugins:
            if plugin.context is not None:
                catalog.show(plugin)
        return catalog

    return make


@pytest.fixture
def installed(tmp_path: Path, agenthost_environment: dict[str, str]) -> Callable[..., dict[str, str]]:
    """`installed(hello="its source", ...)`: an environment that has these plugins, as distribution `agenthost-made`."""

    def install(**sources: str) -> dict[str, str]:
        folder = tmp_path / "packages"
        metadata = folder / "agenthost_made-1.0.dist-info"
        metadata.mkdir(parents=True)
        for name, source in sources.items():
            (folder / f"made_{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        points = "".join(f"{name} = made_{name}\n" for name in sources)
        (metadata / "entry_points.txt").write_text(f"[agenthost]\n{points}", encoding="utf-8")
        (metadata / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: agenthost-made\nVersion: 1.0\nRequires-Dist: agenthost-core>=0.1\n",
            encoding="utf-8",
        )
        return {**agenthost_environment, "PYTHONPATH": str(folder)}

    return install


class Warm:
    """Runs commands in children of one process that has everything imported; see workers/warm.py."""

    def __init__(self, folder: Path) -> None:
        self._files = {name: folder / name for name in ("out", "err")}
        script = Path(__file__).with_name("workers") / "warm.py"
        self._worker = subprocess.Popen(
            [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def run(self, command: list[str], cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` of `python -m agenthost ...`, bounded by the test's own time limit."""
        worker = self._worker
        assert worker.stdin is not None
        assert worker.stdout is not None
        order = {"arguments": command[3:], "cwd": str(cwd), "env": dict(env)}
        order |= {name: str(file) for name, file in self._files.items()}
        worker.stdin.write(f"{json.dumps(order)}\n")
        worker.stdin.flush()
        code = int(worker.stdout.readline())
        out, err = (file.read_text(encoding="utf-8") for file in self._files.values())
        return subprocess.CompletedProcess(command, code, out, err)

    def end(self) -> None:
        """End the worker."""
        self._worker.communicate(timeout=60)


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    """Runs commands quickly."""
    warm = Warm(tmp_path_factory.mktemp("warm"))
    yield warm
    warm.end()


Run = Callable[..., subprocess.CompletedProcess[str]]
"""`run(*arguments, env=..., cwd=None)`: see the fixture `run`."""


@pytest.fixture
def run(warm: Warm) -> Run:
    """`run("tools", "--json", env=..., cwd=FOLDER)`: run `agenthost tools --json` to its end."""

    def run(*arguments: str, env: Mapping[str, str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return warm.run([sys.executable, "-m", "agenthost", *arguments], cwd or Path.cwd(), env)

    return run


APPS = "Library/Application Support" if sys.platform == "darwin" else ".config"
"""Where the applications of a user keep their settings, below the home."""


class Desk:
    """A user with an empty home, a project, a state folder, and a PATH on which nothing is."""

    files = {  # noqa: RUF012 - never changed
        "claude-code": (".claude.json", ".mcp.json", "mcpServers"),
        "cursor": (".cursor/mcp.json", ".cursor/mcp.json", "mcpServers"),
        "vscode": (f"{APPS}/Code/User/mcp.json", ".vscode/mcp.json", "servers"),
        "claude-desktop": (f"{APPS}/Claude/claude_desktop_config.json", None, "mcpServers"),
        "codex": (".codex/config.toml", ".codex/config.toml", "mcp_servers"),
        "copilot-cli": (".copilot/mcp-config.json", ".mcp.json", "mcpServers"),
        "windsurf": (".codeium/windsurf/mcp_config.json", None, "mcpServers"),
        "cline": (".cline/data/settings/cline_mcp_settings.json", None, "mcpServers"),
        "trae": (f"{APPS}/Trae/User/mcp.json", ".trae/mcp.json", "mcpServers"),
        "trae-cn": (f"{APPS}/Trae CN/User/mcp.json", ".trae/mcp.json", "mcpServers"),
        "gemini-cli": (".gemini/settings.json", ".gemini/settings.json", "mcpServers"),
    }
    """Each client's file of the user, below the home, its file of a project or None, and the key."""

    def __init__(self, folder: Path, environment: dict[str, str], warm: Warm) -> None:
        self.warm = warm
        self.home = folder / "home"
        self.project = folder / "project"
        self.state = folder / "state"
        self.programs = folder / "programs"
        for made in (self.project, self.programs):
            made.mkdir()
        foreign = ("CLAUDE", "VSCODE_", "PYTHONPATH", "CODEX_", "COPILOT_", "CLINE_", "GEMINI_")
        kept = {name: value for name, value in environment.items() if not name.startswith(foreign)}
        self.environment = {**kept, "PATH": str(self.programs)}

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "agenthost", "install", *arguments]

    def run(self, *arguments: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
        command, environment = self.command(*arguments), {**self.environment, **env}
        if command[:3] == [sys.executable, "-m", "agenthost"]:
            done = self.warm.run(command, self.project, environment)
        else:
            done = subprocess.run(
                command,
                cwd=self.project,
                env=environment,
                capture_output=True,
                encoding="utf-8",
                timeout=60,
                check=False,
            )
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    def file(self, client: str, *, project: bool = False) -> Path:
        users, projects, _ = self.files[client]
        return self.project / str(projects) if project else self.home / users

    def key(self, client: str) -> str:
        return self.files[client][2]

    def has_project(self, client: str) -> bool:
        return self.files[client][1] is not None

    def sign(self, client: str) -> None:
        """Leave the sign without which nobody would believe that the client is there."""
        if client == "claude-desktop":
            self.file(client).parent.mkdir(parents=True, exist_ok=True)

    def write(self, client: str, content: str | bytes, *, mode: int | None = None, project: bool = False) -> Path:
        path = self.file(client, project=project)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mode is not None:
            path.chmod(mode)
        return path

    def entry(self, client: str, name: str = "agenthost", *, project: bool = False) -> Any:
        text = self.file(client, project=project).read_text(encoding="utf-8-sig")
        document = tomllib.loads(text) if client == "codex" else json.loads(text)
        return document[self.key(client)].get(name)

    def arguments(self, client: str = "cursor", name: str = "agenthost") -> list[str]:
        found = self.entry(client, name)["args"]
        assert isinstance(found, list)
        return found

    def program(self, name: str, source: str) -> Path:
        """Put a program on the user's PATH; it notes its arguments in `<name>.log`, then runs `source`."""
        note = f"import json, sys\nopen({str(self.log(name))!r}, 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
        path = self.programs / name
        path.write_text(f"#!{sys.executable}\n{note}{source}", encoding="utf-8")
        path.chmod(0o755)
        return path

    def log(self, name: str) -> Path:
        return self.programs.parent / f"{name}.log"

    def calls(self, name: str) -> list[list[str]]:
        log = self.log(name)
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []

    def plugin(self, *names: str, distribution: str = "some-plugins") -> None:
        """Install plugins of these names, as far as their metadata tell."""
        site = self.programs.parent / "site"
        folder = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8"
        )
        lines = "".join(f"{name} = no_such_module_{name}\n" for name in names)
        (folder / "entry_points.txt").write_text(f"[agenthost]\n{lines}", encoding="utf-8")
        self.environment["PYTHONPATH"] = str(site)


@pytest.fixture
def desk(tmp_path: Path, agenthost_environment: dict[str, str], warm: Warm) -> Desk:
    return Desk(tmp_path, agenthost_environment, warm)
