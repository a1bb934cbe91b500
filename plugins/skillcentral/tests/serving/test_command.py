"""`agenthost skillcentral ...`: what people see of their skills in a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

PROMPT = "id: {id}\ntype: prompt\ndescription: {description}\ntags: [{tags}]\nprompt: {body}\n"

LAYERS = """\
    layers:
      - {id: low, name: The low one, path: low, priority: 10}
      - {id: high, path: high, priority: 30}
"""


def prompt(skill_id: str, body: str = "B", tags: str = "", description: str = "D") -> str:
    return PROMPT.format(id=skill_id, body=body, tags=tags, description=description)


@pytest.fixture
def healthy(project: Any) -> Any:
    project.write("skill-central.yaml", LAYERS)
    project.write("low/a.yaml", prompt("a", "low {{x}}", "one, two"))
    project.write("high/b.yaml", prompt("b", "high", "Two"))
    project.write("high/t.yaml", "id: t\ntype: tool\ntags: [one]\nprompt: T\n")
    return project


def tear(project: Any) -> None:
    project.write("low/torn-1.yaml", prompt("torn"))
    project.write("low/torn-2.yaml", prompt("torn"))


def one_object(text: str) -> dict[str, Any]:
    """Standard output, which has to be one JSON object and nothing else."""
    value = json.loads(text)
    assert isinstance(value, dict)
    return value


def test_s51_validate_tells_of_each_file_whether_it_is_a_skill(healthy: Any) -> None:
    done = healthy.run("validate", "low/a.yaml", "high/t.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "ok    low/a.yaml: prompt a (legacy)",
        "ok    high/t.yaml: tool t (legacy)",
    ]
    healthy.write("bad.yaml", "schemaVersion: skillcentral.dev/v1\nid: x\ncapabilities:\n  required: [5]\n")
    done = healthy.run("validate", "low/a.yaml", "bad.yaml", "missing.yaml")
    assert done.returncode == 1
    assert "fail  bad.yaml:4: capabilities.required[0]: " in done.stdout
    assert "fail  missing.yaml: cannot be read" in done.stdout
    assert "ok    low/a.yaml" in done.stdout
    report = one_object(healthy.run("validate", "--json", "low/a.yaml", "bad.yaml").stdout)
    assert [file["ok"] for file in report["files"]] == [True, False]
    assert report["ok"] is False
    assert {"capabilities.required[0]", "type"} <= {fault["field"] for fault in report["files"][1]["faults"]}


def test_validate_takes_the_folder_of_an_agent_skill(project: Any) -> None:
    project.write("good-one/SKILL.md", "---\nname: good-one\ndescription: d\n---\nText.\n")
    project.write("bad-one/SKILL.md", "no front matter\n")
    assert project.run("validate", "good-one").stdout == "ok    good-one: prompt good-one (agent-skill)\n"
    assert project.run("validate", "bad-one").returncode == 1
    assert project.run("validate").returncode == 2


def break_nothing(_project: Any) -> None:
    """Healthy as it is."""


def lose_a_folder(project: Any) -> None:
    project.remove("high")


def break_a_file(project: Any) -> None:
    project.write("low/broken.yaml", "id: [\n")


def shadow(project: Any) -> None:
    project.write("high/a.yaml", prompt("a"))


def link(project: Any) -> None:
    (project.root / "low/link.yaml").symlink_to(project.home / "nowhere.yaml")


@pytest.mark.parametrize(
    ("harm", "code", "said"),
    [
        (break_nothing, 0, "3 skills, and nothing is wrong."),
        (lose_a_folder, 1, "MISSING: high"),
        (break_a_file, 1, "low/broken.yaml:"),
        (tear, 1, "torn: low/torn-1.yaml (conflicted), low/torn-2.yaml (conflicted)"),
        (shadow, 0, "a: high/a.yaml (effective), low/a.yaml (shadowed)"),
        (link, 0, "low/link.yaml"),
    ],
)
def test_s52_s39_the_doctor_fails_for_missing_folders_broken_files_and_conflicts_only(
    healthy: Any, harm: Any, code: int, said: str
) -> None:
    harm(healthy)
    done = healthy.run("doctor")
    assert done.returncode == code, done.stdout
    assert said in done.stdout
    assert done.stderr == ""
    done = healthy.run("doctor", "--json")
    report = one_object(done.stdout)
    assert done.returncode == code
    assert report["ok"] is (code == 0)
    assert bool(report["missingLayers"]) is (harm is lose_a_folder)
    assert bool(report["conflicts"]) is (harm is tear)
    assert bool(report["shadowed"]) is (harm is shadow)


def test_s49_without_a_configuration_the_doctor_shows_the_default_layers(project: Any) -> None:
    done = project.run("doctor")
    assert done.returncode == 1
    for layer in ("01-global", "02-workflows", "03-domains", "04-tech-stack"):
        assert layer in done.stdout
    assert "agenthost skillcentral init" in done.stdout
    project.write(".skills/02-workflows/a.yaml", prompt("a"))
    assert project.run("doctor").returncode == 0
    project.write("skill-central.yaml", "layers: {")
    done = project.run("doctor")
    assert done.returncode == 1
    assert "skill-central.yaml:" in done.stdout
    assert "a" in project.run("list").stdout


def test_s53_a_conflicted_id_is_shown_with_its_candidates(healthy: Any) -> None:
    tear(healthy)
    done = healthy.run("show", "torn")
    assert done.returncode == 1
    assert "torn is CONFLICTED and not served" in done.stdout
    assert "low/torn-1.yaml" in done.stdout
    assert "low/torn-2.yaml" in done.stdout
    report = one_object(healthy.run("show", "torn", "--json").stdout)
    assert (report["status"], len(report["candidates"])) == ("conflicted", 2)


def test_show_tells_everything_about_a_skill_and_an_unknown_one_is_an_error(healthy: Any) -> None:
    shadow(healthy)
    done = healthy.run("show", "a")
    assert done.returncode == 0
    for part in ("high/a.yaml", "shadowed", "low/a.yaml", "    B"):
        assert part in done.stdout
    report = one_object(healthy.run("show", "a", "--json").stdout)
    assert [one["prompt"] for one in report["candidates"]] == ["B", "low {{x}}"]
    done = healthy.run("show", "A")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no skill 'A'" in done.stderr


def test_a_skill_that_is_not_there_is_told_with_the_nearest_or_with_where_all_are_listed(healthy: Any) -> None:
    healthy.write("low/plain.yaml", prompt("plain-words"))
    assert "there is no skill 'plan-words'; did you mean 'plain-words'?" in healthy.run("show", "plan-words").stderr
    assert "there is no skill 'zzz'; agenthost skillcentral list shows all" in healthy.run("show", "zzz").stderr


def test_s54_list_filters_by_layer_type_and_tag_and_shows_files(healthy: Any) -> None:
    tear(healthy)

    def ids(*options: str) -> list[str]:
        report = one_object(healthy.run("list", "--json", *options).stdout)
        return [record["id"] for record in report["skills"]]

    assert ids() == ["a", "b", "t", "torn"]
    assert ids("--layer", "high") == ["b", "t"]
    assert ids("--layer", "The low one") == ["a", "torn"]
    assert ids("--type", "tool") == ["t"]
    assert ids("--tag", "TWO") == ["a", "b"]
    assert ids("--tag", "two", "--layer", "low") == ["a"]
    done = healthy.run("list", "--source")
    assert done.returncode == 0
    [line] = [line for line in done.stdout.splitlines() if line.startswith("b ")]
    assert line.split() == ["b", "prompt", "high", "Two", "high/b.yaml"]
    assert "CONFLICTED, not served: low/torn-1.yaml" in done.stdout
    assert "3 skills, 1 conflicted" in done.stdout
    done = healthy.run("list", "--layer", "nosuch")
    assert done.returncode == 2
    assert "low, high" in done.stderr


def test_one_skill_and_one_fault_are_not_told_in_the_plural(project: Any) -> None:
    project.write(".skills/01-global/a.yaml", prompt("a"))
    project.write(".skills/01-global/bad.yaml", "id: [x\n")
    assert "\n1 skill, 1 fault in files; " in project.run("list").stdout


def test_an_empty_list_is_no_error_and_a_long_line_is_cut_to_the_terminal(project: Any) -> None:
    done = project.run("list")
    assert (done.returncode, done.stderr) == (0, "")
    assert "init" in done.stdout
    project.write(".skills/01-global/a.yaml", prompt("a", description="中" * 200))
    lines = project.run("list").stdout.splitlines()
    assert max(sum(2 if letter == "中" else 1 for letter in line) for line in lines) in (119, 120)
    assert one_object(project.run("list", "--json", "--tag", "nosuch").stdout) == {"skills": []}


def test_what_a_terminal_would_obey_is_not_printed(project: Any) -> None:
    project.write(".skills/01-global/a.yaml", 'id: a\ntype: prompt\ndescription: "\\e[31mred\\a"\nprompt: "x\\e[2Jy"\n')
    for command in (["list"], ["show", "a"]):
        assert "\x1b" not in project.run(*command).stdout


def test_compose_prints_the_text_of_all_skills_with_a_tag(healthy: Any) -> None:
    done = healthy.run("compose", "TWO", "--arg", "x=filled")
    assert done.returncode == 0
    assert done.stdout == "## a\nlow filled\n\n---\n\n## b\nhigh\n"
    report = one_object(healthy.run("compose", "two", "--json").stdout)
    assert report["description"] == "Composed prompt from tags: two (2 skills)"
    done = healthy.run("compose", "nosuch")
    assert (done.returncode, done.stdout) == (1, "")
    assert "No skills found for tags: nosuch" in done.stderr
    assert healthy.run("compose", "two", "--arg", "novalue").returncode == 2


def test_s42_scope_tells_what_the_project_is_called_and_for_which_a_skill_is(healthy: Any) -> None:
    healthy.write(".git/config", '[remote "origin"]\n\turl = https://GitHub.com/Acme/One.git\n')
    healthy.write(".git/HEAD", "ref: refs/heads/main\n")
    healthy.write("low/far.yaml", prompt("far") + "appliesTo: {projects: ['git:github.com/acme/two']}\n")
    done = healthy.run("scope", "current")
    assert done.stdout.splitlines() == ["git:github.com/acme/one", f"path:{healthy.root}"]
    assert one_object(healthy.run("scope", "current", "--json").stdout)["projectIds"][0] == "git:github.com/acme/one"
    assert "git:github.com/acme/two; not for this one" in healthy.run("scope", "show", "far").stdout
    assert "all projects; for this one" in healthy.run("scope", "show", "a").stdout
    assert healthy.run("scope", "show", "nosuch").returncode == 1
    done = healthy.run("show", "far")
    assert done.returncode == 1
    assert "git:github.com/acme/two" in done.stderr
    assert healthy.run("show", "far", "--project-id", "git:GitHub.com/Acme/Two").returncode == 0
    assert healthy.run("show", "far", "--project-id", "nonsense").returncode == 2


def test_another_project_can_be_looked_at_from_elsewhere(healthy: Any) -> None:
    done = healthy.run("list", "--json", "--project-root", str(healthy.root), cwd=healthy.home)
    assert [record["id"] for record in one_object(done.stdout)["skills"]] == ["a", "b", "t"]


def test_s65_init_writes_what_is_missing_and_overwrites_nothing(project: Any) -> None:
    own = project.write(".skills/01-global/plain-words.yaml", prompt("plain-words", "mine"))
    config = project.write("skill-central.yml", "layers: [{id: g, path: .skills/01-global, priority: 1}]\n")
    taken = project.write(".skills/01-global/other.yaml", prompt("python-tests", "mine too"))
    before = {path: path.read_bytes() for path in (own, config, taken)}
    report = one_object(project.run("init", "--json").stdout)
    assert report["written"] == [
        ".skills/02-workflows/review-change.yaml",
        ".skills/02-workflows/commit-message.yaml",
        ".skills/03-domains/schema-migration/SKILL.md",
    ]
    assert report["leftOut"].keys() == {
        "skill-central.yml",
        ".skills/01-global/plain-words.yaml",
        ".skills/04-tech-stack/python-tests.json",
    }
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(path.name for path in project.home.iterdir()) == []


def test_s65_what_init_writes_is_healthy_and_a_second_time_changes_nothing(project: Any) -> None:
    done = project.run("init")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("written") == 6
    assert project.run("doctor").returncode == 0
    names = {record["id"] for record in one_object(project.run("list", "--json").stdout)["skills"]}
    assert names == {"plain-words", "review-change", "commit-message", "schema-migration", "python-tests"}
    before = {path: path.stat().st_mtime_ns for path in project.root.rglob("*")}
    assert "written" not in project.run("init").stdout
    assert {path: path.stat().st_mtime_ns for path in project.root.rglob("*")} == before


def test_init_says_what_is_in_its_way(project: Any) -> None:
    project.write(".skills", "a file")
    done = project.run("init")
    assert done.returncode == 2
    assert ".skills/01-global/plain-words.yaml cannot be written: Not a directory" in done.stderr
    project.remove(".skills")
    project.write(".skills/01-global", "a file")
    assert "01-global is needed as a folder" in project.run("init").stderr
    assert (project.root / ".skills/01-global").read_text(encoding="utf-8") == "a file"


def test_a_wrong_setting_names_what_would_be_right(project: Any) -> None:
    done = project.run("list", options=["--set=skillcentral.presets=['claud']"])
    assert done.returncode == 2
    assert "claude-code" in done.stderr


def test_the_demo_plays_the_scene(project: Any) -> None:
    command = [sys.executable, "-m", "agenthost", "demo", "--plugins", "skillcentral"]
    done = subprocess.run(
        command, env=project.environment, cwd=project.root, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    for part in ("careful-migration", "last good version", "## house-rules"):
        assert part in done.stdout
    assert done.stderr == ""
