"""What the tests with a real server share: a project with skill files, and servers for it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from agenthost.testing import PATIENCE, Era, ServerProcess, clean_environment

CHANGED = {kind: f"notifications/{kind}/list_changed" for kind in ("tools", "prompts", "resources")}
UPDATED = "notifications/resources/updated"
ALONE = '--set=host.plugins=["skillcentral"]'
"""Other plugins, if they are installed, bring skills of their own."""


class Server:
    """A server process, and what its client asks it."""

    def __init__(self, process: ServerProcess, era: Era) -> None:
        self.process = process
        self.opened = process.open(era)

    @property
    def stderr(self) -> str:
        return self.process.stderr

    def list(self, kind: str) -> list[dict[str, Any]]:
        return self.process.request(f"{kind}/list")["result"][kind]  # type: ignore[no-any-return]

    def names(self, kind: str) -> list[str]:
        return [item["name"] for item in self.list(kind)]

    def entry(self, kind: str, name: str) -> dict[str, Any]:
        [found] = [item for item in self.list(kind) if item["name"] == name]
        return found

    def get(self, name: str, **arguments: str) -> dict[str, Any]:
        """The whole result of a prompt that has to be there."""
        response = self.process.request("prompts/get", {"name": name, "arguments": arguments})
        assert "result" in response, response
        return response["result"]  # type: ignore[no-any-return]

    def text(self, name: str, **arguments: str) -> str:
        """The text of the only message of a prompt."""
        [message] = self.get(name, **arguments)["messages"]
        assert message["role"] == "user"
        assert message["content"]["type"] == "text"
        return message["content"]["text"]  # type: ignore[no-any-return]

    def refused(self, method: str, **params: Any) -> str:
        """The text of a JSON-RPC error, which has to be -32602."""
        error = self.process.request(method, params)["error"]
        assert error["code"] == -32602, error
        return error["message"]  # type: ignore[no-any-return]

    def refused_prompt(self, name: str, **arguments: str) -> str:
        return self.refused("prompts/get", name=name, arguments=arguments)

    def call(self, name: str, **arguments: Any) -> tuple[str, bool]:
        """The text of a tool's answer, and whether it is an error."""
        result = self.process.call(name, arguments)["result"]
        [block] = result["content"]
        return block["text"], bool(result.get("isError"))

    def read(self, uri: str) -> Any:
        [part] = self.process.request("resources/read", {"uri": uri})["result"]["contents"]
        assert part["mimeType"] == "application/json"
        assert part["uri"] == uri
        return json.loads(part["text"])

    def listen(self, *uris: str) -> None:
        """Be told of changed lists and resources from now on, as clients of the era do it."""
        self.list("tools")  # which waits until the plugin has started
        if self.process.era == "legacy":
            for uri in uris:
                assert "result" in self.process.request("resources/subscribe", {"uri": uri})
            return
        wanted = {f"{kind}ListChanged": True for kind in CHANGED} | {"resourceSubscriptions": list(uris)}
        self.process.start_request("subscriptions/listen", {"notifications": wanted})
        self.process.wait_for_notification("notifications/subscriptions/acknowledged")

    def wait_for_change(self, kind: str) -> None:
        self.process.wait_for_notification(CHANGED[kind])

    def wait_for_update(self, uri: str) -> None:
        while self.process.wait_for_notification(UPDATED)["params"]["uri"] != uri:
            pass

    def told(self) -> list[str]:
        """The methods of all notices so far; what was sent before this has arrived."""
        self.list("tools")
        methods = [message["method"] for message in self.process.notifications]
        self.process.notifications.clear()
        return methods


class Project:
    """A folder with skill files, a home beside it, and the servers that were started for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.root = folder / "project"
        self.home = folder / "home"
        self.state = folder / "state"
        for made in (self.root, self.home):
            made.mkdir()
        self._started: list[ServerProcess] = []

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file of the project, and the folders that it needs."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dedent(text).encode() if isinstance(text, str) else text)
        return path

    def remove(self, name: str) -> None:
        path = self.root / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    @property
    def environment(self) -> dict[str, str]:
        clean = clean_environment(self._folder)
        return {name: value for name, value in clean.items() if not name.startswith("SKILL_CENTRAL_")}

    def serve(
        self, era: Era = "modern", *options: str, cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> Server:
        """Start a server in the project's folder."""
        arguments = [argument for option in options for argument in ("--set", f"skillcentral.{option}")]
        command = [sys.executable, "-m", "agenthost", "serve", "--strict", "--plugins", "skillcentral", *arguments]
        process = ServerProcess(command, env={**self.environment, **(env or {})}, cwd=cwd or self.root)
        self._started.append(process)
        return Server(process, era)

    def run(
        self, *arguments: str, cwd: Path | None = None, options: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run `agenthost OPTIONS skillcentral ARGUMENTS` to its end."""
        return subprocess.run(
            [sys.executable, "-m", "agenthost", ALONE, *options, "skillcentral", *arguments],
            env={**self.environment, "COLUMNS": "120"},
            cwd=cwd or self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def stop(self) -> None:
        for process in self._started:
            process.stop()
        for process in self._started:
            process.assert_only_json_rpc()


StartProject = Callable[[], Project]


@contextmanager
def _project(folder: Path) -> Iterator[Project]:
    made = Project(folder)
    yield made
    made.stop()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A project for one test."""
    with _project(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project that the tests of a module share."""
    with _project(tmp_path_factory.mktemp("shared")) as made:
        yield made


@pytest.fixture
def patience() -> float:
    """Seconds that something which has to happen may take."""
    return PATIENCE
