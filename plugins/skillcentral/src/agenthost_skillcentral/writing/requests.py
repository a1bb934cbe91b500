"""What `reverse_output` can be asked for: its schema, and the arguments read into what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agenthost import ToolError

from agenthost_skillcentral.checking import check
from agenthost_skillcentral.formats.universal import SCHEMA_VERSION
from agenthost_skillcentral.writing.rules import RULE_V1

SHA256 = "^[0-9a-f]{64}$"

INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {
            "type": "string",
            "enum": ["preview", "apply", "rollback"],
            "description": "preview checks and writes nothing; apply decides; rollback puts a backup back.",
        },
        "assetType": {"type": "string", "enum": ["skill", "rule"], "description": "What to write."},
        "operation": {"type": "string", "enum": ["create", "update"], "description": "A new file, or another content."},
        "source": {"type": "string", "description": "Where the lesson comes from: a review, an incident, a task."},
        "context": {"type": "string", "description": "What happened, so that others can judge it."},
        "target": {
            "type": "string",
            "description": "Of a skill: the id of a writable layer. Of a rule: a folder below .rules, or a dot.",
        },
        "placement": {
            "type": "string",
            "enum": ["skill", "covenant-rule", "ide-native-rule", "project-local"],
            "description": "What it is: skill; covenant-rule for a rule; project-local for a skill of some projects.",
        },
        "placementReason": {"type": "string", "description": "Why it belongs there."},
        "asset": {
            "type": "object",
            "description": (
                f"The whole file as an object: schemaVersion ({SCHEMA_VERSION}, or {RULE_V1} of a rule), id, name, "
                "description, type and prompt (of a rule: body), and appliesTo (global or {projects: [...]})."
            ),
        },
        "decision": {
            "type": "string",
            "enum": ["promote", "defer", "discard"],
            "description": "Of apply: promote writes the file; the others are only recorded.",
        },
        "expectedSha256": {
            "type": "string",
            "pattern": SHA256,
            "description": "Of an update and a rollback: the SHA-256 of the file as it is now; preview tells it.",
        },
        "targetPath": {"type": "string", "description": "Of a rollback: the file, as apply gave it."},
        "backupPath": {"type": "string", "description": "Of a rollback: the backup beside it, as apply gave it."},
    },
    "required": ["action"],
    "additionalProperties": False,
}

_OF_A_PROPOSAL = (
    "assetType",
    "operation",
    "source",
    "context",
    "target",
    "placement",
    "placementReason",
    "asset",
)
_OF_A_ROLLBACK = ("targetPath", "backupPath", "expectedSha256")
_VERSIONS = {"skill": SCHEMA_VERSION, "rule": RULE_V1}
_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True)
class Request:
    """A skill or rule that somebody proposes to write.

    Attributes:
        asset_type: `skill` or `rule`.
        operation: `create` or `update`.
        source: where it comes from.
        context: what happened.
        target: a layer's id or name; of a rule, a folder.
        placement: what it is.
        placement_reason: why it belongs there.
        asset: the file's members.
        expected_sha256: of the file as the caller knows it.
        target_path: the file, if the caller names it.
    """

    asset_type: str
    operation: str
    source: str
    context: str
    target: str
    placement: str
    placement_reason: str
    asset: Mapping[str, Any] = field(repr=False)
    expected_sha256: str | None = None
    target_path: str | None = None

    @property
    def asset_id(self) -> str:
        """The id of the skill or rule."""
        return str(self.asset["id"])


@dataclass(frozen=True)
class Rollback:
    """A file that somebody wants to have as it was.

    Attributes:
        target_path: the file, as results show it.
        backup_path: the backup beside it.
        expected_sha256: of the file as it is now.
    """

    target_path: str
    backup_path: str
    expected_sha256: str


def read_arguments(arguments: Mapping[str, Any]) -> tuple[str, Request | Rollback]:
    """The action, and what it is about.

    Raises:
        ToolError: arguments are missing or wrong; names each.
    """
    checked = check(INPUT_SCHEMA, arguments)
    given = checked.arguments
    faults = list(checked.faults)
    if not faults:
        faults = list(_missing(given)) or list(_unfit(given))
    if faults:
        raise ToolError("\n".join(faults))
    if given["action"] == "rollback":
        return "rollback", Rollback(given["targetPath"], given["backupPath"], given["expectedSha256"])
    request = Request(
        asset_type=given["assetType"],
        operation=given["operation"],
        source=given["source"],
        context=given["context"],
        target=given["target"],
        placement=given["placement"],
        placement_reason=given["placementReason"],
        asset=given["asset"],
        expected_sha256=given.get("expectedSha256"),
        target_path=given.get("targetPath"),
    )
    return given["action"], request


def _missing(given: Mapping[str, Any]) -> Iterator[str]:
    action = given["action"]
    needed = _OF_A_ROLLBACK if action == "rollback" else _OF_A_PROPOSAL
    if action == "apply":
        needed = (*needed, "decision")
    for name in needed:
        value = given.get(name)
        if value is None:
            yield f'Missing required argument: "{name}" (action {action} needs it)'
        elif isinstance(value, str) and not value.strip():
            yield f'Argument "{name}" is blank; action {action} needs it'


def _unfit(given: Mapping[str, Any]) -> Iterator[str]:
    """What cannot be proposed at all, whatever is there already."""
    if given["action"] == "rollback":
        return
    kind, placement, asset = given["assetType"], given["placement"], given["asset"]
    asset_id = asset.get("id")
    if not isinstance(asset_id, str) or not _KEBAB.fullmatch(asset_id):
        yield 'Argument "asset.id" has to be of a-z 0-9, with single hyphens between them, since it names the file'
    if asset.get("schemaVersion") != _VERSIONS[kind]:
        yield f'Argument "asset.schemaVersion" has to be {_VERSIONS[kind]} for a {kind}'
    if "appliesTo" not in asset:
        yield 'Argument "asset.appliesTo" is missing: say global, or {"projects": [...]}'
    if placement == "ide-native-rule":
        yield (
            'Argument "placement": ide-native-rule is not written here; those files belong to the client: agenthost '
            "skillcentral export makes them"
        )
    elif (kind == "rule") != (placement == "covenant-rule"):
        yield (
            f'Argument "placement" is {placement}, which does not go with assetType {kind}: a rule is a covenant-rule, '
            "a skill is a skill or project-local"
        )
    elif placement == "project-local" and asset.get("appliesTo") == "global":
        yield (
            'Argument "asset.appliesTo" is global, which does not go with placement project-local: name the projects, '
            'as {"projects": [...]}'
        )
