"""Any sequence of moves, legal or not, taken by players in two server processes, ends where the rules say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from agenthost_hardtoget.errors import Refused
from agenthost_hardtoget.rules import play
from agenthost_hardtoget.rules.deal import Deal
from agenthost_hardtoget.rules.play import Game, Role
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

STEPS = st.one_of(
    st.tuples(st.just("choose"), st.sampled_from(Role), st.sampled_from([0, 1, "neither", ""])),
    st.tuples(
        st.just("eliminate"),
        st.sampled_from([Role.DETECTIVE, Role.DETECTIVE, Role.WITNESS]),
        st.lists(st.sampled_from([*range(15), "key", "neither"]), max_size=4),
    ),
)
ROUND = [("choose", Role.WITNESS, 0), ("eliminate", Role.DETECTIVE, ["harmless"])]
"""Sequences begin with some of these, or the later rounds would hardly be reached by chance."""

LEAVE = st.tuples(st.just("leave"), st.sampled_from(Role), st.none())


class Model:
    """What the rules say about a game of which the deal is known, kept in memory.

    The dilemmas are learned from the views, since nobody but the server knows the next one.
    """

    def __init__(self, view: dict[str, Any]) -> None:
        dilemma = tuple(view["dilemma"])
        self.game = play.start(play.new(Deal(tuple(view["board"]), view["key_word"], (dilemma,) * 5)))
        self.seq = view["seq"]
        self.rounds: list[dict[str, Any]] = []

    def arguments(self, step: str, what: Any) -> dict[str, Any]:
        """What a step sends, out of what hypothesis has drawn."""
        if step == "choose":
            options = self.game.dilemma or ("gone", "over")
            return {"dilemma_choice": options[what] if isinstance(what, int) else what}
        if step == "eliminate":
            return {"eliminated_words": [self._word(one) for one in what]}
        return {}

    def _word(self, one: int | str) -> str:
        board, key_word = self.game.board, self.game.deal.key_word
        if one == "key":
            return key_word
        if one == "harmless":
            return next((word for word in board if word != key_word), "gone")
        return board[one % len(board)] if isinstance(one, int) and board else str(one)

    def take(self, step: str, role: Role, arguments: dict[str, Any]) -> bool:
        """Take a step; False if it is refused."""
        before = self.game
        try:
            after = self._apply(step, role, arguments)
        except Refused:
            return False
        if after != before:
            self.seq += 1
        self.game = after
        return True

    def _apply(self, step: str, role: Role, arguments: dict[str, Any]) -> Game:
        if step == "leave":
            return self.game if self.game.outcome is not None else play.abandon(self.game)
        if step == "choose":
            after = play.answer(self.game, role, arguments["dilemma_choice"])
            self.rounds.append({"witness_choice": after.witness_choice, "eliminated_words": None})
            return after
        after, gone = play.eliminate(self.game, role, arguments["eliminated_words"])
        self.rounds[-1]["eliminated_words"] = list(gone)
        return after

    def learn(self, view: dict[str, Any]) -> None:
        """Take over the dilemma of a new round, which has to be another one than all before."""
        if view["dilemma"] is not None and view["round"] > len(self.rounds):
            new = tuple(view["dilemma"])
            dilemmas = self.game.deal.dilemmas
            assert new not in dilemmas[: self.game.round - 1]
            deal = Deal(
                self.game.deal.board, self.game.deal.key_word, (*dilemmas[: self.game.round - 1], *((new,) * 5))[:5]
            )
            self.game = Game(deal, self.game.board, self.game.round, None, None)


@pytest.fixture(scope="module", params=[True, False], ids=["two processes", "one process"])
def agents(request: pytest.FixtureRequest, shared_agents: Sequence[Any]) -> Sequence[Any]:
    return shared_agents if request.param else [shared_agents[1]] * 2


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.integers(0, 5), steps=st.lists(STEPS, max_size=14), end=st.one_of(st.none(), LEAVE))
def test_servers_do_what_the_rules_say(
    agents: Sequence[Any], sit_down: Callable[..., Any], rounds: int, steps: list[Any], end: Any
) -> None:
    table = sit_down(*agents)
    players = {Role.WITNESS: table.witness, Role.DETECTIVE: table.detective}
    tools = {"choose": "witness_choice", "eliminate": "detective_choice", "leave": "leave_game"}
    model = Model(table.witness.state())
    for step, role, what in [*ROUND * rounds, *steps, *([end] if end is not None else [])]:
        arguments = model.arguments(step, what)
        accepted = model.take(step, role, arguments)
        player = players[role]
        result = player.agent.result(tools[step], **player.key, **arguments)
        assert accepted == (not result.get("isError")), result
        for seat, one in players.items():
            view = one.state()
            model.learn(view)
            game = model.game
            assert (view["phase"], view["round"], view["outcome"]) == (game.phase, game.round, game.outcome)
            assert view["board"] == list(game.board)
            assert view["seq"] == model.seq
            assert [{key: line[key] for key in ("witness_choice", "eliminated_words")} for line in view["rounds"]] == (
                model.rounds
            )
            assert ("key_word" in view) == (seat is Role.WITNESS or game.outcome is not None)
    if model.game.outcome is None:
        agents[0]("leave_game", **table.witness.key)
