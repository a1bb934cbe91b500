"""One layer as a configuration file or a setting defines it: its members checked, its defaults filled in."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agenthost_skillcentral.formats.members import is_text
from agenthost_skillcentral.formats.problems import Path as Way
from agenthost_skillcentral.formats.problems import Problems, shown
from agenthost_skillcentral.model import SCOPE_DISTANCES, Layer

_TRUST = ("local", "remote", "org", "verified")
_VISIBILITY = ("private", "team", "public")


def define(
    value: Any, path: Way, project_root: Path, home: Path, problems: Problems, origin: Path | None = None
) -> Layer | None:
    """The layer that an entry defines; None if it is wrong, and then the problems say why.

    Args:
        value: the entry.
        path: where it stands, for example `("layers", 2)`.
        project_root: what relative paths are relative to.
        home: what `~` stands for.
        problems: takes what is wrong.
        origin: the file it stands in.
    """
    if not isinstance(value, Mapping):
        problems.add(path, f"has to be an object with path and priority, not {shown(value)}")
        return None
    before = len(problems.found)
    folder = value.get("path")
    if not is_text(folder) or "\0" in folder:
        problems.add((*path, "path"), f"has to be the path of a folder, not {shown(folder)}")
        folder = ""
    given_id, given_name = (_text(value, member, path, problems) for member in ("id", "name"))
    name = given_name or given_id or folder
    layer_id = given_id or _slug(name)
    is_package = "package" in layer_id
    is_global = name == "01-global"
    layer = Layer(
        id=layer_id,
        name=given_name or layer_id,
        path=place(folder, project_root, home),
        priority=_priority(value, path, problems),
        scope=_one_of(value, "scope", tuple(SCOPE_DISTANCES), "user" if is_global else "workspace", path, problems),
        writable=_flag(value, "writable", not is_package, path, problems),
        trust=_one_of(value, "trust", _TRUST, "remote" if is_package else "local", path, problems),
        sync=_sync(value, is_global or is_package, path, problems),
        visibility=_one_of(value, "visibility", _VISIBILITY, "private", path, problems),
        origin=origin,
    )
    return layer if len(problems.found) == before else None


def place(folder: str, project_root: Path, home: Path) -> Path:
    """The folder that a path means, absolute; links in it stay as they are, unless it goes up from one."""
    path = home / folder[2:] if folder == "~" or folder.startswith("~/") else project_root / folder
    return Path(os.path.realpath(path)) if ".." in path.parts else path


def _slug(name: str) -> str:
    """A name as an id: what is neither a letter nor a digit becomes a hyphen."""
    return re.sub(r"[\W_]+", "-", name.casefold()).strip("-") or name


def _text(value: Mapping[str, Any], member: str, path: Way, problems: Problems) -> str | None:
    given = value.get(member)
    if given is None:
        return None
    if not is_text(given):
        problems.add((*path, member), f"has to be a text that is not blank, not {shown(given)}")
        return None
    return given.strip()


def _priority(value: Mapping[str, Any], path: Way, problems: Problems) -> float:
    """A number or a text that is one; null counts as 0."""
    if "priority" not in value:
        problems.add((*path, "priority"), "is missing; the layer with the higher number wins")
        return 0.0
    given = value["priority"]
    if given is None:
        return 0.0
    try:
        if isinstance(given, str | int | float) and not isinstance(given, bool) and math.isfinite(float(given)):
            return float(given)
    except (ValueError, OverflowError):
        pass
    problems.add((*path, "priority"), f"has to be a number, not {shown(given)}")
    return 0.0


def _one_of(
    value: Mapping[str, Any], member: str, known: tuple[Any, ...], default: str, path: Way, problems: Problems
) -> Any:
    given = value.get(member)
    if given is None:
        return default
    if given not in known:
        problems.add((*path, member), f"has to be one of {', '.join(known)}, not {shown(given)}")
        return default
    return given


def _flag(value: Mapping[str, Any], member: str, default: bool, path: Way, problems: Problems) -> bool:
    given = value.get(member)
    if given is None:
        return default
    if not isinstance(given, bool):
        problems.add((*path, member), f"has to be true or false, not {shown(given)}")
        return default
    return given


def _sync(value: Mapping[str, Any], default: bool, path: Way, problems: Problems) -> bool:
    given = value.get("sync")
    if given is None:
        return default
    if not isinstance(given, Mapping):
        problems.add((*path, "sync"), f"has to be an object with enabled, not {shown(given)}")
        return default
    return _flag(given, "enabled", default, (*path, "sync"), problems)
