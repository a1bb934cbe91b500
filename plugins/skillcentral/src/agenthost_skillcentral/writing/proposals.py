"""A proposal to write a skill or rule: eleven checks, and what would change. Nothing here writes."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from agenthost_skillcentral.formats import read_skill
from agenthost_skillcentral.formats.problems import FormatError, Problems, field_name
from agenthost_skillcentral.model import Layer, Skill, Snapshot
from agenthost_skillcentral.views import Places
from agenthost_skillcentral.writing.files import sha256
from agenthost_skillcentral.writing.places import NotWritten
from agenthost_skillcentral.writing.requests import Request
from agenthost_skillcentral.writing.rules import check_rule
from agenthost_skillcentral.writing.serialising import to_json, to_yaml
from agenthost_skillcentral.writing.targets import Target, find_target

Status = Literal["passed", "failed", "warning", "not-run"]

MAX_DIFF = 300
"""Lines of a difference that are shown; the rest is counted."""


_NOWHERE = Layer("nowhere", "nowhere", Path("/"))
"""Of a proposal whose layer does not exist: its content is checked all the same."""


@dataclass(frozen=True)
class Check:
    """What one check found.

    Attributes:
        id: its name.
        status: `failed` keeps the proposal from being applied.
        detail: why, for people and models.
    """

    id: str
    status: Status
    detail: str


@dataclass(frozen=True)
class Proposal:
    """What would be written, and whether it may.

    Attributes:
        request: what was asked for.
        target: the file.
        data: what it would hold; None if that cannot be written.
        current: what it holds; None if there is none.
        checks: in the order in which they are always given.
    """

    request: Request
    target: Target
    data: bytes | None
    current: bytes | None
    checks: tuple[Check, ...] = ()

    @property
    def can_apply(self) -> bool:
        """Did no check fail?"""
        return all(check.status != "failed" for check in self.checks)

    @property
    def id(self) -> str:
        """The same for the same proposal."""
        about = (self.request.asset_type, self.request.operation, self.request.target, self.request.asset_id)
        return f"proposal-{sha256('|'.join(about).encode() + (self.data or b''))[:16]}"

    def with_check(self, check: Check) -> Proposal:
        """The same with another result of one check."""
        return replace(self, checks=tuple(check if old.id == check.id else old for old in self.checks))


def propose(request: Request, snapshot: Snapshot, read: Callable[[Target], bytes | None]) -> Proposal:
    """Check a proposal.

    Args:
        request: what is asked for.
        snapshot: what the library holds.
        read: gives what the target holds now; `NotWritten` if it cannot be written.
    """
    target = find_target(request, snapshot)
    current = None
    if target.place is not None:
        try:
            current = read(target)
        except NotWritten as error:
            target = replace(target, place=None, fault=str(error))
    data, scope, faults = _content(request, target)
    proposal = Proposal(request, target, data, current)
    checks = (
        Check("source-context", "passed", "source and context are given"),
        Check("asset-type-target", "passed", f"a {request.asset_type} as {request.placement}"),
        Check("placement-boundary", "passed", request.placement_reason),
        _scope(scope, faults, snapshot),
        _schema(faults),
        _target(request, target, snapshot),
        _duplicate(request, target, current),
        _expected(request, target, current),
        _difference(proposal),
        _backup(request, target),
        Check("verification", "not-run", "runs when the file is written"),
    )
    return replace(proposal, checks=checks)


def _content(request: Request, target: Target) -> tuple[bytes | None, tuple[str, ...] | None, list[tuple[str, str]]]:
    """The file's content, the projects it is for, and what is wrong as pairs of field and reason."""
    suffix = target.place.path.suffix if target.place else ".yaml"
    try:
        data = to_json(request.asset) if suffix.lower() == ".json" else to_yaml(request.asset)
    except FormatError as error:
        return None, None, [("", str(error))]
    problems = Problems()
    if request.asset_type == "rule":
        scope = check_rule(request.asset, problems)
        return data, scope, [(field_name(path) or "", reason) for path, reason in problems.found]
    layer = target.layer or _NOWHERE
    skill, found = read_skill(data, layer.path / f"{request.asset_id}{suffix}", layer)
    return data, skill.applies_to if skill else None, [(fault.field or "", fault.reason) for fault in found]


def _scope(scope: tuple[str, ...] | None, faults: list[tuple[str, str]], snapshot: Snapshot) -> Check:
    wrong = [f"{field}: {reason}" for field, reason in faults if field.startswith("appliesTo")]
    if wrong:
        return Check("scope", "failed", "; ".join(wrong))
    if scope is None:
        return Check("scope", "passed", "it is for all projects")
    if any(project in scope for project in snapshot.project_ids):
        return Check("scope", "passed", f"it is for {', '.join(scope)}, and so for this project")
    return Check("scope", "warning", f"it is for {', '.join(scope)}, and not for this project: it is not served here")


def _schema(faults: list[tuple[str, str]]) -> Check:
    if faults:
        told = "; ".join(f"asset.{field}: {reason}" if field else f"asset {reason}" for field, reason in faults)
        return Check("schema", "failed", told)
    return Check("schema", "passed", "every member is as the format wants it")


def _target(request: Request, target: Target, snapshot: Snapshot) -> Check:
    if target.place is None:
        return Check("target", "failed", target.fault or "there is no such file")
    shown = places_of(snapshot).show(target.place.path)
    if request.target_path is not None and request.target_path != shown:
        return Check("target", "failed", f'the file is {shown}, targetPath says "{request.target_path}"')
    return Check("target", "passed", shown)


def _duplicate(request: Request, target: Target, current: bytes | None) -> Check:
    name = "duplicate-conflict"
    if target.place is None:
        return Check(name, "not-run", "there is no target")
    there = ", ".join(skill.source.name for skill in target.holders)
    if request.operation == "create":
        if target.holders or current is not None:
            file = there or target.place.name
            return Check(name, "failed", f"{request.asset_id} is there already, in {file}; update it, or change the id")
    elif len(target.holders) > 1:
        return Check(name, "failed", f"several files of the layer have the id: {there}; remove all but one")
    elif current is None:
        return Check(name, "failed", f"there is no {request.asset_id} to update; create it")
    if target.layer is not None and target.others:
        return Check(name, "warning", rivals(target.layer, target.others))
    return Check(name, "passed", "nobody else has the id")


def rivals(layer: Layer, others: tuple[Skill, ...]) -> str:
    """Who of several skills with one id will be served."""

    def weight(one: Layer) -> tuple[float, int]:
        return one.priority, -one.distance

    best = max((skill.layer for skill in others), key=weight)
    if weight(best) == weight(layer):
        return f"the layer {best.id} has the id with the same right: neither will be served"
    if weight(best) > weight(layer):
        return f"the layer {best.id} has the id too and wins: this one will not be served"
    return f"the layer {best.id} has the id too; this one wins"


def _expected(request: Request, target: Target, current: bytes | None) -> Check:
    name = "expected-sha256"
    if request.operation == "create" or target.place is None or current is None:
        return Check(name, "not-run", "there is nothing to be replaced")
    now = sha256(current)
    if request.expected_sha256 is None:
        return Check(name, "failed", f"an update needs expectedSha256; the file has {now} now: look at it first")
    if request.expected_sha256 != now:
        return Check(name, "failed", f"the file has changed: it has {now} now; look at it again")
    return Check(name, "passed", "the file is as the caller knows it")


def _difference(proposal: Proposal) -> Check:
    if proposal.data is None or proposal.target.place is None:
        return Check("diff", "not-run", "there is nothing to compare")
    if proposal.data == proposal.current:
        return Check("diff", "warning", "the file holds exactly this already")
    lines = [line for line in _diff(proposal) if line[:1] in "+-" and line[:3] not in {"+++", "---"}]
    added = sum(line[0] == "+" for line in lines)
    return Check("diff", "passed", f"{added} lines added, {len(lines) - added} removed")


def _backup(request: Request, target: Target) -> Check:
    if target.place is None:
        return Check("backup-rollback", "not-run", "there is no target")
    if request.operation == "create":
        return Check("backup-rollback", "passed", "a new file: nothing is lost, and removing it undoes it")
    return Check("backup-rollback", "passed", f"the file is kept as {target.place.name}.bak.<time>")


def _diff(proposal: Proposal) -> Iterator[str]:
    before = (proposal.current or b"").decode(errors="replace").splitlines()
    after = (proposal.data or b"").decode(errors="replace").splitlines()
    return difflib.unified_diff(before, after, "before", "after", lineterm="")


def places_of(snapshot: Snapshot) -> Places:
    """How the files of a snapshot are shown."""
    return Places(snapshot.project_root, Path.home())


def proposal_view(proposal: Proposal, snapshot: Snapshot) -> dict[str, Any]:
    """A proposal as JSON."""
    request, target, places = proposal.request, proposal.target, places_of(snapshot)
    update = request.operation == "update"
    lines = list(_diff(proposal)) if proposal.data is not None and target.place is not None else []
    more = [f"... and {len(lines) - MAX_DIFF} lines more"] if len(lines) > MAX_DIFF else []
    view: dict[str, Any] = {
        "proposalId": proposal.id,
        "assetType": request.asset_type,
        "operation": request.operation,
        "assetId": request.asset_id,
        "placement": request.placement,
        "placementReason": request.placement_reason,
        "source": request.source,
        "context": request.context,
        "target": request.target,
    }
    if target.place is not None:
        view["targetPath"] = places.show(target.place.path)
    view["appliesTo"] = request.asset["appliesTo"]
    if proposal.data is not None:
        view["assetSha256"] = sha256(proposal.data)
    if proposal.current is not None:
        view["currentSha256"] = sha256(proposal.current)
    view["existing"] = [
        {"id": skill.id, "layer": skill.layer.id, "source": places.show(skill.source)}
        for skill in (*target.holders, *target.others)
    ]
    view["checks"] = [{"id": check.id, "status": check.status, "detail": check.detail} for check in proposal.checks]
    view["canApply"] = proposal.can_apply
    view["diffPreview"] = "\n".join([*lines[:MAX_DIFF], *more])
    view["backupRequired"] = update
    view["rollbackPlan"] = (
        "reverse_output with action rollback, and targetPath, backupPath and sha256 as apply gives them"
        if update
        else f"agenthost skillcentral remove {request.asset_id}"
        if request.asset_type == "skill"
        else "remove the file"
    )
    return view
