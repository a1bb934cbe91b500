"""Is all of it served, and under its own name?"""

from __future__ import annotations

from collections.abc import Iterator

from agenthost.assembly import Assembly, require_start
from agenthost.doctor.diagnosis import Diagnosis, Level
from agenthost.errors import OperatorError
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
    findings = [*assembly.findings, *surface.findings]
    yield from (_told(finding) for finding in findings if finding.kind != "failed")  # those are told with the plugins
    try:
        require_start(assembly, findings)
    except OperatorError:
        strict = assembly.settings.strict
        text = "does not start like this" + (
            ", because it is strict and there is something to report" if strict else ""
        )
        cure = "correct what is told above" + (", or take strict away" if strict else ", or leave that plugin out")
        yield Diagnosis("served", "error", "agenthost serve", text, cure)


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
