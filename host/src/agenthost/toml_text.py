"""Values as TOML text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def inline(value: Any) -> str:
    """A value as it stands behind `key =`, on one line.

    Raises:
        TypeError: TOML has no such value; None is the usual one.
    """
    import tomli_w

    if isinstance(value, Mapping):
        members = ", ".join(f"{key(name)} = {inline(item)}" for name, item in value.items())
        return f"{{ {members} }}" if members else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(inline, value))}]"
    return tomli_w.dumps({"value": value}).removeprefix("value = ").rstrip("\n")


def key(name: str) -> str:
    """A key as TOML wants it: quoted unless it is a plain word."""
    return name if _BARE.fullmatch(name) else inline(name)
