"""The addresses of campfire's resources; they are also the topics under which the store tells of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from agenthost import Transaction

FIRES = "campfire://fires"
FIRE = "campfire://fires/{fireId}"
MESSAGES = f"{FIRE}/messages"
PLAN = f"{FIRE}/plan"
DUEL = f"{FIRE}/duel"
DUELS = f"{FIRE}/duels"
ONE_DUEL = f"{DUELS}/{{duelId}}"
TRANSCRIPT = f"{FIRE}/transcript"
DUEL_TRANSCRIPT = f"{ONE_DUEL}/transcript"


def address(template: str, fire_id: str, duel_id: str = "") -> str:
    """The address of a template, as `ResourceTemplate.expand` makes it, without an import of mcp."""
    return template.replace("{fireId}", quote(fire_id, safe="")).replace("{duelId}", quote(duel_id, safe=""))


def tell_of_fire(tx: Transaction, fire_id: str) -> None:
    """Something about a fire has changed: its newest number, and so the list of fires."""
    for template in (FIRES, FIRE):
        tx.changed(address(template, fire_id))


def tell_of_message(tx: Transaction, fire_id: str) -> None:
    """A fire has a new message."""
    tell_of_fire(tx, fire_id)
    for template in (MESSAGES, TRANSCRIPT):
        tx.changed(address(template, fire_id))


def tell_of_plan(tx: Transaction, fire_id: str) -> None:
    """A fire's plan has a new revision."""
    tell_of_fire(tx, fire_id)
    for template in (PLAN, TRANSCRIPT):
        tx.changed(address(template, fire_id))


def tell_of_duel(tx: Transaction, fire_id: str, duel_id: str) -> None:
    """A duel has gone on."""
    tell_of_fire(tx, fire_id)
    for template in (DUEL, DUELS, ONE_DUEL, TRANSCRIPT, DUEL_TRANSCRIPT):
        tx.changed(address(template, fire_id, duel_id))
