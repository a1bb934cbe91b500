"""What a command may import: what is imported for nothing is paid at every start, by every client."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

AGENTHOST = str(Path(sys.executable).with_name("agenthost"))

AT_EXIT = """
import atexit, os, pathlib, sys
atexit.register(lambda: pathlib.Path(os.environ["DUMP"]).write_text(" ".join(sys.modules)))
"""
"""As sitecustomize.py: writes what is imported at the very end (-X importtime does not see importlib.import_module)."""


@pytest.fixture
def imported(places: Any) -> Callable[..., set[str]]:
    """`imported(*arguments, plugins=)`: the modules that the command `agenthost <arguments>` imports."""

    def run(*arguments: str, plugins: list[str]) -> set[str]:
        folder = places.new("sitecustomize")
        (folder / "sitecustomize.py").write_text(AT_EXIT, encoding="utf-8")
        environment = places.environment(plugins, {"DUMP": str(folder / "dump")})
        environment["PYTHONPATH"] = os.pathsep.join([str(folder), environment["PYTHONPATH"]])
        subprocess.run(
            [AGENTHOST, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=True,
            env=environment,
            cwd=places.new("cwd"),
        )
        return set((folder / "dump").read_text(encoding="utf-8").split())

    return run


def packages(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["serve", "--help"], ["plugins", "--help"], ["new", "anything"]]
)
def test_help_imports_neither_the_protocols_sdk_nor_any_plugin(
    imported: Callable[..., set[str]], arguments: list[str]
) -> None:
    found = packages(imported(*arguments, plugins=["hello", "trouble"]))
    assert "agenthost" in found
    assert not {name for name in found if name in ("mcp", "mcp_types") or name.startswith("agenthost_")}


def test_plugins_imports_neither_the_protocols_sdk_nor_a_plugin_that_is_not_wanted(
    imported: Callable[..., set[str]],
) -> None:
    found = packages(imported("plugins", "--plugins", "hello,void", plugins=["hello", "puppets", "trouble"]))
    assert {name for name in found if name.startswith("agenthost_")} == {"agenthost_test_hello", "agenthost_void"}
    assert not found & {"mcp", "mcp_types", "starlette", "uvicorn"}


def test_a_plugin_costs_its_author_no_import_of_the_protocols_sdk(places: Any) -> None:
    """What a plugin author's own unit test pays: the contract, and pydantic with it, but no server."""
    script = "import agenthost_test_hello, agenthost.testing, sys; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=places.environment(["hello"], None),
        cwd=places.new("cwd"),
    )
    assert not set(done.stdout.split()) & {"mcp", "mcp_types", "starlette", "uvicorn", "httpx"}


def test_the_module_and_the_command_are_the_same(places: Any) -> None:
    for command in ([sys.executable, "-m", "agenthost"], [AGENTHOST]):
        done = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, timeout=60, check=True, cwd=places.new("cwd")
        )
        assert done.stdout.startswith("agenthost 0.")


def test_the_web_server_is_started_over_http_alone(start: Callable[..., Any]) -> None:
    """The SDK itself imports uvicorn's outside; what serves with it, and Starlette's routes, are for `--http`."""
    server = start("--plugins", "probe", plugins=["calls"])
    server.open()
    for name in ("uvicorn.protocols", "h11", "websockets", "agenthost.http"):
        assert server.call("modules", {"start": name})["result"]["structuredContent"] == {"names": []}
