"""The route table: who is served under which name, what is off is off everywhere, and no two names are ever equal."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from agenthost import (
    ContributionRefused,
    PluginContext,
    Prompt,
    Resource,
    ResourceTemplate,
    Tool,
    ToolError,
    resource,
)
from agenthost.catalog import Catalog, Table
from agenthost.plugins import Plugin
from agenthost.settings import HostPart
from agenthost.vetting import LEGACY, MODERN
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

WAIT = 20.0
"""Seconds that a test waits for something that has to happen."""

TIMES = 20
"""How often a race is run."""


def tool(name: str, *aliases: str, **members: Any) -> Tool:
    return Tool(name, lambda arguments, ctx: name, input_schema={"type": "object"}, aliases=aliases, **members)


def prompt(name: str, *aliases: str, **members: Any) -> Prompt:
    return Prompt(name, lambda arguments, ctx: name, arguments=(), aliases=aliases, **members)


def fixed(uri: str) -> Resource:
    return Resource(uri, lambda: uri, "name")


MAKERS: dict[str, Callable[..., Any]] = {"tools": tool, "prompts": prompt}


def plugin(name: str, *items: Any, **part: Any) -> Plugin:
    """A loaded plugin that contributes these; the keywords are the host's keys of its settings."""
    context: PluginContext[Any] = PluginContext(name, None, Path("/"), logging.getLogger(name), Path("/nowhere"))
    for kind, registry in (
        (Tool, context.tools),
        (Prompt, context.prompts),
        ((Resource, ResourceTemplate), context.resources),
    ):
        registry.replace([item for item in items if isinstance(item, kind)])  # type: ignore[arg-type]
    return Plugin(name, None, context=context, part=HostPart.model_validate(part))


def serve(*plugins: Plugin) -> Catalog:
    catalog = Catalog(plugins)
    for each in plugins:
        catalog.show(each)
    return catalog


def names(table: Table[Any]) -> list[str]:
    """The listed names, which are the same in both eras, and all of which are answered."""
    listed = [
        [entry.get("name") if "uri" not in entry else entry["uri"] for entry in table.listed(version)]
        for version in (LEGACY, MODERN)
    ]
    assert listed[0] == listed[1]
    assert listed[0] == [route.exposed for route in table.routes()]
    assert len(set(listed[0])) == len(listed[0])
    for route in table.routes():
        assert table.find(route.exposed) is route
    return [str(name) for name in listed[0]]


def owners(table: Table[Any]) -> list[tuple[str, str]]:
    return [(route.exposed, route.plugin.name) for route in table.routes()]


def told(catalog: Catalog) -> list[tuple[str, str, str | None]]:
    return [(finding.kind, finding.plugin, finding.name) for finding in catalog.findings]


# Merging at start


COLLISIONS: dict[
    str, tuple[list[tuple[str, list[str], dict[str, Any]]], list[tuple[str, str]], list[tuple[str, str, str]]]
] = {
    "no collision: plugin order, then its own": (
        [("b", ["z", "a"], {}), ("a", ["y"], {})],
        [("z", "b"), ("a", "b"), ("y", "a")],
        [],
    ),
    "the earlier keeps a name": (
        [("a", ["x"], {}), ("b", ["x", "y"], {})],
        [("x", "a"), ("b_x", "b"), ("y", "b")],
        [("renamed", "b", "x")],
    ),
    "the order decides, not the alphabet": (
        [("b", ["x"], {}), ("a", ["x"], {})],
        [("x", "b"), ("a_x", "a")],
        [("renamed", "a", "x")],
    ),
    "three of one name": (
        [("a", ["x"], {}), ("b", ["x"], {}), ("c", ["x"], {})],
        [("x", "a"), ("b_x", "b"), ("c_x", "c")],
        [("renamed", "b", "x"), ("renamed", "c", "x")],
    ),
    "a plugin owns names that begin with its own": (
        [("a", ["void_x"], {}), ("void", ["void_x"], {})],
        [("a_void_x", "a"), ("void_x", "void")],
        [("renamed", "a", "void_x")],
    ),
    "also a name that is its own": (
        [("a", ["void"], {}), ("void", ["void"], {})],
        [("a_void", "a"), ("void", "void")],
        [("renamed", "a", "void")],
    ),
    "a dash and a dot separate as well": (
        [("a", ["void-x", "void.y"], {}), ("void", ["void-x", "void.y"], {})],
        [("a_void-x", "a"), ("a_void.y", "a"), ("void-x", "void"), ("void.y", "void")],
        [("renamed", "a", "void-x"), ("renamed", "a", "void.y")],
    ),
    "a longer word is another name": (
        [("a", ["voidx", "void2"], {}), ("void", ["voidx", "void2"], {})],
        [("voidx", "a"), ("void2", "a"), ("void_voidx", "void"), ("void_void2", "void")],
        [("renamed", "void", "voidx"), ("renamed", "void", "void2")],
    ),
    "two that both own a name: the later is quarantined": (
        [("my", ["my_a_b"], {}), ("my_a", ["my_a_b"], {})],
        [("my_a_b", "my")],
        [("quarantined", "my_a", "my_a_b")],
    ),
    "two that both own a name by their prefixes": (
        [("my_a", ["b"], {"prefix": "my_a_"}), ("my", ["b"], {"prefix": "my_a_"})],
        [("my_a_b", "my_a")],
        [("quarantined", "my", "my_a_b")],
    ),
    "the other name is taken as well": (
        [("a", ["x"], {}), ("b", ["x", "b_x"], {})],
        [("x", "a"), ("b_x", "b")],
        [("quarantined", "b", "x")],
    ),
    "the other name is taken by somebody else": (
        [("c", ["b_x"], {}), ("a", ["x"], {}), ("b", ["x"], {})],
        [("b_x", "c"), ("x", "a")],
        [("quarantined", "b", "x")],
    ),
    "a name made by renaming counts as served": (
        [("a", ["x"], {}), ("b", ["x"], {}), ("c", ["b_x"], {})],
        [("x", "a"), ("b_x", "b"), ("c_b_x", "c")],
        [("renamed", "b", "x"), ("renamed", "c", "b_x")],
    ),
    "names that only meet by renaming": (
        [("z", ["b_c", "a_b_c"], {}), ("my_a", ["b_c"], {}), ("my", ["a_b_c"], {})],
        [("b_c", "z"), ("a_b_c", "z"), ("my_a_b_c", "my_a")],
        [("renamed", "my_a", "b_c"), ("quarantined", "my", "a_b_c")],
    ),
    "separators inside names mean nothing": (
        [("my_a", ["b_c", "x__y"], {}), ("my", ["a_b_c", "x___y"], {})],
        [("b_c", "my_a"), ("x__y", "my_a"), ("a_b_c", "my"), ("x___y", "my")],
        [],
    ),
    "the other name is too long": (
        [("a", ["x" * 127], {}), ("b", ["x" * 127], {})],
        [("x" * 127, "a")],
        [("quarantined", "b", "x" * 127)],
    ),
    "the other name just fits": (
        [("a", ["x" * 126], {}), ("b", ["x" * 126], {})],
        [("x" * 126, "a"), ("b_" + "x" * 126, "b")],
        [("renamed", "b", "x" * 126)],
    ),
    "a prefix avoids a collision": (
        [("a", ["x"], {}), ("b", ["x", "y"], {"prefix": "p_"})],
        [("x", "a"), ("p_x", "b"), ("p_y", "b")],
        [],
    ),
    "a prefix makes a collision": (
        [("a", ["p_x"], {}), ("b", ["x"], {"prefix": "p_"})],
        [("p_x", "a"), ("b_p_x", "b")],
        [("renamed", "b", "p_x")],
    ),
    "a prefix makes a name too long": (
        [("a", ["x" * 127, "y"], {"prefix": "p_"})],
        [("p_y", "a")],
        [("quarantined", "a", "x" * 127)],
    ),
    "what is denied collides with nothing": (
        [("a", ["x", "y"], {"deny": ["x"]}), ("b", ["x"], {})],
        [("y", "a"), ("x", "b")],
        [],
    ),
    "what is quarantined collides with nothing": (
        [("a", ["x\n"], {}), ("b", ["x"], {})],
        [("x", "b")],
        [("quarantined", "a", "x\n")],
    ),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("case", COLLISIONS)
def test_names_are_merged_by_the_rules(kind: str, case: str) -> None:
    given, expected, remarks = COLLISIONS[case]
    make = MAKERS[kind]
    catalog = serve(
        *(plugin(name, *map(make, own), **({kind: part} if "deny" in part else part)) for name, own, part in given)
    )
    table: Table[Any] = getattr(catalog, kind)
    names(table)
    assert owners(table) == expected
    assert sorted(told(catalog)) == sorted(remarks)
    for exposed, owner in expected:
        route = table.find(exposed)
        assert route is not None
        assert route.plugin.name == owner
        assert (
            route.item.key == exposed.removeprefix(f"{owner}_").removeprefix(route.plugin.part.prefix)
            or route.item.key in exposed
        )


def test_each_kind_has_its_own_names() -> None:
    catalog = serve(plugin("a", tool("x")), plugin("b", prompt("x")))
    assert (names(catalog.tools), names(catalog.prompts), catalog.findings) == (["x"], ["x"], [])


def test_a_renaming_is_told_with_both_plugins_both_names_and_the_setting() -> None:
    [finding] = serve(plugin("a", tool("x")), plugin("b", tool("x"))).findings
    for part in ("'x'", "plugin a", "'b_x'", "[plugins.b] prefix", "tools"):
        assert part in finding.text


def test_a_quarantined_name_is_told_with_the_holder_and_the_setting() -> None:
    [finding] = serve(plugin("a", tool("x")), plugin("b", tool("x"), tool("b_x"))).findings
    for part in ("'x'", "plugin a", "'b_x'", "[plugins.b]", "prefix"):
        assert part in finding.text


def test_a_plugin_that_is_not_loaded_has_no_place_in_the_catalog() -> None:
    failed = Plugin("b", None, state="failed")
    catalog = Catalog([plugin("a", tool("x")), failed])
    assert catalog.findings == []


# Globs


@pytest.mark.parametrize(
    ("globs", "served"),
    [
        ({}, ["ab", "ac", "b"]),
        ({"allow": ["a*"]}, ["ab", "ac"]),
        ({"allow": []}, []),
        ({"deny": ["a*"]}, ["b"]),
        ({"deny": ["*"]}, []),
        ({"allow": ["a?"], "deny": ["?c"]}, ["ab"]),
        ({"allow": ["[ab]*"], "deny": ["b"]}, ["ab", "ac"]),
    ],
)
@pytest.mark.parametrize("kind", MAKERS)
def test_globs_choose_among_a_plugins_own_names(kind: str, globs: dict[str, Any], served: list[str]) -> None:
    catalog = serve(plugin("p", *map(MAKERS[kind], ["ab", "ac", "b"]), prefix="p_", **{kind: globs}))
    table: Table[Any] = getattr(catalog, kind)
    assert names(table) == [f"p_{name}" for name in served]
    for name in ("ab", "ac", "b"):
        assert (table.find(f"p_{name}") is not None) == (name in served)
    assert catalog.findings == []


def test_what_is_off_is_not_answered_under_an_alias_either() -> None:
    catalog = serve(plugin("p", tool("x", "old_x"), tools={"deny": ["x"]}))
    assert catalog.tools.find("x") is None
    assert catalog.tools.find("old_x") is None


def test_globs_distinguish_upper_and_lower_case() -> None:
    catalog = serve(plugin("p", tool("Ab"), tools={"allow": ["a*", "A*"]}))
    assert names(catalog.tools) == ["Ab"]
    [finding] = catalog.findings
    assert (finding.kind, finding.plugin) == ("unused", "p")
    assert "'a*' matches no tool" in finding.text


def test_a_glob_that_matches_nothing_is_told_with_what_there_is_and_the_nearest() -> None:
    catalog = serve(plugin("p", tool("create"), tool("remove"), tools={"deny": ["creat"]}))
    [finding] = catalog.findings
    assert finding.kind == "unused"
    assert "[plugins.p] tools.deny: 'creat' matches no tool" in finding.text
    assert "did you mean 'create'?" in finding.text
    assert "create, remove" in finding.text
    [finding] = serve(plugin("p", prompts={"allow": ["x"]})).findings
    assert "none" in finding.text


def test_globs_of_resources_see_addresses() -> None:
    catalog = serve(
        plugin(
            "p",
            fixed("note://a"),
            fixed("note://b"),
            fixed("other://a"),
            resources={"allow": ["note:*"], "deny": ["*b"]},
        )
    )
    assert names(catalog.resources) == ["note://a"]
    assert catalog.find_resource("note://b") is None
    assert catalog.find_resource("other://a") is None


# Aliases


@pytest.mark.parametrize("kind", MAKERS)
def test_an_alias_is_answered_and_never_listed(kind: str) -> None:
    make = MAKERS[kind]
    table: Table[Any] = getattr(serve(plugin("p", make("x", "old.x", "older"), prefix="p_")), kind)
    assert names(table) == ["p_x"]
    for alias in ("p_old.x", "p_older"):
        route = table.find(alias)
        assert route is not None
        assert route is table.find("p_x")
    assert table.find("old.x") is None


def test_a_listed_name_goes_before_an_alias_wherever_they_stand() -> None:
    for order in (1, -1):
        catalog = serve(*[plugin("a", tool("x", "y", "free")), plugin("b", tool("y"))][::order])
        route = catalog.tools.find("y")
        assert route is not None
        assert route.plugin.name == "b"
        assert [finding.kind for finding in catalog.findings] == ["quarantined"]
        for part in ("aliases", "'y'", "plugin b"):
            assert part in catalog.findings[0].text
        assert set(names(catalog.tools)) == {"x", "y"}
        assert catalog.tools.find("free") is catalog.tools.find("x")


def test_of_two_equal_aliases_the_earlier_is_answered() -> None:
    catalog = serve(plugin("a", tool("x", "old")), plugin("b", tool("y", "old")))
    route = catalog.tools.find("old")
    assert route is not None
    assert route.exposed == "x"
    assert told(catalog) == [("quarantined", "b", "y")]


def test_an_alias_that_is_the_tools_own_name_does_no_harm() -> None:
    catalog = serve(plugin("a", tool("x", "x", "y", "y")))
    assert catalog.findings == []
    assert catalog.tools.find("y") is catalog.tools.find("x")


# Resources


def test_of_equal_addresses_the_plugin_named_like_the_scheme_wins_else_the_earlier() -> None:
    catalog = serve(
        plugin("a", fixed("note://t"), fixed("b:x")),
        plugin("note", fixed("note://t")),
        plugin("b", fixed("b:x")),
        plugin("c", fixed("b:x")),
    )
    assert owners(catalog.resources) == [("note://t", "note"), ("b:x", "b")]
    assert told(catalog) == [("quarantined", "a", "note://t"), ("quarantined", "a", "b:x"), ("quarantined", "c", "b:x")]
    assert all("prefix" not in finding.text for finding in catalog.findings)
    catalog = serve(plugin("b", fixed("note://t")), plugin("a", fixed("note://t")))
    assert owners(catalog.resources) == [("note://t", "b")]


def test_a_prefix_does_not_touch_addresses() -> None:
    catalog = serve(plugin("a", fixed("note://t"), note("{day}"), prefix="p_"))
    assert [route.exposed for route in catalog.resources.routes()] == ["note://t", "note://{day}"]


def note(tail: str, scheme: str = "note") -> ResourceTemplate:
    """A template whose only variable is `day`."""
    made = resource(f"{scheme}://{tail}")(lambda_day)
    assert isinstance(made, ResourceTemplate)
    return made


def lambda_day(day: str) -> str:
    return day


def found(catalog: Catalog, uri: str) -> tuple[str, str, dict[str, Any]] | None:
    answer = catalog.find_resource(uri)
    return None if answer is None else (answer[0].exposed, answer[0].plugin.name, answer[1])


def test_resources_and_templates_are_listed_apart() -> None:
    catalog = serve(plugin("a", note("{day}"), fixed("note://t")), plugin("b", fixed("other://t")))
    for version in (LEGACY, MODERN):
        assert [entry["uri"] for entry in catalog.listed_resources(version)] == ["note://t", "other://t"]
        assert [entry["uriTemplate"] for entry in catalog.listed_templates(version)] == ["note://{day}"]


def test_an_exact_address_goes_before_any_template() -> None:
    catalog = serve(plugin("a", note("{day}"), note("toda{day}")), plugin("b", fixed("note://today")))
    assert found(catalog, "note://today") == ("note://today", "b", {})
    assert found(catalog, "note://todas") == ("note://toda{day}", "a", {"day": "s"})
    assert found(catalog, "note://monday") == ("note://{day}", "a", {"day": "monday"})
    assert found(catalog, "other://monday") is None
    assert found(catalog, "note://a/b") is None


def test_of_several_templates_the_one_with_more_literal_characters_answers_then_the_earlier() -> None:
    short, long = note("{day}"), note("{day}.txt")
    for order in (1, -1):
        catalog = serve(*[plugin("a", short), plugin("b", long)][::order])
        assert found(catalog, "note://x.txt") == ("note://{day}.txt", "b", {"day": "x"})
        assert found(catalog, "note://x.md") == ("note://{day}", "a", {"day": "x.md"})
    same = resource("note://{night}")(lambda night: night)
    same.handler.__annotations__["night"] = str
    catalog = serve(plugin("a", same), plugin("b", short))
    assert found(catalog, "note://x") == ("note://{night}", "a", {"night": "x"})


def test_equal_templates_are_one_address() -> None:
    catalog = serve(plugin("a", note("{day}")), plugin("note", note("{day}")))
    assert owners(catalog.resources) == [("note://{day}", "note")]
    assert told(catalog) == [("quarantined", "a", "note://{day}")]


@pytest.mark.parametrize("day", ["monday", "a b", "ü", "%", "..", "a/b", "?#&=", "{day}", "\U0001f600"])
def test_variables_arrive_as_they_were_expanded(day: str) -> None:
    template = note("{day}")
    assert found(serve(plugin("a", template)), template.expand(day=day)) == ("note://{day}", "a", {"day": day})


def test_what_is_not_shown_or_off_is_found_neither_exactly_nor_by_template() -> None:
    hidden = plugin("a", fixed("note://t"), note("{day}"))
    off = plugin("b", note("{day}", "off"), resources={"deny": ["*"]})
    catalog = Catalog([hidden, off])
    catalog.show(off)
    assert catalog.find_resource("note://t") is None
    assert catalog.find_resource("note://x") is None
    assert catalog.find_resource("off://x") is None
    catalog.show(hidden)
    assert catalog.find_resource("note://t") is not None
    catalog.drop(hidden)
    assert catalog.find_resource("note://x") is None


def test_an_update_is_passed_on_only_for_what_the_plugin_serves_itself() -> None:
    first, second = plugin("a", fixed("note://a"), note("{day}")), plugin("b", fixed("note://b"))
    catalog = serve(first, second)
    updated: list[str] = []
    catalog.on_update = updated.append
    for uri in ("note://a", "note://x", "note://b", "other://x"):
        first.loaded.updated(uri)
        second.loaded.updated(uri)
    assert updated == ["note://a", "note://x", "note://b"]


# Showing and dropping


def test_nothing_is_listed_or_answered_before_it_is_shown() -> None:
    slow, ready = plugin("slow", tool("s", "alias_of_s")), plugin("ready", tool("r"))
    catalog = Catalog([slow, ready])
    catalog.show(ready)
    assert names(catalog.tools) == ["r"]
    assert catalog.tools.find("s") is None
    assert catalog.tools.find("alias_of_s") is None
    for name in ("s", "alias_of_s"):
        assert "plugin slow is still starting" in catalog.tools.explain_unknown(name)
    catalog.show(slow)
    assert names(catalog.tools) == ["s", "r"]


def test_a_dropped_plugin_is_gone_for_good_and_its_names_are_free() -> None:
    first, second = plugin("a", tool("x", "old"), prompt("x"), fixed("note://x")), plugin("b", tool("y"))
    catalog = serve(first, second)
    catalog.drop(first)
    assert (names(catalog.tools), names(catalog.prompts), names(catalog.resources)) == (["y"], [], [])
    assert catalog.tools.find("old") is None
    assert "starting" not in catalog.tools.explain_unknown("x")
    first.loaded.tools.add(tool("z"))
    assert names(catalog.tools) == ["y"]
    second.loaded.tools.add(tool("x"))
    second.loaded.tools.add(tool("z"))
    assert owners(catalog.tools) == [("y", "b"), ("x", "b"), ("z", "b")]


def test_an_unknown_name_is_told_with_the_nearest_served_one() -> None:
    shown, hidden = plugin("a", tool("create"), tool("off"), tools={"deny": ["off"]}), plugin("b", tool("creates"))
    catalog = Catalog([shown, hidden])
    catalog.show(shown)
    assert catalog.tools.explain_unknown("creat") == "Unknown tool: creat (did you mean 'create'?)"
    assert catalog.tools.explain_unknown("zzz") == "Unknown tool: zzz"
    assert catalog.tools.explain_unknown("off") == "Unknown tool: off"
    assert catalog.prompts.explain_unknown("zzz") == "Unknown prompt: zzz"
    assert catalog.resources.explain_unknown("a:b") == "Unknown resource: a:b"


def test_a_plugin_may_word_the_answer_for_what_is_missing() -> None:
    first, second = plugin("a", tool("x")), plugin("b")
    catalog = serve(first, second)
    first.loaded.tools.explain_missing = lambda name: f"No {name} here." if name == "y" else None
    second.loaded.tools.explain_missing = lambda name: "Never."
    assert catalog.tools.explain_unknown("y") == "No y here."
    assert catalog.tools.explain_unknown("z") == "Never."
    assert catalog.prompts.explain_unknown("y") == "Unknown prompt: y"


@pytest.mark.parametrize("answer", [RuntimeError("x"), SystemExit(3), KeyboardInterrupt(), 5, b"x"], ids=repr)
def test_a_wording_that_goes_wrong_leaves_the_usual_one(answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    def explain(name: str) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    owner = plugin("a", tool("x"))
    catalog = serve(owner)
    owner.loaded.tools.explain_missing = explain
    assert catalog.tools.explain_unknown("y") == "Unknown tool: y"


# Changes at run time


class Watch:
    """Counts the changes that a catalog reports."""

    def __init__(self, catalog: Catalog) -> None:
        self.seen: list[str] = []
        catalog.on_change = self.seen.append  # type: ignore[assignment]

    def take(self) -> list[str]:
        seen, self.seen[:] = list(self.seen), []
        return seen


@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_added_and_removed_is_served_and_gone_at_once(kind: str) -> None:
    make = MAKERS[kind]
    first, second = plugin("a", make("x")), plugin("b", make("z"), prefix="p_")
    catalog = serve(first, second)
    table: Table[Any] = getattr(catalog, kind)
    registry = getattr(second.loaded, kind)
    watch = Watch(catalog)
    registry.add(make("y", "old"))
    assert names(table) == ["x", "p_z", "p_y"]
    assert table.find("p_old") is table.find("p_y")
    assert registry.served_name("y") == "p_y"
    assert watch.take() == [kind]
    registry.remove("z")
    assert names(table) == ["x", "p_y"]
    assert registry.served_name("z") is None
    assert watch.take() == [kind]
    registry.replace([make("b"), make("a")])
    assert names(table) == ["x", "p_b", "p_a"]
    assert table.find("p_old") is None
    assert watch.take() == [kind]
    assert [item.key for item in registry] == ["b", "a"]
    assert len(registry) == 2
    assert registry.get("a") is not None
    assert registry.get("y") is None


def test_a_resource_is_added_and_removed_by_its_address() -> None:
    owner = plugin("a")
    catalog = serve(owner)
    watch = Watch(catalog)
    owner.loaded.resources.add(fixed("note://x"))
    owner.loaded.resources.add(note("{day}"))
    assert found(catalog, "note://y") == ("note://{day}", "a", {"day": "y"})
    owner.loaded.resources.remove("note://{day}")
    assert found(catalog, "note://y") is None
    assert watch.take() == ["resources"] * 3


def refused(act: Callable[[], Any]) -> str:
    with pytest.raises(ContributionRefused) as caught:
        act()
    assert isinstance(caught.value, ToolError)
    return str(caught.value)


def test_an_addition_that_would_collide_is_refused_and_nothing_changes() -> None:
    first, second = plugin("a", tool("x", "old_x")), plugin("b", tool("y", "old_y"), tools={"deny": ["off*"]})
    catalog = serve(first, second)
    watch = Watch(catalog)
    tools = second.loaded.tools
    for item, part in (
        (tool("x"), "'x' is taken by plugin a"),
        (tool("old_x"), "'old_x' is taken by plugin a"),
        (tool("new", "x"), "'x' is taken by plugin a"),
        (tool("new", "old_x"), "'old_x' is taken by plugin a"),
        (tool("new", "old_y"), "'old_y' is taken by plugin b"),
        (tool("y"), "'y'"),
        (tool("off1"), "[plugins.b] tools"),
        (tool("a b"), "name: 'a b'"),
        (tool("bad", description=5), "description: 5"),
        (tool("bad", time_limit=0), "time_limit"),
        (Tool("bad", lambda a: "", input_schema=None), "handler"),
    ):
        assert part in refused(lambda item=item: tools.add(item))  # type: ignore[misc]
        assert owners(catalog.tools) == [("x", "a"), ("y", "b")]
        assert [each.name for each in tools] == ["y"]
        for name in ("new", "off1", "bad"):
            assert catalog.tools.find(name) is None
    assert watch.take() == []


@pytest.mark.parametrize("item", ["text", None, 5, prompt("x"), Tool(5, len), Tool(None, len), Tool([], len)], ids=repr)  # type: ignore[arg-type]
@pytest.mark.parametrize("bound", [True, False])
def test_what_is_no_tool_with_a_name_is_refused(item: Any, bound: bool) -> None:
    owner = plugin("a", tool("x"))
    if bound:
        serve(owner)
    refused(lambda: owner.loaded.tools.add(item))
    refused(lambda: owner.loaded.tools.replace([tool("y"), item]))
    assert [each.name for each in owner.loaded.tools] == ["x"]


def test_removing_what_is_not_there_is_told() -> None:
    first, second = plugin("a", tool("x")), plugin("b")
    serve(first, second)
    with pytest.raises(ToolError, match="There is no tool 'x' to remove"):
        second.loaded.tools.remove("x")
    with pytest.raises(ToolError, match=r"There is no tool 'x{128}' to remove"):
        second.loaded.tools.remove("x" * 10_000)


def test_a_replacement_is_accepted_whole_or_not_at_all() -> None:
    first, second = plugin("a", tool("x")), plugin("b", tool("y", "old"))
    catalog = serve(first, second)
    watch = Watch(catalog)
    for items in (
        [tool("n1"), tool("x"), tool("n2")],
        [tool("n1"), tool("n1")],
        [tool("n1"), tool("bad name")],
        [tool("n1", "x")],
    ):
        refused(lambda items=items: second.loaded.tools.replace(items))  # type: ignore[misc]
        assert owners(catalog.tools) == [("x", "a"), ("y", "b")]
        assert catalog.tools.find("n1") is None
        assert catalog.tools.find("old") is catalog.tools.find("y")
    assert watch.take() == []


def test_of_a_replacement_only_what_is_new_is_checked() -> None:
    owner = plugin("a", tool("kept"), tool("edited"), tool("gone"))
    catalog = serve(owner)
    kept, edited, _ = catalog.tools.routes()
    new = tool("edited", description="new")
    owner.loaded.tools.replace([new, kept.item, tool("added")])
    first, second, third = catalog.tools.routes()
    assert (first.item, second, third.exposed) == (new, kept, "added")
    assert second is kept
    assert first.vetted is not edited.vetted
    assert catalog.tools.listed(MODERN)[0]["description"] == "new"


def test_what_the_operator_keeps_off_may_be_in_a_replacement_and_stays_off() -> None:
    owner = plugin("a", tools={"deny": ["off*"]})
    catalog = serve(owner)
    watch = Watch(catalog)
    owner.loaded.tools.replace([tool("off1"), tool("on")])
    assert names(catalog.tools) == ["on"]
    assert owner.loaded.tools.served_name("off1") is None
    assert [each.name for each in owner.loaded.tools] == ["off1", "on"]
    assert watch.take() == ["tools"]
    owner.loaded.tools.replace([tool("off2"), next(iter(owner.loaded.tools)), *list(owner.loaded.tools)[1:]])
    owner.loaded.tools.remove("off2")
    assert watch.take() == []


def test_a_change_is_reported_exactly_when_the_served_list_is_another_one() -> None:
    owner = plugin("a", tool("x", description="X"), tool("y"))
    catalog = serve(owner)
    watch = Watch(catalog)
    tools = owner.loaded.tools
    x, y = tools
    handler = x.handler
    for items, changed in (
        ([x, y], False),
        ([Tool("x", handler, "X", {"type": "object"}), tool("y")], False),  # equal on the wire
        ([y, x], True),  # the order is part of the list
        ([x, y], True),
        ([tool("x", description="other"), y], True),
        ([tool("x", "alias", description="other"), y], False),  # aliases are not listed
        ([tool("x", description="other", time_limit=3), y], False),
        ([], True),
        ([], False),
    ):
        tools.replace(items)
        assert watch.take() == (["tools"] if changed else []), items


def test_a_list_is_read_anew_after_a_change() -> None:
    owner = plugin("a", tool("x"))
    catalog = serve(owner)
    before = catalog.tools.listed(MODERN)
    assert catalog.tools.listed(MODERN) is before
    owner.loaded.tools.add(tool("y"))
    assert [entry["name"] for entry in before] == ["x"]
    assert [entry["name"] for entry in catalog.tools.listed(MODERN)] == ["x", "y"]


def test_showing_and_dropping_report_a_change_only_when_something_listed_changes() -> None:
    full = plugin("a", tool("x"), prompt("x"))
    off = plugin("b", tool("y"), tools={"deny": ["*"]})
    bad = plugin("c", tool("bad name"))
    empty = plugin("d")
    catalog = Catalog([full, off, bad, empty])
    watch = Watch(catalog)
    for each, kinds in ((full, ["tools", "prompts"]), (off, []), (bad, []), (empty, [])):
        catalog.show(each)
        assert watch.take() == kinds
        catalog.show(each)
        assert watch.take() == []
    for each, kinds in ((full, ["tools", "prompts"]), (off, []), (bad, []), (empty, [])):
        catalog.drop(each)
        assert watch.take() == kinds
        catalog.drop(each)
        assert watch.take() == []


def test_changes_of_a_plugin_that_is_not_shown_are_not_reported() -> None:
    owner = plugin("a", tool("x"))
    catalog = Catalog([owner])
    watch = Watch(catalog)
    owner.loaded.tools.add(tool("y"))
    assert watch.take() == []
    catalog.show(owner)
    assert watch.take() == ["tools"]
    assert names(catalog.tools) == ["x", "y"]


def test_a_name_that_is_given_up_is_free_for_others() -> None:
    first, second = plugin("a", tool("x", "old")), plugin("b")
    catalog = serve(first, second)
    first.loaded.tools.remove("x")
    second.loaded.tools.add(tool("old", "x"))
    assert owners(catalog.tools) == [("old", "b")]
    refused(lambda: first.loaded.tools.add(tool("x")))


def test_a_renamed_tool_keeps_its_served_name_while_it_is_there() -> None:
    first, second = plugin("a", tool("x")), plugin("b", tool("x", description="old"))
    catalog = serve(first, second)
    assert second.loaded.tools.served_name("x") == "b_x"
    first.loaded.tools.remove("x")
    second.loaded.tools.replace([tool("x", description="new")])
    assert owners(catalog.tools) == [("b_x", "b")]
    second.loaded.tools.remove("x")
    second.loaded.tools.add(tool("x"))
    assert owners(catalog.tools) == [("x", "b")]
    assert second.loaded.tools.served_name("x") == "x"


def test_a_tool_that_was_quarantined_at_start_does_not_stop_later_changes() -> None:
    owner = plugin("a", tool("bad name"), tool("x"))
    catalog = serve(owner)
    owner.loaded.tools.add(tool("y"))
    assert names(catalog.tools) == ["x", "y"]
    owner.loaded.tools.remove("bad name")
    assert names(catalog.tools) == ["x", "y"]


def test_an_alias_that_was_refused_at_start_does_not_stop_later_changes() -> None:
    first, second = plugin("a", tool("x")), plugin("b", tool("y", "x"))
    catalog = serve(first, second)
    second.loaded.tools.add(tool("z"))
    assert names(catalog.tools) == ["x", "y", "z"]
    second.loaded.tools.replace([tool("y", "x"), tool("z")])
    route = catalog.tools.find("x")
    assert route is not None
    assert route.plugin is first


def test_a_plugins_own_alias_makes_room_for_its_own_new_name() -> None:
    owner = plugin("a", tool("x", "y"))
    catalog = serve(owner)
    owner.loaded.tools.add(tool("y"))
    route = catalog.tools.find("y")
    assert route is not None
    assert route.exposed == "y"
    owner.loaded.tools.remove("y")
    assert catalog.tools.find("y") is catalog.tools.find("x")


@pytest.mark.parametrize("run", range(TIMES))
def test_what_is_added_while_the_catalog_is_made_is_not_lost(run: int) -> None:
    adding, results = [], []

    class Handler:
        def __call__(self, arguments: Any, ctx: Any) -> str:
            return ""

        @property
        def __signature__(self) -> Any:
            """Looked at while the tool is vetted; meanwhile another thread adds a tool."""
            if not adding:
                adding.append(threading.Thread(target=add, daemon=True))
                adding[0].start()
                adding[0].join(0.01)
            raise ValueError

    def add() -> None:
        try:
            owner.loaded.tools.add(tool("late"))
        except ContributionRefused:
            results.append("refused")
        else:
            results.append("added")

    owner = plugin("a", Tool("first", Handler(), input_schema={"type": "object"}), tool("second"))
    catalog = serve(owner)
    adding[0].join(WAIT)
    assert names(catalog.tools) == ["first", "second", *(["late"] if results == ["added"] else [])]


# Threads


def at_once(functions: Iterable[Callable[[], Any]]) -> list[Any]:
    """Run all functions in threads that start together; the results in order, exceptions as values."""
    functions = list(functions)
    barrier = threading.Barrier(len(functions), timeout=WAIT)
    results: list[Any] = [None] * len(functions)

    def run(position: int, function: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            results[position] = function()
        except Exception as error:  # noqa: BLE001  (looked at by the test)
            results[position] = error

    threads = [threading.Thread(target=run, args=each, daemon=True) for each in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive()
    return results


@pytest.mark.parametrize("alias", [False, True], ids=["names", "aliases"])
@pytest.mark.parametrize("run", range(TIMES))
def test_of_twenty_threads_that_add_one_name_one_wins(run: int, alias: bool) -> None:
    shared = plugin("shared")
    plugins = [plugin(f"p{number}") for number in range(19)] + [shared]
    catalog = serve(*plugins)
    watch = Watch(catalog)
    registries = [each.loaded.tools for each in plugins]

    def add(position: int) -> Callable[[], None]:
        item = tool(f"own{position}", "wanted") if alias else tool("wanted")
        return lambda: registries[position].add(item)

    results = at_once(add(position) for position in range(20))
    assert len([result for result in results if result is None]) == 1
    assert all(isinstance(result, ContributionRefused) for result in results if result is not None)
    assert len(names(catalog.tools)) == 1
    assert watch.take() == ["tools"]
    winner = results.index(None)
    route = catalog.tools.find("wanted")
    assert route is not None
    assert route.plugin is plugins[winner]
    assert [len(registry) for registry in registries] == [int(position == winner) for position in range(20)]


@pytest.mark.parametrize("run", range(TIMES))
def test_additions_of_one_plugin_from_many_threads_are_all_kept(run: int) -> None:
    owner = plugin("a")
    catalog = serve(owner)
    results = at_once(lambda number=number: owner.loaded.tools.add(tool(f"t{number}")) for number in range(20))  # type: ignore[misc]
    assert results == [None] * 20
    assert sorted(names(catalog.tools)) == sorted(f"t{number}" for number in range(20))


@pytest.mark.parametrize("run", range(TIMES))
def test_names_stay_unique_and_answered_while_threads_add_and_remove_at_random(run: int) -> None:
    plugins = [plugin(f"p{number}", prefix="x_" if number == 3 else "") for number in range(4)]
    catalog = serve(*plugins)
    faults: list[str] = []

    def change(seed: int) -> None:
        chance = random.Random(run * 100 + seed)  # noqa: S311  (a repeatable order, nothing secret)
        registry = plugins[seed % 4].loaded.tools
        for _ in range(30):
            name = chance.choice("abcd")
            try:
                if chance.random() < 0.5:
                    registry.add(tool(name, chance.choice("efgh")))
                elif chance.random() < 0.8:
                    registry.remove(name)
                else:
                    registry.replace([tool(other) for other in chance.sample("abcd", 2)])
            except ToolError:
                pass

    def look() -> None:
        for _ in range(60):
            listed = [entry["name"] for entry in catalog.tools.listed(MODERN)]
            if len(set(listed)) != len(listed):
                faults.append(f"twice: {listed}")

    at_once([*(lambda seed=seed: change(seed) for seed in range(8)), look, look])  # type: ignore[misc]
    assert faults == []
    listed = names(catalog.tools)
    assert listed == [each.part.prefix + item.name for each in plugins for item in each.loaded.tools]


# Against a model


NAMES = st.sampled_from(["a", "b", "c", "off_a", "pre_a"])
OWNERS = st.sampled_from(["one", "two", "three"])


class CatalogMachine(RuleBasedStateMachine):
    """Random changes of three plugins, checked against plain lists."""

    @initialize()
    def start(self) -> None:
        self.plugins = {
            "one": plugin("one"),
            "two": plugin("two", prefix="pre_"),
            "three": plugin("three", tools={"deny": ["off_*"]}),
        }
        self.catalog = Catalog(list(self.plugins.values()))
        self.items: dict[str, list[Tool]] = {name: [] for name in self.plugins}
        self.shown: set[str] = set()
        self.dropped: set[str] = set()
        self.watch = Watch(self.catalog)
        self.before: list[dict[str, Any]] = []

    def exposed(self, owner: str, name: str) -> str:
        return ("pre_" if owner == "two" else "") + name

    def is_off(self, owner: str, name: str) -> bool:
        return owner == "three" and name.startswith("off_")

    def served(self) -> list[str]:
        return [
            self.exposed(owner, item.name)
            for owner in self.plugins
            if owner in self.shown
            for item in self.items[owner]
            if not self.is_off(owner, item.name)
        ]

    def taken(self, *, besides: str = "") -> tuple[set[str], set[str]]:
        """All names, and all names with aliases, of plugins that are not dropped."""
        listed: set[str] = set()
        answered: set[str] = set()
        for owner, items in self.items.items():
            for item in items:
                if owner not in self.dropped and owner != besides and not self.is_off(owner, item.name):
                    listed.add(self.exposed(owner, item.name))
                    answered |= {self.exposed(owner, alias) for alias in item.aliases}
        return listed, listed | answered

    def attempt(self, change: Callable[[], None]) -> bool:
        try:
            change()
        except ContributionRefused:
            return False
        return True

    @rule(owner=OWNERS, name=NAMES, alias=st.none() | NAMES)
    def add(self, owner: str, name: str, alias: str | None) -> None:
        item = tool(name, *([alias] if alias else []))
        own = [other.name for other in self.items[owner]]
        accepted = self.attempt(lambda: self.plugins[owner].loaded.tools.add(item))
        listed, _ = self.taken(besides=owner)
        _, everything = self.taken()
        wanted = {self.exposed(owner, each) for each in (name, alias) if each}
        if name in own:
            assert not accepted
        elif owner in self.dropped:
            assert accepted
        elif self.is_off(owner, name) or wanted & listed:
            assert not accepted
        elif not wanted & everything:
            assert accepted
        if accepted:
            self.items[owner].append(item)
            if owner in self.shown:
                for each in wanted:
                    route = self.catalog.tools.find(each)
                    assert route is not None
                    assert route.item is item

    @rule(owner=OWNERS, name=NAMES)
    def remove(self, owner: str, name: str) -> None:
        try:
            self.plugins[owner].loaded.tools.remove(name)
        except ToolError:
            assert name not in [item.name for item in self.items[owner]]
        else:
            self.items[owner] = [item for item in self.items[owner] if item.name != name]

    @rule(owner=OWNERS, chosen=st.lists(NAMES, max_size=3), keep=st.booleans())
    def replace(self, owner: str, chosen: list[str], keep: bool) -> None:
        own = {item.name: item for item in self.items[owner]}
        items = [own[name] if keep and name in own else tool(name) for name in chosen]
        accepted = self.attempt(lambda: self.plugins[owner].loaded.tools.replace(items))
        _, others = self.taken(besides=owner)
        wanted = {self.exposed(owner, name) for name in chosen if not self.is_off(owner, name)}
        if len(set(chosen)) < len(chosen):
            assert not accepted
        elif owner in self.dropped or not wanted & others:
            assert accepted
        if accepted:
            self.items[owner] = items

    @rule(owner=OWNERS)
    def show(self, owner: str) -> None:
        if owner not in self.dropped:
            self.catalog.show(self.plugins[owner])
            self.shown.add(owner)

    @precondition(lambda self: len(self.dropped) < 2)
    @rule(owner=st.sampled_from(["one", "three"]))
    def drop(self, owner: str) -> None:
        self.catalog.drop(self.plugins[owner])
        self.shown.discard(owner)
        self.dropped.add(owner)

    @invariant()
    def the_registries_hold_what_was_accepted(self) -> None:
        for owner, each in self.plugins.items():
            assert list(each.loaded.tools) == self.items[owner]

    @invariant()
    def the_list_is_what_the_model_says_and_everything_on_it_is_answered(self) -> None:
        assert names(self.catalog.tools) == self.served()

    @invariant()
    def what_is_answered_is_listed_or_the_alias_of_something_listed(self) -> None:
        _, everything = self.taken()
        for name in ("a", "b", "c", "off_a", "pre_a", "pre_b", "pre_c", "pre_off_a", "pre_pre_a"):
            route = self.catalog.tools.find(name)
            if route is not None:
                assert name in everything
                assert route.exposed in self.served()
                assert name in (route.exposed, *route.aliases)

    @invariant()
    def a_change_was_reported_exactly_when_the_list_is_another_one(self) -> None:
        now = self.catalog.tools.listed(MODERN)
        assert self.watch.take() == (["tools"] if now != self.before else [])
        self.before = now


CatalogMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=20)


class TestCatalogAgainstAModel(CatalogMachine.TestCase):  # type: ignore[misc, valid-type]
    """Runs the machine."""
