"""Look at the merged surface with the eyes of every known client."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agenthost.profiles import lists, names, schemas, texts, times  # noqa: F401  (importing them registers their rules)
from agenthost.profiles.profile import Level, Profile
from agenthost.profiles.rule import RULES, Client
from agenthost.surface import Surface


@dataclass(frozen=True)
class Remark:
    """What one client will not take.

    Attributes:
        rule: the rule's number.
        client: the profile's name.
        level: how bad it is.
        word, name, plugin: what it is about; see `Hit`.
        what: what is the matter.
        effect: what this client makes of it, and what happens then.
        cure: what to do.
        source: where it is known from.
    """

    rule: str
    client: str
    level: Level
    word: str
    name: str
    plugin: str | None
    what: str
    effect: str
    cure: str
    source: str


def lint(surface: Surface, profiles: Iterable[Profile]) -> list[Remark]:
    """All that the rules find, the worst first, then by rule, client and order of the lists."""
    remarks = [
        Remark(
            number,
            profile.name,
            fact.level,
            hit.word,
            hit.name,
            hit.plugin,
            hit.what,
            "; ".join(filter(None, [hit.detail, fact.effect])),
            RULES[number].cure,
            fact.source,
        )
        for profile in profiles
        for number, fact in profile.rules.items()
        for hit in RULES[number].find(Client(surface, profile, fact))
    ]
    return sorted(remarks, key=lambda remark: ("EWI".index(remark.level), remark.rule))
