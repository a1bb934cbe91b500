"""Many publish at once, in one process and in two; servers are restarted, and killed in the middle of everything."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

TIMES = 20

WORKFLOW = """\
    schemaVersion: skillcentral.dev/v1
    id: flow
    name: Flow
    description: One step
    type: workflow
    workflow: {steps: [{id: a, uses: careful}]}
"""


@pytest.fixture
def filled(project: Any) -> Any:
    project.write(".skills/02-workflows/flow.yaml", WORKFLOW)
    project.write(".skills/02-workflows/careful.yaml", "id: careful\ntype: prompt\nprompt: P\n")
    return project


def structure(server: Any, tool: str, **arguments: Any) -> Any:
    result = server.process.call(f"workflow_{tool}", arguments)["result"]
    assert not result.get("isError"), result
    return result["structuredContent"]


def start(server: Any) -> str:
    return structure(server, "start", workflowId="flow")["sessionId"]  # type: ignore[no-any-return]


def send(server: Any, session: str, contents: Sequence[Any]) -> list[int]:
    """Publish all of it in one write of the client; the ids of the requests."""
    given = [{"sessionId": session, "topic": "a", "content": content} for content in contents]
    calls = [("tools/call", {"name": "workflow_publish", "arguments": arguments}) for arguments in given]
    return server.process.start_requests(*calls)  # type: ignore[no-any-return]


def acknowledged(server: Any, numbers: Sequence[int]) -> dict[str, Any]:
    """The entries that were acknowledged, all of them, by their ids."""
    results = [server.process.answer(number)["result"] for number in numbers]
    assert not [result for result in results if result.get("isError")]
    entries = [result["structuredContent"] for result in results]
    return {entry["entryId"]: entry for entry in entries}


def stored(server: Any, session: str) -> dict[str, Any]:
    entries = server.read(f"skill://session/{session}/topic/a")["entries"]
    return {entry["entryId"]: entry for entry in entries}


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_s73_of_20_publishes_at_once_in_one_process_none_is_lost(filled: Any, era: Any) -> None:
    server = filled.serve(era)
    for _ in range(TIMES):
        session = start(server)
        told = acknowledged(server, send(server, session, range(20)))
        assert len(told) == 20
        assert stored(server, session) == told
        assert [entry["content"] for entry in stored(server, session).values()] == list(range(20))
        assert structure(server, "summarize", sessionId=session)["topics"][0]["entries"] == 20


def test_s73_of_25_publishes_from_each_of_two_processes_none_is_lost(filled: Any) -> None:
    pair = [filled.serve(), filled.serve()]
    mixed = 0
    for _ in range(TIMES):
        session = start(pair[0])
        sent = [send(server, session, [f"{place}.{n}" for n in range(25)]) for place, server in enumerate(pair)]
        told = acknowledged(pair[0], sent[0]) | acknowledged(pair[1], sent[1])
        assert len(told) == 50
        for server in pair:
            assert stored(server, session) == told
        origins = [entry["content"][0] for entry in stored(pair[0], session).values()]
        mixed += sum(one != other for one, other in itertools.pairwise(origins)) > 1
        assert structure(pair[1], "next", sessionId=session)["status"] == "completed"
    assert mixed, "the processes never published at the same time"


def test_of_two_that_go_on_at_once_one_completes_the_session(filled: Any) -> None:
    pair = [filled.serve(), filled.serve()]
    for _ in range(TIMES):
        session = start(pair[0])
        structure(pair[1], "publish", sessionId=session, topic="a", content=1)
        sent = [
            (
                server,
                server.process.start_request(
                    "tools/call", {"name": "workflow_next", "arguments": {"sessionId": session}}
                ),
            )
            for server in pair
        ]
        for server, number in sent:
            assert server.process.answer(number)["result"]["structuredContent"]["status"] == "completed"
        audit = pair[0].read(f"skill://session/{session}/context")["audit"]
        assert [change["to"] for change in audit] == ["created", "running", "completed"]


def test_after_a_restart_every_session_is_as_it_was(filled: Any) -> None:
    first = filled.serve()
    session = start(first)
    structure(first, "publish", sessionId=session, topic="a", content={"k": ["ü", None]}, summary="s")
    uris = ["skill://session", f"skill://session/{session}/context", f"skill://session/{session}/topic/a"]
    before = [first.read(uri) for uri in uris]
    assert first.process.close() == 0
    second = filled.serve("legacy")
    assert [second.read(uri) for uri in uris] == before
    assert structure(second, "next", sessionId=session)["completedStepIds"] == ["a"]


def test_what_was_acknowledged_survives_a_kill(filled: Any) -> None:
    session = start(filled.serve())
    told: dict[str, Any] = {}
    for time in range(3):
        server = filled.serve()
        sent = send(server, session, [f"{time}.{n}" for n in range(50)])
        # Killed while it answers: some are acknowledged, some are on their way.
        told |= acknowledged(server, sent[: 10 * (time + 1)])
        server.process.stop()
    kept = stored(filled.serve(), session)
    assert {entry_id: kept.get(entry_id) for entry_id in told} == told
    contents = [entry["content"] for entry in kept.values()]
    assert len(contents) == len(set(contents))
