"""What lies in the folders of Agent Skills, and whether it is too much to be served."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from agenthost_skillcentral.model import Fault, Layer, Signature, SkillFolder, size_of

MAX_FILES = 512
MAX_BYTES = 16 * 1024 * 1024
"""What one skill may hold at most, its `SKILL.md` included, as the extension of the protocol says."""


def skill_folders(
    layer: Layer, skill_files: Iterable[str], files: Mapping[str, Signature], folders: Iterable[str]
) -> tuple[dict[str, SkillFolder], list[Fault]]:
    """What lies beside each `SKILL.md`, and why that of some is not served.

    Args:
        layer: where they are.
        skill_files: the paths of the `SKILL.md`, below the layer.
        files: all files that are in the folder of some skill, by path.
        folders: all folders of the layer.
    """
    file_paths, folder_paths = sorted(files), sorted(folders)
    found: dict[str, SkillFolder] = {}
    faults: list[Fault] = []
    for path in skill_files:
        prefix = path.rpartition("/")[0]
        below = f"{prefix}/" if prefix else ""
        own = {name[len(below) :]: files[name] for name in _beginning_with(below, file_paths)}
        if reason := _too_much(own):
            folder = layer.path / PurePosixPath(prefix)
            faults.append(Fault(folder, f"{reason}, so none of its files is served; its prompt is"))
            continue
        inner = tuple(name[len(below) :] for name in _beginning_with(below, folder_paths))
        found[path] = SkillFolder(own, inner)
    return found, faults


def _beginning_with(prefix: str, names: Sequence[str]) -> Sequence[str]:
    """Those of the sorted names that begin with it."""
    if not prefix:
        return names
    return names[bisect_left(names, prefix) : bisect_left(names, prefix[:-1] + chr(ord("/") + 1))]


def _too_much(files: Mapping[str, Signature]) -> str | None:
    if len(files) > MAX_FILES:
        return f"holds {len(files)} files, and a skill may hold {MAX_FILES}"
    if (size := sum(map(size_of, files.values()))) > MAX_BYTES:
        return f"holds {size} bytes, and a skill may hold {MAX_BYTES}"
    return None
