"""Is the installation whole: versions, requirements, the program that clients start?"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

import agenthost
from agenthost.clients.entry import PROGRAM, find_program
from agenthost.doctor.diagnosis import Diagnosis, Level
from agenthost.errors import OperatorError
from agenthost.plugins import HOST, Found


def check_installation(found: Mapping[str, Found]) -> Iterator[Diagnosis]:
    """Versions, then what does not fit, then the program."""
    text = f"{platform.python_version()} in {sys.prefix}"
    yield Diagnosis("environment", "ok", "Python", text)
    yield Diagnosis("environment", "ok", HOST, f"{agenthost.__version__}, with mcp {_version('mcp') or 'missing'}")
    if plugins := {f"{plugin.distribution} {plugin.version}" for plugin in found.values()}:
        yield Diagnosis("environment", "ok", "plugins", ", ".join(sorted(plugins)))
    yield from _unmet({HOST, *(plugin.distribution for plugin in found.values() if "," not in plugin.distribution)})
    yield from _program()


def _unmet(distributions: set[str]) -> Iterator[Diagnosis]:
    """Requirements of our distributions that this environment does not meet."""
    for name in sorted(distributions):
        try:
            lines = requires(name) or []
        except PackageNotFoundError:
            cure = f"install it: {sys.executable} -m pip install {name}"
            yield Diagnosis("environment", "warning", name, "runs without being installed", cure)
            continue
        for line in lines:
            try:
                requirement = Requirement(line)
            except InvalidRequirement:
                continue
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
                continue
            there = _version(requirement.name)
            if there is None or not requirement.specifier.contains(there, prereleases=True):
                text = f"needs {requirement.name} {requirement.specifier}, and {there or 'none'} is installed"
                cure = f"{sys.executable} -m pip install --upgrade {name}"
                yield Diagnosis("environment", "warning", name, text, cure)


def _program() -> Iterator[Diagnosis]:
    """The program that clients are given, and whether people get the same one."""
    try:
        program = find_program()
    except OperatorError as error:
        cure = f"{sys.executable} -m pip install {HOST}"
        yield Diagnosis("environment", "warning", "command", str(error), cure)
        return
    yield Diagnosis("environment", "ok", "command", f"{program}; give clients this absolute path")
    on_path = shutil.which(PROGRAM)
    if on_path is None:
        text = f"{PROGRAM} is not on PATH; clients with the absolute path do not mind"
        yield Diagnosis("environment", "info", "command", text)
    elif Path(on_path).resolve() != program.resolve():
        text = f"typing {PROGRAM} runs another one: {on_path}"
        yield Diagnosis("environment", "warning", "command", text, f"use {program}, or put its folder first on PATH")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def check_folder(folder: Path, *, needed: bool) -> Iterator[Diagnosis]:
    """The state folder: can it be used, and by this user alone?

    Args:
        folder: where it is, or will be.
        needed: whether a wanted plugin keeps data in it.
    """
    level: Level = "error" if needed else "warning"
    there = next((place for place in (folder, *folder.parents) if place.exists()), Path("/"))
    cure = "choose another one: --state-dir, or [host] state_dir"
    if not there.is_dir():
        yield Diagnosis("settings", level, "state folder", f"{folder}: {there} is no folder", cure)
    elif not os.access(there, os.W_OK | os.X_OK):
        text = f"{folder}: this user may not write to {there}, so plugins cannot keep anything"
        yield Diagnosis("settings", level, "state folder", text, cure)
    elif there != folder:
        yield Diagnosis("settings", "ok", "state folder", f"{folder}; it is made when a plugin needs it")
    else:
        facts = folder.stat()
        yield Diagnosis("settings", "ok", "state folder", f"{folder}, mode {facts.st_mode & 0o7777:04o}")
        if facts.st_uid not in (os.geteuid(), 0):
            text = f"{folder} belongs to another user (id {facts.st_uid})"
            yield Diagnosis("settings", "warning", "state folder", text, cure)
        if facts.st_mode & 0o022:
            text = f"others may change what is in {folder}"
            yield Diagnosis("settings", "warning", "state folder", text, f"chmod go-w {folder}")
