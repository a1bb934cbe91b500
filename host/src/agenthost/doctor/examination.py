"""The examination: one group after the other, each with what the ones before have found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from agenthost.assembly import Assembly, Options
from agenthost.doctor.clients import check_clients
from agenthost.doctor.diagnosis import Diagnosis, Group
from agenthost.doctor.environment import check_installation
from agenthost.doctor.last_run import check_last_run
from agenthost.doctor.plugins import check_plugins, choose
from agenthost.doctor.settings import Read, check_settings, read_settings
from agenthost.doctor.surface import check_surface
from agenthost.plugins import find_plugins, load_plugins
from agenthost.settings import state_root
from agenthost.surface import Surface, read_surface


def examine(options: Options) -> list[Diagnosis]:
    """Look at everything; a check that fails itself is told as well."""
    told: list[Diagnosis] = []
    for group, check in _Examination(options).checks.items():
        try:
            told += check()
        except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever is broken, the rest is still to be told)
            text = f"could not be looked at: {type(error).__name__}: {error}"
            told.append(Diagnosis(group, "error", group, text, "report this with the other lines"))
    return told


@dataclass
class _Examination:
    """What is known so far.

    Attributes:
        options: what the operator typed.
        read: the settings.
        assembly: the loaded plugins; None before, and if that failed.
        surface: what they offer; None before, and if that failed.
    """

    options: Options
    read: Read = field(default_factory=Read.nothing)
    assembly: Assembly | None = None
    surface: Surface | None = None

    @property
    def checks(self) -> Mapping[Group, Callable[[], Iterable[Diagnosis]]]:
        """The checks in their order, each of a group."""
        return {
            "environment": lambda: check_installation(find_plugins()),
            "settings": self._settings,
            "plugins": self._plugins,
            "served": self._served,
            "run": lambda: check_last_run(state_root(self.read.settings, self.read.config.base_dir)),
            "clients": lambda: [] if self.surface is None else check_clients(self.surface),
        }

    def _settings(self) -> Iterable[Diagnosis]:
        self.read = read_settings(self.options, os.environ)
        return check_settings(self.read, self.options, os.environ)

    def _plugins(self) -> Iterable[Diagnosis]:
        config, settings, found = self.read.config, self.read.settings, find_plugins()
        selection, faults = choose(self.options.plugins, settings, found)
        plugins, findings = load_plugins(selection, config, settings, found)
        self.assembly = Assembly(config, settings, found, selection, plugins, findings)
        return [*faults, *check_plugins(self.assembly)]

    def _served(self) -> Iterable[Diagnosis]:
        if self.assembly is None:
            return []
        self.surface = read_surface(self.assembly)
        return check_surface(self.assembly, self.surface)
