"""`agenthost skillcentral add | remove | scope set | import`: skills written by people at a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

AGENT_SKILL = "---\nname: {name}\ndescription: d\n---\nDo it.\n"


def everything(*roots: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for root in roots for path in root.rglob("*") if path.is_file()}


def answer(done: Any) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.fixture
def layered(project: Any) -> Any:
    for name in ("01-global", "02-workflows", "04-tech-stack"):
        (project.root / ".skills" / name).mkdir(parents=True)
    return project


def test_a_skill_is_added_where_its_tags_say_and_is_served(layered: Any) -> None:
    done = layered.run("add", "--id", "tidy", "--tags", "git,Python", "--prompt", "Tidy: {{x}}")
    assert (done.returncode, done.stdout) == (0, "added prompt tidy: .skills/04-tech-stack/languages/tidy.yaml\n")
    assert layered.run("validate", ".skills/04-tech-stack/languages/tidy.yaml").returncode == 0
    layered.write("text.md", "Line one\nyes: no\n")
    report = answer(layered.run("add", "--id", "words", "--prompt-file", "text.md", "-d", "Words.", "--json"))
    assert report == {"id": "words", "layer": "02-workflows", "file": ".skills/02-workflows/words.yaml"}
    server = layered.serve()
    assert server.text("tidy", x="1") == "Tidy: 1"
    assert server.text("words") == "Line one\nyes: no\n"


def test_what_is_there_is_not_replaced_without_force_and_then_kept(layered: Any) -> None:
    layered.run("add", "--id", "a", "--layer", "01-global", "--prompt", "one")
    before = everything(layered.root)
    done = layered.run("add", "--id", "a", "--layer", "01-global", "--prompt", "two")
    assert done.returncode == 1
    assert "--force" in done.stderr
    assert everything(layered.root) == before
    report = answer(layered.run("add", "--id", "a", "--layer", "01-global", "--prompt", "two", "--force", "--json"))
    assert (layered.root / report["backup"]).read_bytes() == before[str(layered.root / ".skills/01-global/a.yaml")]
    assert "prompt: two" in (layered.root / report["file"]).read_text(encoding="utf-8")
    report = answer(layered.run("add", "--id", "a", "--layer", "02-workflows", "--prompt", "three", "--json"))
    assert report["note"] == "the layer 01-global has the id too; this one wins"


@pytest.mark.parametrize("evil", ["../../evil", "/srv/evil", "a/b", "..", ".hidden", "_private", "a\\b"])
def test_s64_an_id_that_leaves_the_layer_is_refused_and_nothing_is_written(layered: Any, evil: str) -> None:
    layered.write("evil.yaml", f"id: '{evil}'\ntype: prompt\nprompt: P\n")
    layered.write("evil.json", json.dumps({"id": evil, "type": "prompt", "prompt": "P"}))
    before = everything(layered.root, layered.home)
    folder = sorted(layered.root.parent.iterdir())
    done = layered.run("add", "--from-file", "evil.yaml", "--layer", "01-global")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert layered.run("import", ".", "--layer", "01-global").returncode == 1
    assert layered.run("add", "--id", evil, "--prompt", "P").returncode == 1
    assert everything(layered.root, layered.home) == before
    assert sorted(layered.root.parent.iterdir()) == folder


def test_add_from_a_file_keeps_its_bytes_and_refuses_what_is_no_skill(layered: Any) -> None:
    text = "# mine\nid:   whole\ntype: prompt\nprompt: 'P'\n"
    layered.write("x.yml", text)
    assert answer(layered.run("add", "--from-file", "x.yml", "--json"))["file"] == ".skills/02-workflows/whole.yml"
    assert (layered.root / ".skills/02-workflows/whole.yml").read_text(encoding="utf-8") == text
    layered.write("bad.yaml", "id: bad\ntype: prompt\n")
    done = layered.run("add", "--from-file", "bad.yaml")
    assert done.returncode == 1
    assert "prompt: is missing" in done.stderr
    assert layered.run("add", "--id", "a").returncode == 2


def test_sc_22_sc_23_the_users_own_layer_is_read_and_an_unknown_or_closed_layer_named(layered: Any) -> None:
    report = answer(layered.run("add", "--id", "mine", "--prompt", "P", "--layer", "user", "--json"))
    assert report["file"] == "~/.skill-central/skills/mine.yaml"
    assert layered.run("show", "mine").returncode == 0
    done = layered.run("add", "--id", "b", "--prompt", "P", "--layer", "nowhere")
    assert done.returncode == 1
    assert "writable are: user, 01-global" in done.stderr
    layered.write("skill-central.yaml", "layers: [{id: l, path: l, priority: 1, writable: false}]\n")
    done = layered.run("add", "--id", "b", "--prompt", "P", "--layer", "l")
    assert done.returncode == 1
    assert "not writable" in done.stderr


def test_sc_26_remove_asks_before_it_deletes(layered: Any) -> None:
    file = layered.write(".skills/01-global/a.yaml", "id: a\ntype: prompt\nprompt: P\n")
    layered.write(".skills/01-global/deep/go/SKILL.md", AGENT_SKILL.format(name="go"))
    layered.write(".skills/01-global/deep/go/scripts/run.sh", "echo\n")
    done = layered.run("remove", "a")
    assert done.returncode == 1
    assert "--yes removes the file .skills/01-global/a.yaml" in done.stderr
    assert file.exists()
    assert answer(layered.run("remove", "a", "--yes", "--json")) == {
        "id": "a",
        "layer": "01-global",
        "removed": ".skills/01-global/a.yaml",
    }
    assert not file.exists()
    assert layered.run("remove", "go", "-y").stdout == "removed the folder .skills/01-global/deep/go with 2 files\n"
    assert list((layered.root / ".skills/01-global/deep").iterdir()) == []
    assert layered.run("remove", "go", "-y").returncode == 1


def test_sc_26_at_a_terminal_the_answer_counts(layered: Any) -> None:
    file = layered.write(".skills/01-global/a.yaml", "id: a\ntype: prompt\nprompt: P\n")
    for reply, code in ((b"n\n", 1), (b"y\n", 0)):
        ours, theirs = os.openpty()
        os.write(ours, reply)
        done = subprocess.run(
            [sys.executable, "-m", "agenthost", "skillcentral", "remove", "a"],
            env=layered.environment,
            cwd=layered.root,
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        os.close(theirs)
        os.close(ours)
        assert done.returncode == code
        assert "Remove prompt a, which is the file .skills/01-global/a.yaml?" in done.stderr
        assert file.exists() is (code == 1)


def test_a_layer_that_is_a_skill_itself_is_not_removed(layered: Any) -> None:
    file = layered.write(".skills/01-global/SKILL.md", AGENT_SKILL.format(name="01-global"))
    done = layered.run("remove", "01-global", "--yes")
    assert done.returncode == 1
    assert "the whole layer" in done.stderr
    assert file.exists()


def test_an_agent_skill_that_is_too_large_or_of_others_format_stays_out_whole(layered: Any) -> None:
    layered.write("in/big/SKILL.md", AGENT_SKILL.format(name="big"))
    for number in range(512):
        layered.write(f"in/big/files/{number}.txt", "x")
    done = layered.run("import", "in", "--layer", "01-global")
    assert done.returncode == 1
    assert "more than 512 files" in done.stdout
    assert list((layered.root / ".skills/01-global").iterdir()) == []
    assert layered.run("import", "nowhere").returncode == 1
    assert layered.run("scope", "set", "big", "--global").returncode == 1


def test_of_several_layers_with_the_id_one_has_to_be_named(layered: Any) -> None:
    for layer in ("01-global", "02-workflows"):
        layered.write(f".skills/{layer}/a.yaml", "id: a\ntype: prompt\nprompt: P\n")
    done = layered.run("remove", "a", "--yes")
    assert done.returncode == 1
    assert "say which with --layer" in done.stderr
    assert layered.run("remove", "a", "--yes", "--layer", "01-global").returncode == 0
    assert (layered.root / ".skills/02-workflows/a.yaml").exists()


def test_sc_27_scope_set_changes_one_member_and_no_other_byte(layered: Any) -> None:
    text = "# why\nid: 'a'  # quoted\ntype: prompt\nappliesTo: global # everybody\nprompt: P\n"
    file = layered.write(".skills/01-global/a.yaml", text)
    file.chmod(0o640)
    report = answer(layered.run("scope", "set", "a", "--projects", "git:GitHub.com/A/B.git,path:/x", "--json"))
    assert report["appliesTo"] == {"projects": ["git:github.com/a/b", "path:/x"]}
    assert file.read_text(encoding="utf-8") == text.replace("global", '{projects: ["git:github.com/a/b", "path:/x"]}')
    assert file.stat().st_mode & 0o777 == 0o640
    [shown] = answer(layered.run("scope", "show", "a", "--json"))["files"]
    assert shown["sha256"] == report["sha256"]
    done = layered.run("scope", "set", "a", "--global", "--expected-sha256", "0" * 64)
    assert done.returncode == 1
    assert "has changed" in done.stderr
    assert layered.run("scope", "set", "a", "--global", "--expected-sha256", report["sha256"]).returncode == 0
    assert file.read_text(encoding="utf-8") == text
    assert layered.run("scope", "set", "a", "--current-project").returncode == 0
    assert layered.run("show", "a").returncode == 0
    assert [path.name for path in file.parent.iterdir()] == ["a.yaml"]
    assert layered.run("scope", "set", "a").returncode == 2
    assert layered.run("scope", "set", "a", "--projects", "nonsense").returncode == 2


def test_import_brings_files_and_whole_folders_and_refuses_duplicates(layered: Any) -> None:
    layered.write(".skills/01-global/there.yaml", "id: there\ntype: prompt\nprompt: mine\n")
    layered.write("in/one.yaml", "# kept\nid: one\ntype: prompt\nprompt: P\n")
    layered.write("in/there.yaml", "id: there\ntype: prompt\nprompt: theirs\n")
    layered.write("in/x/twice.yaml", "id: twice\ntype: prompt\nprompt: P\n")
    layered.write("in/y/twice.yaml", "id: twice\ntype: prompt\nprompt: P\n")
    layered.write("in/bad.yaml", "id: [\n")
    layered.write("in/folder/go/SKILL.md", AGENT_SKILL.format(name="go"))
    layered.write("in/folder/go/scripts/run.sh", "echo\n").chmod(0o755)
    (layered.root / "in/folder/go/secret").symlink_to("/etc/passwd")
    planned = json.loads(layered.run("import", "in", "--layer", "02-workflows", "--dry-run", "--json").stdout)
    assert not (layered.root / ".skills/02-workflows/one.yaml").exists()
    done = layered.run("import", "in", "--layer", "02-workflows", "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert {**planned, "dryRun": False} == report
    assert [(one["id"], one["file"]) for one in report["imported"]] == [
        ("go", ".skills/02-workflows/go"),
        ("one", ".skills/02-workflows/one.yaml"),
        ("twice", ".skills/02-workflows/twice.yaml"),
    ]
    reasons = {one["source"]: one["reason"] for one in report["leftOut"]}
    assert set(reasons) == {"bad.yaml", "there.yaml", "y/twice.yaml"}
    assert "is there already, in the layer 01-global" in reasons["there.yaml"]
    script = layered.root / ".skills/02-workflows/go/scripts/run.sh"
    assert script.stat().st_mode & 0o111
    assert not (layered.root / ".skills/02-workflows/go/secret").is_symlink()
    assert (layered.root / ".skills/02-workflows/one.yaml").read_bytes().startswith(b"# kept")
    assert layered.serve().text("there") == "mine"
    assert layered.run("import", "in/folder/go", "--layer", "01-global").returncode == 1, "it is there already"


def test_s65_init_touches_nothing_that_is_there_not_even_what_add_wrote(layered: Any) -> None:
    layered.run("add", "--id", "review-change", "--prompt", "mine", "--layer", "02-workflows")
    layered.write("skill-central.yaml", "layers: []\n")
    before = everything(layered.root)
    assert layered.run("init").returncode == 0
    after = everything(layered.root)
    assert {path: after[path] for path in before} == before
    assert everything(layered.home) == {}


def test_verbs_that_write_take_away_what_a_dead_writer_left(layered: Any) -> None:
    left = layered.write(".skills/01-global/.a.yaml.20260101T000000Z-0123abcd.writing", "{}")
    done = layered.run("add", "--id", "b", "--prompt", "P")
    assert "a.yaml was about to be written" in done.stderr
    assert not left.exists()
