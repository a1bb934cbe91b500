"""The shapes of answers, as they are on the wire. The names of the original are kept; the rest is added."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

RoleName = Literal["Witness", "Detective"]
PhaseName = Literal["waiting", "witness_turn", "detective_turn", "finished"]
OutcomeName = Literal["win", "loss", "abandoned"]
EndedBy = Literal[
    "moves",
    "witness_left",
    "detective_left",
    "nobody_joined",
    "witness_timeout",
    "detective_timeout",
    "witness_illegal_moves",
    "detective_illegal_moves",
]


class Registered(TypedDict):
    """A new player."""

    client_id: str
    status: Literal["registered"]
    next: str


class Joined(TypedDict):
    """A seat in a game."""

    game_id: str
    role: RoleName
    game_ready: bool
    board: list[str]
    seq: int
    next: str


class Chosen(TypedDict):
    """A witness's move that was accepted."""

    status: Literal["success"]
    seq: int
    next: str


class Eliminated(TypedDict):
    """A detective's move that was accepted."""

    status: Literal["success"]
    game_over: bool
    win: bool | None
    remaining_words: list[str]
    key_word_eliminated: bool
    seq: int
    next: str


class Round(TypedDict):
    """What was said in one round; `eliminated_words` is null until the detective has moved."""

    round: int
    dilemma: list[str]
    witness_choice: str
    eliminated_words: list[str] | None


class View(TypedDict):
    """A game as one of its players sees it.

    `round` is 0 while a second player is awaited. `dilemma` is null while nobody is to move, `witness_choice` until the
    witness has moved in this round; `rounds` has all that was said. `key_word` is the witness's, and everybody's once
    the game is over; so is `seed`, if one was given. While a mirror of a game is played, the game keeps both to itself.
    """

    game_id: str
    role: RoleName
    phase: PhaseName
    round: int
    board: list[str]
    dilemma: list[str] | None
    witness_choice: str | None
    key_word: NotRequired[str]
    outcome: OutcomeName | None
    ended_by: NotRequired[EndedBy]
    mirror_of: NotRequired[str]
    seed: NotRequired[int]
    seq: int
    rounds: list[Round]
    next: str


class Waited(TypedDict):
    """What a wait gives; `after` is what to pass next."""

    changed: bool
    after: int
    view: View


class Left(TypedDict):
    """The end of a game for the one who left it."""

    game_id: str
    outcome: OutcomeName
    seq: int
    next: str


class Spectated(TypedDict):
    """A game as anybody sees it; `key_word` and `seed` as in the view of the detective."""

    game_id: str
    witness_model: str | None
    detective_model: str | None
    phase: PhaseName
    round: int
    board: list[str]
    dilemma: list[str] | None
    witness_choice: str | None
    key_word: NotRequired[str]
    outcome: OutcomeName | None
    ended_by: NotRequired[EndedBy]
    mirror_of: NotRequired[str]
    seed: NotRequired[int]
    seq: int
    rounds: list[Round]


class GameLine(TypedDict):
    """A game in a list."""

    game_id: str
    witness_model: str | None
    detective_model: str | None
    phase: PhaseName
    round: int
    outcome: OutcomeName | None
    seq: int
    created_at: str


class GameList(TypedDict):
    """Games, newest first."""

    games: list[GameLine]
    has_more: bool


class ResultLine(TypedDict):
    """One game that was won or lost."""

    game_id: str
    witness_model: str
    detective_model: str
    result: Literal["win", "loss"]
    rounds: int
    ended_at: str
    mirror_of: NotRequired[str]


class Results(TypedDict):
    """Results, newest first."""

    results: list[ResultLine]
    has_more: bool


class Rate(TypedDict):
    """How often games were won, with the 95 % interval of Wilson."""

    games: int
    wins: int
    rate: float
    low: float
    high: float


class Standing(TypedDict):
    """One model."""

    model_name: str
    overall: Rate
    as_witness: Rate | None
    as_detective: Rate | None


class PairStanding(TypedDict):
    """One model as witness with one as detective."""

    witness_model: str
    detective_model: str
    overall: Rate


class Leaderboard(TypedDict):
    """All models and pairs, best first by the lower end of the interval."""

    models: list[Standing]
    pairs: list[PairStanding]
