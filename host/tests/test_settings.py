"""Configuration: which file is read, what wins over it, what is refused, and what the operator is told."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import platformdirs
import pytest
from agenthost import Trusted
from agenthost.errors import ConfigError
from agenthost.settings import (
    HOST_KEYS,
    Config,
    HostPart,
    HostSettings,
    did_you_mean,
    load_config,
    state_root,
)
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, model_validator
from typing_extensions import TypedDict

Load = Callable[..., Config]


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    colour: str = "red"
    log: Annotated[Path | None, Trusted] = None


class PluginSettings(BaseModel):
    model_config = ConfigDict(extra="forbid")

    mutable: bool = False
    limit: int = Field(3, ge=1)
    names: list[str] = []
    inner: Inner = Field(default_factory=Inner)
    debug_log: Annotated[Path | None, Trusted()] = None
    places: Annotated[dict[str, str], Trusted] = {}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's config folder and the working directory are empty folders of the test."""
    (tmp_path / "cwd").mkdir()
    (tmp_path / "user").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: tmp_path / "user")
    return tmp_path


@pytest.fixture
def load() -> Load:
    """`load("void.x=1", file=..., environment=..., state_dir=...)`."""

    def run(*assignments: str, **options: Any) -> Config:
        return load_config(**{"file": None, "environment": {}, "assignments": assignments, **options})

    return run


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal(act: Callable[[], Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        act()
    return str(caught.value)


# Which file


def test_without_any_file_everything_has_its_default(load: Load) -> None:
    config = load()
    assert config.path is None
    assert config.untrusted is None
    assert config.host_settings() == HostSettings()
    assert config.host_part("void") == HostPart()
    assert config.plugin_settings("void", PluginSettings) == PluginSettings()
    assert config.base_dir == Path.cwd()


def test_the_first_of_option_environment_working_directory_and_user_folder_is_read_alone(
    load: Load, home: Path
) -> None:
    option = write(home / "o" / "any.toml", "[plugins.a]\nfrom = 'option'")
    environment = {"AGENTHOST_CONFIG": str(write(home / "e.toml", "[plugins.b]\nfrom = 'environment'"))}
    here = write(Path("agenthost.toml"), "[plugins.c]\nfrom = 'here'").absolute()
    users = write(home / "user" / "agenthost.toml", "[plugins.d]\nfrom = 'user'")

    chosen = load(file=option, environment=environment)
    assert (chosen.path, chosen.untrusted is not None, chosen.plugins) == (option, False, {"a": {"from": "option"}})
    chosen = load(environment=environment)
    assert (chosen.path, chosen.untrusted is not None, chosen.plugins) == (
        home / "e.toml",
        False,
        {"b": {"from": "environment"}},
    )
    chosen = load()
    assert (chosen.path, chosen.untrusted is not None, chosen.plugins) == (here, True, {"c": {"from": "here"}})
    assert load(in_folder=False).path == users
    here.unlink()
    chosen = load()
    assert (chosen.path, chosen.untrusted is not None, chosen.plugins) == (users, False, {"d": {"from": "user"}})


def test_an_empty_environment_variable_counts_as_not_set(load: Load) -> None:
    write(Path("agenthost.toml"), "[host]\nstrict = true")
    config = load(environment={"AGENTHOST_CONFIG": "", "AGENTHOST_STATE_DIR": ""})
    assert config.untrusted is not None
    assert config.host == {"strict": True}


def test_a_relative_config_option_starts_in_the_working_directory(load: Load) -> None:
    write(Path("sub/x.toml"), "")
    for config in (load(file=Path("sub/x.toml")), load(environment={"AGENTHOST_CONFIG": "sub/x.toml"})):
        assert config.path == Path.cwd() / "sub" / "x.toml"
        assert config.base_dir == Path.cwd() / "sub"


@pytest.mark.parametrize("how", ["option", "environment"])
def test_a_named_file_that_does_not_exist_is_an_error_that_names_it(load: Load, home: Path, how: str) -> None:
    missing = home / "missing.toml"
    options = {"file": missing} if how == "option" else {"environment": {"AGENTHOST_CONFIG": str(missing)}}
    text = refusal(lambda: load(**options))
    assert str(missing) in text
    assert "No such file" in text
    assert "--config" in text


def test_a_folder_instead_of_a_file_is_an_error_that_names_it(load: Load, home: Path) -> None:
    assert f"{home} cannot be read (Is a directory)" in refusal(lambda: load(file=home))


def test_a_working_directory_that_was_removed_is_no_reason_to_crash(load: Load, home: Path) -> None:
    gone = home / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    users = write(home / "user" / "agenthost.toml", "[host]\nstrict = true")
    assert load().path == users
    users.unlink()
    with contextlib.suppress(ConfigError):
        assert load().base_dir is not None
    with contextlib.suppress(ConfigError):
        load(state_dir=Path("relative"))


# What a file may hold


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_and_any_line_ends_are_read(load: Load, mark: str, end: str) -> None:
    write(Path("agenthost.toml"), f"{mark}[host]{end}plugins = ['ä']{end}")
    assert load().host_settings().plugins == ["ä"]


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_that_is_not_utf_8_is_an_error_that_says_so(load: Load, encoding: str) -> None:
    path = write(Path("agenthost.toml"), "[host]\nplugins = ['ä']".encode(encoding)).absolute()
    assert refusal(load) == f"{path} is not UTF-8 text. Save it as UTF-8."


def test_a_file_that_is_not_toml_is_an_error_with_the_line(load: Load) -> None:
    path = write(Path("agenthost.toml"), "[host]\nplugins = campfire\n").absolute()
    text = refusal(load)
    assert text.startswith(f"{path} is not TOML: ")
    assert "line 2" in text


@pytest.mark.parametrize("value", ["[" * 3000, "1" * 5000], ids=["deeply nested", "huge integer"])
def test_toml_that_python_cannot_read_is_an_error_that_names_the_file(load: Load, value: str) -> None:
    path = write(Path("agenthost.toml"), f"[host]\nx = {value}\n").absolute()
    assert str(path) in refusal(load)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("host = 3", "host has to be a table, [host], not 3."),
        ("plugins = ['void']", "plugins has to be a table, [plugins], not ['void']."),
        ("[plugins]\nvoid = true", "plugins.void has to be a table, [plugins.void], not True."),
    ],
)
def test_what_has_to_be_a_table_and_is_none_is_an_error(load: Load, text: str, named: str) -> None:
    path = write(Path("agenthost.toml"), text).absolute()
    assert refusal(load) == f"{path}: {named}"


@pytest.mark.parametrize(("key", "near"), [("plugin", "plugins"), ("hosts", "host")])
def test_an_unknown_table_at_the_top_is_an_error_with_the_nearest(load: Load, key: str, near: str) -> None:
    path = write(Path("agenthost.toml"), f"[{key}.void]\nx = 1").absolute()
    text = refusal(load)
    assert text.startswith(f"{path}: unknown table or key {key!r} at the top")
    assert f"did you mean {near!r}?" in text
    assert text.endswith("Use [host] and [plugins.<name>].")


# --set


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("3", 3),
        ("-1.5", -1.5),
        ("", ""),
        ("word", "word"),
        ("two words", "two words"),
        ("'quoted'", "quoted"),
        ('"a\\tb"', "a\tb"),
        ("/tmp/x.json", "/tmp/x.json"),
        ("~/x", "~/x"),
        ("a=b", "a=b"),
        ("#no-comment", "#no-comment"),
        ("True", "True"),
        ("['a', 'b']", ["a", "b"]),
        ("[]", []),
        ("[1, [2, 3]]", [1, [2, 3]]),
        ("{a = 1, b = {c = 'x'}}", {"a": 1, "b": {"c": "x"}}),
        ("[unfinished", "[unfinished"),
        ("1\nother = 2", "1\nother = 2"),
        ("1\n[other]", "1\n[other]"),
        ("ünïcode", "ünïcode"),
    ],
)
def test_a_set_value_is_toml_or_else_the_text_itself(load: Load, text: str, value: Any) -> None:
    assert load(f"void.key={text}").plugins == {"void": {"key": value}}


def test_set_reaches_nested_keys_and_keeps_what_stands_beside_them(load: Load) -> None:
    write(Path("agenthost.toml"), "[plugins.void.tools]\nallow = ['a*']\ndeny = ['ab']")
    config = load("void.tools.deny=['x']", "void.a.b.c=1", "void.a.b.d=2", "host.strict=true")
    assert config.plugins == {"void": {"tools": {"allow": ["a*"], "deny": ["x"]}, "a": {"b": {"c": 1, "d": 2}}}}
    assert config.host == {"strict": True}


def test_of_several_set_values_for_one_key_the_last_wins(load: Load) -> None:
    assert load("void.x=1", "void.x=2").plugins["void"] == {"x": 2}
    assert load("void.x=1", "void.x.y=2").plugins["void"] == {"x": {"y": 2}}


@pytest.mark.parametrize(
    "text", ["", "void", "void.x", "=", "=1", "void=1", ".=1", ".x=1", "void.=1", "void..x=1", "host.a.=1"]
)
def test_a_malformed_set_is_an_error_that_shows_the_form(load: Load, text: str) -> None:
    told = refusal(lambda: load(text))
    assert told.startswith(f"--set {text}: ")
    assert "plugin.key=VALUE" in told
    assert "void.mutable=true" in told


@given(text=st.text())
@example("void.x=" + "[" * 3000)
@example("void.x=" + "1" * 5000)
@example("void.x='" + "\ud800'")
@example("void.x=9999-99-99")
@example("void.x=0001-01-01T00:00:00+24:00")
@example("void.x=1e99999")
def test_any_set_text_is_either_taken_or_refused_as_a_wrong_setting(text: str) -> None:
    for assignment in (text, f"void.x={text}", f"host.{text}"):
        try:
            config = load_config(file=Path(os.devnull), environment={}, assignments=[assignment])
        except ConfigError as error:
            assert "--set" in str(error)
        else:
            assert config.sources


@given(
    value=st.recursive(
        st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=6,
    )
)
def test_what_set_is_given_as_toml_arrives_as_that_value(value: Any) -> None:
    def toml(item: Any) -> str:
        if isinstance(item, str):
            escaped = "".join(f"\\U{ord(c):08x}" for c in item)
            return f'"{escaped}"'
        if isinstance(item, list):
            return f"[{', '.join(map(toml, item))}]"
        return str(item).lower()

    config = load_config(file=Path(os.devnull), environment={}, assignments=[f"void.x={toml(value)}"])
    assert config.plugins["void"]["x"] == value


def test_set_never_changes_the_configuration_of_another_load(load: Load) -> None:
    write(Path("agenthost.toml"), "[plugins.void.inner]\ncolour = 'blue'")
    first = load()
    load("void.inner.colour=green", "void.inner.log=x")
    assert first.plugins == {"void": {"inner": {"colour": "blue"}}}


# Validation and its texts


def test_values_of_the_file_and_of_set_are_validated_into_the_models(load: Load) -> None:
    write(Path("agenthost.toml"), "[host]\nplugins = ['b', 'a']\ntime_limit = 5\n[plugins.p]\nprefix = 'x_'\nlimit = 7")
    config = load("p.names=['n']", "p.tools.allow=['q*']", "p.time_limit=2")
    assert config.host_settings() == HostSettings(plugins=["b", "a"], time_limit=5)
    part = config.host_part("p")
    assert (part.prefix, part.tools.allow, part.tools.deny, part.time_limit) == ("x_", ["q*"], [], 2)
    own = config.plugin_settings("p", PluginSettings)
    assert own == PluginSettings(limit=7, names=["n"])


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("max_line_bytes = 10", "[host] max_line_bytes = 10: Input should be greater than or equal to 1024."),
        ("time_limit = 0", "[host] time_limit = 0: Input should be greater than 0."),
        ("start_limit = nan", "[host] start_limit = nan: Input should be greater than 0."),
        ("plugins = 'void'", "[host] plugins = 'void': Input should be a valid list."),
        ("plugins = ['a', 3]", "[host] plugins.1 = 3: Input should be a valid string."),
        ("strict = 7", "[host] strict = 7: Input should be a valid boolean"),
        ("stric = true", "[host] stric: unknown key (did you mean 'strict'?)"),
    ],
)
def test_a_wrong_host_value_is_told_with_file_key_and_value(load: Load, home: Path, line: str, fault: str) -> None:
    path = write(home / "c.toml", f"[host]\n{line}\n")
    text = refusal(load(file=path).host_settings)
    assert text.startswith(f"{path}: {fault}")


def test_an_unknown_host_key_lists_the_known_ones(load: Load) -> None:
    text = refusal(load("host.zzz=1").host_settings)
    assert text.startswith("--set: [host] zzz: unknown key. Known: ")
    for name in HostSettings.model_fields:
        assert name in text


def test_every_fault_is_told_on_a_line_of_its_own_with_its_own_origin(load: Load, home: Path) -> None:
    path = write(home / "c.toml", "[plugins.p]\nlimit = 0\n")
    config = load("p.mutabel=true", file=path)
    lines = refusal(lambda: config.plugin_settings("p", PluginSettings)).splitlines()
    assert len(lines) == 2
    assert any(line.startswith(f"{path}: [plugins.p] limit = 0: ") for line in lines)
    [unknown] = [line for line in lines if line.startswith("--set: ")]
    assert unknown.startswith("--set: [plugins.p] mutabel: unknown key (did you mean 'mutable'?)")
    assert "prefix" in unknown  # the host's keys of the table are known ones, too


def test_a_nested_unknown_key_names_the_nearest_key_of_its_own_table(load: Load) -> None:
    text = refusal(lambda: load("p.inner.color=red").plugin_settings("p", PluginSettings))
    assert text.startswith("--set: [plugins.p] inner.color: unknown key")
    assert "allow" not in text
    text = refusal(lambda: load("p.tools.alow=['a']").host_part("p"))
    assert text == "--set: [plugins.p] tools.alow: unknown key (did you mean 'allow'?). Known: allow, deny."


def test_a_question_in_an_error_text_is_not_followed_by_a_full_stop(load: Load) -> None:
    assert "?." not in refusal(load("host.plugin=1").host_settings)
    assert "?." not in refusal(lambda: load(file=write(Path("x.toml"), "[hosts]")))


def test_a_rule_between_several_keys_is_told_for_the_whole_table(load: Load) -> None:
    class Pair(BaseModel):
        low: int = 0
        high: int = 1

        @model_validator(mode="after")
        def order(self) -> Pair:
            if self.low > self.high:
                raise ValueError("low has to be at most high")
            return self

    text = refusal(lambda: load("p.low=5").plugin_settings("p", Pair))
    assert "[plugins.p]" in text
    assert "low has to be at most high" in text


def test_host_keys_and_own_keys_of_one_table_do_not_disturb_each_other(load: Load) -> None:
    config = load("p.prefix=3", "p.limit=5")
    assert config.plugin_settings("p", PluginSettings) == PluginSettings(limit=5)
    assert "[plugins.p] prefix = 3" in refusal(lambda: config.host_part("p"))
    config = load("p.prefix=x_", "p.limit=zero")
    assert config.host_part("p").prefix == "x_"
    assert "[plugins.p] limit = 'zero'" in refusal(lambda: config.plugin_settings("p", PluginSettings))


def test_the_keys_of_the_host_part_belong_to_the_host() -> None:
    assert HostPart.model_fields.keys() <= HOST_KEYS


def test_the_nearest_word_is_offered_only_when_there_is_one() -> None:
    assert did_you_mean("campfir", ["void", "campfire"]) == " (did you mean 'campfire'?)"
    assert did_you_mean("zzz", ["void", "campfire"]) == ""
    assert did_you_mean("zzz", []) == ""


def test_values_from_a_plugins_own_command_replace_those_of_the_file_key_by_key(load: Load, home: Path) -> None:
    path = write(home / "c.toml", "[plugins.p]\nlimit = 2\nmutable = true")
    config = load(file=path).with_values("p", {"limit": 0}, "agenthost p")
    text = refusal(lambda: config.plugin_settings("p", PluginSettings))
    assert text.startswith("agenthost p: [plugins.p] limit = 0: ")
    config = config.with_values("p", {"limit": 9}, "agenthost p")
    assert config.plugin_settings("p", PluginSettings) == PluginSettings(limit=9, mutable=True)


# Where a value came from


def test_the_origin_of_a_value_is_told_in_words(load: Load, home: Path) -> None:
    path = write(home / "c.toml", "[plugins.p]\na = 1")
    config = load("p.b.c=1", "p.bb=2", file=path, environment={"AGENTHOST_STATE_DIR": "/x"})
    assert config.origin("p", "a") == str(path)
    assert config.origin("p", "b") == "--set"
    assert config.origin("p", "bb") == "--set"
    assert config.origin("host", "state_dir") == "$AGENTHOST_STATE_DIR"
    assert load().origin("p", "a") == "the settings"


# The state folder


def test_the_state_folder_is_the_users_unless_it_is_set(load: Load, home: Path) -> None:
    config = load()
    folder = state_root(config.host_settings(), config.base_dir)
    assert folder == platformdirs.user_state_path("agenthost", appauthor=False)
    assert folder.is_absolute()


def test_a_relative_state_folder_of_a_file_starts_at_the_files_folder(load: Load, home: Path) -> None:
    config = load(file=write(home / "c" / "c.toml", "[host]\nstate_dir = 'state'"))
    assert state_root(config.host_settings(), config.base_dir) == home / "c" / "state"


def test_an_empty_state_dir_is_not_the_working_directory(load: Load) -> None:
    with pytest.raises(ConfigError, match=r"state_dir = '': .*is empty; give a folder"):
        load("host.state_dir=").host_settings()


def test_state_dir_option_wins_over_set_and_that_over_the_environment_and_that_over_the_file(
    load: Load, home: Path
) -> None:
    path = write(home / "c.toml", "[host]\nstate_dir = '/file'")
    environment = {"AGENTHOST_STATE_DIR": "relative"}

    def folder(*assignments: str, **options: Any) -> Path:
        config = load(*assignments, file=path, **options)
        return state_root(config.host_settings(), config.base_dir)

    assert folder() == Path("/file")
    assert folder(environment=environment) == Path.cwd() / "relative"
    assert folder("host.state_dir=/set", environment=environment) == Path("/set")
    assert folder("host.state_dir=/set", environment=environment, state_dir=Path("o")) == Path.cwd() / "o"


@pytest.mark.parametrize("how", ["environment", "set", "option", "file"])
def test_a_tilde_in_the_state_folder_is_the_home_folder_however_it_is_given(load: Load, home: Path, how: str) -> None:
    config = {
        "environment": lambda: load(environment={"AGENTHOST_STATE_DIR": "~/s"}),
        "set": lambda: load("host.state_dir=~/s"),
        "option": lambda: load(state_dir=Path("~/s")),
        "file": lambda: load(file=write(home / "c.toml", "[host]\nstate_dir = '~/s'")),
    }[how]()
    assert state_root(config.host_settings(), config.base_dir) == home / "home" / "s"


def test_a_tilde_with_an_unknown_user_is_a_wrong_setting(load: Load) -> None:
    with pytest.raises(ConfigError, match="state_dir"):
        state_root(load("host.state_dir=~no-such-user/s").host_settings(), Path.cwd())


# Trusted


TRUSTED_LINES = [
    ("p", "debug_log = 'x'", "debug_log"),
    ("p", "places = {a = 'x'}", "places"),
]


@pytest.mark.parametrize(("table", "line", "key"), TRUSTED_LINES)
def test_a_trusted_setting_is_refused_from_a_file_of_the_working_directory_with_the_cure(
    load: Load, table: str, line: str, key: str
) -> None:
    path = write(Path("agenthost.toml"), f"[plugins.{table}]\n{line}").absolute()
    config = load()
    text = refusal(lambda: config.plugin_settings("p", PluginSettings))
    assert text.startswith(f"{path}: [plugins.p] {key} ")
    for cure in ("--config", "$AGENTHOST_CONFIG", f"--set p.{key}="):
        assert cure in text


def test_the_state_folder_is_refused_from_a_file_of_the_working_directory(load: Load) -> None:
    write(Path("agenthost.toml"), "[host]\nstate_dir = '/tmp/x'")
    assert "[host] state_dir may not be set by a file" in refusal(load().host_settings)


@pytest.mark.parametrize("where", ["option", "environment", "user"])
def test_a_trusted_setting_is_accepted_from_a_file_that_the_operator_chose(load: Load, home: Path, where: str) -> None:
    text = "[host]\nstate_dir = 'x'\n[plugins.p]\ndebug_log = 'x'"
    if where == "option":
        config = load(file=write(Path("agenthost.toml"), text))
    elif where == "environment":
        config = load(environment={"AGENTHOST_CONFIG": str(write(Path("agenthost.toml"), text))})
    else:
        write(home / "user" / "agenthost.toml", text)
        config = load()
    assert config.host_settings().state_dir == Path("x")
    assert config.plugin_settings("p", PluginSettings).model_dump()["debug_log"] == Path("x")


def test_what_the_operator_types_is_trusted_beside_a_file_of_the_working_directory(load: Load) -> None:
    write(Path("agenthost.toml"), "[host]\nstate_dir = 'evil'\n[plugins.p]\ndebug_log = 'evil'\nlimit = 9")
    config = load("p.debug_log=mine", state_dir=Path("/mine"))
    assert config.host_settings().state_dir == Path("/mine")
    assert config.plugin_settings("p", PluginSettings) == PluginSettings(limit=9, debug_log=Path("mine"))
    config = load("host.state_dir=/mine").with_values("p", {"debug_log": "own"}, "agenthost p")
    assert config.host_settings().state_dir == Path("/mine")
    assert config.plugin_settings("p", PluginSettings) == PluginSettings(limit=9, debug_log=Path("own"))


def test_the_environment_is_trusted_beside_a_file_of_the_working_directory(load: Load) -> None:
    write(Path("agenthost.toml"), "[host]\nstate_dir = 'evil'")
    assert load(environment={"AGENTHOST_STATE_DIR": "/mine"}).host_settings().state_dir == Path("/mine")


def test_a_part_of_a_trusted_table_that_only_the_operator_gave_is_accepted(load: Load) -> None:
    write(Path("agenthost.toml"), "[plugins.p]\nlimit = 9")
    settings = load("p.places.a=x").plugin_settings("p", PluginSettings)
    assert settings == PluginSettings(limit=9, places={"a": "x"})


def test_a_part_of_a_trusted_table_in_the_file_is_refused_also_beside_a_typed_one(load: Load) -> None:
    write(Path("agenthost.toml"), "[plugins.p]\nplaces = {b = 'evil'}")
    assert "places" in refusal(lambda: load("p.places.a=x").plugin_settings("p", PluginSettings))


class Aliased(BaseModel):
    log: Annotated[Path | None, Trusted, Field(alias="debugLog")] = None


class Optional(BaseModel):
    log: Annotated[Path, Trusted] | None = None


class ByChoice(BaseModel):
    log: Annotated[Path | None, Trusted, Field(validation_alias=AliasChoices("a", AliasPath("b", "c")))] = None


@dataclass
class InnerData:
    log: Annotated[Path | None, Trusted] = None


class InnerDict(TypedDict, total=False):
    log: Annotated[str, Trusted]


class Nested(BaseModel):
    in_list: list[Inner] = []
    in_dict: dict[str, Inner] = {}
    in_lists: list[list[Inner]] = []
    in_optional: Inner | None = None
    in_items: list[Annotated[Path, Trusted]] = []
    in_data: InnerData | None = None
    in_typed_dict: InnerDict = {}


@pytest.mark.parametrize(
    ("model", "line"),
    [
        (Aliased, "debugLog = 'x'"),
        (Optional, "log = 'x'"),
        (ByChoice, "a = 'x'"),
        (ByChoice, "b = {c = 'x'}"),
        (PluginSettings, "inner = {log = 'x'}"),
        (Nested, "in_list = [{}, {log = 'x'}]"),
        (Nested, "in_dict = {a = {log = 'x'}}"),
        (Nested, "in_lists = [[{log = 'x'}]]"),
        (Nested, "in_optional = {log = 'x'}"),
        (Nested, "in_items = ['x']"),
        (Nested, "in_data = {log = 'x'}"),
        (Nested, "in_typed_dict = {log = 'x'}"),
    ],
)
def test_a_trusted_mark_is_never_overlooked(load: Load, home: Path, model: type[BaseModel], line: str) -> None:
    here = write(Path("agenthost.toml"), f"[plugins.p]\n{line}")
    load(file=here).plugin_settings("p", model)
    text = refusal(lambda: load().plugin_settings("p", model))
    assert "may not be set by a file that was only found in the working directory" in text


def test_a_mark_inside_a_setting_marks_it_whole(load: Load) -> None:
    write(Path("agenthost.toml"), "[plugins.p]\nin_list = [{colour = 'blue'}]")
    text = refusal(lambda: load().plugin_settings("p", Nested))
    assert "in_list may not be set by a file that was only found in the working directory" in text


def test_a_nested_table_that_the_operator_types_whole_replaces_the_one_of_the_file(load: Load) -> None:
    write(Path("agenthost.toml"), "[plugins.p]\ninner = {log = 'evil', colour = 'blue'}")
    settings = load("p.inner={log = 'mine'}").plugin_settings("p", PluginSettings)
    assert settings == PluginSettings(inner=Inner(log=Path("mine")))


def test_a_wrong_value_and_a_refused_one_are_told_together(load: Load) -> None:
    write(Path("agenthost.toml"), "[plugins.p]\ndebug_log = 'x'\nlimit = 0")
    text = refusal(lambda: load().plugin_settings("p", PluginSettings))
    assert re.search(r"debug_log may not be set.*\n.*limit = 0", text)
