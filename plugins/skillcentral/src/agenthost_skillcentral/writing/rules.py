"""Rules: what a project holds its people and agents to; files below `.rules` that are checked and never served."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenthost_skillcentral.formats import yaml_text
from agenthost_skillcentral.formats.encoding import decode
from agenthost_skillcentral.formats.members import applies_to, is_text
from agenthost_skillcentral.formats.problems import FormatError, Problems, field_name, shown

RULE_V1 = "skillcentral.dev/rule/v1"

_SEVERITIES = ("info", "warn", "error")


def check_rule(members: Mapping[str, Any], problems: Problems) -> tuple[str, ...] | None:
    """Note what is wrong with a rule.

    Returns:
        The ids of the projects that it is for; None is all.
    """
    if members.get("schemaVersion") != RULE_V1:
        problems.add(("schemaVersion",), f"has to be {RULE_V1}, not {shown(members.get('schemaVersion'))}")
    for member in ("id", "name", "description", "body"):
        if not is_text(members.get(member)):
            problems.add((member,), f"has to be a text that is not blank, not {shown(members.get(member))}")
    tags = members.get("tags")
    if tags is not None and not (isinstance(tags, list) and all(map(is_text, tags))):
        problems.add(("tags",), "has to be a list of texts that are not blank")
    severity = members.get("severity", "info")
    if severity not in _SEVERITIES:
        problems.add(("severity",), f"has to be one of {', '.join(_SEVERITIES)}, not {shown(severity)}")
    return applies_to(members.get("appliesTo"), problems)


def rule_faults(data: bytes) -> str | None:
    """Why a file is no rule; None if it is one."""
    try:
        members = yaml_text.parse(decode(data))
    except FormatError as error:
        return str(error)
    if not isinstance(members, dict):
        return "it holds no object"
    problems = Problems()
    check_rule(members, problems)
    return "; ".join(f"{field_name(path) or 'it'}: {reason}" for path, reason in problems.found) or None
