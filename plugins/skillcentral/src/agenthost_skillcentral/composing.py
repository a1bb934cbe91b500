"""One prompt out of all that share a tag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agenthost import InvalidParams

from agenthost_skillcentral.model import Language, Skill
from agenthost_skillcentral.rendering import bodies, substitute

_SEPARATOR = "\n\n---\n\n"


@dataclass(frozen=True)
class Composition:
    """A composed prompt.

    Attributes:
        description: which tags it was made of, and of how many skills.
        text: the sections, one for each skill.
        skills: in the order of the sections.
    """

    description: str
    text: str
    skills: tuple[Skill, ...]


def split_tags(tags: str) -> tuple[str, ...]:
    """The tags in a text with commas."""
    return tuple(tag for part in tags.split(",") if (tag := part.strip()))


def known_tags(prompts: Iterable[Skill]) -> tuple[str, ...]:
    """Every tag by which something can be composed, in order; of those that differ in case only, the first."""
    found: dict[str, str] = {}
    for skill in prompts:
        for tag in skill.tags:
            found.setdefault(tag.casefold(), tag)
    return tuple(found[key] for key in sorted(found))


def compose(
    prompts: Iterable[Skill], tags: str, arguments: Mapping[str, Any] | None = None, language: Language = "both"
) -> Composition:
    """Compose the prompts that have at least one of the tags, whatever its case.

    Args:
        prompts: in the order that the sections are to have.
        tags: separated by commas.
        arguments: what placeholders stand for; those without a value stay.
        language: see `rendering.render`.

    Raises:
        InvalidParams: no prompt has such a tag, or there is none among `tags`.
    """
    wanted = split_tags(tags)
    keys = {tag.casefold() for tag in wanted}
    skills = tuple(skill for skill in prompts if any(tag.casefold() in keys for tag in skill.tags))
    listed = ", ".join(wanted)
    if not skills:
        raise InvalidParams(f"No skills found for tags: {listed}")
    text = _SEPARATOR.join(_section(skill, arguments or {}, language) for skill in skills)
    return Composition(f"Composed prompt from tags: {listed} ({len(skills)} skills)", text, skills)


def _section(skill: Skill, arguments: Mapping[str, Any], language: Language) -> str:
    english, chinese = (substitute(body.strip(), arguments) if body else None for body in bodies(skill, language))
    parts = [f"## {skill.id}\n{english}" if english is not None else f"## {skill.id}"]
    if chinese is not None:
        parts.append(f"### 中文\n{chinese}")
    return "\n\n".join(parts)
