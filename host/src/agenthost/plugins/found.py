"""Which plugins are installed, read from metadata: entry points, and what each distribution requires."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires

import pluggy
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

import agenthost
from agenthost import hookspecs
from agenthost.errors import OperatorError
from agenthost.settings import did_you_mean

HOST = "agenthost-core"
"""The host's distribution."""

GROUP = "agenthost"
"""The entry-point group in which plugins are announced."""

NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")

RESERVED = frozenset(
    # The commands of the host, those announced for later included, so that no plugin can come to hide one.
    "backup call config demo doctor explain init install new plugins prompts resources serve tools "
    # The host's own table in the configuration, and its paths on HTTP.
    "host mcp healthz metrics".split()
)
"""Names that no plugin may have."""


@dataclass(frozen=True)
class Found:
    """An installed plugin, as its distribution's metadata tells; nothing is imported.

    Attributes:
        name: the entry point's name.
        distribution: name of the distribution that offers it, or several joined by `, `.
        version: that distribution's version.
        summary: that distribution's one-line description.
        entry_point: what to import.
        problem: why it can never be loaded, or None.
    """

    name: str
    distribution: str
    version: str
    summary: str
    entry_point: EntryPoint
    problem: str | None = None

    def load_hooks(self) -> pluggy.PluginManager:
        """Import the plugin and register its hook implementations.

        Each plugin has a manager of its own, so that a hook call has one owner and an import that
        was given up on cannot disturb the others later.

        Raises:
            OperatorError: it implements a hook that does not exist, or with arguments that do not, or
                has a function with the name of a hook that is not marked as one.
            Exception: whatever the import raises.
        """
        hooks = pluggy.PluginManager(GROUP)
        hooks.add_hookspecs(hookspecs)
        known = list(vars(hooks.hook))
        module = self.entry_point.load()
        try:
            hooks.register(module, name=self.name)
        except pluggy.PluginValidationError as error:
            raise OperatorError(_foreign_argument(hooks, module) or " ".join(str(error).split())) from error
        marked = {caller.name for caller in hooks.get_hookcallers(module) or ()}
        if unmarked := [name for name in known if name not in marked and callable(getattr(module, name, None))]:
            raise OperatorError(f"{unmarked[0]} is not marked as a hook; write @hookimpl above it")
        if unknown := [name for name in vars(hooks.hook) if name not in known and not _is_optional(hooks, name)]:
            raise OperatorError(f"there is no hook {unknown[0]}{did_you_mean(unknown[0], known)}")
        return hooks


def _is_optional(hooks: pluggy.PluginManager, hook: str) -> bool:
    """Whether the plugin says itself that this hook may be unknown here: `hookimpl(optionalhook=True)`."""
    return all(implementation.optionalhook for implementation in getattr(hooks.hook, hook).get_hookimpls())


def _foreign_argument(hooks: pluggy.PluginManager, plugin: object) -> str | None:
    """Which implementation wants an argument that its hook does not have, in words; None if none does."""
    for name, caller in vars(hooks.hook).items():
        function = getattr(plugin, name, None)
        if caller.spec is None or not callable(function):
            continue
        for parameter in inspect.signature(function).parameters.values():
            if parameter.default is parameter.empty and parameter.name not in caller.spec.argnames:
                takes = " and ".join(caller.spec.argnames) or "no arguments"
                return f"{name} takes {takes}, and there is no {parameter.name!r}"
    return None


def find_plugins() -> dict[str, Found]:
    """All installed plugins by name, in the order of their names."""
    by_name: dict[str, list[EntryPoint]] = {}
    for entry_point in entry_points(group=GROUP):
        by_name.setdefault(entry_point.name, []).append(entry_point)
    return {name: _describe(name, points) for name, points in sorted(by_name.items())}


def _describe(name: str, points: Sequence[EntryPoint]) -> Found:
    owners = {
        f"{point.dist.metadata['Name']} {point.dist.version}" if point.dist else "an unknown distribution": point
        for point in points
    }
    point = points[0]
    problem = None
    if len(owners) > 1:
        problem = f"{' and '.join(sorted(owners))} both offer a plugin of this name; uninstall one"
    elif len(points) > 1:
        problem = f"{' '.join(owners)} offers two plugins of this name; its author has to rename one"
    elif not NAME.fullmatch(name):
        problem = (
            "the name has to be a lower-case letter and up to 39 of a-z, 0-9, _ and -; its author has to rename it"
        )
    elif name in RESERVED:
        problem = "the name is reserved by agenthost; its author has to rename it"
    return Found(
        name,
        ", ".join(sorted({point.dist.metadata["Name"] for point in points if point.dist})),
        point.dist.version if point.dist else "",
        # Not `metadata["Summary"]`: where importlib_metadata is loaded, it raises for what is absent.
        (point.dist.metadata["Summary"] or "") if point.dist and "Summary" in point.dist.metadata else "",
        point,
        problem,
    )


def why_incompatible(found: Found) -> str | None:
    """Why the plugin's distribution does not go with this host, read from its metadata."""
    distribution = found.entry_point.dist
    for line in (distribution.requires if distribution else None) or ():
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if canonicalize_name(requirement.name) != HOST or not applies:
            continue
        if not requirement.specifier.contains(agenthost.__version__, prereleases=True):
            return (
                f"{found.distribution} {found.version} needs {requirement}, and this is agenthost-core "
                f"{agenthost.__version__}; install matching versions, for example with "
                f"pip install --upgrade agenthost-core {found.distribution}"
            )
    return None


def bundled_distributions() -> frozenset[str]:
    """The normalised names of the distributions whose plugins come with the host: what its extra `all` installs.

    Raises:
        OperatorError: the host runs without being installed, so nothing says it.
    """
    try:
        lines = requires(HOST) or []
    except PackageNotFoundError:
        raise OperatorError(
            f"--safe reads from the metadata of {HOST} which plugins come with it, and {HOST} is not installed here; "
            f"pip install {HOST}"
        ) from None
    requirements = [Requirement(line) for line in lines]
    return frozenset(
        canonicalize_name(requirement.name)
        for requirement in requirements
        if (marker := requirement.marker) is not None
        and marker.evaluate({"extra": "all"})
        and not marker.evaluate({"extra": ""})
    )


def explain_not_installed(name: str, found: Mapping[str, Found]) -> str:
    """What to tell somebody who asked for a plugin that is not there."""
    return (
        f"no plugin {name!r} is installed{did_you_mean(name, found)}. "
        f"Installed: {', '.join(found) or 'none'}. To install it: pip install agenthost-{name}"
    )
