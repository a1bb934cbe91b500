"""Members that skill files of several formats share: arguments, tags, projects, schemas, texts in two languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from agenthost_skillcentral.formats.problems import Path, Problems, shown
from agenthost_skillcentral.layers import projects
from agenthost_skillcentral.model import Argument
from agenthost_skillcentral.schemas import faults_of

MAX_TEXT = 64 * 1024
"""Characters of a description, as many as the host lets pass."""


def is_text(value: Any) -> TypeGuard[str]:
    """Is it a text, and not a blank one?"""
    return isinstance(value, str) and bool(value.strip())


def description_of(value: Any, problems: Problems) -> str:
    """A description that is not too long for clients."""
    text = value if isinstance(value, str) else ""
    if len(text) > MAX_TEXT:
        problems.add(("description",), f"has {len(text)} characters, at most {MAX_TEXT} are possible")
    return text


def arguments_of(value: Any, problems: Problems) -> tuple[Argument, ...]:
    """What `arguments` lists."""
    if value is None:
        return ()
    if not isinstance(value, list):
        problems.add(("arguments",), f"has to be a list, not {shown(value)}")
        return ()
    found: dict[str, Argument] = {}
    for index, item in enumerate(value):
        path: Path = ("arguments", index)
        if not isinstance(item, dict):
            problems.add(path, f"has to be an object with a name, not {shown(item)}")
            continue
        name = item.get("name")
        if not is_text(name):
            problems.add((*path, "name"), "has to be a text that is not blank")
            continue
        if name in found:
            problems.add((*path, "name"), f"{shown(name)} is there twice")
        for member in ("description", "title"):
            if not isinstance(item.get(member), str | None):
                problems.add((*path, member), f"has to be a text, not {shown(item[member])}")
        required = item.get("required", False)
        if not isinstance(required, bool):
            problems.add((*path, "required"), f"has to be true or false, not {shown(required)}")
        found[name] = Argument(name, item.get("description"), required, item.get("title"))
    return tuple(found.values())


def applies_to(value: Any, problems: Problems) -> tuple[str, ...] | None:
    """The ids of the projects that a skill is for; None is all."""
    if value is None or value == "global":
        return None
    path: Path = ("appliesTo",)
    if not isinstance(value, dict) or set(value) != {"projects"}:
        problems.add(path, "has to be global or {projects: [...]} without other members")
        return None
    listed = value["projects"]
    path = ("appliesTo", "projects")
    if not isinstance(listed, list) or not listed:
        problems.add(path, "has to be a list of at least one project")
        return None
    found: list[str] = []
    for index, item in enumerate(listed):
        if not isinstance(item, str):
            problems.add((*path, index), f"has to be a text, not {shown(item)}")
            continue
        try:
            project = projects.normalise(item)
        except ValueError as error:
            problems.add((*path, index), str(error))
            continue
        if project in found:
            problems.add((*path, index), f"{shown(item)} is there twice")
        found.append(project)
    return tuple(found)


def input_schema(value: Any, arguments: tuple[Argument, ...], member: str, problems: Problems) -> Mapping[str, Any]:
    """A tool's schema as it is advertised: the file's with every keyword, else one derived from `arguments`."""
    if value is None:
        properties = {
            argument.name: {
                "type": "string",
                **({"title": argument.title} if argument.title else {}),
                **({"description": argument.description} if argument.description else {}),
            }
            for argument in arguments
        }
        required = [argument.name for argument in arguments if argument.required]
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}
    if not isinstance(value, dict):
        problems.add((member,), f"has to be an object, not {shown(value)}")
        return {}
    kind = value.get("type", "object")
    if kind != "object":
        problems.add((member, "type"), f"has to be object, since arguments have names; it is {shown(kind)}")
    for path, reason in faults_of(value):
        problems.add((member, *path), reason)
    return {"type": "object", **value} if "properties" in value else {"type": "object", "properties": {}, **value}


def texts(members: Mapping[str, Any], prompt: Any, problems: Problems) -> tuple[str | None, str | None]:
    """The text in English and in Chinese."""
    chinese = members.get("prompt_zh")
    if not isinstance(chinese, str | None):
        problems.add(("prompt_zh",), f"has to be a text, not {shown(chinese)}")
        chinese = None
    return prompt, chinese


def need_text(prompt: str | None, chinese: str | None, problems: Problems) -> None:
    """A prompt has to say something."""
    if not problems.found and not is_text(prompt) and not is_text(chinese):
        problems.add(("prompt",), "is missing: a prompt needs a text in prompt or prompt_zh")
