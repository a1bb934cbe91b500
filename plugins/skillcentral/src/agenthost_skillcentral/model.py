"""What the library holds: layers, skills, what became of each id, and what is wrong with the files; plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Scope = Literal["session", "workspace", "repo", "user", "team", "org"]
SkillType = Literal["prompt", "tool", "workflow", "policy", "context-router"]
SourceFormat = Literal["legacy", "universal", "agent-skill"]
Language = Literal["both", "en", "zh"]
CandidateStatus = Literal["effective", "shadowed", "conflicted"]
RecordStatus = Literal["effective", "conflicted"]

SCOPE_DISTANCES: Mapping[str, int] = {"session": 0, "workspace": 1, "repo": 1, "user": 2, "team": 3, "org": 4}
"""How far a scope is from the work at hand; of two equal priorities, the nearer scope wins."""

RESERVED = frozenset(
    f"{group}{separator}{name}"
    for group, names in (("workflow", ("start", "next", "publish", "summarize")), ("skills", ("compose",)))
    for name in names
    for separator in ("_", ".", ":")
) | {"reverse_output"}
"""Names that skillcentral itself answers to, now or in the original; no skill can have one as its id."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A folder of skills, and how much they weigh against those of other folders.

    Attributes:
        id: unique among all layers.
        name: for people.
        path: the folder, absolute; it may not exist.
        priority: the higher one wins.
        scope: for whom it is; decides between equal priorities.
        writable: may skillcentral write here?
        trust: where its content comes from: `local`, `remote`, `org` or `verified`.
        sync: is it kept in step with others?
        visibility: `private`, `team` or `public`.
        origin: the configuration file that names it; None for a default, a preset and the plugin's settings.
        plugin: the plugin that brings it; None if it is none of a plugin.
    """

    id: str
    name: str
    path: Path
    priority: float = 0.0
    scope: Scope = "workspace"
    writable: bool = True
    trust: str = "local"
    sync: bool = False
    visibility: str = "private"
    origin: Path | None = None
    plugin: str | None = None

    @property
    def distance(self) -> int:
        """How far its scope is from the work at hand: 0 is nearest."""
        return SCOPE_DISTANCES[self.scope]


@dataclass(frozen=True, slots=True)
class Argument:
    """What a prompt can be given.

    Attributes:
        name: the placeholder that it fills.
        description: for people and models.
        required: can the prompt do without?
        title: for people, if it differs from the name.
    """

    name: str
    description: str | None = None
    required: bool = False
    title: str | None = None


Signature = tuple[int, int, int, int]
"""Inode, size in bytes, and the two times of a file: what differs when it has changed."""


def size_of(signature: Signature) -> int:
    """The size of a file, in bytes."""
    return signature[1]


@dataclass(frozen=True, slots=True)
class SkillFolder:
    """What lies in the folder of an Agent Skill, by path below it, with `/` between names.

    Attributes:
        files: all files, `SKILL.md` and those of skills further down included, with their signatures at the last look.
        folders: all folders.
    """

    files: Mapping[str, Signature]
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill, as its file has it, with defaults filled in.

    Attributes:
        id: what it is called by; case counts.
        name: for people.
        description: as in the file; empty if it has none. `described` never is.
        type: only prompts and tools are served as such.
        source_format: of the file.
        layer: where it was found.
        source: its file, absolute.
        prompt: the text; None or blank if there is none.
        prompt_zh: the Chinese text.
        input_schema: a tool's JSON Schema as advertised, every keyword kept; None for other types without one.
        arguments: what a prompt can be given.
        tags: what it is found by.
        applies_to: ids of the projects it is for; None is all.
        extra: the other members of its file that have a meaning, as JSON: `activation`, `capabilities`, `context`,
            `workflow`, `targets`, `degradation`, `inputs`, `outputs`, `metadata`, `version`, `role`, and the front
            matter of an Agent Skill as `frontmatter`.
        content: the `SKILL.md` of an Agent Skill, byte for byte.
    """

    id: str
    name: str
    description: str
    type: SkillType
    source_format: SourceFormat
    layer: Layer
    source: Path
    prompt: str | None = None
    prompt_zh: str | None = None
    input_schema: Mapping[str, Any] | None = None
    arguments: tuple[Argument, ...] = ()
    tags: tuple[str, ...] = ()
    applies_to: tuple[str, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    content: bytes | None = field(default=None, repr=False)

    @property
    def described(self) -> str:
        """The description, or a sentence with the id where the file has none."""
        return self.description if self.description.strip() else f"The skill {self.id}."


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a file; `str()` is one line for people.

    Attributes:
        file: the file or folder, absolute.
        reason: what is wrong, and where it helps, what to write instead.
        line: from 1; None if the fault is in no line.
        column: from 1.
        field: the member at fault, for example `arguments[0].name` or `layers[2].priority`.
        kept: is the last good version of the file still served?
        grave: False for what only costs attention, for example a symlink that is not followed.
    """

    file: Path
    reason: str
    line: int | None = None
    column: int | None = None
    field: str | None = None
    kept: bool = False
    grave: bool = True

    def __str__(self) -> str:
        """`file:line: field: reason`."""
        place = str(self.file) if self.line is None else f"{self.file}:{self.line}"
        named = f"{self.field}: " if self.field else ""
        kept = "; its last good version is still served" if self.kept else ""
        return f"{place}: {named}{self.reason}{kept}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the skills that share an id.

    Attributes:
        skill: the skill.
        status: what became of it.
        shadowed_by: the layer of the one that won.
        rivals: in a conflict, all that nothing puts before or after each other, this one included.
    """

    skill: Skill
    status: CandidateStatus
    shadowed_by: Layer | None = None
    rivals: tuple[Skill, ...] = ()

    @property
    def conflict_with(self) -> tuple[Skill, ...]:
        """The others that nothing puts before or after this one."""
        return tuple(rival for rival in self.rivals if rival is not self.skill)


@dataclass(frozen=True, slots=True)
class Record:
    """What became of one id.

    Attributes:
        id: the id.
        status: is one of the candidates effective?
        reason: why so, for people.
        candidates: the effective one or the conflicting ones first, then the shadowed ones.
    """

    id: str
    status: RecordStatus
    reason: str
    candidates: tuple[Candidate, ...]

    @property
    def effective(self) -> Skill | None:
        """The one that is served; None in a conflict."""
        return self.candidates[0].skill if self.status == "effective" else None


@dataclass(frozen=True)
class Snapshot:
    """All that the library knows at one moment. Nothing in it changes.

    Attributes:
        project_root: the folder that relative paths are relative to.
        project_ids: what the project is called in `appliesTo`.
        layers: in the order of their definition.
        records: one for each id, in the order of ids.
        prompts: the effective ones, in ascending priority, then by id.
        tools: the same of tools.
        workflows: the same of workflows.
        elsewhere: skills that are for other projects.
        faults: what is wrong, in the order of files.
        configs: the configuration files that were read.
        layer_folders: those of the layers, and those below in which a skill may appear; some may not exist.
        watched: files and folders whose change means that `refresh` has something to do; some may not exist.
        folders: what lies beside the `SKILL.md` of each Agent Skill, by that file; not of those that are too large.
    """

    project_root: Path
    project_ids: tuple[str, ...] = ()
    layers: tuple[Layer, ...] = ()
    records: Mapping[str, Record] = field(default_factory=dict)
    prompts: tuple[Skill, ...] = ()
    tools: tuple[Skill, ...] = ()
    workflows: tuple[Skill, ...] = ()
    elsewhere: tuple[Skill, ...] = ()
    faults: tuple[Fault, ...] = ()
    configs: tuple[Path, ...] = ()
    layer_folders: tuple[Path, ...] = ()
    watched: tuple[Path, ...] = ()
    folders: Mapping[Path, SkillFolder] = field(default_factory=dict)

    def effective(self, skill_id: str) -> Skill | None:
        """The skill that is served under an id; None if there is none."""
        record = self.records.get(skill_id)
        return record.effective if record else None

    @property
    def conflicts(self) -> tuple[Record, ...]:
        """The ids that are not served because nothing decides between their candidates."""
        return tuple(record for record in self.records.values() if record.status == "conflicted")


@dataclass(frozen=True, slots=True)
class Shipped:
    """The skills that a plugin brings.

    Attributes:
        plugin: its name.
        folder: where they are; None if that cannot be told.
        problem: what is wrong with how they are announced.
    """

    plugin: str
    folder: Path | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Sources:
    """Where the library looks.

    Attributes:
        start: the folder from which the project is searched upwards, absolute.
        user_config: the user's configuration file; None is none.
        extra_layers: further layers, written as in a configuration file; they win over those of the files.
        presets: names of ready-made layers for the skill folders of clients.
        project_ids: instead of the ids found from git; None is to look.
        home: the user's home, for `~`.
        shipped: the skills that plugins bring.
    """

    start: Path
    user_config: Path | None = None
    extra_layers: tuple[Mapping[str, Any], ...] = ()
    presets: tuple[str, ...] = ()
    project_ids: tuple[str, ...] | None = None
    home: Path = field(default_factory=Path.home)
    shipped: tuple[Shipped, ...] = ()
