"""What a command may import: a helper that imported everything would cost every start of every client."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def imported(places: Any) -> Callable[..., set[str]]:
    """`imported(*arguments, plugins=, config=)`: the modules that `agenthost <arguments>` imports."""

    def run(*arguments: str, plugins: list[str], config: str | None = None) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "agenthost", *arguments, *places.options(config)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env=places.environment(plugins, None),
            cwd=places.new("cwd"),
        )
        lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
        return {line.rpartition("|")[2].strip() for line in lines}

    return run


def packages(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["serve", "--help"], ["plugins", "--help"]])
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
    assert {name for name in found if name.startswith("agenthost_")} == {"agenthost_hello", "agenthost_void"} - {
        "agenthost_hello"
    } | {"agenthost_test_hello"}
    assert not found & {"mcp", "mcp_types", "starlette", "uvicorn"}


def test_a_plugin_costs_its_author_no_import_of_the_protocols_sdk(places: Any) -> None:
    """What a plugin author's own unit test pays: the contract, and pydantic with it, but no server."""
    script = "import agenthost_test_hello, agenthost.testing, sys; print(*{name.partition('.')[0] for name in sys.modules})"
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
    for command in ([sys.executable, "-m", "agenthost"], [str(Path(sys.executable).with_name("agenthost"))]):
        done = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, timeout=60, check=True, cwd=places.new("cwd")
        )
        assert done.stdout.startswith("agenthost 0.")
