"""Settings: where they come from, who wins, who may set what, and what the operator reads when they are wrong."""

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

PROBE = {"plugins": ["calls"]}


def write(folder: Path, text: str) -> Path:
    """Write a config file into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "agenthost.toml"
    file.write_text(text, encoding="utf-8")
    return file


def probe_settings(server: ServerProcess) -> dict[str, Any]:
    server.open("modern")
    structured: dict[str, Any] = server.call("settings")["result"]["structuredContent"]
    return structured


def note(text: str) -> str:
    return f'[plugins.probe]\nnote = "{text}"\n'


def test_the_first_config_file_found_wins_nothing_is_merged_and_serve_says_which(
    start: StartServer, tmp_path: Path
) -> None:
    """From the strongest to the weakest; each round takes the strongest away."""
    home, cwd = tmp_path / "a-home", tmp_path / "project"
    given = write(tmp_path / "given", note("--config"))
    by_environment = write(tmp_path / "by-environment", note("environment"))
    here = write(cwd, note("working directory"))
    users = write(home / ".config" / "agenthost", note("user") + "number = 7\n")
    variable = {"AGENTHOST_CONFIG": str(by_environment)}
    rounds: list[tuple[list[str], dict[str, str], str, Path | None]] = [
        (["--config", str(given)], variable, "--config", given),
        ([], variable, "environment", by_environment),
        ([], {}, "working directory", here),
        ([], {}, "user", users),
        ([], {}, "", None),
    ]
    for options, env, winner, file in rounds:
        if file == users:
            here.unlink()
        if file is None:
            users.unlink()
        server = start("--plugins", "probe", *options, env={"HOME": str(home), **env}, cwd=cwd, **PROBE)
        settings = probe_settings(server)
        assert settings["note"] == winner
        assert settings["number"] == (7 if winner == "user" else 0)
        assert settings["base_dir"] == str(file.parent if file else cwd)
        assert server.close() == 0
        said = [line for line in server.stderr.splitlines() if line.startswith("agenthost: config: ")]
        if file is not None:
            assert said[0].startswith(f"agenthost: config: {file}")
            assert ("found in the working directory" in said[0]) == (winner == "working directory")
        assert not [line for line in said if file is None and "agenthost.toml" in line]


def test_set_wins_over_the_file_the_later_over_the_earlier_and_values_are_toml_or_words(start: StartServer) -> None:
    server = start(
        "--set", "probe.note=first",
        "--plugins", "probe",
        "--set", "probe.number = 3",
        "--set", "probe.note=a word, and = too",
        "--set", 'probe.file="x y/z"',
        config=note("file"),
        **PROBE,
    )  # fmt: skip
    settings = probe_settings(server)
    assert settings["note"] == "a word, and = too"
    assert settings["number"] == 3
    assert settings["file"] == "x y/z"
    assert settings["same"] is True


@pytest.mark.parametrize(
    "command",
    [
        ["serve", "--plugins", "probe", "--set", "probe.note=here", "--state-dir", "STATE"],
        ["--plugins", "probe", "--set", "probe.note=here", "--state-dir", "STATE", "serve"],
        ["--state-dir", "elsewhere", "--set", "probe.note=early", "--plugins", "neighbour", "serve", "--set",
         "probe.note=here", "--plugins", "probe", "--state-dir", "STATE"],
    ],
    ids=["after", "before", "both"],
)  # fmt: skip
def test_options_stand_before_or_after_the_verb_and_the_later_wins(
    start: StartServer, tmp_path: Path, command: list[str]
) -> None:
    state = tmp_path / "own" / "state"
    arguments = [str(state) if argument == "STATE" else argument for argument in command]
    program = str(Path(__import__("sys").executable).with_name("agenthost"))
    server = start(*arguments, command=[program], **PROBE)
    assert probe_settings(server)["note"] == "here"
    assert server.call("state_dir")["result"]["structuredContent"]["folder"] == str(state / "probe")
    assert [tool["name"] for tool in server.tools()][0] == "modules"


def test_x10_state_dir_is_found_by_option_then_environment_then_file_then_home(
    start: StartServer, tmp_path: Path
) -> None:
    config = '[host]\nstate_dir = "beside"\n'
    home = tmp_path / "a-home"
    home.mkdir()
    rounds: list[tuple[list[str], dict[str, str], str | None, str]] = [
        (["--set", f"host.state_dir={tmp_path}/by-set"], {"AGENTHOST_STATE_DIR": f"{tmp_path}/by-variable"}, config, "by-set"),
        ([], {"AGENTHOST_STATE_DIR": f"{tmp_path}/by-variable"}, config, "by-variable"),
        ([], {"AGENTHOST_STATE_DIR": ""}, config, "beside"),
        ([], {"AGENTHOST_STATE_DIR": "", "HOME": str(home)}, None, "a-home"),
    ]
    for options, env, text, part in rounds:
        server = start("--plugins", "probe", *options, env=env, config=text, **PROBE)
        server.open("modern")
        folder = server.call("state_dir")["result"]["structuredContent"]
        assert part in folder["folder"]
        assert folder["folder"].endswith("/probe")
        assert folder["mode"] == "0o700"


def test_commands_that_only_report_create_no_folder(run_agenthost: RunAgenthost, tmp_path: Path) -> None:
    state = tmp_path / "untouched"
    for verb in (["plugins"], ["plugins", "--json"], ["--help"]):
        done = run_agenthost("--state-dir", str(state), *verb, "--plugins", "probe,hanging", plugins=["calls", "ends"])
        assert done.returncode == 0
    assert not state.exists()


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
    "wrong value by --set": ("", ["--plugins", "probe", "--set", "probe.number=many"], 2, ["--set", "number", "'many'"]),
    "wrong globs": (
        "[plugins.probe.tools]\nallowed = ['a']\n",
        ["--plugins", "probe"],
        2,
        ["tools.allowed: unknown key", "did you mean 'allow'?"],
    ),
    "wrong time limit of a plugin": ("[plugins.probe]\ntime_limit = -1\n", ["--plugins", "probe"], 2, ["time_limit = -1"]),
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
        assert "agenthost: warning: void: " in server.stderr
        assert str(source) in server.stderr


def test_v19_void_that_is_wanted_by_default_fails_alone(start: StartServer) -> None:
    server = start("--set", 'void.definitions=["missing.json"]', plugins=["puppets"])
    server.open("modern")
    names = {tool["name"] for tool in server.tools()}
    assert {"ping", "neighbour_ping"} <= names
    assert not {name for name in names if "niversal" in name}
    assert "missing.json" in server.stderr


def test_trust_a_file_found_in_the_working_directory_may_not_choose_the_state_folder(
    start: StartServer, tmp_path: Path
) -> None:
    write(tmp_path / "clone", "[host]\nstate_dir = '/tmp/somewhere'\n")
    server = start("--plugins", "probe", cwd=tmp_path / "clone", env={"AGENTHOST_STATE_DIR": ""}, **PROBE)
    assert server.wait() == 2
    assert server.lines == []
    assert "[host] state_dir may not be set by a file that was only found in the working directory" in server.stderr
    for cure in ("--config", "$AGENTHOST_CONFIG", "--set host.state_dir"):
        assert cure in server.stderr


def test_trust_a_file_found_in_the_working_directory_may_not_choose_a_plugins_trusted_settings(
    start: StartServer, tmp_path: Path
) -> None:
    log = tmp_path / "debug.jsonl"
    config = f"[host]\nplugins = ['void', 'neighbour']\n[plugins.void]\ndebug_log = '{log}'\n"
    clone = tmp_path / "clone"
    file = write(clone, config)
    server = start(cwd=clone, plugins=["puppets"])
    server.open()
    assert [tool["name"] for tool in server.tools()] == ["ping"]
    assert "[plugins.void] debug_log may not be set" in server.stderr
    named = start("--plugins", "void", cwd=clone, plugins=["puppets"])
    assert named.wait() == 2
    assert not log.exists()
    # The same file, named by the operator, and the same setting, typed by the operator, are trusted.
    for options in (["--config", str(file)], ["--set", f"void.debug_log={log}"]):
        trusted = start(*options, cwd=clone, plugins=["puppets"])
        trusted.open()
        assert [tool["name"] for tool in trusted.tools()] == ["Universal", "ping"]
        assert trusted.close() == 0
    assert log.exists()


def test_trust_what_is_harmless_may_stand_in_the_working_directory(start: StartServer, tmp_path: Path) -> None:
    write(tmp_path / "clone", "[host]\nplugins = ['neighbour']\n[plugins.neighbour]\nprefix = 'n_'\n")
    server = start(cwd=tmp_path / "clone", plugins=["puppets"])
    server.open()
    assert [tool["name"] for tool in server.tools()] == ["n_ping"]


STRICT = {
    "failure": "[host]\nplugins = ['neighbour', 'raises-tools']\n",
    "unknown plugin": "[host]\nplugins = ['neighbour', 'nosuch']\n",
    "unknown table": "[host]\nplugins = ['neighbour']\n[plugins.nosuch]\n",
    "rename": "[host]\nplugins = ['neighbour', 'alpha']\n",
    "quarantine": "[host]\nplugins = ['neighbour', 'some-rubbish']\n",
    "idle glob": "[host]\nplugins = ['neighbour']\n[plugins.neighbour.tools]\ndeny = ['nosuch']\n",
}


@pytest.mark.parametrize("what", STRICT)
def test_strict_makes_everything_that_is_to_report_fatal(start: StartServer, what: str) -> None:
    plugins = ["puppets", "trouble"]
    option = ["--strict"] if what != "rename" else []
    config = STRICT[what] if option else STRICT[what].replace("[host]", "[host]\nstrict = true")
    server = start(*option, plugins=plugins, config=config)
    assert server.wait() == 2
    assert server.lines == []
    assert "not started, because of --strict" in server.stderr


def test_strict_starts_when_there_is_nothing_to_report(start: StartServer) -> None:
    server = start("--strict", "--plugins", "neighbour,silent", plugins=["puppets", "trouble"])
    server.open()
    assert server.text("ping") == "neighbour: ping"


def test_time_limits_the_operators_word_wins_over_the_default(start: StartServer) -> None:
    server = start("--plugins", "crashing", "--set", "host.time_limit=1", plugins=["calls"])
    server.open()
    assert "within 1 s" in server.call("never_returns")["result"]["content"][0]["text"]
