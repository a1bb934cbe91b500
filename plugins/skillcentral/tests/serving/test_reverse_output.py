"""`reverse_output`: skills and rules written back by a model, served at once, and taken back."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

ERAS = pytest.mark.parametrize("era", ["modern", "legacy"])
WRITABLE = "writable=true"
CHECKS = [
    "source-context",
    "asset-type-target",
    "placement-boundary",
    "scope",
    "schema",
    "target",
    "duplicate-conflict",
    "expected-sha256",
    "diff",
    "backup-rollback",
    "verification",
]


def asset(text: str = "one", **members: Any) -> dict[str, Any]:
    return {
        "schemaVersion": "skillcentral.dev/v1",
        "id": "learnt",
        "name": "Learnt",
        "description": "What was learnt.",
        "type": "prompt",
        "prompt": text,
        "appliesTo": "global",
        **members,
    }


RULE = {
    "schemaVersion": "skillcentral.dev/rule/v1",
    "id": "no-todo",
    "name": "No TODO",
    "description": "No TODO is merged.",
    "body": "Do not merge a TODO.",
    "appliesTo": "global",
}


def proposal(**arguments: Any) -> dict[str, Any]:
    return {
        "action": "preview",
        "assetType": "skill",
        "operation": "create",
        "source": "review of a change",
        "context": "It was forgotten twice.",
        "target": "01-global",
        "placement": "skill",
        "placementReason": "It holds everywhere.",
        "asset": asset(),
        **arguments,
    }


def promotion(**arguments: Any) -> dict[str, Any]:
    return proposal(action="apply", decision="promote", **arguments)


def update(text: str, known: str | None, **arguments: Any) -> dict[str, Any]:
    given = {"expectedSha256": known} if known else {}
    return promotion(operation="update", asset=asset(text), **given, **arguments)


def ask(server: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    text, is_error = server.call("reverse_output", **arguments)
    assert not is_error, text
    return json.loads(text)  # type: ignore[no-any-return]


def refused(server: Any, arguments: dict[str, Any]) -> str:
    text, is_error = server.call("reverse_output", **arguments)
    assert is_error, text
    return text  # type: ignore[no-any-return]


def statuses(result: dict[str, Any]) -> dict[str, str]:
    return {check["id"]: check["status"] for check in result["proposal"]["checks"]}


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files(project: Any) -> dict[str, bytes]:
    """Everything below the project and the home, by path."""
    return {
        str(path): path.read_bytes()
        for root in (project.root, project.home)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def learnt(project: Any) -> Path:
    return project.root / ".skills/01-global/learnt.yaml"  # type: ignore[no-any-return]


@pytest.fixture
def layered(project: Any) -> Any:
    (project.root / ".skills/01-global").mkdir(parents=True)
    return project


def test_nobody_writes_unless_the_operator_says_so(layered: Any) -> None:
    server = layered.serve()
    assert "reverse_output" not in server.names("tools")
    assert "reverse_output" in server.refused("tools/call", name="reverse_output", arguments=proposal())


def test_a_found_config_file_cannot_turn_writing_on(layered: Any) -> None:
    layered.write("agenthost.toml", "[plugins.skillcentral]\nwritable = true\n")
    done = layered.run("list")
    assert done.returncode == 2
    assert "writable" in done.stderr


def test_s80_a_preview_runs_all_checks_and_writes_nothing(layered: Any) -> None:
    server = layered.serve("modern", WRITABLE)
    assert server.names("tools")[0] == "reverse_output"
    before = files(layered)
    result = ask(server, proposal())
    assert (result["action"], result["status"]) == ("preview", "preview")
    assert result["schemaVersion"] == "skillcentral.dev/reverse-output/v1"
    view = result["proposal"]
    assert [check["id"] for check in view["checks"]] == CHECKS
    assert view["canApply"] is True
    assert view["targetPath"] == ".skills/01-global/learnt.yaml"
    assert view["backupRequired"] is False
    assert "+prompt: one" in view["diffPreview"]
    assert view["existing"] == []
    assert files(layered) == before


@ERAS
def test_s81_what_is_promoted_is_served_at_once_and_cannot_be_promoted_again(layered: Any, era: Any) -> None:
    server = layered.serve(era, WRITABLE)
    server.listen()
    result = ask(server, promotion())
    assert result["status"] == "applied"
    assert statuses(result)["verification"] == "passed"
    assert result["sha256"] == result["proposal"]["assetSha256"] == sha(learnt(layered))
    assert "backupPath" not in result
    assert server.text("learnt") == "one"
    server.wait_for_change("prompts")
    written = learnt(layered).read_bytes()
    again = ask(server, promotion())
    assert again["status"] == "blocked"
    assert statuses(again)["duplicate-conflict"] == "failed"
    assert learnt(layered).read_bytes() == written
    assert list(learnt(layered).parent.iterdir()) == [learnt(layered)]


@ERAS
def test_s82_s83_an_update_needs_the_right_hash_keeps_a_backup_and_can_be_rolled_back(layered: Any, era: Any) -> None:
    server = layered.serve(era, WRITABLE)
    ask(server, promotion())
    learnt(layered).chmod(0o640)
    first = sha(learnt(layered))
    for wrong in ("0" * 64, None):
        result = ask(server, update("two", wrong))
        assert result["status"] == "blocked"
        assert statuses(result)["expected-sha256"] == "failed"
        assert result["proposal"]["currentSha256"] == first == sha(learnt(layered))
    server.listen("skill://skill/learnt")

    result = ask(server, update("two", first))
    assert result["status"] == "applied"
    assert server.text("learnt") == "two"
    server.wait_for_update("skill://skill/learnt")
    backup = layered.root / result["backupPath"]
    assert backup.parent == learnt(layered).parent
    assert sha(backup) == first
    assert {oct(path.stat().st_mode & 0o777) for path in (backup, learnt(layered))} == {"0o640"}

    back = {
        "action": "rollback",
        "targetPath": result["targetPath"],
        "backupPath": result["backupPath"],
        "expectedSha256": result["sha256"],
    }
    rolled = ask(server, back)
    assert rolled["status"] == "rolled-back"
    assert rolled["restoredFrom"] == result["backupPath"]
    assert sha(layered.root / rolled["preRollbackBackupPath"]) == result["sha256"]
    assert sha(learnt(layered)) == rolled["sha256"] == first
    assert server.text("learnt") == "one"
    server.wait_for_update("skill://skill/learnt")
    assert "has changed" in refused(server, back), "its hash is the old one now"


def test_s84_a_rollback_stays_in_the_layers_with_a_backup_of_that_file_and_the_right_hash(layered: Any) -> None:
    server = layered.serve("modern", WRITABLE)
    first = ask(server, promotion())
    done = ask(server, update("two", first["sha256"]))
    layered.write("outside.yaml", "id: outside\n")
    layered.write("outside.yaml.bak.20260101T000000Z-00000000", "id: outside\n")
    layered.write(".skills/01-global/other.yaml", "id: other\ntype: prompt\nprompt: o\n")
    (layered.root / ".skills/01-global/link").symlink_to(layered.root, target_is_directory=True)
    target, backup = done["targetPath"], done["backupPath"]
    before = files(layered)
    for arguments, named in (
        ({"targetPath": "outside.yaml", "backupPath": "outside.yaml.bak.20260101T000000Z-00000000"}, "targetPath"),
        ({"targetPath": str(learnt(layered))}, "targetPath"),
        ({"targetPath": "/etc/passwd"}, "targetPath"),
        ({"targetPath": ".skills/01-global/../../outside.yaml"}, "targetPath"),
        (
            {
                "targetPath": ".skills/01-global/link/outside.yaml",
                "backupPath": ".skills/01-global/link/outside.yaml.bak.20260101T000000Z-00000000",
            },
            "is a link",
        ),
        ({"targetPath": ""}, "targetPath"),
        ({"targetPath": "."}, "targetPath"),
        ({"targetPath": ".skills/01-global"}, "targetPath"),
        ({"targetPath": ".skills/01-global/other.yaml"}, "backupPath"),
        ({"backupPath": ".skills/01-global/other.yaml"}, "backupPath"),
        ({"backupPath": f"{target}.bak.20200101T000000Z-00000000"}, "backupPath"),
        ({"backupPath": "outside.yaml.bak.20260101T000000Z-00000000"}, "backupPath"),
        ({"expectedSha256": "0" * 64}, "expectedSha256"),
        ({"expectedSha256": "short"}, "expectedSha256"),
    ):
        given = {"targetPath": target, "backupPath": backup, "expectedSha256": done["sha256"], **arguments}
        text = refused(server, {"action": "rollback", **given})
        assert named in text, arguments
        assert files(layered) == before, arguments
    assert server.text("learnt") == "two"


LAYERS = """\
    layers:
      - {id: closed, path: closed, priority: 5, writable: false}
      - {id: open, path: open, priority: 6}
"""
A_RULE = {"assetType": "rule", "placement": "covenant-rule", "asset": RULE}


FORBIDDEN: list[tuple[dict[str, Any], str]] = [
    ({"target": "closed"}, "not writable"),
    ({"target": "nowhere"}, 'no layer "nowhere"'),
    ({"target": "../open"}, "no layer"),
    ({**A_RULE, "target": "../out"}, ".rules"),
    ({**A_RULE, "target": "/srv"}, ".rules"),
    (
        {**A_RULE, "asset": {**RULE, "severity": "loud"}, "target": "."},
        "loud",
    ),
    ({"placement": "ide-native-rule"}, "ide-native-rule"),
    ({"placement": "project-local"}, "appliesTo"),
    ({"placement": "covenant-rule"}, "placement"),
    ({"asset": asset(id="../../evil")}, "asset.id"),
    ({"asset": asset(id="Evil")}, "asset.id"),
    ({"asset": asset(id="reverse-output", prompt="")}, "prompt"),
    ({"asset": asset(schemaVersion="skillcentral.dev/v2")}, "asset.schemaVersion"),
    ({"asset": {key: value for key, value in asset().items() if key != "appliesTo"}}, "asset.appliesTo"),
    ({"asset": asset(appliesTo={"projects": []})}, "appliesTo"),
    ({"asset": asset(tags="one")}, "asset.tags"),
    ({"operation": "update"}, "create it"),
    ({"source": " "}, '"source" is blank'),
    ({"targetPath": "open/other.yaml"}, "open/learnt.yaml"),
    ({"appStateDir": "/srv"}, "appStateDir"),
]


def test_s85_s76_what_may_not_be_written_is_blocked_or_refused_with_the_argument(project: Any) -> None:
    project.write("skill-central.yaml", LAYERS)
    for folder in ("closed", "open"):
        (project.root / folder).mkdir()
    server = project.serve("modern", WRITABLE)
    before = files(project)
    for arguments, said in FORBIDDEN:
        text, is_error = server.call("reverse_output", **promotion(**{"target": "open", **arguments}))
        told = text if is_error else " ".join(check["detail"] for check in json.loads(text)["proposal"]["checks"])
        assert said in told, arguments
        assert is_error or json.loads(text)["status"] == "blocked"
        assert files(project) == before


def test_s85_no_link_in_the_project_leads_out_of_it(project: Any) -> None:
    outside = project.home / "outside"
    outside.mkdir()
    (project.root / ".skills").mkdir()
    (project.root / ".skills/01-global").symlink_to(outside, target_is_directory=True)
    (project.root / ".rules").symlink_to(outside, target_is_directory=True)
    server = project.serve("modern", WRITABLE)
    for arguments in (promotion(), promotion(assetType="rule", placement="covenant-rule", asset=RULE, target=".")):
        result = ask(server, arguments)
        assert result["status"] == "blocked"
        assert statuses(result)["target"] == "failed"
    assert list(outside.iterdir()) == []


def test_a_rule_is_written_below_the_rules_and_rolled_back(layered: Any) -> None:
    server = layered.serve("modern", WRITABLE)
    given = {"assetType": "rule", "placement": "covenant-rule", "target": "review"}
    first = ask(server, promotion(**given, asset=RULE))
    assert (first["status"], first["targetPath"]) == ("applied", ".rules/review/no-todo.yaml")
    changed = {**RULE, "body": "Never."}
    done = ask(server, promotion(**given, asset=changed, operation="update", expectedSha256=first["sha256"]))
    assert done["status"] == "applied"
    back = {key: done[key] for key in ("targetPath", "backupPath")} | {"expectedSha256": done["sha256"]}
    assert ask(server, {"action": "rollback", **back})["sha256"] == first["sha256"]
    assert server.names("prompts") == ["skills_compose"], "rules are not served"


@pytest.mark.parametrize("decision", ["defer", "discard"])
def test_what_is_put_off_or_thrown_away_is_recorded_and_not_written(layered: Any, decision: str) -> None:
    server = layered.serve("modern", WRITABLE)
    before = files(layered)
    result = ask(server, proposal(action="apply", decision=decision))
    assert (result["status"], result["decision"]) == ("recorded", decision)
    assert files(layered) == before
    [line] = (layered.state / "skillcentral/reverse-output.jsonl").read_text(encoding="utf-8").splitlines()
    record = json.loads(line)
    assert (record["decision"], record["assetId"], record["source"]) == (decision, "learnt", "review of a change")


def test_missing_arguments_are_named_all_at_once(layered: Any) -> None:
    server = layered.serve("modern", WRITABLE)
    text = refused(server, {"action": "apply"})
    for name in ("assetType", "operation", "source", "context", "target", "placement", "asset", "decision"):
        assert f'"{name}"' in text
    text = refused(server, {"action": "rollback"})
    for name in ("targetPath", "backupPath", "expectedSha256"):
        assert f'"{name}"' in text
    assert '"action"' in refused(server, {})


def test_a_skill_that_another_layer_has_too_is_written_with_a_warning(layered: Any) -> None:
    layered.write(".skills/03-domains/learnt.yaml", "id: learnt\ntype: prompt\nprompt: higher\n")
    server = layered.serve("modern", WRITABLE)
    result = ask(server, promotion())
    assert result["status"] == "applied"
    assert statuses(result)["duplicate-conflict"] == statuses(result)["verification"] == "warning"
    assert server.text("learnt") == "higher"


def test_of_twenty_promotions_at_once_one_is_written(layered: Any) -> None:
    server = layered.serve("modern", WRITABLE)
    waiting = [
        server.process.start_request(
            "tools/call", {"name": "reverse_output", "arguments": promotion(asset=asset(f"text {number}"))}
        )
        for number in range(20)
    ]
    results = [server.process.answer(request)["result"] for request in waiting]
    applied = [one for one in results if one["structuredContent"]["status"] == "applied"]
    blocked = [one for one in results if one["structuredContent"]["status"] == "blocked"]
    assert (len(applied), len(blocked)) == (1, 19)
    assert sha(learnt(layered)) == applied[0]["structuredContent"]["sha256"]


def test_a_file_that_was_written_whole_by_a_dead_writer_is_told_as_that(layered: Any) -> None:
    file = layered.write(".skills/01-global/a.yaml", "id: a\ntype: prompt\nprompt: new\n")
    own = "20260101T000000Z-0123abcd"
    layered.write(f".skills/01-global/.a.yaml.{own}.writing", json.dumps({"before": "0" * 64, "after": sha(file)}))
    backup = layered.write(f".skills/01-global/a.yaml.bak.{own}", "id: a\ntype: prompt\nprompt: old\n")
    server = layered.serve("modern", WRITABLE)
    server.process.wait_for_stderr("a.yaml was written whole by a process that was ended before it could say so")
    assert server.text("a") == "new"
    assert sorted(file.parent.iterdir()) == [file, backup]


def test_a_leftover_of_a_dead_writer_is_told_at_the_next_start_and_by_doctor_and_taken_away(layered: Any) -> None:
    layered.write(".skills/01-global/a.yaml", "id: a\ntype: prompt\nprompt: old\n")
    own = "20260101T000000Z-0123abcd"
    hashes = json.dumps({"before": None, "after": "0" * 64})
    layered.write(f".skills/01-global/.a.yaml.{own}.writing", hashes)
    layered.write(f".skills/01-global/.a.yaml.{own}.new", "id: a\ntyp")
    layered.write(f".skills/01-global/a.yaml.bak.{own}", "id: a")
    report = json.loads(layered.run("doctor", "--json").stdout)
    [left] = report["leftovers"]
    assert left["file"] == ".skills/01-global/a.yaml"
    assert "as it was before" in left["outcome"]
    assert "a.yaml was about to be written" in layered.run("doctor").stdout
    server = layered.serve("modern")
    server.process.wait_for_stderr("a.yaml was about to be written by a process that was ended")
    assert len(list((layered.root / ".skills/01-global").iterdir())) == 4, "who may not write cleans nothing"
    server = layered.serve("modern", WRITABLE)
    server.process.wait_for_stderr("a.yaml was about to be written by a process that was ended")
    assert server.text("a") == "old"
    assert [path.name for path in (layered.root / ".skills/01-global").iterdir()] == ["a.yaml"]
