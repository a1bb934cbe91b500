"""`agenthost doctor`, as people and programs read it, with everything broken that can be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from agenthost.assembly import Options
from agenthost.doctor import Diagnosis, examine, fold, name_subjects
from agenthost.doctor.environment import check_folder, check_installation
from hypothesis import given
from hypothesis import strategies as st

Installed = Callable[..., dict[str, str]]
Run = Callable[..., subprocess.CompletedProcess[str]]
Told = Callable[..., list[dict[str, Any]]]

FINE = '''
    from agenthost import hookimpl, tool

    @tool
    def fine_tell(name: str) -> str:
        """Tell a name."""
        return name

    @hookimpl
    def agenthost_tools():
        return [fine_tell]
'''

CROOKED = '''
    from agenthost import Tool, hookimpl, tool

    @tool(time_limit=300)
    def fine_tell(name: str) -> str:
        """Tell a name in another way."""
        return name

    def raw(arguments, ctx):
        return "x"

    ROOT = {"type": "object", "anyOf": [{"required": ["a"]}]}

    @hookimpl
    def agenthost_instructions():
        return "Ask before you tell."

    @hookimpl
    def agenthost_tools():
        return [
            fine_tell,
            *(Tool(f"crooked.{letter}", raw, input_schema=ROOT, description="Tell.") for letter in "abc"),
            Tool("no good", raw, input_schema=ROOT),
        ]
'''

KEEPER = """
    from agenthost import Schema, Step, hookimpl

    @hookimpl
    def agenthost_storage():
        return Schema(steps=(Step("first", ("CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY)",)),))
"""


@pytest.fixture
def doctor(run: Run) -> Run:
    """`doctor(*arguments, env=..., cwd=None)`: run `agenthost doctor` to its end."""

    def doctor(*arguments: str, env: Mapping[str, str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        done = run("doctor", *arguments, env=env, cwd=cwd)
        assert "Traceback" not in done.stdout + done.stderr
        return done

    return doctor


@pytest.fixture
def told(doctor: Run) -> Told:
    """`told(*arguments, env=..., code=..., cwd=None)`: its diagnoses as data, and that it ends with that code."""

    def told(*arguments: str, env: Mapping[str, str], code: int, cwd: Path | None = None) -> list[dict[str, str]]:
        done = doctor("--json", *arguments, env=env, cwd=cwd)
        assert done.returncode == code, done.stdout
        diagnoses: list[dict[str, str]] = json.loads(done.stdout)
        return diagnoses

    return told


def faults(diagnoses: list[dict[str, str]]) -> list[tuple[str, str]]:
    """Level and subject of what is not as it should be, without what only this shell knows."""
    return [
        (diagnosis["level"], diagnosis["subject"])
        for diagnosis in diagnoses
        if diagnosis["level"] in ("warning", "error") and diagnosis.get("id") != "P04"
    ]


def about(diagnoses: list[dict[str, str]], subject: str) -> dict[str, str]:
    [found] = [diagnosis for diagnosis in diagnoses if diagnosis["subject"] == subject]
    return found


def test_a_sound_installation_has_nothing_to_warn_of(doctor: Run, installed: Installed) -> None:
    done = doctor("--plugins", "fine", env=installed(fine=FINE))
    assert done.returncode == 0
    assert "  ok       plugin fine: 1.0 is loaded\n" in done.stdout
    assert "  ok       lists: 1 tool; about " in done.stdout
    assert "  ok       rules: nothing that a known client would refuse or cut\n" in done.stdout
    assert "error  " not in done.stdout


def test_everything_told_has_a_level_a_subject_a_text_and_for_faults_a_cure(told: Told, installed: Installed) -> None:
    env = installed(fine=FINE, crooked=CROOKED, broken="raise SystemExit('leaves')")
    diagnoses = told("--plugins", "fine,crooked,broken", env=env, code=1)
    for diagnosis in diagnoses:
        assert diagnosis.keys() >= {"group", "level", "subject", "text", "cure"}
        assert diagnosis["level"] in ("ok", "info", "warning", "error")
        if diagnosis["level"] in ("warning", "error"):
            assert diagnosis["cure"]
        if diagnosis["group"] == "clients" and diagnosis["level"] == "warning":
            assert diagnosis.keys() >= {"id", "client", "source"}
    groups = [diagnosis["group"] for diagnosis in diagnoses]
    assert list(dict.fromkeys(groups)) == ["environment", "settings", "plugins", "served", "clients"]


def test_each_plugin_is_told_and_what_is_not_served_is_an_error(told: Told, installed: Installed) -> None:
    env = installed(fine=FINE, crooked=CROOKED, broken="raise SystemExit('leaves')", idle="raise SystemExit(1)")
    diagnoses = told("--plugins", "fine,crooked,broken", env=env, code=1)
    assert about(diagnoses, "plugin fine")["level"] == "ok"
    broken = about(diagnoses, "plugin broken")
    assert broken["level"] == "error"
    assert "leaves" in broken["text"]
    assert "idle" in about(diagnoses, "not wanted")["text"]
    [quarantined] = [diagnosis for diagnosis in diagnoses if diagnosis["text"].startswith("quarantined: ")]
    assert (quarantined["level"], quarantined["subject"]) == ("error", "tool no good")
    assert "[plugins.crooked] tools.deny" in quarantined["cure"]
    [renamed] = [diagnosis for diagnosis in diagnoses if diagnosis["text"].startswith("renamed: ")]
    assert (renamed["level"], renamed["plugin"]) == ("warning", "crooked")
    assert "served as 'crooked_fine_tell'" in renamed["text"]


def test_clients_are_named_with_effect_cure_and_source(told: Told, installed: Installed) -> None:
    diagnoses = told("--plugins", "crooked", env=installed(crooked=CROOKED), code=1)
    [root] = [
        diagnosis for diagnosis in diagnoses if (diagnosis.get("id"), diagnosis["subject"]) == ("S02", "tool crooked.a")
    ]
    assert root["client"] == "claude-code"
    assert root["text"].endswith(
        "anyOf at its root; the tool is dropped without a word; older versions fail on every request"
    )
    assert root["source"] == "anthropics/claude-code#95504, #5973"
    assert root["cure"] == "move it into a property, or make a tool of each alternative"
    assert {diagnosis["id"] for diagnosis in diagnoses if "id" in diagnosis} >= {
        "N01",
        "N02",
        "S02",
        "S05",
        "T01",
        "D06",
    }


def test_people_are_told_of_many_tools_and_clients_once(doctor: Run, installed: Installed) -> None:
    done = doctor("--plugins", "crooked", env={**installed(crooked=CROOKED), "COLUMNS": "100"})
    text = done.stdout.partition("What clients will not take\n")[2]
    assert (
        "  warning  3 tools (crooked.a, crooked.b, crooked.c of crooked): the name has other characters than\n"
        "           letters, digits, _ and -\n"
        "           Claude Desktop: no chat can start [N01: l22-io/orchard-mcp#14]\n"
        "           Copilot CLI: every prompt fails [N01: github/copilot-cli#1879]\n"
    ) in text
    assert text.count("-> name it with letters, digits and _ only\n") == 1
    assert text.count("crooked.a, crooked.b, crooked.c") < 8
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert done.stdout.splitlines()[-1].startswith("1 error, ")


def test_warnings_alone_do_not_fail(told: Told, installed: Installed) -> None:
    options = ["--plugins", "crooked", "--set", "crooked.tools.deny=['no good', 'nothing*']"]
    diagnoses = told(*options, env=installed(crooked=CROOKED), code=0)
    [unused] = [diagnosis for diagnosis in diagnoses if diagnosis["text"].startswith("unused: ")]
    assert "'nothing*' matches no tool" in unused["text"]


def test_that_serve_would_not_start_at_all_is_told(told: Told, installed: Installed) -> None:
    env = installed(fine=FINE, broken="raise SystemExit('leaves')")
    assert about(told("--plugins", "fine,broken", env=env, code=1), "agenthost serve")["level"] == "error"
    by_config = told("--set", "host.plugins=['fine', 'broken']", env=env, code=1)
    assert "agenthost serve" not in [diagnosis["subject"] for diagnosis in by_config]
    strict = told("--plugins", "fine", "--set", "fine.tools.deny=['nothing*']", "--strict", env=env, code=1)
    assert "strict" in about(strict, "agenthost serve")["text"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = [", "is not TOML"),
        ("[hots]\n", "unknown table or key 'hots' at the top (did you mean 'host'?)"),
        ("[host]\nplugin = ['fine']\n", "unknown key (did you mean 'plugins'?)"),
        ("[host]\ntime_limit = -1\n", "[host] time_limit = -1"),
        ("[host]\nstate_dir = '~nobody-of-this-name/x'\n", "nobody-of-this-name"),
        (None, "cannot be read (No such file or directory)"),
    ],
)
def test_a_broken_configuration_is_told_and_the_rest_is_looked_at(
    told: Told, text: str | None, words: str, installed: Installed, tmp_path: Path
) -> None:
    file = tmp_path / "a.toml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    env = installed(fine=FINE)
    del env["AGENTHOST_STATE_DIR"]
    diagnoses = told("--config", str(file), env=env, code=1)
    assert [diagnosis["subject"] for diagnosis in diagnoses if words in diagnosis["text"]]
    assert about(diagnoses, "plugin fine")["level"] == "ok"
    assert [diagnosis for diagnosis in diagnoses if diagnosis["group"] == "clients"]


def test_a_wrong_setting_of_a_plugin_is_that_plugins_error(told: Told, installed: Installed) -> None:
    diagnoses = told("--plugins", "fine", "--set", "fine.prefx=x_", env=installed(fine=FINE), code=1)
    assert "unknown key (did you mean 'prefix'?)" in about(diagnoses, "plugin fine")["text"]


def test_names_that_are_not_installed_are_told_with_the_nearest(told: Told, installed: Installed) -> None:
    env = installed(fine=FINE)
    option = told("--plugins", "fin,fine", env=env, code=1)
    assert "no plugin 'fin' is installed (did you mean 'fine'?)" in about(option, "selection")["text"]
    assert about(option, "plugin fine")["level"] == "ok"
    configured = told("--set", "host.plugins=['fin']", "--set", "dairy.a=1", env=env, code=1)
    assert about(configured, "plugin fin")["level"] == "error"
    assert "no plugin 'dairy' is installed" in about(configured, "plugin dairy")["text"]


def test_nothing_wanted_is_a_warning(told: Told, installed: Installed) -> None:
    diagnoses = told("--plugins", "", env=installed(), code=0)
    assert ("warning", "selection") in faults(diagnoses)
    assert about(diagnoses, "list of tools")["client"] == "gemini-cli"


def test_a_file_that_was_only_found_is_a_warning_with_the_way_out(
    told: Told, installed: Installed, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    file = folder / "agenthost.toml"
    file.write_text("[host]\ntime_limit = 5\n", encoding="utf-8")
    diagnoses = told("--plugins", "fine", env=installed(fine=FINE), code=0, cwd=folder)
    [warning] = [diagnosis for diagnosis in diagnoses if "was found in the working directory" in diagnosis["text"]]
    assert f"--config {file}" in warning["cure"]


@pytest.mark.parametrize(
    ("variables", "variable", "words"),
    [
        ({"XDG_STATE_HOME": "{folder}/xdg"}, "XDG_STATE_HOME", "{folder}/xdg/agenthost because of it"),
        ({"AGENTHOST_STATE_DIR": "{folder}/own"}, "AGENTHOST_STATE_DIR", "{folder}/own because of it"),
        ({"AGENTHOST_CONFIG": "{folder}/a.toml"}, "AGENTHOST_CONFIG", "this shell finds {folder}/a.toml by it"),
        (
            {"XDG_CONFIG_HOME": "{folder}"},
            "XDG_CONFIG_HOME",
            "this shell finds {folder}/agenthost/agenthost.toml by it",
        ),
    ],
)
@pytest.mark.skipif(sys.platform == "darwin", reason="platformdirs reads the XDG variables on Linux")
def test_what_only_this_shell_knows_is_told_with_the_clients_that_will_not_know_it(
    told: Told, variables: dict[str, str], variable: str, words: str, installed: Installed, tmp_path: Path
) -> None:
    (tmp_path / "agenthost").mkdir()
    for file in (tmp_path / "a.toml", tmp_path / "agenthost" / "agenthost.toml"):
        file.touch()
    env = installed(fine=FINE)
    del env["AGENTHOST_STATE_DIR"]
    assert [diagnosis for diagnosis in told(env=env, code=0) if diagnosis.get("id") == "P04"] == []
    set_here = {name: value.format(folder=tmp_path) for name, value in variables.items()}
    found = [diagnosis for diagnosis in told(env={**env, **set_here}, code=0) if diagnosis.get("id") == "P04"]
    assert {diagnosis["subject"] for diagnosis in found} == {f"${variable}"}
    assert {diagnosis["client"] for diagnosis in found} == {"codex", "claude-desktop", "copilot-cli", "cline"}
    assert words.format(folder=tmp_path) in found[0]["text"]
    settled = ["--state-dir", str(tmp_path / "s"), "--config", str(tmp_path / "a.toml")]
    env |= set_here
    assert [diagnosis for diagnosis in told(*settled, env=env, code=0) if diagnosis.get("id") == "P04"] == []


def test_doctor_makes_nothing_and_starts_nothing(told: Told, installed: Installed, tmp_path: Path) -> None:
    env = installed(keeper=KEEPER, fine=FINE)
    told("--plugins", "keeper,fine", env=env, code=0)
    assert not (tmp_path / "state").exists()
    assert list((tmp_path / "home").iterdir()) == []


def test_a_folder_that_cannot_be_used_is_an_error_only_if_a_plugin_keeps_data(
    told: Told, installed: Installed, tmp_path: Path
) -> None:
    env = installed(keeper=KEEPER, fine=FINE)
    (tmp_path / "file").touch()
    options = ["--state-dir", str(tmp_path / "file" / "state")]
    assert about(told("--plugins", "fine", *options, env=env, code=0), "state folder")["level"] == "warning"
    assert about(told("--plugins", "keeper", *options, env=env, code=1), "state folder")["level"] == "error"


# Parts


def test_a_state_folder_is_checked_for_who_may_write_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    assert [diagnosis.level for diagnosis in check_folder(folder, needed=True)] == ["ok"]
    folder.mkdir(mode=0o700)
    assert [diagnosis.level for diagnosis in check_folder(folder, needed=True)] == ["ok"]
    folder.chmod(0o777)
    _, open_to_others = check_folder(folder, needed=True)
    assert (open_to_others.level, open_to_others.cure) == ("warning", f"chmod go-w {folder}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    [diagnosis] = check_folder(tmp_path / "state", needed=True)
    assert diagnosis.level == "error"


def test_a_folder_of_somebody_else_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    if tmp_path.stat().st_uid != 0:  # what belongs to root is taken for the system's
        assert any("belongs to another user" in diagnosis.text for diagnosis in check_folder(tmp_path, needed=False))


def test_requirements_that_are_not_met_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agenthost.doctor.environment.requires", lambda name: ["click>=99", "pluggy", "nowhere-here>1"])
    texts = [diagnosis.text for diagnosis in check_installation({}) if diagnosis.level == "warning"]
    assert any(text.startswith("needs click >=99, and ") for text in texts)
    assert "needs nowhere-here >1, and none is installed" in texts
    assert not any("pluggy" in text for text in texts)


def test_a_check_that_fails_itself_is_told_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> Any:
        raise RuntimeError("fails on purpose")

    monkeypatch.setattr("agenthost.doctor.examination.read_surface", fail)
    monkeypatch.setattr("agenthost.doctor.examination.check_installation", fail)
    diagnoses = examine(Options(plugins=""))
    broken = [diagnosis for diagnosis in diagnoses if "fails on purpose" in diagnosis.text]
    assert [diagnosis.group for diagnosis in broken] == ["environment", "served"]
    assert {diagnosis.level for diagnosis in broken} == {"error"}
    assert [diagnosis for diagnosis in diagnoses if diagnosis.group == "plugins"]


DIAGNOSES = st.builds(
    Diagnosis,
    group=st.just("clients"),
    level=st.sampled_from(["warning", "info"]),
    subject=st.sampled_from(["tool a", "tool b", "prompt a", "list of tools"]),
    text=st.sampled_from(["long", "short"]),
    cure=st.sampled_from(["shorten it", ""]),
    id=st.sampled_from(["N01", "N02"]),
    client=st.sampled_from(["cursor", "codex"]),
    source=st.sampled_from(["x", "y"]),
    plugin=st.sampled_from([None, "p"]),
    effect=st.sampled_from(["cut", "lost"]),
)


@given(st.lists(DIAGNOSES, unique=True, max_size=12))
def test_nothing_is_lost_or_made_up_by_telling_things_once(diagnoses: list[Diagnosis]) -> None:
    def essence(diagnosis: Diagnosis) -> tuple[object, ...]:
        said = (diagnosis.text, diagnosis.cure, diagnosis.id, diagnosis.client, diagnosis.effect)
        return (diagnosis.level, diagnosis.subject, diagnosis.plugin, *said)

    unfolded = {
        (entry.level, subject, plugin, entry.text, entry.cure, effect.rule, client, effect.text)
        for entry in fold(diagnoses)
        for subject, plugin in entry.subjects
        for effect in entry.effects
        for client in effect.clients
    }
    assert unfolded == {essence(diagnosis) for diagnosis in diagnoses}


def test_what_is_to_know_of_several_plugins_alike_is_told_once_and_what_is_in_order_one_by_one() -> None:
    storages = [Diagnosis("plugins", "info", f"storage {name}", "SQLite is old", plugin=name) for name in ("a", "b")]
    loaded = [Diagnosis("plugins", "ok", f"plugin {name}", "is loaded", plugin=name) for name in ("a", "b")]
    assert [name_subjects(told.subjects) for told in fold([*storages, *loaded])] == [
        "2 storages (a, b)",
        "plugin a",
        "plugin b",
    ]


@pytest.mark.parametrize(
    ("subjects", "words"),
    [
        ([("tool a", "void")], "tool a of void"),
        ([("plugin void", "void")], "plugin void"),
        ([("list of tools", None)], "list of tools"),
        ([("tool a", "void"), ("tool b", "void"), ("tool c", "hello")], "3 tools (a, b of void; c of hello)"),
        ([("plugin a", "a"), ("plugin b", "b")], "2 plugins (a, b)"),
        ([(f"tool t{number}", "void") for number in range(8)], "8 tools (t0, t1, t2, t3, t4, t5 of void and 2 more)"),
    ],
)
def test_many_subjects_are_named_in_few_words(subjects: list[tuple[str, str | None]], words: str) -> None:
    assert name_subjects(tuple(subjects)) == words
