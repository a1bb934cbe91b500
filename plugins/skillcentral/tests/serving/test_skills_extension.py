"""The skills extension of the protocol, through the real command: skills as folders of files."""

from __future__ import annotations

import base64
import hashlib
import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agenthost_skillcentral.extension.methods import PAGE_FILES, PAGE_SKILLS
from agenthost_skillcentral.skill_folders import MAX_BYTES, MAX_FILES

LAYERS = """\
layers:
  - {id: low, path: low, priority: 1}
  - {id: high, path: high, priority: 2}
"""
PICTURE = b"\x89PNG\r\n\x1a\n\xff\xfe"
METHOD_NOT_FOUND, INVALID_PARAMS = -32601, -32602


def agent_skill(name: str, body: str = "Do it.", more: str = "") -> str:
    return f"---\nname: {name}\ndescription: What {name} does.\n{more}---\n{body}\n"


def ask(server: Any, method: str, **params: Any) -> dict[str, Any]:
    """The members of a result that are the method's own."""
    response = server.process.request(method, params)
    assert "result" in response, response
    result = response["result"]
    assert (result.pop("resultType"), result.pop("ttlMs"), result.pop("cacheScope")) == ("complete", 0, "private")
    return {name: value for name, value in result.items() if name != "_meta"}


def skills(server: Any) -> dict[str, dict[str, Any]]:
    """All skills by address, from all pages."""
    found: dict[str, dict[str, Any]] = {}
    params: dict[str, Any] = {}
    while True:
        result = ask(server, "skills/list", **params)
        assert found.keys().isdisjoint(skill["uri"] for skill in result["skills"])
        found |= {skill["uri"]: skill for skill in result["skills"]}
        if "nextCursor" not in result:
            return found
        params = {"cursor": result["nextCursor"]}


def data_of(server: Any, uri: str) -> bytes:
    """The bytes of a resource."""
    response = server.process.request("resources/read", {"uri": uri})
    assert "result" in response, response
    [part] = response["result"]["contents"]
    assert part["uri"] == uri
    return part["text"].encode() if "text" in part else base64.b64decode(part["blob"])  # type: ignore[no-any-return]


def manifest(server: Any, uri: str) -> dict[str, tuple[str, int]]:
    entry = ask(server, "skills/get", uri=uri)["skill"]
    assert entry["uri"] == uri
    return {one["uri"]: (one["digest"], one["size"]) for one in entry["resources"]}


def digest(data: bytes) -> tuple[str, int]:
    return f"sha256:{hashlib.sha256(data).hexdigest()}", len(data)


def until(patience: float, fulfilled: Callable[[], bool]) -> None:
    deadline = time.monotonic() + patience
    while not fulfilled():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(scope="module")
def filled(shared_project: Any) -> Any:
    project = shared_project
    project.write("skill-central.yaml", LAYERS)
    project.write("low/review/SKILL.md", agent_skill("review", "Low.", "metadata: {since: 010, ok: yes}\n"))
    project.write("low/review/references/größe & co.md", "Größe?\r\n")
    project.write("low/review/references/100%.txt", "\ufeffmark\n")
    project.write("low/review/assets/deep/er/picture.png", PICTURE)
    project.write("low/review/scripts/__init__.py", "")
    project.write("low/review/scripts/run.sh", "#!/bin/sh\n")
    project.write("low/review/.env", "SECRET")
    project.write("low/review/.git/config", "SECRET")
    project.write("low/review/node_modules/x/index.js", "SECRET")
    project.write("low/review/scripts/__pycache__/run.pyc", b"SECRET")
    (project.root / "low/review/empty").mkdir()
    project.write("low/review/inner/SKILL.md", agent_skill("inner"))
    project.write("low/review/inner/note.md", "Inner note.\n")
    project.write("low/group/other/SKILL.md", "\ufeff" + agent_skill("other").replace("\n", "\r\n"))
    project.write("high/review/SKILL.md", agent_skill("review", "High."))
    project.write("high/broken/SKILL.md", "---\nname: broken\n")
    project.write("high/broken/secret.md", "SECRET")
    project.write(
        "high/sub/tidy.yaml",
        """\
        id: tidy
        type: prompt
        description: "Tidy \\"up\\": ü."
        tags: [house, rules]
        arguments:
          - {name: what, description: What to tidy., required: true}
        prompt: Tidy {{what}}.
        """,
    )
    project.write("high/odd.yaml", "id: größe\ntype: prompt\nprompt: O\n")
    project.write("high/tool.yaml", "id: a-tool\ntype: tool\nprompt: T\n")
    (project.home / "secret.md").write_text("SECRET", encoding="utf-8")
    (project.root / "low/review/link.md").symlink_to(project.home / "secret.md")
    (project.root / "low/review/home").symlink_to(project.home)
    os.mkfifo(project.root / "low/review/pipe")
    return project


@pytest.fixture(scope="module")
def server(filled: Any) -> Iterator[Any]:
    return filled.serve("modern")


REVIEW = "skill://low/review/SKILL.md"
FILES = {
    "SKILL.md": None,
    "assets/deep/er/picture.png": PICTURE,
    "inner/SKILL.md": None,
    "inner/note.md": b"Inner note.\n",
    "references/100%25.txt": b"\xef\xbb\xbfmark\n",
    "references/gr%C3%B6%C3%9Fe%20%26%20co.md": "Größe?\r\n".encode(),
    "scripts/__init__.py": b"",
    "scripts/run.sh": b"#!/bin/sh\n",
}


def test_the_extension_is_declared_beside_the_resources(server: Any) -> None:
    capabilities = server.process.request("server/discover")["result"]["capabilities"]
    assert capabilities["extensions"] == {"io.modelcontextprotocol/skills": {"directoryRead": True}}
    assert "resources" in capabilities


def test_two_skills_of_one_name_are_both_served_each_at_its_own_path(server: Any) -> None:
    assert list(skills(server)) == [
        "skill://high/review/SKILL.md",
        "skill://high/sub/tidy/SKILL.md",
        "skill://low/group/other/SKILL.md",
        "skill://low/review/SKILL.md",
        "skill://low/review/inner/SKILL.md",
    ]
    assert b"High." in data_of(server, "skill://high/review/SKILL.md")
    assert b"Low." in data_of(server, REVIEW)
    assert server.text("review").strip() == "High."  # as a prompt, the higher layer's


def test_a_skill_lists_every_file_once_with_the_digest_and_size_of_its_raw_bytes(server: Any) -> None:
    listed = skills(server)[REVIEW]["resources"]
    assert [one["uri"] for one in listed] == [f"skill://low/review/{file}" for file in sorted(FILES)]
    for one in listed:
        data = data_of(server, one["uri"])
        expected = FILES[one["uri"].removeprefix("skill://low/review/")]
        assert data == (expected if expected is not None else data)
        assert (one["digest"], one["size"]) == digest(data)
    assert "SECRET" not in str(listed)


def test_a_single_skill_is_given_as_it_is_listed(server: Any) -> None:
    for uri, skill in skills(server).items():
        assert ask(server, "skills/get", uri=uri) == {"skill": skill}


def test_the_front_matter_is_given_verbatim_as_json(server: Any) -> None:
    assert skills(server)[REVIEW]["frontmatter"] == {
        "name": "review",
        "description": "What review does.",
        "metadata": {"since": 10, "ok": "yes"},
    }


def test_a_mark_and_line_ends_are_served_as_they_are_on_the_disk(server: Any, filled: Any) -> None:
    data = data_of(server, "skill://low/group/other/SKILL.md")
    assert data == (filled.root / "low/group/other/SKILL.md").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---\r\n")


def test_a_skill_in_yaml_is_the_same_file_in_every_process(server: Any, filled: Any) -> None:
    uri = "skill://high/sub/tidy/SKILL.md"
    skill = skills(server)[uri]
    assert skill["frontmatter"] == {
        "name": "tidy",
        "description": 'Tidy "up": ü.',
        "metadata": {"tags": "house, rules"},
    }
    text = data_of(server, uri)
    assert text.decode().split("\n")[:5] == [
        "---",
        'name: "tidy"',
        'description: "Tidy \\"up\\": ü."',
        'metadata: {"tags": "house, rules"}',
        "---",
    ]
    assert "Tidy {{what}}." in text.decode()
    assert "- `{{what}}` (required): What to tidy." in text.decode()
    [one] = skill["resources"]
    assert (one["uri"], one["digest"], one["size"]) == (uri, *digest(text))
    assert manifest(filled.serve("modern"), uri) == {uri: digest(text)}


def children(server: Any, uri: str) -> dict[str, str | None]:
    found = ask(server, "resources/directory/read", uri=uri)["resources"]
    return {child["uri"].removeprefix(f"{uri}/"): child.get("mimeType") for child in found}


def test_a_folder_lists_its_direct_children(server: Any) -> None:
    assert children(server, "skill://low/review") == {
        "SKILL.md": "text/markdown",
        "assets": "inode/directory",
        "empty": "inode/directory",
        "inner": "inode/directory",
        "references": "inode/directory",
        "scripts": "inode/directory",
    }
    assert children(server, "skill://low/review/assets/deep/er") == {"picture.png": "image/png"}
    assert children(server, "skill://low/review/inner") == {"SKILL.md": "text/markdown", "note.md": "text/markdown"}
    assert children(server, "skill://low/review/empty") == {}
    assert children(server, "skill://high/sub/tidy") == {"SKILL.md": "text/markdown"}


def test_a_child_that_is_a_skill_file_has_the_skills_name_and_description(server: Any) -> None:
    found = ask(server, "resources/directory/read", uri="skill://low/review/inner")["resources"]
    assert found == [
        {
            "uri": "skill://low/review/inner/SKILL.md",
            "name": "inner",
            "description": "What inner does.",
            "mimeType": "text/markdown",
        },
        {"uri": "skill://low/review/inner/note.md", "name": "note.md", "mimeType": "text/markdown", "size": 12},
    ]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("skills/get", {}),
        ("skills/get", {"uri": 7}),
        ("skills/get", {"uri": "skill://low/review"}),
        ("skills/get", {"uri": "skill://low/review/references/100%25.txt"}),
        ("skills/get", {"uri": "skill://low/./review/SKILL.md"}),
        ("skills/get", {"uri": "skill://high/broken/SKILL.md"}),
        ("skills/get", {"uri": "skill://high/gr%C3%B6%C3%9Fe/SKILL.md"}),
        ("skills/get", {"uri": "skill://high/a-tool/SKILL.md"}),
        ("skills/list", {"cursor": 7}),
        ("skills/list", {"cursor": "7"}),
        ("resources/directory/read", {}),
        ("resources/directory/read", {"uri": "skill://low"}),
        ("resources/directory/read", {"uri": "skill://low/group"}),
        ("resources/directory/read", {"uri": "skill://low/review/"}),
        ("resources/directory/read", {"uri": "skill://low/review/.git"}),
        ("resources/directory/read", {"uri": "skill://low/review/home"}),
        ("resources/directory/read", {"uri": "skill://low/review/../review"}),
        ("resources/directory/read", {"uri": "skill://low/review/SKILL.md"}),
        ("resources/directory/read", {"uri": "skill://low/review", "cursor": []}),
        ("resources/read", {"uri": "skill://low/review"}),
        ("resources/read", {"uri": "skill://low/review/nosuch.md"}),
        ("resources/read", {"uri": "skill://low/review/link.md"}),
        ("resources/read", {"uri": "skill://low/review/home/secret.md"}),
        ("resources/read", {"uri": "skill://low/review/pipe"}),
        ("resources/read", {"uri": "skill://low/review/.env"}),
        ("resources/read", {"uri": "skill://high/broken/secret.md"}),
        ("resources/read", {"uri": "skill://high/sub/tidy.yaml"}),
    ],
)
def test_what_is_not_there_or_no_address_is_an_error_of_the_request(
    server: Any, method: str, params: dict[str, Any]
) -> None:
    error = server.process.request(method, params)["error"]
    assert error["code"] == INVALID_PARAMS
    assert "SECRET" not in str(error)


def test_no_address_reads_a_file_that_belongs_to_no_skill(server: Any, filled: Any) -> None:
    """Fuzzed: dots, slashes, NULs, links and encodings of them, in any order."""
    pieces = "low high review inner references home link.md .env SKILL.md .. . %2e%2e / / / %2F %5c \\ %00 //".split()
    pieces += ["secret.md", str(filled.home), "%252e%252e", "\u2024\u2024", "~"]
    chosen = random.Random(8)  # noqa: S311  (a fuzzer, the same every time)
    for _ in range(300):
        uri = "skill://low/review/" + "".join(chosen.choice(pieces) for _ in range(chosen.randint(1, 9)))
        for method in ("resources/read", "resources/directory/read", "skills/get"):
            answer = server.process.request(method, {"uri": uri})
            assert "SECRET" not in str(answer)
            assert "error" not in answer or answer["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_to_every_client_the_files_are_ordinary_resources(filled: Any, era: Any) -> None:
    server = filled.serve(era)
    listed = {one["uri"]: one for one in server.list("resources")}
    assert {uri for uri in listed if uri.endswith("/SKILL.md")} == {
        "skill://high/review/SKILL.md",
        "skill://low/group/other/SKILL.md",
        "skill://low/review/SKILL.md",
        "skill://low/review/inner/SKILL.md",
    }
    one = listed[REVIEW]
    assert (one["name"], one["description"], one["mimeType"]) == ("review", "What review does.", "text/markdown")
    templates = server.process.request("resources/templates/list")["result"]["resourceTemplates"]
    assert "skill://{place}/{+path}" in [template["uriTemplate"] for template in templates]
    for file, data in FILES.items():
        assert data_of(server, f"skill://low/review/{file}") == (data or data_of(server, f"skill://low/review/{file}"))
    [part] = server.process.request("resources/read", {"uri": REVIEW})["result"]["contents"]
    assert part["mimeType"] == "text/markdown"
    answer = server.process.request("skills/list")
    assert ("error" in answer) == (era == "legacy")
    if era == "legacy":
        assert answer["error"]["code"] == METHOD_NOT_FOUND


def test_places_and_paths_of_files_complete(server: Any) -> None:
    def complete(name: str, value: str, **arguments: str) -> list[str]:
        params = {
            "ref": {"type": "ref/resource", "uri": "skill://{place}/{+path}"},
            "argument": {"name": name, "value": value},
            "context": {"arguments": arguments},
        }
        return server.process.request("completion/complete", params)["result"]["completion"]["values"]  # type: ignore[no-any-return]

    assert complete("place", "") == ["high", "low"]
    assert complete("path", "review/scr", place="low") == ["review/scripts/__init__.py", "review/scripts/run.sh"]
    assert complete("path", "review/scr", place="high") == []


def test_pages_are_bounded_and_no_skill_is_split(project: Any) -> None:
    project.write("skill-central.yaml", LAYERS)
    for number in range(PAGE_SKILLS + 5):
        project.write(f"low/s{number:03}/SKILL.md", agent_skill(f"s{number:03}"))
    files = PAGE_FILES // 3
    for name in ("x-a", "x-b", "x-c", "x-d"):
        project.write(f"low/{name}/SKILL.md", agent_skill(name))
        for number in range(files):
            project.write(f"low/{name}/{number}.txt", "")
    server = project.serve("modern")
    pages = []
    params: dict[str, Any] = {}
    while True:
        result = ask(server, "skills/list", **params)
        pages.append(result["skills"])
        if "nextCursor" not in result:
            break
        params = {"cursor": result["nextCursor"]}
    assert [len(page) for page in pages] == [PAGE_SKILLS, 7, 2]
    assert [len(skill["resources"]) for skill in pages[1]] == [1] * 5 + [files + 1] * 2
    assert len({skill["uri"] for page in pages for skill in page}) == PAGE_SKILLS + 9


def test_a_folder_with_many_children_has_pages(project: Any) -> None:
    project.write(".skills/01-global/many/SKILL.md", agent_skill("many"))
    for number in range(MAX_FILES - 1):
        project.write(f".skills/01-global/many/{number}.txt", "")
    server = project.serve("modern")
    uri = "skill://01-global/many"
    first = ask(server, "resources/directory/read", uri=uri)
    second = ask(server, "resources/directory/read", uri=uri, cursor=first["nextCursor"])
    assert "nextCursor" not in second
    assert len({child["uri"] for child in first["resources"] + second["resources"]}) == MAX_FILES


@pytest.mark.parametrize(("files", "size"), [(MAX_FILES, 1), (1, MAX_BYTES)], ids=["files", "bytes"])
def test_a_skill_over_the_limits_is_not_served_as_files_and_everybody_learns_why(
    project: Any, patience: float, files: int, size: int
) -> None:
    project.write(".skills/01-global/big/SKILL.md", agent_skill("big"))
    project.write(".skills/01-global/small/SKILL.md", agent_skill("small"))
    for number in range(files):
        project.write(f".skills/01-global/big/{number}.bin", b"x" * size)
    server = project.serve("modern")
    assert list(skills(server)) == ["skill://01-global/small/SKILL.md"]
    server.refused("resources/read", uri="skill://01-global/big/SKILL.md")
    server.refused("skills/get", uri="skill://01-global/big/SKILL.md")
    assert server.text("big").strip() == "Do it."
    [fault] = server.read("skill://registry")["faults"]
    assert fault["file"] == ".skills/01-global/big"
    assert "a skill may hold" in fault["reason"]
    server.process.wait_for_stderr("a skill may hold")
    doctor = project.run("doctor")
    assert "a skill may hold" in doctor.stdout
    project.remove(".skills/01-global/big/0.bin")
    until(patience, lambda: "skill://01-global/big/SKILL.md" in skills(server))
    assert server.read("skill://registry")["faults"] == []


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_edits_are_told_and_digests_follow_them(project: Any, patience: float, era: Any) -> None:
    project.write(".skills/01-global/live/SKILL.md", agent_skill("live"))
    note = project.write(".skills/01-global/live/note.md", "one")
    server = project.serve(era)
    uri, note_uri = "skill://01-global/live/SKILL.md", "skill://01-global/live/note.md"
    server.listen(uri, note_uri)
    note.write_bytes(b"two")
    server.wait_for_update(note_uri)
    assert data_of(server, note_uri) == b"two"
    new = agent_skill("live", "Do it now.", "# a comment alone\n")
    project.write(".skills/01-global/live/SKILL.md", new)
    server.wait_for_update(uri)
    assert data_of(server, uri) == new.encode()
    if era == "modern":
        assert manifest(server, uri) == {uri: digest(new.encode()), note_uri: digest(b"two")}
    project.write(".skills/01-global/another/SKILL.md", agent_skill("another"))
    server.wait_for_change("resources")
    assert "skill://01-global/another/SKILL.md" in {one["uri"] for one in server.list("resources")}
    project.remove(".skills/01-global/live")
    server.wait_for_update(uri)
    server.refused("resources/read", uri=uri)
    server.refused("resources/read", uri=note_uri)


def test_digests_are_of_the_bytes_at_the_moment_of_the_answer(project: Any) -> None:
    """Between an edit and the next look nothing may be out of step: the next answer tells the new bytes, 20 times."""
    project.write(".skills/01-global/live/SKILL.md", agent_skill("live"))
    note = project.write(".skills/01-global/live/note.md", "start")
    server = project.serve("modern")
    uri, note_uri = "skill://01-global/live/SKILL.md", "skill://01-global/live/note.md"
    for number in range(20):
        data = f"{number:05}".encode()
        note.write_bytes(data)  # of the same length, and often within one tick of the clock
        assert manifest(server, uri)[note_uri] == digest(data)
        assert data_of(server, note_uri) == data
    note.unlink()
    assert note_uri not in manifest(server, uri)
    server.refused("resources/read", uri=note_uri)


def test_a_skill_file_that_breaks_is_served_as_it_last_was_good(project: Any) -> None:
    good = agent_skill("live")
    project.write(".skills/01-global/live/SKILL.md", good)
    server = project.serve("modern")
    server.listen("skill://registry")
    project.write(".skills/01-global/live/SKILL.md", "---\nname: [\n")
    server.wait_for_update("skill://registry")
    uri = "skill://01-global/live/SKILL.md"
    assert data_of(server, uri) == good.encode()
    assert manifest(server, uri) == {uri: digest(good.encode())}
    assert server.read("skill://registry")["faults"][0]["lastGoodVersionServed"] is True


def test_what_becomes_a_link_after_the_look_is_not_followed(project: Any) -> None:
    """A file and the folder above it, exchanged for links while nobody looks, 20 times each."""
    project.write(".skills/01-global/live/SKILL.md", agent_skill("live"))
    outside = project.home / "outside"
    outside.mkdir()
    (outside / "note.md").write_text("SECRET", encoding="utf-8")
    folder = project.root / ".skills/01-global/live/notes"
    server = project.serve("modern")
    uri, note_uri = "skill://01-global/live/SKILL.md", "skill://01-global/live/notes/note.md"
    for number in range(20):
        project.write(".skills/01-global/live/notes/note.md", "mine")
        server.process.request("skills/get", {"uri": uri})
        if number % 2:
            (folder / "note.md").unlink()
            (folder / "note.md").symlink_to(outside / "note.md")
        else:
            folder.rename(folder.with_name(f"{number}"))
            folder.symlink_to(outside)
        assert "SECRET" not in str(server.process.request("resources/read", {"uri": note_uri}))
        assert manifest(server, uri).get(note_uri, digest(b"mine")) == digest(b"mine")
        if folder.is_symlink():
            folder.unlink()
        else:
            (folder / "note.md").unlink()


def test_a_file_that_cannot_be_read_costs_its_own_skill_and_is_told(project: Any) -> None:
    project.write(".skills/01-global/fine/SKILL.md", agent_skill("fine"))
    project.write(".skills/01-global/shut/SKILL.md", agent_skill("shut"))
    project.write(".skills/01-global/shut/note.md", "shut").chmod(0)
    if os.access(project.root / ".skills/01-global/shut/note.md", os.R_OK):
        pytest.skip("this user may read everything")
    server = project.serve("modern")
    assert list(skills(server)) == ["skill://01-global/fine/SKILL.md"]
    server.process.wait_for_stderr("skill://01-global/shut/SKILL.md is left out of skills/list")
    assert "cannot be read" in server.refused("skills/get", uri="skill://01-global/shut/SKILL.md")


def test_a_layer_that_is_itself_a_skills_folder_is_served_under_its_name(project: Any) -> None:
    project.write("skill-central.yaml", "layers: [{id: one, path: elsewhere/whole, priority: 1}]\n")
    project.write("elsewhere/whole/SKILL.md", agent_skill("whole"))
    project.write("elsewhere/whole/whole/SKILL.md", agent_skill("whole", "Inner."))
    project.write("elsewhere/whole/note.md", "note")
    listed = skills(project.serve("modern"))
    assert {uri: len(skill["resources"]) for uri, skill in listed.items()} == {
        "skill://one/whole/SKILL.md": 3,
        "skill://one/whole/whole/SKILL.md": 1,
    }


def test_layers_with_reserved_or_equal_names_get_another_segment(project: Any) -> None:
    names = ("skill", "registry", "session", "workflow", "bundle", "My Team", "my_team", "日本")
    entries = "".join(f"  - {{id: '{name}', path: l{at}, priority: {at}}}\n" for at, name in enumerate(names))
    project.write("skill-central.yaml", f"layers:\n{entries}")
    for at in range(len(names)):
        project.write(f"l{at}/one/SKILL.md", agent_skill("one", str(at)))
    server = project.serve("modern")
    expected = "skill-2 registry-2 session-2 workflow-2 bundle-2 my-team my-team-2 layer".split()
    assert set(skills(server)) == {f"skill://{place}/one/SKILL.md" for place in expected}
    for at, place in enumerate(expected):
        assert f"\n{at}\n".encode() in data_of(server, f"skill://{place}/one/SKILL.md")
