"""`agenthost skillcentral session`: the sessions of workflows, and what was published in them."""

from __future__ import annotations

import json
import sys
from typing import Any, get_args

import click
from agenthost import App, OperatorError, PluginContext

from agenthost_skillcentral import workflow_views as views
from agenthost_skillcentral.command.looking import json_option, print_json, work
from agenthost_skillcentral.command.table import plain, plain_lines, print_table
from agenthost_skillcentral.settings import Settings
from agenthost_skillcentral.shapes import Entry, SessionRecord, Summary
from agenthost_skillcentral.store import sessions
from agenthost_skillcentral.workflows.publishing import KIND, draft
from agenthost_skillcentral.workflows.status import Status

EVERYTHING = 1 << 30
"""As a limit: no limit."""

PRODUCER = "session.publish"


@click.group("session")
def session() -> None:
    """Look at the sessions of workflows, and hand in results."""


@session.command("list")
@click.option("--workflow", "workflow_id", metavar="ID", help="Only sessions of this workflow.")
@click.option("--status", type=click.Choice(get_args(Status)), help="Only sessions in this state.")
@json_option
@click.pass_obj
def list_sessions(app: App, *, workflow_id: str | None, status: str | None, as_json: bool) -> None:
    """List all sessions, the newest first."""

    async def run(plugin: PluginContext[Settings]) -> None:
        found = await plugin.store.read(views.list_sessions, EVERYTHING)
        wanted = [
            one
            for one in found["sessions"]
            if workflow_id in (None, one["workflowId"]) and status in (None, one["status"])
        ]
        if as_json:
            print_json({"sessions": wanted})
        elif not wanted:
            click.echo("No sessions. agenthost skillcentral workflow start begins one.")
        else:
            rows = [("SESSION", "STATUS", "LAST CHANGE", "WORKFLOW")]
            rows += [(one["sessionId"], one["status"], _moment(one["updatedAt"]), one["workflowId"]) for one in wanted]
            print_table(rows, whole=True)

    work(app, run)


@session.command("show")
@click.argument("session_id", metavar="SESSION")
@json_option
@click.pass_obj
def show(app: App, *, session_id: str, as_json: bool) -> None:
    """Show the session with the id SESSION: its plan, what was published, and how its state came about."""

    async def run(plugin: PluginContext[Settings]) -> None:
        record = await plugin.store.read(views.session_record, session_id)
        summary = await plugin.store.read(views.summary, session_id)
        if as_json:
            print_json({**record, "topics": summary["topics"]})
        else:
            _print(record, summary)

    work(app, run)


@session.command("status")
@click.argument("session_id", metavar="SESSION")
@click.argument("status", type=click.Choice(["failed"]), required=False)
@click.option("--reason", default="given up by hand", show_default=True, help="Why it has failed.")
@json_option
@click.pass_obj
def set_status(app: App, *, session_id: str, status: str | None, reason: str, as_json: bool) -> None:
    """Print the state of the session with the id SESSION, or let it fail.

    Every other state follows from what is published. A session that has failed, or is completed, stays so.
    """

    async def run(plugin: PluginContext[Settings]) -> None:
        if status is None:
            found = await plugin.store.read(sessions.require, session_id)
        else:
            found = await plugin.store.write(sessions.give_up, session_id, reason)
        if as_json:
            print_json(views.session_row(found))
        else:
            click.echo(found.status)

    work(app, run)


@session.command("publish")
@click.argument("session_id", metavar="SESSION")
@click.argument("topic")
@click.argument("content")
@click.option("--as-json", "parse", is_flag=True, help="CONTENT is JSON, and kept as the value that it is.")
@click.option("--producer", default=PRODUCER, show_default=True, help="Who made it.")
@click.option("--kind", default=KIND, show_default=True, help="What it is.")
@click.option("--summary", help="The result in one or two sentences.")
@click.option("--refs", help="Addresses that belong to it, separated by commas.")
@json_option
@click.pass_obj
def publish(
    app: App,
    *,
    session_id: str,
    topic: str,
    content: str,
    parse: bool,
    producer: str,
    kind: str,
    summary: str | None,
    refs: str | None,
    as_json: bool,
) -> None:
    """Add CONTENT, a text or - for what comes from standard input, to TOPIC of the session with the id SESSION."""
    text = _standard_input() if content == "-" else content
    value = _parsed(text) if parse else text

    async def run(plugin: PluginContext[Settings]) -> None:
        wanted = draft(topic, value, producer, kind, summary, refs)
        entry = views.entry_view(await plugin.store.write(sessions.publish, session_id, wanted))
        if as_json:
            print_json(entry)
        else:
            click.echo(f"published {entry['entryId']}; agenthost skillcentral workflow next {session_id}")

    work(app, run)


@session.command("topic")
@click.argument("session_id", metavar="SESSION")
@click.argument("topic")
@json_option
@click.pass_obj
def show_topic(app: App, *, session_id: str, topic: str, as_json: bool) -> None:
    """Show everything that was published to TOPIC of the session with the id SESSION, the oldest first."""

    async def run(plugin: PluginContext[Settings]) -> None:
        record = await plugin.store.read(views.topic_record, session_id, topic, EVERYTHING)
        if as_json:
            print_json(record)
            return
        if not record["entries"]:
            click.echo(f"Nothing was published to {plain(topic)} yet.")
        for entry in record["entries"]:
            _print_entry(entry)

    work(app, run)


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise OperatorError(f"what came from standard input is not UTF-8: {error.reason}") from None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OperatorError(f"CONTENT is no JSON ({error}); without --as-json it is kept as a text") from None


def _print(record: SessionRecord, summary: Summary) -> None:
    click.echo(f"session   {record['sessionId']}")
    click.echo(f"workflow  {plain(record['workflowId'])} ({plain(record['plan']['strategy'])})")
    click.echo(f"status    {record['status']}\n")
    entries = {topic["topic"]: topic for topic in summary["topics"]}
    rows = [("TOPIC", "ENTRIES", "NEWEST")]
    for topic in dict.fromkeys([*record["context"]["subscribed"], *record["context"]["published"]]):
        found = entries.get(topic)
        rows.append((topic, str(found["entries"]) if found else "0", found.get("latestSummary", "") if found else ""))
    print_table(rows)
    click.echo()
    for change in record["audit"]:
        before = f"{change['from']} -> " if "from" in change else ""
        click.echo(f"{_moment(change['timestamp'])}  {before}{change['to']}: {plain(change['reason'])}")


def _print_entry(entry: Entry) -> None:
    click.echo(f"{_moment(entry['createdAt'])}  {plain(entry['kind'])} by {plain(entry['producer'])}")
    if "summary" in entry:
        click.echo(f"  {plain(entry['summary'])}")
    for reference in entry["refs"]:
        click.echo(f"  {plain(reference['uri'])}")
    content = entry["content"]
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)
    click.echo("\n".join(f"    {line}".rstrip() for line in plain_lines(text).splitlines()) + "\n")


def _moment(timestamp: str) -> str:
    return timestamp[:19].replace("T", " ")
