"""What decides for players: the strategies that need no model."""

from __future__ import annotations

import random

import pytest
from agenthost_hardtoget.players import DetectiveTurn, OverlapStrategy, RandomStrategy, Strategy, WitnessTurn
from agenthost_hardtoget.players.strategy import similarity
from hypothesis import given
from hypothesis import strategies as st

BOARD = tuple(f"word {number}" for number in range(16))
STRATEGIES: list[Strategy] = [RandomStrategy(random.Random(1)), OverlapStrategy()]  # noqa: S311 - a game, not a secret

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=["random", "overlap"])
@given(board=st.lists(TEXTS, min_size=1, max_size=16, unique=True), dilemma=st.lists(TEXTS, min_size=2, max_size=2))
def test_every_strategy_makes_legal_moves_and_leaves_a_word(
    strategy: Strategy, board: list[str], dilemma: list[str]
) -> None:
    first, second = dilemma
    side = strategy.choose_dilemma_side(WitnessTurn(1, tuple(board), board[0], (first, second)))
    assert side in dilemma
    for number in range(1, 6):
        words = strategy.choose_eliminations(DetectiveTurn(number, tuple(board), (first, second), side))
        assert words
        assert len(words) == len(set(words))
        assert set(words) <= set(board)
        assert len(words) < len(board) or len(board) == 1


@pytest.mark.parametrize("strategy", STRATEGIES, ids=["random", "overlap"])
def test_the_pace_leaves_one_word_after_five_rounds(strategy: Strategy) -> None:
    board = BOARD
    for number in range(1, 6):
        words = strategy.choose_eliminations(DetectiveTurn(number, board, ("yes", "no"), "yes"))
        board = tuple(word for word in board if word not in words)
    assert len(board) == 1


def test_the_overlap_strategy_chooses_what_looks_alike_and_removes_what_looks_like_the_other() -> None:
    strategy = OverlapStrategy()
    dilemma = ("warm water", "cold stone")
    assert strategy.choose_dilemma_side(WitnessTurn(1, ("hot water",), "hot water", dilemma)) == "warm water"
    turn = DetectiveTurn(5, ("old stones", "waterfall", "cold soup"), dilemma, "warm water")
    assert strategy.choose_eliminations(turn) == ["old stones", "cold soup"]


def test_a_witness_and_a_detective_with_overlap_win_more_often_than_by_chance() -> None:
    source = random.Random(7)  # noqa: S311 - the same words every time
    letters = "abcdefghijklmnopqrstuvwxyz"
    strategy, won = OverlapStrategy(), 0
    for _ in range(200):
        words = ["".join(source.sample(letters, 6)) for _ in range(26)]
        board, key_word, sides = tuple(words[:16]), words[0], words[16:]
        for number in range(1, 6):
            dilemma = (sides.pop(), sides.pop())
            side = strategy.choose_dilemma_side(WitnessTurn(number, board, key_word, dilemma))
            removed = strategy.choose_eliminations(DetectiveTurn(number, board, dilemma, side))
            board = tuple(word for word in board if word not in removed)
        won += board == (key_word,)
    assert won > 2 * 200 / 16


@given(one=TEXTS, other=TEXTS)
def test_similarity_is_symmetric_and_greatest_for_equal_texts(one: str, other: str) -> None:
    assert 0 <= similarity(one, other) == similarity(other, one) <= 1
    assert similarity(one, one) in (0, 1)
