"""What can be published to a topic: any JSON value, kept as it was given, with who made it and what it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from agenthost import ToolError

from agenthost_skillcentral.workflows.flaws import TOPIC, TOPIC_RULE

MAX_CONTENT = 256 * 1024
"""Bytes of one entry's content, as JSON."""

MAX_TEXT = 4096
"""Characters of a summary."""

MAX_NAME = 200
"""Characters of a producer and of a kind."""

MAX_REFS = 100

PRODUCER, KIND = "workflow.publish", "result"
"""Who made it and what it is, where nobody says so."""


class BadEntry(ToolError):
    """Something cannot be published as it is; the text begins with the argument."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wants to publish.

    Attributes:
        topic: where.
        content: as JSON text.
        producer: who made it.
        kind: what it is.
        summary: in short.
        refs: addresses that belong to it.
    """

    topic: str
    content: str
    producer: str = PRODUCER
    kind: str = KIND
    summary: str | None = None
    refs: tuple[str, ...] = ()


def draft(
    topic: str,
    content: Any,
    producer: str | None = None,
    kind: str | None = None,
    summary: str | None = None,
    refs: str | None = None,
) -> Draft:
    """Check what somebody wants to publish.

    Args:
        topic: its name.
        content: any JSON value; a text stays a text, whatever it looks like.
        producer: who made it; None is nobody in particular.
        kind: what it is; None is a result.
        summary: in short.
        refs: addresses, separated by commas.

    Raises:
        BadEntry: one of them cannot be used.
    """
    if not TOPIC.fullmatch(topic):
        raise BadEntry(f"topic: {shown(topic)} is none: {TOPIC_RULE}.")
    if summary is not None and len(summary) > MAX_TEXT:
        raise BadEntry(f"summary: has {len(summary)} characters, at most {MAX_TEXT} are possible.")
    addresses = tuple(filter(None, (ref.strip() for ref in (refs or "").split(","))))
    if len(addresses) > MAX_REFS:
        raise BadEntry(f"refs: holds {len(addresses)} addresses, at most {MAX_REFS} are possible.")
    return Draft(
        topic,
        _in_json(content),
        _name("producer", PRODUCER if producer is None else producer),
        _name("kind", KIND if kind is None else kind),
        summary,
        addresses,
    )


def shown(value: str) -> str:
    """A caller's text in an answer: quoted, and not longer than a line."""
    return json.dumps(value if len(value) <= 160 else f"{value[:157]}...", ensure_ascii=False)


def _name(argument: str, value: str) -> str:
    if not value.strip():
        raise BadEntry(f"{argument}: is blank; leave it out or write at least one letter.")
    if len(value) > MAX_NAME:
        raise BadEntry(f"{argument}: has {len(value)} characters, at most {MAX_NAME} are possible.")
    return value


def _in_json(content: Any) -> str:
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        size = len(text.encode())
    except (ValueError, RecursionError):  # no JSON, half a character, or nested beyond measure
        raise BadEntry("content: cannot be kept as it is: it has to be JSON in Unicode, not deeply nested.") from None
    if size > MAX_CONTENT:
        raise BadEntry(
            f"content: has {size} bytes, at most {MAX_CONTENT} are possible. Put it into a file, publish a summary, "
            "and name the file in refs."
        )
    return text
