"""Who is wanted: `--plugins`, else `[host] plugins`, else everybody."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from packaging.utils import canonicalize_name

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


def keep_bundled(
    selection: Selection, found: Mapping[str, Found], bundled: Collection[str]
) -> tuple[Selection, tuple[str, ...]]:
    """What `--safe` leaves of a selection, and the names that it takes out of it.

    What is not installed stays, to be reported as ever.

    Args:
        selection: what is wanted.
        found: the installed plugins.
        bundled: the normalised names of the distributions whose plugins are kept.

    Raises:
        OperatorError: `--plugins` names another plugin.
    """
    others = tuple(
        name for name in selection.names if name in found and canonicalize_name(found[name].distribution) not in bundled
    )
    if others and selection.explicit:
        named = ", ".join(f"{name} ({found[name].distribution})" for name in others)
        raise OperatorError(
            f"--safe serves only the plugins of {', '.join(sorted(bundled))}, and --plugins names {named}; "
            "leave that out, or --safe"
        )
    return replace(selection, names=tuple(name for name in selection.names if name not in others)), others
