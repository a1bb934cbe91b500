"""Does every wanted plugin load?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agenthost.assembly import Assembly
from agenthost.doctor.databases import check_database
from agenthost.doctor.diagnosis import Diagnosis
from agenthost.doctor.environment import check_folder
from agenthost.errors import OperatorError
from agenthost.plugins import Found, Plugin, Selection, select
from agenthost.settings import HostSettings, state_root


def choose(option: str | None, settings: HostSettings, found: Mapping[str, Found]) -> tuple[Selection, list[Diagnosis]]:
    """Who is wanted; what `--plugins` names and is not there is told and left out."""
    try:
        return select(option, settings, found), []
    except OperatorError as error:
        known = [name.strip() for name in (option or "").split(",") if name.strip() in found]
        faults = [
            Diagnosis("plugins", "error", "selection", line, "correct --plugins, or install what is missing")
            for line in str(error).splitlines()
        ]
        return Selection(tuple(dict.fromkeys(known)), explicit=True), faults


def check_plugins(assembly: Assembly) -> Iterator[Diagnosis]:
    """One line for each wanted plugin, then one for the others, then the folder that they need."""
    for plugin in assembly.plugins:
        yield _state(plugin)
    others = [found for name, found in assembly.found.items() if name not in assembly.selection.names]
    if idle := [found.name for found in others if found.problem is None]:
        yield Diagnosis("plugins", "info", "not wanted", ", ".join(idle))
    for found in others:
        if found.problem is not None:
            yield Diagnosis(
                "plugins", "warning", f"plugin {found.name}", found.problem, "uninstall it, or have it corrected"
            )
    if not assembly.selection.names:
        text = "no plugin is wanted, so nothing is served"
        yield Diagnosis("plugins", "warning", "selection", text, "name some with --plugins, or install one")
    keeps = any(plugin.context is not None and plugin.schema is not None for plugin in assembly.plugins)
    folder = state_root(assembly.settings, assembly.config.base_dir)
    yield from check_folder(folder, needed=keeps)
    for plugin in assembly.plugins:
        if plugin.context is not None and plugin.schema is not None:
            yield from check_database(plugin, folder)


def _state(plugin: Plugin) -> Diagnosis:
    subject = f"plugin {plugin.name}"
    if plugin.reason is None:
        version = plugin.found.version if plugin.found else ""
        return Diagnosis("plugins", "ok", subject, f"{version} is loaded", plugin=plugin.name)
    cure = "correct that, or leave it out with --plugins or [host] plugins"
    if plugin.state == "not installed":
        cure = f"pip install agenthost-{plugin.name}, or take the name out of [host] plugins"
    return Diagnosis("plugins", "error", subject, f"{plugin.state}: {plugin.reason}", cure, plugin=plugin.name)
