"""The configuration files that define layers: `skill-central.yaml` of the project, and the user's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agenthost_skillcentral.formats import yaml_text
from agenthost_skillcentral.formats.encoding import decode
from agenthost_skillcentral.formats.problems import FormatError, Problems, field_name, shown
from agenthost_skillcentral.layers.definitions import define
from agenthost_skillcentral.layers.presets import PRESETS
from agenthost_skillcentral.model import Fault, Layer

NAMES = ("skill-central.yaml", "skill-central.yml")
"""What the project's file is called; the first one counts."""

_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Config:
    """What a configuration file says.

    Attributes:
        file: the file.
        layers: those that are right, in the file's order, each id and name once.
        presets: names of ready-made layers.
        faults: what is wrong.
        readable: False if nothing of the file could be used.
    """

    file: Path
    layers: tuple[Layer, ...] = ()
    presets: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    readable: bool = True


def read(file: Path, project_root: Path, home: Path) -> Config | None:
    """What a file says; None if it is not there.

    Args:
        file: the configuration file.
        project_root: what relative paths are relative to, whichever file they stand in.
        home: what `~` stands for.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Config(file, faults=(Fault(file, f"cannot be read: {error.strerror}"),), readable=False)
    try:
        if len(data) > _MAX_BYTES:
            raise FormatError(f"has more than {_MAX_BYTES} bytes")
        text = decode(data)
        if not text.strip():
            # As it is for a moment between being emptied and being filled; that takes no layer away.
            hint = Fault(file, "is empty; write layers into it, or remove it", grave=False)
            return Config(file, faults=(hint,), readable=False)
        members = yaml_text.parse(text)
        if members is None:
            members = {}
        if not isinstance(members, dict):
            raise FormatError(f"has to hold an object with layers, not {shown(members)}", 1)
    except FormatError as error:
        return Config(file, faults=(Fault(file, str(error), error.line, error.column),), readable=False)
    problems, hints = Problems(), Problems()
    layers = _layers(members.get("layers"), file, project_root, home, problems, hints)
    presets = _presets(members.get("layerPresets"), problems)
    faults = [*_faults(problems, text, file), *(replace(hint, grave=False) for hint in _faults(hints, text, file))]
    return Config(file, layers, presets, tuple(faults))


def merge(layers: list[Layer], incoming: Layer) -> None:
    """Put a layer where one of the same id or name is, else at the end."""
    places = [index for index, layer in enumerate(layers) if incoming.id == layer.id or incoming.name == layer.name]
    if not places:
        layers.append(incoming)
        return
    layers[places[0]] = incoming
    for index in reversed(places[1:]):
        del layers[index]


def _layers(
    value: Any, file: Path, project_root: Path, home: Path, problems: Problems, hints: Problems
) -> tuple[Layer, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        problems.add(("layers",), f"has to be a list, not {shown(value)}")
        return ()
    found: list[Layer] = []
    for index, entry in enumerate(value):
        layer = define(entry, ("layers", index), project_root, home, problems, file)
        if layer is None:
            continue
        if any(layer.id == other.id or layer.name == other.name for other in found):
            hints.add(("layers", index), f'takes the place of the layer above that is called "{layer.name}" too')
        merge(found, layer)
    return tuple(found)


def _presets(value: Any, problems: Problems) -> tuple[str, ...]:
    """`layerPresets.active`: a name or a list of names."""
    if value is None:
        return ()
    active = value.get("active") if isinstance(value, dict) else value
    listed = [active] if isinstance(active, str) else active
    if listed is None:
        return ()
    if not isinstance(value, dict) or not isinstance(listed, list):
        problems.add(("layerPresets",), "has to be {active: [...]}")
        return ()
    for index, name in enumerate(listed):
        if not isinstance(name, str) or name not in PRESETS:
            problems.add(("layerPresets", "active", index), f"{shown(name)} is not one of {', '.join(PRESETS)}")
    return tuple(name for name in listed if isinstance(name, str) and name in PRESETS)


def _faults(problems: Problems, text: str, file: Path) -> list[Fault]:
    faults = []
    for path, reason in problems.found:
        line, column = yaml_text.locate(text, path) or (None, None)
        faults.append(Fault(file, reason, line, column, field_name(path)))
    return faults
