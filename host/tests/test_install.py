"""`agenthost install`: what it writes, what it leaves alone, and that nothing of others is ever lost."""

from __future__ import annotations

import base64
import itertools
import json
import os
import re
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from agenthost.clients import find_client, jsonedit, load_clients
from agenthost.clients.entry import find_program, is_ours, merged
from agenthost.errors import OperatorError
from hypothesis import example, given, settings
from hypothesis import strategies as st

GOLDEN = Path(__file__).parent / "golden" / "install"
BEFORE = sorted(path.name for path in (GOLDEN / "before").iterdir())
WRITE = "AGENTHOST_WRITE_GOLDEN" in os.environ
"""Write the golden files anew instead of comparing with them; read the difference before you commit it."""

PROGRAM = Path(sys.executable).with_name("agenthost")
PATIENCE = 60.0

CLIENTS = list(load_clients())
JSON_CLIENTS = [name for name, client in load_clients().items() if client.user.format == "json"]

every_client = pytest.mark.parametrize("client", CLIENTS)
every_json_client = pytest.mark.parametrize("client", JSON_CLIENTS)

Desk = Any
"""The fixture `desk`, a class of conftest.py."""

OTHERS = """{
  "mcpServers": {
    "github": {
      "command": "npx"
    }
  },
  "theme": "dark"
}
"""


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a folder: its mode and its bytes."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.agenthost-*.bak"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# What is written


def golden(client: str, case: str) -> Path:
    return GOLDEN / "after" / client / f"{case}{'.toml' if client == 'codex' else '.json'}"


CASES = [
    (client, case)
    for client in CLIENTS
    for case in ["fresh", *(Path(name).stem for name in BEFORE if name.endswith(golden(client, "x").suffix))]
    if client in {"claude-code", "cursor", "vscode", "codex"} or case in {"fresh", "others", "odd_order"}
]
"""Each client with every file that it may find; where two clients differ only in the place, with three of them."""


def plain(text: str, desk: Desk) -> str:
    return text.replace(str(PROGRAM), "@PROGRAM@").replace(str(desk.state), "@STATE@")


def compare(text: str, path: Path) -> None:
    if WRITE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()


@pytest.mark.parametrize(("client", "case"), CASES)
def test_the_file_of_a_user_is_exactly_the_golden_one_and_removal_restores_it(
    desk: Desk, client: str, case: str
) -> None:
    desk.plugin("kettle", "lantern")
    desk.sign(client)
    before = None
    if case != "fresh":
        name = f"{case}{golden(client, case).suffix}"
        before = (GOLDEN / "before" / name).read_bytes().replace(b"@KEY@", desk.key(client).encode())
        desk.write(client, before)
    path = desk.file(client)
    desk.run(client, "--plugins", "lantern,kettle")
    compare(plain(path.read_bytes().decode(), desk), golden(client, case))
    desk.run(client, "--remove")
    assert (path.read_bytes() if path.exists() else None) == before


@pytest.mark.parametrize("client", [name for name in CLIENTS if load_clients()[name].project])
def test_the_file_of_a_project_is_exactly_the_golden_one_and_nothing_else_is_written(desk: Desk, client: str) -> None:
    told = desk.run(client, "--project").stdout
    path = desk.file(client, project=True)
    compare(plain(path.read_bytes().decode(), desk), golden(client, "project"))
    assert set(tree(desk.project)) == {str(path.relative_to(desk.project))}
    assert tree(desk.home) == {}
    assert mode(path) == 0o666 & ~current_umask()
    assert "do not commit it" in told
    desk.run(client, "--project", "--remove")
    assert tree(desk.project) == {}


def current_umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@every_client
def test_what_is_written_starts_a_server(desk: Desk, client: str, tmp_path: Path, agenthost_server: Any) -> None:
    desk.sign(client)
    desk.run(client, "--plugins", "")
    entry = desk.entry(client)
    server = agenthost_server(*entry["args"], command=[entry["command"]], env={"PATH": ""}, cwd="/")
    assert server.open()["serverInfo"]["name"] == "agenthost"
    assert server.close() == 0


def test_a_new_file_of_a_user_is_readable_by_the_user_alone(desk: Desk) -> None:
    desk.run("cursor")
    assert mode(desk.file("cursor")) == 0o600


def test_only_what_was_asked_for_is_in_the_arguments(desk: Desk) -> None:
    desk.plugin("kettle", "lantern")
    state = f"host.state_dir={desk.state}"
    desk.run("cursor")
    assert desk.arguments() == ["serve", "--set", state]
    desk.run("cursor", "--plugins", " kettle, lantern,kettle", "--name", "two")
    assert desk.arguments(name="two") == ["serve", "--set", state, "--plugins", "kettle,lantern"]
    desk.run("cursor", "--set", "void.mutable=true", "--strict", "--plugins", "", "--name", "three")
    assert desk.arguments(name="three") == [
        *["serve", "--set", state, "--set", "void.mutable=true", "--plugins", "", "--strict"]
    ]
    assert set(desk.entry("cursor")) == {"type", "command", "args"}


@pytest.mark.parametrize(
    "arguments", [["--state-dir", "data"], ["--set", "host.state_dir=data"], ["--state-dir", "../project/data"]]
)
def test_the_state_folder_is_absolute_however_it_was_given(desk: Desk, arguments: list[str]) -> None:
    desk.run("cursor", *arguments)
    assert desk.arguments() == ["serve", "--set", f"host.state_dir={desk.project / 'data'}"]
    assert not (desk.project / "data").exists()


def test_without_any_setting_the_state_folder_is_the_users_and_is_not_made(desk: Desk) -> None:
    del desk.environment["AGENTHOST_STATE_DIR"]
    desk.run("cursor", XDG_STATE_HOME=str(desk.home / "elsewhere"))
    [setting] = [word for word in desk.arguments() if word.startswith("host.state_dir=/")]
    if sys.platform == "linux":
        assert setting == f"host.state_dir={desk.home / 'elsewhere' / 'agenthost'}"
    assert not Path(setting.partition("=")[2]).exists()


def user_config(desk: Desk) -> Path:
    users = "Library/Application Support" if sys.platform == "darwin" else ".config"
    path = desk.home / users / "agenthost" / "agenthost.toml"
    path.parent.mkdir(parents=True)
    return path


def test_a_config_file_that_is_in_use_is_named_in_the_entry(desk: Desk) -> None:
    del desk.environment["AGENTHOST_STATE_DIR"]
    users = user_config(desk)
    users.write_text('[host]\nstate_dir = "mine"\n', encoding="utf-8")
    desk.run("cursor")
    state = f"host.state_dir={users.parent / 'mine'}"
    assert desk.arguments() == ["serve", "--config", str(users), "--set", state]

    given = desk.project / "given.toml"
    given.write_text("", encoding="utf-8")
    for arguments, env in ((["--config", "given.toml"], {}), ([], {"AGENTHOST_CONFIG": "given.toml"})):
        desk.run("cursor", *arguments, **env)
        assert desk.arguments()[:3] == ["serve", "--config", str(given)]
        assert "mine" not in " ".join(desk.arguments())


def test_a_config_file_that_cannot_be_used_stops_before_anything_is_written(desk: Desk) -> None:
    told = desk.run("cursor", "--config", "missing.toml", code=2)
    assert "missing.toml" in told.stderr
    assert tree(desk.home) == {}


def test_a_config_file_of_the_working_directory_is_not_made_trusted_by_installing(desk: Desk) -> None:
    (desk.project / "agenthost.toml").write_text('[host]\nstate_dir = "/nowhere"\n', encoding="utf-8")
    told = desk.run("cursor")
    assert desk.arguments() == ["serve", "--set", f"host.state_dir={desk.state}"]
    assert "agenthost.toml is not written into the entry" in told.stderr
    user_config(desk).write_text("", encoding="utf-8")
    desk.run("cursor", "--name", "everywhere")
    assert "--config" in desk.arguments(name="everywhere")
    desk.run("cursor", "--project")
    assert "--config" not in desk.entry("cursor", project=True)["args"]


def test_an_unknown_plugin_is_refused_with_the_nearest_name(desk: Desk) -> None:
    desk.plugin("kettle", "lantern")
    told = desk.run("cursor", "--plugins", "kettle,lantrn", code=2)
    assert "lantrn" in told.stderr
    assert "did you mean 'lantern'?" in told.stderr
    assert tree(desk.home) == {}


def test_a_plugin_that_can_never_be_served_is_refused(desk: Desk) -> None:
    desk.plugin("twin", distribution="one")
    desk.plugin("twin", distribution="two")
    assert "both offer a plugin of this name" in desk.run("cursor", "--plugins", "twin", code=2).stderr
    assert tree(desk.home) == {}


@pytest.mark.parametrize("name", ["", "a b", "-x", "dot.ted", "x" * 65, "ü"])
def test_a_name_that_not_every_client_takes_is_refused(desk: Desk, name: str) -> None:
    assert "--name" in desk.run("cursor", f"--name={name}", code=2).stderr
    assert tree(desk.home) == {}


def test_a_name_that_a_client_keeps_for_itself_is_refused_there_and_a_long_one_is_warned_about(desk: Desk) -> None:
    assert "keeps this name for itself" in desk.run("claude-code", "--name", "workspace", code=2).stderr
    desk.run("cursor", "--name", "workspace")
    assert "leave out those that become too long" in desk.run("cursor", "--name", "x" * 18).stderr


def test_a_path_that_clients_would_take_for_a_variable_is_refused(desk: Desk) -> None:
    assert "variable" in desk.run("cursor", "--state-dir", "/data/${HOME}", code=2).stderr
    assert tree(desk.home) == {}


# Which client


@pytest.mark.parametrize(
    ("word", "name"),
    [
        *[("Claude Code", "claude-code"), ("claudecode", "claude-code"), ("CC", "claude-code"), ("Cursor", "cursor")],
        *[("Claude Desktop", "claude-desktop"), ("Codex CLI", "codex"), ("copilot", "copilot-cli")],
        *[("WINDSURF", "windsurf"), ("Cline", "cline"), ("Trae CN", "trae-cn"), ("gemini", "gemini-cli")],
        *[("VS Code", "vscode"), ("vs_code", "vscode"), ("Visual Studio Code", "vscode"), ("code", "vscode")],
    ],
)
def test_a_client_is_known_by_friendly_spellings(word: str, name: str) -> None:
    assert find_client(word)[0] == name


@pytest.mark.parametrize(
    ("word", "near"), [("cursr", "cursor"), ("vscod", "vscode"), ("codx", "codex"), ("traee", "trae")]
)
def test_an_unknown_client_is_refused_with_the_nearest_name(desk: Desk, word: str, near: str) -> None:
    told = desk.run(word, code=2).stderr
    assert f"did you mean {near!r}?" in told
    assert ", ".join(CLIENTS) in told


def test_a_word_that_may_mean_two_clients_is_refused_with_both(desk: Desk) -> None:
    assert "(claude-code or claude-desktop?)" in desk.run("claude", code=2).stderr
    assert tree(desk.home) == {}


def test_without_a_client_they_are_listed_with_what_is_there(desk: Desk) -> None:
    desk.run("cursor")
    desk.write("vscode", '{\n  // mine\n  "servers": {"agenthost": {"command": "/x/agenthost"}},\n}')
    rows = {line.split()[0]: line for line in desk.run().stdout.splitlines() if line}
    assert " no " in rows["claude-code"]
    assert " yes " in rows["cursor"]
    assert str(desk.file("cursor")) in rows["cursor"]
    assert " yes " in rows["vscode"]
    desk.write("cursor", '{"mcpServers": {"agenthost": {"url": "https://team.example/mcp"}}}')
    desk.write("vscode", "\xff")
    rows = {line.split()[0]: line for line in desk.run().stdout.splitlines() if line}
    assert " other " in rows["cursor"]
    assert " ? " in rows["vscode"]
    assert ".vscode" in desk.run("--project").stdout
    assert "which client?" in desk.run("--remove", code=2).stderr


def test_the_facts_about_clients_are_complete_and_every_template_can_be_filled(desk: Desk, tmp_path: Path) -> None:
    clients = load_clients()
    assert set(clients) == set(desk.files)
    assert {name for name, client in clients.items() if client.project} == set(filter(desk.has_project, clients))
    for client in clients.values():
        for place in filter(None, (client.user, client.project)):
            for platform in ("linux", "darwin"):
                assert place.locate({}, tmp_path / "home", tmp_path, platform).is_relative_to(tmp_path)
            assert place.after


def test_files_are_looked_for_where_each_system_and_the_clients_variables_say(tmp_path: Path) -> None:
    home = Path("/home/you")

    def where(client: str, platform: str, **environment: str) -> str:
        return str(load_clients()[client].user.locate(environment, home, tmp_path, platform))

    assert where("vscode", "linux") == "/home/you/.config/Code/User/mcp.json"
    assert where("vscode", "linux", XDG_CONFIG_HOME="/xdg") == "/xdg/Code/User/mcp.json"
    assert where("vscode", "linux", XDG_CONFIG_HOME="") == "/home/you/.config/Code/User/mcp.json"
    assert where("vscode", "linux", VSCODE_PORTABLE="/p", XDG_CONFIG_HOME="/xdg") == "/p/user-data/User/mcp.json"
    assert where("vscode", "darwin") == "/home/you/Library/Application Support/Code/User/mcp.json"
    assert where("claude-code", "darwin") == "/home/you/.claude.json"
    assert where("claude-code", "linux", CLAUDE_CONFIG_DIR="~/other") == "/home/you/other/.claude.json"
    assert where("claude-code", "linux", CLAUDE_CONFIG_DIR="other") == str(tmp_path / "other" / ".claude.json")


# The program


def test_the_program_beside_the_running_python_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_program() == PROGRAM


def program_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only there is a program called agenthost, and it is on PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    empty = folder.parent / "empty"
    empty.mkdir(exist_ok=True)
    program = folder / "agenthost"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(empty / "python"))
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(empty))
    monkeypatch.setenv("PATH", str(folder))
    return program


def test_otherwise_the_program_on_path_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_in(tmp_path / "bin", monkeypatch)
    assert find_program() == program


def test_without_a_program_the_cure_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program_in(tmp_path / "bin", monkeypatch).chmod(0o644)
    with pytest.raises(OperatorError, match="pip install agenthost-core"):
        find_program()


def test_a_shim_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program_in(tmp_path / "shims", monkeypatch)
    with pytest.raises(OperatorError, match="pip install agenthost-core"):
        find_program()


@pytest.mark.parametrize(
    "folder", [".cache/uv/archive-v0/a1b2/bin", ".cache/pipx/a1b2/bin", "Library/Caches/pipx/a/bin"]
)
def test_a_program_of_a_temporary_environment_is_refused_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    program_in(tmp_path / folder, monkeypatch)
    with pytest.raises(OperatorError, match="uv tool install agenthost-core"):
        find_program()


# Again, changed, removed


@every_json_client
def test_a_second_run_changes_nothing_and_keeps_no_copy(desk: Desk, client: str) -> None:
    key = desk.key(client)
    desk.write(client, OTHERS.replace("mcpServers", key))
    desk.run(client)
    before = tree(desk.home)
    times = {path: path.stat().st_mtime_ns for path in desk.home.rglob("*")}
    assert "nothing changed" in desk.run(client).stdout
    assert tree(desk.home) == before
    assert {path: path.stat().st_mtime_ns for path in desk.home.rglob("*")} == times


def test_a_change_touches_only_what_differs_and_keeps_what_others_have_added_to_the_entry(desk: Desk) -> None:
    text = """{
  "mcpServers": {
    "agenthost": {
      "args": ["serve",   "--plugins=old", "--set", "host.state_dir=/old", "--set", "void.mutable=true", "--strict"],
      "env": { "TOKEN":   "kept" },
      "disabled": true,
      "command": "/old/agenthost"
    },
    "github": { "command":   "npx" }
  }
}"""
    path = desk.write("cursor", text)
    told = desk.run("cursor").stdout
    state = f"host.state_dir={desk.state}"
    arguments = ["serve", "--set", state, "--set", "void.mutable=true", "--strict"]
    written = text.replace(re.search(r"\[.*\]", text)[0], json.dumps(arguments)).replace("/old/agenthost", str(PROGRAM))  # type: ignore[index]
    assert path.read_text(encoding="utf-8") == written.replace(
        f'"{PROGRAM}"\n', f'"{PROGRAM}",\n      "type": "stdio"\n'
    )
    assert [copy.read_text(encoding="utf-8") for copy in backups(path)] == [text]
    assert str(backups(path)[0]) in told
    assert "/old/agenthost" in told
    assert "kept" not in told
    assert "nothing changed" in desk.run("cursor").stdout


def test_the_same_arguments_in_another_order_are_as_they_should_be(desk: Desk) -> None:
    desk.run("cursor", "--set", "void.mutable=true")
    path = desk.file("cursor")
    document = json.loads(path.read_text(encoding="utf-8"))
    words = document["mcpServers"]["agenthost"]["args"]
    document["mcpServers"]["agenthost"]["args"] = ["serve", *words[3:], *words[1:3]]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert "nothing changed" in desk.run("cursor").stdout


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "agenthost", "args": ["serve"]}, True),
        ({"command": "/x/agenthost"}, True),
        ({"command": "uvx", "args": ["--from", "agenthost-core", "agenthost", "serve"]}, True),
        ({"command": "python", "args": ["-m", "agenthost", "serve"]}, True),
        ({"disabled": True}, True),
        ({"command": "npx", "args": ["agenthost-like"]}, False),
        ({"command": 3, "args": "agenthost"}, False),
        ({"url": "https://team.example/mcp"}, False),
        ("agenthost", False),
    ],
)
def test_an_entry_is_ours_if_it_starts_agenthost_by_whatever_means(entry: Any, ours: bool) -> None:
    assert is_ours(entry) is ours


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["serve"], []),
        (["-m", "agenthost", "serve", "--strict"], ["--strict"]),
        (["serve", "--state-dir", "/a", "--config=/b", "--plugins", "c"], []),
        (
            ["serve", "--set=a.b=1", "--set", "host.state_dir=/x", "--log-level", "debug"],
            [*["--set", "a.b=1", "--log-level", "debug"]],
        ),
        (["serve", "--set"], ["--set"]),
        (["--strict"], []),
        ("serve", []),
        (["serve", 3, None], []),
    ],
)
def test_arguments_that_somebody_has_added_are_kept(words: Any, kept: list[str]) -> None:
    wanted = {"command": "/x", "args": ["serve", "--set", "host.state_dir=/y"]}
    assert merged({"command": "/old", "args": words}, wanted)["args"] == [*wanted["args"], *kept]


@pytest.mark.parametrize("flag", [[], ["--remove"]])
@pytest.mark.parametrize("entry", ['{"command": "npx"}', '{"url": "https://team.example/mcp"}', '"text"', "[]"])
def test_an_entry_of_that_name_for_something_else_is_left_alone(desk: Desk, entry: str, flag: list[str]) -> None:
    desk.write("cursor", f'{{"mcpServers": {{"github": {entry}}}}}')
    before = tree(desk.home)
    told = desk.run("cursor", "--name", "github", *flag, code=1)
    assert "does not start agenthost" in told.stderr
    assert told.stdout == ""
    assert tree(desk.home) == before


def test_removal_takes_out_only_the_entry_even_if_everything_else_has_changed_meanwhile(desk: Desk) -> None:
    path = desk.write("cursor", OTHERS)
    desk.run("cursor")
    changed = (
        path.read_text(encoding="utf-8").replace('"npx"', '"npx",\n      "disabled": true').replace("dark", "light")
    )
    path.write_text(changed, encoding="utf-8")
    desk.run("cursor", "--remove")
    assert path.read_text(encoding="utf-8") == OTHERS.replace('"npx"', '"npx",\n      "disabled": true').replace(
        "dark", "light"
    )


def test_removal_leaves_a_valid_file_when_the_object_of_servers_becomes_empty(desk: Desk) -> None:
    path = desk.write("cursor", '{"theme": "dark"}')
    desk.run("cursor")
    path.write_text(path.read_text(encoding="utf-8").replace("dark", "light"), encoding="utf-8")
    desk.run("cursor", "--remove")
    assert path.read_text(encoding="utf-8") == '{"theme": "light", "mcpServers": {}}'


@pytest.mark.parametrize("text", ["", "\n", "{}", "{ }\n", '{"mcpServers":{ }}', "\ufeff", "\ufeff{}\r\n"])
def test_removal_restores_a_file_in_which_there_was_next_to_nothing(desk: Desk, text: str) -> None:
    path = desk.write("cursor", text)
    desk.run("cursor", "--plugins", "")
    assert desk.entry("cursor")["args"][-2:] == ["--plugins", ""]
    desk.run("cursor")
    desk.run("cursor", "--remove")
    assert path.read_bytes() == text.encode()


def test_removing_what_is_not_there_is_no_failure_and_reads_no_settings(desk: Desk) -> None:
    for client in CLIENTS:
        assert "nothing to remove" in desk.run(client, "--remove", AGENTHOST_CONFIG="/nowhere.toml").stdout
    assert tree(desk.home) == {}
    assert list(desk.home.iterdir()) == []


def test_two_names_live_side_by_side(desk: Desk) -> None:
    path = desk.write("cursor", OTHERS)
    desk.run("cursor")
    first = path.read_bytes()
    desk.run("cursor", "--name", "second", "--plugins", "")
    desk.run("cursor", "--name", "second", "--remove")
    assert path.read_bytes() == first
    desk.run("cursor", "--remove")
    assert path.read_bytes() == OTHERS.encode()


# Dry run


@every_json_client
def test_a_dry_run_shows_the_lines_and_touches_nothing(desk: Desk, client: str) -> None:
    desk.sign(client)
    told = desk.run(client, "--dry-run").stdout
    assert f'+   "command": "{PROGRAM}"' in told
    assert str(desk.file(client)) in told
    assert tree(desk.home) == {}
    desk.write(client, OTHERS.replace("mcpServers", desk.key(client)))
    desk.run(client)
    before = tree(desk.home)
    assert "nothing changed" in desk.run(client, "--dry-run").stdout
    told = desk.run(client, "--dry-run", "--plugins", "").stdout
    added = [line.strip() for line in told.splitlines() if line.startswith("  +")]
    assert added[-2:] == ['+     "--plugins",', '+     ""']
    told = desk.run(client, "--dry-run", "--remove").stdout
    assert f'-   "command": "{PROGRAM}"' in told
    assert "npx" not in told
    assert tree(desk.home) == before


def test_a_dry_run_ends_as_the_run_itself_would(desk: Desk) -> None:
    desk.write("cursor", "{,}")
    assert "left alone" in desk.run("cursor", "--dry-run", code=1).stderr
    assert "nosuch" in desk.run("cursor", "--plugins", "nosuch", "--dry-run", code=2).stderr


# What is left alone


def left_alone(desk: Desk, reason: str, client: str = "cursor", *flags: str) -> str:
    """Run, see that nothing was touched, and return what was printed for pasting."""
    before = tree(desk.home)
    told = desk.run(client, *flags, code=1)
    assert f"{desk.file(client)} was left alone: {reason}" in told.stderr
    assert tree(desk.home) == before
    return told.stdout


def pasted(printed: str) -> Any:
    """The entry among the printed lines."""
    start = printed.index('"agenthost": {')
    return json.loads(f"{{{printed[start : printed.index(chr(10) + '}', start) + 2]}}}")["agenthost"]


UNSAFE = {
    "a comment": ('{\n  // mine\n  "mcpServers": {}\n}', "line 2 has a comment"),
    "a comment behind": ('{"mcpServers": {}} /* mine */', "line 1 has a comment"),
    "a trailing comma": ('{\n  "mcpServers": {\n    "x": {},\n  }\n}', "line 3 has a trailing comma"),
    "a key twice": ('{"mcpServers": {}, "mcpServers": {}}', 'the key "mcpServers" stands twice'),
    "a key twice, spelt otherwise": ('{"a": {"b": 1, "\\u0062": 2}}', 'the key "b" stands twice'),
    "a list": ("[]", "its top level is not an object"),
    "a number": ("3", "its top level is not an object"),
    "servers in a list": ('{"mcpServers": []}', '"mcpServers" in it is not an object'),
    "no JSON": ("{\n\n}}", "line 3 is not JSON"),
    "NaN": ('{"a": NaN}', "NaN is not JSON"),
    "half a file": ('{"mcpServers": {"x": {', "line 1 is not JSON"),
    "Latin-1": (b'{"a": "\xe9"}', "it is not UTF-8 text"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "it is not UTF-8 text"),
    "too deep": ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "it is nested too deeply"),
    "a huge number": ('{"a": ' + "1" * 5000 + "}", "it has a number with more digits than Python reads"),
    "a huge file": (b" " * (16 * 1024 * 1024 + 1), "it is larger than 16 MiB"),
}


@pytest.mark.parametrize("case", UNSAFE)
def test_what_cannot_be_edited_safely_is_left_alone_and_the_lines_to_paste_are_printed(desk: Desk, case: str) -> None:
    content, reason = UNSAFE[case]
    desk.write("cursor", content)
    printed = left_alone(desk, reason)
    assert pasted(printed) == {
        "type": "stdio",
        "command": str(PROGRAM),
        "args": ["serve", "--set", f"host.state_dir={desk.state}"],
    }
    assert f'put this into "mcpServers" in {desk.file("cursor")}' in printed


def test_what_was_pasted_into_a_file_with_comments_is_seen(desk: Desk) -> None:
    path = desk.write("vscode", '{\n  // http://x\n  "servers": {},\n}')
    printed = left_alone(desk, "line 2 has a comment", "vscode")
    member = json.dumps(pasted(printed))
    path.write_text(f'{{\n  // http://x\n  "servers": {{"agenthost": {member},}},\n}}', encoding="utf-8")
    assert "nothing changed" in desk.run("vscode").stdout
    printed = left_alone(desk, "line 2 has a comment", "vscode", "--remove")
    assert f'take "agenthost" out of "servers" in {path}' in printed


def test_the_printed_links_hold_the_entry(desk: Desk) -> None:
    desk.write("cursor", "[]")
    printed = left_alone(desk, "its top level is not an object")
    link = re.search(r"cursor://\S+name=agenthost&config=(\S+)", printed)
    assert link
    assert json.loads(base64.urlsafe_b64decode(link[1])) == pasted(printed)
    desk.write("vscode", "[]")
    printed = left_alone(desk, "its top level is not an object", "vscode")
    link = re.search(r"vscode:mcp/install\?(\S+)", printed)
    assert link
    assert json.loads(unquote(link[1])) == {"name": "agenthost", **pasted(printed)}


def test_a_read_only_file_is_left_alone_unless_nothing_has_to_be_done(desk: Desk) -> None:
    path = desk.write("cursor", OTHERS, mode=0o444)
    left_alone(desk, "it is read-only")
    path.chmod(0o644)
    desk.run("cursor")
    path.chmod(0o444)
    assert "nothing changed" in desk.run("cursor").stdout
    left_alone(desk, "it is read-only", "cursor", "--remove")


@pytest.mark.parametrize("content", [None, OTHERS])
def test_a_read_only_folder_is_left_alone(desk: Desk, content: str | None) -> None:
    folder = desk.file("cursor").parent
    folder.mkdir()
    if content is not None:
        desk.write("cursor", content)
    folder.chmod(0o555)
    try:
        left_alone(desk, f"the folder {folder} is read-only")
    finally:
        folder.chmod(0o755)


def test_a_folder_that_would_have_to_be_made_in_a_read_only_one_is_not_made(desk: Desk) -> None:
    desk.home.chmod(0o555)
    try:
        left_alone(desk, f"the folder {desk.home} is read-only")
        assert list(desk.home.iterdir()) == []
    finally:
        desk.home.chmod(0o755)


def test_what_is_no_plain_file_is_left_alone(desk: Desk) -> None:
    path = desk.file("cursor")
    path.mkdir(parents=True)
    left_alone(desk, "it is not a plain file")
    path.rmdir()
    os.mkfifo(path)
    left_alone(desk, "it is not a plain file")
    path.unlink()
    path.symlink_to(path)
    assert "left alone: it cannot be read" in desk.run("cursor", code=1).stderr
    path.unlink()
    path.symlink_to(desk.home / "missing.json")
    left_alone(desk, f"it is a link to {desk.home / 'missing.json'}, which does not exist")
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("a file", encoding="utf-8")
    left_alone(desk, "it cannot be read")


def test_a_file_with_a_second_name_is_left_alone(desk: Desk) -> None:
    path = desk.write("cursor", OTHERS)
    (desk.home / "second").hardlink_to(path)
    left_alone(desk, "it has a second name")


# What a file keeps


def test_a_link_stays_a_link_and_the_file_behind_it_is_changed(desk: Desk) -> None:
    real = desk.home / "dotfiles" / "cursor.json"
    real.parent.mkdir()
    real.write_text(OTHERS, encoding="utf-8")
    middle = desk.home / "middle.json"
    middle.symlink_to(real)
    path = desk.file("cursor")
    path.parent.mkdir()
    path.symlink_to(middle)
    desk.run("cursor")
    assert path.is_symlink()
    assert middle.is_symlink()
    assert desk.entry("cursor")["command"] == str(PROGRAM)
    [copy] = backups(real)
    assert copy.read_text(encoding="utf-8") == OTHERS
    desk.run("cursor", "--remove")
    assert path.is_symlink()
    assert real.read_text(encoding="utf-8") == OTHERS


def test_a_linked_file_that_becomes_empty_is_not_deleted(desk: Desk) -> None:
    desk.run("cursor")
    path = desk.file("cursor")
    real = path.rename(desk.home / "real.json")
    path.symlink_to(real)
    desk.run("cursor", "--remove")
    assert json.loads(path.read_text(encoding="utf-8")) == {"mcpServers": {}}


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o664, 0o700])
def test_the_mode_stays_and_the_copy_has_it_too(desk: Desk, bits: int) -> None:
    path = desk.write("cursor", OTHERS, mode=bits)
    desk.run("cursor")
    assert mode(path) == bits
    assert [mode(copy) for copy in backups(path)] == [bits]
    desk.run("cursor", "--remove")
    assert mode(path) == bits


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_the_owner_stays_and_the_copy_has_it_too(desk: Desk) -> None:
    path = desk.write("cursor", OTHERS)
    os.chown(path, 12345, 23456)
    desk.run("cursor")
    for file in (path, *backups(path)):
        assert (file.stat().st_uid, file.stat().st_gid) == (12345, 23456)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_byte_order_mark_and_line_ends_stay(desk: Desk, newline: str, mark: str) -> None:
    text = mark + OTHERS.replace("\n", newline)
    path = desk.write("cursor", text)
    desk.run("cursor")
    written = path.read_bytes().decode()
    assert written.startswith(mark + "{")
    assert written.count("\n") == written.count(newline)
    assert written.endswith(f"{newline}}}{newline}")
    assert desk.entry("cursor")["type"] == "stdio"
    desk.run("cursor", "--remove")
    assert path.read_bytes() == text.encode()


def test_no_copy_is_ever_written_over(desk: Desk) -> None:
    path = desk.write("cursor", OTHERS)
    for number in range(4):
        desk.run("cursor", "--set", f"void.number={number}")
    copies = backups(path)
    assert len(copies) == 4
    assert len({copy.read_bytes() for copy in copies}) == 4


def test_nothing_but_the_file_and_its_copy_is_left(desk: Desk) -> None:
    path = desk.write("cursor", OTHERS)
    desk.run("cursor")
    assert {file.name for file in path.parent.iterdir()} == {path.name, *(copy.name for copy in backups(path))}
    assert {file.name for file in desk.home.iterdir()} == {".cursor"}


# Several at once


@pytest.mark.parametrize("content", [None, OTHERS], ids=["no file", "a file"])
def test_two_runs_at_the_same_moment_both_take_effect(desk: Desk, content: str | None) -> None:
    path = desk.file("cursor")
    for _ in range(10):
        if content is None:
            path.unlink(missing_ok=True)
        else:
            desk.write("cursor", content)
        runs = [
            subprocess.Popen(
                desk.command("cursor", "--name", name),
                cwd=desk.project,
                env=desk.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for name in ("first", "second")
        ]
        for run in runs:
            _, told = run.communicate(timeout=PATIENCE)
            assert run.returncode == 0, told
        assert [desk.entry("cursor", name)["command"] for name in ("first", "second")] == [str(PROGRAM)] * 2
        assert (desk.entry("cursor", "github") is None) == (content is None)
    assert not list(path.parent.glob("*.tmp"))


def test_a_run_waits_for_the_other_one_in_the_same_folder(desk: Desk) -> None:
    import fcntl

    path = desk.write("cursor", OTHERS)
    descriptor = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    run = subprocess.Popen(desk.command("cursor"), cwd=desk.project, env=desk.environment, stdout=subprocess.DEVNULL)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(2)
        assert path.read_bytes() == OTHERS.encode()
    finally:
        os.close(descriptor)
    assert run.wait(PATIENCE) == 0
    assert desk.entry("cursor") is not None


def test_a_file_that_somebody_else_changes_meanwhile_is_read_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from agenthost.clients import files
    from agenthost.clients.installing import carry_out
    from agenthost.clients.plan import Target

    path = desk.write("cursor", OTHERS)
    wanted = {"command": str(PROGRAM), "args": ["serve"]}
    target = Target(load_clients()["cursor"], "user", "agenthost", path, wanted, None)
    keep_copy, meddled = files.keep_copy, []

    def meddle(snapshot: files.Snapshot) -> Path | None:
        copy = keep_copy(snapshot)
        if not meddled:
            meddled.append(path.write_text(OTHERS.replace("dark", "light"), encoding="utf-8"))
        return copy

    monkeypatch.setattr(files, "keep_copy", meddle)
    outcome = carry_out(target)
    assert meddled
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["theme"] == "light"
    assert document["mcpServers"]["agenthost"] == wanted
    assert backups(path) == [outcome.copy]

    def always(snapshot: files.Snapshot) -> Path | None:
        path.write_text(path.read_text(encoding="utf-8") + " ", encoding="utf-8")
        return keep_copy(snapshot)

    monkeypatch.setattr(files, "keep_copy", always)
    with pytest.raises(files.LeftAlone, match="all the time"):
        carry_out(Target(target.client, "user", "other", path, wanted, None))
    assert len(backups(path)) == 1


def test_a_full_disk_leaves_the_file_as_it_was(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from agenthost.clients import files
    from agenthost.clients.installing import carry_out
    from agenthost.clients.plan import Target

    path = desk.write("cursor", OTHERS)
    target = Target(load_clients()["cursor"], "user", "agenthost", path, {"command": "/x/agenthost", "args": []}, None)
    fsync, calls = os.fsync, []

    def full_at_the_second(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full_at_the_second)
    with pytest.raises(files.LeftAlone, match="No space left on device"):
        carry_out(target)
    assert tree(path.parent).keys() == {path.name}
    assert path.read_bytes() == OTHERS.encode()


# The client's own command

# What `claude mcp` of Claude Code 2.1.197 does to the file, and a few things that it should not do.
CLAUDE = """
import os, pathlib
folder = os.environ.get("CLAUDE_CONFIG_DIR") or os.environ["HOME"]
path = pathlib.Path(folder) / ".claude.json"
mood = os.environ.get("MOOD", "")
document = json.loads(path.read_text()) if path.exists() else {"numStartups": 0}
servers = document.setdefault("mcpServers", {})
document["numStartups"] += 1
_, verb, name, *rest = sys.argv[1:]
assert rest[-2:] == ["--scope", "user"], rest
if mood == "does nothing":
    print("all is well")
    sys.exit(0)
if mood == "fails" or (mood == "cannot add" and verb == "add-json" and "void.new" in rest[0]):
    sys.exit("claude: no such luck")
if verb == "add-json":
    if name in servers:
        sys.exit(f"MCP server {name} already exists in user config")
    entry = json.loads(rest[0])
    servers[name] = {key: entry[key] for key in ("command", "args", "env") if key in entry}
    if mood == "careless":
        servers = document["mcpServers"] = {name: servers[name]}
else:
    if name not in servers:
        sys.exit(f"no server {name}")
    del servers[name]
path.write_text(json.dumps(document, indent=2))
sys.exit(3 if mood == "says it failed" else 0)
"""

CODE = """
import os, pathlib
path = pathlib.Path(os.environ["HOME"]) / {where!r}
mood = os.environ.get("MOOD", "")
if mood == "fails":
    sys.exit("code: no such luck")
if mood == "elsewhere":
    sys.exit(0)
[flag, text] = sys.argv[1:]
assert flag == "--add-mcp"
entry = json.loads(text)
path.parent.mkdir(parents=True, exist_ok=True)
path.write_text(json.dumps({{"servers": {{entry.pop("name"): entry}}, "inputs": []}}, indent="\\t"))
"""


@pytest.fixture
def claude(desk: Desk) -> Callable[[], list[list[str]]]:
    """A `claude` on PATH; returns the calls it got."""
    desk.program("claude", CLAUDE)
    return lambda: desk.calls("claude")


@pytest.fixture
def code(desk: Desk) -> Callable[[], list[list[str]]]:
    """A `code` on PATH; returns the calls it got."""
    desk.program("code", CODE.format(where=desk.files["vscode"][0]))
    return lambda: desk.calls("code")


Calls = Callable[[], list[list[str]]]


def test_what_a_client_bears_yields_to_the_operators_own_word(desk: Desk) -> None:
    (desk.project / "own.toml").write_text("[host]\nmax_wait = 20\n", encoding="utf-8")
    desk.run("vscode", "--config", "own.toml")
    assert "host.max_wait" not in " ".join(desk.entry("vscode")["args"])
    desk.run("vscode", "--name", "typed", "--set", "host.max_wait=30")
    assert "host.max_wait=300" not in desk.entry("vscode", name="typed")["args"]


def test_claude_code_is_set_up_by_its_own_command(desk: Desk, claude: Calls) -> None:
    path = desk.write("claude-code", '{"numStartups": 7, "mcpServers": {"github": {"command": "npx"}}}', mode=0o600)
    told = desk.run("claude-code").stdout
    [[*words, entry, scope, user]] = claude()
    assert [*words, scope, user] == ["mcp", "add-json", "agenthost", "--scope", "user"]
    arguments = ["serve", "--set", f"host.state_dir={desk.state}", "--set", "host.max_wait=300"]
    assert json.loads(entry) == {"command": str(PROGRAM), "args": arguments}
    assert desk.entry("claude-code")["command"] == str(PROGRAM)
    assert desk.entry("claude-code", "github") == {"command": "npx"}
    assert f'added "agenthost" to {path}, by claude mcp add-json' in told
    assert "Start a new Claude Code session" in told
    [copy] = backups(path)
    assert mode(copy) == 0o600
    assert json.loads(copy.read_text(encoding="utf-8"))["numStartups"] == 7

    before = tree(desk.home)
    assert "nothing changed" in desk.run("claude-code").stdout
    assert len(claude()) == 1
    assert tree(desk.home) == before

    desk.run("claude-code", "--remove")
    assert claude()[1:] == [["mcp", "remove", "agenthost", "--scope", "user"]]
    assert desk.entry("claude-code") is None
    assert "nothing to remove" in desk.run("claude-code", "--remove").stdout
    assert len(claude()) == 2


def test_claude_codes_own_command_changes_an_entry_by_removing_and_adding_it(desk: Desk, claude: Calls) -> None:
    desk.write(
        "claude-code",
        json.dumps(
            {
                "numStartups": 0,
                "mcpServers": {"agenthost": {"command": "/old/agenthost", "env": {"A": "b"}, "cwd": "/x"}},
            }
        ),
    )
    told = desk.run("claude-code")
    assert [call[1] for call in claude()] == ["remove", "add-json"]
    assert desk.entry("claude-code") == {
        "command": str(PROGRAM),
        "args": ["serve", "--set", f"host.state_dir={desk.state}", "--set", "host.max_wait=300"],
        "env": {"A": "b"},
    }
    assert "did not keep all of the entry: cwd" in told.stderr


def test_a_dry_run_shows_the_clients_command_and_does_not_run_it(desk: Desk, claude: Calls, code: Calls) -> None:
    told = desk.run("claude-code", "--dry-run").stdout
    assert f'{desk.programs / "claude"} mcp add-json agenthost \'{{"command":' in told
    assert "--scope user" in told
    assert "--add-mcp" in desk.run("vscode", "--dry-run").stdout
    assert claude() == code() == []
    assert tree(desk.home) == {}


def test_the_files_content_decides_and_not_what_the_clients_command_says(desk: Desk, claude: Calls) -> None:
    desk.run("claude-code", MOOD="says it failed")
    assert desk.entry("claude-code")["command"] == str(PROGRAM)
    before = tree(desk.home)
    told = desk.run("claude-code", "--remove", MOOD="does nothing", code=1)
    assert "has not made the change (exit code 0)\n    all is well" in told.stderr
    assert "claude mcp remove agenthost --scope user" in told.stdout
    assert tree(desk.home) == before


@pytest.mark.parametrize("mood", ["fails", "does nothing"])
@pytest.mark.parametrize("content", [None, '{"numStartups": 1}'])
def test_the_file_of_claude_code_is_not_edited_while_its_command_is_there(
    desk: Desk, claude: Calls, mood: str, content: str | None
) -> None:
    if content is not None:
        desk.write("claude-code", content)
    before = tree(desk.home)
    told = desk.run("claude-code", MOOD=mood, code=1)
    assert len(claude()) == 1
    assert tree(desk.home) == before
    assert "its own command has not made the change" in told.stderr
    assert ("no such luck" in told.stderr) == (mood == "fails")
    assert pasted(told.stdout)["command"] == str(PROGRAM)
    assert "claude mcp add-json agenthost" in told.stdout


def test_an_entry_that_cannot_be_replaced_is_put_back(desk: Desk, claude: Calls) -> None:
    desk.run("claude-code")
    entry = desk.entry("claude-code")
    told = desk.run("claude-code", "--set", "void.new=1", MOOD="cannot add", code=1)
    assert desk.entry("claude-code") == entry
    assert "the entry agenthost was put back" in told.stderr


def test_it_is_told_when_the_clients_command_loses_other_servers_and_where_the_copy_is(
    desk: Desk, claude: Calls
) -> None:
    path = desk.write("claude-code", '{"numStartups": 1, "mcpServers": {"github": {"command": "npx"}}}')
    told = desk.run("claude-code", MOOD="careless")
    assert "has changed other servers" in told.stderr
    assert "github" in told.stderr
    assert str(backups(path)[0]) in told.stdout


def test_the_clients_command_is_not_run_on_a_file_that_cannot_be_read(desk: Desk, claude: Calls) -> None:
    desk.write("claude-code", '{"numStartups": 1,}')
    printed = left_alone(desk, "line 1 has a trailing comma", "claude-code")
    assert "claude mcp add-json agenthost" in printed
    desk.write("claude-code", '{"numStartups": 1}', mode=0o444)
    left_alone(desk, "it is read-only", "claude-code")
    assert claude() == []


def test_claude_codes_other_folder_is_honoured(desk: Desk, claude: Calls) -> None:
    other = desk.home / "other"
    other.mkdir()
    desk.run("claude-code", CLAUDE_CONFIG_DIR=str(other))
    assert "agenthost" in json.loads((other / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]
    assert not desk.file("claude-code").exists()


def test_a_project_of_claude_code_is_a_file_and_its_command_is_not_asked(desk: Desk, claude: Calls) -> None:
    told = desk.run("claude-code", "--project").stdout
    assert claude() == []
    assert desk.entry("claude-code", project=True)["command"] == str(PROGRAM)
    assert "approve the server" in told


def test_a_clients_command_that_cannot_be_run_is_explained(desk: Desk) -> None:
    (desk.programs / "claude").write_text("#!/nowhere/at/all\n", encoding="utf-8")
    (desk.programs / "claude").chmod(0o755)
    told = desk.run("claude-code", code=1)
    assert "has not made the change: No such file or directory" in told.stderr
    assert tree(desk.home) == {}


def test_vs_code_makes_its_first_file_itself(desk: Desk, code: Calls) -> None:
    told = desk.run("vscode").stdout
    [[_, text]] = code()
    assert json.loads(text) == {"name": "agenthost", **desk.entry("vscode")}
    assert "MCP: List Servers" in told
    assert "nothing changed" in desk.run("vscode").stdout
    desk.run("vscode", "--remove")
    assert json.loads(desk.file("vscode").read_text(encoding="utf-8")) == {"servers": {}, "inputs": []}
    assert len(code()) == 1


def test_a_file_of_vs_code_that_is_there_is_edited_since_its_command_would_write_it_anew(
    desk: Desk, code: Calls
) -> None:
    before = OTHERS.replace("mcpServers", "servers")
    path = desk.write("vscode", before)
    desk.run("vscode")
    assert desk.entry("vscode")["command"] == str(PROGRAM)
    desk.run("vscode", "--remove")
    assert path.read_text(encoding="utf-8") == before
    desk.write("vscode", '{\n  // mine\n  "servers": {}\n}')
    left_alone(desk, "line 2 has a comment", "vscode")
    assert code() == []


@pytest.mark.parametrize("mood", ["fails", "elsewhere"])
def test_the_file_is_made_without_vs_code_if_its_command_has_not_done_it(desk: Desk, code: Calls, mood: str) -> None:
    told = desk.run("vscode", MOOD=mood)
    assert len(code()) == 1
    assert "has not made the change (exit code" in told.stderr
    assert desk.entry("vscode")["command"] == str(PROGRAM)


# The command line itself


def test_help_names_every_option_and_the_start_stays_light(desk: Desk) -> None:
    told = desk.run("--help").stdout
    for option in ("--name", "--project", "--remove", "--dry-run", "--plugins", "--config", "--set"):
        assert option in told
    source = "import sys, agenthost.cli.install; print(sorted({'mcp', 'mcp_types'} & set(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", source], env=desk.environment, capture_output=True, check=True, encoding="utf-8"
    )
    assert loaded.stdout.strip() == "[]"


# The edit itself

PATH = ("servers", "agenthost")
KEYS = st.one_of(st.sampled_from(["servers", "agenthost", "a", 'q"\\', "é", ""]), st.text(max_size=4))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=12,
)
ENTRIES = st.fixed_dictionaries({"command": st.text(max_size=5), "args": st.lists(st.text(max_size=5), max_size=3)})
DOCUMENTS = st.one_of(
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.builds(
        lambda others, servers: {**others, "servers": servers},
        st.dictionaries(KEYS, VALUES, max_size=2),
        st.dictionaries(KEYS, VALUES, max_size=3),
    ),
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Any JSON document in any layout: one of the usual ones, or blanks everywhere."""
    document = draw(DOCUMENTS)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    ascii_only = draw(st.booleans())
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, "", " ", "  ", "    ", "\t"]))
        separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (",", " : ")]))
        newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
        text = json.dumps(document, indent=indent, separators=separators, ensure_ascii=ascii_only).replace(
            "\n", newline
        )
        return mark + text + draw(st.sampled_from(["", newline]))
    blanks = st.sampled_from(["", "", " ", "  ", "\n", "\r\n", "\r", "\t", "\n    ", "\n\n\t"])

    def render(value: Any) -> Iterator[str]:
        if isinstance(value, dict | list):
            yield "{" if isinstance(value, dict) else "["
            for position, item in enumerate(value):
                yield f"{',' if position else ''}{draw(blanks)}"
                if isinstance(value, dict):
                    yield f"{json.dumps(item, ensure_ascii=ascii_only)}{draw(blanks)}:{draw(blanks)}"
                yield from render(value[item] if isinstance(value, dict) else item)
                yield draw(blanks)
            yield "" if value else draw(blanks)
            yield "}" if isinstance(value, dict) else "]"
        else:
            yield json.dumps(value, ensure_ascii=ascii_only)

    return f"{mark}{draw(blanks)}{''.join(render(document))}{draw(blanks)}"


def value_of(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text.removeprefix("\ufeff"))
    return document


def common_ends(one: str, two: str) -> tuple[int, int]:
    """How many characters two texts share at their beginning, and at their end without overlap."""

    def shared(pairs: Iterable[tuple[str, str]]) -> int:
        return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))

    begin = shared(zip(one, two, strict=False))
    return begin, shared(zip(reversed(one[begin:]), reversed(two[begin:]), strict=False))


@settings(max_examples=400, deadline=None)
@given(texts(), ENTRIES)
@example("{}", {"command": "", "args": []})
@example('{"servers":{}}', {"command": "", "args": []})
@example('{\n"servers":{\n}\n}', {"command": "", "args": []})
def test_any_document_in_any_layout_gets_the_member_and_keeps_every_other_byte(
    text: str, entry: dict[str, Any]
) -> None:
    old = value_of(text)
    if not isinstance(old.get("servers", {}), dict):
        with pytest.raises(jsonedit.NotPlainJson, match="not an object"):
            jsonedit.put(text, PATH, entry)
        return
    new = jsonedit.put(text, PATH, entry)
    assert value_of(new) == {**old, "servers": {**old.get("servers", {}), "agenthost": entry}}
    assert list(value_of(new)) == list(old) if "servers" in old else [*old, "servers"]

    begin, end = common_ends(text, new)
    dropped = text[begin : len(text) - end]
    if "agenthost" in old.get("servers", {}):
        untouched = jsonedit.put(text, PATH, None)  # the place where the old value was
        at = common_ends(untouched, new)
        assert sum(at) >= len(untouched) - len("null")
    else:
        assert dropped.strip(" \t\r\n") == ""
        assert dropped == "" or not old.get("servers")

    removed = jsonedit.remove(new, PATH)
    assert value_of(removed) == {
        **old,
        "servers": {k: v for k, v in old.get("servers", {}).items() if k != "agenthost"},
    }
    if "agenthost" not in old.get("servers", {}):
        assert jsonedit.undo(new, PATH, ["{", "[]", '{"x": 1}', text]) == text
        if old.get("servers"):
            assert removed == text
    assert jsonedit.remove(removed, PATH) == removed


@settings(max_examples=200, deadline=None)
@given(texts(), VALUES, st.data())
def test_any_member_of_any_document_can_be_replaced_and_removed(text: str, value: Any, data: st.DataObject) -> None:
    old = value_of(text)
    if not old:
        return
    key = data.draw(st.sampled_from(list(old)))
    assert value_of(jsonedit.put(text, [key], value)) == {**old, key: value}
    assert list(value_of(jsonedit.put(text, [key], value))) == list(old)
    without = {other: kept for other, kept in old.items() if other != key}
    assert value_of(jsonedit.remove(text, [key])) == without
    kept_bytes = sum(common_ends(text, jsonedit.remove(text, [key])))
    assert kept_bytes >= len(jsonedit.remove(text, [key]))


@settings(max_examples=300, deadline=None)
@given(texts(), st.integers(0, 10**6), st.sampled_from(["", "x", ",", "//", "}", '"', "\\", "\x00", "'", "1", "{"]))
def test_a_text_that_json_does_not_accept_is_never_edited(text: str, position: int, noise: str) -> None:
    position %= len(text) + 1
    damaged = text[:position] + noise + text[position + 1 :]
    try:
        document = json.loads(damaged.removeprefix("\ufeff"), parse_constant=int)  # int("NaN") is a ValueError
    except ValueError:
        document = None
    if isinstance(document, dict):
        return
    if damaged.strip("\ufeff \t\r\n") == "":
        return
    with pytest.raises(jsonedit.NotPlainJson):
        jsonedit.put(damaged, PATH, {})


@settings(max_examples=200, deadline=None)
@given(texts())
def test_a_document_is_read_the_same_with_comments_and_trailing_commas_passed_over(text: str) -> None:
    assert jsonedit.read_leniently(text) == value_of(text)
    bare = text.removeprefix("\ufeff")
    closing = bare.rindex("}")
    comma = "," if value_of(text) else ""
    commented = f'/* {{ */{bare[:closing]}{comma}// "x\n}}{bare[closing + 1 :]}'
    assert jsonedit.read_leniently(commented) == value_of(text)


def test_a_new_member_is_laid_out_like_its_neighbours() -> None:
    entry = {"command": "c", "args": ["a"]}
    assert jsonedit.put('{"servers": {"x": 1}}', PATH, entry) == (
        '{"servers": {"x": 1, "agenthost": {"command": "c", "args": ["a"]}}}'
    )
    assert jsonedit.put('{\n "servers": {}\n}', PATH, entry) == (
        '{\n "servers": {\n  "agenthost": {\n   "command": "c",\n   "args": [\n    "a"\n   ]\n  }\n }\n}'
    )
    assert jsonedit.put('{\n\t"x": 1\n}\n', PATH, {}) == '{\n\t"x": 1,\n\t"servers": {\n\t\t"agenthost": {}\n\t}\n}\n'
    assert jsonedit.put("", PATH, {}) == '{\n  "servers": {\n    "agenthost": {}\n  }\n}\n'
