"""The format `skillcentral.dev/v1`: every type of skill, and strict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from agenthost_skillcentral.formats.members import (
    applies_to,
    arguments_of,
    description_of,
    input_schema,
    is_text,
    need_text,
    texts,
)
from agenthost_skillcentral.formats.problems import Path as Way
from agenthost_skillcentral.formats.problems import Problems, shown
from agenthost_skillcentral.identifiers import refusal
from agenthost_skillcentral.model import Layer, Skill, SkillType

SCHEMA_VERSION = "skillcentral.dev/v1"

_TYPES = get_args(SkillType)
_CAPABILITY = re.compile(r"[a-z][a-z0-9]*(?:\.[a-z][a-zA-Z0-9]*)+")
_ROLES = ("system", "user", "assistant", "reviewer")
_OBJECTS = ("targets", "degradation", "inputs", "outputs")
_KEPT = ("activation", "capabilities", "context", "workflow", *_OBJECTS, "metadata")


def skill(members: Mapping[str, Any], layer: Layer, source: Path, problems: Problems) -> Skill:
    """The skill that a file describes; it counts only if no problem was found."""
    version = members["schemaVersion"]
    if version != SCHEMA_VERSION:
        problems.add(("schemaVersion",), f"has to be {SCHEMA_VERSION}, not {shown(version)}")
    for member in ("id", "name", "description"):
        if not is_text(members.get(member)):
            problems.add((member,), f"has to be a text that is not blank, not {shown(members.get(member))}")
    kind: Any = members.get("type")
    if kind not in _TYPES:
        problems.add(("type",), f"has to be one of {', '.join(_TYPES)}, not {shown(kind)}")
    elif is_text(members.get("id")) and (reason := refusal(members["id"], kind)):
        problems.add(("id",), reason)
    for member in _OBJECTS:
        _object(members.get(member), (member,), problems)
    _activation(members.get("activation"), problems)
    _capabilities(members.get("capabilities"), problems)
    _context(members.get("context"), problems)
    _workflow(members.get("workflow"), problems)
    prompt, role = _prompt(members.get("prompt"), problems)
    prompt, chinese = texts(members, prompt, problems)
    arguments = arguments_of(members.get("arguments"), problems)
    member = "inputSchema" if members.get("inputSchema") is not None else "inputs"
    schema = members.get(member)
    if kind == "tool":
        schema = input_schema(schema, arguments, member, problems)
    elif member == "inputSchema":
        _object(schema, (member,), problems)
    else:
        schema = None
    if kind == "prompt":
        need_text(prompt, chinese, problems)
    extra = {name: members[name] for name in _KEPT if members.get(name) is not None}
    if isinstance(members.get("version"), str):
        extra["version"] = members["version"]
    if role is not None:
        extra["role"] = role
    return Skill(
        id=members.get("id", ""),
        name=members.get("name", ""),
        description=description_of(members.get("description"), problems),
        type=kind,
        source_format="universal",
        layer=layer,
        source=source,
        prompt=prompt,
        prompt_zh=chinese,
        input_schema=schema,
        arguments=arguments,
        tags=tuple(_texts(members.get("tags"), ("tags",), problems)),
        applies_to=applies_to(members.get("appliesTo"), problems),
        extra=extra,
    )


def _object(value: Any, path: Way, problems: Problems) -> Mapping[str, Any]:
    """An object, empty if it is not there or is none."""
    if isinstance(value, dict):
        return value
    if value is not None:
        problems.add(path, f"has to be an object, not {shown(value)}")
    return {}


def _list(value: Any, path: Way, problems: Problems) -> list[Any]:
    """A list, empty if it is not there or is none."""
    if isinstance(value, list):
        return value
    if value is not None:
        problems.add(path, f"has to be a list, not {shown(value)}")
    return []


def _texts(value: Any, path: Way, problems: Problems) -> list[str]:
    items = _list(value, path, problems)
    for index, item in enumerate(items):
        if not is_text(item):
            problems.add((*path, index), f"has to be a text that is not blank, not {shown(item)}")
    return items


def _prompt(value: Any, problems: Problems) -> tuple[str | None, str | None]:
    """The text of `prompt`, and the role that it names."""
    if value is None or isinstance(value, str):
        return value, None
    if not isinstance(value, dict):
        problems.add(("prompt",), f"has to be a text or an object with a template, not {shown(value)}")
        return None, None
    template, role = value.get("template"), value.get("role")
    if not is_text(template):
        problems.add(("prompt", "template"), f"has to be a text that is not blank, not {shown(template)}")
    if role is not None and role not in _ROLES:
        problems.add(("prompt", "role"), f"has to be one of {', '.join(_ROLES)}, not {shown(role)}")
    return template, role


def _activation(value: Any, problems: Problems) -> None:
    activation = _object(value, ("activation",), problems)
    for member in ("intents", "filePatterns"):
        _texts(activation.get(member), ("activation", member), problems)
    _object(activation.get("repoSignals"), ("activation", "repoSignals"), problems)
    priority = activation.get("priority")
    if priority is not None and (isinstance(priority, bool) or not isinstance(priority, int | float)):
        problems.add(("activation", "priority"), f"has to be a number, not {shown(priority)}")


def _capabilities(value: Any, problems: Problems) -> None:
    capabilities = _object(value, ("capabilities",), problems)
    for member in ("required", "optional", "denied"):
        path: Way = ("capabilities", member)
        for index, item in enumerate(_list(capabilities.get(member), path, problems)):
            if not isinstance(item, str) or not _CAPABILITY.fullmatch(item):
                problems.add((*path, index), f"has to be a name like mcp.prompts.get, not {shown(item)}")


def _context(value: Any, problems: Problems) -> None:
    context = _object(value, ("context",), problems)
    for member in ("subscribe", "publish"):
        path: Way = ("context", member)
        for index, item in enumerate(_list(context.get(member), path, problems)):
            topic = _object(item, (*path, index), problems).get("topic")
            if isinstance(item, dict) and not is_text(topic):
                problems.add((*path, index, "topic"), f"has to be a text that is not blank, not {shown(topic)}")


def _workflow(value: Any, problems: Problems) -> None:
    workflow = _object(value, ("workflow",), problems)
    if not isinstance(workflow.get("strategy"), str | None):
        problems.add(("workflow", "strategy"), f"has to be a text, not {shown(workflow['strategy'])}")
    for index, item in enumerate(_list(workflow.get("steps"), ("workflow", "steps"), problems)):
        path: Way = ("workflow", "steps", index)
        step = _object(item, path, problems)
        for member in ("id", "uses"):
            if isinstance(item, dict) and not is_text(step.get(member)):
                problems.add((*path, member), f"has to be a text that is not blank, not {shown(step.get(member))}")
        for member in ("agentRole", "outputTopic"):
            if not isinstance(step.get(member), str | None):
                problems.add((*path, member), f"has to be a text, not {shown(step[member])}")
        _texts(step.get("dependsOn"), (*path, "dependsOn"), problems)
