"""What plugin authors import: complete, documented, and light."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import typing

import agenthost
import pytest
from agenthost import errors, testing

HEAVY = [
    "mcp",
    "mcp_types",
    "pydantic",
    "pydantic_core",
    "click",
    "starlette",
    "uvicorn",
    "jsonschema",
    "sqlite3",
    "pytest",
]
"""What costs time or memory, or is for a part of the users only."""


def imported_by(source: str) -> set[str]:
    """The modules that a fresh process has imported after this."""
    code = f"import sys\n{source}\nprint(*sys.modules, file=sys.stdout)"
    # Coverage follows child processes and imports a lot there.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, env=environment
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "source",
    [
        "import agenthost",
        "from agenthost import Tool, tool\n@tool\ndef f(a: int) -> int:\n    'F.'\n    return a",
        "import agenthost.hookspecs",
    ],
)
def test_what_a_plugin_imports_is_light(source: str) -> None:
    assert imported_by(source).isdisjoint(HEAVY)


def test_finding_plugins_needs_neither_the_sdk_nor_the_command_line() -> None:
    loaded = imported_by("from agenthost.plugins import find_plugins\nfind_plugins()")
    assert loaded.isdisjoint({"mcp", "mcp_types", "click", "starlette", "uvicorn"})


def test_the_test_kit_that_pytest_loads_everywhere_is_light() -> None:
    assert imported_by("import agenthost.testing").isdisjoint(set(HEAVY) - {"pytest"})


def test_everything_that_is_named_can_be_imported_and_nothing_is_named_twice() -> None:
    assert sorted(set(agenthost.__all__)) == sorted(agenthost.__all__)
    for name in agenthost.__all__:
        assert hasattr(agenthost, name), name


def test_everything_public_is_named() -> None:
    public = {
        name
        for name, value in vars(agenthost).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("agenthost")
    }
    assert public <= set(agenthost.__all__)


def test_what_does_not_exist_is_told_as_python_tells_it() -> None:
    with pytest.raises(AttributeError, match=r"agenthost.*NoSuchThing"):
        agenthost.NoSuchThing  # type: ignore[attr-defined]  # noqa: B018


def documented(value: object) -> bool:
    return bool(inspect.getdoc(value)) and inspect.getdoc(value) != inspect.getdoc(type(value))


@pytest.mark.parametrize("name", sorted(agenthost.__all__))
def test_every_public_name_is_documented(name: str) -> None:
    value = getattr(agenthost, name)
    if name == "hookimpl":
        assert callable(value)  # pluggy's marker; hookspecs.py documents it for type checkers
        return
    if typing.get_origin(value) is not None or not (inspect.isclass(value) or inspect.isfunction(value)):
        # A type alias, with a text below it.
        sources = [inspect.getsource(sys.modules[f"agenthost.{module}"]) for module in ("content", "scenes")]
        [source] = [source for source in sources if f"\n{name} = " in source]
        assert source.split(f"\n{name} = ")[1].split("\n")[1].startswith('"""')
        return
    text = inspect.getdoc(value) or ""
    assert len(text.split("\n")[0]) > 10
    assert not text.startswith(f"{name}(")  # what a dataclass gets by itself


@pytest.mark.parametrize("name", sorted(agenthost.__all__))
def test_every_public_method_is_documented(name: str) -> None:
    value = getattr(agenthost, name)
    if not inspect.isclass(value):
        return
    for method, function in vars(value).items():
        if not method.startswith("_") and (inspect.isfunction(function) or isinstance(function, property)):
            assert inspect.getdoc(getattr(value, method)), f"{name}.{method}"


def test_every_error_says_who_reads_it() -> None:
    classes = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, Exception)]
    assert len(classes) > 5
    for each in classes:
        assert issubclass(each, agenthost.AgenthostError)
        assert each.__doc__


def test_every_fixture_for_plugin_authors_is_documented() -> None:
    fixtures = [value for name, value in vars(testing).items() if name.startswith("agenthost_")]
    assert len(fixtures) >= 2
    for fixture in fixtures:
        assert documented(fixture)


def test_the_version_is_the_distributions() -> None:
    from importlib.metadata import version

    assert agenthost.__version__ == version("agenthost-core")
