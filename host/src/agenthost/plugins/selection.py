"""Who is wanted: `--plugins`, else `[host] plugins`, else everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agenthost.errors import OperatorError
from agenthost.plugins.found import Found, explain_not_installed
from agenthost.settings import HostSettings


@dataclass(frozen=True)
class Selection:
    """The plugins asked for, in order, and whether they were named on the command line."""

    names: tuple[str, ...]
    explicit: bool


def select(option: str | None, settings: HostSettings, found: Mapping[str, Found]) -> Selection:
    """Decide who is wanted: `--plugins a,b`, else `[host] plugins`, else every installed plugin.

    Raises:
        OperatorError: `--plugins` names something that is not installed.
    """
    if option is None:
        names = found if settings.plugins is None else settings.plugins
        return Selection(tuple(dict.fromkeys(names)), explicit=False)
    names = [name.strip() for name in option.split(",") if name.strip()]
    if missing := [explain_not_installed(name, found) for name in names if name not in found]:
        raise OperatorError("\n".join(f"--plugins: {text}" for text in missing))
    return Selection(tuple(dict.fromkeys(names)), explicit=True)
