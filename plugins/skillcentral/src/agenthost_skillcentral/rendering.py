"""From a skill and the arguments of a call to a text, in one pass: what an argument says is never looked at again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agenthost_skillcentral.model import Language, Skill

_PLACEHOLDER = re.compile(r"\{\{([^{}\n]+)\}\}")


def substitute(text: str, arguments: Mapping[str, Any]) -> str:
    """The text with `{{name}}` and `{{ name }}` replaced by what is given; the other placeholders stay."""

    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        return text_of(arguments[name]) if name and name in arguments else match[0]

    return _PLACEHOLDER.sub(value, text)


def text_of(value: Any) -> str:
    """An argument's value in a text: a text as it is, nothing for null, else JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def bodies(skill: Skill, language: Language) -> tuple[str | None, str | None]:
    """The texts in English and in Chinese that a language setting wants; a blank one is none."""
    english = skill.prompt if skill.prompt and skill.prompt.strip() else None
    chinese = skill.prompt_zh if skill.prompt_zh and skill.prompt_zh.strip() else None
    if language == "en" and english is not None:
        return english, None
    if language == "zh" and chinese is not None:
        return None, chinese
    return english, chinese


def render(skill: Skill, arguments: Mapping[str, Any], language: Language = "both") -> str:
    """What a prompt or a tool answers.

    Args:
        skill: a prompt or a tool.
        arguments: by name; a tool's may be any JSON value.
        language: `both` gives both texts under headings if there are both; `en` and `zh` give the one, or the only one.

    Returns:
        The text. A tool without one answers with its arguments, as JSON.
    """
    english, chinese = (substitute(body, arguments) if body else None for body in bodies(skill, language))
    if english is not None and chinese is not None:
        return f"[English]\n{english}\n\n[中文]\n{chinese}"
    if english is None and chinese is None:
        return json.dumps(arguments, ensure_ascii=False, indent=2)
    return english if english is not None else chinese or ""
