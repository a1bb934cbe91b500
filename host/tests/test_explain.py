"""`agenthost explain`: whose a name is, why it is served as it is, what it costs, and who would not take it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Installed = Callable[..., dict[str, str]]
Run = Callable[..., subprocess.CompletedProcess[str]]
Told = Callable[..., list[dict[str, Any]]]

SHELF = '''
    from agenthost import Prompt, Tool, hookimpl, prompt, resource, tool

    @tool
    def shelf_find(words: str) -> str:
        """Find books by words."""
        return words

    @tool
    def count() -> str:
        """Count."""
        return "two"

    def echo(arguments, ctx):
        return "x"

    @prompt
    def sum_up(topic: str) -> str:
        """Sum a topic up."""
        return topic

    @resource("shelf://{book}/pages/{page}", description="One page of one book.")
    def page(book: str, page: str) -> str:
        return page

    @resource("shelf://today", description="What is read today.")
    def today() -> str:
        return "x"

    SCHEMA = {"type": "object", "anyOf": [{"required": ["n"]}], "properties": {"n": {"type": "integer"}}}

    @hookimpl
    def agenthost_tools(plugin):
        return [
            shelf_find, count,
            Tool("dotted.name", echo, description="Dotted.", input_schema=SCHEMA, aliases=("say",)),
            Tool("bad name", echo, input_schema={"type": "object"}),
        ]

    @hookimpl
    def agenthost_prompts():
        return [sum_up]

    @hookimpl
    def agenthost_resources():
        return [page, today]
'''

OTHER = '''
    from agenthost import hookimpl, prompt, tool

    @tool
    def count() -> str:
        """Count in another way."""
        return "many"

    @prompt
    def shelf_find() -> str:
        """A prompt with the name of a tool."""
        return "x"

    @hookimpl
    def agenthost_tools():
        return [count]

    @hookimpl
    def agenthost_prompts():
        return [shelf_find]
'''


@pytest.fixture
def explain(run: Run) -> Run:
    """`explain(*arguments, env=..., code=0)`: what `agenthost explain` prints, and that it ends with that code."""

    def explain(*arguments: str, env: Mapping[str, str], code: int = 0) -> subprocess.CompletedProcess[str]:
        done = run("explain", *arguments, env={**env, "COLUMNS": "100"})
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return explain


@pytest.fixture
def told(explain: Run) -> Told:
    """`told(*arguments, env=..., code=0)`: the same as data."""
    return lambda *arguments, env, code=0: json.loads(explain(*arguments, "--json", env=env, code=code).stdout)


@pytest.fixture
def shelf(installed: Installed) -> dict[str, str]:
    return installed(shelf=SHELF, other=OTHER, broken="raise RuntimeError('broken on purpose')")


BOTH = ["--plugins", "shelf,other"]


def test_a_tool_is_told_with_its_owner_its_schema_its_size_and_the_setting_that_hides_it(
    explain: Run, told: Told, shelf: dict[str, str]
) -> None:
    [tool] = told("count", "--plugins", "shelf", env=shelf)
    assert (tool["kind"], tool["state"], tool["name"], tool["own_name"]) == ("tool", "served", "count", "count")
    assert (tool["plugin"], tool["distribution"], tool["version"]) == ("shelf", "agenthost-made", "1.0")
    assert tool["why"] == ["the name is the one that the plugin gave it"]
    assert tool["setting"] == 'to hide it: [plugins.shelf] tools.deny = ["count"]'
    assert tool["listed"]["inputSchema"]["type"] == "object"
    assert tool["bytes"] == len(json.dumps(tool["listed"], separators=(",", ":")))
    assert tool["clients"] == []
    text = explain("count", "--plugins", "shelf", env=shelf).stdout
    assert text.startswith("tool count\n  of         plugin shelf, agenthost-made 1.0\n  state      served\n")
    assert f"{tool['bytes']} bytes" in text
    assert '"type": "object"' in text
    assert "none of the known ones would refuse or cut it" in text


def test_one_name_may_be_a_tool_and_a_prompt(told: Told, shelf: dict[str, str]) -> None:
    tool, prompt = told("shelf_find", *BOTH, env=shelf)
    assert [(found["kind"], found["plugin"]) for found in (tool, prompt)] == [("tool", "shelf"), ("prompt", "other")]


def test_a_collision_is_told_from_both_sides(told: Told, shelf: dict[str, str]) -> None:
    first, second = told("count", *BOTH, env=shelf)
    assert (first["name"], first["plugin"]) == ("count", "shelf")
    assert (second["name"], second["own_name"], second["plugin"]) == ("other_count", "count", "other")
    assert "is already served by plugin shelf, so this one is served as 'other_count'" in second["why"][0]
    [by_name] = told("other_count", *BOTH, env=shelf)
    assert by_name["own_name"] == "count"


def test_a_prefix_is_named_with_the_setting_it_comes_from(told: Told, shelf: dict[str, str]) -> None:
    [tool] = told("count", "--plugins", "shelf", "--set", "shelf.prefix=my_", env=shelf)
    assert tool["name"] == "my_count"
    assert tool["why"] == ['the name has the prefix of the settings: [plugins.shelf] prefix = "my_"']


def test_an_alias_leads_to_what_it_is_for(told: Told, shelf: dict[str, str]) -> None:
    [tool] = told("say", "--plugins", "shelf", env=shelf)
    assert tool["name"] == "dotted.name"
    assert tool["why"][0] == "say is an alias of it: answered, and never listed"


def test_the_clients_that_would_not_take_it_are_named_with_rule_effect_and_source(
    explain: Run, told: Told, shelf: dict[str, str]
) -> None:
    [tool] = told("dotted.name", "--plugins", "shelf", env=shelf)
    rules = {(remark["client"], remark["rule"]): remark for remark in tool["clients"]}
    assert rules["claude-desktop", "N01"]["level"] == "error"
    assert rules["claude-desktop", "N01"]["source"]
    assert ("claude-code", "S02") in rules
    text = " ".join(explain("dotted.name", "--plugins", "shelf", env=shelf).stdout.split())
    assert "client Claude Desktop:" in text
    assert "[N01:" in text


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ('shelf.tools={deny=["co*"]}', '[plugins.shelf] tools.deny has "co*"'),
        ('shelf.tools={allow=["shelf_*"]}', "[plugins.shelf] tools.allow has only shelf_*"),
    ],
)
def test_what_the_settings_hide_is_told_with_the_pattern_and_exit_code_1(
    explain: Run, told: Told, shelf: dict[str, str], setting: str, why: str
) -> None:
    [tool] = told("count", "--plugins", "shelf", "--set", setting, env=shelf, code=1)
    assert (tool["state"], tool["name"], tool["listed"], tool["bytes"]) == ("hidden", None, None, None)
    assert tool["why"] == [f"the settings keep it off: {why}"]
    assert tool["setting"].startswith("to show it: change [plugins.shelf] tools.")
    assert "not served: hidden" in explain("count", "--plugins", "shelf", "--set", setting, env=shelf, code=1).stdout


def test_what_is_quarantined_is_told_with_the_reason(told: Told, shelf: dict[str, str]) -> None:
    [tool] = told("bad name", "--plugins", "shelf", env=shelf, code=1)
    assert (tool["state"], tool["listed"]) == ("quarantined", None)
    assert "tool 'bad name': name:" in tool["why"][0]


def test_addresses_and_templates_are_told_and_an_address_leads_to_its_template(
    told: Told, shelf: dict[str, str]
) -> None:
    only = ["--plugins", "shelf"]
    assert told("shelf://today", *only, env=shelf)[0]["kind"] == "resource"
    [template] = told("shelf://{book}/pages/{page}", *only, env=shelf)
    assert (template["kind"], template["variables"]) == ("template", {})
    [found] = told("shelf://b%201/pages/2", *only, env=shelf)
    assert (found["name"], found["variables"]) == ("shelf://{book}/pages/{page}", {"book": "b 1", "page": "2"})


def test_an_unknown_name_is_refused_with_the_nearest_and_with_what_was_not_looked_at(
    explain: Run, shelf: dict[str, str]
) -> None:
    done = explain("shelf_fnd", "--plugins", "shelf", env=shelf, code=2)
    assert "nothing is called 'shelf_fnd' (did you mean 'shelf_find'?)" in done.stderr
    [unwanted] = [line for line in done.stderr.splitlines() if "because they are not wanted: " in line]
    assert {"broken", "other"} <= set(unwanted.rpartition(": ")[2].split(", "))
    assert done.stdout == ""
    near = explain("shelf://toda", "--plugins", "shelf", env=shelf, code=2).stderr
    assert "did you mean 'shelf://today'" in near
    assert "shelf is a plugin" in explain("shelf", "--plugins", "shelf", env=shelf, code=2).stderr
    assert "not looked at: broken: importing made_broken" in explain("nosuch", env=shelf, code=2).stderr


def test_nothing_is_started_opened_or_made(explain: Run, shelf: dict[str, str], tmp_path: Path) -> None:
    explain("count", *BOTH, env=shelf)
    assert not (tmp_path / "state").exists()
    assert list((tmp_path / "home").rglob("*")) == []
