"""The official conformance suite against the real command, with plugins that know nothing but the public contract.

The session `conformance` of nox installs the two test-only distributions, skillcentral, which serves the extension for
skills from the folder `skills` beside this file, and Node, and says so in the environment.
What the suite has to report is data: `expected.toml`, beside this file.
"""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from agenthost.testing import ServerProcess, clean_environment

HERE = Path(__file__).parent
EXPECTED = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))
RUNS: dict[str, dict[str, Any]] = EXPECTED["runs"]
NOT_APPLICABLE: dict[str, str] = EXPECTED["not_applicable"]

FOLDERS = [HERE.parent / "plugins" / name for name in ("conformance_tools", "conformance_texts")]
FIXTURES = "conformance-tools,conformance-texts"
SKILLS = f'--set=skillcentral.extra_layers=[{{id = "conformance", path = "{HERE}/skills", priority = 1}}]'
RESULT = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
"""The name of the folder in which a suite leaves the checks of one scenario."""

pytestmark = pytest.mark.skipif(
    os.environ.get("AGENTHOST_CONFORMANCE") != "1", reason="runs in a session of its own: nox -s conformance"
)


@dataclass(frozen=True)
class Report:
    """What a suite reported: its exit code, and the checks of every scenario that it ran."""

    exit_code: int
    checks: dict[str, list[dict[str, Any]]]

    def having(self, status: str) -> dict[str, int]:
        """How many checks of each scenario have this status."""
        return {name: sum(check["status"] == status for check in checks) for name, checks in self.checks.items()}


def suite(package: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program of one of the suites to its end."""
    program = Path(os.environ["AGENTHOST_NODE_MODULES"], package, "dist", "index.js")
    command = [os.environ["AGENTHOST_NODE"], str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=False, stdin=subprocess.DEVNULL)


@contextmanager
def served(folder: Path, plugins: str, *options: str) -> Iterator[str]:
    """The address of a real server that serves these plugins; it has to end in order."""
    agenthost = str(Path(sys.executable).with_name("agenthost"))
    server = ServerProcess(
        [agenthost, "serve", "--http", "0", "--plugins", plugins, *options],
        env=clean_environment(folder),
        cwd=folder,
    )
    try:
        said = server.wait_for_stderr("/mcp")
        port = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", said)
        assert port, said
        yield f"http://localhost:{port[1]}/mcp"
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 128 + signal.SIGTERM
        assert "Traceback" not in server.stderr
    finally:
        server.stop()


@pytest.fixture(scope="module")
def examine(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Report]:
    """`examine(run, url)`: what the suite of that run says about the server there."""

    def examine(run: str, url: str) -> Report:
        folder = tmp_path_factory.mktemp("results")
        options = ("--url", url, *RUNS[run]["options"], "--output-dir", str(folder))
        chosen = [("--scenario", name) for name in RUNS[run].get("scenarios", ())] or [("--suite", "all")]
        exit_codes = [suite(RUNS[run]["package"], "server", *options, *choice).returncode for choice in chosen]
        checks = {}
        for result in folder.iterdir():
            name = RESULT.fullmatch(result.name)
            assert name, result.name
            checks[name[1]] = json.loads((result / "checks.json").read_text(encoding="utf-8"))
        return Report(max(exit_codes), checks)

    return examine


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with all plugins."""
    with served(tmp_path_factory.mktemp("served"), f"{FIXTURES},skillcentral", SKILLS) as url:
        yield url


@pytest.fixture(scope="module")
def bare_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same command without them."""
    with served(tmp_path_factory.mktemp("bare"), "") as url:
        yield url


@pytest.fixture(scope="module", params=RUNS)
def run(request: pytest.FixtureRequest) -> str:
    """The name of a run."""
    return request.param


@pytest.fixture(scope="module")
def report(run: str, url: str, examine: Callable[[str, str], Report]) -> Report:
    """The report of that run about the server with all plugins."""
    return examine(run, url)


def test_no_check_fails(report: Report) -> None:
    failed = [check for checks in report.checks.values() for check in checks if check["status"] == "FAILURE"]
    assert failed == []
    assert report.exit_code == 0


def test_exactly_the_expected_scenarios_run_and_exactly_the_expected_checks_pass(run: str, report: Report) -> None:
    assert report.having("SUCCESS") == RUNS[run]["passed"]
    assert sum(report.having("SUCCESS").values()) == RUNS[run]["total"]


def test_every_check_that_does_not_plainly_pass_is_known(run: str, report: Report) -> None:
    remarks = {
        name: sorted(f"{check['status']} {check['id']}" for check in checks if check["status"] != "SUCCESS")
        for name, checks in report.checks.items()
    }
    assert {name: found for name, found in remarks.items() if found} == RUNS[run]["remarks"]


def test_the_answers_are_those_of_the_plugins(run: str, report: Report) -> None:
    """Some scenarios pass whatever the server answers; their reports hold the answer."""
    evidence = {name: text for name, text in EXPECTED["evidence"].items() if name in RUNS[run]["passed"]}
    reported = {name: json.dumps(report.checks[name]) for name in evidence}
    assert {name: text for name, text in evidence.items() if text not in reported[name]} == {}


def test_without_the_plugins_the_same_command_passes_nothing_of_theirs(
    run: str, bare_url: str, examine: Callable[[str, str], Report]
) -> None:
    report = examine(run, bare_url)
    control: dict[str, int] = RUNS[run]["control"]
    assert report.exit_code == ("FAILURE" in control)
    assert report.checks.keys() == RUNS[run]["passed"].keys()
    assert {status: sum(report.having(status).values()) for status in control} == control


def server_scenarios(*options: str) -> set[str]:
    """The scenarios for servers that the newest suite lists with these options."""
    listed = suite(RUNS["2026-07-28"]["package"], "list", "--server", *options).stdout
    return set(re.findall(r"^  - (\S+)", listed.partition("Client scenarios")[0], re.MULTILINE))


def test_every_scenario_of_the_newest_suite_runs_or_is_known_not_to_apply() -> None:
    run = {name for each in ("2025-11-25", "2026-07-28", "skills") for name in RUNS[each]["passed"]}
    assert server_scenarios() == run | NOT_APPLICABLE.keys()
    assert run.isdisjoint(NOT_APPLICABLE)


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_what_a_revision_requires_passes_without_a_warning(revision: str) -> None:
    required = server_scenarios("--requirements", revision)
    assert required
    assert required <= {name for name, passed in RUNS[revision]["passed"].items() if passed}
    warned = {name for name, remarks in RUNS[revision]["remarks"].items() if any("WARNING" in text for text in remarks)}
    assert required.isdisjoint(warned)


def test_the_fixtures_use_the_public_contract_alone() -> None:
    sources = [source for folder in FOLDERS for source in folder.rglob("*.py")]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))]
    imported = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    foreign = {name for name in imported if name.partition(".")[0] not in sys.stdlib_module_names}
    assert foreign == {"agenthost", "agenthost_test_conformance_tools", "pydantic"}


def test_the_fixtures_come_from_two_distributions_beside_skillcentral() -> None:
    found = {entry.name: entry.dist.name for entry in entry_points(group="agenthost") if entry.dist}
    fixtures = {name: f"agenthost-test-{name}" for name in FIXTURES.split(",")}
    assert found == fixtures | {"skillcentral": "agenthost-skillcentral"}
