"""Agent Skills: a folder with a `SKILL.md`, whose front matter names it and whose Markdown is the prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agenthost_skillcentral.formats.members import is_text
from agenthost_skillcentral.formats.problems import FormatError, Problems, shown
from agenthost_skillcentral.identifiers import refusal
from agenthost_skillcentral.model import Layer, Skill

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_NAME, _MAX_DESCRIPTION, _MAX_COMPATIBILITY = 64, 1024, 500


def split(text: str) -> tuple[str, str]:
    """The front matter, an empty line for the one above it so that lines keep their numbers, and what follows.

    Raises:
        FormatError: there is no front matter.
    """
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise FormatError("has no front matter: the first line has to be ---, then name and description", 1)
    end = next((number for number, line in enumerate(lines) if number and line.rstrip() == "---"), None)
    if end is None:
        raise FormatError("the front matter has no end: a line with --- after its last member", 1)
    return "\n".join(["", *lines[1:end]]), "\n".join(lines[end + 1 :])


def skill(
    members: Mapping[str, Any], body: str, content: bytes, layer: Layer, source: Path, problems: Problems
) -> Skill:
    """The skill that a folder holds, of the parts of its file and of its bytes; counts only if no problem was found."""
    name = members.get("name")
    folder = source.parent.name
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > _MAX_NAME:
        rule = f"1 to {_MAX_NAME} of a-z 0-9, with single hyphens between them"
        problems.add(("name",), f"has to be {rule}, not {shown(name)}")
        name = ""
    elif name != folder:
        problems.add(("name",), f'is "{name}", its folder is "{folder}"; both have to be the same')
    elif reason := refusal(name, "prompt"):
        problems.add(("name",), reason)
    description = members.get("description")
    if not is_text(description):
        problems.add(("description",), f"has to be a text that is not blank, not {shown(description)}")
    elif len(description) > _MAX_DESCRIPTION:
        problems.add(("description",), f"has {len(description)} characters, at most {_MAX_DESCRIPTION} are possible")
    compatibility = members.get("compatibility", "")
    if not isinstance(compatibility, str) or len(compatibility) > _MAX_COMPATIBILITY:
        problems.add(("compatibility",), f"has to be a text of at most {_MAX_COMPATIBILITY} characters")
    if not isinstance(members.get("license"), str | None):
        problems.add(("license",), f"has to be a text, not {shown(members['license'])}")
    metadata = members.get("metadata")
    if not isinstance(metadata, dict | None):
        problems.add(("metadata",), f"has to be an object, not {shown(metadata)}")
    if not body.strip():
        problems.add((), "holds no text after its front matter")
    extra: dict[str, Any] = {"frontmatter": dict(members)}
    if isinstance(metadata, dict):
        extra["metadata"] = metadata
    return Skill(
        id=name,
        name=name,
        description=description if isinstance(description, str) else "",
        type="prompt",
        source_format="agent-skill",
        layer=layer,
        source=source,
        prompt=body.strip("\n"),
        tags=_tags(metadata),
        extra=extra,
        content=content,
    )


def _tags(metadata: Any) -> tuple[str, ...]:
    """`metadata.tags`: a text with commas, since metadata is a map of texts, or a list."""
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    listed = tags.split(",") if isinstance(tags, str) else tags if isinstance(tags, list) else []
    return tuple(tag.strip() for tag in listed if is_text(tag))
