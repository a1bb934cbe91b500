"""Is all of it served, and under its own name?"""

from __future__ import annotations

from collections.abc import Iterator

from agenthost.assembly import Assembly
from agenthost.doctor.diagnosis import Diagnosis, Level
from agenthost.findings import Finding, FindingKind
from agenthost.surface import Surface

_LEVELS: dict[FindingKind, Level] = {"quarantined": "error", "renamed": "warning", "unused": "warning"}


def check_surface(assembly: Assembly, surface: Surface) -> Iterator[Diagnosis]:
    """How much is served, then what is not, or not as it was meant."""
    lists = {
        "tool": surface.tools,
        "prompt": surface.prompts,
        "resource": surface.resources,
        "template": surface.templates,
    }
    tokens = sum(entry.tokens for entries in lists.values() for entry in entries)
    counts = [f"{len(entries)} {word}{'' if len(entries) == 1 else 's'}" for word, entries in lists.items() if entries]
    yield Diagnosis("served", "ok", "lists", f"{', '.join(counts) or 'nothing'}; about {tokens} tokens at start")
    for finding in [*assembly.findings, *surface.findings]:
        if finding.kind != "failed":  # those are told with the plugins
            yield _told(finding)


def _told(finding: Finding) -> Diagnosis:
    about = f"{finding.word} {finding.name}" if finding.name is not None else f"plugin {finding.plugin}"
    text = f"{finding.kind}: {finding.text.partition('; to choose otherwise')[0]}"
    return Diagnosis("served", _LEVELS[finding.kind], about, text, _cure(finding), plugin=finding.plugin)


def _cure(finding: Finding) -> str:
    if finding.kind == "unused":
        return "correct it or take it out"
    keys = "" if finding.word is None else f" with [plugins.{finding.plugin}] {finding.word}s.deny"
    if finding.kind == "renamed":
        return f"set [plugins.{finding.plugin}] prefix, or leave one of the two out{keys}"
    return f"tell the plugin's author, or leave it out{keys}"
