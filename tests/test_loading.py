"""Which plugins are wanted, found, fit and load; and that those that do not never take another one away."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]
RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]
PluginRows = Callable[..., dict[str, dict[str, Any]]]

FAILING = {
    "raises-import": "importing agenthost_test_trouble.raises_import failed with RuntimeError: fails on purpose",
    "exits-import": "importing agenthost_test_trouble.exits_import failed with SystemExit: leaves on purpose",
    "cancels-import": "importing agenthost_test_trouble.cancels_import failed with CancelledError: cancels on purpose",
    "lacks-module": "No module named 'agenthost_test_trouble.nowhere'",
    "lacks-object": "has no attribute 'nowhere'",
    "misspelt-hook": "agenthost_toolz",
    "raises-settings": "agenthost_settings failed with RuntimeError: fails on purpose",
    "rubbish-settings": "agenthost_settings has to return a pydantic model class",
    "greedy-settings": "prefix",
    "raises-tools": "agenthost_tools failed with RuntimeError: fails on purpose",
    "exits-tools": "agenthost_tools failed with SystemExit: leaves on purpose",
    "interrupts-tools": "agenthost_tools failed with KeyboardInterrupt: interrupts on purpose",
    "coroutine-tools": "agenthost_tools has to be a plain function (def), not async def",
    "rubbish-tools": "agenthost_tools has to return an iterable of Tool, not 5",
    "text-tools": "agenthost_tools has to return an iterable of Tool, not 'tools'",
    "breaks-off-tools": "agenthost_tools failed with RuntimeError: breaks off on purpose",
    "raises-prompts": "agenthost_prompts failed with RuntimeError: fails on purpose",
    "rubbish-prompts": "agenthost_prompts has to return an iterable of Prompt",
    "raises-resources": "agenthost_resources failed with RuntimeError: fails on purpose",
    "rubbish-resources": "agenthost_resources has to return an iterable of Resource",
    "raises-instructions": "agenthost_instructions failed with RuntimeError: fails on purpose",
    "rubbish-instructions": "agenthost_instructions has to return a text",
    "raises-lifespan": "agenthost_lifespan failed with RuntimeError: fails on purpose",
    "rubbish-lifespan": "agenthost_lifespan has to return an async context manager",
}
"""Plugins of the distribution `trouble` that fail at once, and what the operator has to read about each."""

HANGING = {
    "blocks-import": "importing agenthost_test_trouble.blocks_import did not return within 1 s",
    "blocks-tools": "agenthost_tools did not return within 1 s",
}
"""Those that never come back."""


def wanted(*names: str, more: str = "") -> str:
    """A config file that wants exactly these plugins."""
    return f"[host]\nplugins = {list(names)}\n{more}"


def served(server: ServerProcess) -> list[str]:
    return [tool["name"] for tool in server.tools()]


def test_the_plugin_of_the_guide_is_served_with_a_schema_from_its_signature(start: StartServer) -> None:
    server = start("--plugins", "hello", plugins=["hello"])
    server.open("modern")
    [tool] = server.tools()
    assert tool["name"] == "hello"
    assert tool["description"] == "Greet someone by name."
    assert tool["inputSchema"] == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    assert server.text("hello", {"name": "Zoë"}) == "Hello, Zoë!"
    assert server.close() == 0


def test_x04_v36_a_plugin_that_fails_in_any_hook_is_named_and_all_others_serve(start: StartServer) -> None:
    names = ["hello", *FAILING, "silent", "neighbour"]
    server = start(plugins=["trouble", "hello", "puppets"], config=wanted(*names))
    server.open()
    assert served(server) == ["hello", "ping"]
    assert server.text("hello", {"name": "you"}) == "Hello, you!"
    assert server.text("ping") == "neighbour: ping"
    assert server.close() == 0
    for name, reason in FAILING.items():
        [line] = [line for line in server.stderr.splitlines() if line.startswith(f"agenthost: warning: {name}: ")]
        assert reason in line
    assert "Traceback" not in server.stderr


def test_x04_plugins_json_names_each_failing_plugin_and_why(plugin_rows: PluginRows) -> None:
    rows = plugin_rows(plugins=["trouble", "hello"], config=wanted("hello", *FAILING))
    assert list(rows)[: len(FAILING) + 1] == ["hello", *FAILING]
    assert rows["hello"] == {
        "name": "hello",
        "version": "1.0",
        "distribution": "agenthost-test-hello",
        "wanted": True,
        "state": "loaded",
        "reason": None,
    }
    for name, reason in FAILING.items():
        row = rows[name]
        assert (row["wanted"], row["state"], row["distribution"]) == (True, "failed", "agenthost-test-trouble")
        assert reason in row["reason"]
    assert rows["silent"]["state"] == "not wanted"


def test_x04_a_plugin_that_never_comes_back_from_loading_is_given_up_on(start: StartServer) -> None:
    server = start("--set", "host.start_limit=1", plugins=["trouble", "hello"], config=wanted(*HANGING, "hello"))
    server.open()
    assert served(server) == ["hello"]
    assert server.close() == 0
    for reason in HANGING.values():
        assert reason in server.stderr


def test_x01_items_that_are_no_tools_are_left_out_and_the_plugins_other_tools_serve(start: StartServer) -> None:
    server = start(plugins=["trouble"], config=wanted("some-rubbish"))
    server.open()
    assert served(server) == ["some_rubbish_tool"]
    for position in (1, 2, 4):
        server.wait_for_stderr(f"item {position} of agenthost_tools")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["plugins"], ["serve", "--help"], ["demo", "--help"]])
def test_the_command_works_with_broken_plugins(run_agenthost: RunAgenthost, arguments: list[str]) -> None:
    done = run_agenthost(*arguments, "--plugins", "", plugins=["trouble", "twin_one", "twin_two", "unnameable"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_help_lists_installed_plugins_from_their_metadata(run_agenthost: RunAgenthost) -> None:
    done = run_agenthost("--help", plugins=["trouble", "hello"])
    assert done.returncode == 0
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line.startswith("  ")}
    assert "The smallest plugin" in lines["hello"]
    assert {"void", "raises-import", "blocks-import"} <= lines.keys()


def test_the_table_of_plugins_shows_why_one_is_not_served(run_agenthost: RunAgenthost) -> None:
    done = run_agenthost("plugins", plugins=["trouble", "hello"], config=wanted("hello", "raises-tools"))
    assert done.returncode == 0
    assert "agenthost_tools failed with RuntimeError: fails on purpose" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_failing_plugin_named_on_the_command_line_stops_the_start_before_anything_is_said(start: StartServer) -> None:
    server = start("--plugins", "hello,raises-tools,exits-import", plugins=["trouble", "hello"])
    assert server.wait() == 2
    assert server.lines == []
    assert f"raises-tools: {FAILING['raises-tools']}" in server.stderr
    assert f"exits-import: {FAILING['exits-import']}" in server.stderr


def test_a_plugin_for_another_host_is_refused_from_its_metadata_and_never_imported(
    plugin_rows: PluginRows, start: StartServer
) -> None:
    row = plugin_rows(plugins=["too_new"], config=wanted("too-new"))["too-new"]
    assert row["state"] == "failed"
    assert "agenthost-test-too-new 1.0 needs agenthost-core>=99" in row["reason"]
    assert "pip install" in row["reason"]
    server = start(plugins=["too_new", "hello"], config=wanted("too-new", "hello"))
    server.open()
    assert served(server) == ["hello"]
    assert server.close() == 0
    assert row["reason"] in server.stderr
    assert "was imported" not in server.stderr


def test_of_two_distributions_that_offer_one_name_neither_is_loaded_and_both_are_named(
    plugin_rows: PluginRows, start: StartServer
) -> None:
    row = plugin_rows(plugins=["twin_one", "twin_two"], config=wanted("twin"))["twin"]
    assert row["state"] == "failed"
    assert "agenthost-test-twin-one 1.0 and agenthost-test-twin-two 1.0" in row["reason"]
    server = start(plugins=["twin_two", "hello", "twin_one"], config=wanted("twin", "hello"))
    server.open()
    assert served(server) == ["hello"]
    assert server.close() == 0
    assert row["reason"] in server.stderr
    assert "was imported" not in server.stderr


def test_a_plugin_whose_name_nobody_may_have_is_refused_and_says_who_has_to_act(plugin_rows: PluginRows) -> None:
    names = {
        "serve": "reserved",
        "host": "reserved",
        "Upper": "lower-case",
        "9lives": "lower-case",
        "a.b": "lower-case",
    }
    rows = plugin_rows(plugins=["unnameable"], config=wanted(*names))
    for name, reason in names.items():
        assert rows[name]["state"] == "failed"
        assert reason in rows[name]["reason"]
        assert "its author has to rename it" in rows[name]["reason"]


def test_a_reserved_name_does_not_hide_the_hosts_own_command(start: StartServer) -> None:
    server = start("--plugins", "hello", plugins=["unnameable", "hello"])
    server.open()
    assert served(server) == ["hello"]
    assert server.close() == 0
    assert "was imported" not in server.stderr


@pytest.mark.parametrize("verb", ["serve", "plugins", "demo"])
def test_an_unknown_plugin_on_the_command_line_is_an_error_that_names_the_known_and_the_nearest(
    run_agenthost: RunAgenthost, verb: str
) -> None:
    done = run_agenthost(verb, "--plugins", "hello,neighbor,nosuch", plugins=["hello", "puppets"])
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no plugin 'neighbor' is installed (did you mean 'neighbour'?)" in done.stderr
    assert "no plugin 'nosuch' is installed" in done.stderr
    known = re.search(r"Installed: ([^.]+)\.", done.stderr)
    assert known
    assert {"hello", "neighbour", "void"} <= set(known[1].split(", "))
    assert "pip install agenthost-nosuch" in done.stderr


def test_an_unknown_plugin_in_the_config_file_is_reported_and_the_rest_serves(
    start: StartServer, plugin_rows: PluginRows
) -> None:
    config = wanted("neighbor", "neighbour")
    server = start(plugins=["puppets"], config=config)
    server.open()
    assert served(server) == ["ping"]
    server.wait_for_stderr("neighbor: no plugin 'neighbor' is installed (did you mean 'neighbour'?)")
    row = plugin_rows(plugins=["puppets"], config=config)["neighbor"]
    assert (row["state"], row["wanted"], row["version"]) == ("not installed", True, None)


def test_an_empty_selection_serves_no_tool_and_everything_installed_stays_off(start: StartServer) -> None:
    server = start("--plugins", "", plugins=["hello"])
    server.open()
    assert server.tools() == []
    assert server.call("hello", {"name": "you"})["error"]["code"] == -32602
    assert server.close() == 0


def test_without_a_selection_every_installed_plugin_is_served_by_name(start: StartServer) -> None:
    server = start("--set", 'alpha.names=["one"]', "--set", "my.names=[]", plugins=["hello", "puppets"])
    server.open()
    expected = ["one", "ping", "gamma_ping", "hello", "my_a_ping", "neighbour_ping", "Universal"]
    assert [name for name in served(server) if name in expected] == expected


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_what_is_off_is_unknown_to_calls_and_is_not_imported(start: StartServer, era: Era) -> None:
    server = start("--plugins", "probe", plugins=["calls", "hello", "puppets"])
    server.open(era)
    for name in ("hello", "ping", "neighbour_ping", "neighbour.ping", "neighbour/ping"):
        error = server.call(name, {"name": "you"})["error"]
        assert error["code"] == -32602
        assert name in error["message"]
    assert server.call("modules", {"start": "agenthost_test_"})["result"]["structuredContent"] == {
        "names": ["agenthost_test_calls", "agenthost_test_calls.probe"]
    }
    assert server.close() == 0
