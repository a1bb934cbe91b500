"""One thing that the doctor tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Group = Literal["environment", "settings", "plugins", "served", "run", "clients"]

GROUPS: tuple[Group, ...] = get_args(Group)
"""The groups, in the order in which they are told."""

Level = Literal["ok", "info", "warning", "error"]
"""error: something wanted is not served. warning: something is not as it should be. The others are for reading."""


@dataclass(frozen=True)
class Diagnosis:
    """What was looked at, what is the matter, and what to do.

    Attributes:
        group: where it is told.
        level: how bad it is.
        subject: what it is about, for example `plugin void` or `tool void_create_tool`.
        text: what is the matter.
        cure: what to do; empty where nothing has to be done.
        id: the number of a client's rule, or None.
        client: the name of the client's profile, or None.
        source: where a rule is known from, or None.
        plugin: the plugin that it is about, or None.
        effect: what the client makes of it; empty if no client is concerned.
    """

    group: Group
    level: Level
    subject: str
    text: str
    cure: str = ""
    id: str | None = None
    client: str | None = None
    source: str | None = None
    plugin: str | None = None
    effect: str = ""
