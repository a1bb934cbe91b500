"""Finds the workflow that somebody wants to start, or says why there is none."""

from __future__ import annotations

from agenthost import ToolError

from agenthost_skillcentral.model import Snapshot
from agenthost_skillcentral.prompts import explain_absence
from agenthost_skillcentral.workflows.flaws import faults_of, usable_in
from agenthost_skillcentral.workflows.plan import Plan, plan_of
from agenthost_skillcentral.workflows.publishing import shown

MAX_NAMED = 20
"""Workflows that an error names."""


def startable(snapshot: Snapshot, workflow_id: str) -> Plan:
    """The plan of a workflow that can be started.

    Raises:
        ToolError: there is no such workflow, or something is wrong with it.
    """
    skill = snapshot.effective(workflow_id)
    if skill is None or skill.type != "workflow":
        why = explain_absence(snapshot, workflow_id, "workflow")
        raise ToolError(f"workflowId: there is no workflow {shown(workflow_id)}{why}. {_workflows(snapshot)}")
    faults = faults_of(skill, usable_in(snapshot.records, snapshot.elsewhere))
    if faults:
        lines = "\n".join(f"- {fault.field}: {fault.reason}" for fault in faults)
        raise ToolError(
            f"workflowId: the workflow {shown(workflow_id)} cannot be started before this is mended:\n{lines}"
        )
    return plan_of(skill)


def _workflows(snapshot: Snapshot) -> str:
    ids = [skill.id for skill in snapshot.workflows]
    if not ids:
        return "There is none at all; skill://registry lists all skills."
    more = f" and {len(ids) - MAX_NAMED} more" if len(ids) > MAX_NAMED else ""
    return f"There are: {', '.join(ids[:MAX_NAMED])}{more}."
