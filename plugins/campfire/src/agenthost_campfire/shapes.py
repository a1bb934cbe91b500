"""What answers look like: the structured content of tools, and the JSON of resources."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from agenthost_campfire.rules.duel import Outcome, Role, Side

State = Literal["DEBATING", "HONORABLE_DUEL_PENDING", "DUEL_ACTIVE"]
StepKind = Literal["gauntlet", "oath", "strike", "hold", "verdict", "abandoned", "expired"]
NewsKind = Literal["message", "plan", "gauntlet", "oath", "strike", "hold", "verdict", "abandoned", "expired"]
Reason = Literal["update", "verdict"]


class Awaited(TypedDict):
    """Who has to act; the name is null while anybody may become the judge."""

    role: Role
    name: str | None


class Fire(TypedDict):
    """A fire; `lastSeq` is the number of the newest thing that happened there."""

    id: str
    createdAt: str
    state: State
    lastSeq: int


class OpenedFire(Fire):
    """A fire, and whether this call made it."""

    fireCreated: bool


class Fires(TypedDict):
    """Fires in the order in which they were made."""

    fires: list[Fire]
    hasMore: bool


class Message(TypedDict):
    """A message; `author` is absent when none was given."""

    id: str
    fireId: str
    text: str
    author: NotRequired[str]
    createdAt: str
    seq: int
    replyTo: NotRequired[str]
    clientId: NotRequired[str]


class Messages(TypedDict):
    """Messages in ascending order, and where a search stopped looking."""

    messages: list[Message]
    hasMore: bool
    lastSeq: int
    searchedBackTo: NotRequired[int]


class Duel(TypedDict):
    """A duel. `state` is the phase it puts its fire in, DEBATING once it is over, when it has an `outcome`."""

    duelId: str
    fireId: str
    challengerName: str
    defenderName: str
    judgeName: str | None
    thesisOfAttack: str
    currentTurn: Role
    createdAt: str
    state: State
    expected: Awaited | None
    surrendered: bool
    dueAt: NotRequired[str]
    outcome: NotRequired[Outcome]
    winner: NotRequired[Side]
    closedAt: NotRequired[str]
    lastSeq: int


class Step(TypedDict):
    """One step of a duel: who did it, and what was said."""

    seq: int
    kind: StepKind
    role: NotRequired[Role]
    name: NotRequired[str]
    text: NotRequired[str]
    surrender: NotRequired[bool]
    winner: NotRequired[Side]
    awaited: NotRequired[Awaited]
    createdAt: str


class DuelRecord(TypedDict):
    """What a fire is in, and a duel with all that was said in it."""

    fireId: str
    state: State
    duel: Duel | None
    expected: Awaited | None
    transcript: list[Step]
    lastDuelId: NotRequired[str]
    lastSeq: int


class DuelSummary(TypedDict):
    """A duel in a list; a long thesis is cut."""

    duelId: str
    seq: int
    challengerName: str
    defenderName: str
    judgeName: str | None
    thesis: str
    state: State
    surrendered: bool
    outcome: NotRequired[Outcome]
    winner: NotRequired[Side]
    createdAt: str
    closedAt: NotRequired[str]


class Duels(TypedDict):
    """The duels of a fire, oldest first."""

    duels: list[DuelSummary]
    hasMore: bool
    lastSeq: int


class Thrown(TypedDict):
    """A duel that has begun, and whether the fire had to be made for it."""

    duel: Duel
    message: str
    fireCreated: bool


class Sworn(TypedDict):
    """A duel that has a judge now."""

    duel: Duel
    message: str


class Verdict(TypedDict):
    """A ruling, and the revision of the plan that it made."""

    message: str
    winner: Side
    planMutated: Literal[True]
    fireId: str
    duelId: str
    revision: int
    lastSeq: int


class Abandoned(TypedDict):
    """A duel that ended without a verdict."""

    fireId: str
    duelId: str
    outcome: Literal["abandoned"]
    state: State
    lastSeq: int


class Revision(TypedDict):
    """One version of a plan; `duelId` says whose verdict it is."""

    revision: int
    seq: int
    author: NotRequired[str]
    reason: Reason
    duelId: NotRequired[str]
    createdAt: str


class Plan(TypedDict):
    """A plan, or an older revision of it, and the newest entries of its history, oldest first."""

    fireId: str
    content: str | None
    revision: int
    lastRevision: int
    updatedAt: str | None
    history: list[Revision]
    lastSeq: int


class Updated(TypedDict):
    """A plan that was written."""

    fireId: str
    revision: int
    fireCreated: bool
    lastSeq: int


class News(TypedDict):
    """One thing that happened at a fire; a long text is cut."""

    seq: int
    kind: NewsKind
    by: NotRequired[str]
    text: str
    createdAt: str


class Waited(TypedDict):
    """What is new after a wait, and the `after` of the next one."""

    changed: bool
    after: int
    items: list[News]
    state: State
    expected: Awaited | None


class Echo(TypedDict):
    """What was said, as it was said."""

    message: str


class Pong(TypedDict):
    """That campfire answers, and when it did."""

    pong: Literal[True]
    time: str
    server: str
