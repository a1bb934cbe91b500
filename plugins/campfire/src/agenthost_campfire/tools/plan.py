"""The tools that read and write the battle plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from agenthost import CallContext, Result, tool
from pydantic import Field

from agenthost_campfire.rules.duel import require_open
from agenthost_campfire.rules.texts import clean_fire_id, clean_optional_name, clean_text
from agenthost_campfire.settings import Settings
from agenthost_campfire.shapes import Plan, Updated
from agenthost_campfire.store import access, plans
from agenthost_campfire.store.duels import rules_now
from agenthost_campfire.store.fires import create, require
from agenthost_campfire.tools.arguments import READS, Author, FireId

if TYPE_CHECKING:
    from agenthost import Transaction


@tool(
    name="campfire_update_battle_plan",
    description=(
        "Write the battle plan of a fire anew, when you have agreed: content replaces the whole plan, the old one "
        "stays in its history. Anyone may, except while a duel is going on. Makes the fire if it is not there. First "
        "read campfire_get_battle_plan and pass its revision as expected_revision, so that nobody's change is lost."
    ),
    annotations={"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False},
)
async def update_battle_plan(
    ctx: CallContext[Settings],
    fire_id: FireId,
    content: Annotated[
        str, Field(description="The whole plan, not a difference; at most 64 KiB unless set otherwise.")
    ],
    expected_revision: Annotated[
        int | None,
        Field(
            ge=0,
            description="The revision your change was made from, 0 for no plan; if it is not the newest, "
            "nothing is written and you get the newest.",
        ),
    ] = None,
    author: Author = None,
) -> Result[Updated]:
    """Write a revision.

    Raises:
        ToolError: an argument is wrong, a duel is going on, or the plan has changed; nothing was written.
    """
    updated = await access.write(
        ctx.store,
        _update,
        clean_fire_id(fire_id),
        clean_text(content, "content", ctx.settings.max_text_bytes),
        expected_revision,
        clean_optional_name(author, "author"),
    )
    made = " The fire was made for it: there was none of that id." if updated["fireCreated"] else ""
    text = (
        f"The battle plan of {updated['fireId']} is at revision {updated['revision']} now (lastSeq "
        f"{updated['lastSeq']}).{made} campfire_get_battle_plan shows it to everybody."
    )
    return Result(text, structured=updated)


@tool(
    name="campfire_get_battle_plan",
    description=(
        "Read the battle plan of a fire and the history of its revisions: who wrote each, when, and whether by an "
        "update or by the verdict of a duel. Anyone may, also during a duel. content is null while there is no plan "
        "(revision 0). Next: campfire_update_battle_plan with expected_revision=revision."
    ),
    annotations=READS,
)
async def get_battle_plan(
    ctx: CallContext[Settings],
    fire_id: FireId,
    revision: Annotated[int | None, Field(ge=1, description="An older revision; left out, the newest.")] = None,
) -> Plan:
    """Read the plan.

    Raises:
        ToolError: there is no such fire or revision.
    """
    return await access.read(ctx.store, _get, clean_fire_id(fire_id), revision)


def _update(tx: Transaction, fire_id: str, content: str, expected: int | None, author: str | None) -> Updated:
    require_open(rules_now(tx, fire_id), "The plan was not changed")
    if expected is not None:
        plans.require_revision(tx, fire_id, expected)
    created = create(tx, fire_id)
    revision = plans.add_revision(tx, fire_id, content, author=author)
    return {"fireId": fire_id, "revision": revision, "fireCreated": created, "lastSeq": require(tx, fire_id)}


def _get(tx: Transaction, fire_id: str, revision: int | None) -> Plan:
    rules_now(tx, fire_id)
    return plans.get(tx, fire_id, revision)
