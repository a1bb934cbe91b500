"""Wrong settings: what the operator reads, whom they cost anything, and what --strict makes of it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import ServerProcess

StartServer = Callable[..., ServerProcess]
RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]
PluginRows = Callable[..., dict[str, dict[str, Any]]]

WRONG: dict[str, tuple[str, list[str], int, list[str]]] = {
    # what is wrong: the file's text, --plugins and --set, exit code, what has to be said
    "unknown key in host": ("[host]\nplugin = []\n", [], 2, ["[host] plugin: unknown key", "did you mean 'plugins'?"]),
    "wrong type in host": ("[host]\ntime_limit = 'long'\n", [], 2, ["[host] time_limit = 'long'"]),
    "value out of range in host": ("[host]\ntime_limit = 0\n", [], 2, ["[host] time_limit = 0"]),
    "unknown table": ("[hosts]\nx = 1\n", [], 2, ["'hosts'", "did you mean 'host'?"]),
    "table that is none": ("plugins = 5\n", [], 2, ["plugins", "5"]),
    "no TOML": ("[host\n", [], 2, ["agenthost.toml", "is not TOML"]),
    "unknown key of a plugin named on the command line": (
        "[plugins.probe]\nnotes = 'a'\n",
        ["--plugins", "probe"],
        2,
        ["probe: ", "agenthost.toml", "[plugins.probe] notes: unknown key", "did you mean 'note'?"],
    ),
    "wrong value by --set": (
        "",
        ["--plugins", "probe", "--set", "probe.number=many"],
        2,
        ["--set", "number", "'many'"],
    ),
    "wrong globs": (
        "[plugins.probe.tools]\nallowed = ['a']\n",
        ["--plugins", "probe"],
        2,
        ["tools.allowed: unknown key", "did you mean 'allow'?"],
    ),
    "wrong time limit of a plugin": (
        "[plugins.probe]\ntime_limit = -1\n",
        ["--plugins", "probe"],
        2,
        ["time_limit = -1"],
    ),
    "--set without a value": ("", ["--set", "probe.note"], 2, ["--set probe.note", "plugin.key=VALUE"]),
    "--set without a key": ("", ["--set", "probe=5"], 2, ["--set probe=5", "plugin.key=VALUE"]),
    "--set of an unknown host key": ("", ["--set", "host.stric=true"], 2, ["--set", "stric", "did you mean 'strict'?"]),
    "settings of a plugin without settings": (
        "[plugins.hello]\nname = 'you'\n",
        ["--plugins", "hello"],
        2,
        ["[plugins.hello] name: unknown key"],
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_settings_are_refused_with_file_key_value_and_the_nearest_key(
    run_agenthost: RunAgenthost, what: str
) -> None:
    text, options, code, said = WRONG[what]
    done = run_agenthost("serve", *options, plugins=["calls", "hello"], config=text)
    assert done.returncode == code
    assert done.stdout == ""
    for part in said:
        assert part in done.stderr
    assert "Traceback" not in done.stderr
    assert "pydantic" not in done.stderr


def test_every_fault_of_the_settings_is_told_at_once(run_agenthost: RunAgenthost) -> None:
    text = "[plugins.probe]\nnotes = 'a'\nnumber = 'b'\n[plugins.typed]\nx = 1\n"
    done = run_agenthost("serve", "--plugins", "probe,typed", plugins=["calls"], config=text)
    assert done.returncode == 2
    for part in ("[plugins.probe] notes", "[plugins.probe] number", "[plugins.typed] x"):
        assert part in done.stderr


def test_wrong_settings_of_a_plugin_that_is_wanted_by_config_are_its_failure_alone(
    start: StartServer, plugin_rows: PluginRows
) -> None:
    config = "[host]\nplugins = ['probe', 'typed']\n[plugins.probe]\nnotes = 'a'\n[plugins.prob]\nnote = 'a'\n"
    server = start(plugins=["calls"], config=config)
    server.open()
    assert "search" in {tool["name"] for tool in server.tools()}
    assert "arrive" not in {tool["name"] for tool in server.tools()}
    assert server.close() == 0
    assert "[plugins.probe] notes: unknown key" in server.stderr
    # A table for a plugin that is not installed is a mistake too, and takes nothing away.
    assert "no plugin 'prob' is installed" in server.stderr
    assert "did you mean 'probe'?" in server.stderr
    rows = plugin_rows(plugins=["calls"], config=config)
    assert rows["probe"]["state"] == "failed"
    assert "unknown key" in rows["probe"]["reason"]
    assert rows["typed"]["state"] == "loaded"


def test_v19_a_definition_that_void_refuses_leaves_all_other_tools_listed(start: StartServer, tmp_path: Path) -> None:
    for schema in ('{"type": "object", "properties": {"a": 5}}', '{"type": "object", "required": "a"}'):
        source = tmp_path / "definitions.json"
        source.write_text(f'[{{"name": "t", "inputSchema": {schema}, "result": "r"}}]', encoding="utf-8")
        config = f"[host]\nplugins = ['void', 'neighbour']\n[plugins.void]\ndefinitions = ['{source}']\n"
        server = start(plugins=["puppets"], config=config)
        server.open()
        assert [tool["name"] for tool in server.tools()] == ["ping"]
        assert server.text("ping") == "neighbour: ping"
        assert server.close() == 0
        assert "agenthost: warning: void: " in server.stderr
        assert str(source) in server.stderr


def test_v19_void_that_is_wanted_by_default_fails_alone(start: StartServer) -> None:
    server = start("--set", 'void.definitions=["missing.json"]', plugins=["puppets"])
    server.open("modern")
    names = {tool["name"] for tool in server.tools()}
    assert {"ping", "neighbour_ping"} <= names
    assert not {name for name in names if "niversal" in name}
    server.wait_for_stderr("missing.json")


STRICT = {
    "failure": "[host]\nplugins = ['neighbour', 'raises-tools']\n",
    "unknown plugin": "[host]\nplugins = ['neighbour', 'nosuch']\n",
    "unknown table": "[host]\nplugins = ['neighbour']\n[plugins.nosuch]\n",
    "quarantine": "[host]\nplugins = ['neighbour', 'some-rubbish']\n",
}


@pytest.mark.parametrize("what", STRICT)
def test_strict_makes_everything_that_is_to_report_an_error(run_agenthost: RunAgenthost, what: str) -> None:
    """Renames, quarantined names and idle globs are seen when serving: test_merging.py."""
    lax = run_agenthost("plugins", plugins=["puppets", "trouble"], config=STRICT[what])
    strict = run_agenthost("plugins", "--strict", plugins=["puppets", "trouble"], config=STRICT[what])
    assert (lax.returncode, strict.returncode) == (0, 2)


@pytest.mark.parametrize("how", ["option", "setting"])
def test_strict_starts_nothing_that_is_to_report(start: StartServer, how: str) -> None:
    config = STRICT["failure"] if how == "option" else STRICT["failure"].replace("[host]", "[host]\nstrict = true")
    server = start(*(["--strict"] if how == "option" else []), plugins=["puppets", "trouble"], config=config)
    assert server.wait() == 2
    assert server.lines == []
    assert "not started, because of --strict" in server.stderr


def test_strict_starts_when_there_is_nothing_to_report(start: StartServer) -> None:
    server = start("--strict", "--plugins", "neighbour,silent", plugins=["puppets", "trouble"])
    server.open()
    assert server.text("ping") == "neighbour: ping"
