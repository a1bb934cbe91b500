"""`agenthost install` for single clients: TOML, nested entries, locks, and the cases S57 to S63."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from agenthost.clients import load_clients, locks, tomledit
from agenthost.clients.entry import is_ours, merged
from agenthost.clients.files import LeftAlone
from hypothesis import given
from hypothesis import strategies as st

Desk = Any
"""The fixture `desk`, a class of conftest.py."""

PROGRAM = Path(sys.executable).with_name("agenthost")
CLIENTS = list(load_clients())


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.agenthost-*.bak"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# What the installers of the original servers did


def test_s57_into_an_empty_home_every_client_gets_a_file_at_its_path_with_only_the_entry(desk: Desk) -> None:
    for client in CLIENTS:
        desk.sign(client)
        desk.run(client)
    assert set(tree(desk.home)) == {users for users, _, _ in desk.files.values()}
    for client, (users, _, key) in desk.files.items():
        text = (desk.home / users).read_text(encoding="utf-8")
        document = tomllib.loads(text) if users.endswith(".toml") else json.loads(text)
        assert list(document) == [key], client
        assert list(document[key]) == ["agenthost"], client
        assert document[key]["agenthost"]["command"] == str(PROGRAM)


@pytest.mark.parametrize("client", ["cursor", "claude-desktop", "windsurf", "trae", "copilot-cli"])
def test_s58_order_other_entries_and_what_was_added_to_ours_stay_and_the_copy_has_the_mode_of_the_file(
    desk: Desk, client: str
) -> None:
    text = """{
  "zeta": 1,
  "mcpServers": {
    "other": {"command": "npx",   "args": []},
    "agenthost": {
      "command": "/old/agenthost",
      "args": [],
      "env": {"A": "b"},
      "disabled": true
    }
  },
  "alpha": [ ]
}
"""
    path = desk.write(client, text, mode=0o600)
    desk.run(client)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert list(document) == ["zeta", "mcpServers", "alpha"]
    entry = document["mcpServers"]["agenthost"]
    assert entry["command"] == str(PROGRAM)
    assert (entry["env"], entry["disabled"]) == ({"A": "b"}, True)
    assert '"other": {"command": "npx",   "args": []},' in path.read_text(encoding="utf-8")
    assert '"alpha": [ ]\n' in path.read_text(encoding="utf-8")
    [copy] = backups(path)
    assert copy.read_text(encoding="utf-8") == text
    assert mode(path) == mode(copy) == 0o600


PROFILES = """model = "o5"
[mcp_servers.agenthost]   # mine
# why it is here
command = "/old/agenthost"    # keep this
args = [
  "serve",
  "--strict",
]

[mcp_servers.agenthost.env]
TOKEN = "kept"

# my profiles
[[profiles]]
name = "fast"

[[profiles]]
name = "careful"
# the end
"""


def test_s59_profiles_and_comments_behind_our_table_of_codex_stay_and_a_second_run_changes_nothing(desk: Desk) -> None:
    path = desk.write("codex", PROFILES, mode=0o600)
    told = desk.run("codex").stdout
    text = path.read_text(encoding="utf-8")
    arguments = json.dumps(["serve", "--set", f"host.state_dir={desk.state}", "--strict"])
    old = '[\n  "serve",\n  "--strict",\n]\n'
    new = f"{arguments}\nstartup_timeout_sec = 30\ntool_timeout_sec = 330\n"
    assert text == PROFILES.replace("/old/agenthost", str(PROGRAM)).replace(old, new)
    assert "kept" not in told
    assert [mode(copy) for copy in backups(path)] == [0o600]
    before = tree(desk.home)
    assert "nothing changed" in desk.run("codex").stdout
    assert tree(desk.home) == before

    desk.run("codex", "--remove")
    behind = PROFILES[PROFILES.index("\n# my profiles") :]
    assert path.read_text(encoding="utf-8") == 'model = "o5"\n' + behind


IN_PLACE = {
    "inline": (
        '[mcp_servers]\nagenthost = { command = "/old/agenthost", env = { A = "b" } } # c\nother = {command="x"}\n',
        '[mcp_servers]\nother = {command="x"}\n',
    ),
    "all inline": (
        'mcp_servers = { other = { command = "x" }, agenthost = { command = "/old/agenthost" } } # c\n[z]\n',
        'mcp_servers = { other = { command = "x" }  } # c\n[z]\n',
    ),
    "dotted": (
        '[mcp_servers]\nagenthost.command = "/old/agenthost" # c\nother.command = "x"\n# d\n',
        '[mcp_servers]\nother.command = "x"\n# d\n',
    ),
    "dotted at the top": (
        'mcp_servers.agenthost.command = \'/old/agenthost\' # c\nmcp_servers."other".command = "x"\n[z]\n',
        'mcp_servers."other".command = "x"\n[z]\n',
    ),
    "quoted, with Windows' line ends": (
        "[mcp_servers . 'agenthost']\r\ncommand = \"/old/agenthost\"\r\n\r\n[z]\r\n",
        "\r\n[z]\r\n",
    ),
    "in two parts": (
        '[mcp_servers.agenthost.env]\nA = "b"\n[z]\n[mcp_servers.agenthost]\ncommand = "/old/agenthost"\n',
        "[z]\n",
    ),
}


@pytest.mark.parametrize("form", IN_PLACE)
def test_s60_an_entry_of_codex_in_any_form_is_updated_in_place_and_taken_out(desk: Desk, form: str) -> None:
    before, without = IN_PLACE[form]
    path = desk.write("codex", before)
    others = tomllib.loads(before)
    old = others["mcp_servers"].pop("agenthost")
    desk.run("codex")
    text = path.read_bytes().decode()
    document = tomllib.loads(text)
    assert document["mcp_servers"].pop("agenthost") == {
        **old,
        "command": str(PROGRAM),
        "args": ["serve", "--set", f"host.state_dir={desk.state}"],
        "startup_timeout_sec": 30,
        "tool_timeout_sec": 330,
    }
    assert document == others
    assert text.count("# ") == before.count("# ")
    assert text.count("\n") == text.count("\r\n") or "\r" not in text
    assert "nothing changed" in desk.run("codex").stdout
    desk.run("codex", "--remove")
    assert path.read_bytes().decode() == without


UNSAFE = {
    "malformed": ("mcp_servers = {\n", "line 1 is not TOML"),
    "a key twice": ("a = 1\na = 2\n", "line 2 is not TOML"),
    "a list of tables": ('[[mcp_servers]]\nname = "x"\n', '"mcp_servers" in it is not a table'),
    "no table": ("mcp_servers = 3\n", '"mcp_servers" in it is not a table'),
    "JSON": ('{"mcpServers": {}}', "line 1 is not TOML"),
    "a byte order mark": ("\ufeffa = 1\n", "line 1 is not TOML"),
    "Latin-1": (b'a = "\xe9"\n', "it is not UTF-8 text"),
    "too deep": ("a = " + "[" * 100_000 + "]" * 100_000 + "\n", "it is nested too deeply"),
    "a huge number": ("a = " + "1" * 5000 + "\n", "it has a number with more digits than Python reads"),
}


@pytest.mark.parametrize("case", UNSAFE)
def test_s61_a_file_of_codex_that_cannot_be_read_exactly_is_left_alone_and_the_lines_are_printed(
    desk: Desk, case: str
) -> None:
    content, reason = UNSAFE[case]
    path = desk.write("codex", content)
    before = tree(desk.home)
    told = desk.run("codex", code=1)
    assert f"{path} was left alone: {reason}" in told.stderr
    assert tree(desk.home) == before
    assert f"put this into {path}:" in told.stdout
    pasted = told.stdout[told.stdout.index("[mcp_servers.agenthost]") : told.stdout.index("\n\nThen:")]
    assert tomllib.loads(pasted)["mcp_servers"]["agenthost"]["startup_timeout_sec"] == 30
    path.write_text(pasted, encoding="utf-8")
    assert "nothing changed" in desk.run("codex").stdout


@pytest.mark.parametrize("client", ["claude-desktop", "windsurf", "trae", "gemini-cli", "cline"])
@pytest.mark.parametrize("content", ['{"mcpServers": {', "{ // mine\n}", "[]"])
def test_s61_malformed_json_comments_and_lists_are_left_alone(desk: Desk, client: str, content: str) -> None:
    path = desk.write(client, content)
    before = tree(desk.home)
    told = desk.run(client, code=1)
    assert "was left alone" in told.stderr
    assert f'put this into "mcpServers" in {path}' in told.stdout
    assert tree(desk.home) == before


@pytest.mark.parametrize("client", CLIENTS)
def test_s62_the_second_of_two_runs_says_that_all_is_there_and_keeps_no_copy(desk: Desk, client: str) -> None:
    desk.sign(client)
    desk.run(client)
    before = tree(desk.home)
    assert "is as it should be; nothing changed" in desk.run(client).stdout
    assert tree(desk.home) == before
    assert backups(desk.file(client)) == []


@pytest.mark.parametrize("client", CLIENTS)
def test_s63_removal_takes_out_the_entry_with_a_copy_and_does_nothing_if_there_is_none(desk: Desk, client: str) -> None:
    path = desk.file(client)
    assert "nothing to remove" in desk.run(client, "--remove").stdout
    assert tree(desk.home) == {}
    key = desk.key(client)
    other = f'[{key}.other]\ncommand = "x"\n' if client == "codex" else f'{{"{key}": {{"other": {{"command": "x"}}}}}}'
    desk.write(client, other)
    assert "nothing to remove" in desk.run(client, "--remove").stdout
    assert path.read_text(encoding="utf-8") == other
    desk.run(client)
    [first] = backups(path)
    first.unlink()  # so that the file is edited, and not put back as it was
    desk.run(client, "--remove")
    assert path.read_text(encoding="utf-8") == other
    assert len(backups(path)) == 1


@pytest.mark.parametrize(
    ("client", "linux", "darwin"),
    [
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("codex", ".codex/config.toml", ".codex/config.toml"),
        ("copilot-cli", ".copilot/mcp-config.json", ".copilot/mcp-config.json"),
        ("windsurf", ".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json"),
        ("cline", ".cline/data/settings/cline_mcp_settings.json", ".cline/data/settings/cline_mcp_settings.json"),
        ("trae", ".config/Trae/User/mcp.json", "Library/Application Support/Trae/User/mcp.json"),
        ("trae-cn", ".config/Trae CN/User/mcp.json", "Library/Application Support/Trae CN/User/mcp.json"),
        ("gemini-cli", ".gemini/settings.json", ".gemini/settings.json"),
    ],
)
def test_s57_each_system_has_its_own_place(client: str, linux: str, darwin: str, tmp_path: Path) -> None:
    place = load_clients()[client].user
    assert place.locate({}, tmp_path, Path("/x"), "linux") == tmp_path / linux
    assert place.locate({}, tmp_path, Path("/x"), "darwin") == tmp_path / darwin


def test_the_folder_of_settings_may_be_elsewhere_on_linux(tmp_path: Path) -> None:
    for client in ("claude-desktop", "trae", "trae-cn"):
        place = load_clients()[client].user
        assert place.locate({"XDG_CONFIG_HOME": "/xdg"}, tmp_path, Path("/x"), "linux").is_relative_to("/xdg")


# Codex


def test_the_folder_of_codex_may_be_elsewhere(desk: Desk) -> None:
    desk.run("codex", CODEX_HOME=str(desk.home / "elsewhere"))
    assert set(tree(desk.home)) == {"elsewhere/config.toml"}


def test_time_outs_that_somebody_has_chosen_stay(desk: Desk) -> None:
    members = 'command = "/old/agenthost"\ntool_timeout_sec = 60.5\nenabled = false\n'
    desk.write("codex", f"[mcp_servers.agenthost]\n{members}")
    desk.run("codex")
    entry = desk.entry("codex")
    assert (entry["tool_timeout_sec"], entry["startup_timeout_sec"], entry["enabled"]) == (60.5, 30, False)


def test_the_command_of_codex_is_told_and_not_run_since_it_would_drop_comments(desk: Desk) -> None:
    desk.program("codex", "")
    desk.run("codex")
    desk.write("codex", "not toml")
    told = desk.run("codex", code=1).stdout
    assert f"codex mcp add agenthost -- {PROGRAM} serve --set host.state_dir={desk.state}" in told
    assert desk.calls("codex") == []


def test_a_dry_run_for_codex_shows_the_lines_and_touches_nothing(desk: Desk) -> None:
    desk.write("codex", PROFILES)
    before = tree(desk.home)
    told = desk.run("codex", "--dry-run").stdout
    assert f'  + command = "{PROGRAM}"' in told
    assert '  - command = "/old/agenthost"' in told
    assert "o5" not in told
    assert tree(desk.home) == before


# Cline


def test_an_entry_of_cline_stays_in_the_form_in_which_it_is(desk: Desk) -> None:
    text = """{
  "mcpServers": {
    "agenthost": {
      "transport": {"type": "stdio", "command": "/old/agenthost", "cwd": "/x"},
      "disabled": true
    }
  }
}
"""
    path = desk.write("cline", text)
    desk.run("cline")
    entry = desk.entry("cline")
    arguments = ["serve", "--set", f"host.state_dir={desk.state}"]
    transport = {"type": "stdio", "command": str(PROGRAM), "cwd": "/x", "args": arguments}
    assert entry == {"transport": transport, "disabled": True}
    assert "nothing changed" in desk.run("cline").stdout
    desk.run("cline", "--remove")
    assert not path.exists()


def test_a_nested_entry_is_judged_and_merged_by_what_is_inside() -> None:
    foreign = {"transport": {"command": "npx"}}
    assert not is_ours(foreign, "transport")
    assert not is_ours({"transport": {"url": "https://x"}}, "transport")
    assert is_ours({"transport": {"command": "/x/agenthost"}}, "transport")
    wanted = {"command": "/new", "args": ["serve"]}
    assert merged({"transport": {"command": "/old"}}, wanted, {"type": "stdio"}, "transport") == {
        "transport": {"command": "/new", "args": ["serve"], "type": "stdio"}
    }


@pytest.mark.parametrize(
    ("variable", "value", "where"),
    [
        ("CLINE_MCP_SETTINGS_PATH", "own.json", "own.json"),
        ("CLINE_DATA_DIR", "data", "data/settings/cline_mcp_settings.json"),
        ("CLINE_DIR", "cline", "cline/data/settings/cline_mcp_settings.json"),
    ],
)
def test_the_variables_of_cline_say_where_its_file_is(desk: Desk, variable: str, value: str, where: str) -> None:
    desk.run("cline", **{variable: str(desk.home / value)})
    assert set(tree(desk.home)) == {where}


def test_the_older_file_of_cline_is_used_while_it_is_the_only_one(desk: Desk) -> None:
    apps = "Library/Application Support" if sys.platform == "darwin" else ".config"
    older = desk.home / apps / "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
    older.parent.mkdir(parents=True)
    older.write_text("{}", encoding="utf-8")
    desk.run("cline")
    assert "agenthost" in json.loads(older.read_text(encoding="utf-8"))["mcpServers"]
    assert not desk.file("cline").exists()
    desk.write("cline", "{}")
    desk.run("cline")
    assert desk.entry("cline")["command"] == str(PROGRAM)


def test_a_run_waits_until_cline_has_given_its_lock_back_and_leaves_none_of_its_own(desk: Desk) -> None:
    path = desk.write("cline", "{}")
    lock = path.with_name(f"{path.name}.lock")
    lock.mkdir()
    (lock / "owner.1.2.x").write_text("1.2.x", encoding="utf-8")
    run = subprocess.Popen(desk.command("cline"), cwd=desk.project, env=desk.environment, stdout=subprocess.DEVNULL)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(2)
        assert path.read_text(encoding="utf-8") == "{}"
    finally:
        (lock / "owner.1.2.x").unlink()
        lock.rmdir()
    assert run.wait(60) == 0
    assert desk.entry("cline")["command"] == str(PROGRAM)
    assert {found.name for found in path.parent.iterdir()} == {path.name, *(copy.name for copy in backups(path))}


def test_a_lock_of_a_client_that_is_never_given_back_is_told_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "CLIENTS_PATIENCE", 0.0)
    lock = tmp_path / "x.json.lock"
    lock.mkdir()
    (lock / "owner.1").write_text("1", encoding="utf-8")
    mine = locks.locked(tmp_path / "x.json", make=True, suffix=".lock")
    with pytest.raises(LeftAlone, match="keeps it locked"), mine:
        pytest.fail("the lock is held by somebody else")
    assert list(tmp_path.iterdir()) == [lock]
    assert (lock / "owner.1").exists()


def test_a_lock_of_a_client_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    mine = locks.locked(tmp_path / "x.json", make=False, suffix=".lock")
    with pytest.raises(LeftAlone, match="No space left on device"), mine:
        pytest.fail("there is no lock")


def test_a_lock_that_the_client_has_taken_over_is_not_given_back_in_its_name(tmp_path: Path) -> None:
    lock = tmp_path / "x.json.lock"
    with locks.locked(tmp_path / "x.json", make=True, suffix=".lock"):
        lock.rename(tmp_path / "aside")
        lock.mkdir()
        (lock / "owner.1").write_text("1", encoding="utf-8")
    assert (lock / "owner.1").exists()


# Others


def test_the_choice_of_tools_that_somebody_has_made_for_copilot_stays(desk: Desk) -> None:
    desk.run("copilot-cli")
    assert (desk.entry("copilot-cli")["type"], desk.entry("copilot-cli")["tools"]) == ("local", ["*"])
    path = desk.file("copilot-cli")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["mcpServers"]["agenthost"] |= {"tools": ["campfire_ping"], "type": "stdio"}
    path.write_text(json.dumps(document), encoding="utf-8")
    assert "nothing changed" in desk.run("copilot-cli").stdout


def test_the_project_file_that_copilot_shares_with_claude_code_suits_both(desk: Desk) -> None:
    desk.run("claude-code", "--project")
    desk.run("copilot-cli", "--project")
    entry = desk.entry("copilot-cli", project=True)
    assert (entry["type"], entry["tools"]) == ("stdio", ["*"])
    desk.run("claude-code", "--project")
    assert desk.entry("copilot-cli", project=True)["tools"] == ["*"]


@pytest.mark.skipif(sys.platform != "linux", reason="on macOS its file is documented")
def test_on_linux_claude_desktop_is_believed_in_only_where_its_folder_is(desk: Desk) -> None:
    told = desk.run("claude-desktop", code=1)
    assert "is not documented" in told.stderr
    assert str(desk.file("claude-desktop")) in told.stdout
    assert f'"command": "{PROGRAM}"' in told.stdout
    assert tree(desk.home) == {}
    assert desk.run("claude-desktop", "--dry-run", code=1)
    desk.sign("claude-desktop")
    desk.run("claude-desktop")
    assert desk.entry("claude-desktop")["command"] == str(PROGRAM)


def test_a_client_without_files_of_projects_says_so_and_is_not_listed_among_them(desk: Desk) -> None:
    assert "no configuration for a project" in desk.run("windsurf", "--project", code=2).stderr
    listed = desk.run("--project").stdout
    assert "windsurf" not in listed
    assert ".codex/config.toml" in listed


def test_a_name_that_gemini_splits_is_warned_about_there(desk: Desk) -> None:
    assert "splits names at the first _" in desk.run("gemini-cli", "--name", "my_host").stderr
    assert "splits" not in desk.run("cursor", "--name", "my_host").stderr


def test_a_file_of_gemini_with_comments_is_left_to_its_own_command(desk: Desk) -> None:
    desk.program("gemini", "")
    desk.write("gemini-cli", "{ /* mine */ }")
    told = desk.run("gemini-cli", code=1)
    assert "has a comment" in told.stderr
    assert f"gemini mcp add -s user agenthost {PROGRAM} -- serve --set" in told.stdout
    assert desk.calls("gemini") == []


def test_the_newer_agent_of_windsurf_is_told_about_with_the_whole_command(desk: Desk) -> None:
    told = desk.run("windsurf").stdout
    assert f"devin mcp add -s user agenthost -- {PROGRAM} serve --set host.state_dir={desk.state}" in told


def test_a_blank_in_the_path_of_the_program_is_warned_about_where_it_ends_the_command(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = desk.home.parent / "my programs" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    program = python.with_name("agenthost")
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    run = "import sys, agenthost.cli; sys.executable = sys.argv[1]; agenthost.cli.main(['install', *sys.argv[2:]])"
    monkeypatch.setattr(desk, "command", lambda *words: [sys.executable, "-c", run, str(python), *words])
    assert "takes a blank in the command for its end" in desk.run("trae").stderr
    assert "takes a blank" not in desk.run("cursor").stderr
    assert desk.entry("cursor")["command"] == str(program)


def test_tomlkit_is_loaded_only_for_toml(desk: Desk) -> None:
    source = "import sys, agenthost.cli.install, agenthost.clients.plan; print('tomlkit' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", source], env=desk.environment, capture_output=True, check=True, encoding="utf-8"
    )
    assert done.stdout.strip() == "False"


# The edit of TOML itself

PATH = ("servers", "agenthost")
WORDS = st.sampled_from(["servers", "agenthost", "a", "b-c", "é", 'q"', "x.y", ""])
TEXT = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=6)
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(10**6), 10**6),
    TEXT,
    st.sampled_from(['"""', "[x]", "# no comment", "a\nb", "]}"]),
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(WORDS, SCALARS, max_size=2))
TABLES = st.dictionaries(WORDS, VALUES, max_size=3)
ENTRIES = st.fixed_dictionaries({"command": TEXT, "args": st.lists(TEXT, max_size=3)})


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """TOML in many layouts: tables under headers, dotted or inline, with comments and blank lines between."""
    from agenthost.toml_text import inline, key

    between = st.sampled_from(["", "", "\n", "# [servers.agenthost]\n", "  # x = {\n\n"])
    behind = st.sampled_from(["", "", "  # why"])
    lines: list[str] = []

    def member(prefix: tuple[str, ...], value: Any) -> None:
        lines.append(f"{'.'.join(map(key, prefix))} = {inline(value)}{draw(behind)}\n{draw(between)}")

    for word, value in draw(st.dictionaries(WORDS.filter(lambda word: word != "servers"), VALUES, max_size=2)).items():
        member((word,), value)
    servers = draw(st.dictionaries(WORDS, TABLES.filter(bool), max_size=3))
    form = draw(st.sampled_from(["headers", "dotted", "inline", "inline table each"]))
    if form == "inline":
        member(("servers",), servers)
    elif form == "dotted":
        for name, table in servers.items():
            for word, value in table.items():
                member(("servers", name, word), value)
    elif form == "inline table each":
        lines.append("[servers]\n")
        for name, table in servers.items():
            member((name,), table)
    else:
        for name, table in servers.items():
            lines.append(f"[servers.{key(name)}]{draw(behind)}\n{draw(between)}")
            for word, value in table.items():
                member((word,), value)
    lines.append(draw(st.sampled_from(["", '[[list]]\ntext = """\n[servers.agenthost]\n"""\n', "[z]\n# end"])))
    return "".join(lines).replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@given(toml_texts(), ENTRIES)
def test_any_toml_gets_the_member_and_keeps_everything_else(text: str, entry: dict[str, Any]) -> None:
    try:
        old = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    try:
        new = text
        if "agenthost" in old.get("servers", {}):
            for name, value in entry.items():
                new = tomledit.put(new, (*PATH, name), value)
        else:
            new = tomledit.put(text, PATH, entry)
            assert tomledit.undo(new, PATH, ["x = 1\n", text]) == text
    except tomledit.NotPlainToml:
        return
    expected = {**old.get("servers", {}), "agenthost": {**old.get("servers", {}).get("agenthost", {}), **entry}}
    assert tomllib.loads(new) == {**old, "servers": expected}
    assert [line for line in text.splitlines() if line.lstrip().startswith("#")] == [
        line for line in new.splitlines() if line.lstrip().startswith("#")
    ]
    removed = tomledit.remove(new, PATH)
    others = {name: table for name, table in old.get("servers", {}).items() if name != "agenthost"}
    found = tomllib.loads(removed)
    assert found.pop("servers", {}) == others
    assert found == {name: value for name, value in old.items() if name != "servers"}
    assert tomledit.remove(removed, PATH) == removed


@given(toml_texts())
def test_a_text_cut_into_statements_is_the_text(text: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    pieces = list(tomledit._statements(text))
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
