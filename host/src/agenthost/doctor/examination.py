"""The examination: one group after the other, each with what the ones before have found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from agenthost.assembly import Assembly, Options
from agenthost.doctor.clients import check_clients
from agenthost.doctor.diagnosis import Diagnosis, Group
from agenthost.doctor.environment import check_installation
from agenthost.doctor.plugins import check_plugins, choose
from agenthost.doctor.settings import Read, check_settings, read_settings
from agenthost.doctor.surface import check_surface
from agenthost.plugins import find_plugins, load_plugins
from agenthost.surface import Surface, read_surface


def examine(options: Options) -> list[Diagnosis]:
    """Look at everything; a check that fails itself is told as well."""
    told: list[Diagnosis] = []
    read = Read.nothing()
    assembly: Assembly | None = None
    surface: Surface | None = None

    def installation() -> Iterable[Diagnosis]:
        return check_installation(find_plugins())

    def settings() -> Iterable[Diagnosis]:
        nonlocal read
        read = read_settings(options, os.environ)
        return check_settings(read, options, os.environ)

    def plugins() -> Iterable[Diagnosis]:
        nonlocal assembly
        found = find_plugins()
        selection, faults = choose(options.plugins, read.settings, found)
        loaded, findings = load_plugins(selection, read.config, read.settings, found)
        assembly = Assembly(read.config, read.settings, found, selection, loaded, findings)
        return [*faults, *check_plugins(assembly)]

    def served() -> Iterable[Diagnosis]:
        nonlocal surface
        if assembly is None:
            return []
        surface = read_surface(assembly)
        return check_surface(assembly, surface)

    def clients() -> Iterable[Diagnosis]:
        return [] if surface is None else check_clients(surface)

    checks: dict[Group, Callable[[], Iterable[Diagnosis]]] = {
        "environment": installation,
        "settings": settings,
        "plugins": plugins,
        "served": served,
        "clients": clients,
    }
    for group, check in checks.items():
        try:
            told += check()
        except Exception as error:  # noqa: BLE001  (whatever is broken here, the rest is still to be told)
            text = f"could not be looked at: {type(error).__name__}: {error}"
            told.append(Diagnosis(group, "error", group, text, "report this with the other lines"))
    return told
