"""The settings of skillcentral: `[plugins.skillcentral]` in agenthost.toml, `--set skillcentral.KEY=VALUE`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from agenthost import OperatorError, Trusted
from pydantic import BaseModel, Field, field_validator

from agenthost_skillcentral.layers.presets import PRESETS
from agenthost_skillcentral.layers.shipped import shipped_skills
from agenthost_skillcentral.model import Language, Sources

USER_CONFIG = Path("~/.skill-central/config.yaml")

PROJECT_ROOT_VARIABLE = "SKILL_CENTRAL_PROJECT_ROOT"


class Settings(BaseModel):
    """Where skills are looked for, in which language their texts are given, and whether models may write them.

    Only `writable` is `Trusted`: the rest tells what is read, and the `skill-central.yaml` of a cloned repository could
    name the same folders. What protects is how they are read: only a valid skill is served, no link leads out of a
    layer, and what is said about a broken file quotes no more than a word of it.
    """

    project_root: Path | None = Field(
        None,
        description="The project, or a folder in it; default: $SKILL_CENTRAL_PROJECT_ROOT, else the working directory.",
    )
    user_config: Path = Field(USER_CONFIG, description="The user's own layers, in the form of skill-central.yaml.")
    extra_layers: list[dict[str, Any]] = Field(
        [],
        description="More layers, each as in skill-central.yaml: path and priority, and id, name, scope as you like.",
    )
    presets: list[str] = Field(
        [], description=f"Ready-made layers: the skill folders of these clients ({', '.join(PRESETS)})."
    )
    language: Language = Field(
        "both", description="Which text of a skill in two languages is given: both, en (English) or zh (Chinese)."
    )
    writable: Annotated[bool, Trusted] = Field(
        False, description="Offer the tool reverse_output, with which a model writes skills and rules to files."
    )

    @field_validator("presets")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        for name in names:
            if name not in PRESETS:
                raise ValueError(f"there is no preset {name!r}; there are {', '.join(PRESETS)}")
        return names


def sources(
    settings: Settings,
    base_dir: Path,
    *,
    environment: Mapping[str, str] = os.environ,
    project_root: Path | None = None,
    wanted: Iterable[str] = (),
) -> Sources:
    """Where the library has to look.

    Args:
        settings: the plugin's settings.
        base_dir: where relative paths in them start.
        environment: the process's variables.
        project_root: wins over the settings; of a command's option.
        wanted: the plugins that are to be served, which may bring skills.

    Raises:
        OperatorError: the `~name` of a path is nobody's.
    """
    start = Path.cwd()
    if project_root is not None:
        start /= _expanded(project_root)
    elif settings.project_root is not None:
        start = base_dir / _expanded(settings.project_root)
    elif given := environment.get(PROJECT_ROOT_VARIABLE):
        start /= _expanded(Path(given))
    return Sources(
        start=start,
        user_config=base_dir / _expanded(settings.user_config),
        extra_layers=tuple(settings.extra_layers),
        presets=tuple(settings.presets),
        shipped=shipped_skills(wanted),
    )


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise OperatorError(f"the path {path} cannot be used: {error} Write it out.") from error
