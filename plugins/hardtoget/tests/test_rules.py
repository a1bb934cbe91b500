"""The rules alone: deals, moves, ratings and deadlines, without a server or a database."""

from __future__ import annotations

from fractions import Fraction

import pytest
from agenthost_hardtoget.errors import GameOver, IllegalMove, NotOnBoard, NotOnOffer, NotYourTurn, WrongRole
from agenthost_hardtoget.rules.deadlines import Deadlines
from agenthost_hardtoget.rules.deal import ROUNDS, Deal, Dilemma, deal
from agenthost_hardtoget.rules.draws import Draws, sample
from agenthost_hardtoget.rules.play import (
    Game,
    Phase,
    Role,
    abandon,
    answer,
    eliminate,
    forfeit,
    new,
    next_step,
    start,
)
from agenthost_hardtoget.rules.rating import Rating
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

WORDS = tuple(f"word {number}" for number in range(40))
DILEMMAS: tuple[Dilemma, ...] = tuple((f"this {number}", f"that {number}") for number in range(12))


def dealt(seed: str = "seed") -> Deal:
    return deal(WORDS, DILEMMAS, Draws(seed))


class FirstOnly:
    """A source that always gives the first of all."""

    def below(self, limit: int) -> int:
        return 0


def test_a_deal_follows_from_its_source_and_nothing_else() -> None:
    made = deal(WORDS, DILEMMAS, FirstOnly())
    assert made == Deal(WORDS[:16], WORDS[0], DILEMMAS[:5])


def test_a_seed_deals_the_same_on_every_python() -> None:
    # These are promises to people who have noted a seed: if they break, their games cannot be dealt again.
    draws = Draws("42")
    assert [draws.below(1000) for _ in range(8)] == [728, 861, 851, 182, 494, 792, 177, 382]
    made = dealt("42")
    assert made.board[:4] == ("word 8", "word 4", "word 3", "word 23")
    assert made.key_word == "word 4"
    assert made.dilemmas[0] == ("this 0", "that 0")


@given(st.text(), st.text())
def test_different_seeds_deal_differently(one: str, other: str) -> None:
    one, other = (text.encode(errors="replace").decode() for text in (one, other))
    assert (dealt(one) == dealt(other)) == (one == other)


@given(st.integers(1, 1 << 40), st.text(alphabet="ab"))
def test_draws_stay_below_their_limit(limit: int, seed: str) -> None:
    draws = Draws(seed)
    assert all(0 <= draws.below(limit) < limit for _ in range(5))


def test_draws_are_fair() -> None:
    draws = Draws("fair")
    counts = [0] * 6
    for _ in range(6000):
        counts[draws.below(6)] += 1
    # The seed is fixed, so this is a fact and no chance: chi-squared with 5 degrees of freedom, 1 % is at 15.1.
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 15.1


@given(st.integers())
def test_a_deal_has_sixteen_words_a_key_among_them_and_no_dilemma_twice(seed: int) -> None:
    made = dealt(str(seed))
    assert len(set(made.board)) == 16
    assert set(made.board) <= set(WORDS)
    assert made.key_word in made.board
    assert len(set(made.dilemmas)) == ROUNDS == 5


def test_every_word_can_be_the_key_word() -> None:
    assert {dealt(str(seed)).key_word for seed in range(1000)} == set(WORDS)


def test_a_sample_of_everything_is_an_order_of_it() -> None:
    assert sorted(sample(WORDS, len(WORDS), Draws("x"))) == sorted(WORDS)


class AGame(RuleBasedStateMachine):
    """Legal and illegal moves in any order; what the rules say is compared with plain counting."""

    game: Game

    @initialize(seed=st.integers(0, 1000))
    def begin(self, seed: int) -> None:
        self.game = new(dealt(str(seed)))
        self.choices = 0
        self.eliminations = 0
        self.seen: list[Dilemma] = []

    def refused(self, *errors: type[IllegalMove]) -> pytest.RaisesExc[IllegalMove]:
        return pytest.raises(errors, match="hardtoget_")

    @precondition(lambda self: self.game.phase is Phase.WAITING)
    @rule()
    def the_second_player_comes(self) -> None:
        with self.refused(NotYourTurn):
            answer(self.game, Role.WITNESS, self.game.deal.dilemmas[0][0])
        with self.refused(NotYourTurn):
            eliminate(self.game, Role.DETECTIVE, self.game.board[:1])
        self.game = start(self.game)

    @precondition(lambda self: self.game.phase is Phase.WITNESS_TURN)
    @rule(option=st.integers(0, 1))
    def the_witness_answers(self, option: int) -> None:
        assert self.game.dilemma is not None
        assert self.game.dilemma not in self.seen
        self.seen.append(self.game.dilemma)
        self.game = answer(self.game, Role.WITNESS, self.game.dilemma[option])
        assert self.game.witness_choice == self.seen[-1][option]
        self.choices += 1

    @precondition(lambda self: self.game.phase is Phase.DETECTIVE_TURN)
    @rule(data=st.data())
    def the_detective_eliminates(self, data: st.DataObject) -> None:
        words = data.draw(st.lists(st.sampled_from(self.game.board), min_size=1))
        before, key_word = self.game, self.game.deal.key_word
        self.game, gone = eliminate(before, Role.DETECTIVE, words)
        self.eliminations += 1
        assert set(gone) == set(words)
        assert self.game.board == tuple(word for word in before.board if word not in words)
        if key_word in words:
            assert self.game.outcome == "loss"
        elif self.game.board == (key_word,):
            assert self.game.outcome == "win"
        elif self.eliminations == 5:
            assert self.game.outcome == "loss"
        else:
            assert self.game.outcome is None
            assert self.game.round == before.round + 1

    @precondition(lambda self: self.game.phase is Phase.DETECTIVE_TURN)
    @rule()
    def the_detective_is_careful(self) -> None:
        word = next(word for word in self.game.board if word != self.game.deal.key_word)
        self.game, _ = eliminate(self.game, Role.DETECTIVE, [word])
        self.eliminations += 1

    @rule(role=st.sampled_from(Role), option=st.sampled_from(["this 0", "neither", ""]))
    def an_answer_that_is_illegal(self, role: Role, option: str) -> None:
        legal = self.game.phase is Phase.WITNESS_TURN and role is Role.WITNESS and option in (self.game.dilemma or ())
        if not legal:
            with self.refused(GameOver, WrongRole, NotYourTurn, NotOnOffer):
                answer(self.game, role, option)

    @rule(role=st.sampled_from(Role), words=st.lists(st.sampled_from(["neither", "", "word 0 word 1"])))
    def an_elimination_that_is_illegal(self, role: Role, words: list[str]) -> None:
        with self.refused(GameOver, WrongRole, NotYourTurn, NotOnBoard):
            eliminate(self.game, role, words)

    @precondition(lambda self: self.game.outcome is None)
    @rule(end=st.sampled_from([abandon, forfeit]))
    def somebody_ends_it(self, end: object) -> None:
        if self.choices > 2:
            self.game = abandon(self.game) if end is abandon else forfeit(self.game)

    @invariant()
    def the_state_is_whole(self) -> None:
        if not hasattr(self, "game"):
            return
        game = self.game
        assert set(game.board) <= set(game.deal.board)
        assert game.round <= ROUNDS
        assert (game.phase is Phase.FINISHED) == (game.outcome is not None)
        assert (game.dilemma is None) == (game.turn is None)
        assert self.choices - self.eliminations in (0, 1)
        for role in Role:
            step = next_step(game, role)
            assert ("Your turn" in step) == (game.turn is role)
            assert game.deal.key_word not in step.split('"')


TestAGame = AGame.TestCase


def played(rounds: int) -> Game:
    """A game after so many rounds of one harmless word each, with the witness's next answer."""
    game = start(new(dealt()))
    for _ in range(rounds):
        game = answer(game, Role.WITNESS, game.deal.dilemmas[game.round - 1][0])
        game, _ = eliminate(game, Role.DETECTIVE, [word for word in game.board if word != game.deal.key_word][:1])
    return answer(game, Role.WITNESS, game.deal.dilemmas[game.round - 1][0])


def test_only_the_fifth_round_ends_the_game_by_itself() -> None:
    others = [word for word in played(4).board if word != dealt().key_word]
    assert played(4).round == 5
    lost, _ = eliminate(played(4), Role.DETECTIVE, others[1:])
    assert lost.outcome == "loss"
    won, _ = eliminate(played(4), Role.DETECTIVE, others)
    assert won.outcome == "win"


def test_words_and_options_are_compared_without_case_blanks_and_composition() -> None:
    made = Deal(("Straße", "crème brûlée", "x"), "x", (("Ja", "Nein"),) * 5)
    game = answer(start(new(made)), Role.WITNESS, " JA ")
    assert game.witness_choice == "Ja"
    _, gone = eliminate(game, Role.DETECTIVE, ["STRASSE", "cre\u0300me  bru\u0302le\u0301e"])
    assert gone == ("Straße", "crème brûlée")


def test_the_detective_is_told_how_many_words_a_move_has_to_take() -> None:
    game = answer(start(new(dealt())), Role.WITNESS, dealt().dilemmas[0][0])
    assert "with 5 moves that is about 3 a move" in next_step(game, Role.DETECTIVE)


def test_wilsons_interval_is_what_the_books_say() -> None:
    low, high = Rating(10, 8).interval
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    assert Rating(0, 0).interval == (0.0, 1.0)
    assert Rating(0, 0).rate == 0
    assert Rating(5, 0).interval[0] == 0
    assert Rating(5, 5).interval[1] == 1


@given(st.integers(1, 10_000).flatmap(lambda games: st.tuples(st.just(games), st.integers(0, games))))
def test_the_rate_lies_in_its_interval(played: tuple[int, int]) -> None:
    games, wins = played
    low, high = Rating(games, wins).interval
    assert 0 <= low <= Fraction(wins, games) + Fraction(1, 10**12)
    assert Fraction(wins, games) - Fraction(1, 10**12) <= high <= 1


def test_a_game_is_due_by_what_it_waits_for() -> None:
    limits, waiting = Deadlines(join=2, move=5), new(dealt())
    assert limits.due(waiting, 1000) == 3000
    assert limits.due(start(waiting), 1000) == 6000
    assert limits.due(abandon(waiting), 1000) is None
    assert Deadlines(0, 5).due(waiting, 1000) is None
    assert Deadlines(2, 0).due(start(waiting), 1000) is None
