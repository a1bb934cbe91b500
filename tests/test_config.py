"""Settings: where they come from, who wins, and who may set what."""

from __future__ import annotations

import subprocess
import sys
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
    server = start(*arguments, command=[str(Path(sys.executable).with_name("agenthost"))], **PROBE)
    assert probe_settings(server)["note"] == "here"
    assert server.call("state_dir")["result"]["structuredContent"]["folder"] == str(state / "probe")
    assert "modules" in {tool["name"] for tool in server.tools()}


def test_x10_without_the_option_state_dir_is_found_by_environment_then_file_then_home(
    start: StartServer, tmp_path: Path
) -> None:
    config = '[host]\nstate_dir = "beside"\n'
    home = tmp_path / "a-home"
    home.mkdir()
    variable = {"AGENTHOST_STATE_DIR": f"{tmp_path}/by-variable"}
    rounds: list[tuple[dict[str, str], str | None, str]] = [
        (variable, config, "by-variable"),
        ({"AGENTHOST_STATE_DIR": ""}, config, "beside"),
        ({"AGENTHOST_STATE_DIR": "", "HOME": str(home)}, None, "a-home"),
    ]
    for env, text, part in rounds:
        server = start("--plugins", "probe", env=env, config=text, **PROBE)
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
    server.wait_for_stderr("[plugins.void] debug_log may not be set")
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


def test_time_limits_the_operators_word_wins_over_the_default(start: StartServer) -> None:
    server = start("--plugins", "crashing", "--set", "host.time_limit=1", plugins=["calls"])
    server.open()
    assert "within 1 s" in server.call("never_returns")["result"]["content"][0]["text"]
