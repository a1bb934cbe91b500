"""What operators see of a running server: numbers for Prometheus, spans of OpenTelemetry."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from agenthost.testing import ServerProcess
from mcp import MCPError
from mcp.client import Client
from prometheus_client.parser import text_string_to_metric_families

StartServer = Callable[..., ServerProcess]

TRACED = Path(__file__).with_name("workers") / "traced.py"


def numbers(server: ServerProcess) -> dict[tuple[str, ...], float]:
    """What `/metrics` says, by name and the values of its labels in the order of their names."""
    response = httpx2.get(httpx2.URL(server.url).join("/metrics"), timeout=20)
    assert response.status_code == 200
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def calls(server: ServerProcess) -> dict[tuple[str, ...], float]:
    """The number of calls by kind, name, outcome and plugin."""
    return {key[1:]: value for key, value in numbers(server).items() if key[0] == "agenthost_calls_total"}


async def use(server: ServerProcess) -> None:
    """Two good calls of one tool, a bad one, and one of a tool that nobody has."""
    async with Client(server.url) as client:
        for _ in range(2):
            await client.call_tool("hello", {"name": "Ada"})
        await client.call_tool("hello", {"name": 5})
        with pytest.raises(MCPError):
            await client.call_tool("hullo", {})


def test_metrics_count_the_calls_of_every_tool_and_how_they_ended(start: StartServer) -> None:
    server = start("--http", "0", "--plugins", "hello", plugins=["hello"])
    assert calls(server) == {}
    asyncio.run(use(server))
    assert calls(server) == {("tool", "hello", "ok", "hello"): 2, ("tool", "hello", "error", "hello"): 1}


def test_metrics_tell_how_long_the_calls_took(start: StartServer) -> None:
    server = start("--http", "0", "--plugins", "hello", plugins=["hello"])
    asyncio.run(use(server))
    told = numbers(server)
    assert told["agenthost_call_duration_seconds_count", "tool", "hello", "hello"] == 3
    # The labels of a bucket, by name: kind, le, name, plugin.
    buckets = [
        told["agenthost_call_duration_seconds_bucket", "tool", end, "hello", "hello"] for end in ("300.0", "+Inf")
    ]
    assert buckets == [3, 3]
    assert told["agenthost_call_duration_seconds_sum", "tool", "hello", "hello"] > 0


def test_metrics_tell_which_wanted_plugin_is_not_served(start: StartServer) -> None:
    server = start("--http", "0", plugins=["hello", "trouble"], config='[host]\nplugins = ["hello", "raises-import"]\n')
    told = numbers(server)
    assert told["agenthost_plugin_up", "hello"] == 1
    assert told["agenthost_plugin_up", "raises-import"] == 0


def test_metrics_are_behind_the_token(start: StartServer, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"ada:{'a' * 40}\n", encoding="utf-8")
    file.chmod(0o600)
    server = start("--http", "0", "--plugins", "hello", "--token-file", str(file), plugins=["hello"])
    address = httpx2.URL(server.url).join("/metrics")
    assert httpx2.get(address, timeout=20).status_code == 401
    assert httpx2.get(address, timeout=20, headers={"Authorization": f"Bearer {'a' * 40}"}).status_code == 200


@pytest.fixture(scope="module")
def spans() -> list[dict[str, Any]]:
    """What was recorded of a server whose user has an exporter."""
    done = subprocess.run([sys.executable, TRACED], capture_output=True, text=True, timeout=60, check=True)
    recorded: list[dict[str, Any]] = json.loads(done.stdout)
    return recorded


def test_the_span_of_a_call_names_the_tool_and_its_plugin(spans: list[dict[str, Any]]) -> None:
    [span] = [span for span in spans if span["name"] == "tools/call greet" and span["kind"] == "SERVER"]
    assert span["attributes"]["gen_ai.tool.name"] == "greet"
    assert span["attributes"]["agenthost.plugin"] == "greeter"
    assert span["status"] != "ERROR"


def test_a_tool_error_makes_the_span_an_error(spans: list[dict[str, Any]]) -> None:
    [span] = [span for span in spans if span["name"] == "tools/call refuse" and span["kind"] == "SERVER"]
    assert span["attributes"]["agenthost.plugin"] == "greeter"
    assert span["status"] == "ERROR"


def test_a_span_of_a_plugin_is_below_that_of_its_call(spans: list[dict[str, Any]]) -> None:
    [inside] = [span for span in spans if span["name"] == "inside"]
    assert inside["parent"] == "tools/call greet"
