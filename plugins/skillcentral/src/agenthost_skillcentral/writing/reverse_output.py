"""The tool `reverse_output`: what was learnt at work goes back into a file, after checks, and can be taken back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agenthost import CallContext, PluginContext, Tool

from agenthost_skillcentral.formats import read_skill
from agenthost_skillcentral.publishing import catch_up
from agenthost_skillcentral.service import Service
from agenthost_skillcentral.settings import Settings
from agenthost_skillcentral.writing.files import backup_of, locked, read, replace, sha256
from agenthost_skillcentral.writing.places import NotWritten, Place, find_place, open_folder
from agenthost_skillcentral.writing.proposals import Check, Proposal, places_of, proposal_view, propose
from agenthost_skillcentral.writing.requests import INPUT_SCHEMA, Request, Rollback, read_arguments
from agenthost_skillcentral.writing.rules import rule_faults
from agenthost_skillcentral.writing.targets import Target

NAME = "reverse_output"

SCHEMA_VERSION = "skillcentral.dev/reverse-output/v1"

RECORD = "reverse-output.jsonl"
"""In the plugin's state folder: one line for each decision."""

DESCRIPTION = (
    "Write what was learnt back as a skill or rule file. First action preview: it checks, shows the difference and "
    "writes nothing. Then, once the user agrees, apply with decision promote; the new text is served at once. rollback "
    "restores the backup that an update made."
)


def reverse_output_tool(plugin: PluginContext[Settings], service: Service) -> Tool:
    """The tool, for one plugin's skills."""
    writer = Writer(plugin, service)
    return Tool(
        NAME,
        writer.call,
        DESCRIPTION,
        input_schema=INPUT_SCHEMA,
        annotations={"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": False},
    )


class Writer:
    """Does what the tool is asked for."""

    def __init__(self, plugin: PluginContext[Settings], service: Service) -> None:
        self._plugin = plugin
        self._service = service

    def call(self, arguments: dict[str, Any], _ctx: CallContext[Any]) -> dict[str, Any]:
        """Answer one call; in a thread.

        Raises:
            ToolError: the arguments are wrong, or the file cannot be written; nothing was changed.
        """
        action, request = read_arguments(arguments)
        catch_up(self._plugin, self._service, None)
        if isinstance(request, Rollback):
            result = self._roll_back(request)
        elif action == "preview":
            proposal = self._propose(request, _read)
            return self._answer(action, "preview" if proposal.can_apply else "blocked", proposal)
        elif arguments["decision"] == "promote":
            result = self._promote(request)
        else:
            result = self._answer(action, "recorded", self._propose(request, _read))
            result["decision"] = arguments["decision"]
        self._record(result)
        return result

    def _propose(self, request: Request, look: Any) -> Proposal:
        return propose(request, self._service.snapshot, look)

    def _promote(self, request: Request) -> dict[str, Any]:
        proposal = self._propose(request, _read)
        place = proposal.target.place
        if not proposal.can_apply or place is None:
            return self._answer("apply", "blocked", proposal)
        with _open(place, create=True) as folder:
            # Again, now that nobody else can write here.
            proposal = self._propose(request, lambda target: _read_again(target, place, folder))
            if not proposal.can_apply or proposal.data is None:
                return self._answer("apply", "blocked", proposal)
            backup = replace(folder, place.name, proposal.current, proposal.data)
        catch_up(self._plugin, self._service, [place.path])
        result = self._answer("apply", "applied", proposal.with_check(self._verify(proposal, place)))
        result |= {"decision": "promote", "targetPath": self._shown(place.path), "sha256": sha256(proposal.data)}
        if backup is not None:
            result["backupPath"] = self._shown(place.beside(backup).path)
        return result

    def _verify(self, proposal: Proposal, place: Place) -> Check:
        """Is the file what was to be written, and is it served?"""
        request, snapshot = proposal.request, self._service.snapshot
        if _read(Target(place)) != proposal.data:
            return Check("verification", "warning", "somebody has changed the file since it was written")
        if request.asset_type == "rule":
            return Check("verification", "passed", "the file was read again and is the rule")
        record = snapshot.records.get(request.asset_id)
        served = record.effective if record else None
        if served is None or served.source != place.path:
            detail = f"the file is written, and another decides: {record.reason}" if record else "it is not served here"
            return Check("verification", "warning", detail)
        return Check("verification", "passed", "the file was read again and is served")

    def _roll_back(self, request: Rollback) -> dict[str, Any]:
        place = self._place("targetPath", request.target_path)
        backup = self._place("backupPath", request.backup_path)
        if backup.parts[:-1] != place.parts[:-1] or backup.root != place.root or backup_of(backup.name) != place.name:
            raise NotWritten(
                f'Argument "backupPath": it is no backup of targetPath, which are {place.name}.bak.<time> beside it'
            )
        with _open(place, create=False) as folder:
            current, old = read(folder, place.name), read(folder, backup.name)
            if current is None:
                raise NotWritten('Argument "targetPath": there is no such file')
            if old is None:
                raise NotWritten('Argument "backupPath": there is no such file')
            if sha256(current) != request.expected_sha256:
                raise NotWritten(
                    f'Argument "expectedSha256": the file has changed, it has {sha256(current)} now; look at it first'
                )
            if fault := self._fault_of(place, old):
                raise NotWritten(f'Argument "backupPath": the backup cannot be used any more: {fault}')
            kept = replace(folder, place.name, current, old)
        assert kept is not None
        catch_up(self._plugin, self._service, [place.path])
        return {
            "schemaVersion": SCHEMA_VERSION,
            "action": "rollback",
            "status": "rolled-back",
            "targetPath": request.target_path,
            "restoredFrom": request.backup_path,
            "preRollbackBackupPath": self._shown(place.beside(kept).path),
            "sha256": sha256(old),
        }

    def _place(self, argument: str, shown: str) -> Place:
        """The place of a path as results show it."""
        snapshot = self._service.snapshot
        wrong = f'Argument "{argument}": "{shown}" is no file of a layer or rule; take it as apply gave it'
        if "\0" in shown or not shown:
            raise NotWritten(wrong)
        home = Path.home()
        path = home / shown[2:] if shown.startswith("~/") else snapshot.project_root / shown
        if self._shown(path) != shown:  # one file has one path: `..`, `.`, `//` and roundabout ways are none
            raise NotWritten(wrong)
        found = find_place(path, snapshot.layers, snapshot.project_root)
        if found is None:
            raise NotWritten(wrong)
        place, layer = found
        if layer is not None and not layer.writable:
            raise NotWritten(f'Argument "{argument}": the layer "{layer.id}" is not writable')
        return place

    def _fault_of(self, place: Place, data: bytes) -> str | None:
        found = find_place(place.path, self._service.snapshot.layers, self._service.snapshot.project_root)
        layer = found[1] if found else None
        if layer is None:
            return rule_faults(data)
        _, faults = read_skill(data, place.path, layer)
        return "; ".join(fault.reason for fault in faults) or None

    def _answer(self, action: str, status: str, proposal: Proposal) -> dict[str, Any]:
        view = proposal_view(proposal, self._service.snapshot)
        return {"schemaVersion": SCHEMA_VERSION, "action": action, "status": status, "proposal": view}

    def _shown(self, path: Path) -> str:
        return places_of(self._service.snapshot).show(path)

    def _record(self, result: Mapping[str, Any]) -> None:
        """Write down what was decided; what it says of the file is true already."""
        proposal = result.get("proposal", {})
        told = {key: proposal[key] for key in _RECORDED if key in proposal}
        told |= {key: value for key, value in result.items() if key not in {"proposal", "schemaVersion"}}
        line = json.dumps({"at": datetime.now(UTC).isoformat(timespec="seconds"), **told}, ensure_ascii=False)
        try:
            file = os.open(self._plugin.state_dir / RECORD, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, f"{line}\n".encode(errors="replace"))
            finally:
                os.close(file)
        except OSError as error:
            self._plugin.log.warning("the record of reverse_output cannot be written: %s", error)
        where = result.get("targetPath") or proposal.get("assetId")
        self._plugin.log.info("reverse_output: %s %s: %s", result["action"], where, result["status"])


_RECORDED = ("proposalId", "assetType", "operation", "assetId", "placement", "placementReason", "source", "context")


@contextmanager
def _open(place: Place, *, create: bool) -> Iterator[int]:
    try:
        with open_folder(place, create=create) as folder, locked(folder):
            yield folder
    except FileNotFoundError:
        raise NotWritten(f"the folder of {place.name} is not there") from None


def _read_again(target: Target, place: Place, folder: int) -> bytes | None:
    if target.place != place:
        raise NotWritten(f"{place.name} has been moved meanwhile; preview again")
    return read(folder, place.name)


def _read(target: Target) -> bytes | None:
    """What the file of a target holds now."""
    assert target.place is not None
    try:
        with open_folder(target.place) as folder:
            return read(folder, target.place.name)
    except FileNotFoundError:
        return None
