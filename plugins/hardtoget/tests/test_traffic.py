"""Many games at once in several processes: nothing is lost, nothing fails, and the key word stays with the witness."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

WORDS = [f"zq{number:04}qz" for number in range(600)]
"""Words that occur in nothing else, and none in another."""

PACES: list[list[int]] = [[3, 3, 3, 3, 3], [7, 8], [15], [1, 1, 1, 1, 1], [2, 0], [0]]
"""How many words the detective eliminates in each round; 0 is the key word. Wins and losses, short and long."""


@dataclass
class Game:
    """A game as its test plays it."""

    id: str
    witness: str
    detective: str
    pace: list[int]
    key_word: str = ""
    board: list[str] = field(default_factory=list)
    dilemma: list[str] = field(default_factory=list)
    round: int = 0
    result: str | None = None

    @property
    def of_witness(self) -> dict[str, str]:
        return {"game_id": self.id, "client_id": self.witness}

    @property
    def of_detective(self) -> dict[str, str]:
        return {"game_id": self.id, "client_id": self.detective}

    def next_words(self) -> list[str]:
        others = [word for word in self.board if word != self.key_word]
        count = self.pace[self.round - 1]
        return others[:count] if count else [self.key_word]

    def take(self, answer: dict[str, Any]) -> None:
        """Check the answer to the detective's move, and go on."""
        words = self.next_words()
        self.board = [word for word in self.board if word not in words]
        won, lost = self.board == [self.key_word], self.key_word in words or self.round == 5
        assert answer["remaining_words"] == self.board
        assert answer["game_over"] is (won or lost)
        assert answer["win"] is (won if won or lost else None)
        if won or lost:
            self.result = "win" if won else "loss"


def together(agent: Any, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The structures of calls that are made at once and have to succeed."""
    return list(collected(agent, agent.send_at_once(*calls)))


def collected(agent: Any, sent: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    for name, number in sent:
        result = agent.collect(name, number)
        assert not result.get("isError"), result
        yield result["structuredContent"]


def seat(here: Any, there: Any, count: int) -> list[Game]:
    """`count` games at once: all witnesses at one server, all detectives at the other."""
    sent = [
        agent.send_at_once(*(("register", {"model_name": name}) for _ in range(count)))
        for agent, name in ((here, "w"), (there, "d"))
    ]
    witnesses, detectives = (
        [answer["client_id"] for answer in collected(agent, numbers)]
        for agent, numbers in zip((here, there), sent, strict=True)
    )
    roles = (("Witness", witnesses), ("Detective", detectives))
    sent = [
        agent.send_at_once(*(("join_game", {"client_id": one, "preferred_role": role}) for one in clients))
        for agent, (role, clients) in zip((here, there), roles, strict=True)
    ]
    seats = [list(collected(agent, numbers)) for agent, numbers in zip((here, there), sent, strict=True)]
    detective_of = {answer["game_id"]: one for answer, one in zip(seats[1], detectives, strict=True)}
    assert len(detective_of) == count
    paces = cycle(PACES)
    return [
        Game(answer["game_id"], one, detective_of.pop(answer["game_id"]), next(paces))
        for answer, one in zip(seats[0], witnesses, strict=True)
    ]


def answer_dilemmas(agent: Any, games: Sequence[Game]) -> list[Game]:
    """All witnesses look and answer, at once; returns the games that go on."""
    going_on = [game for game in games if game.result is None]
    views = together(agent, *(("get_state", game.of_witness) for game in going_on))
    for game, view in zip(going_on, views, strict=True):
        assert (view["phase"], view["round"]) == ("witness_turn", game.round + 1)
        assert game.board in ([], view["board"])
        game.key_word, game.board, game.dilemma, game.round = (
            view["key_word"],
            view["board"],
            view["dilemma"],
            view["round"],
        )
    choices = [("witness_choice", {**game.of_witness, "dilemma_choice": game.dilemma[0]}) for game in going_on]
    together(agent, *choices)
    return going_on


def moves(games: Sequence[Game]) -> list[tuple[str, dict[str, Any]]]:
    return [("detective_choice", {**game.of_detective, "eliminated_words": game.next_words()}) for game in games]


def finish(here: Any, there: Any, games: Sequence[Game]) -> None:
    """Play all games to their end, each move of all of them at once."""
    while going_on := [game for game in games if game.result is None]:
        answer_dilemmas(here, going_on)
        for game, answer in zip(going_on, together(there, *moves(going_on)), strict=True):
            game.take(answer)


def results(agent: Any) -> dict[str, str]:
    """The result of every game that has one."""
    found: dict[str, str] = {}
    before: dict[str, str] = {}
    while True:
        page = agent("results", limit=150, **before)
        found |= {row["game_id"]: row["result"] for row in page["results"]}
        if not page["has_more"]:
            return found
        before = {"before": page["results"][-1]["game_id"]}


@pytest.mark.timeout(300)
def test_two_hundred_games_at_once_in_two_processes_all_end_with_a_result(start_agent: Callable[..., Any]) -> None:
    here, there = start_agent(era="modern"), start_agent(era="legacy")
    games = seat(here, there, 200)
    finish(here, there, games)
    assert {game.result for game in games} == {"win", "loss"}
    for agent in (here, there):
        assert results(agent) == {game.id: game.result for game in games}
        assert agent.server.close() == 0
        assert "ERROR" not in agent.server.stderr
        assert "WARNING" not in agent.server.stderr


@pytest.mark.timeout(300)
@pytest.mark.parametrize("acknowledged", [1, 13, 30])
def test_a_kill_in_the_middle_loses_no_acknowledged_move(start_agent: Callable[..., Any], acknowledged: int) -> None:
    here, there = start_agent(), start_agent()
    games = seat(here, there, 40)
    answer_dilemmas(here, games)
    for game in games:
        game.pace = [2, *game.pace] if game.pace[0] == 15 else [1, 2, 3, 4, 5]
    sent = there.send_at_once(*moves(games))
    for game, answer in zip(games, collected(there, sent[:acknowledged]), strict=False):
        game.take(answer)
    there.server.stop()
    # Whoever waits for the other player goes on waiting: the witnesses' server does not notice.
    there = start_agent()
    views = together(there, *(("get_state", game.of_detective) for game in games))
    lost = 0
    for position, (game, view) in enumerate(zip(games, views, strict=True)):
        if position < acknowledged:
            assert view["board"] == game.board
            assert view["phase"] == "witness_turn"
        elif view["phase"] == "detective_turn":
            assert view["board"] == game.board  # not begun, so nothing of it was done
            lost += 1
            game.take(there("detective_choice", **game.of_detective, eliminated_words=game.next_words()))
        else:
            assert view["board"] == [word for word in game.board if word not in game.next_words()]  # done, not told
            game.board = view["board"]
    assert lost <= len(games) - acknowledged
    finish(here, there, games)
    assert results(there) == {game.id: game.result for game in games}


@pytest.fixture
def listed_words(tmp_path: Path) -> str:
    """The option that has games dealt from `WORDS`."""
    file = tmp_path / "words.txt"
    file.write_text("\n".join(WORDS), encoding="utf-8")
    return f"words={json.dumps(str(file))}"


@pytest.mark.timeout(300)
def test_h12_h41_the_key_word_is_in_no_byte_that_a_detective_gets_nor_in_a_log(
    start_agent: Callable[..., Any], listed_words: str
) -> None:
    here = start_agent(listed_words, verbose=True)
    there = start_agent(listed_words, verbose=True)
    games = seat(here, there, 60)
    about: dict[Any, Game] = {}
    scanned = 0
    while going_on := [game for game in games if game.result is None]:
        answer_dilemmas(here, going_on)
        companions = {game.id: companion(game) for game in going_on}
        for game in going_on:
            asked = [
                ("get_state", game.of_detective),
                ("wait", {**game.of_detective, "timeout_seconds": 0}),
                ("witness_choice", {**game.of_detective, "dilemma_choice": game.dilemma[0]}),
                ("detective_choice", {**game.of_detective, "eliminated_words": ["nonsense"]}),
                ("detective_choice", {**game.of_detective, "eliminated_words": []}),
                ("join_game", {"client_id": game.detective}),
            ]
            for name, number in there.send_at_once(*asked):
                about[number] = game
                there.collect(name, number)
            about[there.server.request("resources/read", {"uri": f"hardtoget://games/{game.id}"})["id"]] = game
        for uri in ("hardtoget://games", "hardtoget://leaderboard"):
            there.server.request("resources/read", {"uri": uri})
        there.server.request("prompts/list")
        sent = there.send_at_once(*moves(going_on))
        about |= {number: game for (_, number), game in zip(sent, going_on, strict=True)}
        for game, answer in zip(going_on, collected(there, sent), strict=True):
            game.take(answer)
        lines, scanned = there.server.lines[scanned:], len(there.server.lines)
        for line in lines:
            if b"zq" not in line:
                continue
            game = about.get(json.loads(line)["id"])
            if game is None:
                [game] = [game for game in games if game.id.encode() in line]  # it has joined it
            if b'"game_over":true' not in line.replace(b" ", b""):
                check_secret(game.key_word, companions[game.id], line)
    assert len(about) > 60 * 8
    assert sum(game.result == "win" for game in games) >= 10
    for agent in (here, there):
        assert agent.server.close() == 0
        for text in ("zq", *(client for game in games for client in (game.witness, game.detective))):
            assert text not in agent.server.stderr


def companion(game: Game) -> str:
    """Another word that stays on the board with the key word, if one does."""
    others = [word for word in game.board if word != game.key_word]
    return next((word for word in others if word not in game.next_words()), others[0])


def check_secret(key_word: str, companion: str, sent: bytes) -> None:
    """The key word is there as often as its companion, so as a word of the board, and nothing is called so."""
    assert sent.count(key_word.encode()) == sent.count(companion.encode()), sent
    assert not re.search(rb'\\?"key_word\\?":', sent), sent
