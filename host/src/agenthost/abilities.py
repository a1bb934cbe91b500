"""What a client has to be able to do for a plugin, by name, and as the capabilities that clients declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

ABILITIES: Mapping[str, Mapping[str, Any]] = {
    "elicitation": {"elicitation": {}},
    "elicitation.form": {"elicitation": {"form": {}}},
    "elicitation.url": {"elicitation": {"url": {}}},
    "roots": {"roots": {}},
    "sampling": {"sampling": {}},
}
"""Each ability, and the capabilities that declare it."""


def lacking(needs: Iterable[str], declared: Mapping[str, Any]) -> list[str]:
    """What of `needs` a client with these capabilities cannot do."""
    return sorted(need for need in needs if not _can(need, declared))


def capabilities(needs: Iterable[str]) -> dict[str, Any]:
    """These abilities as one object of capabilities."""
    merged: dict[str, Any] = {}
    for need in needs:
        for name, members in ABILITIES[need].items():
            merged[name] = {**merged.get(name, {}), **members}
    return merged


def _can(need: str, declared: Mapping[str, Any]) -> bool:
    name, _, part = need.partition(".")
    members = declared.get(name)
    if members is None:
        return False
    # A client that declares elicitation without saying how can show forms.
    return not part or part in members or (need == "elicitation.form" and "url" not in members)
