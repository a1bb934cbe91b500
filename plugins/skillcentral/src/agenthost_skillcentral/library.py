"""Loads skills, and reads again what has changed."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from agenthost_skillcentral.files import NOTHING, Contents, Entry, scan
from agenthost_skillcentral.layers.layout import Layout, find_layout
from agenthost_skillcentral.model import Fault, Layer, Record, Skill, Snapshot, Sources
from agenthost_skillcentral.resolving import is_for, resolve
from agenthost_skillcentral.workflows.flaws import faults_of, usable_in


class Library:
    """The skills of all layers, in memory. One thread at a time may load or refresh; snapshots are for all."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._layout: Layout | None = None
        self._contents: dict[str, tuple[Layer, Contents]] = {}
        self._snapshot: Snapshot | None = None

    def load(self) -> Snapshot:
        """Read everything anew; nothing that was known before counts."""
        self._layout, self._contents, self._snapshot = None, {}, None
        with _without_garbage_collection():
            return self.refresh()

    def refresh(self, paths: Iterable[Path] | None = None) -> Snapshot:
        """Read again what has changed.

        A file that broke keeps its last good version, and a fault says so; a file that is gone is gone.

        Args:
            paths: what may have changed, files or folders, absolute; None is anything.

        Returns:
            The new snapshot; the very same object if nothing has changed.
        """
        changed = None if paths is None else {str(path) for path in paths}
        layout = self._layout
        if layout is None or changed is None or not changed.isdisjoint(map(str, layout.watched)):
            layout = find_layout(self._sources, layout)
        contents = self._scan(layout, changed)
        if self._snapshot is None or layout != self._layout or contents != self._contents:
            known = self._snapshot.records if self._snapshot else {}
            self._snapshot = _snapshot(layout, contents, known)
        self._layout, self._contents = layout, contents
        return self._snapshot

    def _scan(self, layout: Layout, changed: set[str] | None) -> dict[str, tuple[Layer, Contents]]:
        """What each layer holds now, by its id."""
        real = {layer.path: os.path.realpath(layer.path) for layer in layout.layers}
        roots = set(real.values())
        found = {}
        for layer in layout.layers:
            old_layer, known = self._contents.get(layer.id, (layer, NOTHING))
            if old_layer != layer:
                known = _redefined(known, layer) if old_layer.path == layer.path else NOTHING
            names = None if changed is None else _below({str(layer.path), real[layer.path]}, changed)
            if names is not None and not names and old_layer == layer and layer.id in self._contents:
                found[layer.id] = layer, known
            else:
                found[layer.id] = layer, _scanned(layer, known, names or (), roots, layer.id in layout.wanted)
        return found


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Loading makes many objects and hardly any garbage; looking for it took a third of the time with 10,000 skills."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _below(roots: set[str], changed: set[str]) -> set[str]:
    """The changed paths in a layer, relative to its folder; a folder around it counts as the folder itself."""
    names = set()
    for path in changed:
        for root in roots:
            if path == root or root.startswith(f"{path}/"):
                names.add("")
            elif path.startswith(f"{root}/"):
                names.add(path[len(root) + 1 :])
    return names


def _scanned(layer: Layer, known: Contents, names: Iterable[str], roots: set[str], wanted: bool) -> Contents:
    try:
        return scan(layer, known, set(names), roots)
    except (FileNotFoundError, NotADirectoryError):
        faults = (Fault(layer.path, f'is no folder; the layer "{layer.name}" holds nothing'),) if wanted else ()
    except OSError as error:
        faults = (Fault(layer.path, f"cannot be opened: {error.strerror}"),)
    return Contents({}, faults)


def _redefined(contents: Contents, layer: Layer) -> Contents:
    """The same files in a layer that is defined otherwise now."""

    def redefined(entry: Entry) -> Entry:
        return replace(entry, skill=replace(entry.skill, layer=layer)) if entry.skill else entry

    return replace(contents, entries={path: redefined(entry) for path, entry in contents.entries.items()})


def _snapshot(layout: Layout, contents: Mapping[str, tuple[Layer, Contents]], known: Mapping[str, Record]) -> Snapshot:
    here: list[Skill] = []
    elsewhere: list[Skill] = []
    faults = list(layout.faults)
    for _, held in contents.values():
        faults += held.faults
        for entry in held.entries.values():
            faults += entry.faults
            if entry.skill is not None:
                (here if is_for(entry.skill, layout.project_ids) else elsewhere).append(entry.skill)
    records = resolve(here, known)
    unusable = usable_in(records, elsewhere)
    for skill in here:
        if skill.type == "workflow":
            faults += faults_of(skill, unusable)
    effective = (record.candidates[0].skill for record in records.values() if record.status == "effective")
    served = sorted(effective, key=lambda skill: skill.layer.priority)  # within a priority the order of ids stays
    layer_folders = tuple(_folders(contents.values()))
    return Snapshot(
        project_root=layout.project_root,
        project_ids=layout.project_ids,
        layers=layout.layers,
        records=records,
        prompts=tuple(skill for skill in served if skill.type == "prompt"),
        tools=tuple(skill for skill in served if skill.type == "tool"),
        workflows=tuple(skill for skill in served if skill.type == "workflow"),
        elsewhere=tuple(elsewhere),
        faults=tuple(faults),
        configs=tuple(layout.configs),
        layer_folders=layer_folders,
        watched=(*layout.watched, *layer_folders),
        folders={
            found.source: folder
            for _, held in contents.values()
            for path, folder in held.skill_folders.items()
            if (found := held.entries[path].skill) is not None
        },
    )


def _folders(contents: Iterable[tuple[Layer, Contents]]) -> Iterator[Path]:
    """The folders of the layers, and those below in which a skill may appear."""
    for layer, held in contents:
        yield layer.path
        yield from held.folders.values()
