"""Who is measured: how each server is started, all with the same tools."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conversation import BenchmarkError, Conversation, Era
from http_conversation import HttpServer

SERVERS = Path(__file__).with_name("servers")

SUBJECTS = ("bare", "bare2", "MCPServer", "FastMCP", "void", "typed")
"""`bare` and `bare2` are the same program: what they differ by is noise. `FastMCP` needs a Python of its own."""


@dataclass(frozen=True)
class Workshop:
    """Starts the subjects in a temporary folder, far from anybody's own settings and state.

    Attributes:
        folder: where definitions, metadata and error output go.
        fastmcp: the Python of an environment with FastMCP; None leaves that subject out.
    """

    folder: Path
    fastmcp: Path | None = None

    @property
    def subjects(self) -> tuple[str, ...]:
        """Who is measured."""
        return tuple(subject for subject in SUBJECTS if subject != "FastMCP" or self.fastmcp)

    def prepare(self, sizes: list[int]) -> None:
        """Write the definitions for each number of tools, and the test plugin with its metadata."""
        for size in sizes:
            self._definitions(size).write_text(json.dumps(definitions(size)), encoding="utf-8")
        packages = self.folder / "packages"
        metadata = packages / "agenthost_typed-1.0.dist-info"
        metadata.mkdir(parents=True)
        shutil.copy(SERVERS / "agenthost_typed.py", packages)
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: agenthost-typed\nVersion: 1.0\n", "utf-8")
        (metadata / "entry_points.txt").write_text("[agenthost]\ntyped = agenthost_typed\n", "utf-8")

    def start(self, subject: str, tools: int, era: Era) -> Conversation:
        """Start a server with that many tools, on stdio."""
        errors = self.folder / f"{subject}-{tools}-{era}.log"
        return Conversation(self._command(subject, tools), era, self._environment(subject), self.folder, errors)

    def start_http(self, subject: str, tools: int) -> HttpServer:
        """Start a server with that many tools, over HTTP on a free port."""
        errors = self.folder / f"{subject}-{tools}-http.log"
        command = [*self._command(subject, tools), "--http", "0"]
        return HttpServer(command, self._environment(subject), self.folder, errors)

    def _environment(self, subject: str) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TZ")}
        environment["HOME"] = str(self.folder)
        if subject == "typed":
            environment["PYTHONPATH"] = str(self.folder / "packages")
        return environment

    def _command(self, subject: str, tools: int) -> list[str]:
        file = str(self._definitions(tools))
        agenthost = [str(Path(sys.executable).with_name("agenthost")), "serve", "--plugins"]
        match subject:
            case "bare" | "bare2":
                return [sys.executable, str(SERVERS / "bare.py"), file]
            case "MCPServer":
                return [sys.executable, str(SERVERS / "high_level.py"), file]
            case "FastMCP":
                return [str(self.fastmcp), str(SERVERS / "fast_mcp.py"), file]
            case "void" if tools == 1:
                return [*agenthost, "void"]  # as people start it; its own example is what the others serve too
            case "void":
                return [*agenthost, "void", "--set", f"void.definitions={json.dumps([file])}"]
            case "typed":
                return [*agenthost, "typed", "--set", f"typed.definitions={json.dumps(file)}"]
            case _:
                raise BenchmarkError(f"there is no subject {subject!r}; there are {', '.join(self.subjects)}")

    def _definitions(self, tools: int) -> Path:
        return self.folder / f"{tools}.json"


def definitions(size: int) -> list[dict[str, Any]]:
    """That many definitions of void; one is its own example, so that void can be started as people do."""
    if size == 1:
        spec = find_spec("agenthost_void")
        assert spec is not None
        assert spec.origin is not None
        text = Path(spec.origin).with_name("examples").joinpath("universal.json").read_text(encoding="utf-8")
        example: list[dict[str, Any]] = json.loads(text)
        return example
    words = {"form": "The form you choose.", "artefact": "The thing, complete.", "reaction": "What it showed you."}
    schema = {
        "type": "object",
        "properties": {name: {"type": "string", "description": text} for name, text in words.items()},
        "required": ["form", "artefact"],
    }
    return [
        {
            "name": f"space_{number:04}",
            "description": f"Space {number} to think in by making something: write the artefact itself into the call.",
            "inputSchema": schema,
            "result": "It stands as you wrote it.",
        }
        for number in range(size)
    ]


ARGUMENTS = {"form": "a letter to a sceptic", "artefact": "Dear friend, you asked why the sky is dark at night."}
"""Of every call; right for every tool above."""


def how_installed(name: str, package: str) -> str:
    """`1.0 (wheel)` or `1.0 (editable)`: what the subjects will import.

    Raises:
        BenchmarkError: the package would be imported from anywhere else.
    """
    found = distribution(name)
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    origin = Path(spec.origin).resolve()
    address = json.loads(found.read_text("direct_url.json") or "{}")
    if address.get("dir_info", {}).get("editable"):
        home, how = Path(address["url"].removeprefix("file://")).resolve(), "editable"
    else:
        home, how = Path(str(found.locate_file(""))).resolve(), "wheel"
    if not origin.is_relative_to(home):
        raise BenchmarkError(f"{package} would be imported from {origin}, and {name} is installed in {home}")
    return f"{found.version} ({how})"


def fastmcp_version(python: Path) -> str:
    """The version of FastMCP on which this Python's programs run.

    Raises:
        BenchmarkError: there is no such Python, or no FastMCP in its environment.
    """
    program = "from importlib.metadata import version; print(version('fastmcp'), 'on mcp', version('mcp'))"
    try:
        done = subprocess.run([python, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise BenchmarkError(f"{python} has no FastMCP: {error}") from None
    return done.stdout.strip()
