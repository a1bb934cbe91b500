"""The command line: what cannot be done is refused in one sentence that says what to do instead."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from agenthost.testing import ServerProcess

StartServer = Callable[..., ServerProcess]
RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]

AGENTHOST = str(Path(sys.executable).with_name("agenthost"))
PLUGINS = ["hello", "trouble", "twin_one", "twin_two", "unnameable"]

REFUSED: dict[str, list[str]] = {
    # what is typed: what has to be said
    "hello": ["plugin hello has no commands", "agenthost serve --plugins hello"],
    "nosuch": ["'nosuch'", "agenthost --help"],
    "serv": ["'serv'", "did you mean 'serve'?"],
    "raises-import": ["raises-import: ", "RuntimeError: fails on purpose"],
    "raises-import --help": ["raises-import: ", "RuntimeError: fails on purpose"],
    "exits-import": ["exits-import: ", "SystemExit: leaves on purpose"],
    "cancels-import": ["cancels-import: ", "CancelledError: cancels on purpose"],
    "twin": ["twin: ", "agenthost-test-twin-one 1.0", "agenthost-test-twin-two 1.0"],
    "Upper": ["Upper: ", "its author has to rename it"],
    "host": ["host: ", "reserved"],
    "--plugins hello void --mutable": ["--plugins and --strict", "agenthost void"],
    "--config missing.toml plugins": ["missing.toml", "cannot be read", "--config"],
    "--config . plugins": ["cannot be read", "--config"],
    "serve extra": ["extra"],
    "--state-dir= plugins": ["--state-dir", "is empty; give a folder, or leave it out"],
    "campfire list --state-dir x": ["No such option", "agenthost --state-dir ... campfire ..."],
    "campfire list --set=void.mutable=true": ["No such option", "agenthost --set ... campfire ..."],
    "serve --plugin hello": ["--plugin"],
}


@pytest.mark.parametrize("typed", REFUSED)
def test_what_cannot_be_done_is_said_in_a_sentence(run_agenthost: RunAgenthost, typed: str) -> None:
    done = run_agenthost(*typed.split(), plugins=PLUGINS)
    assert done.returncode == 2
    assert done.stdout == ""
    for text in REFUSED[typed]:
        assert text in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("group", ["campfire", "hardtoget", "skillcentral", "skillcentral session"])
def test_the_commands_of_a_plugin_are_listed_with_whole_sentences(run_agenthost: RunAgenthost, group: str) -> None:
    done = run_agenthost(*group.split(), "--help")
    commands = done.stdout.split("Commands:")[1]
    assert "..." not in commands
    assert len(commands.splitlines()) > 4


@pytest.mark.parametrize(("redirection", "name"), [("<&-", "stdin"), (">&-", "stdout")])
def test_serving_without_stdin_or_stdout_is_refused(start: StartServer, redirection: str, name: str) -> None:
    server = start(command=["sh", "-c", f'exec "{AGENTHOST}" serve --plugins void {redirection}'])
    assert server.wait() == 2
    assert f"{name} is closed" in server.stderr


def test_serving_without_stderr_works(start: StartServer) -> None:
    server = start(command=["sh", "-c", f'exec "{AGENTHOST}" serve --plugins void,raises-tools 2>&-'], plugins=PLUGINS)
    assert server.wait() == 2
    server = start(command=["sh", "-c", f'exec "{AGENTHOST}" serve --plugins void 2>&-'])
    server.open()
    assert [tool["name"] for tool in server.tools()] == ["Universal"]
    assert server.close() == 0


def test_names_of_plugins_may_have_blanks_around_them_and_come_twice(start: StartServer) -> None:
    server = start("--plugins", " hello , void,hello,, ", plugins=["hello"])
    server.open()
    assert [tool["name"] for tool in server.tools()] == ["hello", "Universal"]


def test_a_config_file_with_a_byte_order_mark_is_read_and_one_in_another_encoding_is_refused(
    run_agenthost: RunAgenthost, tmp_path: Path
) -> None:
    file = tmp_path / "agenthost.toml"
    file.write_bytes(b'\xef\xbb\xbf[host]\r\nplugins = ["hello"]\r\n')
    assert "agenthost-test-hello" in run_agenthost("--config", str(file), "plugins", plugins=["hello"]).stdout
    file.write_text('[host]\nplugins = ["hello"]\n', encoding="utf-16")
    done = run_agenthost("--config", str(file), "plugins", plugins=["hello"])
    assert done.returncode == 2
    assert "is not UTF-8 text" in done.stderr


def test_instructions_of_all_plugins_are_the_same_in_both_eras_and_no_longer_than_clients_read(
    start: StartServer,
) -> None:
    long = "Alpha explains itself at length. " + "🎉 and on it goes. " * 300
    config = f"[plugins.alpha]\ninstructions = {long!r}\n[plugins.beta]\ninstructions = 'Beta is short.'\n"
    read: list[str] = []
    for era in ("legacy", "modern"):
        server = start("--plugins", "alpha,beta,neighbour", plugins=["puppets"], config=config)
        read.append(server.open(era)["instructions"])
    assert read[0] == read[1]
    assert len(read[0].encode("utf-16-le")) // 2 <= 2048
    first = read[0][:512]
    for text in ("alpha", "Alpha explains itself at length.", "Beta is short.", "neighbour"):
        assert text in first
