"""The register of rules: which function decides which numbers, and what to do about what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agenthost.profiles.profile import Fact, Profile
from agenthost.surface import Entry, Surface
from agenthost.vetting import LEGACY, MODERN


@dataclass(frozen=True)
class Hit:
    """One thing that a rule has found.

    Attributes:
        what: what is the matter. It names no tool and no client, so that equal ones can be told together.
        word: what it is about: `tool`, `prompt`, `plugin`, `list`.
        name: the name of that.
        plugin: the plugin that it belongs to, or None.
        detail: what this client makes of it, for example how it counts; may be empty.
    """

    what: str
    word: str
    name: str
    plugin: str | None = None
    detail: str = ""


@dataclass(frozen=True)
class Client:
    """A profile while one of its rules is looked at.

    Attributes:
        surface: what is looked at.
        profile: the client.
        fact: how the rule concerns it.
    """

    surface: Surface
    profile: Profile
    fact: Fact

    def schema(self, tool: Entry, member: str = "inputSchema") -> object:
        """A tool's schema as this client gets it; None if it gets none."""
        return tool.listed[MODERN if self.profile.era == "modern" else LEGACY].get(member)

    def tools(self, what: str, concerns: Callable[[Entry], object], detail: str = "") -> Iterator[Hit]:
        """A hit for each tool that `concerns` it."""
        return (tool_hit(what, tool, detail) for tool in self.surface.tools if concerns(tool))


Find = Callable[[Client], Iterator[Hit]]


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        number: for example `N05`.
        find: finds what is against it.
        cure: what to do, for the author of what was found.
    """

    number: str
    find: Find
    cure: str


RULES: dict[str, Rule] = {}
"""All rules by their numbers."""


def rule(*numbers: str, cure: str) -> Callable[[Find], Find]:
    """Register the decorated function for these numbers."""

    def register(find: Find) -> Find:
        for number in numbers:
            assert number not in RULES, f"{number} is there twice"
            RULES[number] = Rule(number, find, cure)
        return find

    return register


def tool_hit(what: str, tool: Entry, detail: str = "") -> Hit:
    """A hit about a tool."""
    return Hit(what, "tool", tool.name, tool.plugin, detail)
