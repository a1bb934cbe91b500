"""Workflows through a real server, in both eras of the protocol: started, gone through, looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

SEQUENCE = """\
    schemaVersion: skillcentral.dev/v1
    id: seq
    name: Sequence
    description: First a, then b, then c
    type: workflow
    context: {publish: [{topic: notes}]}
    workflow:
      strategy: sequential
      steps:
        - {id: a, uses: careful, agentRole: planner, outputTopic: "a:b"}
        - {id: b, uses: careful, dependsOn: [a], outputTopic: a_3Ab}
        - {id: c, uses: some-tool}
"""

PARALLEL = """\
    schemaVersion: skillcentral.dev/v1
    id: par
    name: Parallel
    description: Whatever is ready
    type: workflow
    context: {subscribe: [{topic: brief}]}
    workflow:
      strategy: parallel
      steps:
        - {id: one, uses: careful}
        - {id: two, uses: some-policy}
        - {id: both, uses: seq, dependsOn: [one, two]}
"""

FLAWED = """\
    schemaVersion: skillcentral.dev/v1
    id: flawed
    name: Flawed
    description: Cannot be done
    type: workflow
    workflow:
      steps:
        - {id: a, uses: careful, dependsOn: [b]}
        - {id: b, uses: carefull, dependsOn: [a, zz], outputTopic: t}
        - {id: c, uses: careful, outputTopic: t}
"""

OTHERS = """\
    schemaVersion: skillcentral.dev/v1
    id: some-{kind}
    name: Some {kind}
    description: A {kind} for tests
    type: {kind}
    prompt: The text of the {kind}.
"""

FLAWS = [
    ("workflow.steps[1].dependsOn", 'there is no step "zz"'),
    ("workflow.steps[0].dependsOn", "steps wait for each other: a -> b -> a"),
    ("workflow.steps[2].outputTopic", 'the topic "t" is that of step "b" already'),
    ("workflow.steps[1].uses", 'there is no skill "carefull"; did you mean "careful"?'),
]

TOOLS = ["workflow_start", "workflow_next", "workflow_publish", "workflow_summarize"]


def fill(project: Any) -> Any:
    folder = ".skills/02-workflows"
    for name, text in {"seq": SEQUENCE, "par": PARALLEL, "flawed": FLAWED}.items():
        project.write(f"{folder}/{name}.yaml", text)
    for kind in ("policy", "context-router", "tool"):
        project.write(f"{folder}/some-{kind}.yaml", OTHERS.format(kind=kind))
    project.write(f"{folder}/careful.yaml", "id: careful\ntype: prompt\nprompt: Be {{how}} careful.\n")
    project.write(f"{folder}/empty.yaml", FLAWED.partition("    workflow:")[0].replace("id: flawed", "id: empty"))
    return project


@pytest.fixture(scope="module")
def filled(shared_project: Any) -> Any:
    return fill(shared_project)


@pytest.fixture(scope="module", params=["modern", "legacy"])
def server(filled: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    started = filled.serve(request.param)
    yield started
    started.process.close()


class Session:
    """A session that was started, and what happens in it."""

    def __init__(self, server: Any, workflow: str) -> None:
        self.server = server
        started = done(server, "workflow_start", workflowId=workflow)
        self.id: str = started["sessionId"]
        self.first = started["report"]

    def publish(self, topic: str, content: Any = "done", **more: Any) -> Any:
        return done(self.server, "workflow_publish", sessionId=self.id, topic=topic, content=content, **more)

    def next(self) -> Any:
        return done(self.server, "workflow_next", sessionId=self.id)

    def record(self) -> Any:
        return self.server.read(f"skill://session/{self.id}/context")

    def topic_uri(self, topic: str) -> str:
        return f"skill://session/{self.id}/topic/{quote(topic, safe='')}"

    def entries(self, topic: str) -> list[Any]:
        return self.server.read(self.topic_uri(topic))["entries"]  # type: ignore[no-any-return]


def done(server: Any, tool: str, **arguments: Any) -> Any:
    """The structure of a call that has to succeed; its text says the same."""
    result = server.process.call(tool, arguments)["result"]
    assert not result.get("isError"), result
    [block] = result["content"]
    assert json.loads(block["text"]) == result["structuredContent"]
    return result["structuredContent"]


def refused(server: Any, tool: str, **arguments: Any) -> str:
    """The text of a call that has to be refused, by a result and not by the protocol."""
    text, is_error = server.call(tool, **arguments)
    assert is_error, text
    return text  # type: ignore[no-any-return]


def steps(report: Any) -> list[str]:
    return [task["stepId"] for task in report["readyTasks"]]


def test_the_four_tools_come_first_and_answer_to_the_names_of_the_original(server: Any) -> None:
    assert server.names("tools") == [*TOOLS, "some-tool"]
    assert server.entry("tools", "workflow_publish")["inputSchema"]["required"] == ["sessionId", "topic", "content"]
    started = done(server, "workflow.start", workflowId="seq")
    assert done(server, "workflow.next", sessionId=started["sessionId"]) == started["report"]
    done(server, "workflow.publish", sessionId=started["sessionId"], topic="notes", content=1)
    assert done(server, "workflow.summarize", sessionId=started["sessionId"])["topics"][0]["topic"] == "notes"


def test_s66_a_sequence_begins_with_one_task_and_a_running_session(server: Any) -> None:
    session = Session(server, "seq")
    report = session.first
    assert (report["status"], steps(report), report["completedStepIds"]) == ("ready", ["a"], [])
    [task] = report["readyTasks"]
    assert task["taskId"] == f"{session.id}:a"
    assert (task["uses"], task["agentRole"], task["publishTo"]) == ("careful", "planner", "a:b")
    assert (task["subscribeTopics"], task["resources"]) == ([], [])
    bundle = task["promptBundle"]
    assert (bundle["role"], bundle["resourceUris"]) == ("user", [])
    assert bundle["text"].startswith(task["instruction"])
    assert bundle["text"].endswith("Be {{how}} careful.")
    assert session.id in task["instruction"]
    record = session.record()
    assert (record["sessionId"], record["workflowId"], record["status"]) == (session.id, "seq", "running")
    assert server.read("skill://session")["sessions"][0] == {
        key: record[key] for key in ("sessionId", "workflowId", "status", "createdAt", "updatedAt")
    }


def test_s67_an_entry_completes_its_step_and_the_next_task_names_where_it_is(server: Any) -> None:
    session = Session(server, "seq")
    session.publish("a:b")
    report = session.next()
    assert (report["completedStepIds"], steps(report)) == (["a"], ["b"])
    [task] = report["readyTasks"]
    assert task["subscribeTopics"] == ["a:b"]
    assert task["resources"] == task["promptBundle"]["resourceUris"] == [session.topic_uri("a:b")]
    assert session.topic_uri("a:b") in task["instruction"]
    assert len(server.read(task["resources"][0])["entries"]) == 1


def test_s68_when_all_topics_are_published_the_session_is_completed_and_stays_so(server: Any) -> None:
    session = Session(server, "seq")
    for topic in ("a:b", "a_3Ab", "c"):
        session.publish(topic, summary=f"about {topic}", refs="file:///x, https://y.example/z")
    report = session.next()
    assert (report["status"], report["completedStepIds"]) == ("completed", ["a", "b", "c"])
    assert (report["readyTasks"], report["blockedReasons"]) == ([], [])
    record = session.record()
    assert record["status"] == "completed"
    assert [(entry.get("from"), entry["to"]) for entry in record["audit"]] == [
        (None, "created"),
        ("created", "running"),
        ("running", "completed"),
    ]
    assert session.next() == report
    assert session.record() == record
    assert "is over, completed (all steps are completed)" in refused(
        server, "workflow_publish", sessionId=session.id, topic="c", content="late"
    )
    summary = done(server, "workflow_summarize", sessionId=session.id)
    assert (summary["status"], [topic["topic"] for topic in summary["topics"]]) == ("completed", ["a:b", "a_3Ab", "c"])
    assert summary["topics"][0] == {
        "topic": "a:b",
        "entries": 1,
        "latestSummary": "about a:b",
        "latestRefs": [{"uri": "file:///x"}, {"uri": "https://y.example/z"}],
    }


def test_s69_a_step_without_a_topic_is_completed_through_its_id(server: Any) -> None:
    session = Session(server, "seq")
    for topic in ("a:b", "a_3Ab"):
        session.publish(topic)
    [task] = session.next()["readyTasks"]
    assert (task["stepId"], task["publishTo"]) == ("c", "c")
    assert "the tool" in task["promptBundle"]["text"]
    session.publish("c")
    assert session.next()["status"] == "completed"


def test_s70_a_step_whose_result_came_early_is_completed_when_it_is_its_turn(server: Any) -> None:
    session = Session(server, "seq")
    session.publish("a_3Ab")
    report = session.next()
    assert (report["completedStepIds"], steps(report)) == ([], ["a"])
    assert "its result is there already" in report["blockedReasons"][0]
    session.publish("a:b")
    assert session.next()["completedStepIds"] == ["a", "b"]


def test_steps_in_parallel_are_blocked_until_what_no_step_makes_is_there(server: Any) -> None:
    session = Session(server, "par")
    assert (session.first["status"], session.record()["status"]) == ("blocked", "blocked")
    assert '"brief"' in session.first["blockedReasons"][0]
    session.publish("brief")
    report = session.next()
    assert steps(report) == ["one", "two"]
    assert report["readyTasks"][1]["promptBundle"]["text"].endswith("The text of the policy.")
    assert session.record()["status"] == "running"
    for topic in ("one", "two"):
        session.publish(topic)
    [task] = session.next()["readyTasks"]
    assert task["subscribeTopics"] == ["brief", "one", "two"]
    assert 'workflow_start with workflowId "seq"' in task["promptBundle"]["text"]


def test_s71_a_flawed_workflow_cannot_be_started_and_the_answer_says_what_to_mend(server: Any) -> None:
    text = refused(server, "workflow_start", workflowId="flawed")
    for field, reason in FLAWS:
        assert f"{field}: {reason}" in text
    assert "workflow.steps: holds no step" in refused(server, "workflow_start", workflowId="empty")
    problems = server.read("skill://workflow/flawed/plan")["problems"]
    assert [problem["field"] for problem in problems] == [field for field, _ in FLAWS]


def test_s71_doctor_and_validate_tell_what_is_wrong_with_a_workflow(filled: Any) -> None:
    folder = ".skills/02-workflows"
    told = filled.run("doctor")
    assert told.returncode == 1
    checked = filled.run("validate", *(f"{folder}/{name}.yaml" for name in ("flawed", "empty", "seq", "par")))
    assert checked.returncode == 1
    for field, reason in [*FLAWS, ("workflow.steps", "holds no step")]:
        assert f"{field}: {reason}" in told.stdout
        assert f"{field}: {reason}" in checked.stdout
    assert f"ok    {folder}/seq.yaml" in checked.stdout
    assert f"ok    {folder}/par.yaml" in checked.stdout
    assert f"ok    {folder}/flawed.yaml" not in checked.stdout


def test_s71_validate_knows_the_skills_that_are_checked_with_it(project: Any) -> None:
    workflow = "schemaVersion: skillcentral.dev/v1\nid: w\nname: W\ndescription: D\ntype: workflow\n"
    project.write("w.yaml", workflow + "workflow: {steps: [{id: a, uses: mine}]}\n")
    project.write("mine.yaml", "id: mine\ntype: prompt\nprompt: P\n")
    assert 'there is no skill "mine"' in project.run("validate", "w.yaml").stdout
    done = project.run("validate", "w.yaml", "mine.yaml")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("start", {}, "workflowId"),
        (
            "start",
            {"workflowId": "nope"},
            'workflowId: there is no workflow "nope". There are: empty, flawed, par, seq.',
        ),
        ("start", {"workflowId": "careful"}, 'workflowId: there is no workflow "careful" (it is a prompt skill'),
        ("start", {"workflowId": "seq", "appStateDir": "state"}, "appStateDir"),
        ("next", {}, "sessionId"),
        ("next", {"sessionId": "session-00000000-0000-4000-8000-000000000000"}, "sessionId: there is no session"),
        ("next", {"sessionId": "../../etc/passwd"}, "sessionId: there is no session"),
        ("summarize", {"sessionId": ""}, "sessionId: there is no session"),
        ("publish", {"sessionId": "?", "topic": "a:b", "content": 1}, "sessionId: there is no session"),
        ("publish", {"topic": "nope", "content": 1}, 'topic: the workflow "seq" has no topic "nope". It has: a:b, '),
        ("publish", {"topic": "../x", "content": 1}, 'topic: "../x" is none'),
        ("publish", {"topic": "a:b"}, "content"),
        ("publish", {"content": "x"}, "topic"),
        ("publish", {"topic": "a:b", "content": "x", "producer": ""}, "producer: is blank"),
        ("publish", {"topic": "a:b", "content": "x", "kind": " "}, "kind: is blank"),
    ],
)
def test_s72_what_is_wrong_is_told_as_a_result_that_names_the_argument(
    server: Any, tool: str, arguments: dict[str, Any], told: str
) -> None:
    if tool == "publish" and "sessionId" not in arguments:
        arguments = {"sessionId": Session(server, "seq").id, **arguments}
    text = refused(server, f"workflow_{tool}", **arguments)
    assert told in text
    assert "--" not in text


def test_s74_topics_with_similar_names_are_two_topics(server: Any) -> None:
    session = Session(server, "seq")
    session.publish("a:b", "first")
    session.publish("a_3Ab", "second")
    assert [entry["content"] for entry in session.entries("a:b")] == ["first"]
    assert [entry["content"] for entry in session.entries("a_3Ab")] == ["second"]
    topics = done(server, "workflow_summarize", sessionId=session.id)["topics"]
    assert [(topic["topic"], topic["entries"]) for topic in topics] == [("a:b", 1), ("a_3Ab", 1)]


CONTENTS = [
    "123",
    "null",
    "",
    '{"k":1}',
    {"k": 1},
    {},
    [],
    [None, [1, 2.5, "x"]],
    None,
    True,
    0,
    2.0,
    -1e300,
    "ü\n\u2028",
]


def test_s75_content_is_read_back_equal_in_type_and_value(server: Any) -> None:
    session = Session(server, "seq")
    for content in CONTENTS:
        entry = session.publish("notes", content, producer="me", kind="draft")
        assert (entry["content"], type(entry["content"])) == (content, type(content))
        assert (entry["producer"], entry["kind"], entry["refs"]) == ("me", "draft", [])
        assert "summary" not in entry
    kept = session.entries("notes")
    assert [(entry["content"], type(entry["content"])) for entry in kept] == [(one, type(one)) for one in CONTENTS]


def test_s76_no_tool_takes_a_folder(server: Any, filled: Any) -> None:
    for name in TOOLS:
        assert "appStateDir" not in server.entry("tools", name)["inputSchema"]["properties"]
    refused(server, "workflow_start", workflowId="seq", appStateDir=str(filled.root / "elsewhere"))
    assert not (filled.root / "elsewhere").exists()


def test_s77_reading_changes_no_file(server: Any, filled: Any) -> None:
    session = Session(server, "seq")
    session.publish("a:b")
    before = contents(filled)
    for uri in (
        "skill://session",
        "skill://workflow/seq/plan",
        f"skill://session/{session.id}/context",
        session.topic_uri("a:b"),
        session.topic_uri("c"),
    ):
        server.read(uri)
    done(server, "workflow_summarize", sessionId=session.id)
    refused(server, "workflow_start", workflowId="flawed")
    assert contents(filled) == before
    assert session.record()["updatedAt"] == session.record()["updatedAt"]


def contents(project: Any) -> dict[str, bytes]:
    """All files, without the memory that processes share about a database's log."""
    folders = (project.root, project.home, project.state)
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files if not path.name.endswith("-shm")}


def test_s79_what_is_not_there_is_an_error_that_names_it(server: Any) -> None:
    session = Session(server, "seq")
    for uri, told in {
        "skill://workflow/nope/plan": "nope",
        "skill://workflow/careful/plan": "it is a prompt skill",
        "skill://session/nope/context": "nope",
        "skill://session/nope/topic/t": "nope",
        f"skill://session/{session.id}/topic/nope": "nope",
        f"skill://session/{session.id}/topic/a%2Fb": "a/b",
    }.items():
        assert told in server.refused("resources/read", uri=uri)


def test_a_plan_tells_the_steps_and_how_to_go_through_them(server: Any) -> None:
    plan = server.read("skill://workflow/seq/plan")
    assert (plan["workflowId"], plan["strategy"], plan["problems"]) == ("seq", "sequential", [])
    assert plan["steps"][1] == {
        "id": "b",
        "uses": "careful",
        "dependsOn": ["a"],
        "requiresTopics": ["a:b"],
        "publishesTopic": "a_3Ab",
    }
    assert plan["topics"] == {"subscribed": [], "published": ["a:b", "a_3Ab", "c", "notes"]}
    assert plan["controlPlane"]["tools"] == TOOLS
    assert not any(plan["dataPlaneBoundary"].values())


def test_workflows_and_policies_are_resources_and_no_prompts(server: Any) -> None:
    assert server.names("prompts") == ["skills_compose", "careful"]
    listed = {resource["uri"]: resource for resource in server.list("resources")}
    for skill_id in ("seq", "some-policy", "some-context-router"):
        assert listed[f"skill://skill/{skill_id}"]["annotations"]["priority"] == 0.6
    assert listed["skill://workflow/seq/plan"]["annotations"] == {"audience": ["assistant"], "priority": 0.7}
    assert "skill://workflow/some-policy/plan" not in listed
    assert "it is a workflow: workflow_start begins it" in server.refused_prompt("seq")


def test_plans_sessions_and_topics_complete(server: Any) -> None:
    session = Session(server, "seq")

    def complete(template: str, argument: str, value: str, **known: str) -> Any:
        reference = {"type": "ref/resource", "uri": template}
        params = {"ref": reference, "argument": {"name": argument, "value": value}, "context": {"arguments": known}}
        return server.process.request("completion/complete", params)["result"]["completion"]["values"]

    assert complete("skill://workflow/{id}/plan", "id", "e") == ["empty", "flawed", "seq"]
    assert complete("skill://session/{sessionId}/context", "sessionId", session.id[:20])[0] == session.id
    topic = "skill://session/{sessionId}/topic/{topic}"
    assert session.id in complete(topic, "sessionId", "session-")
    assert complete(topic, "topic", "a", sessionId=session.id) == ["a:b", "a_3Ab"]
    assert complete(topic, "topic", "", sessionId="nope") == []


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_session_keeps_the_plan_that_it_was_started_with(project: Any, era: Any) -> None:
    server = fill(project).serve(era)
    server.listen("skill://workflow/seq/plan")
    session = Session(server, "seq")
    project.write(".skills/02-workflows/careful.yaml", "id: careful\ntype: prompt\nprompt: Be quick.\n")
    project.write(".skills/02-workflows/seq.yaml", SEQUENCE.replace("id: a,", "id: new,").replace("[a]", "[new]"))
    server.wait_for_update("skill://workflow/seq/plan")
    assert steps(Session(server, "seq").first) == ["new"]
    report = session.next()
    assert steps(report) == ["a"]
    # What the skills say is what they say now.
    assert report["readyTasks"][0]["promptBundle"]["text"].endswith("Be quick.")
    for name in ("seq", "par", "careful"):
        project.remove(f".skills/02-workflows/{name}.yaml")
    server.wait_for_change("prompts")
    assert "There are:" in refused(server, "workflow_start", workflowId="seq")
    [task] = session.next()["readyTasks"]
    assert '"careful" is not served any more' in task["promptBundle"]["text"]
    for topic in ("a:b", "a_3Ab", "c"):
        session.publish(topic)
    assert session.next()["status"] == "completed"


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_subscribers_hear_of_topics_and_sessions_also_from_another_process(project: Any, era: Any) -> None:
    fill(project)
    one, other = project.serve(era), project.serve(era)
    session = Session(one, "seq")
    record = f"skill://session/{session.id}/context"
    other.listen(session.topic_uri("a:b"), record, "skill://session")
    session.publish("a:b", "news")
    for uri in (session.topic_uri("a:b"), record, "skill://session"):
        other.wait_for_update(uri)
    assert other.read(session.topic_uri("a:b"))["entries"][0]["content"] == "news"


def test_a_plan_is_told_anew_when_a_skill_that_it_uses_goes_away(project: Any) -> None:
    server = fill(project).serve()
    server.listen("skill://workflow/seq/plan")
    assert server.read("skill://workflow/seq/plan")["problems"] == []
    project.remove(".skills/02-workflows/some-tool.yaml")
    server.wait_for_update("skill://workflow/seq/plan")
    [problem] = server.read("skill://workflow/seq/plan")["problems"]
    assert problem["field"] == "workflow.steps[2].uses"
