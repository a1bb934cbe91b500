"""`agenthost skillcentral workflow`: which workflows there are, what they plan, and the next tasks of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from agenthost import App, PluginContext

from agenthost_skillcentral import tasks
from agenthost_skillcentral.command.looking import (
    Project,
    View,
    json_option,
    look,
    print_json,
    project_options,
    view_of,
    work,
)
from agenthost_skillcentral.command.table import plain, plain_lines, print_table
from agenthost_skillcentral.prompts import explain_absence
from agenthost_skillcentral.settings import Settings
from agenthost_skillcentral.shapes import Report
from agenthost_skillcentral.starting import startable
from agenthost_skillcentral.workflow_views import plan_view
from agenthost_skillcentral.workflows.flaws import faults_of, usable_in


@click.group("workflow")
def workflow() -> None:
    """Look at workflows, begin one, and see what is to be done next in it."""


@workflow.command("list")
@project_options
@json_option
@click.pass_obj
def list_workflows(app: App, *, project_root: Path | None, project_ids: tuple[str, ...], as_json: bool) -> None:
    """List the workflows of this project, and which of them cannot be started."""

    def run(view: View) -> None:
        plans = [_plan(view, skill.id) for skill in view.snapshot.workflows]
        if as_json:
            print_json({"workflows": plans})
            return
        if not plans:
            click.echo("No workflows. A workflow is a skill of the type workflow, with steps.")
            return
        rows = [("ID", "STEPS", "STRATEGY", "DESCRIPTION")]
        for plan in plans:
            flawed = f"CANNOT BE STARTED ({_counted(plan['problems'])}): " if plan["problems"] else ""
            steps = str(len(plan["steps"]))
            rows.append((plan["workflowId"], steps, plan["strategy"], flawed + plan["description"]))
        print_table(rows)

    look(app, Project(project_root, project_ids), run)


@workflow.command("plan")
@click.argument("workflow_id", metavar="WORKFLOW")
@project_options
@json_option
@click.pass_obj
def plan(app: App, *, workflow_id: str, project_root: Path | None, project_ids: tuple[str, ...], as_json: bool) -> None:
    """Show the steps of the workflow with the id WORKFLOW, and what is wrong with it.

    Exit code 1 if it cannot be started: nobody has the id, or there are problems.
    """

    def run(view: View) -> None:
        found = _plan(view, workflow_id)
        if as_json:
            print_json(found)
        else:
            _print_plan(found)
        if found["problems"]:
            raise click.exceptions.Exit(1)

    look(app, Project(project_root, project_ids), run)


@workflow.command("start")
@click.argument("workflow_id", metavar="WORKFLOW")
@project_options
@json_option
@click.pass_obj
def start(
    app: App, *, workflow_id: str, project_root: Path | None, project_ids: tuple[str, ...], as_json: bool
) -> None:
    """Begin a session of the workflow with the id WORKFLOW, and print its id and the first tasks."""

    async def run(plugin: PluginContext[Settings]) -> None:
        view = view_of(plugin, Project(project_root, project_ids))
        chosen = startable(view.snapshot, workflow_id)
        found = await plugin.store.write(tasks.begin, chosen, view.snapshot, view.settings.language)
        if as_json:
            print_json({"sessionId": found["sessionId"], "report": found})
        else:
            _print_report(found)

    work(app, run)


@workflow.command("next")
@click.argument("session")
@project_options
@json_option
@click.pass_obj
def proceed(app: App, *, session: str, project_root: Path | None, project_ids: tuple[str, ...], as_json: bool) -> None:
    """Print how far the session with the id SESSION is, and what is to be done now."""

    async def run(plugin: PluginContext[Settings]) -> None:
        view = view_of(plugin, Project(project_root, project_ids))
        found = await plugin.store.write(tasks.proceed, session, view.snapshot, view.settings.language)
        if as_json:
            print_json(found)
        else:
            _print_report(found)

    work(app, run)


def _counted(problems: list[Any]) -> str:
    return "1 problem" if len(problems) == 1 else f"{len(problems)} problems"


def _plan(view: View, workflow_id: str) -> dict[str, Any]:
    snapshot = view.snapshot
    skill = snapshot.effective(workflow_id)
    if skill is None or skill.type != "workflow":
        absence = explain_absence(snapshot, workflow_id, "workflow")
        raise click.ClickException(
            f"there is no workflow {workflow_id!r}{absence}; agenthost skillcentral workflow list shows all"
        )
    return plan_view(skill, faults_of(skill, usable_in(snapshot.records, snapshot.elsewhere)), view.places)


def _print_plan(found: Mapping[str, Any]) -> None:
    for label in ("workflowId", "name", "description", "strategy", "source"):
        click.echo(f"{label.removesuffix('Id'):<12} {plain(found[label])}")
    if awaited := [topic for topic in found["topics"]["subscribed"] if topic not in found["topics"]["published"]]:
        click.echo(f"{'from outside':<12} {plain(', '.join(awaited))}")
    click.echo()
    rows = [("STEP", "USES", "ROLE", "AFTER", "TOPIC")]
    for step in found["steps"]:
        after = ", ".join(step["dependsOn"])
        rows.append((step["id"], step["uses"], step.get("agentRole", ""), after, step["publishesTopic"]))
    print_table(rows, whole=True)
    if found["problems"]:
        click.echo("\nIt cannot be started before this is mended:")
        for problem in found["problems"]:
            click.echo(f"  {plain(problem['field'])}: {plain(problem['reason'])}")


def _print_report(found: Report) -> None:
    click.echo(f"session    {found['sessionId']}")
    click.echo(f"workflow   {plain(found['workflowId'])}")
    click.echo(f"status     {found['status']}")
    click.echo(f"completed  {plain(', '.join(found['completedStepIds'])) or 'nothing yet'}")
    for reason in found["blockedReasons"]:
        click.echo(f"waiting    {plain(reason)}")
    for task in found["readyTasks"]:
        role = f" as {task['agentRole']}" if "agentRole" in task else ""
        click.echo("\n" + plain(f"{task['stepId']}: use {task['uses']}{role}"))
        for topic in task["subscribeTopics"]:
            click.echo(f"  before: agenthost skillcentral session topic {found['sessionId']} {topic}")
        click.echo(f"  then:   agenthost skillcentral session publish {found['sessionId']} {task['publishTo']} RESULT")
        text = plain_lines(task["promptBundle"]["text"].removeprefix(task["instruction"]).strip())
        click.echo("\n" + "\n".join(f"    {line}".rstrip() for line in text.splitlines()))
