"""The tools that post and read messages."""

from __future__ import annotations

from typing import Annotated

from agenthost import CallContext, Result, tool
from pydantic import Field

from agenthost_campfire.rules.texts import clean_fire_id, clean_mark, clean_optional_name, clean_text
from agenthost_campfire.settings import Settings
from agenthost_campfire.shapes import Message, Messages
from agenthost_campfire.store import access, messages
from agenthost_campfire.store.messages import Draft, Query
from agenthost_campfire.store.searching import search as search_messages
from agenthost_campfire.tools.answers import in_json
from agenthost_campfire.tools.arguments import ADDS, READS, Author, FireId

TextArgument = Annotated[
    str, Field(description="What you say: not blank, at most 64 KiB unless the operator set another limit.")
]
ReplyTo = Annotated[str | None, Field(description="The id of the message of this fire that you answer, msg-...")]
ClientId = Annotated[
    str | None,
    Field(description="Any id of your own for this message; if you send it again, it is still stored only once."),
]


@tool(
    name="campfire_post_message",
    description=(
        "Post a message to a fire that is there. Anyone may, except while a duel is going on there: then it is refused "
        "and the answer says who is awaited. Gives the stored message with its id and number (seq). The same as "
        "campfire_speak_to_party. Next: campfire_wait, with the newest seq you had read before, to hear the others."
    ),
    annotations=ADDS,
)
async def post_message(
    ctx: CallContext[Settings],
    fire_id: FireId,
    text: TextArgument,
    author: Author = None,
    reply_to: ReplyTo = None,
    client_id: ClientId = None,
) -> Message:
    """Post a message.

    Raises:
        ToolError: an argument is wrong, there is no such fire, or a duel is going on; nothing was posted.
    """
    return await _post(ctx, fire_id, text, author, reply_to, client_id)


@tool(
    name="campfire_speak_to_party",
    description=(
        "Say something to everybody at a fire, to debate the plan before and after duels. Anyone may, except while a "
        "duel is going on there: then it is refused and the answer says who is awaited. Next: campfire_wait, with the "
        "newest seq you had read before, to hear the others; campfire_update_battle_plan once you agree."
    ),
    annotations=ADDS,
)
async def speak_to_party(
    ctx: CallContext[Settings],
    fire_id: FireId,
    text: TextArgument,
    author: Author = None,
    reply_to: ReplyTo = None,
    client_id: ClientId = None,
) -> Message:
    """Post a message.

    Raises:
        ToolError: an argument is wrong, there is no such fire, or a duel is going on; nothing was posted.
    """
    return await _post(ctx, fire_id, text, author, reply_to, client_id)


@tool(
    name="campfire_list_messages",
    description=(
        "Read the messages of a fire, in order: the newest 200, or a part of them. Anyone may, also during a duel. An "
        "answer holds at most 48 KiB; hasMore says that there is more: pass the first seq as before for older ones, "
        "or, if you gave after, the last seq as after. Next: campfire_wait with after=lastSeq."
    ),
    annotations=READS,
)
async def list_messages(
    ctx: CallContext[Settings],
    fire_id: FireId,
    after: Annotated[int | None, Field(ge=0, description="Only what came after this seq, oldest first.")] = None,
    before: Annotated[int | None, Field(ge=1, description="Only what came before this seq.")] = None,
    limit: Annotated[int | None, Field(ge=1, le=1000, description="How many at most, 1 to 1000; default 200.")] = None,
    author: Annotated[str | None, Field(description="Only what was said under this name, whatever its case.")] = None,
    search: Annotated[
        str | None,
        Field(description="Only texts that hold this, whatever the case: the newest matches among 100,000 messages."),
    ] = None,
) -> Result[Messages]:
    """Read messages.

    Raises:
        ToolError: an argument is wrong, or there is no such fire.
    """
    query = Query(
        after,
        before,
        200 if limit is None else limit,
        clean_optional_name(author, "author"),
        search if search is not None and search.strip() else None,
    )
    fire = clean_fire_id(fire_id)
    if query.search is not None:
        answer = await search_messages(ctx.store, fire, query)
    else:
        answer = await access.read(ctx.store, messages.page, fire, query)
    text = in_json(answer["messages"])
    return Result(*((text, more) if (more := _what_is_left(answer, query)) else (text,)), structured=answer)


def _what_is_left(answer: Messages, query: Query) -> str:
    """What the text says beside the messages; nothing if they are all."""
    if not answer["hasMore"]:
        return ""
    if (back_to := answer.get("searchedBackTo")) is not None:
        return f"Searched back to seq {back_to} only; call again with before={back_to} to search what is older."
    shown = answer["messages"]
    if query.after is not None and query.search is None:
        return f"There are newer ones: call again with after={shown[-1]['seq']} (lastSeq is {answer['lastSeq']})."
    return f"There are older ones: call again with before={shown[0]['seq']} (lastSeq is {answer['lastSeq']})."


async def _post(
    ctx: CallContext[Settings],
    fire_id: str,
    text: str,
    author: str | None,
    reply_to: str | None,
    client_id: str | None,
) -> Message:
    draft = Draft(
        clean_text(text, "text", ctx.settings.max_text_bytes).strip(),
        clean_optional_name(author, "author"),
        clean_mark(reply_to, "reply_to"),
        clean_mark(client_id, "client_id"),
    )
    return await access.write(ctx.store, messages.post, clean_fire_id(fire_id), draft)
