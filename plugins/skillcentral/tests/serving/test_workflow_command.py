"""`agenthost skillcentral workflow | session`: workflows as people see them in a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

WORKFLOW = """\
    schemaVersion: skillcentral.dev/v1
    id: flow
    name: Flow
    description: First a, then b
    type: workflow
    context: {subscribe: [{topic: brief}]}
    workflow:
      steps:
        - {id: a, uses: careful, agentRole: planner, outputTopic: "a:1"}
        - {id: b, uses: careful, dependsOn: [a]}
"""

FLAWED = """\
    schemaVersion: skillcentral.dev/v1
    id: flawed
    name: Flawed
    description: Cannot be done
    type: workflow
    workflow: {steps: [{id: a, uses: careful, dependsOn: [a]}]}
"""


@pytest.fixture
def filled(project: Any) -> Any:
    project.write(".skills/02-workflows/flow.yaml", WORKFLOW)
    project.write(".skills/02-workflows/flawed.yaml", FLAWED)
    project.write(".skills/02-workflows/careful.yaml", "id: careful\ntype: prompt\nprompt: Be careful.\n")
    return project


def answer(project: Any, *arguments: str) -> dict[str, Any]:
    """The one JSON object that a command prints that has to succeed."""
    done = project.run(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


def refused(project: Any, *arguments: str) -> str:
    done = project.run(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr  # type: ignore[no-any-return]


def start(project: Any) -> str:
    return answer(project, "workflow", "start", "flow")["sessionId"]  # type: ignore[no-any-return]


def test_s71_workflows_are_listed_with_those_that_cannot_be_started(filled: Any) -> None:
    lines = filled.run("workflow", "list").stdout.splitlines()
    assert "CANNOT BE STARTED (1 problem)" in lines[1]
    assert lines[2].split() == ["flow", "2", "sequential", "First", "a,", "then", "b"]
    plans = answer(filled, "workflow", "list")["workflows"]
    assert [(plan["workflowId"], len(plan["problems"])) for plan in plans] == [("flawed", 1), ("flow", 0)]


def test_s71_a_plan_is_shown_with_what_is_wrong_with_it(filled: Any) -> None:
    done = filled.run("workflow", "plan", "flow")
    assert done.returncode == 0
    assert "from outside brief" in done.stdout
    assert [line.split() for line in done.stdout.splitlines()[-2:]] == [
        ["a", "careful", "planner", "a:1"],
        ["b", "careful", "a", "b"],
    ]
    done = filled.run("workflow", "plan", "flawed")
    assert done.returncode == 1
    assert "steps wait for each other: a -> a" in done.stdout
    assert "there is no workflow 'careful' (it is a prompt skill" in refused(filled, "workflow", "plan", "careful")
    assert "steps wait for each other" in refused(filled, "workflow", "start", "flawed")


def test_a_session_is_gone_through_from_a_terminal(filled: Any) -> None:
    started = filled.run("workflow", "start", "flow").stdout
    session = started.split()[1]
    assert "status     blocked" in started
    published = filled.run("session", "publish", session, "brief", "Ship it.", "--summary", "short", "--refs", "a://b")
    assert f"agenthost skillcentral workflow next {session}" in published.stdout
    following = filled.run("workflow", "next", session).stdout
    assert "a: use careful as planner" in following
    assert f"before: agenthost skillcentral session topic {session} brief" in following
    assert f"then:   agenthost skillcentral session publish {session} a:1 RESULT" in following
    assert "    Be careful." in following
    shown = filled.run("session", "topic", session, "brief").stdout
    assert "result by session.publish" in shown
    assert "    Ship it." in shown
    for topic in ("a:1", "b"):
        filled.run("session", "publish", session, topic, "done")
    report = answer(filled, "workflow", "next", session)
    assert (report["status"], report["completedStepIds"]) == ("completed", ["a", "b"])
    record = answer(filled, "session", "show", session)
    assert [change["to"] for change in record["audit"]] == ["created", "blocked", "running", "completed"]
    assert [topic["topic"] for topic in record["topics"]] == ["brief", "a:1", "b"]
    assert "running -> completed: all steps are completed" in filled.run("session", "show", session).stdout
    assert "is over" in refused(filled, "session", "publish", session, "b", "late")


def test_s75_a_text_is_a_text_and_json_is_json_where_somebody_says_so(filled: Any) -> None:
    session = start(filled)
    kept = ["123", "null", "", '{"k": 1}']
    for text in kept:
        assert answer(filled, "session", "publish", session, "brief", text)["content"] == text
    for text in kept:
        done = filled.run("session", "publish", session, "brief", text, "--as-json", "--json")
        if text:
            assert json.loads(done.stdout)["content"] == json.loads(text)
        else:
            assert done.returncode == 2
            assert "CONTENT is no JSON" in done.stderr
    entries = answer(filled, "session", "topic", session, "brief")["entries"]
    assert [entry["content"] for entry in entries] == [*kept, 123, None, {"k": 1}]


def test_content_comes_from_standard_input_for_a_dash(filled: Any) -> None:
    session = start(filled)

    def publish(data: bytes) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "agenthost", "skillcentral", "session", "publish", session, "brief", "-"]
        options: Any = {"env": filled.environment, "cwd": filled.root, "capture_output": True, "timeout": 60}
        return subprocess.run(command, input=data, check=False, **options)

    assert publish("zwölf\n".encode()).returncode == 0
    refused = publish(b"\xff")
    assert refused.returncode == 2
    assert b"is not UTF-8" in refused.stderr
    [entry] = answer(filled, "session", "topic", session, "brief")["entries"]
    assert entry["content"] == "zwölf\n"


def test_sessions_are_listed_and_one_can_be_given_up(filled: Any) -> None:
    assert filled.run("session", "list").stdout.startswith("No sessions.")
    first, second = start(filled), start(filled)
    assert [one["sessionId"] for one in answer(filled, "session", "list")["sessions"]] == [second, first]
    assert filled.run("session", "status", first).stdout == "blocked\n"
    assert answer(filled, "session", "status", first, "failed", "--reason", "no time")["status"] == "failed"
    assert [one["sessionId"] for one in answer(filled, "session", "list", "--status", "failed")["sessions"]] == [first]
    assert answer(filled, "session", "list", "--workflow", "flawed") == {"sessions": []}
    assert "is over, failed (no time)" in refused(filled, "workflow", "next", first)
    assert "is over" in refused(filled, "session", "status", first, "failed")
    assert filled.run("session", "status", second, "completed").returncode == 2


def test_s72_an_unknown_session_or_topic_is_told_with_what_to_type_next(filled: Any) -> None:
    session = start(filled)
    for arguments in (
        ("workflow", "next", "nope"),
        ("session", "show", "nope"),
        ("session", "status", "nope"),
        ("session", "status", "nope", "failed"),
        ("session", "publish", "nope", "brief", "x"),
        ("session", "topic", "nope", "brief"),
    ):
        told = refused(filled, *arguments)
        assert told == "Error: there is no session 'nope'; agenthost skillcentral session list shows all\n"
    assert "It has: brief, a:1, b." in refused(filled, "session", "topic", session, "nope")
    assert "It has: brief, a:1, b." in refused(filled, "session", "publish", session, "nope", "x")


def test_a_server_and_a_terminal_share_sessions(filled: Any) -> None:
    server = filled.serve()
    session = start(filled)
    topic = f"skill://session/{session}/topic/brief"
    server.listen(topic)
    filled.run("session", "publish", session, "brief", "from a terminal")
    server.wait_for_update(topic)
    [entry] = server.read(topic)["entries"]
    assert entry["content"] == "from a terminal"


def test_commands_that_only_look_at_files_make_no_database(filled: Any) -> None:
    for arguments in (("list",), ("doctor",), ("workflow", "list"), ("workflow", "plan", "flow")):
        filled.run(*arguments)
    assert not filled.state.exists()
