"""A duel as a state machine: each transition gives the next state, or refuses and names the next legal step.

    DEBATING --gauntlet--> HONORABLE_DUEL_PENDING --oath--> DUEL_ACTIVE: strike, hold, verdict --> DEBATING

From the two phases of a duel, abandoning it and the end of its time lead back to DEBATING too. A duel
that is not finished is given as a `Duel`; None is a fire at which there is none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from agenthost import ToolError

from agenthost_campfire.rules.texts import same_name

Role = Literal["challenger", "defender", "judge"]
Side = Literal["challenger", "defender"]
Outcome = Literal["verdict", "abandoned", "expired"]

MOVES: dict[Role, str] = {
    "challenger": "campfire_strike_argument",
    "defender": "campfire_hold_the_line",
    "judge": "campfire_deliver_verdict",
}
"""The tool with which each role takes its turn."""


class Phase(StrEnum):
    """What a fire is in."""

    DEBATING = "DEBATING"
    PENDING = "HONORABLE_DUEL_PENDING"
    ACTIVE = "DUEL_ACTIVE"


class DuelRefused(ToolError):
    """The rules do not allow this step now; nothing has changed."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Whose step a duel waits for; the name is None while anybody may become the judge."""

    role: Role
    name: str | None

    def __str__(self) -> str:
        return f"the {self.role} ({self.name})" if self.name is not None else "a judge"


@dataclass(frozen=True, slots=True)
class Duel:
    """What decides which steps are legal.

    Attributes:
        challenger, defender: the two sides.
        judge: None until somebody has taken the oath.
        turn: whose turn it is, or was when the duel ended.
        surrendered: the defender has given up, so only the challenger can win.
        outcome: None while the duel goes on.
        winner: the side the judge ruled for.
    """

    challenger: str
    defender: str
    judge: str | None = None
    turn: Role = "challenger"
    surrendered: bool = False
    outcome: Outcome | None = None
    winner: Side | None = None

    @property
    def expected(self) -> Expected | None:
        """Who has to act next; None when it is finished."""
        if self.outcome is not None:
            return None
        return Expected("judge", None) if self.judge is None else Expected(self.turn, self.name_of(self.turn))

    def name_of(self, role: Role) -> str | None:
        """Who has that role."""
        names: dict[Role, str | None] = {"challenger": self.challenger, "defender": self.defender, "judge": self.judge}
        return names[role]


def phase(duel: Duel | None) -> Phase:
    """The phase of a fire with this duel."""
    if duel is None or duel.outcome is not None:
        return Phase.DEBATING
    return Phase.PENDING if duel.judge is None else Phase.ACTIVE


def next_step(duel: Duel | None) -> str:
    """What has to happen next, for a model that has never seen the game."""
    if duel is None or duel.outcome is not None:
        return (
            "No duel is going on: debate with campfire_speak_to_party, write the plan with "
            "campfire_update_battle_plan, or challenge somebody with campfire_throw_gauntlet."
        )
    if duel.judge is None:
        return (
            f"A judge is awaited: somebody other than {duel.challenger} and {duel.defender} calls "
            "campfire_take_oath_of_judgement."
        )
    return f"It is the turn of {duel.expected}, who calls {MOVES[duel.turn]}."


def require_open(duel: Duel | None, what: str) -> None:
    """Let messages and plans through only while no duel is going on.

    Raises:
        DuelRefused: there is one.
    """
    if duel is not None:
        raise DuelRefused(
            f"{what}: the fire is in phase {phase(duel)} and closed to messages and plan changes until the duel "
            f"between {duel.challenger} and {duel.defender} has ended. {next_step(duel)} campfire_wait tells when "
            "something happens; campfire_abandon_duel ends the duel without a verdict."
        )


def throw_gauntlet(duel: Duel | None, challenger: str, target: str) -> Duel:
    """Begin a duel.

    Raises:
        DuelRefused: one is going on, or both names are the same.
    """
    if duel is not None:
        raise DuelRefused(
            f"No duel was begun: one between {duel.challenger} and {duel.defender} is in phase {phase(duel)} at this "
            f"fire already. {next_step(duel)} Resolve it so, or end it with campfire_abandon_duel."
        )
    if same_name(challenger, target):
        raise DuelRefused(
            f"No duel was begun: challenger_name {challenger!r} and target_name {target!r} are the same name, and two "
            "are needed (phase DEBATING). Names are compared without case and blanks around them. Call "
            "campfire_throw_gauntlet with your own name and that of another."
        )
    return Duel(challenger, target)


def take_oath(duel: Duel | None, name: str) -> Duel:
    """Become the judge.

    Raises:
        DuelRefused: nobody is awaited, or the name is that of one of the sides.
    """
    if duel is None:
        raise DuelRefused(f"There is no duel that waits for a judge at this fire (phase DEBATING). {next_step(duel)}")
    if duel.judge is not None:
        raise DuelRefused(f"The judge is {duel.judge} already (phase {phase(duel)}). {next_step(duel)}")
    sides: tuple[Role, ...] = ("challenger", "defender")
    for role in sides:
        if same_name(name, duel.name_of(role) or ""):
            raise DuelRefused(
                f"{name} cannot judge: {duel.name_of(role)} is the {role} of this duel (phase {phase(duel)}), "
                f"and its judge has to be a third. {next_step(duel)}"
            )
    return replace(duel, judge=name, turn="challenger")


def strike(duel: Duel | None, name: str) -> Duel:
    """The challenger's only argument.

    Raises:
        DuelRefused: it is not the turn of this character.
    """
    return replace(_require_turn(duel, "challenger", name), turn="defender")


def hold(duel: Duel | None, name: str, surrender: bool) -> Duel:
    """The defender's only answer.

    Raises:
        DuelRefused: it is not the turn of this character.
    """
    return replace(_require_turn(duel, "defender", name), turn="judge", surrendered=surrender)


def deliver_verdict(duel: Duel | None, name: str, winner: Side) -> Duel:
    """The judge's ruling, which ends the duel.

    Raises:
        DuelRefused: it is not the turn of this character, or the defender has surrendered and is ruled for.
    """
    current = _require_turn(duel, "judge", name)
    if current.surrendered and winner == "defender":
        raise DuelRefused(
            f"No verdict was given: the defender ({current.defender}) surrendered, so the winner can only be the "
            f"challenger (phase {phase(duel)}). Call campfire_deliver_verdict with winner=challenger."
        )
    return replace(current, outcome="verdict", winner=winner)


def abandon(duel: Duel | None) -> Duel:
    """End a duel without a verdict; anybody may, in any phase.

    Raises:
        DuelRefused: there is none.
    """
    if duel is None:
        raise DuelRefused(f"There is no duel to abandon at this fire (phase DEBATING). {next_step(duel)}")
    return replace(duel, outcome="abandoned")


def expire(duel: Duel) -> Duel:
    """End a duel whose time is over."""
    return replace(duel, outcome="expired")


def _require_turn(duel: Duel | None, role: Role, name: str) -> Duel:
    if duel is None:
        raise DuelRefused(f"There is no active duel at this fire (phase DEBATING). {next_step(duel)}")
    if duel.judge is None:
        raise DuelRefused(f"The duel is not active yet (phase {phase(duel)}). {next_step(duel)}")
    if duel.turn != role:
        raise DuelRefused(f"It is not the {role}'s turn (phase {phase(duel)}). {next_step(duel)}")
    holder = duel.name_of(role)
    if holder is None or not same_name(name, holder):
        raise DuelRefused(
            f"Only the {role} ({holder}) may do this now (phase {phase(duel)}), and character_name is {name}. "
            f"{next_step(duel)}"
        )
    return duel
