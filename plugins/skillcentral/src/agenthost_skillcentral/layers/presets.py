"""Ready-made layers for the folders in which MCP clients keep Agent Skills. None is on unless it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agenthost_skillcentral.model import Layer

_AGENTS = (".agents/skills", "~/.agents/skills")
_COPILOT = (".github/skills", "~/.copilot/skills")

PRESETS: dict[str, tuple[str, ...]] = {
    "agents": _AGENTS,
    "claude-code": (".claude/skills", "~/.claude/skills"),
    "cline": (".cline/skills", "~/.cline/skills"),
    "codex": (*_AGENTS, ".codex/skills", "~/.codex/skills"),
    "copilot-cli": _COPILOT,
    "cursor": (".cursor/skills", "~/.cursor/skills"),
    "gemini-cli": (".gemini/skills", "~/.gemini/skills"),
    "opencode": (".opencode/skills", "~/.config/opencode/skills"),
    "trae": (".trae/skills",),
    "vscode": _COPILOT,
    "windsurf": (".windsurf/skills", "~/.codeium/windsurf/skills"),
}
"""Folders by client, in the project and in the user's home. `agents` is the folder that many clients share."""

_ORDER = list(dict.fromkeys(folder for folders in PRESETS.values() for folder in folders))
_USER, _PROJECT = 1, 2


def preset_layers(names: Iterable[str], project_root: Path, home: Path) -> list[Layer]:
    """The layers of some presets, each folder once.

    All have different priorities below those of the default layers, the folders of the project above those of the
    user: one skill often lies in the folders of several clients, and that is no conflict.
    """
    wanted = {folder for name in names for folder in PRESETS[name]}
    layers = []
    for rank, folder in enumerate(_ORDER):
        if folder in wanted:
            is_users = folder.startswith("~/")
            layers.append(
                Layer(
                    id=folder,
                    name=folder,
                    path=home / folder[2:] if is_users else project_root / folder,
                    priority=(_USER if is_users else _PROJECT) + (len(_ORDER) - rank) / 100,
                    scope="user" if is_users else "workspace",
                    writable=False,
                )
            )
    return layers
