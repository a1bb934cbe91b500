"""`agenthost void` and `void-mcp`: the same arguments, exactly the given sources."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from agenthost.testing import StartServer

AGENTHOST_VOID = [sys.executable, "-m", "agenthost", "void"]
VOID_MCP = [str(Path(sys.executable).with_name("void-mcp"))]
BOTH = pytest.mark.parametrize("command", [AGENTHOST_VOID, VOID_MCP], ids=["agenthost void", "void-mcp"])


def array(name: str, result: str) -> str:
    return json.dumps([{"name": name, "inputSchema": {"type": "object"}, "result": result}])


@BOTH
def test_v10_exactly_the_given_sources_are_served_in_order_with_paths_from_the_working_directory(
    agenthost_server: StartServer, tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "-a.json").write_text(array("a", "file"), encoding="utf-8")
    config = tmp_path / "elsewhere"
    config.mkdir()
    (config / "agenthost.toml").write_text("[plugins.void]\nmutable = true\n", encoding="utf-8")
    sources = [array("b", "inline"), "example:anything", "--", "-a.json"]
    env = {"AGENTHOST_CONFIG": str(config / "agenthost.toml")}
    server = agenthost_server("--debug-log", "log.jsonl", *sources, command=command, cwd=tmp_path, env=env)
    server.open()
    assert [tool["name"] for tool in server.tools()] == ["b", "Anything", "a"]
    assert server.text("a") == "file"
    assert server.close() == 0
    assert "start" in (tmp_path / "log.jsonl").read_text(encoding="utf-8")


@BOTH
def test_v13_v36_no_source_is_refused_on_stderr_and_stdout_stays_empty(
    agenthost_server: StartServer, command: list[str]
) -> None:
    server = agenthost_server(command=command)
    assert server.wait() == 2
    assert server.lines == []
    assert "there is nothing to serve" in server.stderr


@BOTH
def test_v14_no_source_is_enough_when_mutable(agenthost_server: StartServer, command: list[str]) -> None:
    server = agenthost_server("--mutable", command=command)
    server.open("modern")
    assert [tool["name"] for tool in server.tools()] == ["void_create_tool", "void_remove_tool"]


def test_v15_sources_that_cannot_be_used_are_named(agenthost_server: StartServer, tmp_path: Path) -> None:
    server = agenthost_server("{}", "missing.json", "", "~nobody-here/x.json", command=VOID_MCP, cwd=tmp_path)
    assert server.wait() == 2
    assert server.lines == []
    assert "definition 1 (inline): must be an array of definitions, not an object" in server.stderr
    assert f"{tmp_path}/missing.json: cannot be read: No such file or directory" in server.stderr
    assert "definition 3: is blank" in server.stderr
    assert f"{tmp_path}/~nobody-here/x.json: cannot be read" in server.stderr


@BOTH
def test_help_names_every_argument_and_unknown_options_are_refused(
    agenthost_environment: dict[str, str], command: list[str]
) -> None:
    def run(argument: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, argument], env=agenthost_environment, capture_output=True, text=True, timeout=60, check=False
        )

    helped = run("--help")
    assert helped.returncode == 0
    for text in ("--mutable", "--debug-log FILE", "SOURCE...", "example:universal"):
        assert text in helped.stdout
    refused = run("--nonsense")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "--nonsense" in refused.stderr


def test_the_demo_plays_the_scene(agenthost_environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "agenthost", "demo", "--plugins", "void"]
    done = subprocess.run(command, env=agenthost_environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "void_create_tool" in done.stdout
    assert "old_case" in done.stdout
