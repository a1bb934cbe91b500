"""`agenthost config` and `agenthost init`, as people type them."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agenthost.cli.init import write_new
from agenthost.effective import MASK, is_secret, plain
from agenthost.settings import FILE_NAME, HostPart, HostSettings, load_config
from agenthost.toml_text import inline, key
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

Installed = Callable[..., dict[str, str]]
Run = Callable[..., subprocess.CompletedProcess[str]]

DIARY = '''
    import datetime
    from pathlib import Path
    from typing import Annotated
    from agenthost import Trusted, hookimpl, tool
    from pydantic import BaseModel, Field, SecretStr

    class Server(BaseModel):
        host: str = "localhost"
        password: str = "sesame"

    class Settings(BaseModel):
        pages: Annotated[list[str], Field(alias="pageNames", description="Pages,\\nin order \\x1b[31m.")] = ["one"]
        token: str = "open"
        key: SecretStr = SecretStr("open")
        max_tokens: int = 7
        server: Server = Server()
        since: datetime.date = datetime.date(2026, 1, 31)
        file: Annotated[Path | None, Trusted] = None
        counts: dict[str, int] = {"a b": 1}

    @tool
    def diary_read() -> str:
        """Read."""
        return "x"

    @hookimpl
    def agenthost_settings():
        return Settings

    @hookimpl
    def agenthost_tools():
        return [diary_read]
'''

NEEDY = """
    from agenthost import hookimpl
    from pydantic import BaseModel, Field

    class Settings(BaseModel):
        place: str = Field(description="Where it is.")

    @hookimpl
    def agenthost_settings():
        return Settings
"""

PLAIN = """
    from agenthost import hookimpl

    @hookimpl
    def agenthost_tools():
        return []
"""


@pytest.fixture
def diary(installed: Installed) -> dict[str, str]:
    return installed(diary=DIARY, needy=NEEDY, plain=PLAIN, broken="raise RuntimeError('broken on purpose')")


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    file = tmp_path / "given.toml"
    file.write_text(
        '[host]\ntime_limit = 30\n\n[plugins.diary]\npageNames = ["two"]\ntoken = "hidden"\nprefix = "my_"\n'
        'tools = { deny = ["x*"] }\n\n[plugins.diary.server]\nhost = "far"\n',
        encoding="utf-8",
    )
    return file


def tables(text: str) -> dict[str, dict[str, tuple[str, str]]]:
    """What `config` printed: table -> key -> (where it came from, the value), or the words below a table."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for line in text.splitlines():
        if heading := re.fullmatch(r"\[(.+)\]", line):
            rows = found[heading[1]] = {}
        elif cells := re.fullmatch(r"  (\S+) +(\S+) +(.+)", line):
            rows[cells[1]] = cells[2], cells[3]
    return found


# config


def test_every_setting_is_shown_with_its_value_and_where_it_came_from(
    run: Run, diary: dict[str, str], config_file: Path
) -> None:
    options = ["--config", str(config_file), "--set", "diary.max_tokens=9", "--set", "diary.tools.allow=['diary_*']"]
    done = run("config", *options, "--plugins", "diary", "--strict", env=diary)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Config file: {config_file}\n")
    shown = tables(done.stdout)
    assert list(shown) == ["host", "plugins.diary"]
    assert shown["host"].keys() == HostSettings.model_fields.keys()
    assert shown["host"]["plugins"] == ("--plugins", '["diary"]')
    assert shown["host"]["strict"] == ("--strict", "true")
    assert shown["host"]["time_limit"] == ("file", "30.0")
    assert shown["host"]["start_limit"] == ("default", "10.0")
    assert shown["host"]["state_dir"] == ("$AGENTHOST_STATE_DIR", f'"{diary["AGENTHOST_STATE_DIR"]}"')
    own = shown["plugins.diary"]
    assert own["pageNames"] == ("file", '["two"]')
    assert own["max_tokens"] == ("--set", "9")
    assert own["since"] == ("default", '"2026-01-31"')
    assert own["file"] == ("default", "not set")
    assert own["counts"] == ("default", '{ "a b" = 1 }')
    assert own["prefix"] == ("file", '"my_"')
    assert own["tools.deny"] == ("file", '["x*"]')
    assert own["tools.allow"] == ("--set", '["diary_*"]')
    assert own["prompts.deny"] == ("default", "[]")


def test_secrets_are_not_shown(run: Run, diary: dict[str, str], config_file: Path) -> None:
    for options in ([], ["--toml"]):
        done = run("config", "--config", str(config_file), "--set", "diary.key=hidden", *options, env=diary)
        assert done.returncode == 0
        for secret in ("hidden", "sesame", '"open"'):
            assert secret not in done.stdout
    shown = tables(run("config", "--config", str(config_file), "--plugins", "diary", env=diary).stdout)
    assert shown["plugins.diary"]["token"] == ("file", f'"{MASK}"')
    assert shown["plugins.diary"]["server"] == ("file", f'{{ host = "far", password = "{MASK}" }}')


def test_a_plugin_that_fails_is_shown_with_what_is_written_and_the_reason(
    run: Run, diary: dict[str, str], config_file: Path
) -> None:
    done = run("config", "--config", str(config_file), "--set", "diary.counts=many", "--plugins", "diary", env=diary)
    assert done.returncode == 0
    assert tables(done.stdout)["plugins.diary"]["counts"] == ("--set", '"many"')
    assert "  failed: --set: [plugins.diary] counts = 'many'" in done.stdout


def test_a_table_for_no_plugin_is_reported(run: Run, diary: dict[str, str]) -> None:
    done = run("config", "--set", "dairy.token=x", "--plugins", "diary", env=diary)
    assert "no plugin 'dairy' is installed (did you mean 'diary'?)" in done.stderr


def test_the_printed_file_says_the_same_again(
    run: Run, diary: dict[str, str], config_file: Path, tmp_path: Path
) -> None:
    options = ["--config", str(config_file), "--plugins", "diary,plain", "--set", "diary.max_tokens=9"]
    first = run("config", "--toml", *options, env=diary)
    assert first.stdout.startswith(
        "# Secrets are left out: plugins.diary.token, plugins.diary.key, plugins.diary.server\n"
    )
    again = tmp_path / "again.toml"
    again.write_text(first.stdout, encoding="utf-8")
    second = run("config", "--toml", "--config", str(again), env=diary)
    assert tomllib.loads(second.stdout) == tomllib.loads(first.stdout)
    config = load_config(file=again, environment={})
    assert config.host_settings().time_limit == 30
    assert config.host_settings().plugins == ["diary", "plain"]
    assert config.host_part("diary").prefix == "my_"
    assert config.plugins["diary"]["pageNames"] == ["two"]


def test_a_wrong_host_table_is_an_error_in_one_line(run: Run, diary: dict[str, str]) -> None:
    done = run("config", "--set", "host.time_limit=0", env=diary)
    assert (done.returncode, done.stdout) == (2, "")
    assert "[host] time_limit = 0" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("token", True),
        ("api_token", True),
        ("apiToken", True),
        ("db-password", True),
        ("CLIENT_SECRET", True),
        ("api_key", True),
        ("passphrase", True),
        ("token_file", False),
        ("tokens", True),
        ("tokenizer", False),
        ("key", False),
        ("keyboard", False),
    ],
)
def test_a_secret_is_known_by_its_name(name: str, secret: bool) -> None:
    assert is_secret(name) is secret
    assert (plain(["x"], name) == [MASK]) is secret
    assert plain(7, name) == 7


def test_values_that_toml_does_not_know_are_left_out_or_told_as_texts() -> None:
    class Inner(BaseModel):
        secret: SecretStr = SecretStr("x")
        nothing: int | None = None

    assert plain({"a": None, "b": [1, None], "c": Inner(), "d": Path("x"), "e": {1: object}})["c"] == {"secret": MASK}
    assert plain({"a": None, "b": [1, None]}) == {"b": [1]}
    assert plain(Path("x")) == "x"


TOML_VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(min_size=1, max_size=6), TOML_VALUES)
def test_any_value_is_toml_on_one_line(name: str, value: Any) -> None:
    line = f"{key(name)} = {inline(value)}"
    assert "\n" not in line
    assert tomllib.loads(line) == {name: value}


# init


def uncommented(text: str) -> str:
    """The file as it is when every setting that has a default is switched on."""
    return re.sub(r"^# (?=[\w\"-]+ = (?!.*  # (?:not set|required)$))", "", text, flags=re.MULTILINE)


def test_the_first_file_has_every_setting_commented_out_and_changes_nothing(
    run: Run, diary: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "first.toml"
    done = run("init", str(file), env=diary)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"Wrote {file}\nTo use it: --config {file}\n"
    text = file.read_text(encoding="utf-8")
    document = tomllib.loads(text)
    assert document["host"] == {}
    assert document["plugins"].keys() >= {"diary", "needy", "plain"}
    assert not any(document["plugins"].values())
    for name in HostSettings.model_fields:
        assert re.search(rf"^# {name} = ", text, re.MULTILINE)
    for name in HostPart.model_fields:
        assert re.search(rf"^#   {name}[ .]", text, re.MULTILINE)
    before = run("config", "--toml", env=diary).stdout
    assert run("config", "--toml", "--config", str(file), env=diary).stdout == before


def test_a_settings_block_tells_what_it_is_and_its_default(run: Run, diary: dict[str, str], tmp_path: Path) -> None:
    assert run("init", str(tmp_path / "a.toml"), env=diary).returncode == 0
    text = (tmp_path / "a.toml").read_text(encoding="utf-8")
    assert '\n[plugins.diary]\n# Pages, in order  [31m.\n# pageNames = ["one"]\n' in text
    assert '\n# server = { host = "localhost", password = "********" }\n' in text
    assert (
        '\n# Not accepted from a file that was only found in the working directory.\n# file = "..."  # not set\n'
        in text
    )
    assert '\n[plugins.needy]\n# Where it is.\n# place = "..."  # required\n' in text
    assert "\n[plugins.plain]\n# It has no settings of its own.\n" in text
    assert "\n# broken, from agenthost-made 1.0, cannot be loaded: broken: importing made_broken failed with" in text


def test_switched_on_the_settings_are_the_defaults(run: Run, diary: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    run("init", str(file), env=diary)
    file.write_text(uncommented(file.read_text(encoding="utf-8")), encoding="utf-8")
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    assert document["host"].keys() >= {"strict", "time_limit"}
    assert document["plugins"]["diary"].keys() >= {"pageNames", "since", "counts"}
    done = run("plugins", "--strict", "--config", str(file), "--plugins", "diary,plain", env=diary)
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_a_path_the_file_that_will_be_found_is_made(run: Run, installed: Installed, tmp_path: Path) -> None:
    env = {**installed(), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    done = run("init", env=env)
    [file] = tmp_path.rglob(FILE_NAME)
    assert f"Wrote {file}\n" in done.stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert f"Config file: {file}\n" in run("config", env=env).stdout
    for place, options in (("a.toml", ["--config", str(tmp_path / "a.toml")]), ("b.toml", [])):
        done = run("init", *options, env={**env, "AGENTHOST_CONFIG": str(tmp_path / "b.toml")})
        assert done.returncode == 0
        assert (tmp_path / place).exists()


def test_a_folder_gets_a_file_of_the_usual_name(run: Run, installed: Installed, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    done = run("init", ".", env=installed(), cwd=folder)
    assert done.returncode == 0
    assert (folder / FILE_NAME).exists()
    assert f"give it to them: --config {folder / FILE_NAME}" in done.stdout


@pytest.mark.parametrize("kind", ["file", "empty file", "link", "dangling link"])
def test_what_is_there_is_never_written_over(run: Run, kind: str, installed: Installed, tmp_path: Path) -> None:
    target, file = tmp_path / "target.toml", tmp_path / "a.toml"
    if kind == "link":
        target.write_text("kept", encoding="utf-8")
    if "link" in kind:
        file.symlink_to(target)
    else:
        file.write_text("" if kind == "empty file" else "kept", encoding="utf-8")
    done = run("init", str(file), env=installed())
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{file} {'is a symbolic link' if 'link' in kind else 'exists'}, and is left as it is" in done.stderr
    assert target.exists() is (kind == "link")
    assert file.is_symlink() or file.read_text(encoding="utf-8") in ("", "kept")


def test_a_place_that_cannot_be_written_is_told(run: Run, installed: Installed, tmp_path: Path) -> None:
    done = run("init", str(tmp_path / "nowhere" / "a.toml"), env=installed())
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be written (No such file or directory)" in done.stderr


def test_a_failure_while_writing_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_new(tmp_path / "a.toml", "text")
    assert list(tmp_path.iterdir()) == []


# Options before a verb


@pytest.mark.parametrize("words", [["init"], ["backup", "copies"]])
@pytest.mark.parametrize("option", [["--plugins", "diary"], ["--strict"]])
def test_a_selection_before_a_verb_that_takes_none_is_refused_and_nothing_is_done(
    run: Run, words: list[str], option: list[str], installed: Installed, tmp_path: Path
) -> None:
    done = run(*option, *words, env=installed(), cwd=tmp_path)
    assert done.returncode == 2
    assert f"--plugins and --strict have no meaning for agenthost {words[0]}; leave them out" in done.stderr
    assert not list(tmp_path.rglob(FILE_NAME))
    assert not (tmp_path / "copies").exists()
