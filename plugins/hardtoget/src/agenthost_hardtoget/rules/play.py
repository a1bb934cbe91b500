"""A game as a state machine: each move gives the next state, or is refused and the refusal names what is legal.

    waiting --start--> witness_turn --answer--> detective_turn --eliminate--> witness_turn ... finished

Leaving, deadlines and forfeits lead to `finished` from everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from agenthost_hardtoget.errors import GameOver, NotOnBoard, NotOnOffer, NotYourTurn, WrongRole
from agenthost_hardtoget.rules.deal import BOARD_SIZE, ROUNDS, Deal, Dilemma
from agenthost_hardtoget.rules.texts import fold

Outcome = Literal["win", "loss", "abandoned"]


class Role(StrEnum):
    """The two players, by their names on the wire."""

    WITNESS = "Witness"
    DETECTIVE = "Detective"

    @property
    def other(self) -> Role:
        """The other player's."""
        return Role.DETECTIVE if self is Role.WITNESS else Role.WITNESS

    @property
    def move(self) -> str:
        """The tool with which this player moves."""
        return "hardtoget_witness_choice" if self is Role.WITNESS else "hardtoget_detective_choice"


class Phase(StrEnum):
    """What a game waits for."""

    WAITING = "waiting"
    WITNESS_TURN = "witness_turn"
    DETECTIVE_TURN = "detective_turn"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Game:
    """What decides which moves are legal.

    Attributes:
        deal: the board as it was dealt, the key word, the dilemmas.
        board: the words that are left, in the order of the deal.
        round: 1 to 5; 0 while a second player is awaited.
        witness_choice: the option chosen in this round; None until the witness has moved.
        outcome: None while the game goes on.
    """

    deal: Deal
    board: tuple[str, ...]
    round: int = 0
    witness_choice: str | None = None
    outcome: Outcome | None = None

    @property
    def phase(self) -> Phase:
        """What it waits for."""
        if self.outcome is not None:
            return Phase.FINISHED
        if self.round == 0:
            return Phase.WAITING
        return Phase.WITNESS_TURN if self.witness_choice is None else Phase.DETECTIVE_TURN

    @property
    def turn(self) -> Role | None:
        """Who has to move; None while nobody can."""
        return {Phase.WITNESS_TURN: Role.WITNESS, Phase.DETECTIVE_TURN: Role.DETECTIVE}.get(self.phase)

    @property
    def dilemma(self) -> Dilemma | None:
        """The dilemma of this round, the same for both players; None while nobody can move."""
        return self.deal.dilemmas[self.round - 1] if self.turn is not None else None


def new(deal: Deal) -> Game:
    """A game that waits for its second player."""
    return Game(deal, deal.board)


def start(game: Game) -> Game:
    """The second player has come."""
    return replace(game, round=1)


def answer(game: Game, role: Role, option: str) -> Game:
    """The witness picks an option of the dilemma.

    Raises:
        GameOver, WrongRole, NotYourTurn, NotOnOffer: the move is illegal.
    """
    _require_turn(game, role, Role.WITNESS)
    assert game.dilemma is not None
    chosen = next((offered for offered in game.dilemma if fold(offered) == fold(option)), None)
    if chosen is None:
        raise NotOnOffer(
            f"dilemma_choice has to be one of the two options of this round, {_quoted(game.dilemma)}; "
            f"{_quoted([option])} is neither. Call hardtoget_witness_choice again with one of them."
        )
    return replace(game, witness_choice=chosen)


def eliminate(game: Game, role: Role, words: Iterable[str]) -> tuple[Game, tuple[str, ...]]:
    """The detective eliminates words; also returns them as they stand on the board. All of them go, or none.

    Raises:
        GameOver, WrongRole, NotYourTurn, NotOnBoard: the move is illegal.
    """
    _require_turn(game, role, Role.DETECTIVE)
    standing = {fold(word): word for word in game.board}
    named = {fold(word): word for word in words}
    unknown = [word for folded, word in named.items() if folded not in standing]
    if unknown or not named:
        wrong = f"not on the board: {_quoted(unknown[:BOARD_SIZE])}" if unknown else "eliminated_words is empty"
        raise NotOnBoard(
            f"Nothing was eliminated: {wrong}. Call hardtoget_detective_choice again with at least one of the words "
            f"that are left: {_quoted(game.board)}."
        )
    left = tuple(word for word in game.board if fold(word) not in named)
    gone = tuple(word for word in game.board if fold(word) in named)
    if game.deal.key_word in gone:
        return replace(game, board=left, outcome="loss"), gone
    if len(left) == 1:
        return replace(game, board=left, outcome="win"), gone
    if game.round == ROUNDS:
        return replace(game, board=left, outcome="loss"), gone
    return replace(game, board=left, round=game.round + 1, witness_choice=None), gone


def abandon(game: Game) -> Game:
    """Somebody has left, or a deadline has passed."""
    return replace(game, outcome="abandoned")


def forfeit(game: Game) -> Game:
    """A player has made one illegal move too many."""
    return replace(game, outcome="loss")


def next_step(game: Game, role: Role) -> str:
    """What this player has to do next, for a model that has never seen the game."""
    if game.phase is Phase.FINISHED:
        how = {"win": "It is won", "loss": "It is lost", "abandoned": "It was abandoned"}[game.outcome or "abandoned"]
        return (
            f"The game is over. {how}. hardtoget_join_game takes a seat in another one; with mirror_of set to this "
            "game_id, both of you play this deal again with roles swapped."
        )
    if game.phase is Phase.WAITING:
        return f"A {role.other} is awaited. Call hardtoget_wait, which answers when it is your turn."
    if game.turn is not role:
        return f"It is the {role.other}'s turn. Call hardtoget_wait, which answers when it is yours."
    if role is Role.WITNESS:
        return (
            f"Your turn, round {game.round} of {ROUNDS}. Which option of dilemma fits key_word better? Call "
            "hardtoget_witness_choice with dilemma_choice set to exactly that option."
        )
    moves = ROUNDS - game.round + 1
    share = -(-(len(game.board) - 1) // moves)
    return (
        f"Your turn, round {game.round} of {ROUNDS}. Call hardtoget_detective_choice with eliminated_words: words of "
        f"board that fit witness_choice worse than the other option of dilemma. {len(game.board)} words are left and "
        f"only the key word may stay; with {moves} moves that is about {share} a move. Eliminating the key word loses."
    )


def _require_turn(game: Game, role: Role, mover: Role) -> None:
    if game.phase is Phase.FINISHED:
        raise GameOver(f"This move is too late. {next_step(game, role)}")
    if role is not mover:
        raise WrongRole(
            f"You are the {role}, and {mover.move} is the {mover}'s; your own move is {role.move}. "
            f"{next_step(game, role)}"
        )
    if game.turn is not role:
        raise NotYourTurn(f"It is not your turn (phase {game.phase}). {next_step(game, role)}")


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f'"{word[:100]}"' for word in words)
