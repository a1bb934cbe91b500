"""One list out of many: whose name is whose, in which order, and what prefixes, globs and aliases do.

The plugins here are puppets: each tool answers with its plugin's name and its own name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from agenthost.testing import Era, ServerProcess

StartServer = Callable[..., ServerProcess]

LONG = "a" * 125


def definitions(**results: str) -> list[str]:
    """The setting `void.definitions` with tools that answer so."""
    tools = [{"name": name, "inputSchema": {"type": "object"}, "result": text} for name, text in results.items()]
    return [json.dumps(tools)]


@dataclass
class Merge:
    """Plugins with settings, and what has to become of them.

    Attributes:
        shows: the rule, as the rest of a sentence.
        plugins: value of `--plugins`.
        settings: dotted keys and values of `--set`.
        served: names in the order in which they are listed, and who answers.
        said: facts that the warnings on stderr tell, one list a warning, in order and no more than these.
    """

    shows: str
    plugins: str
    settings: Mapping[str, Any]
    served: Mapping[str, str]
    said: list[list[str]] = field(default_factory=list)

    @property
    def arguments(self) -> list[str]:
        # JSON's arrays, strings and numbers are TOML too.
        return [
            "--plugins",
            self.plugins,
            *(f"--set={key}={json.dumps(value)}" for key, value in self.settings.items()),
        ]


MERGES = [
    Merge(
        "order_is_the_users_then_the_plugins_and_separators_inside_names_mean_nothing",
        "my_a,my,alpha",
        {"my_a.names": ["b_c", "x__y"], "my.names": ["a_b_c", "a.b-c"], "alpha.names": ["__init__", "-", ".", "_"]},
        {
            "b_c": "my_a: b_c",
            "x__y": "my_a: x__y",
            "a_b_c": "my: a_b_c",
            "a.b-c": "my: a.b-c",
            "__init__": "alpha: __init__",
            "-": "alpha: -",
            ".": "alpha: .",
            "_": "alpha: _",
        },
    ),
    Merge(
        "separators_inside_prefixes_that_give_one_name_are_decided_by_the_order",
        "my_a,my",
        {"my_a.names": ["b_c"], "my_a.prefix": "my_a_", "my.names": ["a_b_c", "d"], "my.prefix": "my_"},
        {"my_a_b_c": "my_a: b_c", "my_d": "my: d"},
        [["my: tool 'my_a_b_c'", "plugin my_a", "[plugins.my] prefix"]],
    ),
    Merge(
        "separators_inside_prefixes_that_give_one_name_are_decided_by_the_other_order",
        "my,my_a",
        {"my_a.names": ["b_c"], "my_a.prefix": "my_a_", "my.names": ["a_b_c", "d"], "my.prefix": "my_"},
        {"my_a_b_c": "my: a_b_c", "my_d": "my: d"},
        [["my_a: tool 'my_a_b_c'", "plugin my ", "[plugins.my_a] prefix"]],
    ),
    Merge(
        "x02_of_equal_names_the_earlier_keeps_it_and_the_later_are_renamed_with_a_warning",
        "beta,gamma,alpha",
        {},
        {"ping": "beta: ping", "gamma_ping": "gamma: ping", "alpha_ping": "alpha: ping"},
        [
            ["gamma: tool 'ping'", "plugin beta", "'gamma_ping'", "[plugins.gamma] prefix"],
            ["alpha: tool 'ping'", "plugin beta", "'alpha_ping'", "[plugins.alpha] prefix"],
        ],
    ),
    Merge(
        "x02_a_name_that_begins_with_its_plugins_name_stays_even_if_the_plugin_comes_later",
        "alpha,beta",
        {"alpha.names": ["beta_ping"], "beta.names": ["beta_ping"]},
        {"alpha_beta_ping": "alpha: beta_ping", "beta_ping": "beta: beta_ping"},
        [["alpha: tool 'beta_ping'", "plugin beta", "'alpha_beta_ping'"]],
    ),
    Merge(
        "x02_when_the_new_name_is_taken_or_too_long_the_later_tool_is_quarantined",
        "alpha,beta",
        {"alpha.names": ["ping", "beta_ping", LONG], "beta.names": ["ping", "fine", LONG]},
        {"ping": "alpha: ping", "beta_ping": "alpha: beta_ping", LONG: f"alpha: {LONG}", "fine": "beta: fine"},
        [
            ["beta: tool 'ping'", "plugin alpha", "'beta_ping' is taken", "[plugins.beta] prefix"],
            [f"beta: tool '{LONG}'", f"'beta_{LONG}' is too long"],
        ],
    ),
    Merge(
        "a_prefix_renames_all_tools_of_its_plugin_and_globs_see_the_own_names",
        "alpha,beta,gamma",
        {
            "alpha.names": ["ping", "pong", "Ping", "other"],
            "alpha.prefix": "x_",
            "alpha.tools.allow": ["p?ng", "x_*"],
            "alpha.tools.deny": ["po*"],
            "beta.prefix": "beta-",
            "gamma.tools.allow": [],
        },
        {"x_ping": "alpha: ping", "beta-ping": "beta: ping"},
        [["alpha: ", "[plugins.alpha] tools.allow", "'x_*' matches no tool", "ping, pong, Ping, other"]],
    ),
    Merge(
        "a_denied_tool_takes_no_name_and_a_glob_that_matches_nothing_is_a_warning_with_what_there_is",
        "alpha,beta",
        {"alpha.names": ["search_web", "read", "ping"], "alpha.tools.deny": ["serch_web", "read", "ping"]},
        {"search_web": "alpha: search_web", "ping": "beta: ping"},
        [
            [
                "[plugins.alpha] tools.deny",
                "'serch_web' matches no tool",
                "did you mean 'search_web'?",
                "search_web, read",
            ]
        ],
    ),
    Merge(
        "x12_a_prefix_that_makes_names_illegal_quarantines_them_and_nothing_else",
        "alpha,beta",
        {"alpha.prefix": "a:"},
        {"ping": "beta: ping"},
        [["alpha: tool 'ping'", "name", "'a:ping'"]],
    ),
    Merge(
        "x03_a_void_definition_with_another_plugins_name_is_served_as_voids_own",
        "void,neighbour",
        {"neighbour.names": ["neighbour_ping"], "void.definitions": definitions(neighbour_ping="mine", other="other")},
        {"void_neighbour_ping": "mine", "other": "other", "neighbour_ping": "neighbour: neighbour_ping"},
        [["void: tool 'neighbour_ping'", "plugin neighbour", "'void_neighbour_ping'"]],
    ),
    Merge(
        "x03_a_void_definition_that_comes_first_keeps_a_name_that_is_nobodys",
        "void,neighbour",
        {"void.definitions": definitions(ping="mine")},
        {"ping": "mine", "neighbour_ping": "neighbour: ping"},
        [["neighbour: tool 'ping'", "plugin void", "'neighbour_ping'"]],
    ),
]


@pytest.mark.parametrize("merge", MERGES, ids=lambda merge: merge.shows)
def test_merging(start: StartServer, merge: Merge) -> None:
    server = start(*merge.arguments, plugins=["puppets"])
    server.open()
    names = [tool["name"] for tool in server.tools()]
    assert {name: server.text(name) for name in names} == merge.served
    assert names == list(merge.served)
    assert server.close() == 0
    warnings = [line for line in server.stderr.splitlines() if line.startswith("agenthost: warning: ")]
    assert len(warnings) == len(merge.said)
    for line, facts in zip(warnings, merge.said, strict=True):
        assert [fact for fact in facts if fact not in line] == []


def test_x03_strict_makes_renames_quarantines_and_idle_globs_fatal(start: StartServer) -> None:
    for merge in (MERGES[1], MERGES[7], MERGES[9]):
        server = start(*merge.arguments, "--strict", plugins=["puppets"])
        assert server.wait() == 2
        assert server.lines == []
        assert [fact for fact in merge.said[0] if fact not in server.stderr] == []


def test_an_alias_is_answered_and_never_listed_and_takes_the_prefix(start: StartServer) -> None:
    config = """
    [plugins.alpha]
    names = ["ping", "pong"]
    aliases = { ping = ["p", "Ping"], pong = ["taken", "p"] }
    prefix = "x_"
    [plugins.beta]
    names = ["x_taken"]
    """
    server = start("--plugins", "alpha,beta", plugins=["puppets"], config=config)
    server.open("modern")
    assert [tool["name"] for tool in server.tools()] == ["x_ping", "x_pong", "x_taken"]
    answers = {name: server.text(name) for name in ("x_p", "x_Ping", "x_taken")}
    assert answers == {"x_p": "alpha: ping", "x_Ping": "alpha: ping", "x_taken": "beta: x_taken"}
    assert server.call("p")["error"]["code"] == -32602
    assert server.close() == 0
    reported = [line for line in server.stderr.splitlines() if "aliases" in line and "pong" in line]
    assert len(reported) == 2
    assert "'x_taken'" in str(reported)
    assert "plugin beta" in str(reported)
    assert "'x_p'" in str(reported)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_x09_an_unknown_tool_is_an_error_that_names_it_and_the_nearest(start: StartServer, era: Era) -> None:
    server = start("--plugins", "alpha,void", plugins=["puppets"], config='[plugins.alpha]\nnames = ["search_web"]\n')
    server.open(era)
    asked = ["serch_web", "universal", "void_create_tool", "search_web ", "", "a" * 10_000, "Zoë", "x\ny", "\ud800"]
    for name in asked:
        error = server.call(name)["error"]
        assert error["code"] == -32602
        assert error["message"].startswith("Unknown tool: ")
    nearest = {name: server.call(name)["error"]["message"] for name in asked[:2]}
    assert nearest == {
        "serch_web": "Unknown tool: serch_web (did you mean 'search_web'?)",
        "universal": "Unknown tool: universal (did you mean 'Universal'?)",
    }
