"""All layers together: the project found, the files merged, the defaults where there is nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agenthost_skillcentral.formats.problems import Problems, field_name
from agenthost_skillcentral.layers import configs, projects
from agenthost_skillcentral.layers.configs import Config, merge
from agenthost_skillcentral.layers.definitions import define
from agenthost_skillcentral.layers.presets import preset_layers
from agenthost_skillcentral.layers.shipped import shipped_layers
from agenthost_skillcentral.model import Fault, Layer, Sources

SKILLS_FOLDER = ".skills"
"""Where the default layers of a project are."""

_DEFAULTS = (("01-global", 10), ("02-workflows", 20), ("03-domains", 30), ("04-tech-stack", 40))


@dataclass(frozen=True)
class Layout:
    """Where skills are looked for, and for which project.

    Attributes:
        project_root: the folder of the project's configuration file; else the one with `.skills`; else the start.
        project_ids: what the project is called.
        layers: in the order of their definition.
        wanted: ids of the layers whose folder has to exist, since somebody named it.
        configs: the files that were read, by path.
        faults: what is wrong with them.
        watched: files whose change makes another layout; some may not exist.
    """

    project_root: Path
    project_ids: tuple[str, ...]
    layers: tuple[Layer, ...]
    wanted: frozenset[str]
    configs: Mapping[Path, Config]
    faults: tuple[Fault, ...]
    watched: tuple[Path, ...]


def find_layout(sources: Sources, previous: Layout | None = None) -> Layout:
    """Read the configuration.

    Args:
        sources: where to look.
        previous: what the last look gave: a file that broke since counts as it was.
    """
    project_root, project_file, candidates = _find_project(sources.start)
    files = [file for file in (sources.user_config, project_file) if file is not None]
    read: dict[Path, Config] = {}
    for file in files:
        config = configs.read(file, project_root, sources.home)
        if config is not None:
            read[file] = _or_last_good(config, previous)
    layers: list[Layer] = []
    for config in read.values():
        for layer in config.layers:
            merge(layers, layer)
    wanted = {layer.id for layer in layers}
    if not layers:
        layers = _default_layers(project_root, sources.home)
    for layer in preset_layers(
        (*sources.presets, *(name for config in read.values() for name in config.presets)), project_root, sources.home
    ):
        merge(layers, layer)
    problems = Problems()
    for index, entry in enumerate(sources.extra_layers):
        extra = define(entry, ("extra_layers", index), project_root, sources.home, problems)
        if extra is not None:
            merge(layers, extra)
            wanted.add(extra.id)
    taken = {name for layer in layers for name in (layer.id, layer.name)}
    brought = [layer for layer in shipped_layers(sources.shipped) if layer.id not in taken]
    layers += brought
    wanted |= {layer.id for layer in brought}
    git_config = _git_config(project_root)
    return Layout(
        project_root=project_root,
        project_ids=projects.project_ids(project_root) if sources.project_ids is None else sources.project_ids,
        layers=tuple(layers),
        wanted=frozenset(wanted),
        configs=read,
        faults=(
            *(fault for config in read.values() for fault in config.faults),
            *(Fault(project_root, reason, field=field_name(path)) for path, reason in problems.found),
            *(
                Fault(project_root, f"skills of the plugin {one.plugin}: {one.problem}")
                for one in sources.shipped
                if one.problem
            ),
        ),
        watched=tuple(
            dict.fromkeys(file for file in (*candidates, sources.user_config, git_config) if file is not None)
        ),
    )


def _find_project(start: Path) -> tuple[Path, Path | None, list[Path]]:
    """The project's folder, its file if it has one, and where one could be.

    Only the folders up to that of the repository are looked at: what lies above is somebody else's.
    """
    repository = projects.repository_root(start)
    places = [start]
    if repository is not None:
        places = [place for place in (start, *start.parents) if place.is_relative_to(repository)]
    candidates = [place / name for place in places for name in configs.NAMES]
    for file in candidates:
        if file.is_file():
            return file.parent, file, candidates
    for place in places:
        if (place / SKILLS_FOLDER).is_dir():
            return place, None, candidates
    return start, None, candidates


def _git_config(project_root: Path) -> Path | None:
    repository = projects.repository_root(project_root)
    return projects.git_config(repository) if repository else None


def _or_last_good(config: Config, previous: Layout | None) -> Config:
    """The file as it is, or as it was before it broke."""
    last = previous.configs.get(config.file) if previous else None
    if config.readable or last is None or not last.readable:
        return config
    return replace(last, faults=tuple(replace(fault, kept=True) for fault in config.faults))


def _default_layers(project_root: Path, home: Path) -> list[Layer]:
    """The user's own skills, and above them four folders in the project."""
    user = Layer("user", "user", home / ".skill-central" / "skills", 5, "user")
    return [
        user,
        *(
            Layer(
                id=name,
                name=name,
                path=project_root / SKILLS_FOLDER / name,
                priority=priority,
                scope="user" if name == "01-global" else "workspace",
                sync=name == "01-global",
            )
            for name, priority in _DEFAULTS
        ),
    ]
