"""Are the settings right, and will clients find the same ones?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agenthost.assembly import Options
from agenthost.doctor.diagnosis import Diagnosis
from agenthost.errors import ConfigError
from agenthost.profiles import load_profiles
from agenthost.settings import Config, HostSettings, load_config, state_root, user_file, working_directory


@dataclass(frozen=True)
class Read:
    """The settings as far as they could be read.

    Attributes:
        config: what is configured; nothing if it cannot be read.
        settings: the `[host]` table; the defaults if it is wrong.
        faults: what is wrong, in lines.
    """

    config: Config
    settings: HostSettings
    faults: tuple[str, ...] = ()

    @classmethod
    def nothing(cls) -> Read:
        """No configuration at all."""
        return cls(Config(None, None, {}, {}), HostSettings.model_validate({}))


def read_settings(options: Options, environment: Mapping[str, str]) -> Read:
    """Read the configuration, and go on with what can be used of it."""
    nothing = Read.nothing()
    try:
        config = load_config(
            file=options.config, environment=environment, assignments=options.assignments, state_dir=options.state_dir
        )
    except ConfigError as error:
        return Read(nothing.config, nothing.settings, tuple(str(error).splitlines()))
    try:
        settings = config.host_settings()
        state_root(settings, config.base_dir)
    except ConfigError as error:
        return Read(config, nothing.settings, tuple(str(error).splitlines()))
    return Read(config, settings.model_copy(update={"strict": True}) if options.strict else settings)


def check_settings(read: Read, options: Options, environment: Mapping[str, str]) -> Iterator[Diagnosis]:
    """The file, its faults, and what only this shell knows."""
    path, is_local = read.config.path, read.config.untrusted is not None
    for fault in read.faults:
        yield Diagnosis("settings", "error", "config", fault, "correct it; agenthost serve does not start like this")
    if read.faults:
        without = "any configuration" if path is None else "the [host] table"
        yield Diagnosis("settings", "info", "config", f"what follows was looked at without {without}")
    else:
        yield Diagnosis("settings", "ok", "config", str(path or "no file; the defaults apply"))
    if path is not None and is_local:
        text = f"{path} was found in the working directory, and clients start in another one"
        cure = f"give it to clients: --config {path}; or move it to {user_file()}"
        yield Diagnosis("settings", "warning", "config", text, cure)
    for variable, text, cure in _from_shell(read, options, environment):
        for profile in load_profiles():
            if (shell := profile.shell) is not None and variable not in shell.kept:
                effect = "does not pass it on to servers"
                yield Diagnosis(
                    "settings", "warning", f"${variable}", text, cure, "P04", profile.name, shell.source, None, effect
                )


def _from_shell(read: Read, options: Options, environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Each variable of this shell that decides something, what it decides, and how clients get to know it."""
    config = read.config
    cure = "agenthost install writes it into a client's entry; by hand:"
    found = f"this shell finds {config.path} by it"
    if environment.get("AGENTHOST_CONFIG") and options.config is None:
        yield "AGENTHOST_CONFIG", found, f"{cure} --config {config.path}"
    elif environment.get("XDG_CONFIG_HOME") and config.path == user_file():
        yield "XDG_CONFIG_HOME", found, f"{cure} --config {config.path}"
    place = state_root(read.settings, config.base_dir)
    text = f"this shell keeps data in {place} because of it"
    cure = f"{cure} --state-dir {place}"
    if config.sources.get("host.state_dir") == "$AGENTHOST_STATE_DIR":
        yield "AGENTHOST_STATE_DIR", text, cure
    elif environment.get("XDG_STATE_HOME") and read.settings.state_dir is None:
        elsewhere = f"{text}; where it is not set, data is in {_place_without('XDG_STATE_HOME')}"
        yield "XDG_STATE_HOME", elsewhere, cure


def _place_without(variable: str) -> Path:
    """Where data would be kept if this shell did not have the variable."""
    kept = os.environ.pop(variable, None)
    try:
        return state_root(HostSettings.model_validate({}), working_directory())
    finally:
        if kept is not None:
            os.environ[variable] = kept
