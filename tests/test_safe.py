"""`agenthost serve --safe`: only the plugins that come with agenthost are imported and served."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from http.client import HTTPConnection

import pytest
from agenthost.testing import ServerProcess

StartServer = Callable[..., ServerProcess]
RunAgenthost = Callable[..., subprocess.CompletedProcess[str]]

OTHERS = ["hello", "trouble"]
"""Distributions with plugins of other people, many of which fail when they are imported."""

WANTED = '[host]\nplugins = ["raises-import", "void", "hello"]\n[plugins.hello]\nprefix = "x_"\n'


def test_by_default_all_bundled_plugins_are_served_and_one_line_names_the_others(start: StartServer) -> None:
    server = start("--safe", plugins=OTHERS)
    server.open()
    said = server.wait_for_stderr(" on stdio")
    assert "agenthost: serving campfire, hardtoget, skillcentral, void on stdio" in said
    [line] = [line for line in said.splitlines() if "--safe" in line]
    assert line.startswith("agenthost: left out, because of --safe: ")
    assert {"hello", "raises-import"} <= {*line.rpartition(": ")[2].split(", ")}
    assert "warning" not in said
    assert server.close() == 0


@pytest.mark.parametrize("strict", [[], ["--strict"]])
def test_of_the_plugins_in_the_config_file_the_bundled_are_served(start: StartServer, strict: list[str]) -> None:
    server = start("--safe", *strict, plugins=OTHERS, config=WANTED)
    server.open("modern")
    assert [tool["name"] for tool in server.tools()] == ["Universal"]
    assert "left out, because of --safe: raises-import, hello\n" in server.stderr
    assert server.close() == 0


def test_what_is_wanted_and_not_installed_is_reported_as_ever(start: StartServer) -> None:
    server = start("--safe", config='[host]\nplugins = ["void", "nosuch"]\n')
    server.open()
    assert "warning: nosuch: no plugin 'nosuch' is installed" in server.stderr


@pytest.mark.parametrize("http", [[], ["--http", "0"]])
def test_another_plugin_that_is_named_is_refused_in_a_sentence(run_agenthost: RunAgenthost, http: list[str]) -> None:
    done = run_agenthost("serve", "--safe", *http, "--plugins", "void,hello", plugins=OTHERS)
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = [line for line in done.stderr.splitlines() if "error" in line]
    assert "--safe serves only the plugins of agenthost-campfire, " in line
    assert "--plugins names hello (agenthost-test-hello)" in line
    assert "Traceback" not in done.stderr


def test_bundled_plugins_that_are_named_are_served_in_that_order(start: StartServer) -> None:
    server = start("--safe", "--plugins", "void,campfire", plugins=OTHERS)
    server.open()
    assert "serving void, campfire on stdio" in server.stderr
    assert "--safe" not in server.stderr


def test_over_http_only_the_bundled_plugins_are_served_too(start: StartServer) -> None:
    server = start("--safe", "--http", "0", plugins=OTHERS, config=WANTED)
    connection = HTTPConnection(server.url.split("/")[2], timeout=20)
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200
    connection.close()
    assert "serving void on http://" in server.stderr
    assert "left out, because of --safe: raises-import, hello\n" in server.stderr
