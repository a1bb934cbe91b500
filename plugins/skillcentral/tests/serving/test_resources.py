"""The registry and the skills as resources, in both eras of the protocol."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

PROMPT = "id: {id}\ntype: prompt\nprompt: {body}\n"


@pytest.fixture(scope="module")
def filled(shared_project: Any) -> Any:
    project = shared_project
    project.write(
        "skill-central.yaml",
        """\
        layers:
          - {id: one, path: one, priority: 1}
          - {id: two, path: two, priority: 2.5}
          - {id: elsewhere, path: ~/mine, priority: 0}
        """,
    )
    project.write("one/plain.yaml", PROMPT.format(id="plain", body="low"))
    project.write("two/plain.yaml", PROMPT.format(id="plain", body="high"))
    project.write("one/odd.yaml", PROMPT.format(id="'größe/ü%2F?#'", body="odd"))
    project.write("one/torn-1.yaml", PROMPT.format(id="torn", body="a"))
    project.write("one/torn-2.yaml", PROMPT.format(id="torn", body="b"))
    project.write("one/broken.yaml", "id: [")
    project.write("one/tool.yaml", "id: a-tool\ntype: tool\nprompt: T\n")
    (project.home / "mine").mkdir()
    (project.home / "mine/home.yaml").write_text(PROMPT.format(id="home", body="h"), encoding="utf-8")
    (project.home / "secret.yaml").write_text(PROMPT.format(id="secret", body="SECRET"), encoding="utf-8")
    (project.root / "one/link.yaml").symlink_to(project.home / "secret.yaml")
    (project.root / "one/folder").symlink_to(project.home)
    return project


@pytest.fixture(scope="module", params=["modern", "legacy"])
def server(filled: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    return filled.serve(request.param)


def test_s78_the_registry_and_the_skills_are_listed_and_read_as_json(server: Any) -> None:
    listed = {resource["uri"]: resource for resource in server.list("resources")}
    assert next(iter(listed)) == "skill://registry"
    assert {"skill://skill/plain", "skill://skill/a-tool", "skill://skill/home"} <= listed.keys()
    assert f"skill://skill/{quote('größe/ü%2F?#', safe='')}" in listed
    assert listed["skill://skill/plain"]["annotations"] == {"audience": ["assistant"], "priority": 0.9}
    assert "skill://skill/torn" not in listed
    templates = server.process.request("resources/templates/list")["result"]["resourceTemplates"]
    assert [template["uriTemplate"] for template in templates] == [
        "skill://skill/{id}",
        "skill://workflow/{id}/plan",
        "skill://session/{sessionId}/context",
        "skill://session/{sessionId}/topic/{topic}",
        "skill://bundle/{target}/{intent}",
        "skill://{place}/{+path}",
    ]
    for uri in listed:
        assert isinstance(server.read(uri), dict)


def test_s78_an_id_is_percent_encoded_in_its_address(server: Any) -> None:
    skill = server.read(f"skill://skill/{quote('größe/ü%2F?#', safe='')}")
    assert skill["id"] == "größe/ü%2F?#"
    assert skill["prompt"].strip() == "odd"


def test_a_skill_tells_its_text_its_layer_and_its_file_from_the_project(server: Any) -> None:
    skill = server.read("skill://skill/plain")
    assert (skill["prompt"], skill["source"], skill["status"]) == ("high", "two/plain.yaml", "effective")
    assert skill["layer"] == {
        "id": "two",
        "name": "two",
        "path": "two",
        "scope": "workspace",
        "priority": 2.5,
        "writable": True,
        "trust": "local",
        "sync": {"enabled": False},
        "visibility": "private",
    }


def test_s37_s39_the_registry_tells_what_became_of_every_id(server: Any, filled: Any) -> None:
    registry = server.read("skill://registry")
    records = {record["id"]: record for record in registry["records"]}
    assert [one["status"] for one in records["plain"]["candidates"]] == ["effective", "shadowed"]
    assert records["plain"]["candidates"][1]["shadowedBy"]["id"] == "two"
    torn = records["torn"]
    assert torn["status"] == "conflicted"
    assert [one["source"] for one in torn["candidates"]] == ["one/torn-1.yaml", "one/torn-2.yaml"]
    assert torn["candidates"][0]["conflictWith"] == [{"source": "one/torn-2.yaml", "layer": "one"}]
    [broken] = [fault for fault in registry["faults"] if fault["severity"] == "error"]
    assert broken["file"] == "one/broken.yaml"
    assert broken["line"] > 0
    assert records["home"]["candidates"][0]["source"] == "~/mine/home.yaml"


def test_nobody_learns_where_the_home_lies_and_no_link_is_followed(server: Any, filled: Any) -> None:
    [part] = server.process.request("resources/read", {"uri": "skill://registry"})["result"]["contents"]
    assert str(filled.home) not in part["text"]
    assert "SECRET" not in part["text"]
    assert '"secret"' not in part["text"]
    assert "Unknown prompt skill: secret" in server.refused_prompt("secret")


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("skill://skill/nosuch", "Unknown skill: nosuch"),
        ("skill://skill/torn", "Unknown skill: torn (conflicted"),
        ("skill://skill/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "Unknown skill: ../../etc/passwd"),
        ("skill://skill/../plain", ""),
        ("skill://skill/", ""),
        ("skill://nosuch", "skill://nosuch"),
        ("skill:", ""),
        ("http://skill/plain", "http://skill/plain"),
        ("no address", ""),
    ],
)
def test_s79_what_is_not_there_is_an_error_that_names_it(server: Any, uri: str, text: str) -> None:
    assert text in server.refused("resources/read", uri=uri)


def test_no_address_reads_a_file(server: Any, filled: Any) -> None:
    """Fuzzed: dots, slashes, NULs and encodings of them, in any order."""
    pieces = ("..", "%2e%2e", "/", "%2F", "%5c", "\\", "%00", "secret.yaml", str(filled.home), "plain.yaml", "one", "~")
    chosen = random.Random(6)  # noqa: S311  (a fuzzer, the same every time)
    for _ in range(200):
        path = "".join(chosen.choice(pieces) for _ in range(chosen.randint(1, 8)))
        answer = server.process.request("resources/read", {"uri": f"skill://skill/{path}"})
        assert answer["error"]["code"] == -32602
        assert "SECRET" not in answer["error"]["message"]


def test_s77_reading_changes_no_file(server: Any, filled: Any) -> None:
    def files() -> dict[str, tuple[int, int]]:
        return {
            str(path): (path.lstat().st_mtime_ns, path.lstat().st_size)
            for folder in (filled.root, filled.home)
            for path in folder.rglob("*")
        }

    before = files()
    for resource in server.list("resources"):
        server.read(resource["uri"])
    assert files() == before


def test_ids_complete_those_that_begin_with_what_was_typed_first(server: Any) -> None:
    reference = {"type": "ref/resource", "uri": "skill://skill/{id}"}

    def complete(value: str) -> list[str]:
        params = {"ref": reference, "argument": {"name": "id", "value": value}}
        return server.process.request("completion/complete", params)["result"]["completion"]["values"]  # type: ignore[no-any-return]

    assert complete("") == ["a-tool", "größe/ü%2F?#", "home", "plain"]
    assert complete("L") == ["a-tool", "plain"]
    assert complete("ho") == ["home"]
