"""Equal diagnoses told once: what concerns many tools or many clients is one entry for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from agenthost.doctor.diagnosis import Diagnosis, Level

Subject = tuple[str, str | None]
"""What a diagnosis is about, and the plugin that it belongs to."""


@dataclass(frozen=True)
class Effect:
    """What some clients make of something.

    Attributes:
        clients: the names of their profiles.
        text: what they make of it.
        rule: the number of the rule.
        sources: where it is known from.
    """

    clients: tuple[str, ...]
    text: str
    rule: str
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Told:
    """What is told once.

    Attributes:
        level: how bad it is.
        subjects: what it is about.
        text: what is the matter.
        cure: what to do; may be empty.
        effects: what clients make of it; empty if none is concerned.
    """

    level: Level
    subjects: tuple[Subject, ...]
    text: str
    cure: str
    effects: tuple[Effect, ...] = ()


def fold(diagnoses: Iterable[Diagnosis]) -> list[Told]:
    """Put together what is said of the same things in the same words, each in the place of the first."""
    subjects: dict[Diagnosis, list[Subject]] = {}
    for diagnosis in diagnoses:
        word, _, _ = diagnosis.subject.partition(" ")
        # The same of another tool or plugin is the same; what is in order is told one by one.
        is_common = diagnosis.client or (diagnosis.level == "info" and diagnosis.plugin)
        alike = replace(diagnosis, subject=word, plugin=None) if is_common else diagnosis
        subjects.setdefault(alike, []).append((diagnosis.subject, diagnosis.plugin))
    said: dict[tuple[Level, str, str, tuple[Subject, ...]], list[Diagnosis]] = {}
    for alike, about in subjects.items():
        said.setdefault((alike.level, alike.text, alike.cure, tuple(dict.fromkeys(about))), []).append(alike)
    return [Told(level, about, text, cure, _effects(alike)) for (level, text, cure, about), alike in said.items()]


def _effects(alike: Iterable[Diagnosis]) -> tuple[Effect, ...]:
    by_text: dict[tuple[str, str], list[Diagnosis]] = {}
    for diagnosis in alike:
        if diagnosis.client is not None:
            by_text.setdefault((diagnosis.effect, diagnosis.id or ""), []).append(diagnosis)
    return tuple(
        Effect(
            tuple(diagnosis.client or "" for diagnosis in diagnoses),
            text,
            rule,
            tuple(dict.fromkeys(part for diagnosis in diagnoses for part in (diagnosis.source or "").split("; "))),
        )
        for (text, rule), diagnoses in by_text.items()
    )


def name_subjects(subjects: tuple[Subject, ...], most: int = 6) -> str:
    """In words what something is about: `tool a of void`, or `3 tools (a, b of void; c of hello)`."""
    words = [subject.partition(" ") for subject, _ in subjects]
    if len(subjects) == 1:
        [(subject, plugin)] = subjects
        return f"{subject} of {plugin}" if plugin and plugin != words[0][2] else subject
    by_plugin: dict[str | None, list[str]] = {}
    for (_, _, name), (_, plugin) in list(zip(words, subjects, strict=True))[:most]:
        by_plugin.setdefault(None if plugin == name else plugin, []).append(name)
    parts = [f"{', '.join(names)}{f' of {plugin}' if plugin else ''}" for plugin, names in by_plugin.items()]
    more = f" and {len(subjects) - most} more" if len(subjects) > most else ""
    return f"{len(subjects)} {words[0][0]}s ({'; '.join(parts)}{more})"
